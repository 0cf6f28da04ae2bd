//! Rays.

use bekker_math::spatial::Vec3;

/// A straight line of sight through the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it starts, world, m.
    pub origin: Vec3,
    /// Unit direction, world.
    pub direction: Vec3,
    /// When it is sent, as a share of the time between the scene's two keyframes:
    /// 0 at the earlier one, 1 at the later.
    pub moment: f64,
}

impl Ray {
    /// A ray that stands for none.
    pub(super) const NONE: Ray =
        Ray { origin: Vec3::new(0.0, 0.0, 0.0), direction: Vec3::new(0.0, 0.0, 1.0), moment: 1.0 };

    /// A ray at the scene's later keyframe.
    pub fn new(origin: Vec3, direction: Vec3) -> Ray {
        Ray { origin, direction, moment: 1.0 }
    }

    /// The point at `range` along the ray, m.
    #[inline]
    pub fn at(&self, range: f64) -> Vec3 {
        self.origin + self.direction * range
    }
}
