//! Joints: how a body may move against its parent.

use crate::spatial::Vec3;

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
    /// None: welded.
    Fixed,
}

impl Joint {
    /// Velocities of the joint.
    pub fn freedoms(&self) -> usize {
        match self {
            Joint::Free => 6,
            Joint::Spherical => 3,
            Joint::Revolute(_) | Joint::Prismatic(_) => 1,
            Joint::Fixed => 0,
        }
    }

    /// Numbers that hold its position: an angle or a distance; a quaternion
    /// (w, x, y, z); or position and quaternion.
    pub fn positions(&self) -> usize {
        match self {
            Joint::Free => 7,
            Joint::Spherical => 4,
            Joint::Revolute(_) | Joint::Prismatic(_) => 1,
            Joint::Fixed => 0,
        }
    }
}
