//! `[[radio]]`, and how far radios reach

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A radio by which vehicles tell each other where they are, how they move and what they feel of
/// the ground: a beacon at every exchange.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RadioNet {
    /// Its name.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// Names of the vehicles that have it; all if none is given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 4096))]
    pub vehicles: Vec<String>,
    /// Exchanges a second, Hz.
    #[serde(default = "default_rate")]
    #[schemars(range(min = 0.01, max = 1000.0), extend("unit" = "Hz"))]
    pub rate: f64,
    /// Who reaches whom, how late, and what is lost.
    #[serde(default)]
    pub channel: Radio,
}

fn default_rate() -> f64 {
    10.0
}

/// Probability that two vehicles reach each other, over their distance: flat, falling, a
/// floor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Radio {
    /// Distance up to which the probability is `near`, m.
    #[schemars(range(min = 0.0, max = 1_000_000.0), extend("unit" = "m"))]
    pub range: f64,
    /// Distance from which it is `far`, m.
    #[schemars(range(min = 0.0, max = 1_000_000.0), extend("unit" = "m"))]
    pub horizon: f64,
    /// Probability of a link within the range.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub near: f64,
    /// Probability of a link beyond the horizon.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub far: f64,
    /// Most links that a message is passed on over.
    #[schemars(range(min = 1, max = 4096))]
    pub hops: u32,
    /// Time that a message travels, s.
    #[schemars(range(min = 0.0, max = 60.0), extend("unit" = "s"))]
    pub latency: f64,
    /// Most that it may take longer, s: each message by a draw of its own.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0.0, max = 60.0), extend("unit" = "s"))]
    pub jitter: f64,
    /// Share of messages lost although there is a link.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub loss: f64,
    /// Times at which a pair loses more (Gilbert and Elliott).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bursts: Option<Bursts>,
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// Losses that come in bursts, for each pair by itself: a share `begin` / (`begin` + `end`) of the
/// time, of 1 / `end` exchanges each.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bursts {
    /// Probability that a burst begins at an exchange.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub begin: f64,
    /// Probability that one ends at the next; with `begin` at most 1.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub end: f64,
    /// Share of messages lost in a burst.
    #[serde(default = "all")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub loss: f64,
}

fn all() -> f64 {
    1.0
}

impl Default for Radio {
    fn default() -> Radio {
        Radio {
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
