//! Traffic lights by a fixed plan, and what they tell by radio.

use crate::numeric::cos;
use crate::vehicle::driver::{Path, Place};
use serde::{Deserialize, Serialize};

/// Distance along its path within which a driver minds a stop line, m.
const MINDS: f64 = 150.0;
/// How far beyond a stop line a vehicle's front may stand and still mind it, m.
const BEYOND: f64 = 1.0;
/// Angle between a vehicle's path and an approach within which it is meant, rad.
const ALIGNED: f64 = std::f64::consts::FRAC_PI_4;

/// What a light shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Light {
    /// Stop.
    Red,
    /// Stop, if that is possible.
    Amber,
    /// Go.
    Green,
}

/// A part of the cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// How long it takes, µs; above zero.
    pub duration_us: u64,
    /// What each approach is shown.
    pub lights: Vec<Light>,
}

/// A way towards the light: what SAE J2735 tells in a MAP message.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Approach {
    /// Middle of the stop line, m.
    pub stop: [f64; 2],
    /// Heading of those who are meant, rad.
    pub heading: f64,
    /// Length of the stop line, m.
    pub width: f64,
}

/// What an approach is shown, and until when: what SAE J2735 tells in a SPaT message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// What it is shown.
    pub light: Light,
    /// When that ends at the earliest, µs.
    pub min_end_us: u64,
    /// When it ends at the latest, µs: of a fixed plan the same.
    pub max_end_us: u64,
}

/// A traffic light; immutable. What it shows is a function of time, so that it has no state.
#[derive(Clone, Debug, PartialEq)]
pub struct TrafficLight {
    /// Its name in the scenario.
    pub name: String,
    /// Where it stands, m.
    pub place: [f64; 2],
    /// By which of the world's radios it is heard.
    pub radio: usize,
    /// When the first phase begins for the first time, µs; before, the cycle is in its last.
    pub offset_us: u64,
    /// The phases of a cycle, in order.
    pub phases: Vec<Phase>,
    /// The ways towards it, in the order of the phases' lights.
    pub approaches: Vec<Approach>,
}

impl TrafficLight {
    fn cycle_us(&self) -> u64 {
        self.phases.iter().map(|phase| phase.duration_us).sum()
    }

    /// The phase at a moment, µs, and when it ends.
    fn phase(&self, now_us: u64) -> (usize, u64) {
        let cycle = self.cycle_us();
        let early = self.offset_us % cycle;
        let mut left = (now_us + cycle - early) % cycle;
        for (index, phase) in self.phases.iter().enumerate() {
            if left < phase.duration_us {
                return (index, now_us + phase.duration_us - left);
            }
            left -= phase.duration_us;
        }
        (0, now_us)
    }

    /// What each approach is shown at a moment, µs, and until when.
    pub fn timings(&self, now_us: u64) -> Vec<Timing> {
        let (first, end_us) = self.phase(now_us);
        let shown = |phase: usize, approach: usize| {
            self.phases[phase % self.phases.len()].lights.get(approach).copied()
        };
        let timing = |approach: usize| {
            let light = shown(first, approach).unwrap_or(Light::Red);
            // phases in a row that show the same are one to those who wait
            let more = (first + 1..first + self.phases.len())
                .take_while(|&next| shown(next, approach) == Some(light))
                .map(|next| self.phases[next % self.phases.len()].duration_us);
            let end_us = end_us + more.sum::<u64>();
            Timing { light, min_end_us: end_us, max_end_us: end_us }
        };
        (0..self.approaches.len()).map(timing).collect()
    }
}

/// What has been heard of a traffic light.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct HeardLight {
    pub approaches: Vec<Approach>,
    /// When the timings were sent, µs, and they.
    pub timings: Option<(u64, Vec<Timing>)>,
}

/// A vehicle that comes towards lights.
pub(super) struct Arrival<'a> {
    pub path: &'a Path,
    /// Where its driver is on the path.
    pub place: &'a Place,
    /// Station of its front, m.
    pub front: f64,
    /// Its speed, m/s.
    pub speed: f64,
    /// Deceleration that it brakes with, m/s².
    pub deceleration: f64,
}

