//! Work on a rank's own agents, in parallel.

use bekker_agent::{AgentState, AgentWorkspace};

/// States and workspaces of the agents from an index on.
pub(super) struct AgentSlices<'a> {
    /// Index of the first agent.
    first: usize,
    states: &'a mut [AgentState],
    workspaces: &'a mut [Option<Box<AgentWorkspace>>],
}

impl<'a> AgentSlices<'a> {
    /// Returns the slices of all agents.
    pub fn new(
        states: &'a mut [AgentState],
        workspaces: &'a mut [Option<Box<AgentWorkspace>>],
    ) -> AgentSlices<'a> {
        AgentSlices { first: 0, states, workspaces }
    }

    /// Splits the slices before an agent.
    fn split_at(self, agent: usize) -> (AgentSlices<'a>, AgentSlices<'a>) {
        let middle = agent - self.first;
        let (low_states, high_states) = self.states.split_at_mut(middle);
        let (low_workspaces, high_workspaces) = self.workspaces.split_at_mut(middle);
        let first = self.first;
        (
            AgentSlices { first, states: low_states, workspaces: low_workspaces },
            AgentSlices { first: agent, states: high_states, workspaces: high_workspaces },
        )
    }
}

/// Calls `act` for each of these agents, which are in ascending order, on all threads.
///
/// Recursive halving needs no allocation and skips agents of other ranks.
pub(super) fn for_each_own(
    own: &[usize],
    slices: AgentSlices<'_>,
    act: &(impl Fn(usize, &mut AgentState, &mut AgentWorkspace) + Sync),
) {
    match own {
        [] => {}
        [agent] => {
            let AgentSlices { first, states, workspaces } = slices;
            if let Some(workspace) = &mut workspaces[agent - first] {
                act(*agent, &mut states[agent - first], workspace);
            }
        }
        _ => {
            let (low, high) = own.split_at(own.len() / 2);
            let (low_slices, high_slices) = slices.split_at(high[0]);
            rayon::join(
                || for_each_own(low, low_slices, act),
                || for_each_own(high, high_slices, act),
            );
        }
    }
}
