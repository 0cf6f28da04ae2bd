//! The collision of two free bodies.
//!
//! Two vehicles in contact may be simulated on different ranks. Each rank only has the other
//! vehicle's state at the last heartbeat, so both ranks solve the same two-body problem from these
//! states. The chassis collide until the next heartbeat in the world's steps, with an implicit
//! penalty, under the other accelerations of the previous heartbeat. Each rank applies the forces
//! of each step to its own body, with opposite signs. Inputs and order are the same, so results
//! agree bit for bit: action equals reaction at any stiffness and heartbeat.
//!
//! A body in contact with several others has a share of its mass in each pair, which keeps all
//! pairs together stable. In each pair the others push it as they do at the beginning of the
//! heartbeat ([`FreeBody::with_share`]), so that a steadily pushing row stays in equilibrium.

use super::hull::Hull;
use super::law::{BodyContact, ContactLaw, tangents};
use super::shape::ExitRule;
use bekker_math::spatial::{Acceleration, Mat3, Pose, Quat, Twist, Vec3, Wrench};
use serde::{Deserialize, Serialize};

type Matrix12 = nalgebra::SMatrix<f64, 12, 12>;
type Vector12 = nalgebra::SVector<f64, 12>;

/// Longest time for which the forces of other bodies are held at their initial values, s.
///
/// It is a fifth of the contact time of two cars in a crash. Forces that are held longer would add
/// energy to a row.
const LASTING: f64 = 0.02;

/// Margin beyond the displacement in a heartbeat within which contacts are sought, m.
const MARGIN: f64 = 0.05;

/// A vehicle in a collision: all of its mass as one rigid body.
#[derive(Clone, Copy, Debug)]
pub struct FreeBody<'a> {
    /// Hulls of the vehicle.
    pub hulls: &'a [Hull],
    /// Pose of the chassis frame.
    pub pose: Pose,
    /// Twist of the chassis frame's origin.
    pub twist: Twist,
    /// Mass, kg.
    pub mass: f64,
    /// Center of mass in the chassis frame, m.
    pub com: Vec3,
    /// Inertia about the center of mass in the chassis frame's axes, kg m².
    pub inertia: Mat3,
    /// Acceleration of the center of mass by everything except the other body.
    pub external_acceleration: Acceleration,
    /// Whether the body moves; if not, it is fixed like a wall.
    pub is_free: bool,
}

impl FreeBody<'_> {
    /// Returns the body moved at its present twist for `time` seconds.
    fn extrapolated(&self, time: f64) -> Self {
        let Pose { position, orientation } = self.pose;
        let position = position + self.twist.linear * time;
        let orientation = turned(&orientation, &(self.twist.angular * time));
        FreeBody { pose: Pose { position, orientation }, ..*self }
    }

    /// Returns the body for a collision of `time` seconds with one of several bodies that touch it.
    ///
    /// The returned body has a `share` of the mass. At the beginning the wrench of all bodies is
    /// `by_all` and that of this one `by_one`, both about the center of mass. While these wrenches
    /// are constant, the body accelerates by `by_all` on its whole mass, as it should. Its share
    /// alone would accelerate by `by_one / share`.
    pub fn with_share(&self, share: f64, by_all: &Wrench, by_one: &Wrench, time: f64) -> Self {
        let turn = self.pose.orientation.to_rotation_matrix();
        let inertia = turn.matrix() * self.inertia * turn.matrix().transpose();
        let lasting = (LASTING / time).min(1.0);
        let force = (by_all.force - by_one.force / share) * lasting;
        let torque = (by_all.torque - by_one.torque / share) * lasting;
        let mut external_acceleration = self.external_acceleration;
        external_acceleration.linear += force / self.mass;
        external_acceleration.angular +=
            inertia.try_inverse().map_or_else(Vec3::zeros, |inverse| inverse * torque);
        FreeBody { external_acceleration, ..*self }
    }

    fn reach(&self) -> f64 {
        self.hulls.iter().map(Hull::reach).fold(0.0, f64::max)
    }
}

/// Orientation turned by a small rotation vector about the world's axes, rad.
fn turned(orientation: &Quat, by: &Vec3) -> Quat {
    let turn = nalgebra::Quaternion::new(1.0, 0.5 * by.x, 0.5 * by.y, 0.5 * by.z);
    Quat::new_normalize(turn * orientation.quaternion())
}

