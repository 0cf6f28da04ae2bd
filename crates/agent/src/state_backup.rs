//! Backup of an agent's state at the start of a heartbeat, restored after a numerical failure.
//!
//! A state that is non-finite or absurd has usually been so for several steps. The last state that
//! was checked is that of the previous heartbeat. The metrics of the drive are restored too;
//! otherwise the failed steps would count as driven distance.

use super::agent::AgentState;
use super::external_acceleration::ExternalAcceleration;
use super::monitor::Monitor;
use super::motor_record::MotorRecord;
use super::tire::TireContactState;
use bekker_vehicle::driver::{DriverState, SoilAdaptationState};
use bekker_vehicle::{Controls, VehicleState};

/// Part of an agent's state that steps change and other agents receive.
#[derive(Clone, Debug)]
pub struct StateBackup {
    vehicle: VehicleState,
    tires: Vec<TireContactState>,
    driver: DriverState,
    controls: Controls,
    monitor: Monitor,
    motors: Option<Box<MotorRecord>>,
    soil_adaptation: Option<Box<SoilAdaptationState>>,
}

impl StateBackup {
    pub(super) fn new(state: &AgentState) -> StateBackup {
        StateBackup {
            vehicle: state.vehicle.clone(),
            tires: state.tires.clone(),
            driver: state.driver,
            controls: state.controls,
            monitor: state.monitor.clone(),
            motors: state.motors.clone(),
            soil_adaptation: state.soil_adaptation.clone(),
        }
    }

    /// Saves the state and reuses the allocations of the previous backup.
    pub(super) fn save(&mut self, state: &AgentState) {
        let StateBackup { vehicle, tires, driver, controls, monitor, motors, soil_adaptation } =
            self;
        vehicle.clone_from(&state.vehicle);
        tires.clone_from(&state.tires);
        (*driver, *controls) = (state.driver, state.controls);
        monitor.clone_from(&state.monitor);
        motors.clone_from(&state.motors);
        soil_adaptation.clone_from(&state.soil_adaptation);
    }

    /// Restores the saved state with zero velocity.
    pub(super) fn restore(&self, state: &mut AgentState) {
        let StateBackup { vehicle, tires, driver, controls, monitor, motors, soil_adaptation } =
            self;
        state.vehicle.clone_from(vehicle);
        state.vehicle.body.halt();
        state.tires.clone_from(tires);
        (state.driver, state.controls) = (*driver, *controls);
        state.monitor.clone_from(monitor);
        state.motors.clone_from(motors);
        state.soil_adaptation.clone_from(soil_adaptation);
        state.external_acceleration = ExternalAcceleration::default();
    }
}
