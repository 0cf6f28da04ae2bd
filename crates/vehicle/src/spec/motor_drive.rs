//! Electric motors that drive the wheels.

use crate::powertrain::{Battery, Motor};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Electric drive that replaces `driveline` and `powertrain`. One motor on each side drives all
/// wheels of that side through gears, chains or belts. The difference of their speeds steers the
/// vehicle (`steering.skid`).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MotorDrive")]
pub struct MotorDriveSpec {
    /// The motor of each side.
    pub motor: Motor,
    /// Speed of the wheels over speed of the motor.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub ratio: f64,
    /// Efficiency of gears and chains, above 0 and up to 1. The lost share of the motor's torque
    /// opposes the rotation, while driving and while braking.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub efficiency: f64,
    /// The battery that supplies both motors.
    pub battery: Battery,
}
