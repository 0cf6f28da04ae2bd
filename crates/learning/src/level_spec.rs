//! Parameters that a task draws for a level.

use bekker_agent::PropKind;
use bekker_math::numeric::{cos, sin};
use bekker_scenario::config::{AreaConfig, Scenery, StampConfig, SurfaceConfig};
use std::f64::consts::TAU;

/// Parameters that a task draws for a level.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LevelSpec {
    /// Shape of the ground.
    pub surface: SurfaceConfig,
    /// Holes, ditches and bumps.
    pub stamps: Vec<StampConfig>,
    /// Soil outside all patches.
    pub soil: &'static str,
    /// Patches of other soils.
    pub patches: Vec<SoilPatch>,
    /// Trees and rocks.
    pub obstacles: Vec<LevelObstacle>,
    /// Heading at the start, rad.
    pub heading: f64,
    /// Spacing between consecutive vehicles at the start, m.
    pub vehicle_spacing: f64,
    /// Load on the bed, kg.
    pub payload: f64,
    /// Goal, m; the start is at the origin.
    pub goal: [f64; 2],
    /// Target speeds, m/s, each for [`LevelSpec::HOLD`] seconds.
    pub speeds: Vec<f64>,
}

impl LevelSpec {
    /// Time for which each speed is the target, s.
    pub const HOLD: f64 = 4.0;
}

/// A round patch of another soil.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoilPatch {
    /// Soil of the patch.
    pub soil: &'static str,
    /// Center, m.
    pub center: [f64; 2],
    /// Radius, m.
    pub radius: f64,
}

impl SoilPatch {
    /// Number of corners of the polygon that approximates the patch.
    const CORNERS: u32 = 24;

    pub(super) fn area(&self) -> AreaConfig {
        let corner = |n: u32| {
            let angle = TAU * f64::from(n) / f64::from(SoilPatch::CORNERS);
            [self.center[0] + self.radius * cos(angle), self.center[1] + self.radius * sin(angle)]
        };
        AreaConfig::Polygon { points: (0..SoilPatch::CORNERS).map(corner).collect() }
    }
}

/// A tree or a rock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelObstacle {
    /// Kind of obstacle.
    pub kind: PropKind,
    /// Position, m.
    pub place: [f64; 2],
    /// Diameter at the height of a bumper, m.
    pub diameter: f64,
}

impl LevelObstacle {
    /// Diameter of a rock of scale 1, m.
    const ROCK: f64 = 0.92;
    /// Height of a tree on the map, m; more than the map can represent.
    const TREE: f64 = 5.0;

    /// Height above the ground, m.
    pub fn height(&self) -> f64 {
        if self.kind == PropKind::Rock { 0.5 * self.diameter } else { LevelObstacle::TREE }
    }

    pub(super) fn scenery(&self) -> Scenery {
        let is_rock = self.kind == PropKind::Rock;
        Scenery {
            kind: Some(self.kind),
            places: vec![self.place],
            scale: if is_rock { self.diameter / LevelObstacle::ROCK } else { 1.0 },
            diameter: (!is_rock).then_some(self.diameter),
            ..Scenery::default()
        }
    }
}
