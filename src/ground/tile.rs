//! A tile of deformed nodes.

use super::{Mask, NodeState};
use serde::{Deserialize, Serialize};

/// The deformed nodes of one tile: which, and their states in the order of
/// their indices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "(Mask, Vec<NodeState>)", into = "(Mask, Vec<NodeState>)")]
pub struct Tile {
    mask: Mask,
    states: Vec<NodeState>,
}

impl Tile {
    /// A tile of the nodes in `mask`; `None` unless there is a state for each.
    pub fn new(mask: Mask, states: Vec<NodeState>) -> Option<Tile> {
        (mask.count() == states.len()).then_some(Tile { mask, states })
    }

    /// Which nodes the tile holds.
    pub fn mask(&self) -> &Mask {
        &self.mask
    }

    /// The nodes' states, in the order of their indices.
    pub fn states(&self) -> &[NodeState] {
        &self.states
    }

    /// State of the node at `index`, if it was ever deformed.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&NodeState> {
        self.mask.contains(index).then(|| &self.states[self.mask.rank(index)])
    }

    /// The nodes with their indices, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &NodeState)> {
        self.mask.iter().zip(&self.states)
    }

    /// Adds a node behind all others.
    pub(super) fn push(&mut self, index: usize, state: NodeState) {
        debug_assert!(self.mask.rank(index) == self.states.len() && !self.mask.contains(index));
        self.mask.insert(index);
        self.states.push(state);
    }

    /// Joins another's account of the same tile, node by node.
    pub fn join(&mut self, other: &Tile) {
        let added = other.mask.without(&self.mask);
        if !added.is_empty() {
            let union = self.mask.union(&other.mask);
            let mut states = Vec::with_capacity(union.count());
            states.extend(union.iter().map(|index| self.get(index).copied().unwrap_or_default()));
            self.mask = union;
            self.states = states;
        }
        for (index, state) in other.iter() {
            self.states[self.mask.rank(index)].join(state);
        }
    }
}

impl TryFrom<(Mask, Vec<NodeState>)> for Tile {
    type Error = String;
    fn try_from((mask, states): (Mask, Vec<NodeState>)) -> Result<Tile, String> {
        let (nodes, given) = (mask.count(), states.len());
        Tile::new(mask, states).ok_or(format!("a tile of {nodes} nodes holds {given} states"))
    }
}

impl From<Tile> for (Mask, Vec<NodeState>) {
    fn from(tile: Tile) -> Self {
        (tile.mask, tile.states)
    }
}
