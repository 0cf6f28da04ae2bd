//! `[[pedestrian]]`: people on foot.

use super::Location;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A pedestrian who walks at fixed times and does not react to vehicles. Drivers of kind `path` and
/// `follow` that receive the pedestrian's state by radio stop for the pedestrian. Cameras and
/// lidars see the pedestrian. A vehicle that hits a pedestrian is reported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Pedestrian")]
pub struct PedestrianConfig {
    /// Name of the pedestrian.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// Points of the pedestrian's path, as positions.
    #[schemars(with = "Vec<Location>", length(min = 2, max = 10_000))]
    pub way: Vec<[f64; 2]>,
    /// Walking speed, m/s.
    #[serde(default = "default_speed")]
    #[schemars(range(max = 12.0), extend("exclusiveMinimum" = 0.0, "unit" = "m/s"))]
    pub speed: f64,
    /// Time at which the pedestrian starts to walk, s.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1_000_000.0), extend("unit" = "s"))]
    pub start: f64,
    /// Waiting time at each end before the pedestrian walks back, s, repeated without end. Where
    /// absent, the pedestrian stays at the end of the path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1_000_000.0), extend("unit" = "s"))]
    pub wait: Option<f64>,
    /// Name of the radio by which the pedestrian's state is sent. Where absent, nothing is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub radio: Option<String>,
}

/// Preferred speed of pedestrians: 1.34 m/s (Weidmann, Transporttechnik der Fussgänger, 1993).
fn default_speed() -> f64 {
    1.34
}
