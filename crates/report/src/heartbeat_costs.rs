//! What all heartbeats of a run cost, summed up as it goes on: a run of any length takes no more room.

use bekker_ranks::HeartbeatFigures;
use std::time::Duration;

/// Sums over a rank's heartbeats.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HeartbeatCosts {
    /// How many.
    pub heartbeats: u64,
    /// Time in steps of own agents.
    pub step: Duration,
    /// Time in writing messages.
    pub serialise: Duration,
    /// Time in the exchange of lengths.
    pub lengths: Duration,
    /// Time in the exchange of bytes.
    pub payload: Duration,
    /// Time in reading messages and merging ground.
    pub apply: Duration,
    /// Bytes sent of vehicles' states.
    pub state_bytes: u64,
    /// Bytes sent of coded ground.
    pub ground_bytes: u64,
    /// Bytes received.
    pub received_bytes: u64,
    /// Nodes of ground sent.
    pub nodes: u64,
    /// Vehicles' states sent.
    pub announced: u64,
    /// Greatest distance of another rank's vehicle from where it was expected, m.
    pub ghost_error: f64,
    /// Greatest D_H of those vehicles, m.
    pub ghost_bound: f64,
}

impl HeartbeatCosts {
    /// Adds further heartbeats.
    pub fn add(&mut self, figures: &[HeartbeatFigures]) {
        for heartbeat in figures {
            self.heartbeats += 1;
            self.step += heartbeat.step;
            self.serialise += heartbeat.serialise;
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
