//! Format of a map's file.

use super::conditions::Conditions;
use super::cone_index_config::ConeIndexConfig;
use bekker_scenario::config::{self, AreaConfig, Payload, TireModel};
use bekker_vehicle::spec::Inflation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A map of where a vehicle can go and how fast. It specifies the ground, its uncertainty, and the
/// resolution of the evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MapConfig {
    /// Version of this format: 1.
    #[schemars(range(min = 1, max = 1))]
    pub format: u32,
    /// Purpose of the map, in a sentence or two.
    #[serde(default)]
    #[schemars(length(max = 10_000))]
    pub description: String,
    /// Root seed of all draws and of rough ground.
    #[serde(default)]
    #[schemars(range(max = 9_007_199_254_740_992_u64))]
    pub seed: u64,
    /// The vehicle for which the map is made.
    pub vehicle: MappedVehicle,
    /// Shape of the ground, as in a scenario.
    #[serde(default)]
    pub terrain: config::TerrainConfig,
    /// Soils and where they are, as in a scenario.
    pub soil: config::SoilMapConfig,
    /// Resolution and laws of the soil model, as in a scenario.
    #[serde(default)]
    pub ground: config::Ground,
    /// Side length of a cell of the map, m. Speeds do not depend on it.
    #[schemars(range(min = 5.0, max = 1000.0), extend("unit" = "m"))]
    pub cell: f64,
    /// Mapped area in the local frame: x_min, y_min, x_max, y_max, m. Where absent, the whole
    /// elevation model is mapped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = -10_000_000.0, max = 10_000_000.0)))]
    pub area: Option<[f64; 4]>,
    /// Maximum speed of the driver, m/s.
    #[schemars(range(min = 1.0, max = 40.0), extend("unit" = "m/s"))]
    pub speed: f64,
    /// Initial speed of the drives that approach their steady speed from below, m/s; at most
    /// `speed`.
    #[serde(default = "default_entry_speed")]
    #[schemars(range(min = 0.0, max = 40.0), extend("unit" = "m/s"))]
    pub entry_speed: f64,
    /// Speed at which cells are entered, m/s, at most `speed`: the map then has the speed through a
    /// cell besides the steady one. Where absent, only the steady one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 40.0), extend("unit" = "m/s"))]
    pub cell_entry_speed: Option<f64>,
    /// Time step of the drives, s; it must divide their heartbeat of 0.01 s evenly. The speeds
    /// allowed by ride and ridges are found with steps of 0.002 s.
    #[serde(default = "default_step")]
    #[schemars(range(min = 0.0001, max = 0.01), extend("unit" = "s"))]
    pub step: f64,
    /// Speed that the ride allows over rough ground, m/s. Where absent, it is the speed at which
    /// the driver absorbs 6 W, found by driving over each class of roughness on a firm road.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 40.0), extend("exclusiveMinimum" = 0.0, "unit" = "m/s"))]
    pub ride_speed: Option<f64>,
    /// Number of directions in which a cell is crossed, evenly spaced from east: 4, 8, 12 and so
    /// on.
    #[serde(default = "default_directions")]
    #[schemars(range(min = 4, max = 64))]
    pub directions: usize,
    /// Number of draws of the uncertain quantities in each cell.
    #[serde(default = "default_draws")]
    #[schemars(range(min = 1, max = 10_000))]
    pub draws: usize,
    /// Strength of the soils relative to their parameters, with its uncertainty.
    #[serde(default)]
    pub strength: Strength,
    /// Conditions of the ground besides its soil, uniform or by location.
    #[serde(default)]
    pub conditions: Conditions,
    /// Rating cone index of the ground, for NRMM's relations beside the drives. It changes no drive,
    /// except that `soils` replaces `soil.raster`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cone_index: Option<ConeIndexConfig>,
    /// Error of the elevation model.
    #[serde(default)]
    pub elevation_error: ElevationError,
    /// Resolution of the table of responses.
    #[serde(default)]
    pub table: TableConfig,
    /// Areas that cannot be crossed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 10_000))]
    pub barrier: Vec<MapBarrier>,
    /// Bridges and fords, which open the cells that they touch in barriers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 10_000))]
    pub crossing: Vec<BarrierCrossing>,
    /// Depth of water that the vehicle fords, m; required with a ford.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 10.0), extend("unit" = "m"))]
    pub fording_depth: Option<f64>,
}

