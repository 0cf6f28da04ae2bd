//! Which agents a rank knows: its own, and those that it is told of.

/// Agents whose views are up to date. Their list is made anew when they change, which is at a census:
/// a heartbeat goes through the list, not through all agents.
#[derive(Clone, Debug, Default)]
pub struct FreshViews {
    flags: Vec<bool>,
    /// In ascending order, as of the last [`FreshViews::refresh`].
    agents: Vec<usize>,
    is_stale: bool,
}

impl FreshViews {
    /// All of so many, or none.
    pub fn new(agents: usize, all: bool) -> FreshViews {
        FreshViews { flags: vec![all; agents], agents: Vec::new(), is_stale: true }
    }

    /// Another one is told of.
    pub fn add(&mut self, agent: usize) {
        self.is_stale |= !std::mem::replace(&mut self.flags[agent], true);
    }

    /// Only these of them are from now on.
    pub fn retain(&mut self, keeps: impl Fn(usize) -> bool) {
        for (agent, heard) in self.flags.iter_mut().enumerate().filter(|(_, heard)| **heard) {
            *heard = keeps(agent);
        }
        self.is_stale = true;
    }

    /// Lists them anew, if any came or went.
    pub fn refresh(&mut self) {
        if std::mem::take(&mut self.is_stale) {
            self.agents.clear();
            self.agents.extend((0..self.flags.len()).filter(|&agent| self.flags[agent]));
        }
    }

    /// They, in ascending order.
    pub fn agents(&self) -> &[usize] {
        debug_assert!(!self.is_stale, "refreshed before it is read");
        &self.agents
    }

    /// Whether an agent is one of them.
    pub fn has(&self, agent: usize) -> bool {
        self.flags[agent]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_comes_and_goes_is_listed() {
        let mut heard = FreshViews::new(4, false);
        heard.refresh();
        assert_eq!(heard.agents(), [0; 0]);
        heard.add(3);
        heard.add(1);
        heard.refresh();
        assert_eq!(heard.agents(), [1, 3]);
        heard.retain(|agent| agent == 3);
        heard.refresh();
        assert_eq!(heard.agents(), [3]);
        assert!(heard.has(3) && !heard.has(1));
    }
}
