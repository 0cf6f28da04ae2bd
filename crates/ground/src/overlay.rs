//! An agent's private working copy of the ground around its wheels.

use super::working_tile::{PrivateNode, TileWriter, WorkingTile};
use super::{GroundModel, NodeMask, Patches, SharedGround};
use bekker_math::grid::TileKey;
use serde::{Deserialize, Serialize};

/// An agent's private working copy of the tiles under and around its wheels.
///
/// Tiles come from a pool, so that a step does not allocate once the pool has its final size. Only
/// private nodes are serialized: everything else is read again from the model and the published
/// ground.
///
/// A clone is a snapshot: it costs a pointer and 200 bytes per loaded tile, and shares their nodes.
/// The first write on either side copies the written tile, once. Unused tiles of the pool stay with
/// the original.
#[derive(Debug, Default, Deserialize)]
#[serde(try_from = "OverlayRecord")]
pub struct Overlay {
    tiles: Vec<WorkingTile>,
    /// Keys of the tiles in use with their slots, in ascending order.
    slots: Vec<(TileKey, usize)>,
    /// Unused slots.
    free: Vec<usize>,
    /// Heaped soil below one quantum, in quanta.
    pub(crate) heap_remainder: f64,
    /// Sum of all berm quanta that this agent has raised.
    pub(crate) heaped_quanta: i64,
}

impl Clone for Overlay {
    fn clone(&self) -> Overlay {
        let mut clone = Overlay::default();
        clone.clone_from(self);
        clone
    }

    fn clone_from(&mut self, source: &Overlay) {
        let Overlay { tiles, slots, free, heap_remainder, heaped_quanta } = self;
        tiles.clear();
        tiles.extend(source.slots.iter().map(|&(_, slot)| source.tiles[slot].clone()));
        slots.clear();
        slots.extend(source.slots.iter().enumerate().map(|(slot, &(key, _))| (key, slot)));
        free.clear();
        (*heap_remainder, *heaped_quanta) = (source.heap_remainder, source.heaped_quanta);
    }
}

impl Overlay {
    /// Returns an empty overlay.
    pub fn new() -> Overlay {
        Overlay::default()
    }

    /// Begins a step: the current contacts become those of the previous step. Call it once per
    /// step, before the step's contacts.
    pub fn begin_step(&mut self) {
        for &(_, slot) in &self.slots {
            self.tiles[slot].begin_step();
        }
    }

    /// Returns the slot of the tile under `key`, which is sampled and read first if it is not
    /// loaded. Slots are valid until the next publication.
    pub fn fetch(&mut self, model: &GroundModel, published: &SharedGround, key: TileKey) -> usize {
        let slot = match self.slots.binary_search_by_key(&key, |&(k, _)| k) {
            Ok(at) => self.slots[at].1,
            Err(at) => {
                let slot = self.spare_slot();
                self.tiles[slot].reset(key);
                self.slots.insert(at, (key, slot));
                slot
            }
        };
        let tile = &mut self.tiles[slot];
        tile.near = true;
        if !tile.sampled {
            tile.sample(model, published);
        }
        slot
    }

    /// Returns an unused slot, or a new one.
    fn spare_slot(&mut self) -> usize {
        self.free.pop().unwrap_or_else(|| {
            self.tiles.push(WorkingTile::new());
            self.tiles.len() - 1
        })
    }

    /// Moves the loaded tiles under `keys`, which must be ascending, to `other`, which must hold
    /// none of them. Another thread can then work on them. No node is copied.
    pub fn split_tiles(&mut self, keys: &[TileKey], other: &mut Overlay) {
        let Overlay { tiles, slots, free, .. } = self;
        slots.retain(|&(key, slot)| {
            let lends = keys.binary_search(&key).is_ok();
            if lends {
                let place = other.spare_slot();
                std::mem::swap(&mut tiles[slot], &mut other.tiles[place]);
                other.slots.push((key, place));
                free.push(slot);
            }
            !lends
        });
    }

    /// Takes back all tiles of `other`: those that were [lent](Overlay::split_tiles) and those that
    /// were fetched there since. None of them may be loaded here.
    pub fn append(&mut self, other: &mut Overlay) {
        let Overlay { tiles, slots, free, .. } = other;
        for (key, place) in slots.drain(..) {
            let slot = self.spare_slot();
            std::mem::swap(&mut self.tiles[slot], &mut tiles[place]);
            self.slots.push((key, slot));
            free.push(place);
        }
        self.slots.sort_unstable_by_key(|&(key, _)| key);
    }

