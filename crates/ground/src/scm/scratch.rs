//! Scratch memory, kept from step to step so that a step does not allocate.

use super::DisplacedSoil;
use super::belt::Belt;
use super::footprint::{CellCover, CellDepth};
use super::ring::RingLoad;
use super::station_load::StationLoad;
use super::vector_lanes::VectorLanes;
use crate::Overlay;
use crate::soil::pressure_sinkage::PlasticMemory;
use bekker_math::numeric::{Lanes, Simd, WIDTH};
use bekker_math::spatial::Vec3;

/// A number for each of four nodes. Structs with such members are aligned to their size; otherwise
/// every other one would straddle two cache lines.
pub(super) type LaneArray = [f64; WIDTH];

/// A node near a body.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NodeRef {
    /// Slot of its tile.
    pub slot: u32,
    /// Index in its tile.
    pub index: u8,
    /// Index of its soil.
    pub soil: u16,
    /// Column on the lattice.
    pub i: i32,
    /// Row on the lattice.
    pub j: i32,
}

/// Four nodes of one soil in lanes, some of which are in contact. The other lanes do not affect
/// sums: their area is zero.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub(super) struct NodeLanes {
    /// The nodes.
    pub spots: [NodeRef; WIDTH],
    /// Bit k is set where node k is in contact.
    pub pressed: u32,
    /// Positions, m.
    pub node: [LaneArray; 2],
    /// Positions of the middles of the covered parts of their cells, m.
    pub position: [LaneArray; 2],
    /// Heights of the undisturbed ground, m.
    pub base: LaneArray,
    /// Heights from which sinkage is measured, m.
    pub ground: LaneArray,
    /// Initial normals.
    pub normal: [LaneArray; 3],
    /// Permanent sinkages, m.
    pub residual: LaneArray,
    /// Sinkages along the initial normals, m.
    pub sinkage: LaneArray,
    /// Heights of the underside, m.
    pub height: LaneArray,
    /// Slopes of the underside.
    pub slope: [LaneArray; 2],
    /// Covered fractions of the cells.
    pub coverage: LaneArray,
    /// Positions on a flexible body.
    pub on_body: LaneArray,
    /// Depths of a flexible body: see [`CellDepth`].
    pub depth: [LaneArray; 3],
    /// Sinking of a flexible body per growth of the sinkage.
    pub growth: LaneArray,
    /// Radii of a flexible body, and those at the ends less their means: see [`CellCover`].
    pub cover: [LaneArray; 3],
    /// Reciprocal widths: see [`CellCover`].
    pub inverse_width: LaneArray,
    /// Shares of the strips of a belt, by lane.
    pub strips: [[f64; 4]; WIDTH],
}

impl NodeLanes {
    /// Index of the nodes' soil.
    #[inline(always)]
    pub fn soil(&self) -> usize {
        usize::from(self.spots[0].soil)
    }

    /// Returns the positions of the underside from `center`, m.
    #[inline(always)]
    pub fn offset<S: Simd>(&self, simd: S, center: &Vec3) -> VectorLanes<S> {
        VectorLanes {
            x: Lanes::new(simd, self.position[0]) - center.x,
            y: Lanes::new(simd, self.position[1]) - center.y,
            z: Lanes::new(simd, self.height) - center.z,
        }
    }

    /// Returns the tread over the cells.
    #[inline(always)]
    pub fn cover<S: Simd>(&self, simd: S) -> CellCover<S> {
        let [radius, inner, outer] = self.cover.map(|own| Lanes::new(simd, own));
        let inverse_width = Lanes::new(simd, self.inverse_width);
        CellCover { radius, inner, outer, inverse_width, ..CellCover::at_nodes(simd) }
    }

    /// Returns the depth of a flexible body.
    #[inline(always)]
    pub fn depth<S: Simd>(&self, simd: S) -> CellDepth<S> {
        let [mean, more, support] = self.depth.map(|own| Lanes::new(simd, own));
        CellDepth { mean, more, support }
    }

    /// Returns upward normals of the underside from its slopes.
    #[inline(always)]
    pub fn surface<S: Simd>(&self, simd: S) -> VectorLanes<S> {
        let [x, y] = [Lanes::new(simd, self.slope[0]), Lanes::new(simd, self.slope[1])];
        let z = 1.0 / (x * x + y * y + 1.0).sqrt();
        VectorLanes { x: -x * z, y: -y * z, z }
    }

    /// Returns the lanes of the nodes in contact.
    #[inline(always)]
    pub fn lanes(&self) -> impl Iterator<Item = usize> + use<> {
        let pressed = self.pressed;
        (0..WIDTH).filter(move |lane| pressed >> lane & 1 == 1)
    }
}

/// Results of the first pass of the refined laws at four nodes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub(super) struct PredictorLanes {
    /// Directions of the pressure's reaction.
    pub n: [LaneArray; 3],
    /// Arms of the spin of a flexible body, m.
    pub arm: [LaneArray; 3],
    /// Speeds at which sinkage grows, m/s.
    pub sinking: LaneArray,
    /// Greater depths that the nodes reached since the last step, m.
    pub passed: LaneArray,
    /// Sinking speeds under a front of bounded steepness, m/s.
    pub pressing: LaneArray,
    /// Greatest distances by which the nodes can have been pressed in this step, m.
    pub reach: LaneArray,
    /// Speeds at which the material leaves the soil along the initial normals, m/s.
    pub leaving: LaneArray,
    /// Velocities of the material along the surface, m/s.
    pub sliding: [LaneArray; 3],
    /// Areas of the surface over the areas of the cells.
    pub part: LaneArray,
    /// Yield pressures under a normal load, Pa.
    pub virgin: LaneArray,
    /// Pressures of the last yield, Pa.
    pub yielded_at: LaneArray,
    /// Slip distances in this contact, m.
    pub slip: LaneArray,
    /// Depths pushed away, m.
    pub pushed: LaneArray,
    /// Mobilized fractions of the shear strength, opposite to the force.
    pub shear: [LaneArray; 3],
    /// Growth of the fractions with velocity, s/m; the shear displacement, m, where shear is a
    /// scalar.
    pub gain: LaneArray,
    /// Parts of the fractions that are already along the sliding.
    pub resists: LaneArray,
    /// Factors of a shear curve with a peak.
    pub peak_shear: LaneArray,
    /// Whether passive pressure acts on any node.
    pub advances: bool,
    /// Passive pressures, Pa of horizontal area.
    pub passive: [LaneArray; 3],
    /// Whether snow in a rut resists.
    pub drags: bool,
    /// Horizontal resistance of snow in a rut, Pa of horizontal area.
    pub drag: [LaneArray; 2],
}

