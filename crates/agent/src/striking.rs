//! Collisions of an agent with static obstacles: hulls, wheels and tracks with stems, rocks and
//! blocks.

use super::agent::AgentModel;
use super::ground_vehicle::{GroundVehicle, GroundVehicleWorkspace};
use super::hit::{Struck, Touch};
use super::hull_part::HullPart;
use super::obstacle::{BEARS, Obstacle, Obstacles};
use super::on_wheels::{OnWheels, WheelsWorkspace};
use super::strikes::Strikes;
use bekker_math::spatial::{Acceleration, Load, Mat3, Pose, Twist, Vec3};
use bekker_vehicle::VehicleState;
use bekker_vehicle::collision::{
    BodyContact, ContactLaw, Exit, FreeBody, Hull, Pair, Penetration, Push, RoundedBox,
    RoundedCylinder, Stem,
};
use bekker_vehicle::tyre::RingFigures;

/// Distance beyond the travel of a heartbeat within which obstacles are searched, m.
const AROUND: f64 = 0.5;
/// Contact stiffness of a hull with a stem or rock, N/m; assumed.
const HULL_STIFFNESS: f64 = 1e6;
/// Contact stiffness of a tire with a stem or rock, N/m; assumed.
const TYRE_STIFFNESS: f64 = 3e5;
/// Deflection at which a tire is compressed to its rim, as a fraction of the wheel's radius;
/// assumed.
const TYRE_HEIGHT: f64 = 0.35;
/// Contact stiffness of the rim, N/m; assumed.
const RIM_STIFFNESS: f64 = 3e6;
/// Lower bound of the depth by which a tire's force is divided, m; avoids division by zero.
const LEAST_DEPTH: f64 = 1e-6;
/// Largest penetration of an obstacle into a vehicle at its start, m.
///
/// The force that pushes the obstacle out accelerates the vehicle to no more than walking pace.
const STARTS_IN: f64 = 0.05;
/// Spacing of the contact points along a stem, m.
const SPACING: f64 = 0.1;
/// Height of the highest contact point of a stem, m; above all vehicles.
const HIGHEST: f64 = 3.0;

/// Part of a vehicle in contact with a stem.
#[derive(Clone, Copy, Debug, PartialEq)]
enum StruckPart {
    Hull(HullPart),
    Wheel(usize),
}

/// Contact of a stem with the part of a vehicle of largest penetration.
struct StemContact {
    part: StruckPart,
    depth: f64,
    point: Vec3,
    /// Normal from the stem toward the part.
    normal: Vec3,
}

/// Returns the secant stiffness of a wheel at a penetration, N/m.
///
/// A flexible tire acts as on a plate at its inflation, Pa. The rim adds its stiffness once the
/// tire is fully compressed.
fn tyre_stiffness(depth: f64, radius: f64, ring: Option<(&RingFigures, f64)>) -> f64 {
    let depth = depth.max(LEAST_DEPTH);
    let on_plate =
        |(ring, inflation): (&RingFigures, f64)| ring.plate(inflation, depth).load / depth;
    let beyond = (depth - TYRE_HEIGHT * radius).max(0.0);
    ring.map_or(TYRE_STIFFNESS, on_plate) + RIM_STIFFNESS * beyond / depth
}

fn standing<'a>(pose: &Pose, hull: &'a [Hull]) -> FreeBody<'a> {
    FreeBody {
        hulls: hull,
        pose: *pose,
        twist: Twist::default(),
        mass: 1.0,
        com: Vec3::zeros(),
        inertia: Mat3::identity(),
        otherwise: Acceleration::default(),
        is_free: false,
    }
}

