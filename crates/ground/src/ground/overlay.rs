//! An agent's private working copy of the ground around its wheels.

use super::model::normal_of;
use super::published::Revised;
use super::{BERM_QUANTUM, GroundModel, Mask, NodeState, Patches, Published};
use crate::grid::{Node, TILE, TILE_NODES, TileKey};
use crate::numeric::WIDTH;
use crate::soil::SoilId;
use crate::soil::pressure_sinkage::PlasticMemory;
use crate::spatial::Vec3;
use serde::{Deserialize, Serialize};

/// A tile in working form: flat arrays over its nodes.
#[derive(Clone, Debug)]
pub struct WorkingTile {
    pub(crate) key: TileKey,
    /// Revision of the published tile that the nodes were read from.
    revision: u64,
    /// Whether any wheel came near since the last publication.
    near: bool,
    /// Whether the undisturbed ground has been sampled (not yet, after a resume).
    sampled: bool,
    /// Nodes of firm soil.
    firm: u32,
    /// Nothing of the unloaded surface rises above this height, m.
    ceiling: f64,
    /// Nodes changed here and not yet published.
    private: Mask,
    /// Nodes loaded since they were last published.
    loaded: Mask,
    /// Nodes in contact in this step.
    contact: Mask,
    /// Nodes in contact in the step before.
    previous_contact: Mask,
    /// Nodes handed out as patches since the published tile was read.
    handed_out: Mask,
    base: [f64; TILE_NODES],
    normal: [Vec3; TILE_NODES],
    soil: [u16; TILE_NODES],
    /// Heights of the unloaded surface, m.
    surface: [f64; TILE_NODES],
    sinkage: [f64; TILE_NODES],
    yield_pressure: [f64; TILE_NODES],
    slip: [f64; TILE_NODES],
    shear: [[f64; TILE_NODES]; 2],
    berm: [i32; TILE_NODES],
    published_berm: [i32; TILE_NODES],
    passes: [u16; TILE_NODES],
}

impl WorkingTile {
    fn new() -> Box<WorkingTile> {
        Box::new(WorkingTile {
            key: TileKey { a: 0, b: 0 },
            revision: 0,
            near: false,
            sampled: false,
            firm: 0,
            ceiling: 0.0,
            private: Mask::default(),
            loaded: Mask::default(),
            contact: Mask::default(),
            previous_contact: Mask::default(),
            handed_out: Mask::default(),
            base: [0.0; TILE_NODES],
            normal: [Vec3::zeros(); TILE_NODES],
            soil: [0; TILE_NODES],
            surface: [0.0; TILE_NODES],
            sinkage: [0.0; TILE_NODES],
            yield_pressure: [0.0; TILE_NODES],
            slip: [0.0; TILE_NODES],
            shear: [[0.0; TILE_NODES]; 2],
            berm: [0; TILE_NODES],
            published_berm: [0; TILE_NODES],
            passes: [0; TILE_NODES],
        })
    }

    /// Takes up another tile, undeformed as yet.
    fn reset(&mut self, key: TileKey) {
        self.key = key;
        self.revision = 0;
        self.sampled = false;
        self.private = Mask::default();
        self.loaded = Mask::default();
        self.contact = Mask::default();
        self.previous_contact = Mask::default();
        self.handed_out = Mask::default();
        self.sinkage.fill(0.0);
        self.yield_pressure.fill(0.0);
        self.slip.fill(0.0);
        self.shear = [[0.0; TILE_NODES]; 2];
        self.berm.fill(0);
        self.published_berm.fill(0);
        self.passes.fill(0);
    }

