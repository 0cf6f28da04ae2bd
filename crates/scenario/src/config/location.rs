//! Positions and paths in the forms in which a scenario may specify them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A position on the ground, in one of three forms. All are converted to the first form before a
/// scenario is built (by `scenario::places`).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Place")]
pub enum Location {
    /// x and y of the local frame, m.
    Local(#[schemars(inner(range(min = -1_000_000.0, max = 1_000_000.0)))] [f64; 2]),
    /// Position on the grid of the DEM.
    Grid(GridLocation),
    /// Position on the earth.
    Earth(GeographicLocation),
}

/// A position in the coordinates of the DEM.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridPlace")]
pub struct GridLocation {
    /// Easting in the coordinates of the DEM, m.
    pub easting: f64,
    /// Northing in the coordinates of the DEM, m.
    pub northing: f64,
}

/// A position by latitude and longitude. It needs a georeferenced DEM or `[site]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "EarthPlace")]
pub struct GeographicLocation {
    /// Latitude on WGS 84, degrees, north positive.
    #[schemars(range(min = -90.0, max = 90.0), extend("unit" = "deg"))]
    pub latitude_deg: f64,
    /// Longitude on WGS 84, degrees, east positive.
    #[schemars(range(min = -180.0, max = 180.0), extend("unit" = "deg"))]
    pub longitude_deg: f64,
}

/// Points of a path, as a list or in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Way")]
pub enum PathPoints {
    /// Points in order.
    Points(#[schemars(length(min = 2, max = 100_000))] Vec<Location>),
    /// File that contains the points.
    File(PathFile),
}

/// A file of waypoints: GPX (`.gpx`), GeoJSON (`.geojson`, `.json`) or a table (`.csv`). GPX
/// provides a route or track, or else its waypoints. GeoJSON provides a LineString or
/// MultiLineString. A table has the columns x and y, easting and northing, or latitude and
/// longitude. If a file has several lines, `track` selects one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "WayFile")]
pub struct PathFile {
    /// Path of the file, relative to the scenario.
    pub file: PathBuf,
    /// Minimum distance between consecutive points, m. Points nearer to the previous one are left
    /// out, because positions scatter while a receiver stands.
    #[serde(default = "least_distance")]
    #[schemars(range(min = 0.0, max = 1000.0), extend("unit" = "m"))]
    pub least_distance: f64,
    /// Line to use from a file with several lines: its number, counted from 1, or its name. Lines
    /// without points are not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub track: Option<LineChoice>,
}

/// A line of a file of waypoints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum LineChoice {
    /// Number of the line, counted from 1.
    Number(#[schemars(range(min = 1, max = 100_000))] u32),
    /// Name of the line.
    Name(String),
}

fn least_distance() -> f64 {
    1.0
}
