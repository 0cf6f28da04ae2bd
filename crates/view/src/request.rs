//! Requests of a page.

use super::chunk::Chunk;
use serde::Deserialize;

/// A request, as JSON: `{"kind":"seek","time":12.5}`.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum PageRequest {
    /// Resume the run.
    Play,
    /// Pause the run.
    Pause,
    /// Simulate one heartbeat, then pause.
    Step,
    /// Set the rate in simulated seconds per second; unlimited if absent.
    Rate {
        /// The rate.
        value: Option<f64>,
    },
    /// Show a time of a recorded run.
    Seek {
        /// Simulated time, s.
        time: f64,
    },
    /// Return a chunk of the undisturbed terrain.
    Chunk(Chunk),
    /// Return the state of the ground at a position.
    Ground {
        /// World x, m.
        x: f64,
        /// World y, m.
        y: f64,
    },
}
