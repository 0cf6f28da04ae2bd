//! Vehicles: subsystem templates assembled into multibody models.
//!
//! This crate is one layer of the crate `bekker`, whose documentation starts with examples.
//! `ARCHITECTURE.md` is the map of the workspace.

mod air;
mod assembly;
mod catalog;
pub mod collision;
mod controls;
mod coupling;
pub mod driver;
mod drivetrain;
mod engine_drivetrain;
pub mod inflation;
mod lock;
mod motor_drive;
pub mod multibody;
mod outline;
mod pedal_response;
pub mod powertrain;
mod rear_frame;
mod settled_torque;
mod setup;
pub mod spec;
mod state;
pub mod tire;
mod tracked;
mod trailer;
mod transmission;
mod vehicle_bodies;
mod wheeled;

pub use air::{AIR_DENSITY, air_drag};
pub use assembly::AssemblyError;
pub use catalog::{
    CatalogEntry, VehicleCatalogError, catalog, find_trailer, find_vehicle, find_wheeled, trailers,
};
pub use controls::Controls;
pub use coupling::Coupling;
pub use drivetrain::Drivetrain;
pub use engine_drivetrain::EngineDrivetrain;
pub use lock::{Lock, Locks};
pub use motor_drive::{MotorDrive, MotorReading, WheelMotorReading};
pub use outline::{BoundingBall, VehicleOutline};
pub use pedal_response::{EngineResponse, PedalResponse};
pub use powertrain::Selector;
pub use rear_frame::RearFrameModel;
pub use setup::{Payload, SetupError, TireModel, VehicleSetup};
pub use spec::{AnySpec, SpecError, TrackedSpec, VehicleSpec};
pub use state::VehicleState;
pub use tracked::{EngineEnergyBalance, ShoePose, Shoes, TrackedVehicle, TrackedWorkspace};
pub use trailer::TrailerModel;
pub use vehicle_bodies::VehicleBodies;
pub use wheeled::{Vehicle, VehicleWorkspace, WheelDrive};
