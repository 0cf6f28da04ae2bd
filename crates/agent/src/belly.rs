//! A vehicle that hangs up: its belly on the ground, or the bottom of a hull: a nose that dips
//! into a bank.

use super::agent::AgentModel;
use super::contact_context::ContactContext;
use super::firm_spring::FirmSpring;
use super::ground_vehicle::GroundVehicleWorkspace;
use crate::lying;
use bekker_ground::GroundModel;
use bekker_ground::scm::{Displaced, PlateOutline, plate_contact};
use bekker_ground::soil::{SoilKind, Tread};
use bekker_math::numeric::GRAVITY;
use bekker_math::spatial::{Load, Pose, Twist, Vec3};
use bekker_vehicle::collision::{Exit, Hull};
use bekker_vehicle::spec::Belly;

/// Clearance under the belly, m, beyond which it is not held against the ground
/// until the next heartbeat.
const CLEAR: f64 = 0.25;
/// Distance between the points of a belly that meet firm ground, m; assumed, as is how
/// far plate and frame give way under a vehicle that stands on one of them, m, ...
const SPACING: f64 = 0.1;
const GIVES: f64 = 0.005;
/// ... the damping ratio of that, and the depth, m, from which the plate is dented and
/// pushes no harder.
const DAMPING_RATIO: f64 = 0.3;
const DENTED: f64 = 0.03;
/// Distance between the points of a belly, m, at which it is looked how far the ground is
/// below. A bump that is wider than that comes under one of them as the vehicle goes on;
/// one that is narrower, and higher than [`CLEAR`], may pass between them unseen. ...
const LOOKED_AT: f64 = 0.2;
/// ... Of how many points the terrain is asked together, ...
const TOGETHER: usize = 128;
/// ... And how far fine roughness may reach, m, that is asked for only where all else is so near.
const FINE: f64 = 0.03;

/// Plates of an agent that may touch before the next heartbeat: a bit for its belly, ...
const BELLY: u32 = 1;
/// ... and from here on one for each of its hulls.
const FIRST_HULL: u32 = 2;

/// What the ground does to a belly that lies on it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BellyContact {
    /// On the chassis, about its frame's origin.
    pub load: Load,
    /// Force along the ground's normal, N.
    pub force: f64,
    /// Soil that rises around it.
    pub displaced: Option<Displaced>,
}

/// Points of a belly from its centre, m: all of it, no more than `spacing` m apart.
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

/// Bottom of a hull, without half of its rounding on each side.
fn bottom(hull: &Hull) -> Belly {
    let (half, rounding) = (hull.shape.half(), hull.shape.rounding());
    Belly {
        centre: (hull.centre - Vec3::z() * half.z).into(),
        length: 2.0 * half.x - rounding,
        width: 2.0 * half.y - rounding,
    }
}

/// Points of a plate's front and rear edges from its centre, m: their ends and middles.
fn ends(plate: &Belly) -> [Vec3; 6] {
    let at = |x: f64, y: f64| Vec3::new(0.5 * x * plate.length, 0.5 * y * plate.width, 0.0);
    [at(1.0, 1.0), at(1.0, 0.0), at(1.0, -1.0), at(-1.0, 1.0), at(-1.0, 0.0), at(-1.0, -1.0)]
}

impl AgentModel {
    /// Hulls of the chassis with a bottom of their own, none that lies in another hull; each with
    /// its bit.
    fn bottoms(&self) -> impl Iterator<Item = (u32, &Hull)> {
        let hulls = &self.vehicle.outline().hulls;
        let bits =
            hulls.iter().enumerate().map(|(index, hull)| (FIRST_HULL << index.min(30), hull));
        bits.filter(move |(_, hull)| {
            let middle = Vec3::from(bottom(hull).centre);
            let mut others = hulls.iter().filter(|other| !std::ptr::eq(*other, *hull));
            !others.any(|other| other.field(&middle, Exit::Any).distance < 0.0)
        })
    }

    /// Which plates, belly and bottoms of hulls, are so near to the undisturbed ground that they
    /// may touch before the next heartbeat: a bit for each.
    pub(super) fn low_plates(&self, ground: &GroundModel, body: &GroundVehicleWorkspace) -> u32 {
        let pose = self.vehicle.pose(body);
        let belly = self.vehicle.belly().into_iter().flat_map(|belly| {
            let centre = Vec3::from(belly.centre);
            points(belly, LOOKED_AT).map(move |point| (BELLY, centre + point))
        });
        let hulls = self.bottoms().flat_map(|(bit, hull)| {
            let plate = bottom(hull);
            ends(&plate).map(|point| (bit, Vec3::from(plate.centre) + point))
        });
        let mut points = belly.chain(hulls).map(|(bit, point)| (bit, pose.point(&point)));
        let mut group = [(0, Vec3::zeros()); TOGETHER];
        let mut low = 0;
        loop {
            let taken = group.iter_mut().zip(&mut points);
            let count = taken.map(|(place, point)| *place = point).count();
            let mut places = group.map(|(_, point)| [point.x, point.y]);
            let mut heights = [0.0; TOGETHER];
            let is_near = |(_, point): (u32, Vec3), height: f64| point.z - height < CLEAR;
            ground.terrain().heights_at_most(FINE, &places[..count], &mut heights[..count]);
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
            if count < TOGETHER {
                return low;
            }
        }
    }

