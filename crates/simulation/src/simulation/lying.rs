//! A vehicle that has rolled over: its hulls on the ground.
//!
//! From 45 degrees of tilt on, the samples of its hulls meet the ground's surface as it is,
//! yielding or firm, as if it were firm; ruts are left by wheels and belly alone.

use super::agent::AgentModel;
use super::ground_vehicle::{ContactContext, GroundVehicleWorkspace};
use crate::collision::{BodyContact, ContactLaw};
use crate::ground::working_surface_height;
use crate::spatial::{Load, Vec3};

/// Vertical part of the chassis' z axis below which it is tilted so far.
const TILTED: f64 = 0.7;
/// Stiffness of a sample, N/m: assumed.
const STIFFNESS: f64 = 2e5;

impl AgentModel {
    /// Whether the vehicle is tilted so far that its hulls may lie on the ground.
    pub(super) fn is_tilted(&self, body: &GroundVehicleWorkspace) -> bool {
        // what is not finite lies nowhere
        self.vehicle.pose(body).direction(&Vec3::z()).z < TILTED
    }

    /// Adds what the ground does to the hulls, about the chassis frame's origin.
    pub(super) fn lie_on_hulls(
        &self,
        body: &GroundVehicleWorkspace,
        context: &ContactContext<'_>,
        load: &mut Load,
    ) {
        let ContactContext { ground, published, overlay, .. } = context;
        let (pose, twist) = (self.vehicle.pose(body), self.vehicle.twist(body));
        for sample in self.vehicle.outline().hulls.iter().flat_map(|hull| &hull.samples) {
            let centre = pose.point(&sample.place);
            let normal = ground.terrain().normal(centre.x, centre.y);
            let point = centre - normal * sample.radius;
            let height = working_surface_height(ground, published, overlay, point.x, point.y);
            let depth = (height - point.z) * normal.z;
            // also false of what is no number
            if depth > 0.0 {
                let r = point - pose.position;
                let contact = BodyContact { point, normal, depth, stiffness: STIFFNESS };
                let push = ContactLaw::HULL.push(&contact, &twist.at(&r));
                push.add_to(load, &normal, &r);
            }
        }
    }
}
