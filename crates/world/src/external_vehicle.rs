//! A vehicle with an external controller, and its fallback when the controller times out.

use std::time::Duration;

/// Fallback of a vehicle whose external controller does not answer in time or disconnects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnTimeout {
    /// It brakes fully.
    Brake,
    /// Its last command stays in force.
    Hold,
    /// The run fails.
    Fail,
}

/// A vehicle with an external controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExternalVehicle {
    /// Index of the vehicle.
    pub agent: usize,
    /// Fallback without an answer.
    pub on_timeout: OnTimeout,
    /// Wall time within which a controller in lockstep must answer.
    pub timeout: Duration,
}
