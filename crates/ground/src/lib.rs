//! The ground of bekker: soils and their laws, terrains, the deformed overlay, the Soil Contact Model.
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

pub mod curve;
pub mod geodesy;
pub mod grid;
pub mod ground;
pub mod numeric;
pub mod random;
pub mod scm;
pub mod soil;
pub mod spatial;
pub mod terrain;
