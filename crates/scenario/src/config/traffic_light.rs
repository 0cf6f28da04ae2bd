//! `[[traffic_light]]`: traffic lights.

use super::Location;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A traffic light with a fixed plan, for a crossing or for a single lane that two directions use
/// in turn. Vehicles receive its state by radio. Drivers of kind `path` and `follow` obey it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "TrafficLight")]
pub struct TrafficLightConfig {
    /// Name of the traffic light.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// Position of the mast. Another post with lamps stands beside the right end of each stop line.
    #[schemars(with = "Location")]
    pub position: [f64; 2],
    /// Name of the radio by which the traffic light sends its state.
    #[schemars(length(min = 1, max = 200))]
    pub radio: String,
    /// Time at which the first phase begins for the first time, s.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1_000_000.0), extend("unit" = "s"))]
    pub offset: f64,
    /// Approaches to the traffic light.
    #[schemars(length(min = 1, max = 64))]
    pub approach: Vec<ApproachConfig>,
    /// Phases of the cycle, in order.
    #[schemars(length(min = 1, max = 64))]
    pub phase: Vec<LightPhase>,
}

/// An approach to a traffic light.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Approach")]
pub struct ApproachConfig {
    /// Middle of the stop line, a position.
    #[schemars(with = "Location")]
    pub stop: [f64; 2],
    /// Heading of the vehicles to which the approach applies, degrees from the x axis towards the y
    /// axis.
    #[schemars(range(min = -360.0, max = 360.0), extend("unit" = "deg"))]
    pub heading_deg: f64,
    /// Length of the stop line, m. The light does not apply to vehicles that pass beside the line.
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
    /// Duration of the phase, s.
    #[schemars(range(min = 0.1, max = 100_000.0), extend("unit" = "s"))]
    pub duration: f64,
    /// Light for each approach, in the order of the approaches.
    #[schemars(length(min = 1, max = 64))]
    pub lights: Vec<LightConfig>,
}

/// Color of a light.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Light")]
pub enum LightConfig {
    /// Stop.
    Red,
    /// Stop if possible.
    Amber,
    /// Go.
    Green,
}
