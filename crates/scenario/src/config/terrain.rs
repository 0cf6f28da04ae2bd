//! `[terrain]`: the shape of the ground.

use super::{Location, RandomSurface};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Shape of the undisturbed ground. Where absent, it is flat.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Terrain")]
pub struct TerrainConfig {
    /// Large-scale surface.
    pub surface: SurfaceConfig,
    /// Roughness that is added to the surface, as a class of ISO 8608. Where absent, there is none.
    pub roughness: Option<RoughnessConfig>,
    /// Holes, ditches, bumps and ridges, applied in order.
    #[schemars(length(max = 10_000))]
    pub stamp: Vec<StampConfig>,
}

/// Large-scale surface of the ground.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "Surface")]
pub enum SurfaceConfig {
    /// A horizontal plane without bounds.
    Flat {
        /// Height of the plane, m.
        #[serde(default)]
        #[schemars(range(min = -20_000.0, max = 20_000.0), extend("unit" = "m"))]
        elevation: f64,
    },
    /// An inclined plane without bounds.
    Slope {
        /// Height at the origin, m.
        #[serde(default)]
        #[schemars(range(min = -20_000.0, max = 20_000.0), extend("unit" = "m"))]
        elevation: f64,
        /// Rise over run: 0.1 climbs 1 m in 10 m.
        #[schemars(range(min = -2.0, max = 2.0))]
        grade: f64,
        /// Uphill direction, degrees from east towards north.
        #[serde(default)]
        #[schemars(range(min = -360.0, max = 360.0), extend("unit" = "deg"))]
        uphill_deg: f64,
    },
    /// Rolling ground from gradient noise, seeded by the scenario.
    Procedural {
        /// Mean height, m.
        #[serde(default)]
        #[schemars(range(min = -20_000.0, max = 20_000.0), extend("unit" = "m"))]
        elevation: f64,
        /// Height of the largest hills above the mean, m.
        #[schemars(range(min = 0.0, max = 1000.0), extend("unit" = "m"))]
        amplitude: f64,
        /// Distance between the largest hills, m.
        #[schemars(range(min = 0.1, max = 1_000_000.0), extend("unit" = "m"))]
        wavelength: f64,
        /// Number of layers of detail. Each layer has half the wavelength and half the height of
        /// the previous one.
        #[serde(default = "default_octaves")]
        #[schemars(range(min = 1, max = 12))]
        octaves: u32,
    },
    /// Rough ground with holes, trees, rocks and barriers, within bounds.
    Random(RandomSurface),
    /// A digital elevation model: GeoTIFF (.tif, .tiff), ESRI ASCII grid (.asc) or PNG (.png, with
    /// `height_range` and `cell_size`).
    Dem {
        /// Path of the file, relative to the scenario.
        file: PathBuf,
        /// Point of the DEM that becomes (0, 0) of the local frame.
        #[serde(default)]
        origin: OriginConfig,
        /// Part of the DEM to keep, in the local frame: x_min, y_min, x_max, y_max, m. Where
        /// absent, all of it is kept.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(inner(range(min = -10_000_000.0, max = 10_000_000.0)))]
        crop: Option<[f64; 4]>,
        /// Treatment of cells without data.
        #[serde(default)]
        no_data: NoDataConfig,
        /// EPSG code of the coordinate reference system, for a file that does not specify one: a
        /// UTM zone, or 4326 for degrees.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1024, max = 32767))]
        epsg: Option<u16>,
        /// Unit of the heights, for a file that does not specify one. If neither sets it, heights
        /// are in meters.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        height_unit: Option<HeightUnitConfig>,
        /// Heights of black and white, m. Only for PNG.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(inner(range(min = -20_000.0, max = 20_000.0)))]
        height_range: Option<[f64; 2]>,
        /// Side of a pixel, m. Only for PNG.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0.001, max = 100_000.0), extend("unit" = "m"))]
        cell_size: Option<f64>,
    },
}

fn default_octaves() -> u32 {
    4
}

impl Default for SurfaceConfig {
    fn default() -> SurfaceConfig {
        SurfaceConfig::Flat { elevation: 0.0 }
    }
}

/// Unit of heights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "HeightUnit")]
pub enum HeightUnitConfig {
    /// Meters.
    M,
    /// International feet, 0.3048 m.
    Ft,
    /// US survey feet, 1200/3937 m.
    UsSurveyFt,
}

/// Point of the DEM that becomes (0, 0) of the local frame: `"center"`, `"south_west"` or a point
/// [x, y] in the DEM's own coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Origin")]
pub enum OriginConfig {
    /// A named point.
    Named(OriginName),
    /// A point in the DEM's own coordinates: easting and northing in m, or longitude and latitude
    /// in degrees.
    Point([f64; 2]),
}

