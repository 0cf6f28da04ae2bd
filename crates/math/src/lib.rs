//! Mathematics below the ground and the vehicles: numbers, space, the earth, curves, grids, chance.
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

pub mod curve;
pub mod geodesy;
pub mod grid;
pub mod numeric;
pub mod random;
pub mod spatial;
