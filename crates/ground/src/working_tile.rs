//! A tile of an agent's overlay: flat arrays over its nodes, shared between copies of the overlay
//! until one of them writes.

use super::model::normal_of;
use super::shared_ground::TileRevision;
use super::tile_cache::{RIMMED, UndisturbedTile, within_rim};
use super::{BERM_QUANTUM, GroundModel, NodeMask, NodeState, Patches, SharedGround};
use crate::soil::pressure_sinkage::PlasticMemory;
use bekker_math::grid::{TILE_NODES, TileKey};
use bekker_math::numeric::WIDTH;
use bekker_math::spatial::Vec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Arrays of a working tile over its nodes.
///
/// The arrays take 25 kB, and few tiles of a copied overlay are ever written again. So they are
/// behind an [`Arc`]; the rest of a tile takes 200 bytes.
#[derive(Clone, Debug)]
pub(crate) struct WorkingNodes {
    base: [f64; TILE_NODES],
    normal: [Vec3; TILE_NODES],
    soil: [u16; TILE_NODES],
    /// Heights of the unloaded surface, m.
    surface: [f64; TILE_NODES],
    sinkage: [f64; TILE_NODES],
    yield_pressure: [f64; TILE_NODES],
    slip: [f64; TILE_NODES],
    pushed: [f64; TILE_NODES],
    shear: [[f64; TILE_NODES]; 2],
    berm: [i32; TILE_NODES],
    published_berm: [i32; TILE_NODES],
    passes: [u16; TILE_NODES],
}

/// Serialized form of a private node.
#[derive(Serialize, Deserialize)]
pub(super) struct PrivateNode {
    pub memory: PlasticMemory,
    pub shear: [f64; 2],
    pub berm: i32,
    pub published_berm: i32,
    pub passes: u16,
}

impl WorkingNodes {
    fn new() -> Arc<WorkingNodes> {
        Arc::new(WorkingNodes {
            base: [0.0; TILE_NODES],
            normal: [Vec3::zeros(); TILE_NODES],
            soil: [0; TILE_NODES],
            surface: [0.0; TILE_NODES],
            sinkage: [0.0; TILE_NODES],
            yield_pressure: [0.0; TILE_NODES],
            slip: [0.0; TILE_NODES],
            pushed: [0.0; TILE_NODES],
            shear: [[0.0; TILE_NODES]; 2],
            berm: [0; TILE_NODES],
            published_berm: [0; TILE_NODES],
            passes: [0; TILE_NODES],
        })
    }

    /// Resets to an undeformed tile that is not yet sampled.
    fn reset(&mut self) {
        self.sinkage.fill(0.0);
        self.yield_pressure.fill(0.0);
        self.slip.fill(0.0);
        self.pushed.fill(0.0);
        self.shear = [[0.0; TILE_NODES]; 2];
        self.berm.fill(0);
        self.published_berm.fill(0);
        self.passes.fill(0);
    }

    /// Loads the published state of a node; a `private` node only receives the soil that others
    /// heaped on it.
    #[inline]
    fn load_published(&mut self, private: bool, index: usize, state: &NodeState) {
        if private {
            let others = state.berm.wrapping_sub(self.published_berm[index]);
            self.berm[index] = self.berm[index].wrapping_add(others);
        } else {
            let memory = PlasticMemory {
                sinkage: state.plastic_sinkage_m(),
                yield_pressure: state.yield_pressure_pa(),
                slip: 0.0,
                pushed: 0.0,
            };
            self.set_memory(index, memory);
            self.set_shear(index, state.shear_m());
            self.berm[index] = state.berm;
            self.passes[index] = state.passes;
        }
        self.published_berm[index] = state.berm;
        self.update_surface(index);
    }

    #[inline]
    fn update_surface(&mut self, index: usize) {
        self.surface[index] = self.unloaded_surface(index);
    }

    #[inline]
    fn unloaded_surface(&self, index: usize) -> f64 {
        self.ground(index) - self.sinkage[index] / self.normal[index].z
    }

    /// Returns the undisturbed height of a node, m.
    #[inline(always)]
    pub fn base(&self, index: usize) -> f64 {
        self.base[index]
    }

    /// Returns the height from which a node's sinkage is measured, m: undisturbed ground plus berm.
    #[inline(always)]
    pub fn ground(&self, index: usize) -> f64 {
        self.base[index] + f64::from(self.berm[index]) * BERM_QUANTUM
    }

