//! The format of a map's file.

use super::conditions::Conditions;
use bekker_scenario::config::{self, Area, Payload, TyreModel};
use bekker_vehicle::spec::Inflation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A map of where a vehicle goes and how fast: its ground, what is uncertain of it, and how
/// finely it is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MapConfig {
    /// Version of this format: 1.
    #[schemars(range(min = 1, max = 1))]
    pub format: u32,
    /// What it shows, in a sentence or two.
    #[serde(default)]
    #[schemars(length(max = 10_000))]
    pub description: String,
    /// Root of all draws, and of rough ground.
    #[serde(default)]
    #[schemars(range(max = 9_007_199_254_740_992_u64))]
    pub seed: u64,
    /// The vehicle.
    pub vehicle: MappedVehicle,
    /// Shape of the ground, as in a scenario.
    #[serde(default)]
    pub terrain: config::Terrain,
    /// Which soil lies where, as in a scenario.
    pub soil: config::SoilMap,
    /// How finely and by which laws the soil is modeled, as in a scenario.
    #[serde(default)]
    pub ground: config::Ground,
    /// Side of a cell of the map, m. Speeds do not depend on it.
    #[schemars(range(min = 5.0, max = 1000.0), extend("unit" = "m"))]
    pub cell: f64,
    /// What is mapped, local frame: x_min, y_min, x_max, y_max, m; all of an elevation model
    /// where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = -10_000_000.0, max = 10_000_000.0)))]
    pub area: Option<[f64; 4]>,
    /// Speed that the driver does not exceed, m/s.
    #[schemars(range(min = 1.0, max = 40.0), extend("unit" = "m/s"))]
    pub speed: f64,
    /// Speed at which drives begin that approach their steady speed from below, m/s; at most `speed`.
    #[serde(default = "default_entry_speed")]
    #[schemars(range(min = 0.0, max = 40.0), extend("unit" = "m/s"))]
    pub entry_speed: f64,
    /// Step of the drives, s; a whole part of their heartbeat of 0.01 s. The ride and what ridges allow are
    /// found by steps of 0.002 s.
    #[serde(default = "default_step")]
    #[schemars(range(min = 0.0001, max = 0.01), extend("unit" = "s"))]
    pub step: f64,
    /// Speed that the ride allows over rough ground, m/s; that at which the driver absorbs 6 W over
    /// each class of roughness on a firm road, found by driving, where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 40.0), extend("exclusiveMinimum" = 0.0, "unit" = "m/s"))]
    pub ride_speed: Option<f64>,
    /// Directions of crossing a cell, evenly spaced from east: 4, 8, 12 and so on.
    #[serde(default = "default_directions")]
    #[schemars(range(min = 4, max = 64))]
    pub directions: usize,
    /// Draws of what is uncertain, a cell.
    #[serde(default = "default_draws")]
    #[schemars(range(min = 1, max = 10_000))]
    pub draws: usize,
    /// How strong the soil is, beside its figures.
    #[serde(default)]
    pub strength: Strength,
    /// What the ground is like besides its soil, here and there.
    #[serde(default)]
    pub conditions: Conditions,
    /// What the elevation model is off by.
    #[serde(default)]
    pub elevation_error: ElevationError,
    /// How finely the table of responses is driven.
    #[serde(default)]
    pub table: TableConfig,
    /// Areas that nothing crosses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 10_000))]
    pub barrier: Vec<Barrier>,
}

/// The vehicle of a map; the keys are those of a scenario's vehicle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MappedVehicle {
    /// A name from `bekker vehicles`, or a vehicle file (.toml) relative to the map's.
    #[schemars(length(min = 1, max = 4096))]
    pub model: String,
    /// Whether its tires give way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tyre: Option<TyreModel>,
    /// Inflation of its tires, kPa.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "kPa"))]
    pub inflation: Option<Inflation>,
    /// What it carries besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64))]
    pub payload: Vec<Payload>,
    /// Changes to the model, by its own keys.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub overrides: serde_json::Map<String, serde_json::Value>,
}

/// Strength of the soil, as a factor ρ to its figures: cohesion and tan φ by ρ, the moduli of
/// sinkage by ρ^1.9.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Strength {
    /// Standard deviation of ln ρ.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub sigma_ln: f64,
    /// Median of ρ of each soil that is not at the strength of its figures, by its name.
    #[schemars(extend("additionalProperties" = {"type": "number", "minimum": 0.05, "maximum": 20.0}))]
    pub factors: BTreeMap<String, f64>,
}

impl Default for Strength {
    fn default() -> Strength {
        Strength { sigma_ln: 0.5, factors: BTreeMap::new() }
    }
}

/// Error of the heights, normal and correlated over a distance: of two heights h apart by
/// exp(-h / correlation_length).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ElevationError {
    /// Standard deviation, m.
    #[schemars(range(min = 0.0, max = 1000.0), extend("unit" = "m"))]
    pub sigma: f64,
    /// Distance over which it is correlated, m.
    #[schemars(range(max = 1_000_000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
    pub correlation_length: f64,
}

impl Default for ElevationError {
    fn default() -> ElevationError {
        ElevationError { sigma: 0.0, correlation_length: 100.0 }
    }
}

/// How finely the table of responses is driven.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TableConfig {
    /// Strengths, evenly spaced in ln ρ from 2.5 standard deviations below to 2.5 above.
    #[schemars(range(min = 2, max = 33))]
    pub strengths: usize,
    /// Side slopes, evenly spaced from level to the steepest.
    #[schemars(range(min = 2, max = 33))]
    pub side_slopes: usize,
    /// Steepest grade and side slope that are driven, rise over run; beyond nothing goes.
    #[schemars(range(min = 0.1, max = 1.5))]
    pub steepest: f64,
}

impl Default for TableConfig {
    fn default() -> TableConfig {
        TableConfig { strengths: 13, side_slopes: 9, steepest: 0.8 }
    }
}

/// An area that nothing crosses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Barrier {
    /// What bars the way.
    pub kind: BarrierKind,
    /// Where.
    pub area: Area,
}

/// What bars the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BarrierKind {
    /// Water.
    Water,
    /// Something that stands in the way.
    Obstacle,
}

fn default_entry_speed() -> f64 {
    2.0
}

fn default_step() -> f64 {
    0.002
}

fn default_directions() -> usize {
    8
}

fn default_draws() -> usize {
    100
}