impl Arrival<'_> {
    /// Distance from its front to the nearest stop line ahead that it is to stop before, m, if
    /// there is one.
    pub fn stop<'a>(
        &self,
        lights: impl Iterator<Item = &'a HeardLight>,
        now_us: u64,
    ) -> Option<f64> {
        let stops = lights.flat_map(|light| {
            let approaches = light.approaches.iter().enumerate();
            approaches.filter_map(|(index, approach)| {
                let distance = self.distance(approach)?;
                let timing = light.timings.as_ref().and_then(|(_, all)| all.get(index));
                self.is_to_stop(timing, distance, now_us).then_some(distance)
            })
        });
        stops.reduce(f64::min)
    }

    /// Distance from its front to the stop line of an approach that means it, m.
    fn distance(&self, approach: &Approach) -> Option<f64> {
        let line = self.path.ahead(self.place, MINDS, approach.stop);
        let [dx, dy] = self.path.direction(line.segment);
        let along = dx * cos(approach.heading) + dy * crate::numeric::sin(approach.heading);
        let distance = line.station - self.front;
        let is_meant = along > cos(ALIGNED) && line.offset.abs() <= 0.5 * approach.width;
        (is_meant && (-BEYOND..MINDS).contains(&distance)).then_some(distance)
    }

    /// A light whose timing is unknown or has run out is red. Who is too near to stop drives on.
    fn is_to_stop(&self, timing: Option<&Timing>, distance: f64, now_us: u64) -> bool {
        let known = timing.filter(|timing| now_us < timing.max_end_us);
        let way = self.speed * self.speed / (2.0 * self.deceleration);
        match known.map(|timing| timing.light) {
            Some(Light::Green) => false,
            // an emergency stop is twice as hard as a usual one
            Some(Light::Red) | None => distance <= 0.0 || 0.5 * way <= distance,
            Some(Light::Amber) => distance <= 0.0 && self.speed < 0.5 || way <= distance,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000;

    /// One lane that two directions take in turn.
    fn ford(offset: u64) -> TrafficLight {
        use Light::{Amber, Green, Red};
        let phase = |seconds: u64, lights: [Light; 2]| Phase {
            duration_us: seconds * SECOND,
            lights: lights.to_vec(),
        };
        let approach = |x: f64, heading: f64| Approach { stop: [x, 0.0], heading, width: 4.0 };
        TrafficLight {
            name: "ford".into(),
            place: [0.0, 5.0],
            radio: 0,
            offset_us: offset * SECOND,
            phases: vec![
                phase(15, [Green, Red]),
                phase(3, [Amber, Red]),
                phase(12, [Red, Red]),
                phase(20, [Red, Green]),
                phase(3, [Red, Amber]),
                phase(12, [Red, Red]),
            ],
            approaches: vec![approach(0.0, 0.0), approach(60.0, std::f64::consts::PI)],
        }
    }

    /// Times of all changes as Eclipse SUMO 1.28.0 writes them (`SaveTLSStates`, a static
    /// tlLogic of the phases "Gr" 15 s, "yr" 3 s, "rr" 12 s, "rG" 20 s, "ry" 3 s, "rr" 12 s, 140 s),
    /// with an offset of 0 s and of 5 s.
    const SUMO: [(u64, &[(u64, &str)]); 2] = [
        (
            0,
            &[
                (0, "Gr"),
                (15, "yr"),
                (18, "rr"),
                (30, "rG"),
                (50, "ry"),
                (53, "rr"),
                (65, "Gr"),
                (80, "yr"),
                (83, "rr"),
                (95, "rG"),
                (115, "ry"),
                (118, "rr"),
                (130, "Gr"),
            ],
        ),
        (
            5,
            &[
                (0, "rr"),
                (5, "Gr"),
                (20, "yr"),
                (23, "rr"),
                (35, "rG"),
                (55, "ry"),
                (58, "rr"),
                (70, "Gr"),
                (85, "yr"),
                (88, "rr"),
                (100, "rG"),
                (120, "ry"),
                (123, "rr"),
                (135, "Gr"),
            ],
        ),
    ];

    #[test]
    fn phases_change_when_those_of_sumo_do() {
        for (offset, expected) in SUMO {
            let light = ford(offset);
            let mut changes: Vec<(u64, String)> = Vec::new();
            for second in 0..140 {
                let timings = light.timings(second * SECOND);
                let letter = |timing: &Timing| match timing.light {
                    Light::Red => 'r',
                    Light::Amber => 'y',
                    Light::Green => 'G',
                };
                let state: String = timings.iter().map(letter).collect();
                if changes.last().is_none_or(|(_, last)| *last != state) {
                    changes.push((second, state));
                }
            }
            let found: Vec<(u64, &str)> =
                changes.iter().map(|(time, state)| (*time, state.as_str())).collect();
            assert_eq!(found, expected, "offset {offset}");
        }
    }

    #[test]
    fn timings_end_when_the_light_changes() {
        let light = ford(7);
        for tenth in 0..1400 {
            let now = tenth * SECOND / 10;
            for (approach, timing) in light.timings(now).iter().enumerate() {
                assert!(timing.max_end_us > now);
                let at = |moment: u64| light.timings(moment)[approach].light;
                assert_eq!(at(timing.max_end_us - 1), timing.light);
                assert_ne!(at(timing.max_end_us), timing.light);
            }
        }
    }

    #[test]
    fn a_driver_minds_its_own_line_and_takes_what_it_does_not_know_for_red() {
        let path = Path::polyline(&[[-100.0, 0.0], [200.0, 0.0]]).unwrap();
        let light = ford(0);
        let heard = |now_us: u64| HeardLight {
            approaches: light.approaches.clone(),
            timings: Some((now_us, light.timings(now_us))),
        };
        let stop = |x: f64, speed: f64, heard: HeardLight, now_us: u64| {
            let place = path.locate([x, 0.0]);
            let front = place.station;
            let arrival = Arrival { path: &path, place: &place, front, speed, deceleration: 1.5 };
            arrival.stop([heard].iter(), now_us)
        };
        let (green, amber, red) = (5 * SECOND, 16 * SECOND, 20 * SECOND);
        assert_eq!(stop(-30.0, 6.0, heard(green), green), None);
        assert_eq!(stop(-30.0, 6.0, heard(red), red), Some(30.0));
        // 12 m are needed to stop from 6 m/s, 6 m in an emergency
        assert_eq!(stop(-13.0, 6.0, heard(amber), amber), Some(13.0));
        assert_eq!(stop(-11.0, 6.0, heard(amber), amber), None);
        assert_eq!(stop(-7.0, 6.0, heard(red), red), Some(7.0));
        assert_eq!(stop(-5.0, 6.0, heard(red), red), None);
        // beyond its line, and at that of those who come the other way
        assert_eq!(stop(20.0, 6.0, heard(red), red), None);
        // green that has run out unheard, and a light of which the places alone are known
        assert_eq!(stop(-30.0, 6.0, heard(green), 15 * SECOND), Some(30.0));
        let silent = HeardLight { timings: None, ..heard(green) };
        assert_eq!(stop(-30.0, 6.0, silent, green), Some(30.0));
    }
}
