//! Undisturbed tiles that reliefs of one ground hold between them.
//!
//! Vehicles that look at the same place look at the same tiles. An undisturbed one follows from
//! the ground alone, so that whoever has it may hand it to others.

use super::tile::TileRelief;
use bekker_math::grid::TileKey;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The undisturbed tiles that anybody holds; clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct HeldTiles(Arc<Mutex<BTreeMap<TileKey, Weak<TileRelief>>>>);

impl HeldTiles {
    /// Those of some tiles that are held.
    pub fn find(&self, keys: impl Iterator<Item = TileKey>) -> Vec<Option<Arc<TileRelief>>> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        keys.map(|key| held.get(&key)?.upgrade()).collect()
    }

    /// Takes note of tiles, but of those that vehicles have left something at, and forgets those
    /// that nobody holds any more.
    pub fn note<'a>(&self, tiles: impl Iterator<Item = (TileKey, &'a Arc<TileRelief>)>) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|_, tile| tile.strong_count() > 0);
        let undisturbed = tiles.filter(|(_, tile)| tile.is_undisturbed());
        held.extend(undisturbed.map(|(key, tile)| (key, Arc::downgrade(tile))));
    }
}
