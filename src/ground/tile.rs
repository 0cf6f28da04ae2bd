//! A tile of deformed nodes.

use super::{Mask, NodeState, Patch};
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

    /// The nodes of `mask` that were ever deformed with their indices, in ascending
    /// order.
    pub(super) fn among(&self, mask: &Mask) -> impl Iterator<Item = (usize, &NodeState)> {
        let ranks = self.mask.ranks();
        let held = mask.iter().filter(|&index| self.mask.contains(index));
        held.map(move |index| (index, &self.states[ranks.of(index)]))
    }

    /// The nodes with their indices, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &NodeState)> {
        self.mask.iter().zip(&self.states)
    }

    /// Joins a patch of this tile node by node, and tells of each of its nodes the
    /// index, the state before, if it had one, and the state now.
    pub(super) fn join_watched(
        &mut self,
        other: &Patch<'_>,
        mut watch: impl FnMut(usize, Option<&NodeState>, &NodeState),
    ) {
        let added = other.mask.without(&self.mask);
        self.make_room(&added);
        let ranks = self.mask.ranks();
        for (index, state) in other.iter() {
            let own = &mut self.states[ranks.of(index)];
            let before = *own;
            own.join(state);
            watch(index, (!added.contains(index)).then_some(&before), own);
        }
    }

    /// Adds undisturbed nodes that the tile does not hold. States behind them
    /// move up in blocks, from the last one on.
    fn make_room(&mut self, added: &Mask) {
        let mut shift = added.count();
        if shift == 0 {
            return;
        }
        let mut end = self.states.len();
        self.states.resize(end + shift, NodeState::default());
        let ranks = self.mask.ranks();
        for index in added.iter_back() {
            let start = ranks.of(index);
            self.states.copy_within(start..end, start + shift);
            shift -= 1;
            self.states[start + shift] = NodeState::default();
            end = start;
        }
        self.mask = self.mask.union(added);
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