    /// Returns the heights of the unloaded surface at [`WIDTH`] nodes from `first`, m.
    #[inline(always)]
    pub fn surfaces(&self, first: usize) -> &[f64; WIDTH] {
        let beyond = TILE_NODES - WIDTH;
        self.surface[first.min(beyond)..].first_chunk().unwrap_or(&[0.0; WIDTH])
    }

    /// Returns the index of a node's soil.
    #[inline(always)]
    pub fn soil(&self, index: usize) -> usize {
        usize::from(self.soil[index])
    }

    /// Returns the unit normal of the undisturbed ground at a node.
    #[inline(always)]
    pub fn normal(&self, index: usize) -> &Vec3 {
        &self.normal[index]
    }

    /// Returns the number of completed wheel passes over a node.
    #[inline(always)]
    pub fn passes(&self, index: usize) -> u16 {
        self.passes[index]
    }

    /// Returns the plastic state of a node.
    #[inline(always)]
    pub fn memory(&self, index: usize) -> PlasticMemory {
        PlasticMemory {
            sinkage: self.sinkage[index],
            yield_pressure: self.yield_pressure[index],
            slip: self.slip[index],
            pushed: self.pushed[index],
        }
    }

    #[inline(always)]
    fn set_memory(&mut self, index: usize, memory: PlasticMemory) {
        self.sinkage[index] = memory.sinkage;
        self.yield_pressure[index] = memory.yield_pressure;
        self.slip[index] = memory.slip;
        self.pushed[index] = memory.pushed;
    }

    /// Returns a node's shear displacement, m.
    #[inline(always)]
    pub fn shear(&self, index: usize) -> [f64; 2] {
        [self.shear[0][index], self.shear[1][index]]
    }

    #[inline(always)]
    fn set_shear(&mut self, index: usize, [first, second]: [f64; 2]) {
        self.shear[0][index] = first;
        self.shear[1][index] = second;
    }
}

/// A tile of an agent's overlay.
///
/// A clone shares the nodes; the first side to write copies them.
#[derive(Clone, Debug)]
pub struct WorkingTile {
    pub(super) key: TileKey,
    /// Revision of the published tile that the nodes were read from.
    revision: u64,
    /// Whether any wheel was near since the last publication.
    pub(super) near: bool,
    /// Whether the undisturbed ground has been sampled; false after a resume.
    pub(super) sampled: bool,
    /// Number of nodes of firm soil.
    firm: u32,
    /// Upper bound of the unloaded surface, m.
    ceiling: f64,
    /// Nodes changed here and not yet published.
    pub(super) private: NodeMask,
    /// Nodes loaded since they were last published.
    pub(super) loaded: NodeMask,
    /// Nodes in contact in this step.
    pub(super) contact: NodeMask,
    /// Nodes in contact in the previous step.
    previous_contact: NodeMask,
    /// Nodes converted to patches since the published tile was read.
    patched: NodeMask,
    nodes: Arc<WorkingNodes>,
}

impl WorkingTile {
    pub(super) fn new() -> WorkingTile {
        WorkingTile {
            key: TileKey { a: 0, b: 0 },
            revision: 0,
            near: false,
            sampled: false,
            firm: 0,
            ceiling: 0.0,
            private: NodeMask::default(),
            loaded: NodeMask::default(),
            contact: NodeMask::default(),
            previous_contact: NodeMask::default(),
            patched: NodeMask::default(),
            nodes: WorkingNodes::new(),
        }
    }

    /// Resets to an undeformed tile.
    pub(super) fn reset(&mut self, key: TileKey) {
        self.key = key;
        self.revision = 0;
        self.sampled = false;
        self.private = NodeMask::default();
        self.loaded = NodeMask::default();
        self.contact = NodeMask::default();
        self.previous_contact = NodeMask::default();
        self.patched = NodeMask::default();
        match Arc::get_mut(&mut self.nodes) {
            Some(nodes) => nodes.reset(),
            // another tile still uses these nodes, and none of them is needed here
            None => self.nodes = WorkingNodes::new(),
        }
    }

    /// Begins a step: the current contacts become those of the previous step.
    pub(super) fn begin_step(&mut self) {
        self.previous_contact = self.contact;
        self.contact = NodeMask::default();
    }

