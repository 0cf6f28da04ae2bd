//! Inputs of a contact query and the motion of the body.

use super::footprint::{CellCover, Footprint};
use super::vector_lanes::VectorLanes;
use crate::soil::Tread;
use crate::{GroundModel, Overlay};
use bekker_math::numeric::{LaneMask, Lanes, Simd};
use bekker_math::spatial::{Twist, Vec3};

/// Speed below which the shear at a node fades out in proportion to it, m/s.
pub(super) const SLIDING: f64 = 1e-4;
/// Fraction of a wheel's speed below which the sliding of its nodes damps as if at that speed: slow
/// sliding reverses its direction within a step.
pub(super) const ROLLING_SHARE: f64 = 0.01;

/// Inputs of the contact of one body with the ground.
pub(super) struct ContactQuery<'a, 'b, F> {
    pub model: &'a GroundModel,
    pub overlay: &'b mut Overlay,
    pub body: &'b F,
    pub tread: &'b Tread,
    pub twist: &'b Twist,
    pub dt: f64,
}

impl<F: Footprint> ContactQuery<'_, '_, F> {
    /// Returns the motion of the body.
    pub fn motion(&self) -> ContactMotion {
        let ContactQuery { body, twist, tread, dt, .. } = *self;
        let spin = body.spin_axis().map_or(Vec3::zeros(), |axis| axis * axis.dot(&twist.angular));
        let shape_twist = Twist { angular: twist.angular - spin, ..*twist };
        let least_speed =
            SLIDING.max(ROLLING_SHARE * (shape_twist.linear.norm() + body.rim_speed(twist)));
        let heading = body.spin_axis().map(|axis| {
            let ahead = axis.cross(&Vec3::z());
            ahead / ahead.norm().max(1e-9)
        });
        let spacing = self.model.lattice().spacing;
        let (center, twist, tread) = (body.center(), *twist, *tread);
        let spin_axis = body.spin_axis();
        ContactMotion {
            center,
            twist,
            shape_twist,
            tread,
            dt,
            least_speed,
            heading,
            spin_axis,
            spacing,
        }
    }
}

/// Motion of a body over the nodes that it touches.
pub(super) struct ContactMotion {
    /// Center of the body, m.
    pub center: Vec3,
    /// Twist of its material.
    pub twist: Twist,
    /// Twist of its shape: that of the material without the spin.
    pub shape_twist: Twist,
    pub tread: Tread,
    /// Step, s.
    pub dt: f64,
    /// Least sliding speed in the damping, m/s.
    pub least_speed: f64,
    /// Horizontal heading of a wheel; `None` for a body without an axis.
    pub heading: Option<Vec3>,
    /// Axis of a wheel's spin.
    pub spin_axis: Option<Vec3>,
    /// Distance between nodes, m.
    pub spacing: f64,
}

impl ContactMotion {
    /// Returns the velocities of the material at the offsets `r` and the arms of its spin. `shape`
    /// are the velocities of the shape there, `n` the upward normals.
    #[inline(always)]
    pub fn material_velocity<S: Simd, F: Footprint>(
        &self,
        body: &F,
        shape: &VectorLanes<S>,
        r: &VectorLanes<S>,
        cover: &CellCover<S>,
        n: impl FnOnce() -> VectorLanes<S>,
    ) -> [VectorLanes<S>; 2] {
        if !F::DEFORMS {
            return [VectorLanes::velocity(&self.twist, r), *r];
        }
        let n = n();
        let [x, y, z] = body.rolling_arm(&[r.x, r.y, r.z], &[n.x, n.y, n.z], cover);
        let arm = VectorLanes { x, y, z };
        let spin =
            Twist { linear: Vec3::zeros(), angular: self.twist.angular - self.shape_twist.angular };
        [*shape + VectorLanes::velocity(&spin, &arm), arm]
    }

    /// Returns how much deeper nodes at the offsets `r` have been under the lowest point of a wheel
    /// since the last step, m; `None` if no node passed that point. `shape` are the velocities of
    /// the shape there.
    #[inline(always)]
    pub fn passed_depth<S: Simd>(
        &self,
        in_previous_contact: LaneMask<S>,
        sinking: Lanes<S>,
        shape: &VectorLanes<S>,
        r: &VectorLanes<S>,
    ) -> Option<Lanes<S>> {
        let heading = self.heading?;
        let onward = shape.x * heading.x + shape.y * heading.y;
        let onward = onward * onward;
        let radius = (-r.z).max(self.spacing);
        let passes =
            in_previous_contact & sinking.lt(0.0) & (-sinking * radius).lt(onward * self.dt);
        passes.any().then(|| passes.select(0.5 * sinking * sinking * radius / onward, 0.0))
    }
}
