//! An exchange of maps between the members of a team, in one process or between ranks.

use crate::world::World;
use bekker_agent::{
    AgentView, Candidate, MapSharing, RadioLinks, Team, TileMessage, TileSelection, TimedPhase,
    partners,
};
use rayon::prelude::*;
use std::convert::Infallible;

/// Two agents; the first may send to the second.
pub type AgentPair = [usize; 2];

impl World {
    /// Initializes the known positions of linked team members at time 0.
    ///
    /// Otherwise the first scan would map them as walls.
    pub(super) fn set_team_positions(&mut self) {
        if let (0, Some(team)) = (self.state.tick, self.model.team.clone()) {
            let network = team.radio.network(0, &self.members());
            self.update_team_positions(&network, 0);
        }
    }

    /// Exchanges maps between members of the team, if an exchange is due between two times, µs.
    ///
    /// `carry` sends the letters of own agents to the ranks of their receivers, and returns the
    /// letters for own agents. It also receives the pairs that may exchange letters.
    pub(super) fn exchange_maps<E>(
        &mut self,
        span_us: [u64; 2],
        mut carry: impl FnMut(Vec<TileMessage>, &[AgentPair]) -> Result<Vec<TileMessage>, E>,
    ) -> Result<(), E> {
        let Some(team) = self.model.team.clone() else { return Ok(()) };
        let Some(exchange) = team.exchange(span_us) else { return Ok(()) };
        let now_us = span_us[1];
        let places = self.members();
        let network = team.radio.network(exchange, &places);
        self.update_team_positions(&network, now_us);
        for (round, pairs) in rounds(&team, &network, &places).into_iter().enumerate() {
            if round == 1 {
                self.assign_tasks(&team, &pairs, now_us);
            }
            let messages = self.write_tile_messages(&team, exchange, now_us, &pairs);
            for message in carry(messages, &pairs)? {
                if let Some(own) = self.state.agents[message.to as usize].autonomy.as_mut() {
                    own.member.receive(message);
                }
            }
            // Without a delay, letters of the first round are passed on in the second.
            let agents = self.model.agents.par_iter().zip(&mut self.state.agents);
            agents.for_each(|(agent, state)| {
                if let (Some(model), Some(own)) = (&agent.autonomy, &mut state.autonomy) {
                    model.stopwatch.time(TimedPhase::Reading, || own.member.read_arrived(now_us));
                }
            });
        }
        Ok(())
    }

    /// Does the same as [`World::exchange_maps`] where all agents step here.
    pub(super) fn exchange_maps_locally(&mut self, span_us: [u64; 2]) {
        let carried: Result<(), Infallible> =
            self.exchange_maps(span_us, |messages, _| Ok(messages));
        carried.unwrap_or_else(|never| match never {});
    }

    /// Positions of the members of the team as sent to all ranks; `None` for other agents.
    fn members(&self) -> Vec<Option<[f64; 2]>> {
        let agents = self.model.agents.iter().zip(&self.views);
        agents
            .map(|(agent, view)| {
                let place = [view.pose.position.x, view.pose.position.y];
                agent.autonomy.is_some().then_some(place)
            })
            .collect()
    }

    /// Whether an agent requests orders from the authority.
    fn requests_orders(&self, team: &Team, agent: usize) -> bool {
        let autonomy = self.model.agents[agent].autonomy.as_ref();
        team.task.is_some() && autonomy.is_some_and(|own| own.goal.is_none())
    }

    /// Assigns tasks, if the authority steps here. It sends them to the receivers of these pairs.
    fn assign_tasks(&mut self, team: &Team, pairs: &[AgentPair], now_us: u64) {
        let authority = team.authority;
        let Some(task) = team.task.as_ref().filter(|_| self.is_own(authority)) else { return };
        let candidate = |(agent, view): (usize, &AgentView)| {
            let place = [view.pose.position.x, view.pose.position.y];
            let is_reached = agent == authority || pairs.iter().any(|&[_, to]| to == agent);
            let asks = self.requests_orders(team, agent) && !view.ended;
            asks.then_some(Candidate { agent: agent as u32, place, is_reached })
        };
        let candidates: Vec<Candidate> =
            self.views.iter().enumerate().filter_map(candidate).collect();
        let Some(own) = self.state.agents[authority].autonomy.as_mut() else { return };
        let report = own.report();
        let member = &mut own.member;
        let mut ledger = std::mem::take(&mut member.ledger);
        ledger.record_report(authority as u32, report);
        ledger.assign_tasks(task, member.map(), &candidates, now_us);
        ledger.order_for(authority as u32).into_iter().for_each(|order| member.accept_order(order));
        member.ledger = ledger;
    }

    /// Letters of own agents, without lost ones.
    fn write_tile_messages(
        &mut self,
        team: &Team,
        exchange: u64,
        now_us: u64,
        pairs: &[AgentPair],
    ) -> Vec<TileMessage> {
        let mut messages = Vec::new();
        for &[from, to] in pairs {
            if !self.is_own(from) {
                continue;
            }
            let Some(receiver) = &self.model.agents[to].autonomy else { continue };
            let at = self.views[to].pose.position;
            let stopwatch = receiver.stopwatch.clone();
            let asks = receiver.goal.is_none();
            let selection =
                TileSelection::new(team, receiver.goal.map(|goal| [[at.x, at.y], goal]));
            let due_us = now_us + team.radio.delay_us(exchange, [from, to], 0, 1);
            let sends_report = to == team.authority && self.requests_orders(team, from);
            let sends_order = from == team.authority && team.task.is_some() && asks;
            let Some(sender) = self.state.agents[from].autonomy.as_mut() else { continue };
            let order = sends_order.then(|| sender.member.ledger.order_for(to as u32)).flatten();
            let report = sends_report.then(|| sender.report());
            let member = &sender.member;
            let pair = [from as u32, to as u32];
            let write = || member.tile_message(pair, due_us, &selection, order, report);
            let message = stopwatch.time(TimedPhase::Writing, write);
            let Some(message) = message else { continue };
            let lost = team.radio.loses(exchange, [from, to], 0);
            stopwatch.time(TimedPhase::Writing, || sender.member.record_sent(&message, lost));
            if !lost {
                messages.push(message);
            }
        }
        messages
    }
}

/// Returns which members may send to which, by round. The same on all ranks.
fn rounds(team: &Team, network: &RadioLinks, places: &[Option<[f64; 2]>]) -> Vec<Vec<AgentPair>> {
    match team.sharing {
        MapSharing::Central | MapSharing::Whole => {
            let reached = network.reached_from(team.authority, team.radio.hops);
            let others = (0..places.len()).filter(|&agent| {
                agent != team.authority && reached[agent] && places[agent].is_some()
            });
            let up: Vec<AgentPair> = others.map(|agent| [agent, team.authority]).collect();
            let down = up.iter().map(|&[agent, authority]| [authority, agent]).collect();
            vec![up, down]
        }
        MapSharing::Peers => {
            let of = |agent: usize| {
                let partners = partners(network, places, agent).into_iter();
                partners.map(move |partner| [agent, partner])
            };
            vec![(0..places.len()).flat_map(of).collect()]
        }
    }
}
