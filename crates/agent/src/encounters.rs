//! Collisions between vehicles: nearby pairs and the forces of each pair over a heartbeat.
//!
//! Everything follows from the states sent at the last heartbeat, so every rank that steps one
//! vehicle of a pair solves the same problem ([`bekker_vehicle::collision`]).
//!
//! A vehicle whose drive has ended stands still as if it were part of the ground, which absorbs its
//! momentum.

use super::agent::{AgentModel, AgentView};
use super::clock::Clock;
use super::fresh_views::FreshViews;
use super::ground_vehicle::GroundVehicle;
use super::hit::{Struck, Touch};
use super::hull_part::HullPart;
use super::tow_link::TowLink;
use bekker_math::spatial::{Pose, Twist, Vec3, Wrench};
use bekker_vehicle::TrailerModel;
use bekker_vehicle::collision::{CollisionPair, FreeBody, Tow, TowState};
use rayon::prelude::*;

/// Distance below which vehicles send their exact motions, m, in addition to their travel in two
/// heartbeats.
const CLOSE: f64 = 0.5;

/// Distance between a trailer's coupling and its tractor's, m, above which the two can collide.
///
/// Their hulls are clear of each other at that distance. It is computed from the states that all
/// ranks have.
const PARTED: f64 = 0.5;

/// Index of a colliding body: twice the agent's index, plus one for the trailer.
type Party = usize;

fn party(agent: usize, part: HullPart) -> Party {
    2 * agent + part as usize
}

fn agent_of(party: Party) -> usize {
    party / 2
}

#[derive(Clone, Debug, Default)]
struct Met {
    parties: [Party; 2],
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
pub struct Encounters {
    /// Centers of the bodies' hulls, in ascending order.
    order: Vec<(Vec3, u32)>,
    /// Index of each body in `order`.
    place: Vec<u32>,
    /// Pairs in that order; the first `count` belong to this heartbeat.
    met: Vec<Met>,
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
pub struct Known<'a> {
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
    pub heard: &'a FreshViews,
    /// Whether this rank steps the agent, for each agent.
    pub own: &'a [bool],
}

/// Returns a body in the state that all ranks have, if it exists.
fn body<'a>(agents: &'a [AgentModel], views: &[AgentView], party: Party) -> Option<FreeBody<'a>> {
    let agent = agent_of(party);
    let AgentView { pose, twist, otherwise, ended, trailer, .. } = views[agent];
    let part = HullPart::ALL[party % 2];
    let outline = agents[agent].vehicle.outline_of(part)?;
    if part == HullPart::Chassis {
        return Some(FreeBody {
            external_acceleration: otherwise,
            ..outline.body(pose, twist, !ended)
        });
    }
    // the message contains the center of the trailer's hulls
    let told = trailer?;
    let arm = -(told.motion.orientation * outline.ball.centre);
    let pose = Pose { position: told.place + arm, ..told.pose() };
    let twist = Twist { linear: told.motion.twist.velocity_at(&arm), ..told.motion.twist };
    let otherwise = told.motion.otherwise;
    Some(FreeBody { external_acceleration: otherwise, ..outline.body(pose, twist, !ended) })
}

/// Returns whether an agent's trailer has moved away from its tractor.
fn has_parted(agents: &[AgentModel], views: &[AgentView], agent: usize) -> bool {
    let coupling = agents[agent].vehicle.trailer().map(TrailerModel::coupling);
    let trailer = body(agents, views, party(agent, HullPart::Trailer));
    let (Some(coupling), Some(trailer)) = (coupling, trailer) else { return false };
    (views[agent].pose.point(&coupling) - trailer.pose.position).norm() > PARTED
}