/// New state of four nodes; only lanes in contact are valid.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub(super) struct NodeUpdate {
    /// Permanent sinkages, m.
    pub sinkage: LaneArray,
    /// Pressures of the last yield, Pa.
    pub yield_pressure: LaneArray,
    /// Slip distances in this contact, m.
    pub slip: LaneArray,
    /// Depths pushed away, m.
    pub pushed: LaneArray,
    /// Shear displacements, m.
    pub shear: [LaneArray; 2],
    /// Heights of the unloaded surface, m.
    pub surface: LaneArray,
}

/// Reaction of the soil at four nodes on a flexible body.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub(super) struct LaneReaction {
    /// Pressures, Pa.
    pub pressure: LaneArray,
    /// Normals along which they act.
    pub normal: [LaneArray; 3],
    /// Areas of the surface, m²; zero where a node is not in contact.
    pub area: LaneArray,
    /// Derivative of pressure by sinkage in the current direction, Pa/m.
    pub slope: LaneArray,
    /// Derivative of pressure by sinkage on unloading, Pa/m.
    pub unloading_slope: LaneArray,
    /// Sinkage over the displacement along the normal.
    pub part: LaneArray,
    /// Damping of the soil beyond its limit divided by the step, Pa/m: a stiffness for a belt.
    pub damping_stiffness: LaneArray,
}

/// Stores the new state `left` of the nodes that a contact `touched`. Whether a tile is shared with
/// another overlay is checked once per run of nodes in a tile.
#[inline(always)]
pub(super) fn store(overlay: &mut Overlay, touched: &[NodeLanes], updates: &[NodeUpdate]) {
    let Some(first) = touched.first() else { return };
    let mut slot = first.spots[0].slot;
    let mut tile = overlay.writer(slot as usize);
    for (four, update) in touched.iter().zip(updates) {
        for k in four.lanes() {
            let spot = &four.spots[k];
            if spot.slot != slot {
                slot = spot.slot;
                tile = overlay.writer(slot as usize);
            }
            let memory = PlasticMemory {
                sinkage: update.sinkage[k],
                yield_pressure: update.yield_pressure[k],
                slip: update.slip[k],
                pushed: update.pushed[k],
            };
            let shear = [update.shear[0][k], update.shear[1][k]];
            tile.load(spot.index.into(), memory, shear, update.surface[k]);
        }
    }
}

/// A vector whose items are built in place, because they are too large to be moved.
#[derive(Clone, Debug, Default)]
pub(super) struct ScratchVec<T> {
    items: Vec<T>,
    used: usize,
}

impl<T: Default> ScratchVec<T> {
    pub fn clear(&mut self) {
        self.used = 0;
    }

    /// Returns the next unused item, with arbitrary content.
    #[inline(always)]
    pub fn next_unused(&mut self) -> &mut T {
        if self.used == self.items.len() {
            self.items.push(T::default());
        }
        &mut self.items[self.used]
    }

    /// Marks the item that [`next`](ScratchVec::next_unused) returned as used.
    #[inline(always)]
    pub fn mark_used(&mut self) {
        self.used += 1;
    }
}

impl<T> std::ops::Deref for ScratchVec<T> {
    type Target = [T];
    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.items[..self.used]
    }
}

/// Scratch memory of one contact. Its content never outlives a call.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(super) slots: Vec<usize>,
    pub(super) near: Vec<NodeRef>,
    pub(super) touched: ScratchVec<NodeLanes>,
    pub(super) predictions: ScratchVec<PredictorLanes>,
    pub(super) updates: ScratchVec<NodeUpdate>,
    pub(super) reactions: ScratchVec<LaneReaction>,
    /// Allocated at the first use by a belt, and taken out while in use.
    pub(super) ring_load: Option<Box<RingLoad>>,
    pub(super) belt: Option<Box<Belt>>,
    /// Belt stations on firm ground.
    pub(super) station_loads: Vec<StationLoad>,
    pub(super) row_ends: Vec<[f64; 2]>,
    pub(super) hull: Vec<[f64; 2]>,
    pub(super) levels: Vec<f64>,
    pub(super) quanta: Vec<i32>,
    pub(super) cells: Vec<u8>,
    pub(super) rim: Vec<usize>,
    pub(super) patches: Vec<DisplacedSoil>,
}

impl Scratch {
    /// Returns empty scratch memory, which grows to its final size in the first steps.
    pub fn new() -> Scratch {
        Scratch::default()
    }

    /// Returns the nodes in contact, row by row.
    pub(super) fn spots(&self) -> impl Iterator<Item = &NodeRef> {
        self.touched.iter().flat_map(|four| four.lanes().map(|lane| &four.spots[lane]))
    }
}
