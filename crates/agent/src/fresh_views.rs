//! Agents with current views on a rank: its own and those that it receives.

/// Agents with a current view.
///
/// The list is rebuilt when they change, which happens at a census. A heartbeat iterates over the
/// list instead of all agents.
#[derive(Clone, Debug, Default)]
pub struct FreshViews {
    flags: Vec<bool>,
    /// Indices in ascending order, as of the last [`FreshViews::refresh`].
    agents: Vec<usize>,
    is_stale: bool,
}

impl FreshViews {
    /// Creates the set with all or none of `agents` agents.
    pub fn new(agents: usize, all: bool) -> FreshViews {
        FreshViews { flags: vec![all; agents], agents: Vec::new(), is_stale: true }
    }

    /// Adds an agent.
    pub fn add(&mut self, agent: usize) {
        self.is_stale |= !std::mem::replace(&mut self.flags[agent], true);
    }

    /// Keeps only the agents for which `is_kept` returns true.
    pub fn retain(&mut self, is_kept: impl Fn(usize) -> bool) {
        for (agent, fresh) in self.flags.iter_mut().enumerate().filter(|(_, fresh)| **fresh) {
            *fresh = is_kept(agent);
        }
        self.is_stale = true;
    }

    /// Rebuilds the list if the set has changed.
    pub fn refresh(&mut self) {
        if std::mem::take(&mut self.is_stale) {
            self.agents.clear();
            self.agents.extend((0..self.flags.len()).filter(|&agent| self.flags[agent]));
        }
    }

    /// Returns the agents in ascending order.
    pub fn agents(&self) -> &[usize] {
        debug_assert!(!self.is_stale, "refreshed before it is read");
        &self.agents
    }

    /// Returns whether the set contains an agent.
    pub fn has(&self, agent: usize) -> bool {
        self.flags[agent]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_and_removed_agents_are_listed() {
        let mut fresh = FreshViews::new(4, false);
        fresh.refresh();
        assert_eq!(fresh.agents(), [0; 0]);
        fresh.add(3);
        fresh.add(1);
        fresh.refresh();
        assert_eq!(fresh.agents(), [1, 3]);
        fresh.retain(|agent| agent == 3);
        fresh.refresh();
        assert_eq!(fresh.agents(), [3]);
        assert!(fresh.has(3) && !fresh.has(1));
    }
}
