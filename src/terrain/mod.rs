//! The undisturbed ground: height, slope and soil at (x, y).
//!
//! A [`Terrain`] is immutable and is never stored at soil resolution.

use crate::soil::SoilId;
use crate::spatial::Vec3;

/// The undisturbed ground.
#[derive(Clone, Debug)]
pub struct Terrain {
    elevation: f64,
    soil: SoilId,
}

impl Terrain {
    /// A horizontal plane of one soil, without bounds.
    pub fn flat(elevation: f64, soil: SoilId) -> Terrain {
        Terrain { elevation, soil }
    }

    /// Height at (x, y), m.
    pub fn height(&self, _x: f64, _y: f64) -> f64 {
        self.elevation
    }

    /// Slope (∂z/∂x, ∂z/∂y) at (x, y).
    pub fn gradient(&self, _x: f64, _y: f64) -> [f64; 2] {
        [0.0, 0.0]
    }

    /// Unit normal at (x, y), pointing up.
    pub fn normal(&self, x: f64, y: f64) -> Vec3 {
        let [gx, gy] = self.gradient(x, y);
        Vec3::new(-gx, -gy, 1.0).normalize()
    }

    /// Soil at (x, y).
    pub fn soil(&self, _x: f64, _y: f64) -> SoilId {
        self.soil
    }

    /// Whether (x, y) lies on the terrain.
    pub fn contains(&self, _x: f64, _y: f64) -> bool {
        true
    }

    /// Bounds `[x_min, y_min, x_max, y_max]`, m; infinite for an unbounded plane.
    pub fn bounds(&self) -> [f64; 4] {
        [f64::NEG_INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::INFINITY]
    }
}