/// A rope or a bar between two vehicles; immutable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tow {
    /// Attachment points in the two chassis frames, m.
    pub anchors: [Vec3; 2],
    /// Length in excess of the distance of the attachment points when attached, m.
    pub slack: f64,
    /// Stiffness, N/m.
    pub stiffness: f64,
    /// Damping, N s/m.
    pub damping: f64,
    /// Whether it also transmits compression: a bar.
    pub pushes: bool,
    /// Breaking force, N.
    pub breaking: f64,
}

/// State of a rope or bar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TowState {
    /// Whether it has broken.
    pub broken: bool,
    /// Greatest force so far, N.
    pub peak: f64,
    /// Length without load, m, once it is attached to both bodies.
    ///
    /// It depends on the initial positions, which are known only when both bodies have been placed.
    pub length: Option<f64>,
}

/// Interaction of two bodies in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairStep {
    /// Wrench on the first body about the pair's [`origin`](CollisionPair::origin); the second gets
    /// the opposite.
    pub wrench: Wrench,
    /// Resultant of the contact forces on the first body, N.
    pub contact_force: Vec3,
    /// Energy that contacts removed from both bodies, J: dissipated or temporarily stored.
    pub energy: f64,
    /// Mean position of the contacts, weighted by their forces, m.
    pub position: Vec3,
    /// Force of the rope or bar, N.
    pub tow: f64,
}

#[derive(Clone, Copy, Debug)]
struct ContactCandidate {
    /// Body of the sample: 0 or 1.
    body: usize,
    hull: usize,
    sample: usize,
    /// Hull of the other body.
    against: usize,
    exit: ExitRule,
}

/// A force between the bodies along a line.
#[derive(Clone, Copy, Debug)]
struct ForceRow {
    direction: Vec3,
    /// Lever arms from the bodies' centers of mass.
    arms: [Vec3; 2],
    force: f64,
    stiffness: f64,
    damping: f64,
}

impl ForceRow {
    fn line(&self) -> Vector12 {
        let mut line = Vector12::zeros();
        let [a, b] = self.arms.map(|arm| arm.cross(&self.direction));
        line.fixed_rows_mut::<3>(0).copy_from(&a);
        line.fixed_rows_mut::<3>(3).copy_from(&self.direction);
        line.fixed_rows_mut::<3>(6).copy_from(&-b);
        line.fixed_rows_mut::<3>(9).copy_from(&-self.direction);
        line
    }
}

/// Scratch data of two bodies over a heartbeat, never saved.
#[derive(Clone, Debug, Default)]
pub struct CollisionPair {
    candidates: Vec<ContactCandidate>,
    contacts: Vec<BodyContact>,
    rows: Vec<ForceRow>,
    /// Results of the steps of the heartbeat.
    pub steps: Vec<PairStep>,
    /// World point to which the wrenches refer, m.
    pub origin: Vec3,
    /// Wrench of the contacts on the first body at the beginning, about `origin`.
    pub initial_wrench: Wrench,
}

/// Center of a hull, with a fixed hull's center moved to the height of the other body.
///
/// Fixed obstacles are thus approached from the side, however high they are. The center of a free
/// body is not moved.
fn level_with(center: Vec3, own: &FreeBody<'_>, met: &Vec3, hull: &Hull) -> Vec3 {
    let foot = center.z - hull.shape.half().z;
    let level = if own.is_free { center.z } else { center.z.min(met.z.max(foot)) };
    Vec3::new(center.x, center.y, level)
}

/// State of a body during a heartbeat.
#[derive(Clone, Copy)]
struct PairBody {
    center: Vec3,
    orientation: Quat,
    velocity: Vec3,
    rate: Vec3,
}

impl PairBody {
    fn new(body: &FreeBody<'_>) -> PairBody {
        let arm = body.pose.direction(&body.com);
        PairBody {
            center: body.pose.position + arm,
            orientation: body.pose.orientation,
            velocity: body.twist.velocity_at(&arm),
            rate: body.twist.angular,
        }
    }

    fn pose(&self, com: &Vec3) -> Pose {
        let orientation = self.orientation;
        Pose { position: self.center - orientation * com, orientation }
    }

