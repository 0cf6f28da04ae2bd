//! The agents that step on a rank, mapped to values.

use bekker_agent::AgentState;
use bekker_world::{RankAccess, World};

/// Maps each own agent to a value, in the order of agents.
pub(crate) fn map_own_agents<T>(world: &World, value: impl Fn(u32, &AgentState) -> T) -> Vec<T> {
    let agents = &world.state().agents;
    world.own_agents().iter().map(|&agent| value(agent as u32, &agents[agent])).collect()
}

/// Whether any own agent still drives.
pub(crate) fn any_own_agent_drives(world: &World) -> bool {
    let agents = &world.state().agents;
    world.own_agents().iter().any(|&agent| agents[agent].outcome.is_none())
}
