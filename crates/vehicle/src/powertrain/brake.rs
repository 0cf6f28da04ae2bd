//! A friction brake that holds at standstill.
//!
//! Coulomb friction acts through an elastic lining. While the brake sticks, the shaft deflects the
//! lining and the torque is k θ + d ω. Above the limit of the pedal, the brake slides at the limit.
//! A vehicle parked on a slope thus stands still instead of creeping, and no chatter occurs at the
//! stop.

use super::Torque;
use serde::{Deserialize, Serialize};

/// Deflection of the lining at which the fully applied brake slides, rad.
const BREAKAWAY_ANGLE: f64 = 0.01;
/// Ratio of the lining's damping to its stiffness, s.
const DAMPING_TIME: f64 = 0.005;

/// A brake on one wheel or shaft.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Brake {
    /// Torque when fully applied, N m.
    pub max_torque: f64,
}

/// Deflection of the lining of a brake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BrakeState {
    /// Deflection, rad, positive after forward rotation.
    pub wind_up: f64,
}

impl Brake {
    /// Returns the torque on the shaft for a linearly implicit step of `h` seconds.
    ///
    /// The shaft turns at `speed`, rad/s; `pedal` is 0 to 1.
    pub fn torque(&self, pedal: f64, state: &BrakeState, speed: f64, h: f64) -> Torque {
        let limit = self.limit(pedal);
        if limit == 0.0 {
            return Torque::default();
        }
        let grip = self.stiffness() * (h + DAMPING_TIME);
        let trial = self.stiffness() * state.wind_up + grip * speed;
        if trial.abs() <= limit {
            return Torque { value: -trial, damping: grip };
        }
        // the secant of sliding friction stops the shaft within the step but cannot reverse it
        let secant = limit / speed.abs().max(f64::MIN_POSITIVE);
        Torque { value: -limit * trial.signum(), damping: secant.min(grip) }
    }

    /// Advances the deflection by the speed, rad/s, at the end of the step of `h` seconds.
    ///
    /// Beyond the limit of the pedal the lining slides.
    pub fn advance(&self, pedal: f64, state: &mut BrakeState, speed: f64, h: f64) {
        let most = self.limit(pedal) / self.stiffness().max(f64::MIN_POSITIVE);
        state.wind_up = (state.wind_up + h * speed).clamp(-most, most);
    }

    fn limit(&self, pedal: f64) -> f64 {
        pedal.clamp(0.0, 1.0) * self.max_torque
    }

    fn stiffness(&self) -> f64 {
        self.max_torque / BREAKAWAY_ANGLE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wheel of 10 kg m² under a constant `load`, braked with `pedal`.
    fn run(pedal: f64, load: f64, mut speed: f64, seconds: f64) -> (f64, f64) {
        let brake = Brake { max_torque: 4000.0 };
        let mut state = BrakeState::default();
        let (inertia, h) = (10.0, 1e-3);
        let mut angle = 0.0;
        for _ in 0..(seconds / h) as usize {
            let torque = brake.torque(pedal, &state, speed, h);
            speed += h * (load + torque.value) / (inertia + h * torque.damping);
            brake.advance(pedal, &mut state, speed, h);
            angle += h * speed;
        }
        (speed, angle)
    }

    #[test]
    fn stops_by_coulomb_friction_and_stays() {
        // 2000 N m on 10 kg m² from 20 rad/s: stops after 0.1 s and 1 rad
        let (speed, angle) = run(0.5, 0.0, 20.0, 1.0);
        assert!(speed.abs() < 1e-6, "turns at {speed}");
        // a step of 20 mrad at the start, and the deflection of 5 mrad at the end
        assert!((angle - 1.0).abs() < 0.025, "turned {angle}");
    }

    #[test]
    fn holds_below_its_limit_and_slips_above() {
        let (speed, angle) = run(0.5, 1500.0, 0.0, 60.0);
        assert!(speed.abs() < 1e-9 && angle < 0.005, "creeps at {speed} after {angle}");
        // a surplus of 500 N m: 50 rad/s² for 1 s
        let (speed, _) = run(0.5, 2500.0, 0.0, 1.0);
        assert!((speed - 50.0).abs() < 1.0, "turns at {speed}");
    }

    #[test]
    fn released_it_does_nothing() {
        let brake = Brake { max_torque: 4000.0 };
        let state = BrakeState { wind_up: 0.01 };
        assert_eq!(brake.torque(0.0, &state, 10.0, 1e-3), Torque::default());
    }
}
