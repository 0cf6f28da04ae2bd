//! Arm of a barrier, which opens and closes by the clock.

use super::light::{Approach, SignalColor, SignalPhase, TrafficLight};
use bekker_math::numeric::{cos, sin};

/// Height of an arm above the ground at its hinge, m.
pub const ARM_HEIGHT: f64 = 0.95;
/// Angle of an open arm, rad.
pub const OPEN_ARM_ANGLE: f64 = 1.4;
/// Distance of stop lines from an arm, m.
const STOP_LINE_DISTANCE: f64 = 1.0;

/// Arm of a barrier; its cycle starts when it begins to close.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BarrierArm {
    /// Direction from the hinge to the tip, rad, from the x axis toward the y axis.
    pub heading: f64,
    /// Length, m.
    pub length: f64,
    /// Time to open or close fully, µs; above zero.
    pub swing_us: u64,
    /// Time per cycle in which it is closed or closing, µs; at least `swing_us`.
    pub closed_us: u64,
}

impl BarrierArm {
    /// Returns the lift fraction, 0 to 1, at a time since the start of a cycle, µs.
    fn lift(&self, passed_us: u64) -> f64 {
        let share = |passed_us: u64| passed_us as f64 / self.swing_us as f64;
        let BarrierArm { swing_us, closed_us, .. } = *self;
        if passed_us < swing_us {
            1.0 - share(passed_us)
        } else if passed_us < closed_us {
            0.0
        } else {
            share(passed_us - closed_us).min(1.0)
        }
    }
}

impl TrafficLight {
    /// Creates a barrier with its hinge at `place` that is closed for a time and open for another,
    /// µs.
    ///
    /// It acts on both sides as a traffic light: red until the arm is up, and amber in the last
    /// `warning_us` before it closes.
    pub fn barrier(
        name: &str,
        place: [f64; 2],
        arm: BarrierArm,
        open_us: u64,
        [warning_us, offset_us]: [u64; 2],
        radio: Option<usize>,
    ) -> TrafficLight {
        let BarrierArm { heading, length, swing_us, closed_us } = arm;
        let phase = |duration_us: u64, light: SignalColor| SignalPhase {
            duration_us,
            lights: vec![light; 2],
        };
        let green_us = open_us.saturating_sub(swing_us + warning_us);
        let phases = [
            phase(closed_us + swing_us, SignalColor::Red),
            phase(green_us, SignalColor::Green),
            phase(warning_us, SignalColor::Amber),
        ];
        let along = [cos(heading), sin(heading)];
        let middle = [0, 1].map(|axis| place[axis] + 0.5 * length * along[axis]);
        let across = |side: f64| {
            // vehicles that come from the right of the arm drive to its left
            let way = [-along[1] * side, along[0] * side];
            Approach {
                stop: [0, 1].map(|axis| middle[axis] - STOP_LINE_DISTANCE * way[axis]),
                heading: heading + side * std::f64::consts::FRAC_PI_2,
                width: length,
            }
        };
        TrafficLight {
            name: name.into(),
            place,
            radio,
            offset_us,
            phases: phases.into_iter().filter(|phase| phase.duration_us > 0).collect(),
            approaches: vec![across(1.0), across(-1.0)],
            arm: Some(arm),
        }
    }

    /// Returns the lift fraction of the arm at a time, µs, 0 to 1; `None` without an arm.
    pub fn lift(&self, now_us: u64) -> Option<f64> {
        Some(self.arm?.lift(self.in_cycle_us(now_us)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000;

    #[test]
    fn green_is_shown_only_while_the_arm_is_up_and_amber_before_it_falls() {
        let arm =
            BarrierArm { heading: 0.3, length: 6.0, swing_us: 3 * SECOND, closed_us: 20 * SECOND };
        let barrier = TrafficLight::barrier(
            "b",
            [5.0, 2.0],
            arm,
            15 * SECOND,
            [2 * SECOND, 7 * SECOND],
            None,
        );
        let mut seen = Vec::new();
        for tenth in 70..70 + 350 {
            let now = tenth * SECOND / 10;
            let (lift, timings) = (barrier.lift(now).unwrap(), barrier.timings(now));
            let light = timings[0].light;
            assert_eq!(light, timings[1].light);
            assert!(light == SignalColor::Red || lift == 1.0, "{light:?} at {lift}");
            if seen.last() != Some(&light) {
                seen.push(light);
            }
        }
        assert_eq!(seen, [SignalColor::Red, SignalColor::Green, SignalColor::Amber]);
        let lift = |second: u64| barrier.lift((7 + second) * SECOND).unwrap();
        assert_eq!([lift(0), lift(3), lift(20), lift(23), lift(34)], [1.0, 0.0, 0.0, 1.0, 1.0]);
        assert!((lift(1) - 2.0 / 3.0).abs() < 1e-12 && (lift(21) - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn both_sides_stop_before_the_arm() {
        let arm = BarrierArm { heading: 0.0, length: 6.0, swing_us: SECOND, closed_us: SECOND };
        let barrier = TrafficLight::barrier("b", [5.0, 2.0], arm, 9 * SECOND, [0, 0], None);
        let [left, right] = [&barrier.approaches[0], &barrier.approaches[1]];
        assert!((left.stop[0] - 8.0).abs() < 1e-12 && (left.stop[1] - 1.0).abs() < 1e-12);
        assert!((right.stop[1] - 3.0).abs() < 1e-12);
        assert!((left.heading - std::f64::consts::FRAC_PI_2).abs() < 1e-12);
        assert!((right.heading + std::f64::consts::FRAC_PI_2).abs() < 1e-12);
    }
}
