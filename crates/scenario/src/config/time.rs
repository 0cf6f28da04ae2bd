//! `[time]`: duration, time step and heartbeat.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Duration, time step and heartbeat of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Time")]
pub struct TimeConfig {
    /// Simulated duration, s. It is a whole number of heartbeats.
    #[schemars(range(max = 604_800.0), extend("exclusiveMinimum" = 0.0, "unit" = "s"))]
    pub duration: f64,
    /// Integration time step, s. The heartbeat is a whole number of steps.
    #[serde(default = "default_step")]
    #[schemars(range(min = 0.00001, max = 0.02), extend("unit" = "s"))]
    pub step: f64,
    /// Time between the exchanges of ruts among vehicles, s.
    #[serde(default = "default_heartbeat")]
    #[schemars(range(min = 0.0001, max = 1.0), extend("unit" = "s"))]
    pub heartbeat: f64,
    /// Maximum distance of a vehicle from its last state that other vehicles have received, m.
    /// Heartbeats are shortened to keep it. Where absent, all heartbeats have the length
    /// `heartbeat`.
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

/// Relative rounding error that is accepted when decimal durations are divided. It is far above
/// that of an `f64` and far below any intended difference.
const ROUNDING: f64 = 1e-9;

impl TimeConfig {
    /// Creates a time with the default step and heartbeat; `duration` is in s.
    pub fn with_duration(duration: f64) -> TimeConfig {
        let (step, heartbeat) = (default_step(), default_heartbeat());
        TimeConfig { duration, step, heartbeat, heartbeat_tolerance: None }
    }

    /// Returns the steps in a heartbeat, or `None` if they are not a whole number.
    pub fn steps_per_heartbeat(&self) -> Option<u64> {
        whole_ratio(self.heartbeat, self.step)
    }

    /// Returns the heartbeats in the run, or `None` if they are not a whole number.
    pub fn heartbeats(&self) -> Option<u64> {
        whole_ratio(self.duration, self.heartbeat)
    }
}

/// Returns `whole` over `part` if the ratio is a whole number of at least 1.
pub fn whole_ratio(whole: f64, part: f64) -> Option<u64> {
    let ratio = whole / part;
    let count = ratio.round();
    (count >= 1.0 && (ratio - count).abs() <= ROUNDING * count).then_some(count as u64)
}
