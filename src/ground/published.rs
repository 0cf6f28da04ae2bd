//! The ground that all share.

use super::{Mask, NodeState, Tile};
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
}

impl PartialEq for Published {
    fn eq(&self, other: &Self) -> bool {
        self.tiles().eq(other.tiles())
    }
}

impl Published {
    /// Merges patches; any order and any grouping give the same ground
    /// ([`NodeState::join`]).
    pub fn apply(&mut self, patches: &[Patch]) {
        for Patch { key, tile } in patches {
            let entry = self
                .tiles
                .entry(*key)
                .or_insert_with(|| Entry { revision: 0, tile: Arc::default() });
            entry.revision = entry.revision.wrapping_add(1).max(1);
            Arc::make_mut(&mut entry.tile).join(tile);
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
        Published { tiles: tiles.into_iter().map(|(key, tile)| (key, entry(tile))).collect() }
    }
}

impl From<Published> for Vec<(TileKey, Tile)> {
    fn from(published: Published) -> Self {
        published.tiles().map(|(key, tile)| (key, tile.clone())).collect()
    }
}
