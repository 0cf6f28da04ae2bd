//! Holes that a search is to find.

/// A hole of the terrain that is to be found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hole {
    /// Its centre, m.
    pub centre: [f64; 2],
    /// Radius of its rim, m.
    pub radius: f64,
}
