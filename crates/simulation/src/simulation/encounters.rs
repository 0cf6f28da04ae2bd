//! Vehicles that meet: who is near whom, and what pairs do to each other over a heartbeat.
//!
//! All of it follows from how vehicles were told at the last heartbeat, so that every rank
//! that has one of a pair solves the same problem ([`crate::collision`]). A vehicle whose
//! drive has ended stands where it is, as if it were part of the ground: momentum that it is
//! given goes there.

use super::agent::AgentView;
use super::hit::{Struck, Touch};
use super::world::WorldModel;
use crate::collision::{FreeBody, Pair, Tow, TowState};
use crate::spatial::{Vec3, Wrench};
use rayon::prelude::*;

/// Vehicles nearer than this to each other, m, beyond the way of two heartbeats, tell their motions exactly.
const CLOSE: f64 = 0.5;

/// A rope or bar between two agents of a world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TowLink {
    /// The agents, in ascending order.
    pub agents: [usize; 2],
    /// What is between them; its places in the order of the agents.
    pub tow: Tow,
}

#[derive(Clone, Debug, Default)]
struct Met {
    agents: [usize; 2],
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
pub(super) struct Encounters {
    /// Middles of the agents' hulls, in ascending order.
    order: Vec<(Vec3, u32)>,
    /// Place of each agent in that.
    place: Vec<u32>,
    /// Pairs in that order; the first `count` are of this heartbeat.
    met: Vec<Met>,
    count: usize,
    /// Which pairs act on which agent: agent and pair, in ascending order.
    acting: Vec<(u32, u32)>,
    /// Whether another agent is near each.
    close: Vec<bool>,
    /// With how many others each is in touch.
    partners: Vec<u32>,
}

/// Agents as they are known at a heartbeat.
pub(super) struct Known<'a> {
    pub views: &'a [AgentView],
    /// Whose views are up to date.
    pub heard: &'a [bool],
    /// Which step here.
    pub own: &'a [bool],
}

fn body<'a>(model: &'a WorldModel, views: &[AgentView], agent: usize) -> FreeBody<'a> {
    let AgentView { pose, twist, ended, .. } = views[agent];
    model.agents[agent].vehicle.outline().body(pose, twist, !ended)
}

impl Encounters {
    /// Finds the pairs of the coming heartbeat of `steps` steps, and lets those collide that
    /// step here.
    pub fn meet(&mut self, model: &WorldModel, tows: &[TowState], known: &Known<'_>, steps: u64) {
        let agents = model.agents.len();
        self.count = 0;
        self.acting.clear();
        self.close.clear();
        self.close.resize(agents, false);
        if agents < 2 {
            return;
        }
        let h = model.clock.step();
        // told now for the coming heartbeat and the one after it
        let ahead = 2.0 * model.clock.heartbeat();
        self.find(model, known, ahead);
        for (index, (link, state)) in model.tows.iter().zip(tows).enumerate() {
            let [a, b] = link.agents;
            if state.broken || !(known.heard[a] && known.heard[b]) {
                continue;
            }
            for agent in link.agents {
                self.close[agent] = true;
            }
            let mut agents = [a, b];
            agents.sort_by_key(|agent| self.place[*agent]);
            let at = match self.met[..self.count].iter().position(|met| met.agents == agents) {
                Some(at) => at,
                None => self.push(agents),
            };
            (self.met[at].tow, self.met[at].tow_state) = (Some(index), *state);
        }
        if self.count == 0 {
            return;
        }
        let views = known.views;
        let place = &self.place;
        self.met[..self.count].sort_unstable_by_key(|met| met.agents.map(|agent| place[agent]));
        let time = steps as f64 * h;
        self.met[..self.count].par_iter_mut().for_each(|met| {
            let [a, b] = met.agents.map(|agent| body(model, views, agent));
            met.touch = met.pair.approach([&a, &b], time);
        });
        self.partners.clear();
        self.partners.resize(agents, 0);
        for met in self.met[..self.count].iter().filter(|met| met.touch && met.tow.is_none()) {
            met.agents.iter().for_each(|&agent| self.partners[agent] += 1);
        }
        // ropes of all, for not every rank hears of who is at their other ends
        for (link, _) in model.tows.iter().zip(tows).filter(|(_, state)| !state.broken) {
            link.agents.iter().for_each(|&agent| self.partners[agent] += 1);
        }
        let partners = &self.partners;
        self.met[..self.count].par_iter_mut().for_each(|met| {
            let acts = met.touch || met.tow.is_some();
            if !acts || !met.agents.iter().any(|&agent| known.own[agent]) {
                met.touch = false;
                met.tow = None;
                return;
            }
            let [a, b] = met.agents.map(|agent| body(model, views, agent));
            met.shares = met.agents.map(|agent| 1.0 / f64::from(partners[agent].max(1)));
            let Met { pair, shares, tow, tow_state, .. } = met;
            let link = tow.map(|index| {
                let TowLink { agents, tow } = model.tows[index];
                let [one, other] = tow.places;
                let turned = agents[0] != met.agents[0];
                Tow { places: if turned { [other, one] } else { [one, other] }, ..tow }
            });
            let tow = link.as_ref().zip(Some(tow_state));
            pair.collide([&a, &b], *shares, tow, steps, h);
        });
        for (index, met) in self.met[..self.count].iter().enumerate() {
            if met.touch || met.tow.is_some() {
                self.acting.extend(met.agents.map(|agent| (agent as u32, index as u32)));
            }
        }
        self.acting.sort_unstable();
    }