    /// Loads of the ground on the plates that are `low`: the vehicle hangs up on them.
    pub(super) fn hang_up(
        &self,
        low: u32,
        body: &GroundVehicleWorkspace,
        context: &mut ContactContext<'_>,
        h: f64,
    ) -> BellyContact {
        let belly = self.vehicle.belly().filter(|_| low & BELLY != 0);
        let mut on = belly.map_or_else(BellyContact::default, |belly| {
            self.rest_on_plate(belly, body, context, h)
        });
        for (bit, hull) in self.bottoms() {
            if low & bit != 0 {
                self.dip(hull, body, context, h, &mut on);
            }
        }
        on
    }

    /// Adds what the ground does to a hull that dips into it: soil yields under its bottom and is pushed
    /// ahead by its faces, and firm ground meets the balls of its lower edges. Soil that it displaces does not rise.
    fn dip(
        &self,
        hull: &Hull,
        body: &GroundVehicleWorkspace,
        context: &mut ContactContext<'_>,
        h: f64,
        on: &mut BellyContact,
    ) {
        let chassis = self.vehicle.pose(body);
        let soft = self.press_plate(&bottom(hull), body, context, h);
        on.load += soft.load;
        on.force += soft.force;
        self.plough(hull, body, context, &mut on.load);
        if !context.ground.has_firm_soil() {
            return;
        }
        let twist = self.vehicle.twist(body);
        for sample in hull.samples.iter().filter(|sample| sample.place.z < hull.centre.z) {
            let centre = chassis.point(&sample.place);
            let SoilKind::Firm { .. } = context.ground.soil_at(centre.x, centre.y).kind else {
                continue;
            };
            let ball = (centre, sample.radius, lying::STIFFNESS);
            on.force += lying::press(ball, (&chassis, &twist), context, &mut on.load);
        }
    }

    /// Load of the ground on the belly: the vehicle hangs up on it.
    fn rest_on_plate(
        &self,
        belly: &Belly,
        body: &GroundVehicleWorkspace,
        context: &mut ContactContext<'_>,
        h: f64,
    ) -> BellyContact {
        let mut on = self.press_plate(belly, body, context, h);
        if context.ground.has_firm_soil() {
            let chassis = self.vehicle.pose(body);
            let offset = chassis.direction(&Vec3::from(belly.centre));
            let pose = Pose { position: chassis.position + offset, ..chassis };
            let twist = self.vehicle.twist(body);
            let twist = Twist { linear: twist.at(&offset), ..twist };
            let felt = context.felt(twist, &pose.position);
            let mut firm = BellyContact::default();
            self.press_on_firm(belly, &pose, &felt, context, &mut firm);
            on.load += firm.load.moved(&offset);
            on.force += firm.force;
        }
        on
    }

    /// Load of yielding soil on a plate of the chassis.
    fn press_plate(
        &self,
        belly: &Belly,
        body: &GroundVehicleWorkspace,
        context: &mut ContactContext<'_>,
        h: f64,
    ) -> BellyContact {
        let chassis = self.vehicle.pose(body);
        let centre = Vec3::from(belly.centre);
        let pose = Pose { position: chassis.point(&centre), ..chassis };
        let offset = pose.position - chassis.position;
        let twist = self.vehicle.twist(body);
        let twist = Twist { linear: twist.at(&offset), ..twist };
        let felt = context.felt(twist, &pose.position);
        let outline = PlateOutline::Rectangle { length: belly.length, width: belly.width };
        let met = plate_contact(&mut context.working(), outline, &Tread::rough(), &pose, &felt, h);
        BellyContact {
            load: met.load.moved(&offset),
            force: met.normal_force,
            displaced: met.displaced,
        }
    }

    /// Adds what firm ground does to the points of a belly, its centre being at `pose`:
    /// springs against the ground's plane at each, Coulomb friction.
    fn press_on_firm(
        &self,
        belly: &Belly,
        pose: &Pose,
        twist: &Twist,
        context: &ContactContext<'_>,
        on: &mut BellyContact,
    ) {
        let mass = self.vehicle.mass();
        let stiffness = mass * GRAVITY / GIVES;
        let damping = 2.0 * DAMPING_RATIO * (stiffness * mass).sqrt();
        let spring = FirmSpring { stiffness, damping, deepest: DENTED };
        for point in points(belly, SPACING) {
            let r = pose.direction(&point);
            let pushed = spring.press(context, &pose.position, &r, twist, &mut on.load);
            on.force += pushed.unwrap_or(0.0);
        }
    }
}