impl Encounters {
    /// Finds the pairs of the coming heartbeat of `steps` steps and solves those with a body of
    /// this rank.
    pub fn meet(&mut self, tows: &[TowState], known: &Known<'_>, steps: u64) {
        let Known { agents, tows: links, clock, views, .. } = *known;
        self.forget(known);
        if agents.len() < 2 && !known.can_collide {
            return;
        }
        let h = clock.step();
        // motions sent at the end of this heartbeat also serve the next one
        self.find(known, 2.0 * clock.heartbeat());
        for (index, (link, state)) in links.iter().zip(tows).enumerate() {
            let [a, b] = link.agents;
            if state.broken || !(known.heard.has(a) && known.heard.has(b)) {
                continue;
            }
            for agent in link.agents {
                self.close[agent] = true;
            }
            let mut parties = link.agents.map(|agent| party(agent, HullPart::Chassis));
            parties.sort_by_key(|party| self.place[*party]);
            let at = match self.met[..self.count].iter().position(|met| met.parties == parties) {
                Some(at) => at,
                None => self.push(parties),
            };
            (self.met[at].tow, self.met[at].tow_state) = (Some(index), *state);
        }
        if self.count == 0 {
            return;
        }
        let place = &self.place;
        self.met[..self.count].sort_unstable_by_key(|met| met.parties.map(|party| place[party]));
        let time = steps as f64 * h;
        self.met[..self.count].par_iter_mut().for_each(|met| {
            let [Some(a), Some(b)] = met.parties.map(|party| body(agents, views, party)) else {
                return;
            };
            met.touch = met.pair.approach([&a, &b], time);
        });
        for met in self.met[..self.count].iter().filter(|met| met.touch && met.tow.is_none()) {
            met.parties.iter().for_each(|&party| self.partners[party] += 1);
        }
        for met in self.met[..self.count].iter().filter(|met| met.touch) {
            for (side, &party) in met.parties.iter().enumerate() {
                let Some(own) = body(agents, views, party) else { continue };
                self.pressed[party] += met.pair.initial_wrench_on(side, &own);
            }
        }
        // counts the ropes of all agents: not every rank receives the agent at the other end, but
        // all ranks must have the same count
        for (link, _) in links.iter().zip(tows).filter(|(_, state)| !state.broken) {
            let ends = link.agents.map(|agent| party(agent, HullPart::Chassis));
            ends.iter().for_each(|&end| self.partners[end] += 1);
        }
        let (partners, pressed) = (&self.partners, &self.pressed);
        self.met[..self.count].par_iter_mut().for_each(|met| {
            let acts = met.touch || met.tow.is_some();
            if !acts || !met.parties.iter().any(|&party| known.own[agent_of(party)]) {
                met.touch = false;
                met.tow = None;
                return;
            }
            let [Some(a), Some(b)] = met.parties.map(|party| body(agents, views, party)) else {
                return;
            };
            met.shares = met.parties.map(|party| 1.0 / f64::from(partners[party].max(1)));
            let Met { pair, shares, tow, tow_state, .. } = met;
            let link = tow.map(|index| {
                let TowLink { agents: ends, tow } = links[index];
                let [one, other] = tow.anchors;
                let turned = ends[0] != agent_of(met.parties[0]);
                Tow { anchors: if turned { [other, one] } else { [one, other] }, ..tow }
            });
            let tow = link.as_ref().zip(Some(tow_state));
            let [a, b] = [(0, a), (1, b)].map(|(side, own)| {
                let by_one = pair.initial_wrench_on(side, &own);
                own.with_share(shares[side], &pressed[met.parties[side]], &by_one, time)
            });
            pair.collide([&a, &b], *shares, tow, steps, h);
        });
        for (index, met) in self.met[..self.count].iter().enumerate() {
            if met.touch || met.tow.is_some() {
                self.acting.extend(met.parties.map(|party| (party as u32, index as u32)));
            }
        }
        self.acting.sort_unstable();
    }

    /// Clears the previous heartbeat.
    ///
    /// Resets only the agents that were in it, because a reset of all agents slows down with the
    /// number of agents on other ranks.
    fn forget(&mut self, known: &Known<'_>) {
        self.count = 0;
        self.acting.clear();
        let agents = known.agents.len();
        self.close.resize(agents, false);
        self.place.resize(2 * agents, u32::MAX);
        self.partners.resize(2 * agents, 0);
        self.pressed.resize(2 * agents, Wrench::default());
        let Encounters { order, place, close, partners, pressed, .. } = self;
        let before = order.drain(..).map(|(_, party)| party as usize);
        let towed = known.tows.iter().flat_map(|link| link.agents);
        for party in before.chain(towed.map(|agent| party(agent, HullPart::Chassis))) {
            close[agent_of(party)] = false;
            (place[party], partners[party], pressed[party]) = (u32::MAX, 0, Wrench::default());
        }
    }

