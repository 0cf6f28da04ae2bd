//! The vehicles of bekker: multibody dynamics, wheeled and tracked vehicles, powertrains, tyres, drivers.
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

pub mod collision;
pub mod multibody;
pub mod vehicle;

#[cfg(test)]
use bekker_ground::random;
use bekker_ground::{curve, numeric, spatial};
