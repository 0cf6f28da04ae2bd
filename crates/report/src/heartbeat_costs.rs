//! Sums of the costs of all heartbeats of a run, updated during the run.
//!
//! Their memory use does not depend on the length of the run.

use bekker_ranks::HeartbeatMetrics;
use std::time::Duration;

/// Sums over a rank's heartbeats.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HeartbeatCosts {
    /// Number of heartbeats.
    pub heartbeats: u64,
    /// Time for steps of local agents.
    pub step: Duration,
    /// Time for encoding messages.
    pub serialize: Duration,
    /// Time for the exchange of message lengths.
    pub lengths: Duration,
    /// Time for the exchange of message bytes.
    pub payload: Duration,
    /// Time for decoding messages and merging ground.
    pub apply: Duration,
    /// Bytes of vehicle states sent.
    pub state_bytes: u64,
    /// Bytes of encoded ground sent.
    pub ground_bytes: u64,
    /// Bytes received.
    pub received_bytes: u64,
    /// Number of ground nodes sent.
    pub nodes: u64,
    /// Number of vehicle states sent.
    pub announced: u64,
    /// Largest distance of a remote vehicle from its extrapolated position, m.
    pub ghost_error: f64,
    /// Largest bound D_H of those vehicles, m.
    pub ghost_bound: f64,
}

impl HeartbeatCosts {
    /// Adds the costs of further heartbeats.
    pub fn add(&mut self, figures: &[HeartbeatMetrics]) {
        for heartbeat in figures {
            self.heartbeats += 1;
            self.step += heartbeat.step;
            self.serialize += heartbeat.serialize;
            self.lengths += heartbeat.lengths;
            self.payload += heartbeat.payload;
            self.apply += heartbeat.apply;
            self.state_bytes += heartbeat.state_bytes;
            self.ground_bytes += heartbeat.ground_bytes;
            self.received_bytes += heartbeat.received_bytes;
            self.nodes += heartbeat.nodes;
            self.announced += heartbeat.announced;
            self.ghost_error = self.ghost_error.max(heartbeat.ghost_error);
            self.ghost_bound = self.ghost_bound.max(heartbeat.ghost_bound);
        }
    }
}
