//! Electric motors that drive the wheels.

use crate::powertrain::{Battery, Motor};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Largest number of motors of a vehicle.
pub(crate) const LARGEST_MOTOR_COUNT: usize = 16;

/// Electric drive that replaces `driveline` and `powertrain`. One motor on each side drives all
/// wheels of that side through gears, chains or belts, or each wheel has its own motor. The
/// difference of the speeds of both sides steers the vehicle with `steering.skid`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MotorDrive")]
pub struct MotorDriveSpec {
    /// Whether each side or each wheel has a motor. Steered axles need a motor for each wheel.
    #[serde(default, skip_serializing_if = "MotorPlacement::is_side")]
    pub placement: MotorPlacement,
    /// The motor of each side, or of each wheel.
    pub motor: Motor,
    /// Speed of the wheels over speed of the motor.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub ratio: f64,
    /// Efficiency of gears and chains, above 0 and up to 1. The lost share of the motor's torque
    /// opposes the rotation, while driving and while braking.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub efficiency: f64,
    /// The battery that supplies all motors.
    pub battery: Battery,
}

impl MotorDriveSpec {
    /// Returns the number of motors of a vehicle with `axles` axles, without those of a trailer.
    pub fn motor_count(&self, axles: usize) -> usize {
        if self.placement.is_side() { 2 } else { 2 * axles }
    }
}

/// Wheels that an electric motor drives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MotorPlacement {
    /// All wheels of a side.
    #[default]
    Side,
    /// One wheel. Its torque is limited at its own speed.
    Wheel,
}

impl MotorPlacement {
    /// Whether one motor drives all wheels of a side.
    pub fn is_side(&self) -> bool {
        *self == MotorPlacement::Side
    }
}
