//! Collisions between vehicles: nearby pairs and the forces of each pair over a heartbeat.
//!
//! Everything follows from the states sent at the last heartbeat, so every rank that steps one
//! vehicle of a pair solves the same problem ([`bekker_vehicle::collision`]).
//!
//! A vehicle whose drive has ended stands still as if it were part of the ground, which absorbs its
//! momentum.

use super::agent::{AgentModel, AgentView};
use super::clock::Clock;
use super::collision::{CollisionTarget, StepContact};
use super::fresh_views::FreshViews;
use super::ground_vehicle::GroundVehicle;
use super::hull_part::HullPart;
use super::tow_link::TowLink;
use bekker_math::spatial::{Pose, Twist, Vec3, Wrench};
use bekker_vehicle::TrailerModel;
use bekker_vehicle::collision::{CollisionPair, FreeBody, Tow, TowState};
use rayon::prelude::*;

/// Distance below which vehicles send their exact motions, m, in addition to their travel in two
/// heartbeats.
const EXACT_MOTION_DISTANCE: f64 = 0.5;

/// Distance between a trailer's coupling and its tractor's, m, above which the two can collide.
///
/// Their hulls are clear of each other at that distance. It is computed from the states that all
/// ranks have.
const TRAILER_SEPARATION: f64 = 0.5;

/// Index of a colliding body: twice the agent's index, plus one for the trailer.
type BodyIndex = usize;

fn body_index(agent: usize, part: HullPart) -> BodyIndex {
    2 * agent + part as usize
}

fn agent_of(body: BodyIndex) -> usize {
    body / 2
}

#[derive(Clone, Debug, Default)]
struct ContactPair {
    bodies: [BodyIndex; 2],
    pair: CollisionPair,
    touch: bool,
    /// Index of the rope or bar that connects the two, while it holds.
    tow: Option<usize>,
    tow_state: TowState,
    /// Fraction of each body's mass that takes part in this pair.
    shares: [f64; 2],
}

/// Pairs of a heartbeat; derived and never saved.
#[derive(Clone, Debug, Default)]
pub struct VehicleCollisions {
    /// Centers of the bodies' hulls, in ascending order.
    order: Vec<(Vec3, u32)>,
    /// Index of each body in `order`.
    place: Vec<u32>,
    /// Pairs in that order; the first `count` belong to this heartbeat.
    pairs: Vec<ContactPair>,
    count: usize,
    /// Body and pair acting on it, in ascending order.
    acting: Vec<(u32, u32)>,
    /// Whether another agent is near, for each agent.
    close: Vec<bool>,
    /// Number of bodies in contact with each body.
    partners: Vec<u32>,
    /// Contact wrench on each body at the start of the heartbeat, about its center of mass.
    pressed: Vec<Wrench>,
}

/// Data about all agents that is available at a heartbeat.
pub struct CollisionInputs<'a> {
    /// All agents.
    pub agents: &'a [AgentModel],
    /// Ropes and bars between them.
    pub tows: &'a [TowLink],
    /// Lengths of step and heartbeat.
    pub clock: &'a Clock,
    /// Whether any agent can collide with anything.
    pub can_collide: bool,
    /// Views of all agents at the last heartbeat.
    pub views: &'a [AgentView],
    /// Agents with a current view.
    pub fresh_views: &'a FreshViews,
    /// Whether this rank steps the agent, for each agent.
    pub own: &'a [bool],
}