    /// Samples the undisturbed ground and reads the published state.
    fn sample(&mut self, model: &GroundModel, published: &Published) {
        let lattice = model.lattice();
        let mut soils = [SoilId::default(); TILE_NODES];
        model.terrain().sample_tile(&lattice, self.key, &mut self.base, &mut soils);
        self.firm = 0;
        for (index, soil) in soils.into_iter().enumerate() {
            let soil = model.index_of(soil);
            self.soil[index] = soil as u16;
            self.firm += u32::from(model.coefficients(soil).is_none());
        }
        // a rim of one node around the tile, for the normals
        const RIM: usize = TILE + 2;
        let origin = self.key.node(0);
        let mut heights = [0.0; RIM * RIM];
        for (at, height) in heights.iter_mut().enumerate() {
            let (column, row) = (at % RIM, at / RIM);
            let inside = (1..=TILE).contains(&column) && (1..=TILE).contains(&row);
            *height = if inside {
                self.base[(row - 1) * TILE + column - 1]
            } else {
                let (i, j) = (origin.i + column as i32 - 1, origin.j + row as i32 - 1);
                model.base_height(Node { i, j })
            };
        }
        for index in 0..TILE_NODES {
            let at = (index / TILE + 1) * RIM + index % TILE + 1;
            self.normal[index] = normal_of(
                heights[at - 1] - heights[at + 1],
                heights[at - RIM] - heights[at + RIM],
                lattice.spacing,
            );
        }
        self.sampled = true;
        self.surface = self.base;
        for index in self.private.iter() {
            self.settle_surface(index);
        }
        self.read(published);
    }

    /// Reads the published states. Ground that nobody has deformed is as it
    /// was sampled, so only published nodes are looked at, and those that were
    /// handed out, should nobody have published them.
    fn read(&mut self, published: &Published) {
        let Revised { revision, tile, .. } = published.revised(self.key);
        self.revision = revision;
        let mut unpublished = std::mem::take(&mut self.handed_out);
        if let Some(tile) = tile {
            unpublished = unpublished.without(tile.mask());
            for (index, state) in tile.iter() {
                self.take_up(index, state);
            }
        }
        for index in unpublished.iter() {
            self.take_up(index, &NodeState::default());
        }
        self.ceiling = highest(&self.surface);
    }

    /// Reads the published states where they have changed, if that was in the
    /// last merge alone; else all of them.
    fn refresh(&mut self, published: &Published) {
        let Revised { revision, before, changed, tile } = published.revised(self.key);
        if revision == self.revision && self.handed_out.is_empty() {
            return;
        }
        let unheard = self.handed_out.without(&changed);
        match tile {
            Some(tile) if before == self.revision && unheard.is_empty() => {
                for (index, state) in tile.among(&changed) {
                    self.take_up(index, state);
                }
                self.handed_out = Mask::default();
                self.revision = revision;
                self.ceiling = highest(&self.surface);
            }
            _ => self.read(published),
        }
    }

    /// Takes up the published state of a node; a private one takes over only
    /// what others heaped on it.
    #[inline]
    fn take_up(&mut self, index: usize, state: &NodeState) {
        if self.private.contains(index) {
            let others = state.berm.wrapping_sub(self.published_berm[index]);
            self.berm[index] = self.berm[index].wrapping_add(others);
        } else {
            let memory = PlasticMemory {
                sinkage: state.plastic_sinkage_m(),
                yield_pressure: state.yield_pressure_pa(),
                slip: 0.0,
            };
            self.keep_memory(index, memory);
            self.keep_shear(index, state.shear_m());
            self.berm[index] = state.berm;
            self.passes[index] = state.passes;
        }
        self.published_berm[index] = state.berm;
        self.settle_surface(index);
    }

    #[inline]
    fn settle_surface(&mut self, index: usize) {
        self.surface[index] = self.unloaded_surface(index);
    }

    #[inline]
    fn unloaded_surface(&self, index: usize) -> f64 {
        self.ground(index) - self.sinkage[index] / self.normal[index].z
    }

    /// Undisturbed height of a node, m.
    #[inline(always)]
    pub fn base(&self, index: usize) -> f64 {
        self.base[index]
    }

