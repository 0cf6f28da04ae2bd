//! `[world]`: what holds everywhere in the scenario.

use bekker_math::numeric::GRAVITY;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Physical constants of the place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "World")]
pub struct WorldConfig {
    /// Acceleration of gravity, m/s²: 1.62 on the moon, 3.71 on Mars. It acts on bodies, on the
    /// weight of soil and on accelerometers.
    #[schemars(range(min = 0.1, max = 30.0), extend("unit" = "m/s²"))]
    pub gravity: f64,
}

impl WorldConfig {
    /// Whether all values are the defaults.
    pub fn is_default(&self) -> bool {
        *self == WorldConfig::default()
    }
}

impl Default for WorldConfig {
    fn default() -> WorldConfig {
        WorldConfig { gravity: GRAVITY }
    }
}
