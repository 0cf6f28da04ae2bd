//! Joints: how a body may move against its parent.

use bekker_math::spatial::Vec3;

/// How a body may move against its parent (or the world).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Joint {
    /// Six freedoms; its velocities are the body's angular velocity and the
    /// velocity of its origin, in world axes. Only for bodies without parent.
    Free,
    /// Rotation about an axis, given in the parent's axes.
    Revolute(Vec3),
    /// Sliding along an axis, given in the parent's axes.
    Prismatic(Vec3),
    /// Free rotation about the anchor; its velocities are the body's angular
    /// velocity against its parent, in the parent's axes.
    Spherical,
    /// Translation in all directions and rotation about an axis through the anchor,
    /// given in the parent's axes (Schoenflies motion); its velocities are those along
    /// the parent's axes and the rate about the axis.
    Schoenflies(Vec3),
    /// None: welded.
    Fixed,
}

impl Joint {
    /// Velocities of the joint.
    pub fn freedoms(&self) -> usize {
        match self {
            Joint::Free => 6,
            Joint::Schoenflies(_) => 4,
            Joint::Spherical => 3,
            Joint::Revolute(_) | Joint::Prismatic(_) => 1,
            Joint::Fixed => 0,
        }
    }

    /// Whether each velocity is the rate of one of the numbers of its position.
    pub fn is_scalar(&self) -> bool {
        matches!(self, Joint::Revolute(_) | Joint::Prismatic(_) | Joint::Schoenflies(_))
    }

    /// Numbers that hold its position: an angle or a distance; a quaternion
    /// (w, x, y, z); position and quaternion; or three distances and an angle.
    pub fn positions(&self) -> usize {
        match self {
            Joint::Free => 7,
            Joint::Spherical | Joint::Schoenflies(_) => 4,
            Joint::Revolute(_) | Joint::Prismatic(_) => 1,
            Joint::Fixed => 0,
        }
    }
}
