//! A tile of deformed nodes.

use super::{NO_AGENT, NodeMask, NodeState, Patch};
use serde::{Deserialize, Serialize};

/// The deformed nodes of one tile: a mask, and in the order of their indices the states and the
/// agents that last changed them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Record", into = "Record")]
pub struct Tile {
    mask: NodeMask,
    states: Vec<NodeState>,
    agents: Vec<u16>,
}

/// Serialized form of a tile.
type Record = (NodeMask, Vec<NodeState>, Vec<u16>);

/// State of a node with the agent that published it.
#[derive(Clone, Copy)]
pub(super) struct OwnedNode<'a> {
    pub state: &'a NodeState,
    pub agent: u16,
}

impl Tile {
    /// Creates a tile of the nodes in `mask`; `None` unless there is one state and one agent for
    /// each node.
    pub fn new(mask: NodeMask, states: Vec<NodeState>, agents: Vec<u16>) -> Option<Tile> {
        let count = mask.count();
        (count == states.len() && count == agents.len()).then_some(Tile { mask, states, agents })
    }

    /// Returns the mask of deformed nodes.
    pub fn mask(&self) -> &NodeMask {
        &self.mask
    }

    /// Returns the nodes' states, in the order of their indices.
    pub fn states(&self) -> &[NodeState] {
        &self.states
    }

    /// Returns the numbers of the agents that own the nodes' states, or [`NO_AGENT`].
    pub fn agents(&self) -> &[u16] {
        &self.agents
    }

    /// Returns the state of the node at `index` and the agent that owns it, if the node was ever
    /// deformed.
    #[inline]
    pub fn state_and_agent(&self, index: usize) -> Option<(&NodeState, u16)> {
        let rank = self.mask.contains(index).then(|| self.mask.rank(index))?;
        Some((&self.states[rank], self.agents[rank]))
    }

    /// Returns the state of the node at `index`, if it was ever deformed.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&NodeState> {
        self.mask.contains(index).then(|| &self.states[self.mask.rank(index)])
    }

    /// Returns the deformed nodes of `mask` with their indices, in ascending order.
    pub(super) fn iter_masked(&self, mask: &NodeMask) -> impl Iterator<Item = (usize, &NodeState)> {
        let ranks = self.mask.ranks();
        let held = mask.iter().filter(|&index| self.mask.contains(index));
        held.map(move |index| (index, &self.states[ranks.rank(index)]))
    }

    /// Returns the nodes with their indices, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &NodeState)> {
        self.mask.iter().zip(&self.states)
    }

    /// Joins a patch of this tile node by node. Calls `watch` with the index of each node, the node
    /// before, if there was one, and the node now.
    pub(super) fn join_observed(
        &mut self,
        other: &Patch<'_>,
        mut watch: impl FnMut(usize, Option<OwnedNode<'_>>, OwnedNode<'_>),
    ) {
        let added = other.mask.difference(&self.mask);
        self.insert_undisturbed(&added);
        let ranks = self.mask.ranks();
        for (index, state) in other.iter() {
            let rank = ranks.rank(index);
            let (own, agent) = (&mut self.states[rank], &mut self.agents[rank]);
            let before = (*own, *agent);
            *agent = own.joined_agent(state, [*agent, other.agent]);
            own.join(state);
            let before = OwnedNode { state: &before.0, agent: before.1 };
            let known = (!added.contains(index)).then_some(before);
            watch(index, known, OwnedNode { state: own, agent: *agent });
        }
    }

    /// Adds undisturbed nodes that the tile does not hold. The states after them are moved in
    /// blocks, starting from the last one.
    fn insert_undisturbed(&mut self, added: &NodeMask) {
        let mut shift = added.count();
        if shift == 0 {
            return;
        }
        let mut end = self.states.len();
        self.states.resize(end + shift, NodeState::default());
        self.agents.resize(end + shift, NO_AGENT);
        let ranks = self.mask.ranks();
        for index in added.iter_descending() {
            let start = ranks.rank(index);
            self.states.copy_within(start..end, start + shift);
            self.agents.copy_within(start..end, start + shift);
            shift -= 1;
            self.states[start + shift] = NodeState::default();
            self.agents[start + shift] = NO_AGENT;
            end = start;
        }
        self.mask = self.mask.union(added);
    }
}

impl TryFrom<Record> for Tile {
    type Error = String;
    fn try_from((mask, states, agents): Record) -> Result<Tile, String> {
        let (nodes, given, owned) = (mask.count(), states.len(), agents.len());
        Tile::new(mask, states, agents)
            .ok_or(format!("a tile of {nodes} nodes has {given} states and {owned} agents"))
    }
}

impl From<Tile> for Record {
    fn from(tile: Tile) -> Self {
        (tile.mask, tile.states, tile.agents)
    }
}
