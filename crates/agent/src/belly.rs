//! Contact of the belly plate and of hull bottoms with the ground.
//!
//! A vehicle is high-centered when its belly carries it. A hull touches when its nose dips into a bank.

use super::agent::AgentModel;
use super::any_vehicle::GroundVehicleWorkspace;
use super::body_motion::BodyMotion;
use super::contact_context::ContactContext;
use super::firm_spring::FirmSpring;
use super::ground_vehicle::GroundVehicle;
use crate::hull_contact;
use bekker_ground::GroundModel;
use bekker_ground::scm::{DisplacedSoil, PlateOutline, plate_contact};
use bekker_ground::soil::{SoilKind, Tread};
use bekker_math::spatial::{Load, Pose, Twist, Vec3};
use bekker_vehicle::collision::{ExitRule, Hull};
use bekker_vehicle::spec::Belly;

/// Clearance under the belly, m, above which contact is not evaluated until the next heartbeat.
const CLEARANCE_LIMIT: f64 = 0.25;
/// Spacing of the belly points that are tested against firm ground, m; assumed.
const SPACING: f64 = 0.1;
/// Deflection of plate and frame under a vehicle that rests on one of these points, m; assumed.
const PLATE_DEFLECTION: f64 = 0.005;
/// Damping ratio of that spring; assumed.
const DAMPING_RATIO: f64 = 0.3;
/// Depth, m, above which the plate is dented and its force no longer grows.
const DENT_DEPTH: f64 = 0.03;
/// Spacing of the belly points at which clearance is measured, m.
///
/// A wider bump gets under one of the points as the vehicle moves on. A narrower bump that is
/// higher than [`CLEARANCE_LIMIT`] may pass between them undetected.
const CLEARANCE_SPACING: f64 = 0.2;
/// Number of points per batched height query.
const BATCH_SIZE: usize = 128;
/// Amplitude bound of fine roughness, m.
///
/// Fine roughness is evaluated only at points that may be within [`CLEARANCE_LIMIT`] given this
/// bound.
const FINE_ROUGHNESS: f64 = 0.03;

/// Bit of the belly in the mask of plates that may touch before the next heartbeat.
const BELLY: u32 = 1;
/// Bit of the first hull; each further hull has the next bit.
const FIRST_HULL: u32 = 2;

/// Contact of the ground with the belly or with hull bottoms.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BellyContact {
    /// Load on the chassis, about its frame's origin.
    pub load: Load,
    /// Force along the ground's normal, N.
    pub force: f64,
    /// Soil that rises around the plate.
    pub displaced: Option<DisplacedSoil>,
}

/// Returns a grid of points that covers a belly, relative to its center and at most `spacing` m
/// apart, m.
fn points(belly: &Belly, spacing: f64) -> impl Iterator<Item = Vec3> {
    let steps = move |side: f64| (side / spacing).ceil().clamp(1.0, 200.0) as u32;
    let (along, across) = (steps(belly.length), steps(belly.width));
    let (length, width) = (belly.length, belly.width);
    let place =
        |side: f64, step: u32, steps: u32| side * (f64::from(step) / f64::from(steps) - 0.5);
    (0..=along).flat_map(move |i| {
        (0..=across).map(move |j| Vec3::new(place(length, i, along), place(width, j, across), 0.0))
    })
}

/// Returns the bottom face of a hull, reduced by half of its rounding on each side.
fn bottom(hull: &Hull) -> Belly {
    let (half, rounding) = (hull.shape.half(), hull.shape.rounding());
    Belly {
        center: (hull.center - Vec3::z() * half.z).into(),
        length: 2.0 * half.x - rounding,
        width: 2.0 * half.y - rounding,
    }
}

