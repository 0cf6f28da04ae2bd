//! A world that is partitioned among ranks, and the runner that drives it to its end.
//!
//! The crate has the exchange at heartbeats, the ownership of ground, restarts, runs and their
//! observers. It is a layer of the crate `bekker`, whose documentation starts with examples;
//! `ARCHITECTURE.md` describes the layers.

mod beginning;
mod census;
mod exchange;
mod figures;
mod gathering;
mod handshake;
mod homes;
mod leaving;
mod letters;
mod neighbour;
mod notices;
mod parts;
mod rank_error;
mod ranks;
mod rebalancing;
mod region;
mod respawning;
mod rounds;
mod runner;
mod sealed;
mod talk;
mod verdict;

pub use figures::HeartbeatFigures;
pub use handshake::{Obstacle, agree, first_obstacle};
pub use rank_error::RankError;
pub use ranks::{Ranks, Rebalancing, Route, Sharing};
pub use runner::{Flow, Moment, Observer, RunError, Runner, Schedule};
