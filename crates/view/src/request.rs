//! What a page asks for.

use super::chunk::Chunk;
use serde::Deserialize;

/// A request, as JSON: `{"kind":"seek","time":12.5}`.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// Go on.
    Play,
    /// Hold.
    Pause,
    /// One heartbeat, then hold.
    Step,
    /// Simulated seconds a second; as fast as it can be without.
    Rate {
        /// How many.
        value: Option<f64>,
    },
    /// Show a moment, of a recorded run.
    Seek {
        /// Simulated time, s.
        time: f64,
    },
    /// A piece of the undisturbed terrain.
    Chunk(Chunk),
    /// What the ground is like at a place.
    Ground {
        /// World x, m.
        x: f64,
        /// World y, m.
        y: f64,
    },
}
