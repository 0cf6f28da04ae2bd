//! `[[vehicle]]`

use super::{Driver, Place, Sensor};
use bekker_sensor::mesh::Up;
use bekker_vehicle::spec::Inflation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Distance in a column where none is given, m: an HMMWV is 4.8 m long and follows at 7 m.
pub const COLUMN_DISTANCE: f64 = 14.0;
/// Speed in it, m/s.
pub const COLUMN_SPEED: f64 = 15.0;

/// A vehicle, where it starts and who drives it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Vehicle {
    /// Its name, unique in the scenario, of one line, without a slash; not `world`, the frame of all.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// A name from `bekker vehicles`, one with a trailer behind it (`hmmwv+cargo_trailer`), or a vehicle
    /// file (.toml) relative to the scenario.
    #[schemars(length(min = 1, max = 4096))]
    pub model: String,
    /// Start of the chassis reference point, a place; it is set down on the ground by
    /// itself, on wheels in equilibrium.
    #[schemars(with = "Place")]
    pub position: [f64; 2],
    /// Heading, degrees from east (x) towards north (y).
    #[serde(default)]
    #[schemars(range(min = -360.0, max = 360.0), extend("unit" = "deg"))]
    pub heading_deg: f64,
    /// Speed at the start, m/s, in the gear that fits; negative backward, in reverse, or in neutral with a
    /// standing engine where that would turn half as fast again as gears are left at.
    #[serde(default)]
    #[schemars(range(min = -50.0, max = 50.0), extend("unit" = "m/s"))]
    pub speed: f64,
    /// Whether its tyres give way: `flexible` where the vehicle's file says how they do,
    /// `rigid` on soil else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tyre: Option<TyreModel>,
    /// Inflation of its tyres, kPa: of all wheels, a trailer's included, a list of its own axles'
    /// from the front, or of its own wheels', left before right. The vehicle's file says it where
    /// this does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "kPa"))]
    pub inflation: Option<Inflation>,
    /// Several of it, in a row: name_1, name_2 and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<Row>,
    /// Others behind it, each of which follows the one ahead: name_2, name_3 and so on. Of a
    /// vehicle in a row, one column behind each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<Column>,
    /// Who drives it.
    #[serde(default)]
    pub driver: Driver,
    /// Time at which it lets go of its trailer, s: the trailer stands on its landing gear, and its
    /// brakes apply. It keeps it if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1_000_000.0), extend("unit" = "s"))]
    pub uncouple_time: Option<f64>,
    /// What it carries besides: masses fixed to its chassis.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64))]
    pub payload: Vec<Payload>,
    /// What it carries to measure and see.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64))]
    pub sensor: Vec<Sensor>,
    /// Meshes that sensors see in place of the drawn vehicle.
    #[serde(default, skip_serializing_if = "Visual::is_default")]
    pub visual: Visual,
    /// Changes to the model, by its own keys: `overrides = { chassis.mass = 2300 }`.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub overrides: serde_json::Map<String, serde_json::Value>,
}

/// The same vehicle several times, spread evenly from its position to another place: of N,
/// the first at 1/2N of the way, so that one alone stands in the middle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// How many there are.
    #[schemars(range(min = 1, max = 4096))]
    pub count: u32,
    /// Where the row ends: a place.
    #[schemars(with = "Place")]
    pub to: [f64; 2],
    /// Where the row of their goals ends, for autonomous vehicles: a place. All have one goal if
    /// not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Place>")]
    pub goal_to: Option<[f64; 2]>,
    /// Whether the waypoints of their paths lie beside each other as they do, so that each has
    /// its own; else all drive to the same.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub parallel: bool,
}

/// Vehicles that start straight behind one another, each of which follows the one ahead (a
/// driver of kind `follow`); the driver of the head is a path.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// How many there are, its head counted.
    #[schemars(range(min = 1, max = 4096))]
    pub count: u32,
    /// From one chassis reference point to the next, m.
    #[serde(default = "column_distance")]
    #[schemars(range(min = 1.0, max = 1000.0), extend("unit" = "m"))]
    pub distance: f64,
    /// Speed that those who follow do not exceed, m/s.
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

/// How a tyre meets the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TyreModel {
    /// Rigid on soil; on firm ground a spring.
    Rigid,
    /// A belt under inflation, on soil as on firm ground.
    Flexible,
}

/// A mass that is fixed to a chassis: it weighs, and it turns with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Payload {
    /// Mass, kg.
    #[schemars(range(min = 0.0, max = 100_000.0), extend("unit" = "kg"))]
    pub mass: f64,
    /// Where its centre is in the chassis frame, m.
    #[schemars(inner(range(min = -20.0, max = 20.0)))]
    pub position: [f64; 3],
    /// Its length, width and height, m: a box of even density has its inertia; a point where absent.
    #[serde(default)]
    #[schemars(inner(range(min = 0.0, max = 20.0)))]
    pub size: [f64; 3],
}

/// Meshes of a vehicle: .gltf, .glb or .obj, relative to the scenario. Textures are not
/// shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Visual {
    /// The hull: its origin at the chassis reference point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hull: Option<PathBuf>,
    /// A wheel of the left side, or a road wheel: its middle at the origin, its outside
    /// to the left. Right ones are turned round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wheel: Option<PathBuf>,
    /// Which axis of the meshes points up: y (their front towards z, left towards x) or z
    /// (front towards x, left towards y).
    pub up: Up,
}

impl Visual {
    /// Whether nothing is said about it.
    pub fn is_default(&self) -> bool {
        *self == Visual::default()
    }
}
