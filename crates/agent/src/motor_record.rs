//! Electric motors over a drive: their last reading and the energy from their battery.

use bekker_vehicle::MotorReading;
use bekker_vehicle::powertrain::Battery;
use serde::{Deserialize, Serialize};

/// Reading of the last step and energy drawn from the battery since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MotorRecord {
    /// Torque, current and power in the last step.
    pub reading: MotorReading,
    /// Net energy drawn from the battery, J; motors return energy as they brake.
    pub energy: f64,
}

impl MotorRecord {
    /// Adds a step of `h` s.
    ///
    /// A reading that is not finite belongs to a failing drive and must not enter a checkpoint.
    pub(super) fn add(&mut self, reading: &MotorReading, h: f64) {
        if reading.power.is_finite() {
            self.reading = *reading;
            self.energy += reading.power * h;
        }
    }

    /// Returns the state of charge of the battery: 1 full at the start, 0 empty.
    pub fn charge(&self, battery: &Battery) -> f64 {
        (1.0 - self.energy / battery.energy()).max(0.0)
    }

    /// Whether all values are finite.
    pub fn is_valid(&self) -> bool {
        let MotorReading { torques, currents, power } = &self.reading;
        let values = torques.iter().chain(currents).chain([power, &self.energy]);
        values.copied().all(f64::is_finite)
    }
}
