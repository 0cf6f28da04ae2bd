//! Relations of the cone index, from a vehicle's dimensions: a second opinion on its drives.
//!
//! They are empirical and hold for whole vehicles on fine-grained soil. The model of the soil has no
//! cone, and no cone index is converted to or from its parameters.
//!
//! [`ConeIndexVehicle`] has the vehicle cone index by the mobility index, and the pressures that
//! rank vehicles. [`FineGrainedSoil`] has drawbar pull and motion resistance of the NATO Reference
//! Mobility Model (NRMM).

mod fine_grained;
mod ground_pressure;
mod mobility_index;
mod units;
mod vehicle;

pub use fine_grained::FineGrainedSoil;
pub use units::PSI;
pub use vehicle::{ConeIndexGear, ConeIndexVehicle, TrackDimensions, WheelDimensions};
pub use vehicle::{loaded_tire, plate_deflection};
