//! What a task draws for a level.

use bekker_agent::PropKind;
use bekker_math::numeric::{cos, sin};
use bekker_scenario::config::{Area, Scenery, Stamp, Surface};
use std::f64::consts::TAU;

/// What a task draws for a level.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LevelSpec {
    /// Shape of the ground.
    pub surface: Surface,
    /// Holes, ditches and bumps.
    pub stamps: Vec<Stamp>,
    /// Soil where nothing else is said.
    pub soil: &'static str,
    /// Patches of other soils.
    pub patches: Vec<Patch>,
    /// Trees and rocks.
    pub standing: Vec<Standing>,
    /// Heading at the start, rad.
    pub heading: f64,
    /// Distance from one vehicle to the next behind it at the start, m.
    pub apart: f64,
    /// Load on the bed, kg.
    pub payload: f64,
    /// Where to, m; the start is at the origin.
    pub goal: [f64; 2],
    /// Speeds to hold, m/s, each for [`LevelSpec::HOLD`] seconds.
    pub speeds: Vec<f64>,
}

impl LevelSpec {
    /// How long each of the speeds is wanted, s.
    pub const HOLD: f64 = 4.0;
}

/// A round patch of another soil.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patch {
    /// Its soil.
    pub soil: &'static str,
    /// Its centre, m.
    pub centre: [f64; 2],
    /// Its radius, m.
    pub radius: f64,
}

impl Patch {
    /// Corners of the polygon that it is made of.
    const CORNERS: u32 = 24;

    pub(super) fn area(&self) -> Area {
        let corner = |n: u32| {
            let angle = TAU * f64::from(n) / f64::from(Patch::CORNERS);
            [self.centre[0] + self.radius * cos(angle), self.centre[1] + self.radius * sin(angle)]
        };
        Area::Polygon { points: (0..Patch::CORNERS).map(corner).collect() }
    }
}

/// A tree or a rock in the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// What it is.
    pub kind: PropKind,
    /// Where, m.
    pub place: [f64; 2],
    /// Diameter where a bumper meets it, m.
    pub diameter: f64,
}

impl Standing {
    /// Diameter of a rock of scale 1, m.
    const ROCK: f64 = 0.92;
    /// How high a tree is on the map, m: higher than it can show.
    const TREE: f64 = 5.0;

    /// How far it stands out of the ground, m.
    pub fn height(&self) -> f64 {
        if self.kind == PropKind::Rock { 0.5 * self.diameter } else { Standing::TREE }
    }

    pub(super) fn scenery(&self) -> Scenery {
        let is_rock = self.kind == PropKind::Rock;
        Scenery {
            kind: Some(self.kind),
            places: vec![self.place],
            scale: if is_rock { self.diameter / Standing::ROCK } else { 1.0 },
            diameter: (!is_rock).then_some(self.diameter),
            ..Scenery::default()
        }
    }
}
