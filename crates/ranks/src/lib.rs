//! A world shared by ranks: exchange, ownership of ground, restart; runs and their observers.
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

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
