//! Energy stored in an agent's vehicle.

use super::agent::{AgentModel, AgentState, AgentWorkspace};
use super::ground_vehicle::GroundVehicle;

impl AgentModel {
    /// Returns the energy of motion and gravity, and stored in springs and tires, J.
    pub(super) fn stored_energy(&self, state: &AgentState, workspace: &AgentWorkspace) -> f64 {
        self.vehicle.stored_energy(&state.vehicle, &state.tires, &workspace.vehicle)
    }
}
