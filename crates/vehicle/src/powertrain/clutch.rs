//! An automatic friction clutch between engine and gearbox.
//!
//! Its capacity rises from zero to its maximum over a range of speeds. Without a torque converter
//! this is the engine's speed: the clutch slips while the vehicle pulls away and lets the engine
//! idle. With a torque converter it is the speed of the gearbox's input, and the clutch locks the
//! converter up.
//!
//! The friction is dry: the torque equals the capacity and opposes the slip. Within a narrow band
//! of slip, the torque is proportional to the slip, which replaces sticking.

use super::{RPM, Torque};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Slip below which the torque is less than the capacity, rad/s: half a percent of an engine's
/// speed.
const BAND: f64 = 1.0;

/// A clutch between engine and gearbox.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EngineClutch {
    /// Maximum torque that the clutch transmits, N m.
    pub torque: f64,
    /// Speeds of the first and of the full torque of the clutch,
    /// rpm. They are engine speeds, or with a converter, speeds of the gearbox's input.
    pub engage_rpm: [f64; 2],
}

impl EngineClutch {
    /// Maximum torque that the clutch transmits at `speed` (rad/s), N m.
    pub fn capacity(&self, speed: f64) -> f64 {
        let [from, to] = self.engage_rpm.map(|rpm| rpm * RPM);
        self.torque * ((speed - from) / (to - from)).clamp(0.0, 1.0)
    }

    /// Returns the torque against `slip` (engine minus input, rad/s), with the capacity at `speed`,
    /// rad/s.
    ///
    /// The damping is a secant, so that a step cannot reverse the slip.
    pub fn torque(&self, speed: f64, slip: f64) -> Torque {
        let damping = self.capacity(speed) / slip.abs().max(BAND);
        Torque { value: -damping * slip, damping }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_torque_is_limited_by_speed_and_resists_slip() {
        let clutch = EngineClutch { torque: 1000.0, engage_rpm: [800.0, 1200.0] };
        for (rpm, most) in [(700.0, 0.0), (1000.0, 500.0), (3000.0, 1000.0)] {
            // halfway between the two speeds: rounding of revolutions to radians
            assert!((clutch.capacity(rpm * RPM) - most).abs() < 1e-9);
        }
        let at = |slip| clutch.torque(200.0, slip).value;
        assert_eq!([at(50.0), at(-50.0), at(0.5), at(0.0)], [-1000.0, 1000.0, -500.0, 0.0]);
    }

    #[test]
    fn a_step_brings_the_slip_to_rest_and_not_beyond() {
        let clutch = EngineClutch { torque: 1000.0, engage_rpm: [800.0, 1200.0] };
        let (inertia, h, mut slip) = (1.0, 1e-3, 20.0_f64);
        let mut steps = 0;
        while slip > 1e-6 && steps < 1000 {
            let torque = clutch.torque(200.0, slip);
            let next = slip + h * torque.value / (inertia + h * torque.damping);
            assert!(next >= 0.0 && next <= slip);
            (slip, steps) = (next, steps + 1);
        }
        // 1000 N m on 1 kg m² take 20 ms from 20 rad/s; the smoothing band takes a few steps more
        assert!((20..60).contains(&steps), "{steps}");
    }
}
