//! Electric motors over a drive: their last reading and the energy from their battery.

use bekker_vehicle::powertrain::Battery;
use bekker_vehicle::{MotorReading, WheelMotorReading};
use serde::{Deserialize, Serialize};

/// Reading of the last step and energy drawn from the battery since the start.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MotorRecord {
    /// Torque, current and power in the last step.
    pub reading: MotorReading,
    /// Net energy drawn from the battery, J; motors return energy as they brake.
    pub energy: f64,
    /// The same of each motor for a single wheel, by wheel.
    pub wheels: Vec<WheelMotorRecord>,
}

/// Current of the motor of a wheel in the last step, and the energy that it drew since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WheelMotorRecord {
    /// Current, A, positive for a forward torque.
    pub current: f64,
    /// Net energy drawn from the battery, J.
    pub energy: f64,
}

impl Clone for MotorRecord {
    fn clone(&self) -> MotorRecord {
        MotorRecord { reading: self.reading, energy: self.energy, wheels: self.wheels.clone() }
    }

    /// Reuses the allocation of the wheels.
    fn clone_from(&mut self, source: &MotorRecord) {
        (self.reading, self.energy) = (source.reading, source.energy);
        self.wheels.clone_from(&source.wheels);
    }
}

impl MotorRecord {
    /// Creates the record of a vehicle with motors for this many single wheels.
    pub(super) fn new(wheel_motors: usize) -> MotorRecord {
        let wheels = vec![WheelMotorRecord::default(); wheel_motors];
        MotorRecord { wheels, ..MotorRecord::default() }
    }

    /// Adds a step of `h` s.
    ///
    /// A reading that is not finite belongs to a failing drive and must not enter a checkpoint.
    pub(super) fn add(&mut self, reading: &MotorReading, wheels: &[WheelMotorReading], h: f64) {
        if reading.power.is_finite() {
            self.reading = *reading;
            self.energy += reading.power * h;
            for (own, reading) in self.wheels.iter_mut().zip(wheels) {
                own.current = reading.current;
                own.energy += reading.power * h;
            }
        }
    }

    /// Returns the state of charge of the battery: 1 full at the start, 0 empty.
    pub fn charge(&self, battery: &Battery) -> f64 {
        (1.0 - self.energy / battery.energy()).max(0.0)
    }

    /// Whether all values are finite.
    pub fn is_valid(&self) -> bool {
        let MotorReading { torques, currents, power } = &self.reading;
        let of_wheels = self.wheels.iter().flat_map(|own| [&own.current, &own.energy]);
        let values = torques.iter().chain(currents).chain([power, &self.energy]).chain(of_wheels);
        values.copied().all(f64::is_finite)
    }
}
