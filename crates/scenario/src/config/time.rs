//! `[time]`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Duration, step and heartbeat of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// Simulated time, s; a whole number of heartbeats.
    #[schemars(range(max = 604_800.0), extend("exclusiveMinimum" = 0.0, "unit" = "s"))]
    pub duration: f64,
    /// Step of the integration, s; divides the heartbeat.
    #[serde(default = "default_step")]
    #[schemars(range(min = 0.00001, max = 0.02), extend("unit" = "s"))]
    pub step: f64,
    /// Time between publications of the ruts to other vehicles, s.
    #[serde(default = "default_heartbeat")]
    #[schemars(range(min = 0.0001, max = 1.0), extend("unit" = "s"))]
    pub heartbeat: f64,
    /// Shortens heartbeats so that no vehicle gets farther from what others know
    /// of it than this, m; without it all are `heartbeat` long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 1000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
    pub heartbeat_tolerance: Option<f64>,
}

fn default_step() -> f64 {
    0.002
}

fn default_heartbeat() -> f64 {
    0.01
}

/// Rounding that is forgiven when durations given in decimals are divided:
/// far above an f64's, far below anything meant.
const ROUNDING: f64 = 1e-9;

impl Time {
    /// Steps in a heartbeat, or nothing if they do not come out even.
    pub fn steps_per_heartbeat(&self) -> Option<u64> {
        whole_ratio(self.heartbeat, self.step)
    }

    /// Heartbeats in the run, or nothing if they do not come out even.
    pub fn heartbeats(&self) -> Option<u64> {
        whole_ratio(self.duration, self.heartbeat)
    }
}

/// How often `part` goes into `whole`, if it does so without a remainder and at least once.
pub fn whole_ratio(whole: f64, part: f64) -> Option<u64> {
    let ratio = whole / part;
    let count = ratio.round();
    (count >= 1.0 && (ratio - count).abs() <= ROUNDING * count).then_some(count as u64)
}