impl AgentModel {
    /// Finds the obstacles that the agent may touch within `time` s; returns whether there are any.
    pub fn approach_obstacles(
        &self,
        obstacles: &Obstacles,
        damage: &[u16],
        body: &GroundVehicleWorkspace,
        strikes: &mut Strikes,
        time: f64,
    ) -> bool {
        strikes.damage.clear();
        if obstacles.is_empty() {
            return false;
        }
        strikes.near.clear();
        for (part, outline, pose, twist) in self.vehicle.hull_parts(body) {
            let way = (twist.linear.norm() + twist.angular.norm() * outline.reach) * time;
            let reach = outline.reach + way + AROUND;
            let Strikes { near, near_trailer, .. } = strikes;
            let found = if part == HullPart::Chassis { near } else { near_trailer };
            obstacles.near([pose.position.x, pose.position.y], reach, found);
        }
        if self.vehicle.outline_of(HullPart::Trailer).is_some() {
            strikes.near.append(&mut strikes.near_trailer);
            strikes.near.sort_unstable();
            strikes.near.dedup();
        }
        strikes.near.retain(|&index| {
            let stands = damage.get(index as usize).is_none_or(|damage| !Stem::lies(*damage));
            stands && obstacles.get(index as usize).is_some()
        });
        let mut solids = 0;
        for &index in &strikes.near {
            match obstacles.get(index as usize) {
                Some(Obstacle::Stem { .. }) => {
                    let damage = damage.get(index as usize).copied().unwrap_or_default();
                    strikes.damage.push((index, damage));
                }
                Some(Obstacle::Solid { pose, hull }) => {
                    if solids == strikes.pairs.len() {
                        strikes.pairs.push(Default::default());
                    }
                    let stands = standing(pose, hull);
                    for (part, outline, pose, twist) in self.vehicle.hull_parts(body) {
                        let own = outline.body(pose, twist, true);
                        let pair = &mut strikes.pairs[solids][part as usize];
                        // margin for changes of a hull's speed within the heartbeat
                        pair.approach([&own, &stands], time + 0.05);
                    }
                    solids += 1;
                }
                None => {}
            }
        }
        !strikes.near.is_empty()
    }

    /// Returns the first obstacle that penetrates hulls, wheels or tracks at the start, in the
    /// design position.
    pub fn starts_in(&self, obstacles: &Obstacles) -> Option<usize> {
        let [x, y] = [self.start.position.x, self.start.position.y];
        let mut strikes = Strikes::default();
        obstacles.near([x, y], self.vehicle.footprint().reach(), &mut strikes.near);
        if strikes.near.is_empty() {
            return None;
        }
        let state = self.vehicle.launched(&self.start, 0.0);
        let mut body = self.vehicle.workspace(&state);
        self.approach_obstacles(obstacles, &[], &body, &mut strikes, 0.0);
        let Strikes { near, pairs, .. } = &mut strikes;
        let mut pairs = pairs.iter_mut();
        let is_in = |&index: &usize| match obstacles.get(index) {
            Some(Obstacle::Solid { pose, hull }) => {
                let stands = standing(pose, hull);
                let Some(pairs) = pairs.next() else { return false };
                let in_hulls = self.vehicle.hull_parts(&body).any(|(part, outline, own, twist)| {
                    let both = [&outline.body(own, twist, true), &stands];
                    let contacts = pairs[part as usize].contacts(both);
                    contacts.iter().any(|met| met.depth > STARTS_IN)
                });
                in_hulls || self.gear_depth((pose, hull), &state, &mut body) > STARTS_IN
            }
            Some(Obstacle::Stem { stem, foot }) => {
                self.deepest(stem, foot, &body).is_some_and(|met| met.depth > STARTS_IN)
            }
            None => false,
        };
        near.iter().map(|&index| index as usize).find(is_in)
    }

    /// Computes the loads of obstacles in a step of `h` s.
    ///
    /// Loads on wheels are added to the wheels; loads on chassis and trailer are returned.
    pub fn meet_obstacles(
        &self,
        obstacles: &Obstacles,
        (state, body): (&VehicleState, &mut GroundVehicleWorkspace),
        strikes: &mut Strikes,
        h: f64,
        mut touch: impl FnMut(Touch),
    ) -> [Load; 2] {
        let mut load = [Load::default(); 2];
        let (mut solids, mut stems) = (0, 0);
        for at in 0..strikes.near.len() {
            let index = strikes.near[at];
            match obstacles.get(index as usize) {
                Some(Obstacle::Solid { pose, hull }) => {
                    let pairs = &mut strikes.pairs[solids];
                    solids += 1;
                    let mut sum = Sum::of(index, &mut load, h);
                    self.press_hulls((pose, hull), pairs, body, &mut sum);
                    self.press_wheels((pose, hull), body, &mut sum);
                    self.press_tracks((pose, hull), (state, body), &mut sum);
                    sum.report(&mut touch);
                }
                Some(Obstacle::Stem { stem, foot }) => {
                    let (_, damage) = &mut strikes.damage[stems];
                    stems += 1;
                    let mut sum = Sum::of(index, &mut load, h);
                    self.press_stem((stem, foot), damage, body, &mut sum);
                    sum.report(&mut touch);
                }
                None => {}
            }
        }
        load
    }

