//! `[[radio]]`: radios and their channel.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A radio by which vehicles exchange their position, motion and ground measurements. Each vehicle
/// sends a beacon at every exchange.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RadioNet")]
pub struct RadioNetConfig {
    /// Name of the radio.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// Names of the vehicles that have this radio. Where empty or absent, all vehicles have it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 4096))]
    pub vehicles: Vec<String>,
    /// Exchanges per second, Hz.
    #[serde(default = "default_rate")]
    #[schemars(range(min = 0.01, max = 1000.0), extend("unit" = "Hz"))]
    pub rate: f64,
    /// Range, delay and loss of the channel.
    #[serde(default)]
    pub channel: RadioConfig,
}

fn default_rate() -> f64 {
    10.0
}

/// Channel of a radio. The probability of a link between two vehicles depends on their distance:
/// constant at first, then falling, then constant again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Radio")]
pub struct RadioConfig {
    /// Distance up to which the link probability is `near`, m.
    #[schemars(range(min = 0.0, max = 1_000_000.0), extend("unit" = "m"))]
    pub range: f64,
    /// Distance from which the link probability is `far`, m.
    #[schemars(range(min = 0.0, max = 1_000_000.0), extend("unit" = "m"))]
    pub horizon: f64,
    /// Link probability within `range`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub near: f64,
    /// Link probability beyond `horizon`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub far: f64,
    /// Maximum number of links over which a message is forwarded.
    #[schemars(range(min = 1, max = 4096))]
    pub hops: u32,
    /// Transmission time of a message, s.
    #[schemars(range(min = 0.0, max = 60.0), extend("unit" = "s"))]
    pub latency: f64,
    /// Maximum additional transmission time, s. It is drawn separately for each message.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0.0, max = 60.0), extend("unit" = "s"))]
    pub jitter: f64,
    /// Share of messages that are lost although there is a link.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub loss: f64,
    /// Bursts of losses between a pair of vehicles (Gilbert and Elliott). Where absent, there are
    /// none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bursts: Option<BurstsConfig>,
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// Losses that come in bursts, independently for each pair of vehicles. Bursts take the share
/// `begin` / (`begin` + `end`) of the time. A burst lasts 1 / `end` exchanges on average.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Bursts")]
pub struct BurstsConfig {
    /// Probability that a burst begins at an exchange.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub begin: f64,
    /// Probability that a burst ends at the next exchange. The sum with `begin` is at most 1.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub end: f64,
    /// Share of messages that are lost in a burst.
    #[serde(default = "all")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub loss: f64,
}

fn all() -> f64 {
    1.0
}

impl Default for RadioConfig {
    fn default() -> RadioConfig {
        RadioConfig {
            range: 200.0,
            horizon: 600.0,
            near: 0.99,
            far: 0.05,
            hops: 8,
            latency: 0.0,
            jitter: 0.0,
            loss: 0.0,
            bursts: None,
        }
    }
}
