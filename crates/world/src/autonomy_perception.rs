//! Sensor readings and positions of team members as input of autonomous vehicles.

use super::agent_slices::{AgentSlices, for_each_own};
use super::world::World;
use super::world_model::WorldModel;
use bekker_agent::{
    AgentState, AgentWorkspace, GroundVehicle, LastObservation, RadioLinks, Stopwatch, Timings,
};
use bekker_math::numeric::hypot;
use std::sync::Arc;

/// Time for which the last received position of another vehicle is used, µs.
const POSITION_LIFETIME_US: u64 = 2_000_000;
/// Greatest distance of other vehicles that matter, m. Sensors do not detect them farther away.
const MAX_DISTANCE: f64 = 60.0;

impl World {
    /// Passes what sensors have delivered until a time, µs, to the autonomous vehicles, in
    /// parallel.
    pub(super) fn perceive(&mut self, now_us: u64) {
        let World { model, state, workspaces, own_agents, .. } = self;
        let perceive = |agent: usize, state: &mut AgentState, workspace: &mut AgentWorkspace| {
            if let (Some(autonomy), None) = (&model.agents[agent].autonomy, &state.outcome)
                && let Some(own) = &mut state.autonomy
            {
                let yaw =
                    model.agents[agent].vehicle.articulation(&state.vehicle, &workspace.vehicle);
                own.perceive(agent as u32, autonomy, &workspace.delivered, yaw, now_us);
            }
        };
        for_each_own(own_agents, AgentSlices::new(&mut state.agents, workspaces), &perceive);
    }

    /// Updates the positions of linked team members in own members.
    pub(super) fn update_team_positions(&mut self, network: &RadioLinks, now_us: u64) {
        let World { model, state, views, own, .. } = self;
        for (agent, state) in state.agents.iter_mut().enumerate().filter(|(agent, _)| own[*agent]) {
            let Some(own) = state.autonomy.as_mut().filter(|_| state.outcome.is_none()) else {
                continue;
            };
            let here = views[agent].pose.position;
            own.others.retain(|_, observation| observation.at_us + POSITION_LIFETIME_US > now_us);
            for &other in &network.neighbors[agent] {
                // The wire's precision applies to own agents too, so that all ranks have the same
                // position.
                let (there, motion) = (views[other].pose.position, views[other].twist.linear);
                if hypot(there.x - here.x, there.y - here.y) < MAX_DISTANCE {
                    let observation = LastObservation {
                        at_us: now_us,
                        place: [there.x, there.y],
                        velocity: [motion.x, motion.y],
                        reach: model.agents[other].vehicle.footprint().reach(),
                    };
                    own.others.insert(other as u32, observation);
                }
            }
        }
    }
}

impl WorldModel {
    /// Measures the computing time of autonomous vehicles from now on.
    pub fn time_autonomy(&mut self, timings: &Arc<Timings>) {
        for autonomy in self.agents.iter_mut().filter_map(|agent| agent.autonomy.as_mut()) {
            Arc::make_mut(autonomy).stopwatch = Stopwatch(Some(timings.clone()));
        }
    }
}
