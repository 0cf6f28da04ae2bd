//! What an agent was when a heartbeat began, to be put back if its numbers fail in it.
//!
//! A state that is no longer finite, or absurd, has mostly been so for some steps: the last that was
//! judged to be sound is that at the heartbeat before. With it go the sums of the drive, or the way of
//! those steps would be told as driven.

use super::agent::AgentState;
use super::monitor::Monitor;
use super::otherwise::Otherwise;
use super::tyre::TyreState;
use bekker_vehicle::driver::DriverState;
use bekker_vehicle::{Controls, VehicleState};

/// The part of an agent's state that steps change and others see.
#[derive(Clone, Debug)]
pub struct Kept {
    vehicle: VehicleState,
    tyres: Vec<TyreState>,
    driver: DriverState,
    controls: Controls,
    monitor: Monitor,
}

impl Kept {
    pub(super) fn of(state: &AgentState) -> Kept {
        Kept {
            vehicle: state.vehicle.clone(),
            tyres: state.tyres.clone(),
            driver: state.driver,
            controls: state.controls,
            monitor: state.monitor.clone(),
        }
    }

    /// Keeps the state, in the room of the one before.
    pub(super) fn keep(&mut self, state: &AgentState) {
        let Kept { vehicle, tyres, driver, controls, monitor } = self;
        vehicle.clone_from(&state.vehicle);
        tyres.clone_from(&state.tyres);
        (*driver, *controls) = (state.driver, state.controls);
        monitor.clone_from(&state.monitor);
    }

    /// Puts back what was kept, at rest.
    pub(super) fn put_back(&self, state: &mut AgentState) {
        let Kept { vehicle, tyres, driver, controls, monitor } = self;
        state.vehicle.clone_from(vehicle);
        state.vehicle.body.halt();
        state.tyres.clone_from(tyres);
        (state.driver, state.controls) = (*driver, *controls);
        state.monitor.clone_from(monitor);
        state.otherwise = Otherwise::default();
    }
}