/// The vehicle of a map. The keys are the same as those of a scenario's vehicle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MappedVehicle {
    /// Name from `bekker vehicles`, or a vehicle file (.toml) relative to the map's file.
    #[schemars(length(min = 1, max = 4096))]
    pub model: String,
    /// Tire model, flexible or rigid.
    #[serde(alias = "tyre", default, skip_serializing_if = "Option::is_none")]
    pub tire: Option<TireModel>,
    /// Inflation pressure of the tires, kPa.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "kPa"))]
    pub inflation_kpa: Option<Inflation>,
    /// Payload of the vehicle.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64))]
    pub payload: Vec<Payload>,
    /// Changes to the model, by the keys of its file.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub overrides: serde_json::Map<String, serde_json::Value>,
}

/// Strength of the soil as a factor ρ on its parameters. Cohesion and tan φ are multiplied by ρ,
/// the moduli of sinkage by ρ^1.9.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Strength {
    /// Standard deviation of ln ρ.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub sigma_ln: f64,
    /// Median of ρ for each soil whose strength differs from that of its parameters, by the soil's
    /// name.
    #[schemars(extend("additionalProperties" = {"type": "number", "minimum": 0.05, "maximum": 20.0}))]
    pub factors: BTreeMap<String, f64>,
}

impl Default for Strength {
    fn default() -> Strength {
        Strength { sigma_ln: 0.5, factors: BTreeMap::new() }
    }
}

/// Normally distributed error of the heights. Two heights at a distance h are correlated by exp(-h
/// / correlation_length).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ElevationError {
    /// Standard deviation of the error, m.
    #[schemars(range(min = 0.0, max = 1000.0), extend("unit" = "m"))]
    pub sigma: f64,
    /// Correlation length of the error, m.
    #[schemars(range(max = 1_000_000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
    pub correlation_length: f64,
}

impl Default for ElevationError {
    fn default() -> ElevationError {
        ElevationError { sigma: 0.0, correlation_length: 100.0 }
    }
}

/// Resolution of the table of responses, which is computed by driving.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TableConfig {
    /// Number of strengths, evenly spaced in ln ρ from 2.5 standard deviations below to 2.5 above.
    #[schemars(range(min = 2, max = 33))]
    pub strengths: usize,
    /// Number of side slopes, evenly spaced from level to the steepest.
    #[schemars(range(min = 2, max = 33))]
    pub side_slopes: usize,
    /// Steepest grade and side slope that are driven, rise over run. Steeper ground is impassable.
    #[schemars(range(min = 0.1, max = 1.5))]
    pub steepest: f64,
}

impl Default for TableConfig {
    fn default() -> TableConfig {
        TableConfig { strengths: 13, side_slopes: 9, steepest: 0.8 }
    }
}

/// An area that cannot be crossed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Barrier")]
pub struct MapBarrier {
    /// Kind of the barrier.
    pub kind: BarrierKind,
    /// Area of the barrier.
    pub area: AreaConfig,
}

/// A bridge or a ford over barriers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum BarrierCrossing {
    /// A bridge. Its cells have the slope and the soil of the ground; a soil zone gives a firm deck.
    Bridge {
        /// Area of the bridge.
        area: AreaConfig,
        /// Mass that it carries, kg.
        #[schemars(range(min = 0.0, max = 1_000_000.0), extend("unit" = "kg"))]
        max_mass: f64,
    },
    /// A ford. Its cells have the slope and the soil of the ground, without the drag of water.
    Ford {
        /// Area of the ford.
        area: AreaConfig,
        /// Depth of the water, m.
        #[schemars(range(min = 0.0, max = 10.0), extend("unit" = "m"))]
        depth: f64,
    },
}

impl BarrierCrossing {
    /// Returns its area.
    pub fn area(&self) -> &AreaConfig {
        match self {
            BarrierCrossing::Bridge { area, .. } | BarrierCrossing::Ford { area, .. } => area,
        }
    }

    /// Returns why a vehicle with a mass, kg, and a fording depth, m, cannot cross; `None` if it can.
    pub(super) fn obstruction(&self, mass: f64, fording_depth: f64) -> Option<String> {
        match self {
            BarrierCrossing::Bridge { max_mass, .. } if mass > *max_mass => Some(format!(
                "carries {max_mass} kg, but the vehicle has {mass:.0} kg: it stays closed"
            )),
            BarrierCrossing::Ford { depth, .. } if *depth > fording_depth => Some(format!(
                "is {depth} m deep, but the vehicle fords {fording_depth} m: it stays closed"
            )),
            _ => None,
        }
    }
}

/// Kinds of barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BarrierKind {
    /// Water.
    Water,
    /// A static obstacle.
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
