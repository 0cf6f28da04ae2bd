//! Rays.

use crate::spatial::Vec3;

/// A straight line of sight through the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it starts, world, m.
    pub origin: Vec3,
    /// Unit direction, world.
    pub direction: Vec3,
}

impl Ray {
    /// The point at `range` along the ray, m.
    #[inline]
    pub fn at(&self, range: f64) -> Vec3 {
        self.origin + self.direction * range
    }
}
