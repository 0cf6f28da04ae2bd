//! A set of nodes of one tile.

use bekker_math::grid::TILE_NODES;
use serde::{Deserialize, Serialize};

/// A set of nodes of one tile, one bit per node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeMask(pub [u64; TILE_NODES / 64]);

/// A set with the precomputed ranks of its words: a rank then counts the bits of one word, not of
/// four.
pub(super) struct NodeRanks {
    mask: NodeMask,
    /// Number of nodes of the set before each word.
    before: [u32; TILE_NODES / 64],
}

impl NodeRanks {
    /// Returns the number of nodes of the set before `index`.
    #[inline]
    pub fn rank(&self, index: usize) -> usize {
        let word = (index >> 6) % self.before.len();
        let below = (1_u64 << (index & 63)) - 1;
        (self.before[word] + (self.mask.0[word] & below).count_ones()) as usize
    }
}

impl NodeMask {
    /// Returns whether the set contains the node at `index`.
    #[inline(always)]
    pub fn contains(&self, index: usize) -> bool {
        self.0[index >> 6] >> (index & 63) & 1 == 1
    }

    /// Adds the node at `index`.
    #[inline(always)]
    pub fn insert(&mut self, index: usize) {
        self.0[index >> 6] |= 1 << (index & 63);
    }

    /// Returns the number of nodes in the set.
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns the number of nodes of the set before `index`.
    #[inline]
    pub fn rank(&self, index: usize) -> usize {
        let word = index >> 6;
        let before: u32 = self.0[..word].iter().map(|w| w.count_ones()).sum();
        let below = (1_u64 << (index & 63)) - 1;
        (before + (self.0[word] & below).count_ones()) as usize
    }

    /// Precomputes the ranks, for many queries of one set.
    #[inline]
    pub(super) fn ranks(&self) -> NodeRanks {
        let mut before = [0; TILE_NODES / 64];
        for word in 1..before.len() {
            before[word] = before[word - 1] + self.0[word - 1].count_ones();
        }
        NodeRanks { mask: *self, before }
    }

    /// Returns whether the set is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; TILE_NODES / 64]
    }

    /// Returns the nodes in either set.
    pub fn union(&self, other: &NodeMask) -> NodeMask {
        NodeMask(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    /// Returns the nodes in this set that are not in the other.
    pub fn difference(&self, other: &NodeMask) -> NodeMask {
        NodeMask(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    /// Returns the set of all nodes of a tile.
    pub fn all() -> NodeMask {
        NodeMask([u64::MAX; TILE_NODES / 64])
    }

    /// Returns the indices in the set, in descending order.
    pub fn iter_descending(&self) -> impl Iterator<Item = usize> + use<> {
        let words = self.0;
        (0..words.len()).rev().flat_map(move |word| {
            let mut rest = words[word];
            std::iter::from_fn(move || {
                let bit = rest.checked_ilog2()? as usize;
                rest ^= 1 << bit;
                Some(word * 64 + bit)
            })
        })
    }

    /// Returns the indices in the set, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        let words = self.0;
        (0..words.len()).flat_map(move |word| {
            let mut rest = words[word];
            std::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                Some(word * 64 + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_agree_with_iteration() {
        let mut mask = NodeMask::default();
        let members = [0, 1, 63, 64, 127, 128, 200, 255];
        for index in members {
            mask.insert(index);
        }
        assert_eq!(mask.iter().collect::<Vec<_>>(), members);
        assert_eq!(
            mask.iter_descending().collect::<Vec<_>>(),
            members.into_iter().rev().collect::<Vec<_>>()
        );
        for (rank, index) in members.into_iter().enumerate() {
            assert_eq!(mask.rank(index), rank);
        }
        assert_eq!(mask.count(), members.len());
        assert!(mask.difference(&mask).is_empty());
    }
}
