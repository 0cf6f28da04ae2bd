//! Vehicles: subsystem templates assembled into multibody models.
//!
//! This crate is one layer of the crate `bekker`, whose documentation starts with examples.
//! `ARCHITECTURE.md` is the map of the workspace.

mod air;
mod assembly;
mod catalogue;
pub mod collision;
mod controls;
pub mod driver;
mod lock;
pub mod multibody;
mod outline;
mod pedal_response;
pub mod powertrain;
mod settled_torque;
mod setup;
pub mod spec;
mod state;
mod tracked;
mod trailer;
mod transmission;
pub mod tyre;
mod wheeled;

pub use air::{AIR_DENSITY, air_drag};
pub use assembly::AssemblyError;
pub use catalogue::{CatalogueError, Entry, catalogue, find, find_any, find_trailer, trailers};
pub use controls::Controls;
pub use lock::{Lock, Locks};
pub use outline::Outline;
pub use pedal_response::{EngineResponse, PedalResponse};
pub use powertrain::Selector;
pub use setup::{Payload, SetupError, TyreModel, VehicleSetup};
pub use spec::{AnySpec, SpecError, TrackedSpec, VehicleSpec};
pub use state::VehicleState;
pub use tracked::{EnergyAccount, ShoePlace, Shoes, TrackedVehicle, TrackedWorkspace};
pub use trailer::Coupling;
pub use wheeled::{Vehicle, VehicleWorkspace, WheelDrive};
