//! From the gearbox to the wheels.
//!
//! Ratios are output speed over input speed, so a torque is divided by them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which axles are driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// All axles, through centre differentials.
    Awd,
    /// The first axle.
    Fwd,
    /// The last axle.
    Rwd,
}

/// A differential with a clutch that can lock it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Differential {
    /// Inertia of the carrier about the output axis, kg m².
    pub inertia: f64,
    /// Largest torque of the locking clutch between the outputs, N m.
    pub lock_torque: f64,
    /// Whether the clutch is engaged from the start; open otherwise.
    #[serde(default)]
    pub locked: bool,
}

/// Differential and half-shafts of one axle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FinalDrive {
    /// Speed of the carrier over speed of the shaft that drives it (bevel gears).
    pub ratio: f64,
    /// The differential between left and right.
    pub differential: Differential,
    /// Inertia of the shaft from centre differential to this axle, kg m².
    pub shaft_inertia: f64,
    /// Inertia of each half-shaft with its brake, kg m².
    pub half_shaft_inertia: f64,
}

/// The shared part of the driveline.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Driveline {
    /// Which axles are driven.
    pub layout: Layout,
    /// Inertia of the shaft behind the gearbox, kg m².
    pub driveshaft_inertia: f64,
    /// The differential between axles, for `awd`.
    pub centre: Differential,
}
