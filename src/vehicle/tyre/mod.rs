//! Tyres on firm ground.

mod tmeasy;

pub use tmeasy::{LoadPair, SlipCurve, TMeasy, Trail};
