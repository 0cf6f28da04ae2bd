//! `[terrain]`

use super::{Place, RandomSurface};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Shape of the undisturbed ground; flat if nothing is said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Terrain {
    /// The surface at large.
    pub surface: Surface,
    /// Roughness laid over it, as a class of ISO 8608.
    pub roughness: Option<Roughness>,
    /// Holes, ditches, bumps and ridges, in order.
    #[schemars(length(max = 10_000))]
    pub stamp: Vec<Stamp>,
}

/// The surface at large.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Surface {
    /// A horizontal plane without bounds.
    Flat {
        /// Its height, m.
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
        /// Direction in which it climbs, degrees from east towards north.
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
        /// Layers of detail, each of half the wavelength and half the height.
        #[serde(default = "default_octaves")]
        #[schemars(range(min = 1, max = 12))]
        octaves: u32,
    },
    /// Rough ground with holes, trees, rocks and barriers, within bounds.
    Random(RandomSurface),
    /// A digital elevation model: GeoTIFF (.tif, .tiff), ESRI ASCII grid (.asc)
    /// or PNG (.png, with `height_range` and `cell_size`).
    Dem {
        /// The file, relative to the scenario.
        file: PathBuf,
        /// What becomes (0, 0) of the local frame.
        #[serde(default)]
        origin: Origin,
        /// Part to keep, local frame: x_min, y_min, x_max, y_max, m.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(inner(range(min = -10_000_000.0, max = 10_000_000.0)))]
        crop: Option<[f64; 4]>,
        /// What to do about cells without data.
        #[serde(default)]
        no_data: NoData,
        /// EPSG code of the reference system of its coordinates, for a file that does not
        /// say: a zone of UTM, or 4326 for degrees.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1024, max = 32767))]
        epsg: Option<u16>,
        /// Unit of its heights, for a file that does not say; metres if neither does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        height_unit: Option<HeightUnit>,
        /// PNG only: heights of black and white, m.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(inner(range(min = -20_000.0, max = 20_000.0)))]
        height_range: Option<[f64; 2]>,
        /// PNG only: side of a pixel, m.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0.001, max = 100_000.0), extend("unit" = "m"))]
        cell_size: Option<f64>,
    },
}

fn default_octaves() -> u32 {
    4
}

impl Default for Surface {
    fn default() -> Surface {
        Surface::Flat { elevation: 0.0 }
    }
}

/// Unit of heights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HeightUnit {
    /// Metres.
    M,
    /// International feet, 0.3048 m.
    Ft,
    /// US survey feet, 1200/3937 m.
    UsSurveyFt,
}

/// What becomes (0, 0) of the local frame: `"centre"`, `"south_west"` or a
/// point [x, y] of the DEM's own coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Origin {
    /// A named point.
    Named(OriginName),
    /// A point in the coordinates of the DEM: easting and northing in m, or
    /// longitude and latitude in degrees.
    Point([f64; 2]),
}

impl Default for Origin {
    fn default() -> Origin {
        Origin::Named(OriginName::Centre)
    }
}

/// A named point of a DEM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OriginName {
    /// Its middle.
    Centre,
    /// The middle of its south-west cell, where the terrain begins: it reaches from there to the middle
    /// of the north-east cell. What a file calls its corner is half a cell farther out where its pixels
    /// are areas (`xllcorner`, PixelIsArea).
    SouthWest,
}

/// What to do about cells of a DEM without data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoData {
    /// Refuse the DEM.
    #[default]
    Refuse,
    /// Give each the height of the nearest cell with data.
    FillNearest,
    /// Interpolate smoothly from the rim of each gap.
    FillInterpolated,
    /// Keep them as ground that is off limits: a drive ends where a wheel enters it, and a map has
    /// no data there. Pictures and sensors see the height of the nearest cell with data.
    Keep,
}

/// A class of ISO 8608, A (very good) to H (very poor).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Roughness {
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

/// A feature pressed into the ground or put upon it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Stamp {
    /// A round hole.
    Hole {
        /// Its centre, m.
        #[schemars(with = "Place")]
        at: [f64; 2],
        /// Radius of the rim, m.
        #[schemars(range(max = 100_000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        radius: f64,
        /// Depth, m.
        #[schemars(range(max = 1000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        depth: f64,
        /// Width of the sloping edge inside the rim, m; all of the radius if not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(max = 100_000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        edge: Option<f64>,
        /// Shape of the sloping edge.
        #[serde(default, skip_serializing_if = "Face::is_smooth")]
        face: Face,
    },
    /// A straight ditch.
    Ditch {
        /// One end of its centre line, m.
        #[schemars(with = "Place")]
        from: [f64; 2],
        /// The other end, m.
        #[schemars(with = "Place")]
        to: [f64; 2],
        /// Width at the top, m.
        #[schemars(range(max = 100_000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        width: f64,
        /// Depth, m.
        #[schemars(range(max = 1000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        depth: f64,
        /// Width of the sloping edge, m; half the width if not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(max = 100_000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        edge: Option<f64>,
        /// Shape of the sloping edge.
        #[serde(default, skip_serializing_if = "Face::is_smooth")]
        face: Face,
    },
    /// A straight ridge.
    Ridge {
        /// One end of its centre line, m.
        #[schemars(with = "Place")]
        from: [f64; 2],
        /// The other end, m.
        #[schemars(with = "Place")]
        to: [f64; 2],
        /// Width at the foot, m.
        #[schemars(range(max = 100_000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        width: f64,
        /// Height, m.
        #[schemars(range(max = 1000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        height: f64,
        /// Width of the sloping edge, m; half the width if not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(max = 100_000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        edge: Option<f64>,
        /// Shape of the sloping edge.
        #[serde(default, skip_serializing_if = "Face::is_smooth")]
        face: Face,
    },
    /// A round bump.
    Bump {
        /// Its centre, m.
        #[schemars(with = "Place")]
        at: [f64; 2],
        /// Radius of the foot, m.
        #[schemars(range(max = 100_000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        radius: f64,
        /// Height, m.
        #[schemars(range(max = 1000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        height: f64,
        /// Width of the sloping edge inside the foot, m; all of the radius if not given.
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
    /// Rounded at top and foot.
    #[default]
    Smooth,
    /// A plane: steps, trapezoids, walls of trenches.
    Straight,
    /// A quarter of an ellipse that stands upright at the foot: a half-round where `edge` is half
    /// the width and the height is too.
    Round,
    /// A parabola, steepest at the rim and flat in the middle: a hole of radius R without `edge`
    /// is d (1 - r²/R²) deep.
    Parabolic,
}

impl Face {
    fn is_smooth(&self) -> bool {
        *self == Face::Smooth
    }
}