    fn press_hulls(
        &self,
        (pose, hull): (&Pose, &[Hull]),
        pairs: &mut [Pair; 2],
        body: &GroundVehicleWorkspace,
        sum: &mut Sum<'_>,
    ) {
        let stands = standing(pose, hull);
        for (part, outline, own, twist) in self.vehicle.hull_parts(body) {
            let both = [&outline.body(own, twist, true), &stands];
            for contact in pairs[part as usize].contacts(both) {
                let r = contact.point - own.position;
                let velocity = twist.at(&r);
                let push = ContactLaw::HULL.push(contact, &velocity);
                push.add_to(&mut sum.on_hulls[part as usize], &contact.normal, &r);
                sum.add(&push, &contact.point, &velocity);
            }
        }
    }

    /// Returns the depth to which a solid penetrates wheels or tracks, m.
    fn gear_depth(
        &self,
        (solid, hull): (&Pose, &[Hull]),
        state: &VehicleState,
        body: &mut GroundVehicleWorkspace,
    ) -> f64 {
        let mut deepest = 0.0_f64;
        match (&self.vehicle, body) {
            (GroundVehicle::Wheeled(own), GroundVehicleWorkspace::Wheeled(room)) => {
                for wheel in 0..own.vehicle.wheels() {
                    let met = self.wheel_contact(wheel, (solid, hull), own, room);
                    deepest = met.map_or(deepest, |met| deepest.max(met.depth));
                }
            }
            (GroundVehicle::Tracked(own), GroundVehicleWorkspace::Tracked(room)) => {
                for hull in hull {
                    own.press_solid(state, room, (solid, hull), |_, point, _| {
                        let inside = hull.field(&solid.local_point(point), Exit::Any);
                        deepest = deepest.max(-inside.distance);
                    });
                }
            }
            _ => {}
        }
        deepest
    }

    /// Returns the contact of a wheel with a solid.
    fn wheel_contact(
        &self,
        wheel: usize,
        (solid, hull): (&Pose, &[Hull]),
        own: &OnWheels,
        room: &WheelsWorkspace,
    ) -> Option<BodyContact> {
        let [radius, half_width] = own.reach(wheel);
        let pose = own.vehicle.wheel_pose(&room.vehicle, wheel);
        let centre = solid.local_point(&pose.position) - hull[0].centre;
        let axle = solid.orientation.inverse() * pose.direction(&Vec3::y());
        let exit =
            hull[0].exit_towards(&solid.local_point(&own.vehicle.pose(&room.vehicle).position));
        let disc = RoundedCylinder { radius, half_width };
        let met = hull[0].shape.penetration(&disc, &centre, &axle, exit)?;
        // point of rolling without scrubbing: at the radius minus a third of the deflection
        let rolls = met.point - met.normal * (2.0 / 3.0 * met.depth);
        let point = solid.point(&(rolls + hull[0].centre));
        let normal = solid.direction(&met.normal);
        let inflation = room.wheels[wheel].inflation;
        let stiffness = tyre_stiffness(
            met.depth,
            radius,
            own.vehicle.ring(wheel).map(|ring| (ring, inflation)),
        );
        (met.depth > 0.0).then_some(BodyContact { point, normal, depth: met.depth, stiffness })
    }

