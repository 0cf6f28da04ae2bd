//! What a driver makes of what it has heard from beside its way.

use super::light::{Approach, Light, Timing};
use super::pedestrian::RoadUser;
use bekker_math::numeric::cos;
use bekker_vehicle::driver::{Path, Place};
use serde::{Deserialize, Serialize};

/// Distance along its path within which a driver minds a stop line, m.
const MINDS: f64 = 150.0;
/// How far beyond a stop line a vehicle's front may stand and still mind it, m.
const BEYOND: f64 = 1.0;
/// Angle between a vehicle's path and an approach within which it is meant, rad.
const ALIGNED: f64 = std::f64::consts::FRAC_PI_4;
/// How far ahead a driver sees those on foot coming, s.
const FORESIGHT: f64 = 4.0;
/// Time after which one on foot who has not been heard again is forgotten, s.
const FORGOTTEN: f64 = 5.0;

/// What has been heard of a traffic light.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct HeardLight {
    pub approaches: Vec<Approach>,
    /// When the timings were sent, µs, and they.
    pub timings: Option<(u64, Vec<Timing>)>,
}

/// A vehicle that comes towards lights.
pub(crate) struct Arrival<'a> {
    pub path: &'a Path,
    /// Where its driver is on the path.
    pub place: &'a Place,
    /// Station of its front, m.
    pub front: f64,
    /// Its speed, m/s.
    pub speed: f64,
    /// Deceleration that it brakes with, m/s².
    pub deceleration: f64,
    /// Half its width, m, with the room that it leaves those on foot.
    pub half_width: f64,
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

    /// Distance from its front to where the nearest of those on foot is in its way, or will be
    /// within [`FORESIGHT`], m, if one is.
    pub fn on_foot<'a>(
        &self,
        users: impl Iterator<Item = &'a (u64, RoadUser)>,
        now_us: u64,
    ) -> Option<f64> {
        let met = users.filter_map(|(sent_us, user)| {
            let since = 1e-6 * now_us.saturating_sub(*sent_us) as f64;
            if since > FORGOTTEN {
                return None;
            }
            let seen = |ahead: f64| {
                let [x, y] = user.place_after(since + ahead);
                let place = self.path.ahead(self.place, MINDS, [x, y]);
                [place.station, place.offset]
            };
            let [from, to] = [seen(0.0), seen(FORESIGHT)];
            let station = crossing(from, to, self.half_width + user.radius)?;
            let distance = station - user.radius - self.front;
            (-BEYOND..MINDS).contains(&distance).then_some(distance)
        });
        met.reduce(f64::min)
    }

    /// Distance from its front to the stop line of an approach that means it, m.
    fn distance(&self, approach: &Approach) -> Option<f64> {
        let line = self.path.ahead(self.place, MINDS, approach.stop);
        let [dx, dy] = self.path.direction(line.segment);
        let along = dx * cos(approach.heading) + dy * bekker_math::numeric::sin(approach.heading);
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

/// Station at which one who goes straight from one station and offset to another comes nearest to a
/// path, where that is nearer than `within`, m.
fn crossing(from: [f64; 2], to: [f64; 2], within: f64) -> Option<f64> {
    let span = to[1] - from[1];
    let share = if span.abs() > 1e-9 { (-from[1] / span).clamp(0.0, 1.0) } else { 0.0 };
    let offset = from[1] + share * span;
    (offset.abs() <= within).then_some(from[0] + share * (to[0] - from[0]))
}

#[cfg(test)]
mod tests {
    use super::super::light::tests::{SECOND, ford};
    use super::*;

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
            let arrival = arrival(&path, &place, speed);
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

    fn arrival<'a>(path: &'a Path, place: &'a Place, speed: f64) -> Arrival<'a> {
        let front = place.station;
        Arrival { path, place, front, speed, deceleration: 1.5, half_width: 1.6 }
    }

    #[test]
    fn a_driver_stops_for_who_is_or_comes_into_its_way() {
        let path = Path::polyline(&[[-100.0, 0.0], [200.0, 0.0]]).unwrap();
        let place = path.locate([-30.0, 0.0]);
        let arrival = arrival(&path, &place, 6.0);
        let stop = |place: [f64; 2], velocity: [f64; 2], now_us: u64| {
            let told = (SECOND, RoadUser { place, velocity, radius: 0.4 });
            // to the nanometre
            arrival.on_foot([told].iter(), now_us).map(|way| (way * 1e9).round() / 1e9)
        };
        // in the way, coming into it within 4 s at 1.5 m/s, and still too far off
        assert_eq!(stop([0.0, 1.0], [0.0, 0.0], SECOND), Some(29.6));
        assert_eq!(stop([0.0, -5.0], [0.0, 1.5], SECOND), Some(29.6));
        assert_eq!(stop([0.0, -9.0], [0.0, 1.5], SECOND), None);
        // one that has crossed since it was heard, one that walks beside, one behind, one unheard of
        // for long
        assert_eq!(stop([0.0, -2.0], [0.0, 2.0], 4 * SECOND), None);
        assert_eq!(stop([0.0, 3.0], [1.5, 0.0], SECOND), None);
        assert_eq!(stop([-40.0, 0.0], [0.0, 0.0], SECOND), None);
        assert_eq!(stop([0.0, 0.0], [0.0, 0.0], 7 * SECOND), None);
    }
}
