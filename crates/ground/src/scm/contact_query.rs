//! Query of the ground under one body and the body's motion.

use super::footprint::Footprint;
use super::vectors::Vectors;
use crate::soil::Tread;
use crate::{GroundModel, Overlay};
use bekker_math::numeric::{Lanes, Simd, Where};
use bekker_math::spatial::{Twist, Vec3};

/// Below this speed, m/s, a node's shear fades out in proportion to its speed.
pub(super) const SLIDING: f64 = 1e-4;
/// A wheel's nodes that slide slower than this part of its own speed damp as
/// if they slid so fast: their direction turns over within a step.
pub(super) const ROLLING_SHARE: f64 = 0.01;

/// What is asked of the ground under one body.
pub(super) struct Answer<'a, 'b, F> {
    pub model: &'a GroundModel,
    pub overlay: &'b mut Overlay,
    pub body: &'b F,
    pub tread: &'b Tread,
    pub twist: &'b Twist,
    pub dt: f64,
}

impl<F: Footprint> Answer<'_, '_, F> {
    /// How the body moves.
    pub fn motion(&self) -> Motion {
        let Answer { body, twist, tread, dt, .. } = *self;
        let spin = body.spin_axis().map_or(Vec3::zeros(), |axis| axis * axis.dot(&twist.angular));
        let shape_twist = Twist { angular: twist.angular - spin, ..*twist };
        let rolling =
            SLIDING.max(ROLLING_SHARE * (shape_twist.linear.norm() + body.rim_speed(twist)));
        let heading = body.spin_axis().map(|axis| {
            let ahead = axis.cross(&Vec3::z());
            ahead / ahead.norm().max(1e-9)
        });
        let spacing = self.model.lattice().spacing;
        let (centre, twist, tread) = (body.centre(), *twist, *tread);
        let spin_axis = body.spin_axis();
        Motion { centre, twist, shape_twist, tread, dt, rolling, heading, spin_axis, spacing }
    }
}

/// How a body moves over the nodes that it touches.
pub(super) struct Motion {
    /// Its centre, m.
    pub centre: Vec3,
    /// Twist of its material.
    pub twist: Twist,
    /// Twist of its shape, which moves without its spin.
    pub shape_twist: Twist,
    pub tread: Tread,
    /// Step, s.
    pub dt: f64,
    /// Speed under which sliding damps no harder, m/s.
    pub rolling: f64,
    /// Where a wheel heads, horizontal; `None` for what has no axis.
    pub heading: Option<Vec3>,
    /// Axis of a wheel's spin.
    pub spin_axis: Option<Vec3>,
    /// Distance between nodes, m.
    pub spacing: f64,
}

impl Motion {
    /// Velocities of the material at the offsets `r`, where those of the shape are `shape`
    /// and upward normals are `n`, and the arms of its spin.
    #[inline(always)]
    pub fn material<S: Simd, F: Footprint>(
        &self,
        body: &F,
        shape: &Vectors<S>,
        r: &Vectors<S>,
        n: impl FnOnce() -> Vectors<S>,
    ) -> [Vectors<S>; 2] {
        if !F::DEFORMS {
            return [Vectors::velocity(&self.twist, r), *r];
        }
        let n = n();
        let [x, y, z] = body.rolling_arm(&[r.x, r.y, r.z], &[n.x, n.y, n.z]);
        let arm = Vectors { x, y, z };
        let spin =
            Twist { linear: Vec3::zeros(), angular: self.twist.angular - self.shape_twist.angular };
        [*shape + Vectors::velocity(&spin, &arm), arm]
    }

    /// How much deeper nodes at the offsets `r` have been since the last step under
    /// a wheel's lowest point, m, if any have. `shape` is the velocity of the shape
    /// there.
    #[inline(always)]
    pub fn passed<S: Simd>(
        &self,
        stayed: Where<S>,
        sinking: Lanes<S>,
        shape: &Vectors<S>,
        r: &Vectors<S>,
    ) -> Option<Lanes<S>> {
        let heading = self.heading?;
        let onward = shape.x * heading.x + shape.y * heading.y;
        let onward = onward * onward;
        let radius = (-r.z).max(self.spacing);
        let passes = stayed & sinking.lt(0.0) & (-sinking * radius).lt(onward * self.dt);
        passes.any().then(|| passes.pick(0.5 * sinking * sinking * radius / onward, 0.0))
    }
}
