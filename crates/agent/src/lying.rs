//! Contact of the hulls of an overturned vehicle with the ground; for upright vehicles see
//! [`crate::belly`].
//!
//! From 45 degrees of tilt on, the samples of the hulls touch the current ground surface. It acts
//! as firm ground even if the soil is deformable; only wheels and belly leave ruts.
//!
//! The same holds for the hulls of an uncoupled trailer, whose nose drops, and for the feet of its
//! landing gear.

use super::agent::AgentModel;
use super::contact_context::ContactContext;
use super::ground_vehicle::GroundVehicleWorkspace;
use super::hull_part::HullPart;
use bekker_ground::{Exit, working_surface_height};
use bekker_math::spatial::{Load, Pose, Twist, Vec3};
use bekker_vehicle::Coupling;
use bekker_vehicle::collision::{BodyContact, ContactLaw};

/// Vertical component of the part's z axis below which hull contact is evaluated.
const TILTED: f64 = 0.7;
/// Contact stiffness of a hull sample, N/m; assumed.
pub(super) const STIFFNESS: f64 = 2e5;
/// Contact stiffness of a leg of the landing gear, N/m; assumed.
const LEG_STIFFNESS: f64 = 2e6;

impl AgentModel {
    /// Adds the ground's load on the hulls of a tilted part or of an uncoupled trailer.
    ///
    /// The load is about the origin of the part's frame.
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
        // a non-finite pose fails the comparison and has no contact
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

/// Adds the ground's load on a ball of a body, given by its center, radius and stiffness.
///
/// Returns the normal force, N.
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
    let up = Exit { normal, depth };
    let Exit { normal, depth } = context.way_out(up, &point, &pose.position);
    let r = point - pose.position;
    let contact = BodyContact { point, normal, depth, stiffness };
    let push = ContactLaw::HULL.push(&contact, &twist.at(&r));
    push.add_to(load, &normal, &r);
    push.normal_force
}
