//! The ground that all share.

use super::{GroundDigest, Mask, NodeState, Tile};
use crate::grid::{Node, TileKey};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What one agent did to one tile since its last patch. Berm heights are
/// increments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patch {
    /// Which tile.
    pub key: TileKey,
    /// Its changed nodes.
    pub tile: Tile,
}

#[derive(Clone, Debug)]
struct Entry {
    revision: u32,
    tile: Arc<Tile>,
}

/// The deformed ground: a sparse map from tile key to tile.
///
/// A clone is a snapshot: the tiles are shared until one side writes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<(TileKey, Tile)>", into = "Vec<(TileKey, Tile)>")]
pub struct Published {
    tiles: BTreeMap<TileKey, Entry>,
    digest: GroundDigest,
}

impl PartialEq for Published {
    fn eq(&self, other: &Self) -> bool {
        self.tiles().eq(other.tiles())
    }
}

impl Published {
    /// Merges patches; any order and any grouping give the same ground
    /// ([`NodeState::join`]).
    pub fn apply<'a>(&mut self, patches: impl IntoIterator<Item = &'a Patch>) {
        let Published { tiles, digest } = self;
        for Patch { key, tile } in patches {
            let entry =
                tiles.entry(*key).or_insert_with(|| Entry { revision: 0, tile: Arc::default() });
            entry.revision = entry.revision.wrapping_add(1).max(1);
            Arc::make_mut(&mut entry.tile).join_watched(tile, |index, before, now| {
                before.inspect(|before| digest.remove(*key, index, before));
                digest.add(*key, index, now);
            });
        }
    }

    /// The tiles in ascending order of their keys.
    pub fn tiles(&self) -> impl Iterator<Item = (TileKey, &Tile)> {
        self.tiles.iter().map(|(key, entry)| (*key, &*entry.tile))
    }

    /// The tile under `key`, if it was ever deformed.
    pub fn tile(&self, key: TileKey) -> Option<&Tile> {
        self.tiles.get(&key).map(|entry| &*entry.tile)
    }

    /// The tile under `key` and how often it has changed, 0 for never.
    pub(super) fn revised_tile(&self, key: TileKey) -> (u32, Option<&Tile>) {
        match self.tiles.get(&key) {
            Some(entry) => (entry.revision, Some(&*entry.tile)),
            None => (0, None),
        }
    }

    /// How often the tile under `key` has changed, 0 for never.
    pub(super) fn revision(&self, key: TileKey) -> u32 {
        self.tiles.get(&key).map_or(0, |entry| entry.revision)
    }

    /// Every tile's key with how often it has changed, in ascending order of keys.
    pub fn revisions(&self) -> impl Iterator<Item = (TileKey, u32)> {
        self.tiles.iter().map(|(key, entry)| (*key, entry.revision))
    }

    /// State of a node; that of undisturbed ground if it was never deformed.
    pub fn node(&self, node: Node) -> NodeState {
        self.tile(node.tile()).and_then(|tile| tile.get(node.index())).copied().unwrap_or_default()
    }

    /// How many nodes are deformed.
    pub fn nodes(&self) -> usize {
        self.tiles().map(|(_, tile)| tile.states().len()).sum()
    }

    /// Sum of all berm heights, in [`super::BERM_QUANTUM`]: times the cell's
    /// area, the volume of heaped soil.
    pub fn berm_quanta(&self) -> i64 {
        self.states().map(|state| i64::from(state.berm)).sum()
    }

    /// Sum of all plastic sinkages, in [`super::SINKAGE_QUANTUM`]: times the
    /// cell's area, the volume of the ruts.
    pub fn sinkage_quanta(&self) -> u64 {
        self.states().map(|state| u64::from(state.plastic_sinkage)).sum()
    }

    fn states(&self) -> impl Iterator<Item = &NodeState> {
        self.tiles.values().flat_map(|entry| entry.tile.states())
    }

    /// Digest kept along with every change: equal for equal grounds.
    pub fn digest(&self) -> GroundDigest {
        self.digest
    }

    /// SHA-256 over keys, masks and states in ascending order of keys: equal
    /// for equal grounds on any machine.
    pub fn hash(&self) -> [u8; 32] {
        let mut hasher = Sha256::new();
        for (key, tile) in self.tiles() {
            hasher.update(key.a.to_le_bytes());
            hasher.update(key.b.to_le_bytes());
            let Mask(words) = tile.mask();
            for word in words {
                hasher.update(word.to_le_bytes());
            }
            for state in tile.states() {
                hasher.update(state.to_bytes());
            }
        }
        hasher.finalize().into()
    }
}