    /// Samples the undisturbed ground and reads the published state.
    pub(super) fn sample(&mut self, model: &GroundModel, published: &SharedGround) {
        let nodes = Arc::make_mut(&mut self.nodes);
        let UndisturbedTile { heights, soil } = model.undisturbed(self.key);
        nodes.soil = soil;
        let is_firm = |&soil: &u16| model.coefficients(usize::from(soil)).is_none();
        self.firm = soil.iter().filter(|soil| is_firm(soil)).count() as u32;
        for index in 0..TILE_NODES {
            let at = within_rim(index);
            nodes.base[index] = heights[at];
            nodes.normal[index] = normal_of(
                heights[at - 1] - heights[at + 1],
                heights[at - RIMMED] - heights[at + RIMMED],
                model.lattice().spacing,
            );
        }
        self.sampled = true;
        nodes.surface = nodes.base;
        for index in self.private.iter() {
            nodes.update_surface(index);
        }
        self.read(published);
    }

    /// Reads the published states.
    ///
    /// Undeformed ground is as it was sampled. So only published nodes are read, and nodes
    /// converted to patches, in case these were not published.
    fn read(&mut self, published: &SharedGround) {
        let TileRevision { revision, tile, .. } = published.tile_revision(self.key);
        self.revision = revision;
        let mut unpublished = std::mem::take(&mut self.patched);
        let nodes = Arc::make_mut(&mut self.nodes);
        if let Some(tile) = tile {
            unpublished = unpublished.difference(tile.mask());
            for (index, state) in tile.iter() {
                nodes.load_published(self.private.contains(index), index, state);
            }
        }
        for index in unpublished.iter() {
            nodes.load_published(self.private.contains(index), index, &NodeState::default());
        }
        self.ceiling = highest(&nodes.surface);
    }

    /// Reads the published states that the last merge changed, if it is the only merge since the
    /// last read; otherwise all of them.
    pub(super) fn refresh(&mut self, published: &SharedGround) {
        let TileRevision { revision, before, changed, tile } = published.tile_revision(self.key);
        if revision == self.revision && self.patched.is_empty() {
            return;
        }
        let unheard = self.patched.difference(&changed);
        match tile {
            Some(tile) if before == self.revision && unheard.is_empty() => {
                let nodes = Arc::make_mut(&mut self.nodes);
                for (index, state) in tile.iter_masked(&changed) {
                    nodes.load_published(self.private.contains(index), index, state);
                }
                self.patched = NodeMask::default();
                self.revision = revision;
                self.ceiling = highest(&nodes.surface);
            }
            _ => self.read(published),
        }
    }

    /// Returns its nodes, so that a loop over many nodes dereferences the pointer once.
    #[inline(always)]
    pub(crate) fn nodes(&self) -> &WorkingNodes {
        &self.nodes
    }

    /// Returns the undisturbed height of a node, m.
    #[inline(always)]
    pub fn base(&self, index: usize) -> f64 {
        self.nodes.base(index)
    }

    /// Returns the height from which a node's sinkage is measured, m: undisturbed ground plus berm.
    #[inline(always)]
    pub fn ground(&self, index: usize) -> f64 {
        self.nodes.ground(index)
    }

    /// Returns the height of a node's unloaded surface, m.
    #[inline]
    pub fn surface(&self, index: usize) -> f64 {
        self.nodes.surface[index]
    }

    /// Returns the heights of the unloaded surface at [`WIDTH`] nodes from `first`, m, all of which
    /// must be in the tile.
    #[inline(always)]
    pub fn surfaces(&self, first: usize) -> &[f64; WIDTH] {
        self.nodes.surfaces(first)
    }

    /// Returns the unit normal of the undisturbed ground at a node.
    #[inline(always)]
    pub fn normal(&self, index: usize) -> &Vec3 {
        self.nodes.normal(index)
    }

    /// Returns the index of a node's soil.
    #[inline(always)]
    pub fn soil(&self, index: usize) -> usize {
        self.nodes.soil(index)
    }

    /// Returns the plastic state of a node.
    #[inline(always)]
    pub fn memory(&self, index: usize) -> PlasticMemory {
        self.nodes.memory(index)
    }

    /// Returns a node's shear displacement, m.
    #[inline(always)]
    pub fn shear(&self, index: usize) -> [f64; 2] {
        self.nodes.shear(index)
    }

    /// Returns the number of completed wheel passes over a node.
    pub fn passes(&self, index: usize) -> u16 {
        self.nodes.passes(index)
    }

    /// Returns the height of a node's berm, in [`BERM_QUANTUM`].
    #[inline]
    pub fn berm(&self, index: usize) -> i32 {
        self.nodes.berm[index]
    }

    /// Returns an upper bound of the unloaded surface, m.
    #[inline]
    pub fn ceiling(&self) -> f64 {
        self.ceiling
    }

    /// Returns the number of firm nodes in the tile.
    #[inline]
    pub fn firm_nodes(&self) -> u32 {
        self.firm
    }