impl Default for OriginConfig {
    fn default() -> OriginConfig {
        OriginConfig::Named(OriginName::Center)
    }
}

/// A named point of a DEM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OriginName {
    /// Center of the DEM.
    #[serde(alias = "centre")]
    Center,
    /// Center of the south-west cell. The terrain extends from there to the center of the
    /// north-east cell. Where the pixels of a file are areas (`xllcorner`, PixelIsArea), the corner
    /// in the file is half a cell farther out.
    SouthWest,
}

/// Treatment of cells of a DEM without data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "NoData")]
pub enum NoDataConfig {
    /// Refuses the DEM.
    #[default]
    Refuse,
    /// Gives each cell the height of the nearest cell with data.
    FillNearest,
    /// Interpolates smoothly from the rim of each gap.
    FillInterpolated,
    /// Keeps the cells as ground that is off limits. A drive ends where a wheel enters it, and maps
    /// have no data there. Images and sensors see the height of the nearest cell with data.
    Keep,
}

/// Roughness class of ISO 8608, from A (very good) to H (very poor).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Roughness")]
pub enum RoughnessConfig {
    /// Very good road.
    A,
    /// Good road.
    B,
    /// Average road.
    C,
    /// Poor road, or a good track.
    D,
    /// Very poor road, or a track.
    E,
    /// Rough track.
    F,
    /// Rough open ground.
    G,
    /// Very rough open ground.
    H,
}

/// A local feature of the terrain, below or above the surface.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "Stamp")]
pub enum StampConfig {
    /// A round hole.
    Hole {
        /// Center of the hole, m.
        #[schemars(with = "Location")]
        at: [f64; 2],
        /// Radius of the rim, m.
        #[schemars(range(max = 100_000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        radius: f64,
        /// Depth of the hole, m.
        #[schemars(range(max = 1000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        depth: f64,
        /// Width of the sloping edge inside the rim, m. Where absent, it is the whole radius.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(max = 100_000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        edge: Option<f64>,
        /// Shape of the sloping edge.
        #[serde(default, skip_serializing_if = "Face::is_smooth")]
        face: Face,
    },
    /// A straight ditch.
    Ditch {
        /// One end of the center line, m.
        #[schemars(with = "Location")]
        from: [f64; 2],
        /// Other end of the center line, m.
        #[schemars(with = "Location")]
        to: [f64; 2],
        /// Width at the top, m.
        #[schemars(range(max = 100_000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        width: f64,
        /// Depth of the ditch, m.
        #[schemars(range(max = 1000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        depth: f64,
        /// Width of the sloping edge, m. Where absent, it is half of `width`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(max = 100_000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        edge: Option<f64>,
        /// Shape of the sloping edge.
        #[serde(default, skip_serializing_if = "Face::is_smooth")]
        face: Face,
    },
    /// A straight ridge.
    Ridge {
        /// One end of the center line, m.
        #[schemars(with = "Location")]
        from: [f64; 2],
        /// Other end of the center line, m.
        #[schemars(with = "Location")]
        to: [f64; 2],
        /// Width at the foot, m.
        #[schemars(range(max = 100_000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        width: f64,
        /// Height of the ridge, m.
        #[schemars(range(max = 1000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        height: f64,
        /// Width of the sloping edge, m. Where absent, it is half of `width`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(max = 100_000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        edge: Option<f64>,
        /// Shape of the sloping edge.
        #[serde(default, skip_serializing_if = "Face::is_smooth")]
        face: Face,
    },
    /// A round bump.
    Bump {
        /// Center of the bump, m.
        #[schemars(with = "Location")]
        at: [f64; 2],
        /// Radius of the foot, m.
        #[schemars(range(max = 100_000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        radius: f64,
        /// Height of the bump, m.
        #[schemars(range(max = 1000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        height: f64,
        /// Width of the sloping edge inside the foot, m. Where absent, it is the whole radius.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(max = 100_000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        edge: Option<f64>,
        /// Shape of the sloping edge.
        #[serde(default, skip_serializing_if = "Face::is_smooth")]
        face: Face,
    },
}

/// Shape of the sloping edge of a stamp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Face {
    /// Rounded at the top and at the foot.
    #[default]
    Smooth,
    /// A plane, for steps, trapezoids and walls of trenches.
    Straight,
    /// A quarter of an ellipse, vertical at the foot. It is a half-round where both `edge` and the
    /// height are half of the width.
    Round,
    /// A parabola, steepest at the rim and flat in the middle. A hole of radius R and depth d
    /// without `edge` has the depth d (1 - r²/R²) at the distance r from its center.
    Parabolic,
}

impl Face {
    fn is_smooth(&self) -> bool {
        *self == Face::Smooth
    }
}