    fn press_wheels(
        &self,
        solid: (&Pose, &[Hull]),
        body: &mut GroundVehicleWorkspace,
        sum: &mut Sum<'_>,
    ) {
        let (GroundVehicle::Wheeled(own), GroundVehicleWorkspace::Wheeled(room)) =
            (&self.vehicle, body)
        else {
            return;
        };
        for wheel in 0..own.vehicle.wheels() {
            let Some(contact) = self.wheel_contact(wheel, solid, own, room) else {
                continue;
            };
            let r = contact.point - own.vehicle.wheel_pose(&room.vehicle, wheel).position;
            let velocity = own.vehicle.wheel_twist(&room.vehicle, wheel).at(&r);
            let push = ContactLaw::RUBBER.push(&contact, &velocity);
            push.add_to(&mut room.vehicle.loads()[wheel], &contact.normal, &r);
            if contact.normal.z > BEARS {
                own.bear(room, wheel, &push.force, contact.depth);
            }
            sum.add(&push, &contact.point, &velocity);
        }
    }

    /// Adds the contact of a solid with the shoes that face the ground.
    fn press_tracks(
        &self,
        (solid, hull): (&Pose, &[Hull]),
        (state, body): (&VehicleState, &mut GroundVehicleWorkspace),
        sum: &mut Sum<'_>,
    ) {
        let (GroundVehicle::Tracked(own), GroundVehicleWorkspace::Tracked(room)) =
            (&self.vehicle, body)
        else {
            return;
        };
        for hull in hull {
            own.press_solid(state, room, (solid, hull), |push, point, velocity| {
                sum.add(push, point, velocity);
            });
        }
    }

    /// Adds the contact of a stem with the part of largest penetration.
    fn press_stem(
        &self,
        (stem, foot): (&Stem, &Vec3),
        damage: &mut u16,
        body: &mut GroundVehicleWorkspace,
        sum: &mut Sum<'_>,
    ) {
        if Stem::lies(*damage) {
            return;
        }
        let Some(met) = self.deepest(stem, foot, body) else { return };
        let is_tyre = matches!(met.part, StruckPart::Wheel(_));
        let part = if is_tyre { TYRE_STIFFNESS } else { HULL_STIFFNESS };
        let answer = stem.resist(met.depth, met.point.z - foot.z, *damage, part);
        let broke = Stem::lies(answer.damage);
        // the stem falls away from the vehicle
        *damage = if broke { Stem::felled(-met.normal.x, -met.normal.y) } else { answer.damage };
        let law = |velocity: &Vec3| {
            ContactLaw::HULL.push_of(answer.force, answer.stiffness, &met.normal, velocity)
        };
        let (push, velocity) = match (met.part, &self.vehicle, body) {
            (
                StruckPart::Wheel(wheel),
                GroundVehicle::Wheeled(own),
                GroundVehicleWorkspace::Wheeled(room),
            ) => {
                let r = met.point - own.vehicle.wheel_pose(&room.vehicle, wheel).position;
                let velocity = own.vehicle.wheel_twist(&room.vehicle, wheel).at(&r);
                let push = law(&velocity);
                push.add_to(&mut room.vehicle.loads()[wheel], &met.normal, &r);
                (push, velocity)
            }
            (StruckPart::Hull(part), _, body) => {
                let mut parts = self.vehicle.hull_parts(body);
                let Some((_, _, pose, twist)) = parts.find(|own| own.0 == part) else { return };
                let r = met.point - pose.position;
                let velocity = twist.at(&r);
                let push = law(&velocity);
                push.add_to(&mut sum.on_hulls[part as usize], &met.normal, &r);
                (push, velocity)
            }
            _ => return,
        };
        sum.broke = broke;
        sum.add(&push, &met.point, &velocity);
    }

