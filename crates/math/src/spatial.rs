//! Poses, twists and wrenches in the world frame.
//!
//! A quantity without a stated frame is in world axes (x east, y north, z up). Rotations map body
//! components to world components. A [`Twist`] or a [`Wrench`] refers to a point that its owner
//! states, usually the origin of the body frame.

use serde::{Deserialize, Serialize};

/// A vector of three components, m, m/s, N or N m as its owner states.
pub type Vec3 = nalgebra::Vector3<f64>;
/// A 3 x 3 matrix.
pub type Mat3 = nalgebra::Matrix3<f64>;
/// A 6-vector of spatial algebra: angular part first, then linear.
pub type Vec6 = nalgebra::Vector6<f64>;
/// A 6 x 6 matrix of spatial algebra: angular part first, then linear.
pub type Mat6 = nalgebra::Matrix6<f64>;
/// A unit quaternion, body to world; stored and written w, x, y, z.
pub type Quat = nalgebra::UnitQuaternion<f64>;

/// Position and orientation of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// Origin of the frame in the world, m.
    pub position: Vec3,
    /// Rotation from the frame's axes to the world's.
    pub orientation: Quat,
}

impl Default for Pose {
    fn default() -> Self {
        Pose { position: Vec3::zeros(), orientation: Quat::identity() }
    }
}

impl Pose {
    /// Returns the world coordinates of a point given in this frame.
    #[inline]
    pub fn point(&self, local: &Vec3) -> Vec3 {
        self.position + self.orientation * local
    }

    /// Returns the world components of a direction given in this frame.
    #[inline]
    pub fn direction(&self, local: &Vec3) -> Vec3 {
        self.orientation * local
    }

    /// Returns the coordinates in this frame of a world point.
    #[inline]
    pub fn local_point(&self, world: &Vec3) -> Vec3 {
        self.orientation.inverse_transform_vector(&(world - self.position))
    }

    /// Returns the heading of the x axis, radians from east, counter-clockwise.
    pub fn yaw(&self) -> f64 {
        let x = self.direction(&Vec3::x());
        crate::numeric::atan2(x.y, x.x)
    }

    /// Returns the pitch, radians, positive nose down (ISO 8855: rotation about +y).
    pub fn pitch(&self) -> f64 {
        crate::numeric::asin(-self.direction(&Vec3::x()).z)
    }

    /// Returns the roll, radians, positive right side down (rotation about +x).
    pub fn roll(&self) -> f64 {
        let y = self.direction(&Vec3::y()).z;
        let z = self.direction(&Vec3::z()).z;
        crate::numeric::atan2(y, z)
    }
}

/// Velocity of a rigid body: linear at a stated point, and angular.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Twist {
    /// Velocity of the reference point, m/s.
    pub linear: Vec3,
    /// Angular velocity, rad/s.
    pub angular: Vec3,
}

impl Twist {
    /// Returns the velocity of the body's point at `offset` from the reference point, m/s.
    #[inline]
    pub fn velocity_at(&self, offset: &Vec3) -> Vec3 {
        self.linear + self.angular.cross(offset)
    }
}

/// Acceleration of a body, in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Acceleration {
    /// Linear acceleration of a stated point, m/s².
    pub linear: Vec3,
    /// Angular acceleration, rad/s².
    pub angular: Vec3,
}

/// Force, and torque about a stated point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Wrench {
    /// Force, N.
    pub force: Vec3,
    /// Torque about the reference point, N m.
    pub torque: Vec3,
}

impl Wrench {
    /// Adds a force acting at `offset` from the reference point.
    #[inline]
    pub fn add_force(&mut self, force: &Vec3, offset: &Vec3) {
        self.force += force;
        self.torque += offset.cross(force);
    }
}

impl std::ops::AddAssign for Wrench {
    fn add_assign(&mut self, other: Wrench) {
        self.force += other.force;
        self.torque += other.torque;
    }
}

/// Wrench on one body with its tangent, so that an implicit step can take stiff contact.
///
/// All parts refer to one stated point and to world axes. Over a step `h` the wrench is `wrench +
/// glide - damping (v' - v) - stiffness h v'`, where `v` is the twist at the beginning of the step
/// and `v'` at its end. Both matrices are symmetric and positive semi-definite, ordered (angular,
/// linear).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// Wrench at the beginning of the step.
    pub wrench: Wrench,
    /// Correction for motion that changes no force: a rolling wheel moves onto new ground, but the
    /// stiffness is that of the current spot.
    pub glide: Wrench,
    /// Minus the derivative of the wrench with respect to displacement.
    pub stiffness: Mat6,
    /// Minus the derivative of the wrench with respect to the twist.
    pub damping: Mat6,
}

impl Default for Load {
    fn default() -> Self {
        Load {
            wrench: Wrench::default(),
            glide: Wrench::default(),
            stiffness: Mat6::zeros(),
            damping: Mat6::zeros(),
        }
    }
}

impl std::ops::AddAssign for Load {
    /// Adds another load about the same point.
    fn add_assign(&mut self, other: Load) {
        self.wrench += other.wrench;
        self.glide += other.glide;
        self.stiffness += other.stiffness;
        self.damping += other.damping;
    }
}

impl Load {
    /// Returns the load about another point; `offset` is the current reference point as seen from
    /// it.
    pub fn moved(&self, offset: &Vec3) -> Load {
        // v_own = v - offset x ω: X = [1 0; -r 1] on (angular, linear)
        let mut shift = Mat6::identity();
        shift.fixed_view_mut::<3, 3>(3, 0).copy_from(&-offset.cross_matrix());
        let moved =
            |w: Wrench| Wrench { torque: w.torque + offset.cross(&w.force), force: w.force };
        Load {
            wrench: moved(self.wrench),
            glide: moved(self.glide),
            stiffness: shift.transpose() * self.stiffness * shift,
            damping: shift.transpose() * self.damping * shift,
        }
    }

    /// Adds a scalar tangent along `direction` at `offset` from the reference
    /// point: `stiffness` N/m and `damping` N s/m.
    #[inline]
    pub fn add_tangent(&mut self, direction: &Vec3, offset: &Vec3, stiffness: f64, damping: f64) {
        let moment = offset.cross(direction);
        let row = Vec6::new(moment.x, moment.y, moment.z, direction.x, direction.y, direction.z);
        let outer = row * row.transpose();
        self.stiffness += outer * stiffness;
        self.damping += outer * damping;
    }
}
