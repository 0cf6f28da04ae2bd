//! Contact of the hulls of an overturned vehicle with the ground; for upright vehicles see
//! [`crate::belly`].
//!
//! From 45 degrees of tilt on, the samples of the hulls touch the current ground surface. It acts
//! as firm ground even if the soil is deformable; only wheels and belly leave ruts.
//!
//! The same holds for the hulls of an uncoupled trailer, whose nose drops, and for the feet of its
//! landing gear.

use super::agent::AgentModel;
use super::any_vehicle::GroundVehicleWorkspace;
use super::body_motion::BodyMotion;
use super::contact_context::ContactContext;
use super::ground_vehicle::GroundVehicle;
use super::hull_part::HullPart;
use bekker_ground::{GroundExit, working_surface_height};
use bekker_math::spatial::{Load, Vec3};
use bekker_vehicle::collision::{BodyContact, ContactLaw};
use bekker_vehicle::{Coupling, TrailerModel};

/// Vertical component of the part's z axis below which hull contact is evaluated.
const TILT_LIMIT: f64 = 0.7;
/// Contact stiffness of a hull sample, N/m; assumed.
pub(super) const STIFFNESS: f64 = 2e5;
/// Contact stiffness of a leg of the landing gear, N/m; assumed.
const LEG_STIFFNESS: f64 = 2e6;

impl AgentModel {
    /// Adds the ground's load on the hulls of a tilted part or of an uncoupled trailer.
    ///
    /// The load is about the origin of the part's frame.
    pub(super) fn contact_hulls(
        &self,
        part: HullPart,
        coupling: Coupling,
        body: &GroundVehicleWorkspace,
        context: &ContactContext<'_>,
        load: &mut Load,
    ) {
        let mut parts = self.vehicle.hull_parts(body);
        let Some((_, outline, pose, twist)) = parts.find(|own| own.0 == part) else { return };
        let motion = BodyMotion { pose, twist };
        let parted = part == HullPart::Rear && coupling != Coupling::Holds;
        // a non-finite pose fails the comparison and has no contact
        if pose.direction(&Vec3::z()).z < TILT_LIMIT || parted {
            for sample in outline.hulls.iter().flat_map(|hull| &hull.samples) {
                let center = pose.point(&sample.center);
                let ball = ContactBall { center, radius: sample.radius, stiffness: STIFFNESS };
                contact_ball(&ball, &motion, context, load);
            }
        }
        if part == HullPart::Rear && coupling == Coupling::Released {
            for foot in self.vehicle.trailer().into_iter().flat_map(TrailerModel::landing_feet) {
                let center = pose.point(foot);
                let ball = ContactBall { center, radius: 0.0, stiffness: LEG_STIFFNESS };
                contact_ball(&ball, &motion, context, load);
            }
        }
    }
}

/// Ball of a body that touches the ground.
pub(super) struct ContactBall {
    /// Center, m.
    pub center: Vec3,
    /// Radius, m.
    pub radius: f64,
    /// Contact stiffness, N/m.
    pub stiffness: f64,
}

/// Adds the ground's load on a ball of a body.
///
/// Returns the normal force, N.
pub(super) fn contact_ball(
    ball: &ContactBall,
    motion: &BodyMotion,
    context: &ContactContext<'_>,
    load: &mut Load,
) -> f64 {
    let ContactBall { center, radius, stiffness } = *ball;
    let BodyMotion { pose, twist } = motion;
    let ContactContext { ground, published, overlay, .. } = context;
    let normal = ground.terrain().normal(center.x, center.y);
    let point = center - normal * radius;
    let height = working_surface_height(ground, published, overlay, point.x, point.y);
    let depth = (height - point.z) * normal.z;
    if depth.is_nan() || depth <= 0.0 {
        return 0.0;
    }
    let up = GroundExit { normal, depth };
    let GroundExit { normal, depth } = context.push_out(up, &point, &pose.position);
    let r = point - pose.position;
    let contact = BodyContact { point, normal, depth, stiffness };
    let push = ContactLaw::HULL.contact_force(&contact, &twist.velocity_at(&r));
    push.add_to(load, &normal, &r);
    push.normal_force
}
