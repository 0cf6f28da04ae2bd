//! `[[vehicle]]`: the vehicles of a scenario.

use super::{DriverConfig, Location, SensorConfig};
use bekker_sensor::mesh::Up;
use bekker_vehicle::VehicleSetup;
use bekker_vehicle::spec::Inflation;
pub use bekker_vehicle::{Payload, TireModel};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Default distance between the vehicles of a column, m. An HMMWV is 4.8 m long and follows at 7 m.
pub const COLUMN_DISTANCE: f64 = 14.0;
/// Default maximum speed of the followers in a column, m/s.
pub const COLUMN_SPEED: f64 = 15.0;

/// A vehicle, its start and its driver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Vehicle")]
pub struct VehicleConfig {
    /// Name of the vehicle, unique in the scenario, on one line and without a slash. `world` is not
    /// allowed: it names the world frame.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// Model of the vehicle: a name from `bekker vehicles`, a name with a trailer
    /// (`hmmwv+cargo_trailer`), or a vehicle file (.toml) relative to the scenario.
    #[schemars(length(min = 1, max = 4096))]
    pub model: String,
    /// Start position of the chassis reference point. The height follows from the ground: the
    /// vehicle starts in equilibrium on its wheels.
    #[schemars(with = "Location")]
    pub position: [f64; 2],
    /// Heading at the start, degrees from east (x) towards north (y).
    #[serde(default)]
    #[schemars(range(min = -360.0, max = 360.0), extend("unit" = "deg"))]
    pub heading_deg: f64,
    /// Speed at the start, m/s, in the gear that fits. A negative value is backward, in reverse
    /// gear. If the engine would then turn faster than 1.5 times the upshift speed, the vehicle
    /// starts in neutral with a stopped engine.
    #[serde(default)]
    #[schemars(range(min = -50.0, max = 50.0), extend("unit" = "m/s"))]
    pub speed: f64,
    /// Tire model. Where absent, it is `flexible` if the vehicle's file specifies flexible tires.
    /// Otherwise it is `rigid` on soil.
    #[serde(alias = "tyre", default, skip_serializing_if = "Option::is_none")]
    pub tire: Option<TireModel>,
    /// Inflation of the tires, kPa. It is one value for all wheels, including those of a trailer,
    /// or a list. A list has one value for each of the vehicle's own axles from the front, or for
    /// each of its own wheels, left before right. Where absent, the vehicle's file sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "kPa"))]
    pub inflation_kpa: Option<Inflation>,
    /// Mass of the vehicle without trailer and payload, kg. The chassis takes the difference, and its
    /// inertia changes in proportion. Where absent, the vehicle's file sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1.0, max = 1_000_000.0), extend("unit" = "kg"))]
    pub mass: Option<f64>,
    /// Unloaded radius of the vehicle's own tires, m. The rims stay the same, and the sections are
    /// higher or lower by the difference. Where absent, the vehicle's file sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.05, max = 5.0), extend("unit" = "m"))]
    pub wheel_radius: Option<f64>,
    /// Several copies of the vehicle in a row, named name_1, name_2 and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<RowConfig>,
    /// Vehicles behind this one, named name_2, name_3 and so on. Each follows the one ahead. With
    /// `row`, there is one column behind each vehicle of the row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<ColumnConfig>,
    /// Driver of the vehicle.
    #[serde(default)]
    pub driver: DriverConfig,
    /// Time at which the vehicle uncouples its trailer, s. The trailer then stands on its landing
    /// gear with its brakes applied. Where absent, the trailer stays coupled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1_000_000.0), extend("unit" = "s"))]
    pub uncouple_time: Option<f64>,
    /// Additional masses that are fixed to the chassis.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64))]
    pub payload: Vec<Payload>,
    /// Sensors of the vehicle.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64))]
    pub sensor: Vec<SensorConfig>,
    /// Meshes that sensors see instead of the drawn vehicle.
    #[serde(default, skip_serializing_if = "Visual::is_default")]
    pub visual: Visual,
    /// Changes to keys of the model, as in `overrides = { chassis.mass = 2300 }`.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub overrides: serde_json::Map<String, serde_json::Value>,
}

impl VehicleConfig {
    /// Creates a vehicle at rest at the origin, heading east. All other values are the defaults.
    pub fn new(name: &str, model: &str, driver: DriverConfig) -> VehicleConfig {
        VehicleConfig {
            name: name.into(),
            model: model.into(),
            position: [0.0; 2],
            heading_deg: 0.0,
            speed: 0.0,
            tire: None,
            inflation_kpa: None,
            mass: None,
            wheel_radius: None,
            row: None,
            column: None,
            driver,
            uncouple_time: None,
            payload: vec![],
            sensor: vec![],
            visual: Visual::default(),
            overrides: serde_json::Map::new(),
        }
    }

    /// Returns the tires, the inflation and the payload. A trailer is part of the model.
    pub fn setup(&self) -> VehicleSetup {
        VehicleSetup {
            trailer: None,
            tire: self.tire,
            inflation_kpa: self.inflation_kpa.clone(),
            mass: self.mass,
            wheel_radius: self.wheel_radius,
            payload: self.payload.clone(),
        }
    }
}

/// Copies of a vehicle, evenly spaced from its position to another position. The first of N copies
/// is at 1/2N of that distance, so a single copy stands in the middle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Row")]
pub struct RowConfig {
    /// Number of vehicles in the row.
    #[schemars(range(min = 1, max = 4096))]
    pub count: u32,
    /// End of the row, a position.
    #[schemars(with = "Location")]
    pub to: [f64; 2],
    /// End of the row of goals of autonomous vehicles, a position. Where absent, all vehicles have
    /// the same goal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Location>")]
    pub goal_to: Option<[f64; 2]>,
    /// Whether the waypoints of each vehicle are shifted like its start, so that paths run side by
    /// side. Otherwise all vehicles follow the same waypoints.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub parallel: bool,
}

/// A column of vehicles that start straight behind one another. Each follows the one ahead (driver
/// of kind `follow`). The driver of the first vehicle is of kind `path`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Column")]
pub struct ColumnConfig {
    /// Number of vehicles in the column, including the first.
    #[schemars(range(min = 1, max = 4096))]
    pub count: u32,
    /// Distance from one chassis reference point to the next, m.
    #[serde(default = "column_distance")]
    #[schemars(range(min = 1.0, max = 1000.0), extend("unit" = "m"))]
    pub distance: f64,
    /// Maximum speed of the vehicles behind the first, m/s.
    #[serde(default = "column_speed")]
    #[schemars(range(max = 50.0), extend("exclusiveMinimum" = 0.0, "unit" = "m/s"))]
    pub speed: f64,
}

fn column_distance() -> f64 {
    COLUMN_DISTANCE
}

fn column_speed() -> f64 {
    COLUMN_SPEED
}

/// Meshes of a vehicle: .gltf, .glb or .obj, relative to the scenario. Textures are not shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Visual {
    /// Mesh of the hull. Its origin is at the chassis reference point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hull: Option<PathBuf>,
    /// Mesh of a wheel on the left side, or of a road wheel. Its center is at the origin, and its
    /// outside points to the left. Wheels on the right are turned around.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wheel: Option<PathBuf>,
    /// Axis of the meshes that points up: y (front towards z, left towards x) or z (front towards
    /// x, left towards y).
    pub up: Up,
}

impl Visual {
    /// Returns whether all keys have their default values.
    pub fn is_default(&self) -> bool {
        *self == Visual::default()
    }
}