/// Returns a body in the state that all ranks have, if it exists.
fn free_body<'a>(
    agents: &'a [AgentModel],
    views: &[AgentView],
    body: BodyIndex,
) -> Option<FreeBody<'a>> {
    let agent = agent_of(body);
    let AgentView { pose, twist, external_acceleration, ended, trailer, .. } = views[agent];
    let part = HullPart::ALL[body % 2];
    let outline = agents[agent].vehicle.outline_of(part)?;
    if part == HullPart::Chassis {
        return Some(FreeBody { external_acceleration, ..outline.body(pose, twist, !ended) });
    }
    // the message contains the center of the trailer's hulls
    let told = trailer?;
    let arm = -(told.motion.orientation * outline.ball.center);
    let pose = Pose { position: told.place + arm, ..told.pose() };
    let twist = Twist { linear: told.motion.twist.velocity_at(&arm), ..told.motion.twist };
    let external_acceleration = told.motion.external_acceleration;
    Some(FreeBody { external_acceleration, ..outline.body(pose, twist, !ended) })
}

/// Returns whether an agent's trailer has moved away from its tractor.
fn has_parted(agents: &[AgentModel], views: &[AgentView], agent: usize) -> bool {
    let coupling = agents[agent].vehicle.trailer().map(TrailerModel::coupling);
    let trailer = free_body(agents, views, body_index(agent, HullPart::Rear));
    let (Some(coupling), Some(trailer)) = (coupling, trailer) else { return false };
    (views[agent].pose.point(&coupling) - trailer.pose.position).norm() > TRAILER_SEPARATION
}

impl VehicleCollisions {
    /// Finds the pairs of the coming heartbeat of `steps` steps and solves those with a body of
    /// this rank.
    pub fn solve(&mut self, tows: &[TowState], inputs: &CollisionInputs<'_>, steps: u64) {
        let CollisionInputs { agents, tows: links, clock, views, .. } = *inputs;
        self.clear(inputs);
        if agents.len() < 2 && !inputs.can_collide {
            return;
        }
        let h = clock.step();
        // motions sent at the end of this heartbeat also serve the next one
        self.find_pairs(inputs, 2.0 * clock.heartbeat());
        for (index, (link, state)) in links.iter().zip(tows).enumerate() {
            let [a, b] = link.agents;
            if state.broken || !(inputs.fresh_views.has(a) && inputs.fresh_views.has(b)) {
                continue;
            }
            for agent in link.agents {
                self.close[agent] = true;
            }
            let mut bodies = link.agents.map(|agent| body_index(agent, HullPart::Chassis));
            bodies.sort_by_key(|body| self.place[*body]);
            let at = match self.pairs[..self.count]
                .iter()
                .position(|contact| contact.bodies == bodies)
            {
                Some(at) => at,
                None => self.add_pair(bodies),
            };
            (self.pairs[at].tow, self.pairs[at].tow_state) = (Some(index), *state);
        }
        if self.count == 0 {
            return;
        }
        let place = &self.place;
        self.pairs[..self.count]
            .sort_unstable_by_key(|contact| contact.bodies.map(|body| place[body]));
        let time = steps as f64 * h;
        self.pairs[..self.count].par_iter_mut().for_each(|contact| {
            let [Some(a), Some(b)] = contact.bodies.map(|body| free_body(agents, views, body))
            else {
                return;
            };
            contact.touch = contact.pair.approach([&a, &b], time);
        });
        for contact in
            self.pairs[..self.count].iter().filter(|contact| contact.touch && contact.tow.is_none())
        {
            contact.bodies.iter().for_each(|&body| self.partners[body] += 1);
        }
        for contact in self.pairs[..self.count].iter().filter(|contact| contact.touch) {
            for (side, &body) in contact.bodies.iter().enumerate() {
                let Some(own) = free_body(agents, views, body) else { continue };
                self.pressed[body] += contact.pair.initial_wrench_on(side, &own);
            }
        }
        // counts the ropes of all agents: not every rank receives the agent at the other end, but
        // all ranks must have the same count
        for (link, _) in links.iter().zip(tows).filter(|(_, state)| !state.broken) {
            let ends = link.agents.map(|agent| body_index(agent, HullPart::Chassis));
            ends.iter().for_each(|&end| self.partners[end] += 1);
        }
        let (partners, pressed) = (&self.partners, &self.pressed);
        self.pairs[..self.count].par_iter_mut().for_each(|contact| {
            let acts = contact.touch || contact.tow.is_some();
            if !acts || !contact.bodies.iter().any(|&body| inputs.own[agent_of(body)]) {
                contact.touch = false;
                contact.tow = None;
                return;
            }
            let [Some(a), Some(b)] = contact.bodies.map(|body| free_body(agents, views, body))
            else {
                return;
            };
            contact.shares = contact.bodies.map(|body| 1.0 / f64::from(partners[body].max(1)));
            let ContactPair { pair, shares, tow, tow_state, .. } = contact;
            let link = tow.map(|index| {
                let TowLink { agents: ends, tow } = links[index];
                let [one, other] = tow.anchors;
                let turned = ends[0] != agent_of(contact.bodies[0]);
                Tow { anchors: if turned { [other, one] } else { [one, other] }, ..tow }
            });
            let tow = link.as_ref().zip(Some(tow_state));
            let [a, b] = [(0, a), (1, b)].map(|(side, own)| {
                let by_one = pair.initial_wrench_on(side, &own);
                own.with_share(shares[side], &pressed[contact.bodies[side]], &by_one, time)
            });
            pair.collide([&a, &b], *shares, tow, steps, h);
        });
        for (index, contact) in self.pairs[..self.count].iter().enumerate() {
            if contact.touch || contact.tow.is_some() {
                self.acting.extend(contact.bodies.map(|body| (body as u32, index as u32)));
            }
        }
        self.acting.sort_unstable();
    }