/// Returns ends and middles of a plate's front and rear edges, relative to its center, m.
fn ends(plate: &Belly) -> [Vec3; 6] {
    let at = |x: f64, y: f64| Vec3::new(0.5 * x * plate.length, 0.5 * y * plate.width, 0.0);
    [at(1.0, 1.0), at(1.0, 0.0), at(1.0, -1.0), at(-1.0, 1.0), at(-1.0, 0.0), at(-1.0, -1.0)]
}

impl AgentModel {
    /// Returns the hulls of the chassis, each with its bit, without those whose bottom center lies
    /// inside another hull.
    fn bottoms(&self) -> impl Iterator<Item = (u32, &Hull)> {
        let hulls = &self.vehicle.outline().hulls;
        let bits =
            hulls.iter().enumerate().map(|(index, hull)| (FIRST_HULL << index.min(30), hull));
        bits.filter(move |(_, hull)| {
            let middle = Vec3::from(bottom(hull).center);
            let mut others = hulls.iter().filter(|other| !std::ptr::eq(*other, *hull));
            !others.any(|other| other.field(&middle, ExitRule::Any).distance < 0.0)
        })
    }

    /// Returns the mask of plates (belly and hull bottoms) that may touch before the next
    /// heartbeat.
    ///
    /// A plate counts if one of its points is within [`CLEARANCE_LIMIT`] of the undisturbed ground.
    pub(super) fn low_plates(&self, ground: &GroundModel, body: &GroundVehicleWorkspace) -> u32 {
        let pose = self.vehicle.pose(body);
        let belly = self.vehicle.belly().into_iter().flat_map(|belly| {
            let center = Vec3::from(belly.center);
            points(belly, CLEARANCE_SPACING).map(move |point| (BELLY, center + point))
        });
        let hulls = self.bottoms().flat_map(|(bit, hull)| {
            let plate = bottom(hull);
            ends(&plate).map(|point| (bit, Vec3::from(plate.center) + point))
        });
        let mut points = belly.chain(hulls).map(|(bit, point)| (bit, pose.point(&point)));
        let mut group = [(0, Vec3::zeros()); BATCH_SIZE];
        let mut low = 0;
        loop {
            let taken = group.iter_mut().zip(&mut points);
            let count = taken.map(|(place, point)| *place = point).count();
            let mut places = group.map(|(_, point)| [point.x, point.y]);
            let mut heights = [0.0; BATCH_SIZE];
            let is_near = |(_, point): (u32, Vec3), height: f64| point.z - height < CLEARANCE_LIMIT;
            ground.terrain().height_bounds(FINE_ROUGHNESS, &places[..count], &mut heights[..count]);
            let mut near = 0;
            for n in 0..count {
                if is_near(group[n], heights[n]) {
                    (group[near], places[near]) = (group[n], places[n]);
                    near += 1;
                }
            }
            ground.terrain().heights(&places[..near], &mut heights[..near]);
            for ((bit, point), height) in group[..near].iter().zip(&heights) {
                if is_near((*bit, *point), *height) {
                    low |= bit;
                }
            }
            if count < BATCH_SIZE {
                return low;
            }
        }
    }

    /// Returns the loads of the ground on the plates flagged in `low`.
    pub(super) fn plate_loads(
        &self,
        low: u32,
        body: &GroundVehicleWorkspace,
        context: &mut ContactContext<'_>,
        h: f64,
    ) -> BellyContact {
        let belly = self.vehicle.belly().filter(|_| low & BELLY != 0);
        let mut on = belly.map_or_else(BellyContact::default, |belly| {
            self.contact_belly(belly, body, context, h)
        });
        for (bit, hull) in self.bottoms() {
            if low & bit != 0 {
                self.contact_hull_bottom(hull, body, context, h, &mut on);
            }
        }
        on
    }

