//! A vehicle with an external controller, and its fallback when the controller times out.

use std::time::Duration;

/// What happens to a vehicle whose external controller does not answer in time or disconnects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnTimeout {
    /// It brakes fully.
    Brake,
    /// Its last command holds.
    Hold,
    /// The run fails.
    Fail,
}

/// A vehicle with an external controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seat {
    /// Index of the vehicle.
    pub agent: usize,
    /// What happens to it without an answer.
    pub on_timeout: OnTimeout,
    /// Wall time that a controller in lock-step has for an answer.
    pub timeout: Duration,
}
