//! Engine, torque converter, gearbox and brakes: torques with their tangents.
//!
//! The types are at once what the vehicle file says and the immutable model:
//! each law is a method on its parameters, returns torques together with their
//! derivatives, and leaves shafts and their inertias to the assembly. Speeds
//! are rad/s; ratios are output speed over input speed.

mod brake;
mod converter;
mod engine;
mod gearbox;

pub use brake::{Brake, BrakeState};
pub use converter::{ConverterTorque, TorqueConverter};
pub use engine::Engine;
pub use gearbox::{Gearbox, GearboxState, Selector};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Radians a second in one revolution a minute.
pub const RPM: f64 = std::f64::consts::TAU / 60.0;

/// A torque at the beginning of a step, and how it falls as the speed rises.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Torque {
    /// Torque on the shaft, N m.
    pub value: f64,
    /// Minus its derivative with respect to the shaft's speed, N m s/rad.
    pub damping: f64,
}

/// From the crankshaft to the gearbox's output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Powertrain {
    /// The engine.
    pub engine: Engine,
    /// The torque converter between engine and gearbox.
    pub converter: TorqueConverter,
    /// The automatic gearbox.
    pub gearbox: Gearbox,
}
