//! `[[barrier]]`

use super::Place;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A barrier whose arm closes and opens by the clock. Drivers of kind `path` and `follow` that hear it
/// by radio stop before it until it is up; cameras and lidars see it. Who runs into its arm is told
/// so, and feels nothing; its post is solid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Barrier {
    /// Its name.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// Where its post stands, to which the arm is hinged: a place.
    #[schemars(with = "Place")]
    pub position: [f64; 2],
    /// Where the arm points to from there, from the x axis towards the y axis.
    #[schemars(range(min = -360.0, max = 360.0), extend("unit" = "deg"))]
    pub heading_deg: f64,
    /// Length of the arm, m.
    #[serde(default = "default_length")]
    #[schemars(range(max = 100.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
    pub length: f64,
    /// Name of the radio that it is heard by; of none if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub radio: Option<String>,
    /// When it begins to close for the first time, s; it is up before.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1_000_000.0), extend("unit" = "s"))]
    pub offset: f64,
    /// From when it begins to close to when it begins to open, s.
    #[schemars(range(min = 0.1, max = 100_000.0), extend("unit" = "s"))]
    pub closed: f64,
    /// From when it begins to open to when it begins to close again, s.
    #[schemars(range(min = 0.1, max = 100_000.0), extend("unit" = "s"))]
    pub open: f64,
    /// Time that the arm takes from one end of its way to the other, s.
    #[serde(default = "default_swing")]
    #[schemars(range(min = 0.1, max = 1000.0), extend("unit" = "s"))]
    pub swing: f64,
    /// How long before it closes it is told to do so, s: who can stop does.
    #[serde(default = "default_warning")]
    #[schemars(range(min = 0.0, max = 1000.0), extend("unit" = "s"))]
    pub warning: f64,
}

fn default_length() -> f64 {
    6.0
}

fn default_swing() -> f64 {
    3.0
}

fn default_warning() -> f64 {
    3.0
}