    /// Adds the contact of a hull that dips into the ground.
    ///
    /// Soil yields under its bottom and is pushed ahead by its faces. Firm ground presses on the
    /// balls of its lower edges. Displaced soil does not rise.
    fn contact_hull_bottom(
        &self,
        hull: &Hull,
        body: &GroundVehicleWorkspace,
        context: &mut ContactContext<'_>,
        h: f64,
        on: &mut BellyContact,
    ) {
        let chassis = self.vehicle.pose(body);
        let soft = self.contact_plate_soil(&bottom(hull), body, context, h);
        on.load += soft.load;
        on.force += soft.force;
        self.add_passive_pressure(hull, body, context, &mut on.load);
        if !context.ground.has_firm_soil() {
            return;
        }
        let motion = BodyMotion { pose: chassis, twist: self.vehicle.twist(body) };
        for sample in hull.samples.iter().filter(|sample| sample.center.z < hull.center.z) {
            let center = chassis.point(&sample.center);
            let SoilKind::Firm { .. } = context.ground.soil_at(center.x, center.y).kind else {
                continue;
            };
            let (radius, stiffness) = (sample.radius, hull_contact::STIFFNESS);
            let ball = hull_contact::ContactBall { center, radius, stiffness };
            on.force += hull_contact::contact_ball(&ball, &motion, context, &mut on.load);
        }
    }

    /// Returns the load of the ground on the belly.
    fn contact_belly(
        &self,
        belly: &Belly,
        body: &GroundVehicleWorkspace,
        context: &mut ContactContext<'_>,
        h: f64,
    ) -> BellyContact {
        let mut on = self.contact_plate_soil(belly, body, context, h);
        if context.ground.has_firm_soil() {
            let chassis = self.vehicle.pose(body);
            let offset = chassis.direction(&Vec3::from(belly.center));
            let pose = Pose { position: chassis.position + offset, ..chassis };
            let twist = self.vehicle.twist(body);
            let twist = Twist { linear: twist.velocity_at(&offset), ..twist };
            let contact_twist = context.contact_twist(twist, &pose.position);
            let mut firm = BellyContact::default();
            self.contact_firm_ground(belly, &pose, &contact_twist, context, &mut firm);
            on.load += firm.load.moved(&offset);
            on.force += firm.force;
        }
        on
    }

    /// Returns the load of deformable soil on a plate of the chassis.
    fn contact_plate_soil(
        &self,
        belly: &Belly,
        body: &GroundVehicleWorkspace,
        context: &mut ContactContext<'_>,
        h: f64,
    ) -> BellyContact {
        let chassis = self.vehicle.pose(body);
        let center = Vec3::from(belly.center);
        let pose = Pose { position: chassis.point(&center), ..chassis };
        let offset = pose.position - chassis.position;
        let twist = self.vehicle.twist(body);
        let twist = Twist { linear: twist.velocity_at(&offset), ..twist };
        let contact_twist = context.contact_twist(twist, &pose.position);
        let outline = PlateOutline::Rectangle { length: belly.length, width: belly.width };
        let met = plate_contact(
            &mut context.working(),
            outline,
            &Tread::rough(),
            &pose,
            &contact_twist,
            h,
        );
        BellyContact {
            load: met.load.moved(&offset),
            force: met.normal_force,
            displaced: met.displaced,
        }
    }

    /// Adds the contact of firm ground at the points of a belly whose center is at `pose`.
    ///
    /// Each point is a spring against the ground's tangent plane, with Coulomb friction.
    fn contact_firm_ground(
        &self,
        belly: &Belly,
        pose: &Pose,
        twist: &Twist,
        context: &ContactContext<'_>,
        on: &mut BellyContact,
    ) {
        let mass = self.vehicle.mass();
        let stiffness = mass * self.vehicle.gravity() / PLATE_DEFLECTION;
        let damping = 2.0 * DAMPING_RATIO * (stiffness * mass).sqrt();
        let spring = FirmSpring { stiffness, damping, deepest: DENT_DEPTH };
        for point in points(belly, SPACING) {
            let r = pose.direction(&point);
            let pushed = spring.press(context, &pose.position, &r, twist, &mut on.load);
            on.force += pushed.unwrap_or(0.0);
        }
    }
}
