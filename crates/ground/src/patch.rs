//! Patches: changes of agents to be merged into the published ground.

use super::{NodeMask, NodeState};
use bekker_math::grid::TileKey;

/// Changes by one agent to one tile since its last patch. Berm heights are increments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patch<'a> {
    /// Number of the agent that changed the tile.
    pub agent: u16,
    /// Key of the tile.
    pub key: TileKey,
    /// Its changed nodes.
    pub mask: &'a NodeMask,
    /// Their states, in the order of their indices.
    pub states: &'a [NodeState],
}

impl<'a> Patch<'a> {
    /// Returns the nodes with their indices, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &'a NodeState)> + use<'a> {
        self.mask.iter().zip(self.states)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PatchHeader {
    agent: u16,
    key: TileKey,
    mask: NodeMask,
    /// End of its states in [`Patches::states`].
    end: usize,
}

/// A list of patches that keeps its capacity, so that a heartbeat fills it without a new
/// allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patches {
    headers: Vec<PatchHeader>,
    states: Vec<NodeState>,
    /// Agent of subsequently begun patches.
    agent: u16,
}

impl Patches {
    /// Sets the agent of subsequently begun patches; initially it is agent 0.
    pub fn set_agent(&mut self, agent: u16) {
        self.agent = agent;
    }

    /// Removes all patches and keeps the capacity.
    pub fn clear(&mut self) {
        self.headers.clear();
        self.states.clear();
    }

    /// Begins the patch of a tile; at least one node must follow.
    pub fn begin(&mut self, key: TileKey) {
        let (agent, end) = (self.agent, self.states.len());
        self.headers.push(PatchHeader { agent, key, mask: NodeMask::default(), end });
    }

    /// Appends a node to the last patch; its index must be greater than those before.
    ///
    /// # Panics
    /// If no patch was begun.
    #[inline]
    pub fn push(&mut self, index: usize, state: NodeState) {
        let header = self.headers.last_mut().expect("a patch has begun");
        debug_assert!(
            header.mask.rank(index) == header.mask.count() && !header.mask.contains(index)
        );
        header.mask.insert(index);
        header.end += 1;
        self.states.push(state);
    }

    /// Adds a patch.
    pub fn extend(&mut self, Patch { agent, key, mask, states }: Patch<'_>) {
        debug_assert!(mask.count() == states.len());
        self.states.extend_from_slice(states);
        self.headers.push(PatchHeader { agent, key, mask: *mask, end: self.states.len() });
    }

    /// Returns the patches.
    pub fn iter(&self) -> impl Iterator<Item = Patch<'_>> + Clone {
        let mut start = 0;
        self.headers.iter().map(move |PatchHeader { agent, key, mask, end }| {
            let states = &self.states[start..*end];
            start = *end;
            Patch { agent: *agent, key: *key, mask, states }
        })
    }

    /// Returns the states of all nodes of all patches.
    pub fn states(&self) -> &[NodeState] {
        &self.states
    }

    /// Returns the number of patches.
    pub fn len(&self) -> usize {
        self.headers.len()
    }

    /// Returns whether there are no patches.
    pub fn is_empty(&self) -> bool {
        self.headers.is_empty()
    }
}
