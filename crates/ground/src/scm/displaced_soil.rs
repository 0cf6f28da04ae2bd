//! Soil that bodies displace in one step.

/// Volume of permanent sinkage under a body, to be heaped up around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DisplacedSoil {
    /// Index in the table of soils.
    pub(super) soil: usize,
    /// Lattice indices of the westernmost, easternmost, southernmost and northernmost
    /// node in contact.
    pub(super) bounds: [i32; 4],
    /// Volume, m³.
    pub(super) volume: f64,
}

impl DisplacedSoil {
    /// Returns whether the two patches have neighboring nodes.
    pub(super) fn touches(&self, other: &DisplacedSoil) -> bool {
        let [west, east, south, north] = self.bounds;
        let [other_west, other_east, other_south, other_north] = other.bounds;
        west <= other_east + 1
            && other_west <= east + 1
            && south <= other_north + 1
            && other_south <= north + 1
    }

    /// Returns the union of both; the soil is that of `self`.
    pub(super) fn union(&self, other: &DisplacedSoil) -> DisplacedSoil {
        let [a, b] = [self.bounds, other.bounds];
        let bounds = [a[0].min(b[0]), a[1].max(b[1]), a[2].min(b[2]), a[3].max(b[3])];
        DisplacedSoil { soil: self.soil, bounds, volume: self.volume + other.volume }
    }
}