    fn deepest(
        &self,
        stem: &Stem,
        foot: &Vec3,
        body: &GroundVehicleWorkspace,
    ) -> Option<StemContact> {
        let radius = 0.5 * stem.diameter;
        let count = (stem.height.min(HIGHEST) / SPACING).ceil() as u32;
        let mut found: Option<StemContact> = None;
        let mut take = |part: StruckPart, depths: &mut dyn Iterator<Item = (f64, Vec3, Vec3)>| {
            // mean of the points, weighted by depth
            let (mut deepest, mut sum, mut place, mut out) =
                (0.0_f64, 0.0, Vec3::zeros(), Vec3::zeros());
            for (depth, point, normal) in depths.filter(|met| met.0 > 0.0) {
                deepest = deepest.max(depth);
                sum += depth;
                place += point * depth;
                out += normal * depth;
            }
            let Some(normal) = out.try_normalize(1e-9) else { return };
            if found.as_ref().is_none_or(|found| deepest > found.depth) {
                found = Some(StemContact { part, depth: deepest, point: place / sum, normal });
            }
        };
        let points = || {
            let height = stem.height.min(HIGHEST);
            (0..=count)
                .map(move |k| foot + Vec3::z() * (height * f64::from(k) / f64::from(count.max(1))))
        };
        for (part, outline, own, _) in self.vehicle.hull_parts(body) {
            for hull in &outline.hulls {
                let middle =
                    hull.field(&own.local_point(&(foot + Vec3::z() * 0.5)), Exit::Sideways);
                if middle.distance > radius + 2.0 {
                    continue;
                }
                take(
                    StruckPart::Hull(part),
                    &mut points().map(|point| {
                        let field = hull.field(&own.local_point(&point), Exit::Sideways);
                        let normal = -own.direction(&field.normal);
                        (radius - field.distance, point + normal * radius, normal)
                    }),
                );
            }
        }
        if let (GroundVehicle::Wheeled(own), GroundVehicleWorkspace::Wheeled(room)) =
            (&self.vehicle, body)
        {
            let height = stem.height.min(HIGHEST);
            let upright = RoundedBox::new([stem.diameter, stem.diameter, height], radius);
            let middle = foot + Vec3::z() * (0.5 * height);
            for wheel in 0..own.vehicle.wheels() {
                let [radius, half_width] = own.reach(wheel);
                let shape = RoundedCylinder { radius, half_width };
                let pose = own.vehicle.wheel_pose(&room.vehicle, wheel);
                let (centre, axle) = (pose.position - middle, pose.direction(&Vec3::y()));
                let Some(met) = upright.penetration(&shape, &centre, &axle, Exit::Any) else {
                    continue;
                };
                if met.depth > found.as_ref().map_or(0.0, |found| found.depth) {
                    let Penetration { depth, normal, point } = met;
                    let part = StruckPart::Wheel(wheel);
                    found = Some(StemContact { part, depth, point: middle + point, normal });
                }
            }
        }
        found
    }
}

/// Sum of the contacts of one obstacle in a step.
struct Sum<'a> {
    /// Loads on chassis and trailer, to which all obstacles add.
    on_hulls: &'a mut [Load; 2],
    /// Step, s.
    h: f64,
    with: Struck,
    /// Resultant contact force, N.
    force: Vec3,
    /// Sum of the normal forces, N; the weight for the mean position.
    pressing: f64,
    /// Sum of positions weighted by normal force.
    place: Vec3,
    /// Position of the last contact.
    point: Vec3,
    energy: f64,
    broke: bool,
}

impl<'a> Sum<'a> {
    fn of(index: u32, on_hulls: &'a mut [Load; 2], h: f64) -> Sum<'a> {
        Sum {
            on_hulls,
            h,
            with: Struck::Obstacle(index),
            force: Vec3::zeros(),
            pressing: 0.0,
            place: Vec3::zeros(),
            point: Vec3::zeros(),
            energy: 0.0,
            broke: false,
        }
    }

    fn add(&mut self, push: &Push, point: &Vec3, velocity: &Vec3) {
        self.point = *point;
        self.force += push.force;
        self.pressing += push.normal_force;
        self.place += point * push.normal_force;
        self.energy -= push.force.dot(velocity) * self.h;
    }

    fn report(&self, touch: &mut impl FnMut(Touch)) {
        let Sum { with, force, pressing, place, energy, broke, .. } = *self;
        if pressing > 0.0 {
            touch(Touch { with, place: place / pressing, force, energy, broke });
        } else if broke {
            touch(Touch { with, place: self.point, force, energy, broke });
        }
    }
}
