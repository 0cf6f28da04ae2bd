//! `[terrain.surface]` of kind `random`: ground with random obstacles.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rectangle of rough ground about the origin, with holes, trees, rocks and barriers. All follow
/// from the seed of the scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomSurface {
    /// Extent along x and y, m. Half of it is on each side of the origin, and the terrain ends
    /// there.
    #[schemars(inner(range(min = 10.0, max = 20_000.0)))]
    pub size: [f64; 2],
    /// Mean height, m.
    #[serde(default)]
    #[schemars(range(min = -20_000.0, max = 20_000.0), extend("unit" = "m"))]
    pub elevation: f64,
    /// Height of the largest hills above the mean, m.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1000.0), extend("unit" = "m"))]
    pub amplitude: f64,
    /// Distance between the largest hills, m.
    #[serde(default = "wavelength")]
    #[schemars(range(min = 0.1, max = 1_000_000.0), extend("unit" = "m"))]
    pub wavelength: f64,
    /// Number of layers of detail. Each layer has half the wavelength and half the height of the
    /// previous one.
    #[serde(default = "octaves")]
    #[schemars(range(min = 1, max = 12))]
    pub octaves: u32,
    /// Minimum distance, m, from the edge of each object to the starts of vehicles, to waypoints
    /// and to the straight lines between them.
    #[serde(default = "clear")]
    #[schemars(range(min = 0.0, max = 10_000.0), extend("unit" = "m"))]
    pub clear: f64,
    /// Whether a path as wide as the vehicle leads between all objects from each start to the
    /// driver's goal. Objects that block the last such path are moved.
    #[serde(default = "yes")]
    pub passable: bool,
    /// Holes. None touches another.
    #[serde(default)]
    pub holes: RandomHoles,
    /// Trees.
    #[serde(default)]
    pub trees: RandomTrees,
    /// Rocks.
    #[serde(default)]
    pub rocks: RandomRocks,
    /// Segments of concrete barrier.
    #[serde(default)]
    pub barriers: RandomBarriers,
}

/// Parabolic holes, z = -depth (1 - r²/radius²). Their number is set by `count` or `density`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RandomHoles {
    /// Number of holes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100_000))]
    pub count: Option<u32>,
    /// Number of holes per hectare. The resulting number is rounded, not random.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 10_000.0), extend("unit" = "1/ha"))]
    pub density: Option<f64>,
    /// Radius of the rim, m.
    #[schemars(range(max = 1000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
    pub radius: f64,
    /// Depth of a hole, m.
    #[schemars(range(max = 1000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
    pub depth: f64,
}

/// Trees of several species in equal shares on average. Their number is set by `count` or
/// `density`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RandomTrees {
    /// Number of trees.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100_000))]
    pub count: Option<u32>,
    /// Number of trees per hectare. The resulting number is rounded, not random.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 10_000.0), extend("unit" = "1/ha"))]
    pub density: Option<f64>,
    /// Species of the trees.
    #[schemars(length(min = 1, max = 4))]
    pub species: Vec<Species>,
    /// Minimum and maximum diameter at breast height, m.
    #[schemars(inner(range(min = 0.05, max = 2.0)))]
    pub diameter: [f64; 2],
}

/// Species of trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Species {
    /// White oak, *Quercus alba*.
    Oak,
    /// Loblolly pine, *Pinus taeda*.
    Pine,
    /// Pecan, *Carya illinoinensis*.
    Pecan,
    /// Southern magnolia, *Magnolia grandiflora*.
    Magnolia,
}

/// Rocks. Their number is set by `count` or `density`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RandomRocks {
    /// Number of rocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100_000))]
    pub count: Option<u32>,
    /// Number of rocks per hectare. The resulting number is rounded, not random.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 10_000.0), extend("unit" = "1/ha"))]
    pub density: Option<f64>,
    /// Minimum and maximum diameter, m.
    #[schemars(inner(range(min = 0.05, max = 20.0)))]
    pub diameter: [f64; 2],
}

/// Segments of concrete barrier of the New Jersey shape, 0.81 m high. Their number is set by
/// `count` or `density`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RandomBarriers {
    /// Number of segments.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 10_000))]
    pub count: Option<u32>,
    /// Number of segments per hectare. The resulting number is rounded, not random.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1000.0), extend("unit" = "1/ha"))]
    pub density: Option<f64>,
    /// Length of a segment, m.
    #[schemars(range(min = 0.5, max = 100.0), extend("unit" = "m"))]
    pub length: f64,
}

impl Default for RandomHoles {
    fn default() -> RandomHoles {
        RandomHoles { count: None, density: None, radius: 2.5, depth: 1.5 }
    }
}

impl Default for RandomTrees {
    fn default() -> RandomTrees {
        let species = vec![Species::Oak, Species::Pine, Species::Pecan, Species::Magnolia];
        RandomTrees { count: None, density: None, species, diameter: [0.15, 0.5] }
    }
}

impl Default for RandomRocks {
    fn default() -> RandomRocks {
        RandomRocks { count: None, density: None, diameter: [0.5, 1.5] }
    }
}

impl Default for RandomBarriers {
    fn default() -> RandomBarriers {
        RandomBarriers { count: None, density: None, length: 3.05 }
    }
}

fn wavelength() -> f64 {
    40.0
}

fn octaves() -> u32 {
    4
}

fn clear() -> f64 {
    10.0
}

fn yes() -> bool {
    true
}
