//! `[[traffic_light]]`

use super::Place;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A traffic light by a fixed plan, which vehicles hear by radio and drivers of kind `path` and
/// `follow` obey: for a crossing, or for one lane that two directions take in turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrafficLight {
    /// Its name.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// Where its mast stands: a place. A post with lamps stands beside the right end of each stop
    /// line too.
    #[schemars(with = "Place")]
    pub position: [f64; 2],
    /// Name of the radio that it is heard by.
    #[schemars(length(min = 1, max = 200))]
    pub radio: String,
    /// When the first phase begins for the first time, s.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1_000_000.0), extend("unit" = "s"))]
    pub offset: f64,
    /// The ways towards it.
    #[schemars(length(min = 1, max = 64))]
    pub approach: Vec<Approach>,
    /// The phases of its cycle, in order.
    #[schemars(length(min = 1, max = 64))]
    pub phase: Vec<LightPhase>,
}

/// A way towards a traffic light.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Approach {
    /// Middle of the stop line: a place.
    #[schemars(with = "Place")]
    pub stop: [f64; 2],
    /// Heading of those who are meant, from the x axis towards the y axis.
    #[schemars(range(min = -360.0, max = 360.0), extend("unit" = "deg"))]
    pub heading_deg: f64,
    /// Length of the stop line, m: who passes beside it is not meant.
    #[serde(default = "default_width")]
    #[schemars(range(max = 1000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
    pub width: f64,
}

fn default_width() -> f64 {
    6.0
}

/// A phase of a traffic light.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LightPhase {
    /// How long it takes, s.
    #[schemars(range(min = 0.1, max = 100_000.0), extend("unit" = "s"))]
    pub duration: f64,
    /// What each approach is shown, in their order.
    #[schemars(length(min = 1, max = 64))]
    pub lights: Vec<Light>,
}

/// What a light shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Light {
    /// Stop.
    Red,
    /// Stop, if that is possible.
    Amber,
    /// Go.
    Green,
}
