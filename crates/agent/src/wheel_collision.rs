//! Collisions of wheels with static obstacles.

use super::obstacle::{HIGHEST_STEM_CONTACT, MIN_SUPPORT_NORMAL, Solid, WheelStemContact};
use super::wheeled_ground_vehicle::{WheeledGroundVehicle, WheelsWorkspace};
use bekker_math::spatial::Vec3;
use bekker_vehicle::collision::{
    BodyContact, ContactForce, ContactLaw, ExitRule, Penetration, RoundedBox, RoundedCylinder, Stem,
};
use bekker_vehicle::tire::RingParameters;

/// Contact stiffness of a tire with a stem or rock, N/m; assumed.
pub(super) const TIRE_STIFFNESS: f64 = 3e5;
/// Deflection at which a tire is compressed to its rim, as a fraction of the wheel's radius;
/// assumed.
const TIRE_HEIGHT: f64 = 0.35;
/// Contact stiffness of the rim, N/m; assumed.
const RIM_STIFFNESS: f64 = 3e6;
/// Lower bound of the depth that divides a tire's force, m; avoids division by zero.
const LEAST_DEPTH: f64 = 1e-6;

/// Returns the secant stiffness of a wheel at a penetration, N/m.
///
/// A flexible tire acts as on a plate at its inflation, Pa. The rim adds its stiffness once the
/// tire is fully compressed.
fn tire_stiffness(depth: f64, radius: f64, ring: Option<&RingParameters>, inflation: f64) -> f64 {
    let depth = depth.max(LEAST_DEPTH);
    let on_plate = |ring: &RingParameters| ring.plate(inflation, depth).load / depth;
    let beyond = (depth - TIRE_HEIGHT * radius).max(0.0);
    ring.map_or(TIRE_STIFFNESS, on_plate) + RIM_STIFFNESS * beyond / depth
}

impl WheeledGroundVehicle {
    /// Returns the contact of a wheel with a solid.
    pub(super) fn solid_contact(
        &self,
        wheel: usize,
        solid: &Solid<'_>,
        workspace: &WheelsWorkspace,
    ) -> Option<BodyContact> {
        let Solid { pose: place, hulls } = *solid;
        let [radius, half_width] = self.tire_extent(wheel);
        let pose = self.vehicle.wheel_pose(&workspace.vehicle, wheel);
        let center = place.local_point(&pose.position) - hulls[0].center;
        let axle = place.orientation.inverse() * pose.direction(&Vec3::y());
        let chassis = self.vehicle.pose(&workspace.vehicle).position;
        let exit = hulls[0].exit_towards(&place.local_point(&chassis));
        let disc = RoundedCylinder { radius, half_width };
        let met = hulls[0].shape.penetration(&disc, &center, &axle, exit)?;
        // point of rolling without scrubbing: at the radius minus a third of the deflection
        let rolls = met.point - met.normal * (2.0 / 3.0 * met.depth);
        let point = place.point(&(rolls + hulls[0].center));
        let normal = place.direction(&met.normal);
        let inflation = workspace.wheels[wheel].inflation;
        let stiffness = tire_stiffness(met.depth, radius, self.vehicle.ring(wheel), inflation);
        (met.depth > 0.0).then_some(BodyContact { point, normal, depth: met.depth, stiffness })
    }

    /// Adds the contacts of a solid with the wheels.
    ///
    /// `each` receives every push with its position and velocity.
    pub(super) fn press_wheels(
        &self,
        solid: &Solid<'_>,
        workspace: &mut WheelsWorkspace,
        mut each: impl FnMut(&ContactForce, &Vec3, &Vec3),
    ) {
        for wheel in 0..self.vehicle.wheels() {
            let Some(contact) = self.solid_contact(wheel, solid, workspace) else { continue };
            let r = contact.point - self.vehicle.wheel_pose(&workspace.vehicle, wheel).position;
            let velocity = self.vehicle.wheel_twist(&workspace.vehicle, wheel).velocity_at(&r);
            let push = ContactLaw::RUBBER.contact_force(&contact, &velocity);
            push.add_to(&mut workspace.vehicle.loads()[wheel], &contact.normal, &r);
            if contact.normal.z > MIN_SUPPORT_NORMAL {
                self.add_supporting_force(workspace, wheel, &push.force, contact.depth);
            }
            each(&push, &contact.point, &velocity);
        }
    }

    /// Returns the contact of a stem with the wheel that it penetrates deepest, beyond `least` m.
    pub(super) fn deepest_stem_contact(
        &self,
        stem: &Stem,
        foot: &Vec3,
        workspace: &WheelsWorkspace,
        least: f64,
    ) -> Option<WheelStemContact> {
        let mut found: Option<WheelStemContact> = None;
        let height = stem.height.min(HIGHEST_STEM_CONTACT);
        let upright = RoundedBox::new([stem.diameter, stem.diameter, height], 0.5 * stem.diameter);
        let middle = foot + Vec3::z() * (0.5 * height);
        for wheel in 0..self.vehicle.wheels() {
            let [radius, half_width] = self.tire_extent(wheel);
            let shape = RoundedCylinder { radius, half_width };
            let pose = self.vehicle.wheel_pose(&workspace.vehicle, wheel);
            let (center, axle) = (pose.position - middle, pose.direction(&Vec3::y()));
            let Some(met) = upright.penetration(&shape, &center, &axle, ExitRule::Any) else {
                continue;
            };
            if met.depth > found.as_ref().map_or(least, |found| found.depth) {
                let Penetration { depth, normal, point } = met;
                found = Some(WheelStemContact { wheel, depth, point: middle + point, normal });
            }
        }
        found
    }

    /// Adds the push of a stem on a wheel; returns it with the wheel's velocity at the contact.
    pub(super) fn press_stem_on_wheel(
        &self,
        contact: &WheelStemContact,
        push: impl FnOnce(&Vec3) -> ContactForce,
        workspace: &mut WheelsWorkspace,
    ) -> Option<(ContactForce, Vec3)> {
        let WheelStemContact { wheel, point, normal, .. } = contact;
        let wheel = *wheel;
        let r = point - self.vehicle.wheel_pose(&workspace.vehicle, wheel).position;
        let velocity = self.vehicle.wheel_twist(&workspace.vehicle, wheel).velocity_at(&r);
        let push = push(&velocity);
        push.add_to(&mut workspace.vehicle.loads()[wheel], normal, &r);
        Some((push, velocity))
    }
}