    /// Height from which a node's sinkage is measured: undisturbed and berm, m.
    #[inline(always)]
    pub fn ground(&self, index: usize) -> f64 {
        self.base[index] + f64::from(self.berm[index]) * BERM_QUANTUM
    }

    /// Height of a node's surface when nothing loads it, m.
    #[inline]
    pub fn surface(&self, index: usize) -> f64 {
        self.surface[index]
    }

    /// Heights of the unloaded surface at [`WIDTH`] nodes from `first` on, m, all
    /// of which must be the tile's.
    #[inline(always)]
    pub fn surfaces(&self, first: usize) -> &[f64; WIDTH] {
        let beyond = TILE_NODES - WIDTH;
        self.surface[first.min(beyond)..].first_chunk().unwrap_or(&[0.0; WIDTH])
    }

    /// Unit normal of the undisturbed ground at a node.
    #[inline(always)]
    pub fn normal(&self, index: usize) -> &Vec3 {
        &self.normal[index]
    }

    /// Index of a node's soil.
    #[inline(always)]
    pub fn soil(&self, index: usize) -> usize {
        usize::from(self.soil[index])
    }

    /// What a node remembers of pressure.
    #[inline(always)]
    pub fn memory(&self, index: usize) -> PlasticMemory {
        PlasticMemory {
            sinkage: self.sinkage[index],
            yield_pressure: self.yield_pressure[index],
            slip: self.slip[index],
        }
    }

    #[inline(always)]
    fn keep_memory(&mut self, index: usize, memory: PlasticMemory) {
        self.sinkage[index] = memory.sinkage;
        self.yield_pressure[index] = memory.yield_pressure;
        self.slip[index] = memory.slip;
    }

    /// A node's shear displacement, m.
    #[inline(always)]
    pub fn shear(&self, index: usize) -> [f64; 2] {
        [self.shear[0][index], self.shear[1][index]]
    }

    #[inline(always)]
    fn keep_shear(&mut self, index: usize, [first, second]: [f64; 2]) {
        self.shear[0][index] = first;
        self.shear[1][index] = second;
    }

    /// How often a wheel has come and gone over a node.
    pub fn passes(&self, index: usize) -> u16 {
        self.passes[index]
    }

    /// Height of a node's berm, in [`BERM_QUANTUM`].
    #[inline]
    pub fn berm(&self, index: usize) -> i32 {
        self.berm[index]
    }

    /// Nothing of the unloaded surface rises above this height, m.
    #[inline]
    pub fn ceiling(&self) -> f64 {
        self.ceiling
    }

    /// How many of the tile's nodes are firm.
    #[inline]
    pub fn firm_nodes(&self) -> u32 {
        self.firm
    }

    /// Whether a node was in contact in the step before.
    #[inline(always)]
    pub fn was_in_contact(&self, index: usize) -> bool {
        self.previous_contact.contains(index)
    }

    /// Whether a node is in contact in this step.
    #[inline]
    pub fn in_contact(&self, index: usize) -> bool {
        self.contact.contains(index)
    }

    /// Stores a loaded node's memory and shear; `surface` is the height of its
    /// surface with that memory when nothing loads it, m.
    #[inline(always)]
    pub fn load(&mut self, index: usize, memory: PlasticMemory, shear: [f64; 2], surface: f64) {
        self.private.insert(index);
        self.loaded.insert(index);
        self.contact.insert(index);
        self.keep_memory(index, memory);
        self.keep_shear(index, shear);
        self.surface[index] = surface;
        debug_assert!(surface == self.unloaded_surface(index));
    }

    /// Raises a node's berm by `quanta` (lowers it, if negative).
    #[inline]
    pub fn heap(&mut self, index: usize, quanta: i32) {
        self.private.insert(index);
        self.berm[index] = self.berm[index].wrapping_add(quanta);
        self.settle_surface(index);
        self.ceiling = self.ceiling.max(self.surface[index]);
    }

