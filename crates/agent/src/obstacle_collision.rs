//! Collisions of an agent with static obstacles: hulls, wheels and tracks with stems, rocks and
//! blocks.

use super::agent::AgentModel;
use super::any_vehicle::GroundVehicleWorkspace;
use super::collision::{CollisionTarget, StepContact};
use super::ground_vehicle::GroundVehicle;
use super::hull_part::HullPart;
use super::obstacle::{HIGHEST_STEM_CONTACT, Obstacles, Solid, StaticObstacle, WheelStemContact};
use super::obstacle_contacts::ObstacleContacts;
use super::wheel_collision::TIRE_STIFFNESS;
use bekker_math::spatial::{Acceleration, Load, Mat3, Twist, Vec3};
use bekker_vehicle::VehicleState;
use bekker_vehicle::collision::{
    CollisionPair, ContactForce, ContactLaw, ExitRule, FreeBody, Stem,
};

/// Distance beyond the travel of a heartbeat within which obstacles are searched, m.
const SEARCH_MARGIN: f64 = 0.5;
/// Contact stiffness of a hull with a stem or rock, N/m; assumed.
const HULL_STIFFNESS: f64 = 1e6;
/// Largest penetration of an obstacle into a vehicle at its start, m.
///
/// The force that pushes the obstacle out accelerates the vehicle to no more than walking pace.
const MAX_START_PENETRATION: f64 = 0.05;
/// Spacing of the contact points along a stem, m.
const SPACING: f64 = 0.1;

/// Part of a vehicle in contact with a stem.
#[derive(Clone, Copy, Debug, PartialEq)]
enum ContactedPart {
    Hull(HullPart),
    Wheel(usize),
}

/// Contact of a stem with the part of a vehicle of largest penetration.
struct StemContact {
    part: ContactedPart,
    depth: f64,
    point: Vec3,
    /// Normal from the stem toward the part.
    normal: Vec3,
}

