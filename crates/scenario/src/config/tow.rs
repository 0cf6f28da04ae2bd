//! `[[tow]]`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rope or a bar between two vehicles: one pulls the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tow {
    /// Name of the vehicle that pulls.
    #[schemars(length(min = 1, max = 200))]
    pub from: String,
    /// Name of the vehicle that is pulled.
    #[schemars(length(min = 1, max = 200))]
    pub to: String,
    /// What is between them.
    #[serde(default)]
    pub kind: TowKind,
    /// End of the pulling vehicle that it is fixed to.
    #[serde(default)]
    pub from_end: VehicleEnd,
    /// End of the pulled vehicle that it is fixed to.
    #[serde(default = "front")]
    pub to_end: VehicleEnd,
    /// By how much a rope is longer than the way between the two as they start, set down, m; a bar is
    /// as long as that.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1000.0), extend("unit" = "m"))]
    pub slack: f64,
    /// Stiffness, N/m. Its damping is a tenth of the critical one of the lighter of the two on it.
    #[serde(default = "stiffness")]
    #[schemars(range(min = 100.0, max = 100_000_000.0), extend("unit" = "N/m"))]
    pub stiffness: f64,
    /// Force at which it breaks, N.
    #[serde(default = "breaking_load")]
    #[schemars(range(min = 1.0, max = 1_000_000_000.0), extend("unit" = "N"))]
    pub breaking_load: f64,
}

/// Kinds of what is between two vehicles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TowKind {
    /// A rope: it pulls.
    #[default]
    Rope,
    /// A bar: it pulls and pushes.
    Bar,
}

/// Ends of a vehicle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VehicleEnd {
    /// The front bumper.
    Front,
    /// The rear coupling, or else the rear bumper.
    #[default]
    Rear,
}

fn front() -> VehicleEnd {
    VehicleEnd::Front
}

fn stiffness() -> f64 {
    200_000.0
}

fn breaking_load() -> f64 {
    200_000.0
}
