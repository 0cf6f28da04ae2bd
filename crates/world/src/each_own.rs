//! Work on a rank's own agents, in parallel.

use bekker_agent::{AgentState, AgentWorkspace};

/// Does something to each of these agents, in ascending order of which they are, on all threads: by
/// halves, so that nothing is allocated, and those that step elsewhere are not gone through. With the
/// states and rooms of all from an agent on.
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
