//! Contact of a point of a body with firm ground: spring and damper normal to the ground's tangent
//! plane, Coulomb friction along it.

use super::contact_context::ContactContext;
use bekker_ground::soil::SoilKind;
use bekker_ground::{GroundExit, working_surface_height};
use bekker_math::spatial::{Load, Twist, Vec3};

/// Sliding speed below which friction decreases in proportion to the speed, m/s.
const SLIDING: f64 = 1e-6;

/// Spring and damper of a contact point.
#[derive(Clone, Copy, Debug)]
pub(super) struct FirmSpring {
    /// Stiffness, N/m.
    pub stiffness: f64,
    /// Damping, N s/m.
    pub damping: f64,
    /// Depth above which the force no longer grows, m.
    pub deepest: f64,
}

impl FirmSpring {
    /// Adds the load of firm ground on the point `r` of a body at `place`, both in world axes.
    ///
    /// The load includes its tangents about `place`. Returns the normal force, N; `None` if the
    /// point is above the ground or the ground is deformable.
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
        // most points are above the ground, and the normal costs more than the height
        if height <= point.z {
            return None;
        }
        let normal = ground.terrain().normal(point.x, point.y);
        let depth = (height - point.z) * normal.z;
        let GroundExit { normal, depth } =
            context.push_out(GroundExit { normal, depth }, &point, place);
        let velocity = twist.velocity_at(r);
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

/// Returns two orthogonal directions perpendicular to a normal.
fn across(normal: &Vec3) -> [Vec3; 2] {
    let first = normal.cross(&Vec3::y()).try_normalize(1e-9).unwrap_or_else(Vec3::x);
    [first, normal.cross(&first)]
}
