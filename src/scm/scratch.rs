//! Room to work in, kept from step to step so that a step allocates nothing.

use crate::spatial::Vec3;

/// A node that may be in contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// Slot of its tile.
    pub slot: u32,
    /// Index in its tile.
    pub index: u32,
    /// Column on the lattice.
    pub i: i32,
    /// Row on the lattice.
    pub j: i32,
}

/// A node in contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touched {
    /// Slot of its tile.
    pub slot: u32,
    /// Index in its tile.
    pub index: u32,
    /// Index of its soil.
    pub soil: u32,
    /// Column on the lattice.
    pub i: i32,
    /// Row on the lattice.
    pub j: i32,
    /// Sinkage along the initial normal, m.
    pub sinkage: f64,
    /// Height of the underside, m.
    pub height: f64,
    /// Slope of the underside.
    pub slope: [f64; 2],
    /// Covered part of its cell.
    pub coverage: f64,
}

/// What the first pass of the refined laws finds at a node in contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draft {
    /// Direction of the reaction to pressure.
    pub n: Vec3,
    /// Place, from the body's centre, m.
    pub r: Vec3,
    /// Speed at which sinkage grows, m/s.
    pub sinking: f64,
    /// How much deeper the node has been since the last step, m.
    pub passed: f64,
    /// Speed at which the material leaves the soil, m/s.
    pub leaving: f64,
    /// Velocity of the material along the surface, m/s.
    pub sliding: Vec3,
    /// Area of the surface over that of the cell.
    pub part: f64,
    /// Pressure at which it yields under a normal load, Pa.
    pub virgin: f64,
    /// Way slid in this contact, m.
    pub slip: f64,
    /// Mobilised part of the shear strength, against the force.
    pub shear: Vec3,
    /// Its growth with the velocity, s/m; the shear displacement, m, where
    /// shear is a scalar.
    pub gain: f64,
    /// Part of it that lies along the sliding already.
    pub resists: f64,
    /// Factor of a humped shear curve.
    pub hump: f64,
    /// Passive pressure, Pa of horizontal area.
    pub passive: Vec3,
}

/// Room for one contact to work in. Its content never outlives a call.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(super) slots: Vec<usize>,
    pub(super) candidates: Vec<Candidate>,
    pub(super) touched: Vec<Touched>,
    pub(super) drafts: Vec<Draft>,
    pub(super) row_ends: Vec<[f64; 2]>,
    pub(super) hull: Vec<[f64; 2]>,
    pub(super) levels: Vec<f64>,
    pub(super) quanta: Vec<i32>,
    pub(super) cells: Vec<u8>,
    pub(super) rim: Vec<usize>,
}

impl Scratch {
    /// Empty room, which grows to its size in the first steps.
    pub fn new() -> Scratch {
        Scratch::default()
    }
}