    fn velocity_at(&self, arm: &Vec3) -> Vec3 {
        self.velocity + self.rate.cross(arm)
    }
}

impl CollisionPair {
    /// Finds the contact candidates of the next `time` seconds. Returns whether the bodies touch.
    ///
    /// They are tested at their present poses and at the poses to which their present twists lead.
    pub fn approach(&mut self, bodies: [&FreeBody<'_>; 2], time: f64) -> bool {
        self.candidates.clear();
        self.origin = (bodies[0].pose.position + bodies[1].pose.position) * 0.5;
        self.initial_wrench = Wrench::default();
        let [a, b] = bodies;
        let closing = a.twist.linear - b.twist.linear;
        let turning = a.twist.angular.norm() * a.reach() + b.twist.angular.norm() * b.reach();
        let way = (closing.norm() + turning) * time;
        let apart = (a.pose.position - b.pose.position).norm();
        if apart > a.reach() + b.reach() + way {
            return false;
        }
        for of in 0..2 {
            let (own, other) = (bodies[of], bodies[1 - of]);
            for (hull, mine) in own.hulls.iter().enumerate() {
                let center = own.pose.point(&mine.center);
                for (against, theirs) in other.hulls.iter().enumerate() {
                    let level = level_with(center, own, &other.pose.point(&theirs.center), mine);
                    let [center, middle] = [center, level].map(|at| other.pose.local_point(&at));
                    let gap = theirs.shape.field(&(center - theirs.center), ExitRule::Any).distance;
                    if gap > mine.shape.reach() + way + MARGIN {
                        continue;
                    }
                    let exit = theirs.exit_towards(&middle);
                    for (sample, point) in mine.samples.iter().enumerate() {
                        let place = other.pose.local_point(&own.pose.point(&point.center));
                        let distance = theirs.field(&place, exit).distance - point.radius;
                        if distance < way + MARGIN {
                            self.candidates.push(ContactCandidate {
                                body: of,
                                hull,
                                sample,
                                against,
                                exit,
                            });
                        }
                    }
                }
            }
        }
        if self.candidates.is_empty() {
            return false;
        }
        let ends = [a.extrapolated(time), b.extrapolated(time)];
        self.find_contacts(bodies, [a.pose, b.pose]);
        let touch_now = !self.contacts.is_empty();
        self.initial_wrench = self.contact_wrench(&bodies.map(PairBody::new));
        self.find_contacts(bodies, ends.map(|end| end.pose));
        touch_now || !self.contacts.is_empty()
    }

    /// Returns the contacts at the present poses among the candidates of
    /// [`CollisionPair::approach`].
    pub fn contacts(&mut self, bodies: [&FreeBody<'_>; 2]) -> &[BodyContact] {
        self.find_contacts(bodies, bodies.map(|body| body.pose));
        &self.contacts
    }

    /// Finds the contacts of the candidates with the bodies at these poses.
    fn find_contacts(&mut self, bodies: [&FreeBody<'_>; 2], poses: [Pose; 2]) {
        self.contacts.clear();
        for candidate in &self.candidates {
            let ContactCandidate { body: of, hull, sample, against, exit } = *candidate;
            let sample = &bodies[of].hulls[hull].samples[sample];
            let center = poses[of].point(&sample.center);
            let other = &poses[1 - of];
            let field = bodies[1 - of].hulls[against].field(&other.local_point(&center), exit);
            let depth = sample.radius - field.distance;
            if depth <= 0.0 {
                continue;
            }
            let outward = other.direction(&field.normal);
            // midway between the two surfaces
            let point = center - outward * (sample.radius - 0.5 * depth);
            let normal = if of == 0 { outward } else { -outward };
            let stiffness = ContactLaw::HULL.stiffness * sample.length;
            self.contacts.push(BodyContact { point, normal, depth, stiffness });
        }
    }

    /// Advances two colliding bodies, optionally connected by a rope, by `steps` steps of `h`
    /// seconds.
    ///
    /// [`CollisionPair::approach`] must have been called for the same bodies. `shares`, in (0, 1],
    /// are the parts of their masses that belong to this pair.
    pub fn collide(
        &mut self,
        bodies: [&FreeBody<'_>; 2],
        shares: [f64; 2],
        mut tow: Option<(&Tow, &mut TowState)>,
        steps: u64,
        h: f64,
    ) {
        self.steps.clear();
        let mut moving = bodies.map(PairBody::new);
        if let Some((tow, state)) = &mut tow {
            let [a, b] = [0, 1].map(|k| bodies[k].pose.point(&tow.anchors[k]));
            state.length.get_or_insert((b - a).norm() + tow.slack);
        }
        for _ in 0..steps {
            let poses = [0, 1].map(|k| moving[k].pose(&bodies[k].com));
            self.find_contacts(bodies, poses);
            self.add_contact_rows(&moving);
            let pulled = tow
                .as_mut()
                .is_some_and(|(tow, state)| self.add_tow_row(tow, state, &poses, &moving));
            let step = self.solve(bodies, shares, &mut moving, pulled, h);
            if let Some((tow, state)) = &mut tow {
                state.peak = state.peak.max(step.tow.abs());
                state.broken |= step.tow.abs() > tow.breaking;
            }
            self.steps.push(step);
        }
    }

    /// Wrench of the contacts on the first body.
    fn contact_wrench(&self, moving: &[PairBody; 2]) -> Wrench {
        let mut wrench = Wrench::default();
        for contact in &self.contacts {
            let velocity =
                [0, 1].map(|k| moving[k].velocity_at(&(contact.point - moving[k].center)));
            let push = ContactLaw::HULL.contact_force(contact, &(velocity[0] - velocity[1]));
            wrench.add_force(&push.force, &(contact.point - self.origin));
        }
        wrench
    }

    /// Returns the initial wrench of the contacts on one body about its center of mass.
    pub fn initial_wrench_on(&self, side: usize, body: &FreeBody<'_>) -> Wrench {
        let sign = if side == 0 { 1.0 } else { -1.0 };
        let force = self.initial_wrench.force * sign;
        let arm = self.origin - PairBody::new(body).center;
        Wrench { force, torque: self.initial_wrench.torque * sign + arm.cross(&force) }
    }

    /// Adds the rows of the contacts, three for each.
    fn add_contact_rows(&mut self, moving: &[PairBody; 2]) {
        self.rows.clear();
        for contact in &self.contacts {
            let arms = [0, 1].map(|k| contact.point - moving[k].center);
            let velocity = moving[0].velocity_at(&arms[0]) - moving[1].velocity_at(&arms[1]);
            let push = ContactLaw::HULL.contact_force(contact, &velocity);
            self.rows.push(ForceRow {
                direction: contact.normal,
                arms,
                force: push.normal_force,
                stiffness: push.stiffness,
                damping: push.damping,
            });
            for along in tangents(&contact.normal) {
                self.rows.push(ForceRow {
                    direction: along,
                    arms,
                    force: push.force.dot(&along),
                    stiffness: 0.0,
                    damping: push.drag,
                });
            }
        }
    }

    /// Adds the row of a rope or bar. Returns whether it carries a force.
    fn add_tow_row(
        &mut self,
        tow: &Tow,
        state: &TowState,
        poses: &[Pose; 2],
        moving: &[PairBody; 2],
    ) -> bool {
        let Some(free) = state.length.filter(|_| !state.broken) else { return false };
        let ends = [0, 1].map(|k| poses[k].point(&tow.anchors[k]));
        let way = ends[1] - ends[0];
        let length = way.norm();
        let stretch = length - free;
        if length < 1e-6 || (stretch <= 0.0 && !tow.pushes) {
            return false;
        }
        let direction = way / length;
        let arms = [0, 1].map(|k| ends[k] - moving[k].center);
        let opening =
            (moving[1].velocity_at(&arms[1]) - moving[0].velocity_at(&arms[0])).dot(&direction);
        let force = tow.stiffness * stretch + tow.damping * opening;
        let force = if tow.pushes { force } else { force.max(0.0) };
        let Tow { stiffness, damping, .. } = *tow;
        self.rows.push(ForceRow { direction, arms, force, stiffness, damping });
        true
    }

    /// Advances by one linearly implicit step. If `pulls`, the last row is that of the tow.
    fn solve(
        &mut self,
        bodies: [&FreeBody<'_>; 2],
        shares: [f64; 2],
        moving: &mut [PairBody; 2],
        pulls: bool,
        h: f64,
    ) -> PairStep {
        let mut inverse = Matrix12::zeros();
        let mut matrix = Matrix12::identity();
        let mut speeds = Vector12::zeros();
        for k in 0..2 {
            let at = 6 * k;
            speeds.fixed_rows_mut::<3>(at).copy_from(&moving[k].rate);
            speeds.fixed_rows_mut::<3>(at + 3).copy_from(&moving[k].velocity);
            if !bodies[k].is_free {
                continue;
            }
            let turn = moving[k].orientation.to_rotation_matrix();
            let inertia = turn.matrix() * bodies[k].inertia * turn.matrix().transpose() * shares[k];
            let mass = bodies[k].mass * shares[k];
            let Some(inverted) = inertia.try_inverse() else { continue };
            matrix.fixed_view_mut::<3, 3>(at, at).copy_from(&inertia);
            inverse.fixed_view_mut::<3, 3>(at, at).copy_from(&inverted);
            for axis in at + 3..at + 6 {
                matrix[(axis, axis)] = mass;
                inverse[(axis, axis)] = 1.0 / mass;
            }
        }
        let mut right = Vector12::zeros();
        // velocity gained in the step by all other accelerations
        let mut gained = Vector12::zeros();
        for (k, body) in bodies.iter().enumerate().filter(|(_, body)| body.is_free) {
            gained.fixed_rows_mut::<3>(6 * k).copy_from(&(body.external_acceleration.angular * h));
            gained
                .fixed_rows_mut::<3>(6 * k + 3)
                .copy_from(&(body.external_acceleration.linear * h));
        }
        right += matrix * gained;
        for row in &self.rows {
            let line = self::line(row, bodies);
            let explicit = row.force - h * row.stiffness * line.dot(&speeds);
            right += line * (h * explicit);
            let tangent = h * (row.damping + h * row.stiffness);
            matrix += line * (line.transpose() * tangent);
        }
        let change = matrix.cholesky().map_or_else(Vector12::zeros, |factor| factor.solve(&right));
        let mut step = PairStep::default();
        let mut impulse = Vector12::zeros();
        let mut moment = 0.0;
        let tow_row = if pulls { self.rows.len().saturating_sub(1) } else { usize::MAX };
        let mut pressing = 0.0;
        for (index, row) in self.rows.iter().enumerate() {
            let line = self::line(row, bodies);
            let (before, further) = (line.dot(&speeds), line.dot(&change));
            let after = before + further;
            let mut force = row.force - row.damping * further - h * row.stiffness * after;
            if index == tow_row {
                step.tow = force;
            } else if index % 3 == 0 {
                // a contact never pulls, even while the bodies separate
                force = force.max(0.0);
                pressing = force;
                moment += force;
                step.position += (moving[0].center + row.arms[0]) * force;
            } else {
                let most = ContactLaw::HULL.friction * pressing;
                force = force.clamp(-most, most);
            }
            if index != tow_row {
                step.contact_force += row.direction * force;
                step.energy -= 0.5 * h * force * (before + after);
            }
            impulse += line * (h * force);
            let force = row.direction * force;
            step.wrench.add_force(&force, &(moving[0].center + row.arms[0] - self.origin));
        }
        if moment > 0.0 {
            step.position /= moment;
        }
        let speeds = speeds + gained + inverse * impulse;
        for (k, body) in moving.iter_mut().enumerate() {
            body.rate = speeds.fixed_rows::<3>(6 * k).into_owned();
            body.velocity = speeds.fixed_rows::<3>(6 * k + 3).into_owned();
            if bodies[k].is_free {
                body.center += body.velocity * h;
                body.orientation = turned(&body.orientation, &(body.rate * h));
            }
        }
        step
    }
}

/// A row with the columns of fixed bodies set to zero.
fn line(row: &ForceRow, bodies: [&FreeBody<'_>; 2]) -> Vector12 {
    let mut line = row.line();
    for (k, body) in bodies.iter().enumerate() {
        if !body.is_free {
            line.fixed_rows_mut::<6>(6 * k).fill(0.0);
        }
    }
    line
}

#[cfg(test)]
mod tests;
