//! Parameter studies: many runs of one scenario, and their analysis.
//!
//! A [`design`] specifies the runs; [`statistics`] and [`analysis`] evaluate them. [`swarm`] models
//! how swarms detect targets.
//!
//! This crate is a layer of the crate `bekker`, whose documentation has examples. `ARCHITECTURE.md`
//! describes the layers.

pub mod analysis;
pub mod design;
pub mod statistics;
pub mod swarm;
