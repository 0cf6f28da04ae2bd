//! A world that is partitioned among ranks, and the runner that drives it to its end.
//!
//! The crate has the exchange at heartbeats, the ownership of ground, restarts, runs and their
//! observers. It is a layer of the crate `bekker`, whose documentation starts with examples;
//! `ARCHITECTURE.md` describes the layers.

mod agent_placement;
mod catch_up;
mod census;
mod checked_encoding;
mod collectives;
mod departure;
mod exchange;
mod gatherer;
mod gathering;
mod ghosts;
mod ground_directory;
mod handshake;
mod heartbeat_metrics;
mod heartbeat_reduction;
mod map_exchange;
mod own_agents;
mod proximity;
mod radio_exchange;
mod rank_error;
mod rank_removal;
mod ranks;
mod rebalancer;
mod rebalancing;
mod records;
mod region;
mod respawn;
mod runner;
mod sharing;
mod subscriptions;

pub use handshake::{StartupError, agree, first_startup_error};
pub use heartbeat_metrics::HeartbeatMetrics;
pub use rank_error::RankError;
pub use ranks::Ranks;
pub use runner::{Flow, HeartbeatInfo, Observer, RootHeartbeat, RunError, RunSchedule, Runner};
pub use sharing::{MessageRoute, Rebalancing, Sharing};