    /// Adds the nodes of `left` as a patch; they are no longer private.
    fn take_patch(&mut self, left: Mask, patches: &mut Patches) {
        if left.is_empty() {
            return;
        }
        patches.begin(self.key);
        for index in left.iter() {
            let memory = self.memory(index);
            let pass = u16::from(self.loaded.contains(index));
            let state = NodeState::quantised(
                memory.sinkage,
                memory.yield_pressure,
                self.shear(index),
                self.berm[index].wrapping_sub(self.published_berm[index]),
                self.passes[index].saturating_add(pass),
            );
            patches.push(index, state);
        }
        self.private = self.private.without(&left);
        self.loaded = self.loaded.without(&left);
        self.handed_out = self.handed_out.union(&left);
    }
}

/// The greatest of `heights`; in lanes, so that it compiles to vectors.
fn highest(heights: &[f64; TILE_NODES]) -> f64 {
    const LANES: usize = 8;
    let mut highest = [f64::NEG_INFINITY; LANES];
    for chunk in heights.as_chunks::<LANES>().0 {
        for (top, &height) in highest.iter_mut().zip(chunk) {
            *top = if height > *top { height } else { *top };
        }
    }
    highest.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

/// An agent's private working copy of the tiles under and around its wheels.
///
/// Tiles come from a pool, so that a step allocates nothing once the pool has
/// its size. Only private nodes are serialised: everything else is read again
/// from the model and the published ground.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(try_from = "OverlayRecord")]
pub struct Overlay {
    tiles: Vec<Box<WorkingTile>>,
    /// Keys of the tiles in use with their slots, in ascending order.
    slots: Vec<(TileKey, usize)>,
    /// Slots that nobody uses.
    free: Vec<usize>,
    /// Heaped soil that was too little for a quantum, in quanta.
    pub(crate) heap_remainder: f64,
    /// All berm quanta that this agent has raised.
    pub(crate) heaped_quanta: i64,
}

impl Overlay {
    /// An overlay that holds nothing.
    pub fn new() -> Overlay {
        Overlay::default()
    }

    /// Begins a step: what was in contact becomes what was in contact before.
    /// Call it once a step, ahead of the step's contacts.
    pub fn begin_step(&mut self) {
        for &(_, slot) in &self.slots {
            let tile = &mut self.tiles[slot];
            tile.previous_contact = tile.contact;
            tile.contact = Mask::default();
        }
    }

    /// Slot of the tile under `key`, sampled and read if it was not at hand.
    /// Slots stay as they are until the next publication.
    pub fn fetch(&mut self, model: &GroundModel, published: &Published, key: TileKey) -> usize {
        let slot = match self.slots.binary_search_by_key(&key, |&(k, _)| k) {
            Ok(at) => self.slots[at].1,
            Err(at) => {
                let slot = self.free.pop().unwrap_or_else(|| {
                    self.tiles.push(WorkingTile::new());
                    self.tiles.len() - 1
                });
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

    /// The tile in a slot that [`Overlay::fetch`] gave.
    #[inline(always)]
    pub fn at(&self, slot: usize) -> &WorkingTile {
        &self.tiles[slot]
    }

    /// The tile in a slot that [`Overlay::fetch`] gave.
    #[inline(always)]
    pub fn at_mut(&mut self, slot: usize) -> &mut WorkingTile {
        &mut self.tiles[slot]
    }

    /// The tile under `key`, if it is at hand.
    pub fn tile(&self, key: TileKey) -> Option<&WorkingTile> {
        let at = self.slots.binary_search_by_key(&key, |&(k, _)| k).ok()?;
        let tile = &self.tiles[self.slots[at].1];
        tile.sampled.then_some(tile)
    }

    /// Keys of the tiles at hand, in ascending order.
    pub fn keys(&self) -> impl Iterator<Item = TileKey> {
        self.slots.iter().map(|&(key, _)| key)
    }

    /// How many tiles are at hand.
    pub fn tiles(&self) -> usize {
        self.slots.len()
    }

    /// All berm quanta that this agent has raised: what its increments of berm
    /// must add up to.
    pub fn heaped_quanta(&self) -> i64 {
        self.heaped_quanta
    }

    /// Sum of the berm increments not yet published, in [`BERM_QUANTUM`].
    pub fn private_berm_quanta(&self) -> i64 {
        let in_tile = |tile: &WorkingTile| -> i64 {
            let increment =
                |index: usize| i64::from(tile.berm[index]) - i64::from(tile.published_berm[index]);
            tile.private.iter().map(increment).sum()
        };
        self.slots.iter().map(|&(_, slot)| in_tile(&self.tiles[slot])).sum()
    }

    /// Turns every node that was changed and is not in contact into patches,
    /// in ascending order of their tiles, and drops tiles that no wheel is
    /// near any more. The patches must be applied to the published ground
    /// before [`Overlay::refresh`].
    pub fn publish(&mut self, patches: &mut Patches) {
        self.publish_where(patches, |tile| tile.private.without(&tile.contact));
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

    /// Turns every changed node into patches, also those in contact: for the
    /// end of a run.
    pub fn publish_all(&mut self, patches: &mut Patches) {
        self.publish_where(patches, |tile| tile.private);
    }

    fn publish_where(&mut self, patches: &mut Patches, left: impl Fn(&WorkingTile) -> Mask) {
        for &(_, slot) in &self.slots {
            let tile = &mut self.tiles[slot];
            tile.take_patch(left(tile), patches);
        }
    }

    /// Reads the published ground anew where it has changed, private nodes
    /// excepted.
    pub fn refresh(&mut self, published: &Published) {
        for &(_, slot) in &self.slots {
            let tile = &mut self.tiles[slot];
            if tile.sampled {
                tile.refresh(published);
            }
        }
    }
}

/// An overlay as it is stored: its private nodes.
#[derive(Serialize, Deserialize)]
struct OverlayRecord {
    tiles: Vec<TileRecord>,
    heap_remainder: f64,
    heaped_quanta: i64,
}

#[derive(Serialize, Deserialize)]
struct TileRecord {
    key: TileKey,
    private: Mask,
    loaded: Mask,
    contact: Mask,
    nodes: Vec<NodeRecord>,
}

#[derive(Serialize, Deserialize)]
struct NodeRecord {
    memory: PlasticMemory,
    shear: [f64; 2],
    berm: i32,
    published_berm: i32,
    passes: u16,
}

/// By reference: a copy of the pool would cost more than everything else in the
/// digest of an agent.
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
            nodes: tile
                .private
                .iter()
                .map(|index| NodeRecord {
                    memory: tile.memory(index),
                    shear: tile.shear(index),
                    berm: tile.berm[index],
                    published_berm: tile.published_berm[index],
                    passes: tile.passes[index],
                })
                .collect(),
        };
        let tiles = overlay.slots.iter().map(|&(_, slot)| &*overlay.tiles[slot]);
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
                return Err(format!("a private tile of {nodes} nodes holds {given}"));
            }
            let mut tile = WorkingTile::new();
            tile.reset(stored.key);
            // kept until the first publication, like one that a wheel is near
            tile.near = true;
            tile.private = stored.private;
            tile.loaded = stored.loaded;
            tile.contact = stored.contact;
            for (index, node) in stored.private.iter().zip(stored.nodes) {
                tile.keep_memory(index, node.memory);
                tile.keep_shear(index, node.shear);
                tile.berm[index] = node.berm;
                tile.published_berm[index] = node.published_berm;
                tile.passes[index] = node.passes;
            }
            overlay.slots.push((stored.key, overlay.tiles.len()));
            overlay.tiles.push(tile);
        }
        overlay.slots.sort_unstable_by_key(|&(key, _)| key);
        match overlay.slots.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(format!("two private tiles are {:?}", pair[0].0)),
            None => Ok(overlay),
        }
    }
}
