//! Vehicles that meet: who is near whom, and what pairs do to each other over a heartbeat.
//!
//! All of it follows from how vehicles were told at the last heartbeat, so that every rank
//! that has one of a pair solves the same problem ([`bekker_vehicle::collision`]). A vehicle whose
//! drive has ended stands where it is, as if it were part of the ground: momentum that it is
//! given goes there.

use super::agent::{AgentModel, AgentView};
use super::clock::Clock;
use super::fresh_views::FreshViews;
use super::hit::{Struck, Touch};
use super::hull_part::HullPart;
use super::tow_link::TowLink;
use bekker_math::spatial::{Pose, Twist, Vec3, Wrench};
use bekker_vehicle::collision::{FreeBody, Pair, Tow, TowState};
use rayon::prelude::*;

/// Vehicles nearer than this to each other, m, beyond the way of two heartbeats, tell their motions exactly.
const CLOSE: f64 = 0.5;

/// How far a trailer's coupling has come from its tractor's where the two meet as any others do, m: the
/// hulls are clear of each other then. It follows from what is told of both.
const PARTED: f64 = 0.5;

/// A part of an agent that meets others: twice its index, and one more for its trailer.
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
    pair: Pair,
    touch: bool,
    /// Index of a rope or bar that holds.
    tow: Option<usize>,
    tow_state: TowState,
    /// Shares of their masses.
    shares: [f64; 2],
}

/// Pairs of a heartbeat: derived, never saved.
#[derive(Clone, Debug, Default)]
pub struct Encounters {
    /// Middles of the parties' hulls, in ascending order.
    order: Vec<(Vec3, u32)>,
    /// Place of each party in that.
    place: Vec<u32>,
    /// Pairs in that order; the first `count` are of this heartbeat.
    met: Vec<Met>,
    count: usize,
    /// Which pairs act on which party: party and pair, in ascending order.
    acting: Vec<(u32, u32)>,
    /// Whether another agent is near each.
    close: Vec<bool>,
    /// With how many others each is in touch.
    partners: Vec<u32>,
    /// What they do to each at the beginning, about its centre of mass.
    pressed: Vec<Wrench>,
}

/// Agents as they are known at a heartbeat.
pub struct Known<'a> {
    /// All agents.
    pub agents: &'a [AgentModel],
    /// Ropes and bars between them.
    pub tows: &'a [TowLink],
    /// Step and heartbeat.
    pub clock: &'a Clock,
    /// Whether any of them can run into anything.
    pub can_collide: bool,
    /// All agents as they were at the last heartbeat.
    pub views: &'a [AgentView],
    /// Whose views are up to date.
    pub heard: &'a FreshViews,
    /// Which step here.
    pub own: &'a [bool],
}

/// A party as all know of it, if there is one.
fn body<'a>(agents: &'a [AgentModel], views: &[AgentView], party: Party) -> Option<FreeBody<'a>> {
    let agent = agent_of(party);
    let AgentView { pose, twist, otherwise, ended, trailer, .. } = views[agent];
    let part = HullPart::ALL[party % 2];
    let outline = agents[agent].vehicle.outline_of(part)?;
    if part == HullPart::Chassis {
        return Some(FreeBody { otherwise, ..outline.body(pose, twist, !ended) });
    }
    // told of the middle of its hulls
    let told = trailer?;
    let arm = -(told.motion.orientation * outline.ball.0);
    let pose = Pose { position: told.place + arm, ..told.pose() };
    let twist = Twist { linear: told.motion.twist.at(&arm), ..told.motion.twist };
    let otherwise = told.motion.otherwise;
    Some(FreeBody { otherwise, ..outline.body(pose, twist, !ended) })
}

/// Whether an agent's trailer stands off its tractor.
fn has_parted(agents: &[AgentModel], views: &[AgentView], agent: usize) -> bool {
    let coupling = agents[agent].vehicle.coupling();
    let trailer = body(agents, views, party(agent, HullPart::Trailer));
    let (Some(coupling), Some(trailer)) = (coupling, trailer) else { return false };
    (views[agent].pose.point(&coupling) - trailer.pose.position).norm() > PARTED
}

impl Encounters {
    /// Finds the pairs of the coming heartbeat of `steps` steps, and lets those collide that
    /// step here.
    pub fn meet(&mut self, tows: &[TowState], known: &Known<'_>, steps: u64) {
        let Known { agents, tows: links, clock, views, .. } = *known;
        self.forget(known);
        if agents.len() < 2 && !known.can_collide {
            return;
        }
        let h = clock.step();
        // told now for the coming heartbeat and the one after it
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
                self.pressed[party] += met.pair.begun_on(side, &own);
            }
        }
        // ropes of all, for not every rank hears of who is at their other ends
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
                let [one, other] = tow.places;
                let turned = ends[0] != agent_of(met.parties[0]);
                Tow { places: if turned { [other, one] } else { [one, other] }, ..tow }
            });
            let tow = link.as_ref().zip(Some(tow_state));
            let [a, b] = [(0, a), (1, b)].map(|(side, own)| {
                let by_one = pair.begun_on(side, &own);
                own.among(shares[side], &pressed[met.parties[side]], &by_one, time)
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

    /// Forgets the heartbeat before: of those that were known in it, for going through all would take
    /// longer the more agents there are on other ranks.
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

    /// Pairs whose vehicles may touch within `time` seconds.
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
            outline.map_or(0.0, |outline| outline.ball.1) + way + 0.5 * CLOSE
        };
        for &agent in heard.agents() {
            let view = &views[agent];
            let (middle, _) = agents[agent].vehicle.outline().ball;
            let middle = (view.pose.point(&middle), party(agent, HullPart::Chassis) as u32);
            let trailer = view.trailer.as_ref();
            let trailer = trailer.map(|own| (own.place, party(agent, HullPart::Trailer) as u32));
            let finite = |own: &(Vec3, u32)| own.0.iter().all(|x| x.is_finite());
            self.order.extend(std::iter::once(middle).chain(trailer).filter(finite));
        }
        // by place, which is the same however agents are numbered
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
                // a vehicle and its own trailer do not meet while it draws that
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

    /// Whether another vehicle is near an agent.
    pub fn is_close(&self, agent: usize) -> bool {
        self.close.get(agent).copied().unwrap_or_default()
    }

    /// Whether any two vehicles of which one steps here are near each other.
    pub fn any_close(&self, own: &[bool]) -> bool {
        let mut met = self.met[..self.count].iter();
        met.any(|met| met.parties.iter().any(|&party| own[agent_of(party)]))
    }

    /// What the others do to a part of an agent in a step of the heartbeat: the wrench about the world's
    /// point `place`, and each touch.
    pub fn on(
        &self,
        (agent, part): (usize, HullPart),
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
            // who runs into its own trailer that it has let go of feels it by the chassis
            let [one, other] = met.parties.map(agent_of);
            let felt = one != other || part == HullPart::Chassis;
            if felt && now.pressing != Vec3::zeros() {
                let with = Struck::Vehicle(agent_of(met.parties[1 - side]) as u32);
                let energy = now.energy;
                let force = now.pressing * sign;
                touch(Touch { with, place: now.place, force, energy, broke: false });
            }
        }
        sum
    }

    /// Ropes and bars of this heartbeat that end here at an agent, as they are after it.
    pub fn tows(&self) -> impl Iterator<Item = (usize, TowState)> {
        let met = self.met[..self.count].iter();
        met.filter_map(|met| Some((met.tow?, met.tow_state)))
    }
}