    /// Returns the tile in a slot that [`Overlay::fetch`] returned.
    #[inline(always)]
    pub fn tile_at(&self, slot: usize) -> &WorkingTile {
        &self.tiles[slot]
    }

    /// Returns a writer for the tile in a slot that [`Overlay::fetch`] returned. One writer serves
    /// all writes to a tile, because creating it checks whether a clone shares the tile.
    #[inline]
    pub fn writer(&mut self, slot: usize) -> TileWriter<'_> {
        self.tiles[slot].writer()
    }

    /// Returns the tile under `key`, if it is loaded.
    pub fn tile(&self, key: TileKey) -> Option<&WorkingTile> {
        let at = self.slots.binary_search_by_key(&key, |&(k, _)| k).ok()?;
        let tile = &self.tiles[self.slots[at].1];
        tile.sampled.then_some(tile)
    }

    /// Returns the keys of the loaded tiles, in ascending order.
    pub fn keys(&self) -> impl Iterator<Item = TileKey> {
        self.slots.iter().map(|&(key, _)| key)
    }

    /// Returns the number of loaded tiles.
    pub fn tiles(&self) -> usize {
        self.slots.len()
    }

    /// Returns the sum of all berm quanta that this agent has raised: its berm increments must add
    /// up to it.
    pub fn heaped_quanta(&self) -> i64 {
        self.heaped_quanta
    }

    /// Returns the sum of the berm increments not yet published, in [`super::BERM_QUANTUM`].
    pub fn private_berm_quanta(&self) -> i64 {
        self.slots.iter().map(|&(_, slot)| self.tiles[slot].private_berm_quanta()).sum()
    }

    /// Converts every changed node that is not in contact into patches, in ascending order of their
    /// tiles, and drops tiles that no wheel is near. The patches must be applied to the published
    /// ground before [`Overlay::refresh`].
    pub fn publish(&mut self, patches: &mut Patches) {
        self.publish_where(patches, |tile| tile.private.difference(&tile.contact));
        let Overlay { tiles, slots, free, .. } = self;
        slots.retain(|&(_, slot)| {
            let tile = &mut tiles[slot];
            let keep = std::mem::take(&mut tile.near)
                || !tile.private.is_empty()
                || !tile.contact.is_empty();
            if !keep {
                free.push(slot);
            }
            keep
        });
    }

    /// Converts every changed node into patches, including those in contact: for the end of a run.
    pub fn publish_all(&mut self, patches: &mut Patches) {
        self.publish_where(patches, |tile| tile.private);
    }

    fn publish_where(&mut self, patches: &mut Patches, left: impl Fn(&WorkingTile) -> NodeMask) {
        for &(_, slot) in &self.slots {
            let tile = &mut self.tiles[slot];
            tile.extract_patch(left(tile), patches);
        }
    }

    /// Reads the published ground again where it has changed, except for private nodes.
    pub fn refresh(&mut self, published: &SharedGround) {
        for &(_, slot) in &self.slots {
            let tile = &mut self.tiles[slot];
            if tile.sampled {
                tile.refresh(published);
            }
        }
    }
}

/// Serialized form of an overlay: its private nodes.
#[derive(Serialize, Deserialize)]
struct OverlayRecord {
    tiles: Vec<TileRecord>,
    heap_remainder: f64,
    heaped_quanta: i64,
}

#[derive(Serialize, Deserialize)]
struct TileRecord {
    key: TileKey,
    private: NodeMask,
    loaded: NodeMask,
    contact: NodeMask,
    nodes: Vec<PrivateNode>,
}

/// Serializes by reference: a copy of the pool would cost more than the rest of an agent's digest.
impl Serialize for Overlay {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        OverlayRecord::from(self).serialize(serializer)
    }
}

impl From<&Overlay> for OverlayRecord {
    fn from(overlay: &Overlay) -> Self {
        let record = |tile: &WorkingTile| TileRecord {
            key: tile.key,
            private: tile.private,
            loaded: tile.loaded,
            contact: tile.contact,
            nodes: tile.private_nodes().collect(),
        };
        let tiles = overlay.slots.iter().map(|&(_, slot)| &overlay.tiles[slot]);
        OverlayRecord {
            tiles: tiles.filter(|tile| !tile.private.is_empty()).map(record).collect(),
            heap_remainder: overlay.heap_remainder,
            heaped_quanta: overlay.heaped_quanta,
        }
    }
}

