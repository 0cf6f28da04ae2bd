//! From what a scenario says to what it names: soils, terrain, vehicles.
//!
//! Here files are opened and catalogues asked. Each part reports its faults at
//! the key that led to it.

mod soils;
mod vehicles;

pub use soils::{SoilTable, soil_table};
pub use vehicles::{vehicle_spec, vehicle_specs};
