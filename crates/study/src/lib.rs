//! Studies: many runs of one scenario, and what is said of them.
//!
//! A [`design`] says which runs, [`statistics`] and [`analysis`] what comes of them; [`swarm`] models how swarms
//! find what they look for.
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

pub mod analysis;
pub mod design;
pub mod statistics;
pub mod swarm;
