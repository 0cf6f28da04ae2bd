//! `[[pedestrian]]`

use super::Place;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Somebody on foot, who walks by the clock and minds nobody. Drivers of kind `path` and `follow`
/// that hear of them by radio stop for them; cameras and lidars see them. Who runs into them is
/// told so.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pedestrian {
    /// Their name.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// Points of their way: places.
    #[schemars(with = "Vec<Place>", length(min = 2, max = 10_000))]
    pub way: Vec<[f64; 2]>,
    /// Their speed, m/s.
    #[serde(default = "default_speed")]
    #[schemars(range(max = 12.0), extend("exclusiveMinimum" = 0.0, "unit" = "m/s"))]
    pub speed: f64,
    /// When they set out, s.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1_000_000.0), extend("unit" = "s"))]
    pub start: f64,
    /// How long they wait at either end before they walk back, s, again and again; if not given they
    /// stay at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1_000_000.0), extend("unit" = "s"))]
    pub wait: Option<f64>,
    /// Name of the radio that they are heard by; of none if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub radio: Option<String>,
}

/// Preferred speed of people on foot: 1.34 m/s (Weidmann, Transporttechnik der Fussgänger, 1993).
fn default_speed() -> f64 {
    1.34
}
