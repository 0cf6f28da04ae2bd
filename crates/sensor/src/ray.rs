//! Rays.

use bekker_math::spatial::Vec3;

/// Line of sight through the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Start point, world, m.
    pub origin: Vec3,
    /// Unit direction, world.
    pub direction: Vec3,
    /// Time of emission as a fraction of the time between the scene's two keyframes: 0 at the
    /// earlier one, 1 at the later.
    pub moment: f64,
}

impl Ray {
    /// Placeholder for no ray.
    pub(super) const NONE: Ray =
        Ray { origin: Vec3::new(0.0, 0.0, 0.0), direction: Vec3::new(0.0, 0.0, 1.0), moment: 1.0 };

    /// Creates a ray at the scene's later keyframe.
    pub fn new(origin: Vec3, direction: Vec3) -> Ray {
        Ray { origin, direction, moment: 1.0 }
    }

    /// Returns the point at `range` along the ray, m.
    #[inline]
    pub fn point_at(&self, range: f64) -> Vec3 {
        self.origin + self.direction * range
    }
}
