//! `[terrain.surface]` of kind `random`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rectangle of rough ground with holes, trees, rocks and barriers about the origin, all by the
/// scenario's seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomSurface {
    /// Extent along x and y, m; the terrain ends there, half of it on either side of the origin.
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
    /// Layers of detail, each of half the wavelength and half the height.
    #[serde(default = "octaves")]
    #[schemars(range(min = 1, max = 12))]
    pub octaves: u32,
    /// Distance that the edge of everything keeps from where vehicles start, from waypoints and
    /// the straight lines between them, m.
    #[serde(default = "clear")]
    #[schemars(range(min = 0.0, max = 10_000.0), extend("unit" = "m"))]
    pub clear: f64,
    /// Whether there is a way between all things, as wide as the vehicle, from each start to
    /// where its driver goes: what bars the last one is put elsewhere.
    #[serde(default = "yes")]
    pub passable: bool,
    /// Holes; none touches another.
    #[serde(default)]
    pub holes: RandomHoles,
    /// Trees.
    #[serde(default)]
    pub trees: RandomTrees,
    /// Rocks.
    #[serde(default)]
    pub rocks: RandomRocks,
    /// Stretches of concrete barrier.
    #[serde(default)]
    pub barriers: RandomBarriers,
}

/// Parabolic holes, z = -depth (1 - r²/radius²): as many as `count` or `density` says.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RandomHoles {
    /// How many.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100_000))]
    pub count: Option<u32>,
    /// How many on a hectare; their number is rounded, not drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 10_000.0), extend("unit" = "1/ha"))]
    pub density: Option<f64>,
    /// Radius of the rim, m.
    #[schemars(range(max = 1000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
    pub radius: f64,
    /// Depth, m.
    #[schemars(range(max = 1000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
    pub depth: f64,
}

/// Trees of some species in equal shares on the mean: as many as `count` or `density` says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RandomTrees {
    /// How many.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100_000))]
    pub count: Option<u32>,
    /// How many on a hectare; their number is rounded, not drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 10_000.0), extend("unit" = "1/ha"))]
    pub density: Option<f64>,
    /// Which species.
    #[schemars(length(min = 1, max = 4))]
    pub species: Vec<Species>,
    /// Diameters at breast height, from and to, m.
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

/// Rocks: as many as `count` or `density` says.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RandomRocks {
    /// How many.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100_000))]
    pub count: Option<u32>,
    /// How many on a hectare; their number is rounded, not drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 10_000.0), extend("unit" = "1/ha"))]
    pub density: Option<f64>,
    /// Diameters, from and to, m.
    #[schemars(inner(range(min = 0.05, max = 20.0)))]
    pub diameter: [f64; 2],
}

/// Stretches of concrete barrier of the New Jersey shape, 0.81 m high: as many as `count` or
/// `density` says.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RandomBarriers {
    /// How many.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 10_000))]
    pub count: Option<u32>,
    /// How many on a hectare; their number is rounded, not drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1000.0), extend("unit" = "1/ha"))]
    pub density: Option<f64>,
    /// Length of one, m.
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
