//! Joints: allowed motion of a body relative to its parent.

use bekker_math::spatial::Vec3;

/// Allowed motion of a body relative to its parent or the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Joint {
    /// Six degrees of freedom; only for bodies without a parent.
    ///
    /// The velocities are the body's angular velocity and the velocity of its origin, in world
    /// axes.
    Free,
    /// Rotation about an axis, given in the parent's axes.
    Revolute(Vec3),
    /// Sliding along an axis, given in the parent's axes.
    Prismatic(Vec3),
    /// Free rotation about the anchor.
    ///
    /// The velocities are the body's angular velocity relative to its parent, in the parent's axes.
    Spherical,
    /// Translation in all directions and rotation about an axis (Schoenflies motion).
    ///
    /// The axis passes through the anchor and is given in the parent's axes. The velocities are
    /// those along the parent's axes and the rate about the axis.
    Schoenflies(Vec3),
    /// No motion: welded.
    Fixed,
}

impl Joint {
    /// Returns the number of velocities of the joint.
    pub fn freedoms(&self) -> usize {
        match self {
            Joint::Free => 6,
            Joint::Schoenflies(_) => 4,
            Joint::Spherical => 3,
            Joint::Revolute(_) | Joint::Prismatic(_) => 1,
            Joint::Fixed => 0,
        }
    }

    /// Whether each velocity is the rate of one of the position numbers.
    pub fn is_scalar(&self) -> bool {
        matches!(self, Joint::Revolute(_) | Joint::Prismatic(_) | Joint::Schoenflies(_))
    }

    /// Returns how many numbers store the position.
    ///
    /// These are an angle or a distance; a quaternion (w, x, y, z); position and quaternion; or
    /// three distances and an angle.
    pub fn positions(&self) -> usize {
        match self {
            Joint::Free => 7,
            Joint::Spherical | Joint::Schoenflies(_) => 4,
            Joint::Revolute(_) | Joint::Prismatic(_) => 1,
            Joint::Fixed => 0,
        }
    }
}
