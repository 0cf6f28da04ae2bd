//! Work on a rank's own agents, in parallel.

use bekker_agent::{AgentState, AgentWorkspace};

/// Calls `act` for each of these agents, which are in ascending order, on all threads.
///
/// Recursive halving needs no allocation and skips agents of other ranks. `states` and `rooms` hold
/// the states and workspaces of all agents from index `first` on.
pub(super) fn each_own(
    own: &[usize],
    (first, states, rooms): (usize, &mut [AgentState], &mut [Option<Box<AgentWorkspace>>]),
    act: &(impl Fn(usize, &mut AgentState, &mut AgentWorkspace) + Sync),
) {
    match own {
        [] => {}
        [agent] => {
            if let Some(room) = &mut rooms[agent - first] {
                act(*agent, &mut states[agent - first], room);
            }
        }
        _ => {
            let (low, high) = own.split_at(own.len() / 2);
            let middle = high[0];
            let (low_states, high_states) = states.split_at_mut(middle - first);
            let (low_rooms, high_rooms) = rooms.split_at_mut(middle - first);
            rayon::join(
                || each_own(low, (first, low_states, low_rooms), act),
                || each_own(high, (middle, high_states, high_rooms), act),
            );
        }
    }
}