    /// Finds the pairs that may touch within `time` s.
    fn find(&mut self, known: &Known<'_>, time: f64) {
        let Known { agents, views, heard, .. } = *known;
        let reach = |party: Party| {
            let agent = agent_of(party);
            let AgentView { twist, ended, trailer, .. } = &views[agent];
            let part = HullPart::ALL[party % 2];
            let twist = trailer
                .filter(|_| part == HullPart::Trailer)
                .map_or(*twist, |own| own.motion.twist);
            let way = if *ended { 0.0 } else { twist.linear.norm() * time };
            let outline = agents[agent].vehicle.outline_of(part);
            outline.map_or(0.0, |outline| outline.ball.radius) + way + 0.5 * CLOSE
        };
        for &agent in heard.agents() {
            let view = &views[agent];
            let middle = agents[agent].vehicle.outline().ball.centre;
            let middle = (view.pose.point(&middle), party(agent, HullPart::Chassis) as u32);
            let trailer = view.trailer.as_ref();
            let trailer = trailer.map(|own| (own.place, party(agent, HullPart::Trailer) as u32));
            let finite = |own: &(Vec3, u32)| own.0.iter().all(|x| x.is_finite());
            self.order.extend(std::iter::once(middle).chain(trailer).filter(finite));
        }
        // by position, which does not depend on the numbering of agents
        self.order.sort_unstable_by(|(a, one), (b, other)| {
            let by = |axis: usize| a[axis].total_cmp(&b[axis]);
            by(0).then(by(1)).then(by(2)).then(one.cmp(other))
        });
        for (place, (_, party)) in self.order.iter().enumerate() {
            self.place[*party as usize] = place as u32;
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
                let parties = [one, other].map(|party| party as usize);
                let [a, b] = parties.map(agent_of);
                let apart = (middle - other_middle).norm();
                let both_stand = views[a].ended && views[b].ended;
                // a vehicle and its own trailer do not collide while coupled
                let others = a != b || has_parted(agents, views, a);
                if others && apart < own_reach + reach(parties[1]) && !both_stand {
                    self.close[a] = true;
                    self.close[b] = true;
                    self.push(parties);
                }
            }
        }
    }

    fn push(&mut self, parties: [Party; 2]) -> usize {
        if self.count == self.met.len() {
            self.met.push(Met::default());
        }
        let met = &mut self.met[self.count];
        (met.parties, met.touch, met.tow) = (parties, false, None);
        self.count += 1;
        self.count - 1
    }

    /// Returns whether another vehicle is near an agent.
    pub fn is_close(&self, agent: usize) -> bool {
        self.close.get(agent).copied().unwrap_or_default()
    }

    /// Returns whether two vehicles are near each other, at least one of which this rank steps.
    pub fn any_close(&self, own: &[bool]) -> bool {
        let mut met = self.met[..self.count].iter();
        met.any(|met| met.parties.iter().any(|&party| own[agent_of(party)]))
    }

    /// Returns the wrench of other vehicles on a part of an agent in a step, about the world point
    /// `place`.
    ///
    /// Calls `touch` for each contact.
    pub fn on(
        &self,
        agent: usize,
        part: HullPart,
        step: usize,
        place: &Vec3,
        mut touch: impl FnMut(Touch),
    ) -> Option<Wrench> {
        let mut sum: Option<Wrench> = None;
        let acted_on = party(agent, part);
        let first = self.acting.partition_point(|&(one, _)| (one as usize) < acted_on);
        let own = self.acting[first..].iter().take_while(|&&(one, _)| one as usize == acted_on);
        for &(_, index) in own {
            let met = &self.met[index as usize];
            let side = usize::from(met.parties[0] != acted_on);
            let Some(now) = met.pair.steps.get(step) else { continue };
            let sign = if side == 0 { 1.0 } else { -1.0 };
            let force = now.wrench.force * sign;
            let torque = now.wrench.torque * sign + (met.pair.origin - place).cross(&force);
            *sum.get_or_insert_default() += Wrench { force, torque };
            // a collision with its own uncoupled trailer counts once, for the chassis
            let [one, other] = met.parties.map(agent_of);
            let felt = one != other || part == HullPart::Chassis;
            if felt && now.contact_force != Vec3::zeros() {
                let with = Struck::Vehicle(agent_of(met.parties[1 - side]) as u32);
                let energy = now.energy;
                let force = now.contact_force * sign;
                touch(Touch { with, place: now.position, force, energy, broke: false });
            }
        }
        sum
    }

    /// Returns the ropes and bars of this heartbeat, with their state after it.
    pub fn tows(&self) -> impl Iterator<Item = (usize, TowState)> {
        let met = self.met[..self.count].iter();
        met.filter_map(|met| Some((met.tow?, met.tow_state)))
    }
}