    /// Pairs whose vehicles may touch within `time` seconds.
    fn find(&mut self, model: &WorldModel, known: &Known<'_>, time: f64) {
        let Known { views, heard, .. } = known;
        let reach = |agent: usize| {
            let AgentView { twist, ended, .. } = &views[agent];
            let way = if *ended { 0.0 } else { twist.linear.norm() * time };
            model.agents[agent].vehicle.outline().ball.1 + way + 0.5 * CLOSE
        };
        self.order.clear();
        let middles = views.iter().enumerate().filter(|&(agent, _)| heard[agent]);
        let middles = middles.map(|(agent, view)| {
            let (middle, _) = model.agents[agent].vehicle.outline().ball;
            (view.pose.point(&middle), agent as u32)
        });
        self.order.extend(middles.filter(|(middle, _)| middle.iter().all(|x| x.is_finite())));
        // by place, which is the same however agents are numbered
        self.order.sort_unstable_by(|(a, one), (b, other)| {
            let by = |axis: usize| a[axis].total_cmp(&b[axis]);
            by(0).then(by(1)).then(by(2)).then(one.cmp(other))
        });
        self.place.clear();
        self.place.resize(views.len(), u32::MAX);
        for (place, (_, agent)) in self.order.iter().enumerate() {
            self.place[*agent as usize] = place as u32;
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
                let [one, other] = [one, other].map(|agent| agent as usize);
                let apart = (middle - other_middle).norm();
                let both_stand = views[one].ended && views[other].ended;
                if apart < own_reach + reach(other) && !both_stand {
                    self.close[one] = true;
                    self.close[other] = true;
                    self.push([one, other]);
                }
            }
        }
    }

    fn push(&mut self, agents: [usize; 2]) -> usize {
        if self.count == self.met.len() {
            self.met.push(Met::default());
        }
        let met = &mut self.met[self.count];
        (met.agents, met.touch, met.tow) = (agents, false, None);
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
        met.any(|met| met.agents.iter().any(|&agent| own[agent]))
    }

    /// What the others do to an agent in a step of the heartbeat: the wrench about the world's
    /// point `place`, and each touch.
    pub fn on(
        &self,
        agent: usize,
        step: usize,
        place: &Vec3,
        mut touch: impl FnMut(Touch),
    ) -> Option<Wrench> {
        let mut sum: Option<Wrench> = None;
        let first = self.acting.partition_point(|&(one, _)| (one as usize) < agent);
        let own = self.acting[first..].iter().take_while(|&&(one, _)| one as usize == agent);
        for &(_, index) in own {
            let met = &self.met[index as usize];
            let side = usize::from(met.agents[0] != agent);
            let Some(now) = met.pair.steps.get(step) else { continue };
            let sign = if side == 0 { 1.0 } else { -1.0 };
            let force = now.wrench.force * sign;
            let torque = now.wrench.torque * sign + (met.pair.origin - place).cross(&force);
            *sum.get_or_insert_default() += Wrench { force, torque };
            if now.pressing > 0.0 {
                let with = Struck::Vehicle(met.agents[1 - side] as u32);
                let energy = now.energy;
                let force = now.pressing;
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
