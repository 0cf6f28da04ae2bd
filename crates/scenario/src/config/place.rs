//! Places and ways as they may be written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A place on the ground, written in one of three ways. Before a scenario is built, all
/// become the first (by `scenario::places`).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Place {
    /// x and y of the local frame, m.
    Local(#[schemars(inner(range(min = -1_000_000.0, max = 1_000_000.0)))] [f64; 2]),
    /// On the grid of the DEM.
    Grid(GridPlace),
    /// On the earth.
    Earth(EarthPlace),
}

/// A place in the DEM's own coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GridPlace {
    /// Easting in the DEM's own coordinates, m.
    pub easting: f64,
    /// Northing in the DEM's own coordinates, m.
    pub northing: f64,
}

/// A place by latitude and longitude; needs a DEM that says where it lies, or `[site]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EarthPlace {
    /// Latitude on WGS 84, degrees, north positive.
    #[schemars(range(min = -90.0, max = 90.0), extend("unit" = "deg"))]
    pub latitude_deg: f64,
    /// Longitude on WGS 84, degrees, east positive.
    #[schemars(range(min = -180.0, max = 180.0), extend("unit" = "deg"))]
    pub longitude_deg: f64,
}

/// The points of a way: written out, or in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Way {
    /// Its points in order.
    Points(#[schemars(length(min = 2, max = 100_000))] Vec<Place>),
    /// A file that holds them.
    File(WayFile),
}

/// A file of way points: GPX (`.gpx`: a route or track, else its way points), GeoJSON
/// (`.geojson`, `.json`: a LineString or MultiLineString) or a table (`.csv`) with the columns x
/// and y, easting and northing, or latitude and longitude. Of a file with several lines, `track`
/// chooses one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WayFile {
    /// The file, relative to the scenario.
    pub file: PathBuf,
    /// Points nearer than this to the one before, m, are left out: positioning scatters
    /// while a receiver stands.
    #[serde(default = "least_distance")]
    #[schemars(range(min = 0.0, max = 1000.0), extend("unit" = "m"))]
    pub least_distance: f64,
    /// Which line of a file with several: its number, counted from 1, or its name. Lines without
    /// points are not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub track: Option<LineChoice>,
}

/// A line of a file of way points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum LineChoice {
    /// Its number, counted from 1.
    Number(#[schemars(range(min = 1, max = 100_000))] u32),
    /// Its name.
    Name(String),
}

fn least_distance() -> f64 {
    1.0
}