    /// Returns whether a node was in contact in the previous step.
    #[inline(always)]
    pub fn was_in_contact(&self, index: usize) -> bool {
        self.previous_contact.contains(index)
    }

    /// Returns whether a node is in contact in this step.
    #[inline]
    pub fn in_contact(&self, index: usize) -> bool {
        self.contact.contains(index)
    }

    /// Returns a writer for the tile's nodes, which are copied first if a clone shares them.
    #[inline]
    pub fn writer(&mut self) -> TileWriter<'_> {
        TileWriter {
            nodes: Arc::make_mut(&mut self.nodes),
            private: &mut self.private,
            loaded: &mut self.loaded,
            contact: &mut self.contact,
            ceiling: &mut self.ceiling,
        }
    }

    /// Returns the sum of the berm increments not yet published, in [`BERM_QUANTUM`].
    pub(super) fn private_berm_quanta(&self) -> i64 {
        let WorkingNodes { berm, published_berm, .. } = &*self.nodes;
        let increment = |index: usize| i64::from(berm[index]) - i64::from(published_berm[index]);
        self.private.iter().map(increment).sum()
    }

    /// Adds the nodes of `left` as a patch; they are no longer private.
    pub(super) fn extract_patch(&mut self, left: NodeMask, patches: &mut Patches) {
        if left.is_empty() {
            return;
        }
        patches.begin(self.key);
        let nodes = &*self.nodes;
        for index in left.iter() {
            let memory = nodes.memory(index);
            let pass = u16::from(self.loaded.contains(index));
            let state = NodeState::quantized(
                memory.sinkage,
                memory.yield_pressure,
                nodes.shear(index),
                nodes.berm[index].wrapping_sub(nodes.published_berm[index]),
                nodes.passes[index].saturating_add(pass),
            );
            patches.push(index, state);
        }
        self.private = self.private.difference(&left);
        self.loaded = self.loaded.difference(&left);
        self.patched = self.patched.union(&left);
    }

    /// Returns the serialized form of its private nodes, in the order of their indices.
    pub(super) fn private_nodes(&self) -> impl Iterator<Item = PrivateNode> {
        let nodes = &*self.nodes;
        self.private.iter().map(|index| PrivateNode {
            memory: nodes.memory(index),
            shear: nodes.shear(index),
            berm: nodes.berm[index],
            published_berm: nodes.published_berm[index],
            passes: nodes.passes[index],
        })
    }

    /// Restores its private nodes from their serialized form.
    pub(super) fn restore_private(&mut self, stored: impl Iterator<Item = PrivateNode>) {
        let nodes = Arc::make_mut(&mut self.nodes);
        for (index, node) in self.private.iter().zip(stored) {
            nodes.set_memory(index, node.memory);
            nodes.set_shear(index, node.shear);
            nodes.berm[index] = node.berm;
            nodes.published_berm[index] = node.published_berm;
            nodes.passes[index] = node.passes;
        }
    }

    /// Returns whether two tiles share their nodes.
    #[cfg(test)]
    pub(super) fn shares(&self, other: &WorkingTile) -> bool {
        Arc::ptr_eq(&self.nodes, &other.nodes)
    }
}

/// Writer of a tile whose nodes are not shared.
#[derive(Debug)]
pub struct TileWriter<'a> {
    nodes: &'a mut WorkingNodes,
    private: &'a mut NodeMask,
    loaded: &'a mut NodeMask,
    contact: &'a mut NodeMask,
    ceiling: &'a mut f64,
}

impl TileWriter<'_> {
    /// Stores a loaded node's plastic state and shear; `surface` is the height of its unloaded
    /// surface in that state, m.
    #[inline(always)]
    pub fn load(&mut self, index: usize, memory: PlasticMemory, shear: [f64; 2], surface: f64) {
        self.private.insert(index);
        self.loaded.insert(index);
        self.contact.insert(index);
        self.nodes.set_memory(index, memory);
        self.nodes.set_shear(index, shear);
        self.nodes.surface[index] = surface;
        debug_assert!(surface == self.nodes.unloaded_surface(index));
    }

    /// Raises a node's berm by `quanta` (lowers it if negative).
    #[inline]
    pub fn heap(&mut self, index: usize, quanta: i32) {
        self.private.insert(index);
        self.nodes.berm[index] = self.nodes.berm[index].wrapping_add(quanta);
        self.nodes.update_surface(index);
        *self.ceiling = self.ceiling.max(self.nodes.surface[index]);
    }
}

/// Returns the greatest of `heights`, computed in lanes so that it is vectorized.
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
