//! Vehicles: subsystem templates assembled into multibody models.

mod controls;

pub use controls::Controls;
