//! Cost of a heartbeat on one rank.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Metrics of one heartbeat on one rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeartbeatMetrics {
    /// Number of steps taken before it.
    pub tick: u64,
    /// Start of the heartbeat, counted from the end of the ranks' start-up.
    pub begun: Duration,
    /// Time in steps of own agents.
    pub step: Duration,
    /// Time in writing messages.
    pub serialize: Duration,
    /// Time in the exchange of lengths, including the wait for slower ranks.
    pub lengths: Duration,
    /// Time in the exchange of bytes.
    pub payload: Duration,
    /// Time in reading messages and merging ground.
    pub apply: Duration,
    /// Time in agreeing on the next heartbeat, where the messages do not suffice for that.
    pub agree: Duration,
    /// Time in cameras and lidars: updating the ground in their view, and making frames that are
    /// due at once. Other frames are made in parallel with the steps.
    pub imaging: Duration,
    /// Frames that own cameras and lidars took.
    pub frames: u64,
    /// Time in hashes, samples and readings, including their gathering.
    pub record: Duration,
    /// Time for which a checkpoint stopped the run.
    pub checkpoint: Duration,
    /// Bytes sent for states of vehicles, envelopes included.
    pub state_bytes: u64,
    /// Bytes sent for coded ground.
    pub ground_bytes: u64,
    /// Bytes received in the exchange, in a census and in agreements, including those from this
    /// rank itself.
    pub received_bytes: u64,
    /// Bytes received for hashes, samples, readings and checkpoints.
    pub record_bytes: u64,
    /// Nodes of ground sent.
    pub nodes: u64,
    /// Number of own agents.
    pub agents: u64,
    /// Number of own agents that are sent to any other rank.
    pub announced: u64,
    /// Greatest distance between another rank's vehicle and its extrapolated position, m.
    pub ghost_error: f64,
    /// Greatest D_H of those vehicles, m ([`Ghost::bound`](bekker_sync::ghost::Ghost::bound)).
    pub ghost_bound: f64,
    /// Whether any rank requests to end the run.
    pub quit: bool,
    /// With [`Route::Neighbor`](crate::MessageRoute::Neighbor), an agent of any rank that
    /// accelerated harder than a census assumes. The next census is then held early.
    pub outran: Option<u32>,
}
