//! A world that is partitioned among ranks, and the runner that drives it to its end.
//!
//! The crate has the exchange at heartbeats, the ownership of ground, restarts, runs and their
//! observers. It is a layer of the crate `bekker`, whose documentation starts with examples;
//! `ARCHITECTURE.md` describes the layers.

mod beginning;
mod catch_up;
mod census;
mod collectives;
mod departure;
mod exchange;
mod figures;
mod gatherer;
mod gathering;
mod ghosts;
mod ground_directory;
mod handshake;
mod leaving;
mod map_exchange;
mod notices;
mod own_agents;
mod parts;
mod radio_exchange;
mod rank_error;
mod ranks;
mod rebalancer;
mod rebalancing;
mod region;
mod respawning;
mod runner;
mod sealed;
mod sharing;
mod subscriptions;
mod verdict;

pub use figures::HeartbeatFigures;
pub use handshake::{Obstacle, agree, first_obstacle};
pub use rank_error::RankError;
pub use ranks::Ranks;
pub use runner::{Flow, Moment, Observer, RootHeartbeat, RunError, Runner, Schedule};
pub use sharing::{Rebalancing, Route, Sharing};
