//! Collisions of an agent with static obstacles: hulls, wheels and tracks with stems, rocks and
//! blocks.

use super::agent::AgentModel;
use super::any_vehicle::GroundVehicleWorkspace;
use super::ground_vehicle::GroundVehicle;
use super::hit::{Struck, Touch};
use super::hull_part::HullPart;
use super::obstacle::{HIGHEST_STEM_CONTACT, Obstacle, Obstacles, Solid, StemOnWheel};
use super::strikes::Strikes;
use super::wheel_collision::TYRE_STIFFNESS;
use bekker_math::spatial::{Acceleration, Load, Mat3, Twist, Vec3};
use bekker_vehicle::VehicleState;
use bekker_vehicle::collision::{
    CollisionPair, ContactForce, ContactLaw, ExitRule, FreeBody, Stem,
};

/// Distance beyond the travel of a heartbeat within which obstacles are searched, m.
const AROUND: f64 = 0.5;
/// Contact stiffness of a hull with a stem or rock, N/m; assumed.
const HULL_STIFFNESS: f64 = 1e6;
/// Largest penetration of an obstacle into a vehicle at its start, m.
///
/// The force that pushes the obstacle out accelerates the vehicle to no more than walking pace.
const STARTS_IN: f64 = 0.05;
/// Spacing of the contact points along a stem, m.
const SPACING: f64 = 0.1;

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

fn standing<'a>(solid: &Solid<'a>) -> FreeBody<'a> {
    FreeBody {
        hulls: solid.hulls,
        pose: *solid.pose,
        twist: Twist::default(),
        mass: 1.0,
        com: Vec3::zeros(),
        inertia: Mat3::identity(),
        external_acceleration: Acceleration::default(),
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
            let stands = damage.get(index as usize).is_none_or(|damage| !Stem::is_felled(*damage));
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
                    let stands = standing(&Solid { pose, hulls: hull });
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
                let solid = Solid { pose, hulls: hull };
                let stands = standing(&solid);
                let Some(pairs) = pairs.next() else { return false };
                let in_hulls = self.vehicle.hull_parts(&body).any(|(part, outline, own, twist)| {
                    let both = [&outline.body(own, twist, true), &stands];
                    let contacts = pairs[part as usize].contacts(both);
                    contacts.iter().any(|met| met.depth > STARTS_IN)
                });
                in_hulls || self.vehicle.solid_depth(&solid, &state, &mut body) > STARTS_IN
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
        state: &VehicleState,
        body: &mut GroundVehicleWorkspace,
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
                    let solid = Solid { pose, hulls: hull };
                    self.press_hulls(&solid, pairs, body, &mut sum);
                    self.vehicle.press_solid(&solid, state, body, |push, point, velocity| {
                        sum.add(push, point, velocity);
                    });
                    sum.report(&mut touch);
                }
                Some(Obstacle::Stem { stem, foot }) => {
                    let (_, damage) = &mut strikes.damage[stems];
                    stems += 1;
                    let mut sum = Sum::of(index, &mut load, h);
                    self.press_stem(stem, foot, damage, body, &mut sum);
                    sum.report(&mut touch);
                }
                None => {}
            }
        }
        load
    }

    fn press_hulls(
        &self,
        solid: &Solid<'_>,
        pairs: &mut [CollisionPair; 2],
        body: &GroundVehicleWorkspace,
        sum: &mut Sum<'_>,
    ) {
        let stands = standing(solid);
        for (part, outline, own, twist) in self.vehicle.hull_parts(body) {
            let both = [&outline.body(own, twist, true), &stands];
            for contact in pairs[part as usize].contacts(both) {
                let r = contact.point - own.position;
                let velocity = twist.velocity_at(&r);
                let push = ContactLaw::HULL.contact_force(contact, &velocity);
                push.add_to(&mut sum.on_hulls[part as usize], &contact.normal, &r);
                sum.add(&push, &contact.point, &velocity);
            }
        }
    }

    /// Adds the contact of a stem with the part of largest penetration.
    fn press_stem(
        &self,
        stem: &Stem,
        foot: &Vec3,
        damage: &mut u16,
        body: &mut GroundVehicleWorkspace,
        sum: &mut Sum<'_>,
    ) {
        if Stem::is_felled(*damage) {
            return;
        }
        let Some(met) = self.deepest(stem, foot, body) else { return };
        let is_tyre = matches!(met.part, StruckPart::Wheel(_));
        let part = if is_tyre { TYRE_STIFFNESS } else { HULL_STIFFNESS };
        let answer = stem.resistance(met.depth, met.point.z - foot.z, *damage, part);
        let broke = Stem::is_felled(answer.damage);
        // the stem falls away from the vehicle
        *damage =
            if broke { Stem::felled_damage(-met.normal.x, -met.normal.y) } else { answer.damage };
        let law = |velocity: &Vec3| {
            ContactLaw::HULL.obstacle_force(answer.force, answer.stiffness, &met.normal, velocity)
        };
        let (push, velocity) = match met.part {
            StruckPart::Wheel(wheel) => {
                let StemContact { depth, point, normal, .. } = met;
                let contact = StemOnWheel { wheel, depth, point, normal };
                let Some(pressed) = self.vehicle.press_stem(&contact, law, body) else { return };
                pressed
            }
            StruckPart::Hull(part) => {
                let mut parts = self.vehicle.hull_parts(body);
                let Some((_, _, pose, twist)) = parts.find(|own| own.0 == part) else { return };
                let r = met.point - pose.position;
                let velocity = twist.velocity_at(&r);
                let push = law(&velocity);
                push.add_to(&mut sum.on_hulls[part as usize], &met.normal, &r);
                (push, velocity)
            }
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
        let count = (stem.height.min(HIGHEST_STEM_CONTACT) / SPACING).ceil() as u32;
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
            let height = stem.height.min(HIGHEST_STEM_CONTACT);
            (0..=count)
                .map(move |k| foot + Vec3::z() * (height * f64::from(k) / f64::from(count.max(1))))
        };
        for (part, outline, own, _) in self.vehicle.hull_parts(body) {
            for hull in &outline.hulls {
                let middle =
                    hull.field(&own.local_point(&(foot + Vec3::z() * 0.5)), ExitRule::Sideways);
                if middle.distance > radius + 2.0 {
                    continue;
                }
                take(
                    StruckPart::Hull(part),
                    &mut points().map(|point| {
                        let field = hull.field(&own.local_point(&point), ExitRule::Sideways);
                        let normal = -own.direction(&field.normal);
                        (radius - field.distance, point + normal * radius, normal)
                    }),
                );
            }
        }
        let least = found.as_ref().map_or(0.0, |found| found.depth);
        let on_wheel = self.vehicle.stem_contact(stem, foot, body, least).map(|own| {
            let StemOnWheel { wheel, depth, point, normal } = own;
            StemContact { part: StruckPart::Wheel(wheel), depth, point, normal }
        });
        on_wheel.or(found)
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

    fn add(&mut self, push: &ContactForce, point: &Vec3, velocity: &Vec3) {
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
