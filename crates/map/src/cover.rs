//! Cover of a cell: all ground properties except its slope; each cover that occurs has its own
//! table.

use super::conditions::{Ridges, Stems};
use bekker_agent::PropKind;
use bekker_ground::soil::SoilId;
use bekker_scenario::config::{Face, RoughnessConfig, Scenery, StampConfig};

/// Clearance of a driver to a stem on either side, m.
const STEM_CLEARANCE: f64 = 0.3;
/// Distance before the first stem or ridge, m: the start of the vehicle's nose is behind it.
pub(super) const START_CLEARANCE: f64 = 6.0;
/// Half the length of a ridge, m.
const HALF_RIDGE: f64 = 30.0;

/// Ground properties of a cell except its slope.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundCover {
    /// The soil.
    pub soil: SoilId,
    /// Roughness, replacing that of the terrain.
    pub roughness: Option<RoughnessConfig>,
    /// Depth of snow, m.
    pub snow: Option<f64>,
    /// Depth of frost, m.
    pub frost: Option<f64>,
    /// Stems too close to be driven around.
    pub stems: Option<Stems>,
    /// Ridges across the path.
    pub ridges: Option<Ridges>,
}

impl GroundCover {
    /// Returns the cover of bare soil.
    pub fn bare(soil: SoilId) -> GroundCover {
        GroundCover { soil, roughness: None, snow: None, frost: None, stems: None, ridges: None }
    }
}

impl Stems {
    /// Returns whether a vehicle of this width, m, does not fit between stems and must override
    /// them.
    pub(super) fn blocks(&self, width: f64) -> bool {
        self.spacing - self.diameter < width + 2.0 * STEM_CLEARANCE
    }

    /// Returns a row of stems along a path.
    pub(super) fn along_path(&self, path: &StraightPath) -> Scenery {
        self.stems_at(path.places(self.spacing).map(|along| path.point(along, 0.0)).collect())
    }

    /// Returns stems at positions, m.
    pub(super) fn stems_at(&self, places: Vec<[f64; 2]>) -> Scenery {
        Scenery {
            kind: Some(PropKind::Post),
            places,
            diameter: Some(self.diameter),
            clear: 0.0,
            ..Scenery::default()
        }
    }
}

impl Ridges {
    /// Returns a ridge across the x axis at `along`, m.
    pub fn across_x(&self, along: f64) -> StampConfig {
        let axis = StraightPath { from: [0.0; 2], towards: [1.0, 0.0], length: 0.0 };
        self.ridge_at(&axis, along, HALF_RIDGE)
    }

    /// Returns the ridges across a path.
    pub(super) fn across_path(&self, path: &StraightPath) -> impl Iterator<Item = StampConfig> {
        path.places(self.spacing).map(|along| self.ridge_at(path, along, HALF_RIDGE))
    }

    /// Returns a ridge across a path at `along`, m, that extends `half` m to either side.
    pub(super) fn ridge_at(&self, path: &StraightPath, along: f64, half: f64) -> StampConfig {
        StampConfig::Ridge {
            from: path.point(along, -half),
            to: path.point(along, half),
            width: self.width,
            height: self.height,
            edge: None,
            face: Face::default(),
        }
    }
}

/// A straight path.
#[derive(Clone, Copy, Debug)]
pub(super) struct StraightPath {
    pub from: [f64; 2],
    /// Direction, a unit vector.
    pub towards: [f64; 2],
    /// Length, m.
    pub length: f64,
}

impl StraightPath {
    fn point(&self, along: f64, left: f64) -> [f64; 2] {
        let [x, y] = self.towards;
        [self.from[0] + along * x - left * y, self.from[1] + along * y + left * x]
    }

    /// Returns positions at a spacing along the path; at least one.
    fn places(&self, spacing: f64) -> impl Iterator<Item = f64> {
        let count = ((self.length - START_CLEARANCE) / spacing).floor().max(0.0) as usize + 1;
        (0..count).map(move |n| START_CLEARANCE + n as f64 * spacing)
    }
}
