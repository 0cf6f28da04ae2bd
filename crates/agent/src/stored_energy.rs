//! Energy that an agent's vehicle holds.

use super::agent::{AgentModel, AgentState, AgentWorkspace};
use super::ground_vehicle::{GroundVehicle, GroundVehicleWorkspace};

impl AgentModel {
    /// Energy of the vehicle, J: of motion and gravity, and stored in springs and tires.
    pub(super) fn stored_energy(&self, state: &AgentState, workspace: &AgentWorkspace) -> f64 {
        match (&self.vehicle, &workspace.vehicle) {
            (GroundVehicle::Wheeled(own), GroundVehicleWorkspace::Wheeled(room)) => {
                own.vehicle.energy(&state.vehicle, &room.vehicle)
                    + own.vehicle.spring_energy(&state.vehicle, &room.vehicle)
                    + own.tire_energy(&state.tyres, room)
            }
            (GroundVehicle::Tracked(own), GroundVehicleWorkspace::Tracked(room)) => {
                own.vehicle.energy(&state.vehicle, &room.vehicle)
                    + own.vehicle.spring_energy(&room.vehicle)
            }
            _ => 0.0,
        }
    }
}