impl From<Vec<(TileKey, Tile)>> for Published {
    fn from(tiles: Vec<(TileKey, Tile)>) -> Self {
        let entry = |tile| Entry { revision: 1, tile: Arc::new(tile) };
        let tiles: BTreeMap<_, _> =
            tiles.into_iter().map(|(key, tile)| (key, entry(tile))).collect();
        let mut digest = GroundDigest::default();
        tiles.iter().for_each(|(key, entry)| digest.add_tile(*key, &entry.tile));
        Published { tiles, digest }
    }
}

impl From<Published> for Vec<(TileKey, Tile)> {
    fn from(published: Published) -> Self {
        published.tiles().map(|(key, tile)| (key, tile.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::TILE_NODES;
    use proptest::prelude::*;

    fn any_patch() -> impl Strategy<Value = Patch> {
        let node = (0..TILE_NODES, 0_u32..5, -9_i32..9, 0_u16..4, any::<[i16; 2]>());
        let nodes = proptest::collection::vec(node, 1..20);
        ((-1_i32..2, -1_i32..2), nodes).prop_map(|((a, b), nodes)| {
            let states: BTreeMap<usize, NodeState> = nodes
                .into_iter()
                .map(|(index, plastic_sinkage, berm, yield_pressure, shear)| {
                    let passes = yield_pressure;
                    let state = NodeState { plastic_sinkage, berm, yield_pressure, shear, passes };
                    (index, state)
                })
                .collect();
            let mut tile = Tile::default();
            for (index, state) in states {
                tile.push(index, state);
            }
            Patch { key: TileKey { a, b }, tile }
        })
    }

    proptest! {
        #[test]
        fn any_order_and_any_split_give_the_same_ground(
            patches in proptest::collection::vec(any_patch(), 1..12),
            shuffled in any::<proptest::sample::Index>(),
            split in any::<proptest::sample::Index>(),
        ) {
            let mut whole = Published::default();
            whole.apply(&patches);

            let mut turned = patches.clone();
            turned.rotate_left(shuffled.index(patches.len()));
            turned.reverse();
            let (first, second) = turned.split_at(split.index(turned.len()));
            let mut parts = Published::default();
            parts.apply(second);
            parts.apply(first);
            prop_assert_eq!(whole.hash(), parts.hash());
            prop_assert_eq!(&whole, &parts);
            prop_assert_eq!(whole.digest(), parts.digest());
            let stored: Published = Vec::from(whole.clone()).into();
            prop_assert_eq!(whole.digest(), stored.digest());

            let heaped: i64 = patches
                .iter()
                .flat_map(|patch| patch.tile.states())
                .map(|state| i64::from(state.berm))
                .sum();
            prop_assert_eq!(whole.berm_quanta(), heaped);
        }
    }

    #[test]
    fn a_snapshot_keeps_what_it_was() {
        let mut tile = Tile::default();
        tile.push(7, NodeState { plastic_sinkage: 3, ..NodeState::default() });
        let patch = Patch { key: TileKey { a: 0, b: 0 }, tile };
        let mut ground = Published::default();
        ground.apply(std::slice::from_ref(&patch));
        let snapshot = ground.clone();
        let mut deeper = patch.clone();
        deeper.tile = Tile::new(
            *patch.tile.mask(),
            vec![NodeState { plastic_sinkage: 9, ..NodeState::default() }],
        )
        .unwrap();
        ground.apply(&[deeper]);
        assert_eq!(snapshot.sinkage_quanta(), 3);
        assert_eq!(ground.sinkage_quanta(), 9);
        assert_ne!(snapshot.hash(), ground.hash());
        assert_eq!((ground.nodes(), snapshot.nodes()), (1, 1));
        let stored = postcard::to_stdvec(&ground).unwrap();
        let restored: Published = postcard::from_bytes(&stored).unwrap();
        assert_eq!(restored.hash(), ground.hash());
    }
}
