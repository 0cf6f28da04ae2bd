//! From what a scenario says to what it names: soils, terrain, vehicles.
//!
//! Here files are opened and catalogues asked. Each part reports its faults at
//! the key that led to it.

mod soils;

pub use soils::{SoilTable, soil_table};
