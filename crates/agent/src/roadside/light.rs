//! Traffic lights with a fixed plan, and their radio messages.

use super::barrier_arm::BarrierArm;
use bekker_math::numeric::{cos, sin};
use serde::{Deserialize, Serialize};

/// Distance of a signal head from the end of its stop line, m.
const HEAD_OFFSET: f64 = 0.5;

/// Signal of a traffic light.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SignalColor {
    /// Stop.
    Red,
    /// Stop if possible.
    Amber,
    /// Go.
    Green,
}

/// Phase of the cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignalPhase {
    /// Duration, µs; above zero.
    pub duration_us: u64,
    /// Signal for each approach.
    pub lights: Vec<SignalColor>,
}

/// Approach to the light, as in a MAP message of SAE J2735.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Approach {
    /// Center of the stop line, m.
    pub stop: [f64; 2],
    /// Heading of the vehicles to which it applies, rad.
    pub heading: f64,
    /// Length of the stop line, m.
    pub width: f64,
}

/// Signal of an approach and its end, as in a SPaT message of SAE J2735.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// Signal.
    pub light: SignalColor,
    /// Earliest end, µs.
    pub min_end_us: u64,
    /// Latest end, µs; with a fixed plan equal to the earliest.
    pub max_end_us: u64,
}

/// Traffic light; immutable.
///
/// Its signals are a function of time, so it has no state.
#[derive(Clone, Debug, PartialEq)]
pub struct TrafficLight {
    /// Name in the scenario.
    pub name: String,
    /// Position, m.
    pub place: [f64; 2],
    /// Index of the radio on which it sends, if any.
    pub radio: Option<usize>,
    /// Start of the first cycle, µs; before it, the signals are those at the end of a cycle.
    pub offset_us: u64,
    /// The phases of a cycle, in order.
    pub phases: Vec<SignalPhase>,
    /// Approaches, in the order of the phases' lights.
    pub approaches: Vec<Approach>,
    /// Arm, if this is a barrier.
    pub arm: Option<BarrierArm>,
}

impl TrafficLight {
    /// Returns the position of the signal head of an approach, next to the right end of its stop
    /// line, m.
    pub fn head(approach: &Approach) -> [f64; 2] {
        let aside = 0.5 * approach.width + HEAD_OFFSET;
        let right = [sin(approach.heading), -cos(approach.heading)];
        [0, 1].map(|axis| approach.stop[axis] + aside * right[axis])
    }

    fn cycle_us(&self) -> u64 {
        self.phases.iter().map(|phase| phase.duration_us).sum()
    }

    /// Returns the time since the start of the current cycle, µs.
    pub(super) fn in_cycle_us(&self, now_us: u64) -> u64 {
        let cycle = self.cycle_us();
        (now_us + cycle - self.offset_us % cycle) % cycle
    }

    /// Returns the phase at a time, µs, and its end.
    fn phase(&self, now_us: u64) -> (usize, u64) {
        let mut left = self.in_cycle_us(now_us);
        for (index, phase) in self.phases.iter().enumerate() {
            if left < phase.duration_us {
                return (index, now_us + phase.duration_us - left);
            }
            left -= phase.duration_us;
        }
        (0, now_us)
    }

    /// Returns the signal of each approach at a time, µs, and its end.
    pub fn timings(&self, now_us: u64) -> Vec<Timing> {
        let (first, end_us) = self.phase(now_us);
        let shown = |phase: usize, approach: usize| {
            self.phases[phase % self.phases.len()].lights.get(approach).copied()
        };
        let timing = |approach: usize| {
            let light = shown(first, approach).unwrap_or(SignalColor::Red);
            // successive phases with the same signal count as one
            let more = (first + 1..first + self.phases.len())
                .take_while(|&next| shown(next, approach) == Some(light))
                .map(|next| self.phases[next % self.phases.len()].duration_us);
            let end_us = end_us + more.sum::<u64>();
            Timing { light, min_end_us: end_us, max_end_us: end_us }
        };
        (0..self.approaches.len()).map(timing).collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub const SECOND: u64 = 1_000_000;

    /// Single lane used by two directions in turn.
    pub fn ford(offset: u64) -> TrafficLight {
        use SignalColor::{Amber, Green, Red};
        let phase = |seconds: u64, lights: [SignalColor; 2]| SignalPhase {
            duration_us: seconds * SECOND,
            lights: lights.to_vec(),
        };
        let approach = |x: f64, heading: f64| Approach { stop: [x, 0.0], heading, width: 4.0 };
        TrafficLight {
            name: "ford".into(),
            place: [0.0, 5.0],
            radio: Some(0),
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
            arm: None,
        }
    }

    /// Times of all changes as written by Eclipse SUMO 1.28.0, with an offset of 0 s and of 5 s.
    ///
    /// `SaveTLSStates` with a static tlLogic of the phases "Gr" 15 s, "yr" 3 s, "rr" 12 s, "rG" 20
    /// s, "ry" 3 s, "rr" 12 s, over 140 s.
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
                    SignalColor::Red => 'r',
                    SignalColor::Amber => 'y',
                    SignalColor::Green => 'G',
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
}
