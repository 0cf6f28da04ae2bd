//! Vehicles: subsystem templates assembled into multibody models.

mod catalogue;
mod controls;
pub mod driver;
pub mod powertrain;
pub mod spec;
pub mod tyre;

pub use catalogue::{CatalogueError, Entry, catalogue, find};
pub use controls::Controls;
pub use spec::{SpecError, VehicleSpec};
