//! Mathematics for ground and vehicles: numerics, spatial algebra, geodesy, curves, grids and
//! random numbers.
//!
//! A layer of the crate `bekker`, whose documentation starts with examples; `ARCHITECTURE.md` maps
//! the crates.

pub mod curve;
pub mod geodesy;
pub mod grid;
pub mod numeric;
pub mod random;
pub mod spatial;
