//! Room to work in, kept from step to step so that a step allocates nothing.

/// A node in contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touched {
    /// Slot of its tile.
    pub slot: u32,
    /// Index in its tile.
    pub index: u32,
    /// Column and row on the lattice.
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

/// Room for one contact to work in. Its content never outlives a call.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(super) slots: Vec<usize>,
    pub(super) touched: Vec<Touched>,
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
