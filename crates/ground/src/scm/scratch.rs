//! Scratch memory, kept from step to step so that a step does not allocate.

use super::Displaced;
use super::placed_tyre::Belt;
use super::pressed_station::Pressed;
use super::ring::RingLoad;
use super::vectors::Vectors;
use crate::Overlay;
use crate::soil::pressure_sinkage::PlasticMemory;
use bekker_math::numeric::{Lanes, Simd, WIDTH};
use bekker_math::spatial::Vec3;

/// A number for each of four nodes. Structs with such members are aligned to their size; otherwise
/// every other one would straddle two cache lines.
pub(super) type Numbers = [f64; WIDTH];

/// A node near a body.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spot {
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
pub(super) struct Four {
    /// The nodes.
    pub spots: [Spot; WIDTH],
    /// Bit k is set where node k is in contact.
    pub pressed: u32,
    /// Positions, m.
    pub place: [Numbers; 2],
    /// Heights of the undisturbed ground, m.
    pub base: Numbers,
    /// Heights from which sinkage is measured, m.
    pub ground: Numbers,
    /// Initial normals.
    pub normal: [Numbers; 3],
    /// Permanent sinkages, m.
    pub residual: Numbers,
    /// Sinkages along the initial normals, m.
    pub sinkage: Numbers,
    /// Heights of the underside, m.
    pub height: Numbers,
    /// Slopes of the underside.
    pub slope: [Numbers; 2],
    /// Covered fractions of the cells.
    pub coverage: Numbers,
    /// Positions on a flexible body.
    pub on_body: Numbers,
}

impl Four {
    /// Index of the nodes' soil.
    #[inline(always)]
    pub fn soil(&self) -> usize {
        usize::from(self.spots[0].soil)
    }

    /// Returns the positions of the underside from `centre`, m.
    #[inline(always)]
    pub fn offset<S: Simd>(&self, simd: S, centre: &Vec3) -> Vectors<S> {
        Vectors {
            x: Lanes::of(simd, self.place[0]) - centre.x,
            y: Lanes::of(simd, self.place[1]) - centre.y,
            z: Lanes::of(simd, self.height) - centre.z,
        }
    }

    /// Returns upward normals of the underside from its slopes.
    #[inline(always)]
    pub fn surface<S: Simd>(&self, simd: S) -> Vectors<S> {
        let [x, y] = [Lanes::of(simd, self.slope[0]), Lanes::of(simd, self.slope[1])];
        let z = 1.0 / (x * x + y * y + 1.0).sqrt();
        Vectors { x: -x * z, y: -y * z, z }
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
pub(super) struct Draft {
    /// Directions of the pressure's reaction.
    pub n: [Numbers; 3],
    /// Arms of the spin of a flexible body, m.
    pub arm: [Numbers; 3],
    /// Speeds at which sinkage grows, m/s.
    pub sinking: Numbers,
    /// Greater depths that the nodes reached since the last step, m.
    pub passed: Numbers,
    /// Sinking speeds under a front of bounded steepness, m/s.
    pub pressing: Numbers,
    /// Greatest distances by which the nodes can have been pressed in this step, m.
    pub reach: Numbers,
    /// Speeds at which the material leaves the soil along the initial normals, m/s.
    pub leaving: Numbers,
    /// Velocities of the material along the surface, m/s.
    pub sliding: [Numbers; 3],
    /// Areas of the surface over the areas of the cells.
    pub part: Numbers,
    /// Yield pressures under a normal load, Pa.
    pub virgin: Numbers,
    /// Pressures of the last yield, Pa.
    pub yielded_at: Numbers,
    /// Slip distances in this contact, m.
    pub slip: Numbers,
    /// Depths pushed away, m.
    pub pushed: Numbers,
    /// Mobilized fractions of the shear strength, opposite to the force.
    pub shear: [Numbers; 3],
    /// Growth of the fractions with velocity, s/m; the shear displacement, m, where shear is a
    /// scalar.
    pub gain: Numbers,
    /// Parts of the fractions that are already along the sliding.
    pub resists: Numbers,
    /// Factors of a shear curve with a peak.
    pub peak_shear: Numbers,
    /// Whether passive pressure acts on any node.
    pub advances: bool,
    /// Passive pressures, Pa of horizontal area.
    pub passive: [Numbers; 3],
}

/// New state of four nodes; only lanes in contact are valid.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub(super) struct Left {
    /// Permanent sinkages, m.
    pub sinkage: Numbers,
    /// Pressures of the last yield, Pa.
    pub yield_pressure: Numbers,
    /// Slip distances in this contact, m.
    pub slip: Numbers,
    /// Depths pushed away, m.
    pub pushed: Numbers,
    /// Shear displacements, m.
    pub shear: [Numbers; 2],
    /// Heights of the unloaded surface, m.
    pub surface: Numbers,
}

/// Reaction of the soil at four nodes on a flexible body.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub(super) struct Reaction {
    /// Pressures, Pa.
    pub pressure: Numbers,
    /// Normals along which they act.
    pub normal: [Numbers; 3],
    /// Areas of the surface, m²; zero where a node is not in contact.
    pub area: Numbers,
    /// Derivative of pressure by sinkage in the current direction, Pa/m.
    pub slope: Numbers,
    /// Derivative of pressure by sinkage on unloading, Pa/m.
    pub eases: Numbers,
    /// Sinkage over the displacement along the normal.
    pub part: Numbers,
    /// Damping of the soil beyond its limit divided by the step, Pa/m: a stiffness for a belt.
    pub holds: Numbers,
}

