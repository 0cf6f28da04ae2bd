//! `[[tow]]`: ropes and bars between vehicles.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rope or bar between two vehicles, by which one pulls the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Tow")]
pub struct TowConfig {
    /// Name of the vehicle that pulls.
    #[schemars(length(min = 1, max = 200))]
    pub from: String,
    /// Name of the vehicle that is pulled.
    #[schemars(length(min = 1, max = 200))]
    pub to: String,
    /// Kind of connection.
    #[serde(default)]
    pub kind: TowKind,
    /// End of the pulling vehicle to which the rope or bar is fixed.
    #[serde(default)]
    pub from_end: VehicleEnd,
    /// End of the pulled vehicle to which the rope or bar is fixed.
    #[serde(default = "front")]
    pub to_end: VehicleEnd,
    /// Length of a rope beyond the distance between its two ends at the start, m. The distance is
    /// that of the vehicles in equilibrium on the ground. A bar is as long as that distance.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1000.0), extend("unit" = "m"))]
    pub slack: f64,
    /// Stiffness, N/m. The damping is a tenth of the critical damping for the lighter of the two
    /// vehicles.
    #[serde(default = "stiffness")]
    #[schemars(range(min = 100.0, max = 100_000_000.0), extend("unit" = "N/m"))]
    pub stiffness: f64,
    /// Force at which the rope or bar breaks, N.
    #[serde(default = "breaking_load")]
    #[schemars(range(min = 1.0, max = 1_000_000_000.0), extend("unit" = "N"))]
    pub breaking_load: f64,
}

/// Kind of connection between two vehicles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TowKind {
    /// A rope. It only pulls.
    #[default]
    Rope,
    /// A bar. It pulls and pushes.
    Bar,
}

/// End of a vehicle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VehicleEnd {
    /// The front bumper.
    Front,
    /// The rear coupling, or the rear bumper if there is none.
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
