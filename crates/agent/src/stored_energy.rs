//! Energy that an agent's vehicle holds.

use super::agent::{AgentModel, AgentState, AgentWorkspace};

impl AgentModel {
    /// Energy of the vehicle, J: of motion and gravity, and stored in springs and tires.
    pub(super) fn stored_energy(&self, state: &AgentState, workspace: &AgentWorkspace) -> f64 {
        self.vehicle.stored_energy(&state.vehicle, &state.tyres, &workspace.vehicle)
    }
}
