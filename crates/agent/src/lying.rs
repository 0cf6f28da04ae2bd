//! A vehicle that has rolled over: its hulls on the ground. (Upright it hangs up: [`crate::belly`].)
//!
//! From 45 degrees of tilt on, the samples of its hulls meet the ground's surface as it is,
//! yielding or firm, as if it were firm; ruts are left by wheels and belly alone. So do those of a
//! trailer that has parted from its vehicle, whose nose falls, and the feet of its landing gear.

use super::agent::AgentModel;
use super::contact_context::ContactContext;
use super::ground_vehicle::GroundVehicleWorkspace;
use super::hull_part::HullPart;
use bekker_ground::working_surface_height;
use bekker_math::spatial::{Load, Pose, Twist, Vec3};
use bekker_vehicle::Coupling;
use bekker_vehicle::collision::{BodyContact, ContactLaw};

/// Vertical part of the chassis' z axis below which it is tilted so far.
const TILTED: f64 = 0.7;
/// Stiffness of a sample, N/m, and of a leg of the landing gear: assumed.
pub(super) const STIFFNESS: f64 = 2e5;
const LEG_STIFFNESS: f64 = 2e6;

impl AgentModel {
    /// Adds what the ground does to a part that is tilted so far that its hulls may lie on it, or
    /// to a trailer that hangs no more, about the part's frame's origin.
    pub(super) fn lie(
        &self,
        part: HullPart,
        coupling: Coupling,
        body: &GroundVehicleWorkspace,
        context: &ContactContext<'_>,
        load: &mut Load,
    ) {
        let mut parts = self.vehicle.hull_parts(body);
        let Some((_, outline, pose, twist)) = parts.find(|own| own.0 == part) else { return };
        let parted = part == HullPart::Trailer && coupling != Coupling::Holds;
        // what is not finite lies nowhere
        if pose.direction(&Vec3::z()).z < TILTED || parted {
            for sample in outline.hulls.iter().flat_map(|hull| &hull.samples) {
                let ball = (pose.point(&sample.place), sample.radius, STIFFNESS);
                press(ball, (&pose, &twist), context, load);
            }
        }
        if part == HullPart::Trailer && coupling == Coupling::Released {
            for foot in self.vehicle.landing_feet() {
                press((pose.point(foot), 0.0, LEG_STIFFNESS), (&pose, &twist), context, load);
            }
        }
    }
}

/// Adds what the ground does to a ball of a body, by its centre, radius and stiffness; its force
/// along the normal, N.
pub(super) fn press(
    (centre, radius, stiffness): (Vec3, f64, f64),
    (pose, twist): (&Pose, &Twist),
    context: &ContactContext<'_>,
    load: &mut Load,
) -> f64 {
    let ContactContext { ground, published, overlay, .. } = context;
    let normal = ground.terrain().normal(centre.x, centre.y);
    let point = centre - normal * radius;
    let height = working_surface_height(ground, published, overlay, point.x, point.y);
    let depth = (height - point.z) * normal.z;
    if depth.is_nan() || depth <= 0.0 {
        return 0.0;
    }
    let (normal, depth) = context.way_out((normal, depth), &point, &pose.position);
    let r = point - pose.position;
    let contact = BodyContact { point, normal, depth, stiffness };
    let push = ContactLaw::HULL.push(&contact, &twist.at(&r));
    push.add_to(load, &normal, &r);
    push.normal_force
}
