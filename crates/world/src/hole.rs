//! Holes that a search must find.

/// A hole of the terrain that a search must find.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hole {
    /// Its center, m.
    pub center: [f64; 2],
    /// Radius of its rim, m.
    pub radius: f64,
}