/// Stores the new state `left` of the nodes that a contact `touched`. Whether a tile is shared with
/// another overlay is checked once per run of nodes in a tile.
#[inline(always)]
pub(super) fn store(overlay: &mut Overlay, touched: &[Four], left: &[Left]) {
    let Some(first) = touched.first() else { return };
    let mut slot = first.spots[0].slot;
    let mut tile = overlay.writer(slot as usize);
    for (four, left) in touched.iter().zip(left) {
        for k in four.lanes() {
            let spot = &four.spots[k];
            if spot.slot != slot {
                slot = spot.slot;
                tile = overlay.writer(slot as usize);
            }
            let memory = PlasticMemory {
                sinkage: left.sinkage[k],
                yield_pressure: left.yield_pressure[k],
                slip: left.slip[k],
                pushed: left.pushed[k],
            };
            let shear = [left.shear[0][k], left.shear[1][k]];
            tile.load(spot.index.into(), memory, shear, left.surface[k]);
        }
    }
}

/// A vector whose items are built in place, because they are too large to be moved.
#[derive(Clone, Debug, Default)]
pub(super) struct Row<T> {
    room: Vec<T>,
    used: usize,
}

impl<T: Default> Row<T> {
    pub fn clear(&mut self) {
        self.used = 0;
    }

    /// Returns the next unused item, with arbitrary content.
    #[inline(always)]
    pub fn next(&mut self) -> &mut T {
        if self.used == self.room.len() {
            self.room.push(T::default());
        }
        &mut self.room[self.used]
    }

    /// Marks the item that [`next`](Row::next) returned as used.
    #[inline(always)]
    pub fn take(&mut self) {
        self.used += 1;
    }
}

impl<T> std::ops::Deref for Row<T> {
    type Target = [T];
    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.room[..self.used]
    }
}

/// Scratch memory of one contact. Its content never outlives a call.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(super) slots: Vec<usize>,
    pub(super) near: Vec<Spot>,
    pub(super) touched: Row<Four>,
    pub(super) drafts: Row<Draft>,
    pub(super) left: Row<Left>,
    pub(super) reactions: Row<Reaction>,
    /// Allocated at the first use by a belt, and taken out while in use.
    pub(super) ring_load: Option<Box<RingLoad>>,
    pub(super) belt: Option<Box<Belt>>,
    /// Belt stations on firm ground.
    pub(super) pressed: Vec<Pressed>,
    pub(super) row_ends: Vec<[f64; 2]>,
    pub(super) hull: Vec<[f64; 2]>,
    pub(super) levels: Vec<f64>,
    pub(super) quanta: Vec<i32>,
    pub(super) cells: Vec<u8>,
    pub(super) rim: Vec<usize>,
    pub(super) patches: Vec<Displaced>,
}

impl Scratch {
    /// Returns empty scratch memory, which grows to its final size in the first steps.
    pub fn new() -> Scratch {
        Scratch::default()
    }

    /// Returns the nodes in contact, row by row.
    pub(super) fn spots(&self) -> impl Iterator<Item = &Spot> {
        self.touched.iter().flat_map(|four| four.lanes().map(|lane| &four.spots[lane]))
    }
}