impl TryFrom<OverlayRecord> for Overlay {
    type Error = String;
    fn try_from(record: OverlayRecord) -> Result<Overlay, String> {
        let mut overlay = Overlay {
            heap_remainder: record.heap_remainder,
            heaped_quanta: record.heaped_quanta,
            ..Overlay::default()
        };
        for stored in record.tiles {
            let (nodes, given) = (stored.private.count(), stored.nodes.len());
            if nodes != given {
                return Err(format!("a private tile for {nodes} nodes has {given} nodes"));
            }
            let mut tile = WorkingTile::new();
            tile.reset(stored.key);
            // kept until the first publication, like a tile near a wheel
            tile.near = true;
            tile.private = stored.private;
            tile.loaded = stored.loaded;
            tile.contact = stored.contact;
            tile.restore_private(stored.nodes.into_iter());
            overlay.slots.push((stored.key, overlay.tiles.len()));
            overlay.tiles.push(tile);
        }
        overlay.slots.sort_unstable_by_key(|&(key, _)| key);
        match overlay.slots.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(format!("two private tiles have the key {:?}", pair[0].0)),
            None => Ok(overlay),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soil::pressure_sinkage::PlasticMemory;
    use crate::soil::{Laws, Soil, SoilId, SoilKind};
    use crate::terrain::Terrain;
    use bekker_math::grid::{Lattice, TILE_NODES};
    use proptest::prelude::*;

    impl Overlay {
        /// Returns the number of loaded tiles that share their nodes with those of `other`.
        fn shared_with(&self, other: &Overlay) -> usize {
            let at = |overlay: &Overlay, key| {
                let at = overlay.slots.binary_search_by_key(&key, |&(k, _)| k).ok()?;
                Some(overlay.slots[at].1)
            };
            let shares = |&&(key, slot): &&(TileKey, usize)| {
                at(other, key).is_some_and(|theirs| self.tiles[slot].shares(&other.tiles[theirs]))
            };
            self.slots.iter().filter(shares).count()
        }

        fn stored(&self) -> Vec<u8> {
            postcard::to_stdvec(self).unwrap()
        }
    }

    fn ground() -> GroundModel {
        let kind = SoilKind::Firm { friction: 0.8 };
        let soil = Soil { name: "rock".into(), source: String::new(), kind };
        let terrain = Terrain::flat(1.0, SoilId(0));
        GroundModel::new(Lattice { spacing: 0.1 }, terrain, vec![soil], Laws::reference()).unwrap()
    }

    /// Presses a node to `sinkage` m and heaps some soil next to it.
    fn press(
        overlay: &mut Overlay,
        ground: &GroundModel,
        published: &SharedGround,
        key: TileKey,
        index: usize,
        sinkage: f64,
    ) {
        let slot = overlay.fetch(ground, published, key);
        let memory = PlasticMemory { sinkage, yield_pressure: 1e4, slip: 0.0, pushed: 0.0 };
        let surface = overlay.tile_at(slot).ground(index) - sinkage;
        let mut tile = overlay.writer(slot);
        tile.load(index, memory, [0.01, 0.0], surface);
        tile.heap((index + 1) % TILE_NODES, 7);
    }

    fn heartbeat(overlay: &mut Overlay, published: &mut SharedGround) {
        let mut patches = Patches::default();
        overlay.publish(&mut patches);
        published.apply(&patches);
        overlay.refresh(published);
    }

    #[test]
    fn a_clone_copies_no_node_and_a_write_copies_its_tile_alone() {
        let (model, published) = (ground(), SharedGround::default());
        let mut overlay = Overlay::new();
        for a in 0..20 {
            for b in 0..10 {
                press(&mut overlay, &model, &published, TileKey { a, b }, 3, 0.01);
            }
        }
        let before = overlay.stored();
        let mut clone = overlay.clone();
        assert_eq!(clone.shared_with(&overlay), 200);
        assert_eq!(clone.stored(), before);
        // neither beginning a step nor cloning is a write
        clone.begin_step();
        let mut third = Overlay::new();
        third.clone_from(&clone);
        assert_eq!((clone.shared_with(&overlay), third.shared_with(&overlay)), (200, 200));

        let pressed = TileKey { a: 4, b: 4 };
        press(&mut clone, &model, &published, pressed, 100, 0.02);
        assert_eq!(clone.shared_with(&overlay), 199);
        assert_eq!(clone.shared_with(&third), 199);
        assert_eq!(overlay.tile(pressed).unwrap().memory(100).sinkage, 0.0);
        assert_eq!(clone.tile(pressed).unwrap().memory(100).sinkage, 0.02);
        assert_eq!((overlay.stored(), third.tile(pressed).unwrap().berm(101)), (before, 0));
        // the original also copies on write
        press(&mut overlay, &model, &published, pressed, 50, 0.03);
        assert_eq!(third.tile(pressed).unwrap().memory(50).sinkage, 0.0);
        assert_eq!((overlay.shared_with(&third), clone.shared_with(&third)), (199, 199));
    }

    #[test]
    fn an_overlay_alone_keeps_its_tiles_where_they_are() {
        let (model, published) = (ground(), SharedGround::default());
        let mut overlay = Overlay::new();
        let key = TileKey { a: 0, b: 0 };
        press(&mut overlay, &model, &published, key, 3, 0.01);
        let base: *const f64 = overlay.tile(key).unwrap().surfaces(0).as_ptr();
        drop(overlay.clone());
        press(&mut overlay, &model, &published, key, 4, 0.01);
        assert_eq!(overlay.tile(key).unwrap().surfaces(0).as_ptr(), base);
    }

    proptest! {
        /// Lending tiles does not change the result, whichever tiles were loaded before.
        #[test]
        fn deformations_of_a_split_overlay_are_merged_back(
            first in proptest::collection::vec((-3..3_i32, 0..TILE_NODES, 0.0..0.1), 0..20),
            then in proptest::collection::vec((-3..3_i32, 0..TILE_NODES, 0.0..0.1), 1..20),
            last in proptest::collection::vec((-3..3_i32, 0..TILE_NODES, 0.0..0.1), 1..20),
            lent in proptest::collection::btree_set(-3..3_i32, 0..4),
        ) {
            let model = ground();
            let keys: Vec<TileKey> = lent.iter().map(|&a| TileKey { a, b: 0 }).collect();
            let drive = |lends: bool| {
                let (mut overlay, mut other) = (Overlay::new(), Overlay::new());
                let mut published = SharedGround::default();
                for ways in [&first, &then, &last] {
                    overlay.begin_step();
                    if lends {
                        overlay.split_tiles(&keys, &mut other);
                    }
                    for &(a, index, sinkage) in ways {
                        let aside = lends && lent.contains(&a);
                        let on = if aside { &mut other } else { &mut overlay };
                        press(on, &model, &published, TileKey { a, b: 0 }, index, sinkage);
                    }
                    if lends {
                        overlay.append(&mut other);
                        assert_eq!(other.tiles(), 0);
                    }
                    heartbeat(&mut overlay, &mut published);
                }
                let keys: Vec<TileKey> = overlay.keys().collect();
                (overlay.stored(), keys, published.hash())
            };
            prop_assert_eq!(drive(true), drive(false));
        }

        /// A clone is independent of the original, including after slot reuse.
        #[test]
        fn a_restored_overlay_continues_identically(
            first in proptest::collection::vec((-2..2_i32, 0..TILE_NODES, 0.0..0.1), 1..20),
            aside in proptest::collection::vec((-3..3_i32, 0..TILE_NODES, 0.0..0.1), 1..20),
            then in proptest::collection::vec((-3..3_i32, 0..TILE_NODES, 0.0..0.1), 1..20),
        ) {
            let model = ground();
            let drive = |overlay: &mut Overlay, published: &mut SharedGround, ways: &[_]| {
                for (step, &(a, index, sinkage)) in ways.iter().enumerate() {
                    overlay.begin_step();
                    press(overlay, &model, published, TileKey { a, b: 0 }, index, sinkage);
                    if step % 3 == 2 {
                        heartbeat(overlay, published);
                    }
                }
            };
            let (mut overlay, mut published) = (Overlay::new(), SharedGround::default());
            drive(&mut overlay, &mut published, &first);
            let (saved, ground) = (overlay.clone(), published.clone());
            drive(&mut overlay, &mut published, &then);
            let (expected, hash) = (overlay.stored(), published.hash());

            drive(&mut overlay, &mut published, &aside);
            overlay.clone_from(&saved);
            published = ground;
            drive(&mut overlay, &mut published, &then);
            prop_assert_eq!(overlay.stored(), expected);
            prop_assert_eq!(published.hash(), hash);
        }
    }
}
