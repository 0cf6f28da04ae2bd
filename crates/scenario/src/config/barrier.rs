//! `[[barrier]]`: barriers with a swinging arm.

use super::Location;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A barrier whose arm closes and opens at fixed times. Drivers of kind `path` and `follow` that
/// receive its state by radio stop before it until it is open. Cameras and lidars see it. A vehicle
/// that hits the arm is reported but feels no force. The post is solid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Barrier")]
pub struct BarrierConfig {
    /// Name of the barrier.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// Position of the post to which the arm is hinged.
    #[schemars(with = "Location")]
    pub position: [f64; 2],
    /// Direction from the post along the arm, degrees from the x axis towards the y axis.
    #[schemars(range(min = -360.0, max = 360.0), extend("unit" = "deg"))]
    pub heading_deg: f64,
    /// Length of the arm, m.
    #[serde(default = "default_length")]
    #[schemars(range(max = 100.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
    pub length: f64,
    /// Name of the radio by which the barrier sends its state. Where absent, it sends nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub radio: Option<String>,
    /// Time at which the barrier first begins to close, s. It is open before.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1_000_000.0), extend("unit" = "s"))]
    pub offset: f64,
    /// Time from the start of closing to the start of opening, s.
    #[schemars(range(min = 0.1, max = 100_000.0), extend("unit" = "s"))]
    pub closed: f64,
    /// Time from the start of opening to the next start of closing, s.
    #[schemars(range(min = 0.1, max = 100_000.0), extend("unit" = "s"))]
    pub open: f64,
    /// Time of the arm between its two end positions, s.
    #[serde(default = "default_swing")]
    #[schemars(range(min = 0.1, max = 1000.0), extend("unit" = "s"))]
    pub swing: f64,
    /// Time between the warning by radio and the start of closing, s. Vehicles that can stop then
    /// do so.
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
