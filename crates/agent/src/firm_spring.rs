//! A point of a body on firm ground: a spring and a damper against the ground's plane,
//! Coulomb friction in it.

use super::contact_context::ContactContext;
use bekker_ground::soil::SoilKind;
use bekker_ground::working_surface_height;
use bekker_math::spatial::{Load, Twist, Vec3};

/// Below this speed, m/s, friction fades out in proportion to the speed.
const SLIDING: f64 = 1e-6;

/// What gives at a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct FirmSpring {
    /// N/m.
    pub stiffness: f64,
    /// N s/m.
    pub damping: f64,
    /// Depth from which its force grows no more, m.
    pub deepest: f64,
}

impl FirmSpring {
    /// Adds what firm ground does to the point `r` of a body at `place`, both in world axes,
    /// with its tangents about the place. The force along the normal, N; none where the
    /// point is above the ground, or the ground yields.
    pub fn press(
        &self,
        context: &ContactContext<'_>,
        place: &Vec3,
        r: &Vec3,
        twist: &Twist,
        load: &mut Load,
    ) -> Option<f64> {
        let ContactContext { ground, published, overlay, grips, .. } = context;
        let point = place + r;
        let SoilKind::Firm { friction } = ground.soil_at(point.x, point.y).kind else {
            return None;
        };
        let height = working_surface_height(ground, published, overlay, point.x, point.y);
        // most points are above the ground, whose normal costs more than its height
        if height <= point.z {
            return None;
        }
        let normal = ground.terrain().normal(point.x, point.y);
        let depth = (height - point.z) * normal.z;
        let (normal, depth) = context.way_out((normal, depth), &point, place);
        let velocity = twist.at(r);
        let leaving = velocity.dot(&normal);
        let FirmSpring { stiffness, damping, deepest } = *self;
        let push = (stiffness * depth.min(deepest) - damping * leaving).max(0.0);
        let sliding = velocity - normal * leaving;
        let friction = if *grips { friction } else { 0.0 };
        let drag = friction * push / sliding.norm().max(SLIDING);
        load.wrench.add_force(&(normal * push - sliding * drag), r);
        load.add_tangent(&normal, r, stiffness, damping);
        for along in across(&normal) {
            load.add_tangent(&along, r, 0.0, drag);
        }
        Some(push)
    }
}

/// Two directions across a normal.
fn across(normal: &Vec3) -> [Vec3; 2] {
    let first = normal.cross(&Vec3::y()).try_normalize(1e-9).unwrap_or_else(Vec3::x);
    [first, normal.cross(&first)]
}
