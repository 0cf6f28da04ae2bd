//! Symmetric maps from twists to momenta about the common origin.

use bekker_math::spatial::{Mat3, Mat6, Vec3, Vec6};

/// Angular part of a spatial vector.
#[inline]
pub(super) fn angular(v: &Vec6) -> Vec3 {
    Vec3::new(v[0], v[1], v[2])
}

/// Linear part of a spatial vector.
#[inline]
pub(super) fn linear(v: &Vec6) -> Vec3 {
    Vec3::new(v[3], v[4], v[5])
}

/// Spatial vector from its angular and linear parts.
#[inline]
pub(super) fn stack(angular: Vec3, linear: Vec3) -> Vec6 {
    Vec6::new(angular.x, angular.y, angular.z, linear.x, linear.y, linear.z)
}

/// Power product of a motion vector and a force vector.
#[inline]
pub(super) fn dot(a: &Vec6, b: &Vec6) -> f64 {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5])
}

/// A symmetric 3 x 3 matrix: xx, xy, xz, yy, yz, zz.
type Symmetric3 = [f64; 6];

#[inline]
fn upper(m: &Mat3) -> Symmetric3 {
    [m.m11, m.m12, m.m13, m.m22, m.m23, m.m33]
}

#[inline]
fn times(s: &Symmetric3, v: &Vec3) -> Vec3 {
    Vec3::new(
        s[0] * v.x + s[1] * v.y + s[2] * v.z,
        s[1] * v.x + s[3] * v.y + s[4] * v.z,
        s[2] * v.x + s[4] * v.y + s[5] * v.z,
    )
}

/// Inertia of a rigid body about the common origin: ten numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RigidInertia {
    mass: f64,
    /// mass times the position of the center of mass
    first: Vec3,
    second: Symmetric3,
}

impl RigidInertia {
    /// Inertia of a body of `mass` with its center of mass at `com`.
    ///
    /// `tensor` is about the center of mass in body axes; `rotation` maps body axes to world axes.
    #[inline]
    pub(super) fn new(mass: f64, com: &Vec3, tensor: &Mat3, rotation: &Mat3) -> RigidInertia {
        let turned = rotation * tensor;
        let about = |i: usize, j: usize| {
            turned[(i, 0)] * rotation[(j, 0)]
                + turned[(i, 1)] * rotation[(j, 1)]
                + turned[(i, 2)] * rotation[(j, 2)]
        };
        let m = com * mass;
        let (xx, yy, zz) = (m.x * com.x, m.y * com.y, m.z * com.z);
        let second = [
            about(0, 0) + yy + zz,
            about(0, 1) - m.x * com.y,
            about(0, 2) - m.x * com.z,
            about(1, 1) + xx + zz,
            about(1, 2) - m.y * com.z,
            about(2, 2) + xx + yy,
        ];
        RigidInertia { mass, first: m, second }
    }

    /// Momentum of the body that moves at `twist`.
    #[inline]
    pub(super) fn momentum(&self, twist: &Vec6) -> Vec6 {
        let (spin, velocity) = (angular(twist), linear(twist));
        let moment = times(&self.second, &spin) + self.first.cross(&velocity);
        stack(moment, velocity * self.mass - self.first.cross(&spin))
    }
}

/// Inertia of a subtree, including the tangents of the loads on it: a symmetric 6 x 6 matrix, 21
/// numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CompositeInertia {
    angular: Symmetric3,
    /// from velocity to angular momentum, row by row
    coupling: [f64; 9],
    linear: Symmetric3,
}

impl From<&RigidInertia> for CompositeInertia {
    #[inline]
    fn from(rigid: &RigidInertia) -> CompositeInertia {
        let RigidInertia { mass, first: c, second } = rigid;
        CompositeInertia {
            angular: *second,
            coupling: [0.0, -c.z, c.y, c.z, 0.0, -c.x, -c.y, c.x, 0.0],
            linear: [*mass, 0.0, 0.0, *mass, 0.0, *mass],
        }
    }
}

impl CompositeInertia {
    /// Shifts a symmetric matrix for twists at `point` to twists at the origin.
    #[inline]
    pub(super) fn shifted(m: &Mat6, point: &Vec3) -> CompositeInertia {
        let r = point.cross_matrix();
        let part = |i, j| -> Mat3 { m.fixed_view::<3, 3>(i, j).into() };
        let (aa, al, la, ll) = (part(0, 0), part(0, 3), part(3, 0), part(3, 3));
        // v_p = v_O - r x ω, hence X = [1 0; -r 1] and Xᵀ M X.
        let coupling = al + r * ll;
        CompositeInertia {
            angular: upper(&(aa - al * r + r * (la - ll * r))),
            coupling: coupling.transpose().as_slice().try_into().unwrap_or_default(),
            linear: upper(&ll),
        }
    }

    /// Product with a twist.
    #[inline]
    pub(super) fn momentum(&self, twist: &Vec6) -> Vec6 {
        let (w, v) = (angular(twist), linear(twist));
        let c = &self.coupling;
        let moment = Vec3::new(
            c[0] * v.x + c[1] * v.y + c[2] * v.z,
            c[3] * v.x + c[4] * v.y + c[5] * v.z,
            c[6] * v.x + c[7] * v.y + c[8] * v.z,
        );
        let push = Vec3::new(
            c[0] * w.x + c[3] * w.y + c[6] * w.z,
            c[1] * w.x + c[4] * w.y + c[7] * w.z,
            c[2] * w.x + c[5] * w.y + c[8] * w.z,
        );
        stack(times(&self.angular, &w) + moment, times(&self.linear, &v) + push)
    }
}

impl std::ops::AddAssign for CompositeInertia {
    #[inline]
    fn add_assign(&mut self, other: CompositeInertia) {
        for (a, b) in self.angular.iter_mut().zip(&other.angular) {
            *a += b;
        }
        for (a, b) in self.coupling.iter_mut().zip(&other.coupling) {
            *a += b;
        }
        for (a, b) in self.linear.iter_mut().zip(&other.linear) {
            *a += b;
        }
    }
}
