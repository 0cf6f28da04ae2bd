//! Cache of undisturbed tiles shared between reliefs of one ground.
//!
//! Several vehicles see the same tiles. An undisturbed tile depends only on the ground model, so
//! reliefs can share it.

use super::tile::TileRelief;
use bekker_math::grid::TileKey;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Undisturbed tiles that any relief holds; clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedTiles(Arc<Mutex<BTreeMap<TileKey, Weak<TileRelief>>>>);

impl SharedTiles {
    /// Returns, for each of some tiles, the cached tile if any relief holds it.
    pub fn find(&self, keys: impl Iterator<Item = TileKey>) -> Vec<Option<Arc<TileRelief>>> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        keys.map(|key| held.get(&key)?.upgrade()).collect()
    }

    /// Adds the undisturbed ones of these tiles and drops entries that no relief holds.
    pub fn insert<'a>(&self, tiles: impl Iterator<Item = (TileKey, &'a Arc<TileRelief>)>) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|_, tile| tile.strong_count() > 0);
        let undisturbed = tiles.filter(|(_, tile)| tile.is_undisturbed());
        held.extend(undisturbed.map(|(key, tile)| (key, Arc::downgrade(tile))));
    }
}