    /// Clears the previous heartbeat.
    ///
    /// Resets only the agents that were in it, because a reset of all agents slows down with the
    /// number of agents on other ranks.
    fn clear(&mut self, inputs: &CollisionInputs<'_>) {
        self.count = 0;
        self.acting.clear();
        let agents = inputs.agents.len();
        self.close.resize(agents, false);
        self.place.resize(2 * agents, u32::MAX);
        self.partners.resize(2 * agents, 0);
        self.pressed.resize(2 * agents, Wrench::default());
        let VehicleCollisions { order, place, close, partners, pressed, .. } = self;
        let before = order.drain(..).map(|(_, body)| body as usize);
        let towed = inputs.tows.iter().flat_map(|link| link.agents);
        for body in before.chain(towed.map(|agent| body_index(agent, HullPart::Chassis))) {
            close[agent_of(body)] = false;
            (place[body], partners[body], pressed[body]) = (u32::MAX, 0, Wrench::default());
        }
    }

    /// Finds the pairs that may touch within `time` s.
    fn find_pairs(&mut self, inputs: &CollisionInputs<'_>, time: f64) {
        let CollisionInputs { agents, views, fresh_views, .. } = *inputs;
        let reach = |body: BodyIndex| {
            let agent = agent_of(body);
            let AgentView { twist, ended, trailer, .. } = &views[agent];
            let part = HullPart::ALL[body % 2];
            let twist =
                trailer.filter(|_| part == HullPart::Rear).map_or(*twist, |own| own.motion.twist);
            let way = if *ended { 0.0 } else { twist.linear.norm() * time };
            let outline = agents[agent].vehicle.outline_of(part);
            outline.map_or(0.0, |outline| outline.ball.radius) + way + 0.5 * EXACT_MOTION_DISTANCE
        };
        for &agent in fresh_views.agents() {
            let view = &views[agent];
            let middle = agents[agent].vehicle.outline().ball.center;
            let middle = (view.pose.point(&middle), body_index(agent, HullPart::Chassis) as u32);
            let trailer = view.trailer.as_ref();
            let trailer = trailer.map(|own| (own.place, body_index(agent, HullPart::Rear) as u32));
            let finite = |own: &(Vec3, u32)| own.0.iter().all(|x| x.is_finite());
            self.order.extend(std::iter::once(middle).chain(trailer).filter(finite));
        }
        // by position, which does not depend on the numbering of agents
        self.order.sort_unstable_by(|(a, one), (b, other)| {
            let by = |axis: usize| a[axis].total_cmp(&b[axis]);
            by(0).then(by(1)).then(by(2)).then(one.cmp(other))
        });
        for (place, (_, body)) in self.order.iter().enumerate() {
            self.place[*body as usize] = place as u32;
        }
        let widest = self.order.iter().map(|place| reach(place.1 as usize)).fold(0.0, f64::max);
        for first in 0..self.order.len() {
            let (middle, one) = self.order[first];
            let own_reach = reach(one as usize);
            for second in first + 1..self.order.len() {
                let (other_middle, other) = self.order[second];
                if other_middle.x - middle.x > own_reach + widest {
                    break;
                }
                let bodies = [one, other].map(|body| body as usize);
                let [a, b] = bodies.map(agent_of);
                let apart = (middle - other_middle).norm();
                let both_stand = views[a].ended && views[b].ended;
                // a vehicle and its own trailer do not collide while coupled
                let others = a != b || has_parted(agents, views, a);
                if others && apart < own_reach + reach(bodies[1]) && !both_stand {
                    self.close[a] = true;
                    self.close[b] = true;
                    self.add_pair(bodies);
                }
            }
        }
    }

