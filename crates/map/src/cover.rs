//! What a vehicle meets in a cell besides its slope: each that occurs has a table of its own.

use super::conditions::{Ridges, Stems};
use bekker_agent::PropKind;
use bekker_ground::soil::SoilId;
use bekker_scenario::config::{Face, Roughness, Scenery, Stamp};

/// Room that a driver leaves to a stem on either side, m.
const BESIDE_A_STEM: f64 = 0.3;
/// Way before the first stem or ridge, m: a vehicle's nose is behind it.
pub(super) const BEFORE: f64 = 6.0;
/// Half of the length of a ridge, m.
const HALF_RIDGE: f64 = 30.0;

/// What a vehicle meets besides the slope.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cover {
    /// The soil.
    pub soil: SoilId,
    /// Roughness, instead of the terrain's.
    pub roughness: Option<Roughness>,
    /// Depth of snow on it, m.
    pub snow: Option<f64>,
    /// Depth to which it is frozen, m.
    pub frost: Option<f64>,
    /// Stems that stand too close to be driven around.
    pub stems: Option<Stems>,
    /// Ridges across the way.
    pub ridges: Option<Ridges>,
}

impl Cover {
    /// A soil alone.
    pub fn of(soil: SoilId) -> Cover {
        Cover { soil, roughness: None, snow: None, frost: None, stems: None, ridges: None }
    }
}

impl Stems {
    /// Whether a vehicle of this width, m, has to push them over: it does not fit between them.
    pub(super) fn bar(&self, width: f64) -> bool {
        self.spacing - self.diameter < width + 2.0 * BESIDE_A_STEM
    }

    /// Stems in a row along a way of this length, m.
    pub(super) fn along(&self, way: &Along) -> Scenery {
        self.at(way.places(self.spacing).map(|along| way.point(along, 0.0)).collect())
    }

    /// Stems at places, m.
    pub(super) fn at(&self, places: Vec<[f64; 2]>) -> Scenery {
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
    /// One across the x axis, so far along it, m.
    pub fn across_x(&self, along: f64) -> Stamp {
        let axis = Along { from: [0.0; 2], towards: [1.0, 0.0], length: 0.0 };
        self.at(&axis, along, HALF_RIDGE)
    }

    /// Ridges across a way.
    pub(super) fn across(&self, way: &Along) -> impl Iterator<Item = Stamp> {
        way.places(self.spacing).map(|along| self.at(way, along, HALF_RIDGE))
    }

    /// A ridge across a way, so far along it and to either side, m.
    pub(super) fn at(&self, way: &Along, along: f64, half: f64) -> Stamp {
        Stamp::Ridge {
            from: way.point(along, -half),
            to: way.point(along, half),
            width: self.width,
            height: self.height,
            edge: None,
            face: Face::default(),
        }
    }
}

/// A straight way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Along {
    pub from: [f64; 2],
    /// Its direction, of length 1.
    pub towards: [f64; 2],
    /// m.
    pub length: f64,
}

impl Along {
    fn point(&self, along: f64, left: f64) -> [f64; 2] {
        let [x, y] = self.towards;
        [self.from[0] + along * x - left * y, self.from[1] + along * y + left * x]
    }

    /// One behind the other as far as the way goes, one at least.
    fn places(&self, spacing: f64) -> impl Iterator<Item = f64> {
        let count = ((self.length - BEFORE) / spacing).floor().max(0.0) as usize + 1;
        (0..count).map(move |n| BEFORE + n as f64 * spacing)
    }
}
