//! `[team]`

use super::Radio;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Autonomous vehicles that share their maps by radio.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Team {
    /// How maps are shared.
    pub sharing: Sharing,
    /// Name of the vehicle that carries the central authority; the first autonomous one if
    /// not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub authority: Option<String>,
    /// Exchanges a second, Hz.
    #[schemars(range(min = 0.01, max = 1000.0), extend("unit" = "Hz"))]
    pub rate: f64,
    /// Tiles farther than this from a vehicle's straight way to its goal do not concern it and
    /// are not sent to it, m; all do if not given. With `sharing = "peers"` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 1_000_000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
    pub concern: Option<f64>,
    /// The radio that they share them by.
    pub radio: Radio,
}

impl Default for Team {
    fn default() -> Team {
        Team {
            sharing: Sharing::default(),
            authority: None,
            rate: 10.0,
            concern: None,
            radio: Radio::default(),
        }
    }
}

/// How maps are shared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    /// A central authority merges what has changed and sends on what has.
    #[default]
    Central,
    /// As the MAVS study: whole maps to the authority and the whole merged map to all, at
    /// every exchange.
    Whole,
    /// From vehicle to vehicle along direct links, what has changed since it was last sent.
    Peers,
}