    fn add_pair(&mut self, bodies: [BodyIndex; 2]) -> usize {
        if self.count == self.pairs.len() {
            self.pairs.push(ContactPair::default());
        }
        let contact = &mut self.pairs[self.count];
        (contact.bodies, contact.touch, contact.tow) = (bodies, false, None);
        self.count += 1;
        self.count - 1
    }

    /// Returns whether another vehicle is near an agent.
    pub fn is_close(&self, agent: usize) -> bool {
        self.close.get(agent).copied().unwrap_or_default()
    }

    /// Returns whether two vehicles are near each other, at least one of which this rank steps.
    pub fn any_close(&self, own: &[bool]) -> bool {
        let mut contact = self.pairs[..self.count].iter();
        contact.any(|contact| contact.bodies.iter().any(|&body| own[agent_of(body)]))
    }

    /// Returns the wrench of other vehicles on a part of an agent in a step, about the world point
    /// `place`.
    ///
    /// Calls `touch` for each contact.
    pub fn wrench_on(
        &self,
        agent: usize,
        part: HullPart,
        step: usize,
        place: &Vec3,
        mut touch: impl FnMut(StepContact),
    ) -> Option<Wrench> {
        let mut sum: Option<Wrench> = None;
        let acted_on = body_index(agent, part);
        let first = self.acting.partition_point(|&(one, _)| (one as usize) < acted_on);
        let own = self.acting[first..].iter().take_while(|&&(one, _)| one as usize == acted_on);
        for &(_, index) in own {
            let contact = &self.pairs[index as usize];
            let side = usize::from(contact.bodies[0] != acted_on);
            let Some(now) = contact.pair.steps.get(step) else { continue };
            let sign = if side == 0 { 1.0 } else { -1.0 };
            let force = now.wrench.force * sign;
            let torque = now.wrench.torque * sign + (contact.pair.origin - place).cross(&force);
            *sum.get_or_insert_default() += Wrench { force, torque };
            // a collision with its own uncoupled trailer counts once, for the chassis
            let [one, other] = contact.bodies.map(agent_of);
            let felt = one != other || part == HullPart::Chassis;
            if felt && now.contact_force != Vec3::zeros() {
                let with = CollisionTarget::Vehicle(agent_of(contact.bodies[1 - side]) as u32);
                let energy = now.energy;
                let force = now.contact_force * sign;
                touch(StepContact { with, place: now.position, force, energy, broke: false });
            }
        }
        sum
    }

    /// Returns the ropes and bars of this heartbeat, with their state after it.
    pub fn tows(&self) -> impl Iterator<Item = (usize, TowState)> {
        let contact = self.pairs[..self.count].iter();
        contact.filter_map(|contact| Some((contact.tow?, contact.tow_state)))
    }
}
