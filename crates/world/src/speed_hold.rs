//! Speed control that replaces pedals.

use bekker_agent::Sample;
use bekker_math::spatial::Vec3;
use bekker_vehicle::driver::{LongitudinalState, SpeedControl, SpeedGoal, SpeedState};
use bekker_vehicle::{Controls, Selector};

/// Greatest speed, m/s, at which the selector moves between drive and reverse.
const MAX_SHIFT_SPEED: f64 = 0.2;

/// State of a speed control, and the last motion of its vehicle.
#[derive(Clone, Copy, Debug)]
pub struct SpeedHold {
    /// Motion along the chassis' x axis, without thrust of the driveline and spin of the wheels.
    motion: LongitudinalState,
    state: SpeedState,
    lever: Selector,
}

impl Default for SpeedHold {
    fn default() -> SpeedHold {
        let state = SpeedControl::default().start();
        SpeedHold { motion: LongitudinalState::default(), state, lever: Selector::Drive }
    }
}

impl SpeedHold {
    /// Updates the motion from a sample under `gravity`, m/s².
    pub fn update(&mut self, sample: &Sample, gravity: f64) {
        let ahead = sample.pose.orientation.transform_vector(&Vec3::x());
        self.motion = LongitudinalState {
            speed: sample.speed,
            slope: ahead.z,
            gravity,
            ..LongitudinalState::default()
        };
    }

    /// Returns controls as [`SpeedHold::controls`], for a skid-steered vehicle that is to turn.
    ///
    /// At a target speed of 0 it is not braked once it stands, so that it can turn on the spot.
    pub fn turning_controls(&mut self, target: f64, h: f64) -> Controls {
        if target == 0.0 && self.motion.speed.abs() < MAX_SHIFT_SPEED {
            self.state = SpeedControl::default().start();
            return Controls { gear: self.lever, ..Controls::default() };
        }
        self.controls(target, h)
    }

    /// Returns controls that pursue a speed, m/s, negative backward, over a heartbeat of `h`
    /// seconds.
    ///
    /// The control law is that of path followers. A vehicle that rolls in the opposite direction is
    /// braked first.
    pub fn controls(&mut self, target: f64, h: f64) -> Controls {
        let LongitudinalState { speed, slope, .. } = self.motion;
        let backward = target < 0.0;
        let rolls_so = if backward { speed < 0.0 } else { speed > 0.0 };
        if speed.abs() < MAX_SHIFT_SPEED || rolls_so {
            self.lever = if backward { Selector::Reverse } else { Selector::Drive };
        }
        // The controller drives forward; for reverse all signs are inverted.
        let sense = if backward { -1.0 } else { 1.0 };
        let motion =
            LongitudinalState { speed: sense * speed, slope: sense * slope, ..self.motion };
        let control = SpeedControl::default();
        let goal = SpeedGoal::exactly(target.abs());
        let pedals = control.controls(&mut self.state, goal, &motion, h);
        Controls { gear: self.lever, ..pedals }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_brakes_before_it_reverses() {
        let mut held = SpeedHold::default();
        let mut after = |heartbeats: u32, speed, target| {
            held.update(&Sample { speed, ..Sample::default() }, 9.81);
            (1..heartbeats).for_each(|_| _ = held.controls(target, 0.01));
            held.controls(target, 0.01)
        };
        let ahead = after(1, 5.0, 6.0);
        assert!(ahead.throttle > 0.0 && ahead.brake == 0.0 && ahead.gear == Selector::Drive);
        let braked = after(20, 5.0, -2.0);
        assert_eq!((braked.throttle, braked.gear), (0.0, Selector::Drive));
        assert!(braked.brake > 0.9, "{braked:?}");
        assert_eq!(after(1, 0.1, -2.0).gear, Selector::Reverse);
        let back = after(200, -1.0, -2.0);
        assert!(back.throttle > 0.0 && back.brake == 0.0 && back.gear == Selector::Reverse);
        // Standstill is held by the brake, whatever the direction before.
        let stands = after(200, 0.0, 0.0);
        assert_eq!((stands.throttle, stands.brake), (0.0, 1.0));
    }
}