fn static_body<'a>(solid: &Solid<'a>) -> FreeBody<'a> {
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
    pub fn find_obstacles(
        &self,
        obstacles: &Obstacles,
        damage: &[u16],
        body: &GroundVehicleWorkspace,
        obstacle_contacts: &mut ObstacleContacts,
        time: f64,
    ) -> bool {
        obstacle_contacts.damage.clear();
        if obstacles.is_empty() {
            return false;
        }
        obstacle_contacts.near.clear();
        for (part, outline, pose, twist) in self.vehicle.hull_parts(body) {
            let way = (twist.linear.norm() + twist.angular.norm() * outline.reach) * time;
            let reach = outline.reach + way + SEARCH_MARGIN;
            let ObstacleContacts { near, near_trailer, .. } = obstacle_contacts;
            let found = if part == HullPart::Chassis { near } else { near_trailer };
            obstacles.find_near([pose.position.x, pose.position.y], reach, found);
        }
        if self.vehicle.outline_of(HullPart::Rear).is_some() {
            obstacle_contacts.near.append(&mut obstacle_contacts.near_trailer);
            obstacle_contacts.near.sort_unstable();
            obstacle_contacts.near.dedup();
        }
        obstacle_contacts.near.retain(|&index| {
            let stands = damage.get(index as usize).is_none_or(|damage| !Stem::is_felled(*damage));
            stands && obstacles.get(index as usize).is_some()
        });
        let mut solids = 0;
        for &index in &obstacle_contacts.near {
            match obstacles.get(index as usize) {
                Some(StaticObstacle::Stem { .. }) => {
                    let damage = damage.get(index as usize).copied().unwrap_or_default();
                    obstacle_contacts.damage.push((index, damage));
                }
                Some(StaticObstacle::Solid { pose, hull }) => {
                    if solids == obstacle_contacts.pairs.len() {
                        obstacle_contacts.pairs.push(Default::default());
                    }
                    let stands = static_body(&Solid { pose, hulls: hull });
                    for (part, outline, pose, twist) in self.vehicle.hull_parts(body) {
                        let own = outline.body(pose, twist, true);
                        let pair = &mut obstacle_contacts.pairs[solids][part as usize];
                        // margin for changes of a hull's speed within the heartbeat
                        pair.approach([&own, &stands], time + 0.05);
                    }
                    solids += 1;
                }
                None => {}
            }
        }
        !obstacle_contacts.near.is_empty()
    }

    /// Returns the first obstacle that penetrates hulls, wheels or tracks at the start, in the
    /// design position.
    pub fn obstacle_at_start(&self, obstacles: &Obstacles) -> Option<usize> {
        let [x, y] = [self.start.position.x, self.start.position.y];
        let mut obstacle_contacts = ObstacleContacts::default();
        obstacles.find_near([x, y], self.vehicle.footprint().reach(), &mut obstacle_contacts.near);
        if obstacle_contacts.near.is_empty() {
            return None;
        }
        let state = self.vehicle.launched(&self.start, 0.0);
        let mut body = self.vehicle.workspace(&state);
        self.find_obstacles(obstacles, &[], &body, &mut obstacle_contacts, 0.0);
        let ObstacleContacts { near, pairs, .. } = &mut obstacle_contacts;
        let mut pairs = pairs.iter_mut();
        let is_in = |&index: &usize| match obstacles.get(index) {
            Some(StaticObstacle::Solid { pose, hull }) => {
                let solid = Solid { pose, hulls: hull };
                let stands = static_body(&solid);
                let Some(pairs) = pairs.next() else { return false };
                let in_hulls = self.vehicle.hull_parts(&body).any(|(part, outline, own, twist)| {
                    let both = [&outline.body(own, twist, true), &stands];
                    let contacts = pairs[part as usize].contacts(both);
                    contacts.iter().any(|met| met.depth > MAX_START_PENETRATION)
                });
                in_hulls
                    || self.vehicle.solid_depth(&solid, &state, &mut body) > MAX_START_PENETRATION
            }
            Some(StaticObstacle::Stem { stem, foot }) => self
                .deepest_contact(stem, foot, &body)
                .is_some_and(|met| met.depth > MAX_START_PENETRATION),
            None => false,
        };
        near.iter().map(|&index| index as usize).find(is_in)
    }

    /// Computes the loads of obstacles in a step of `h` s.
    ///
    /// Loads on wheels are added to the wheels; loads on chassis and trailer are returned.
    pub fn obstacle_loads(
        &self,
        obstacles: &Obstacles,
        state: &VehicleState,
        body: &mut GroundVehicleWorkspace,
        obstacle_contacts: &mut ObstacleContacts,
        h: f64,
        mut touch: impl FnMut(StepContact),
    ) -> [Load; 2] {
        let mut load = [Load::default(); 2];
        let (mut solids, mut stems) = (0, 0);
        for at in 0..obstacle_contacts.near.len() {
            let index = obstacle_contacts.near[at];
            match obstacles.get(index as usize) {
                Some(StaticObstacle::Solid { pose, hull }) => {
                    let pairs = &mut obstacle_contacts.pairs[solids];
                    solids += 1;
                    let mut sum = ObstacleLoad::new(index, &mut load, h);
                    let solid = Solid { pose, hulls: hull };
                    self.press_hulls(&solid, pairs, body, &mut sum);
                    self.vehicle.press_solid(&solid, state, body, |push, point, velocity| {
                        sum.add(push, point, velocity);
                    });
                    sum.report(&mut touch);
                }
                Some(StaticObstacle::Stem { stem, foot }) => {
                    let (_, damage) = &mut obstacle_contacts.damage[stems];
                    stems += 1;
                    let mut sum = ObstacleLoad::new(index, &mut load, h);
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
        sum: &mut ObstacleLoad<'_>,
    ) {
        let stands = static_body(solid);
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
        sum: &mut ObstacleLoad<'_>,
    ) {
        if Stem::is_felled(*damage) {
            return;
        }
        let Some(met) = self.deepest_contact(stem, foot, body) else { return };
        let is_tire = matches!(met.part, ContactedPart::Wheel(_));
        let part = if is_tire { TIRE_STIFFNESS } else { HULL_STIFFNESS };
        let answer = stem.resistance(met.depth, met.point.z - foot.z, *damage, part);
        let broke = Stem::is_felled(answer.damage);
        // the stem falls away from the vehicle
        *damage =
            if broke { Stem::felled_damage(-met.normal.x, -met.normal.y) } else { answer.damage };
        let law = |velocity: &Vec3| {
            ContactLaw::HULL.obstacle_force(answer.force, answer.stiffness, &met.normal, velocity)
        };
        let (push, velocity) = match met.part {
            ContactedPart::Wheel(wheel) => {
                let StemContact { depth, point, normal, .. } = met;
                let contact = WheelStemContact { wheel, depth, point, normal };
                let Some(pressed) = self.vehicle.press_stem(&contact, law, body) else { return };
                pressed
            }
            ContactedPart::Hull(part) => {
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

    fn deepest_contact(
        &self,
        stem: &Stem,
        foot: &Vec3,
        body: &GroundVehicleWorkspace,
    ) -> Option<StemContact> {
        let radius = 0.5 * stem.diameter;
        let count = (stem.height.min(HIGHEST_STEM_CONTACT) / SPACING).ceil() as u32;
        let mut found: Option<StemContact> = None;
        let mut take =
            |part: ContactedPart, depths: &mut dyn Iterator<Item = (f64, Vec3, Vec3)>| {
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
                    ContactedPart::Hull(part),
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
            let WheelStemContact { wheel, depth, point, normal } = own;
            StemContact { part: ContactedPart::Wheel(wheel), depth, point, normal }
        });
        on_wheel.or(found)
    }
}

/// Sum of the contacts of one obstacle in a step.
struct ObstacleLoad<'a> {
    /// Loads on chassis and trailer, to which all obstacles add.
    on_hulls: &'a mut [Load; 2],
    /// Step, s.
    h: f64,
    with: CollisionTarget,
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

impl<'a> ObstacleLoad<'a> {
    fn new(index: u32, on_hulls: &'a mut [Load; 2], h: f64) -> ObstacleLoad<'a> {
        ObstacleLoad {
            on_hulls,
            h,
            with: CollisionTarget::Obstacle(index),
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

    fn report(&self, touch: &mut impl FnMut(StepContact)) {
        let ObstacleLoad { with, force, pressing, place, energy, broke, .. } = *self;
        if pressing > 0.0 {
            touch(StepContact { with, place: place / pressing, force, energy, broke });
        } else if broke {
            touch(StepContact { with, place: self.point, force, energy, broke });
        }
    }
}
