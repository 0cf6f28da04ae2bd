//! What a heartbeat cost on one rank.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// One heartbeat on one rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeartbeatFigures {
    /// Steps taken before it.
    pub tick: u64,
    /// When it began, after the handshake.
    pub begun: Duration,
    /// Time in steps of own agents.
    pub step: Duration,
    /// Time in writing messages.
    pub serialise: Duration,
    /// Time in the exchange of lengths, waiting for slower ranks included.
    pub lengths: Duration,
    /// Time in the exchange of bytes.
    pub payload: Duration,
    /// Time in reading messages and merging ground.
    pub apply: Duration,
    /// Time in agreeing on how to go on, where the messages do not tell all of it.
    pub agree: Duration,
    /// Time in cameras and lidars: bringing the ground that they see up to date, and
    /// making frames that are due at once. Others are made beside the steps.
    pub imaging: Duration,
    /// Frames that own cameras and lidars took.
    pub frames: u64,
    /// Time in hashes, samples and readings, gathering included.
    pub record: Duration,
    /// Time that a checkpoint has stopped the drive.
    pub checkpoint: Duration,
    /// Bytes sent of vehicles' states, envelopes included.
    pub state_bytes: u64,
    /// Bytes sent of coded ground.
    pub ground_bytes: u64,
    /// Bytes received, from this rank too: those of the exchange, of a census, and of what all
    /// must agree on.
    pub received_bytes: u64,
    /// Bytes received for hashes, samples, readings and checkpoints.
    pub record_bytes: u64,
    /// Nodes of ground sent.
    pub nodes: u64,
    /// Own agents.
    pub agents: u64,
    /// Of these the ones that any other rank is told of.
    pub announced: u64,
    /// Greatest distance of another rank's vehicle from where it was expected, m.
    pub ghost_error: f64,
    /// Greatest D_H of those vehicles, m ([`Ghost::bound`](bekker_sync::ghost::Ghost::bound)).
    pub ghost_bound: f64,
    /// Whether any rank wants to end the run.
    pub quit: bool,
    /// With [`Route::Neighbour`](crate::ranks::Route::Neighbour), an agent of any rank that sped up harder than a census
    /// counts on, so that the next one is held early.
    pub outran: Option<u32>,
}
