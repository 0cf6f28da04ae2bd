//! Room to work in, kept from step to step so that a step allocates nothing.

use super::Displaced;
use super::placed_tyre::Belt;
use super::pressed_station::Pressed;
use super::ring::RingLoad;
use super::vectors::Vectors;
use crate::Overlay;
use crate::soil::pressure_sinkage::PlasticMemory;
use bekker_math::numeric::{Lanes, Simd, WIDTH};
use bekker_math::spatial::Vec3;

/// A number for each of four nodes. What holds some is aligned to their size, or every other
/// one lies across two lines of the cache.
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

/// Four nodes of one soil, side by side, of which some are in contact. What the
/// others hold does no harm to sums over all: they have no area.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub(super) struct Four {
    /// Which nodes.
    pub spots: [Spot; WIDTH],
    /// Bit k where node k is in contact.
    pub pressed: u32,
    /// Places, m.
    pub place: [Numbers; 2],
    /// Heights of the undisturbed ground, m.
    pub base: Numbers,
    /// Heights from which sinkage is measured, m.
    pub ground: Numbers,
    /// Initial normals.
    pub normal: [Numbers; 3],
    /// Sinkages that stay, m.
    pub residual: Numbers,
    /// Sinkages along the initial normals, m.
    pub sinkage: Numbers,
    /// Heights of the underside, m.
    pub height: Numbers,
    /// Slopes of the underside.
    pub slope: [Numbers; 2],
    /// Covered parts of the cells.
    pub coverage: Numbers,
    /// Places on a body that gives way.
    pub on_body: Numbers,
}

impl Four {
    /// Index of the nodes' soil.
    #[inline(always)]
    pub fn soil(&self) -> usize {
        usize::from(self.spots[0].soil)
    }

    /// Places of the underside from `centre`, m.
    #[inline(always)]
    pub fn offset<S: Simd>(&self, simd: S, centre: &Vec3) -> Vectors<S> {
        Vectors {
            x: Lanes::of(simd, self.place[0]) - centre.x,
            y: Lanes::of(simd, self.place[1]) - centre.y,
            z: Lanes::of(simd, self.height) - centre.z,
        }
    }

    /// Upward normals of the underside, as its slopes tell.
    #[inline(always)]
    pub fn surface<S: Simd>(&self, simd: S) -> Vectors<S> {
        let [x, y] = [Lanes::of(simd, self.slope[0]), Lanes::of(simd, self.slope[1])];
        let z = 1.0 / (x * x + y * y + 1.0).sqrt();
        Vectors { x: -x * z, y: -y * z, z }
    }

    /// Lanes of the nodes in contact.
    #[inline(always)]
    pub fn lanes(&self) -> impl Iterator<Item = usize> + use<> {
        let pressed = self.pressed;
        (0..WIDTH).filter(move |lane| pressed >> lane & 1 == 1)
    }
}

/// What the first pass of the refined laws finds at four nodes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub(super) struct Draft {
    /// Directions of the reaction to pressure.
    pub n: [Numbers; 3],
    /// Arms of the spin of a body that gives way, m.
    pub arm: [Numbers; 3],
    /// Speeds at which sinkage grows, m/s.
    pub sinking: Numbers,
    /// How much deeper the nodes have been since the last step, m.
    pub passed: Numbers,
    /// The same under a front of bounded steepness, m/s.
    pub pressing: Numbers,
    /// How far the nodes can have been pressed in this step, m.
    pub reach: Numbers,
    /// Speeds at which the material leaves the soil along the initial normals, m/s.
    pub leaving: Numbers,
    /// Velocities of the material along the surface, m/s.
    pub sliding: [Numbers; 3],
    /// Areas of the surface over those of the cells.
    pub part: Numbers,
    /// Pressures at which they yield under a normal load, Pa.
    pub virgin: Numbers,
    /// Pressures at which they yielded last, Pa.
    pub yielded_at: Numbers,
    /// Ways slid in this contact, m.
    pub slip: Numbers,
    /// Depths pushed away, m.
    pub pushed: Numbers,
    /// Mobilised parts of the shear strength, against the force.
    pub shear: [Numbers; 3],
    /// Their growth with the velocity, s/m; the shear displacement, m, where
    /// shear is a scalar.
    pub gain: Numbers,
    /// Parts of them that lie along the sliding already.
    pub resists: Numbers,
    /// Factors of a shear curve with a peak.
    pub peak_shear: Numbers,
    /// Whether any meets passive pressure.
    pub advances: bool,
    /// Passive pressures, Pa of horizontal area.
    pub passive: [Numbers; 3],
}

/// What a contact leaves at four nodes, of those of them that are in contact.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub(super) struct Left {
    /// Sinkages that stay, m.
    pub sinkage: Numbers,
    /// Pressures of the last yield, Pa.
    pub yield_pressure: Numbers,
    /// Ways slid in this contact, m.
    pub slip: Numbers,
    /// Depths pushed away, m.
    pub pushed: Numbers,
    /// Shear displacements, m.
    pub shear: [Numbers; 2],
    /// Heights of the surface when nothing loads it, m.
    pub surface: Numbers,
}

/// What the ground does at four nodes to a body that gives way.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub(super) struct Reaction {
    /// Pressures, Pa, ...
    pub pressure: Numbers,
    /// ... along these normals, ...
    pub normal: [Numbers; 3],
    /// ... on these areas of the surface, m²; none where a node is not in contact.
    pub area: Numbers,
    /// Change of pressure with sinkage where it goes on as it does, Pa/m.
    pub slope: Numbers,
    /// The same where the soil eases, Pa/m.
    pub eases: Numbers,
    /// Sinkage over the way along the normal.
    pub part: Numbers,
    /// The soil's damping beyond its limit over the step, Pa/m: a stiffness for a belt.
    pub holds: Numbers,
}

/// Stores what a contact has `left` at the nodes that it `touched`: whether another
/// overlay shares a tile is asked once for all nodes in a row of it.
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

/// Things in a row, made in their places: they are too large to be moved about.
#[derive(Clone, Debug, Default)]
pub(super) struct Row<T> {
    room: Vec<T>,
    used: usize,
}

impl<T: Default> Row<T> {
    pub fn clear(&mut self) {
        self.used = 0;
    }

    /// The place behind the last one, which holds anything.
    #[inline(always)]
    pub fn next(&mut self) -> &mut T {
        if self.used == self.room.len() {
            self.room.push(T::default());
        }
        &mut self.room[self.used]
    }

    /// Takes the place that was given last.
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

/// Room for one contact to work in. Its content never outlives a call.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(super) slots: Vec<usize>,
    pub(super) near: Vec<Spot>,
    pub(super) touched: Row<Four>,
    pub(super) drafts: Row<Draft>,
    pub(super) left: Row<Left>,
    pub(super) reactions: Row<Reaction>,
    /// Made where a belt first needs it, taken while one is worked on.
    pub(super) ring_load: Option<Box<RingLoad>>,
    pub(super) belt: Option<Box<Belt>>,
    /// Stations of a belt on firm ground.
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
    /// Empty room, which grows to its size in the first steps.
    pub fn new() -> Scratch {
        Scratch::default()
    }

    /// Nodes in contact, row by row.
    pub(super) fn spots(&self) -> impl Iterator<Item = &Spot> {
        self.touched.iter().flat_map(|four| four.lanes().map(|lane| &four.spots[lane]))
    }
}
