//! Data of all ranks that is gathered for the record: hashes, states, samples and readings.

use crate::rank_error::RankError;
use crate::ranks::Ranks;
use crate::sealed::{opened, opened_by, sealed, sealed_by};
use bekker_agent::{AgentState, Heard, Outcome, OutcomeReport, Sample};
use bekker_ground::GroundDigest;
use bekker_sensor::Delivery;
use bekker_sync::Parts;
use bekker_world::{AgentsDigest, Call, StateHash, World, combined_hash, sort_deliveries};
use rayon::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

impl Ranks<'_> {
    /// Returns the hash of the whole state, equal to [`World::hash`] in one process, on all ranks.
    ///
    /// Digests are summed along a tree.
    ///
    /// # Errors
    /// [`RankError`] when a rank is lost, or when its ground differs from that of rank 0 although
    /// all ranks receive all changes.
    pub fn hash(&mut self) -> Result<StateHash, RankError> {
        let own = self.own_digests();
        self.hash_with(&own)
    }

    /// Does the same as [`Ranks::hash`], with the digests of all agents on rank 0 to identify one
    /// that differs.
    ///
    /// # Errors
    /// As [`Ranks::hash`].
    pub fn hash_by_agent(&mut self) -> Result<StateHash, RankError> {
        let own = self.own_digests();
        let mut hash = self.hash_with(&own)?;
        let Some(all) = self.collected("digests", own)? else { return Ok(hash) };
        hash.agents = vec![[0; 32]; self.partition.len()];
        for (agent, digest) in all {
            if let Some(place) = hash.agents.get_mut(agent as usize) {
                *place = digest;
            }
        }
        Ok(hash)
    }

    /// Digests of own agents, computed earlier while messages travelled, or now.
    fn own_digests(&mut self) -> Digests {
        let early = self.digests.take();
        early.unwrap_or_else(|| digests_of(&self.world))
    }

    fn hash_with(&mut self, own: &Digests) -> Result<StateHash, RankError> {
        self.tell_homes()?;
        let agents = AgentsDigest::of(own.iter().copied());
        let told_all = self.homes.is_none();
        let ground = match &self.homes {
            Some(homes) => homes.digest(),
            None => self.world.state().published.digest(),
        };
        // Either all ranks have the same ground, or each tile counts on its home rank only.
        type Grounds = Vec<(GroundDigest, u32)>;
        let join = |(agents, mut grounds): (AgentsDigest, Grounds),
                    (more, others): (AgentsDigest, Grounds)| {
            if told_all {
                let new = |other: &(GroundDigest, u32)| grounds.iter().all(|own| own.0 != other.0);
                let new: Grounds = others.into_iter().filter(new).collect();
                grounds.extend(new);
            } else {
                grounds = vec![(sum(&grounds).joined(sum(&others)), 0)];
            }
            (agents.joined(more), grounds)
        };
        let own = (agents, vec![(ground, self.rank() as u32)]);
        let (agents, grounds) = self.reduced("digests", own, join)?;
        if told_all && let Some(&(_, rank)) = grounds.get(1) {
            return Err(RankError::Diverged { rank: rank as usize, tick: self.tick() });
        }
        let ground = grounds.first().map_or(GroundDigest::default(), |first| first.0);
        let state = combined_hash(self.world.state(), ground, agents);
        Ok(StateHash { state, ground, agents: Vec::new() })
    }

    /// Gathers the states of all agents on rank 0, whose world is then complete.
    ///
    /// It can be stored, summarized and drawn as in one process.
    ///
    /// # Errors
    /// [`RankError`] when a rank is lost or its states cannot be read.
    pub fn gather(&mut self) -> Result<(), RankError> {
        self.complete_first()?;
        let (here, tick) = (self.rank(), self.tick());
        // One rank after the other, so that rank 0 never holds the messages of two.
        for rank in 1..self.size() {
            if here == rank {
                let own = sealed_by(|bytes| self.world.append_own_agents(bytes));
                self.pass(&[(0, &own)], &[])?;
            } else if here > 0 {
                self.pass(&[], &[])?;
            } else {
                self.pass(&[], &[rank])?;
                let Ranks { world, incoming, .. } = self;
                opened_by(rank, tick, "agents", incoming.part(0), |bytes| world.adopt(bytes))?;
            }
        }
        // This frees the buffer, since no other message is as large.
        self.incoming = Parts::default();
        Ok(())
    }

    /// Returns the samples of all agents in the order of agents on rank 0, and nothing elsewhere.
    ///
    /// # Errors
    /// [`RankError`] when a rank is lost or its samples cannot be read.
    pub fn samples(&mut self) -> Result<Vec<Sample>, RankError> {
        let own = self.own_samples();
        let mut samples: Vec<Sample> = self.collected("samples", own)?.unwrap_or_default();
        samples.sort_by_key(|sample| sample.vehicle);
        Ok(samples)
    }

    /// Returns the deliveries of all recording sensors in the last heartbeat.
    ///
    /// Rank 0 receives them, each with its agent, in the order of time; other ranks receive
    /// nothing.
    ///
    /// # Errors
    /// [`RankError`] when a rank is lost or its readings cannot be read.
    pub fn delivered(&mut self) -> Result<Vec<(u32, Delivery)>, RankError> {
        if !self.records {
            return Ok(Vec::new());
        }
        let own = self.recorded_deliveries();
        self.deliveries_of_all(own)
    }

    /// Returns the deliveries of `sensors` (agent, sensor) in the last heartbeat, as
    /// [`Ranks::delivered`] does.
    ///
    /// `sensors` are in ascending order and the same on all ranks.
    ///
    /// # Errors
    /// [`RankError`] when a rank is lost or its readings cannot be read.
    pub fn delivered_by(
        &mut self,
        sensors: &[(u32, u32)],
    ) -> Result<Vec<(u32, Delivery)>, RankError> {
        if sensors.is_empty() {
            return Ok(Vec::new());
        }
        let asked = |agent, sensor| sensors.binary_search(&(agent, sensor)).is_ok();
        let own = self.own_deliveries(asked);
        self.deliveries_of_all(own)
    }

    fn deliveries_of_all(
        &mut self,
        own: Vec<(u32, Delivery)>,
    ) -> Result<Vec<(u32, Delivery)>, RankError> {
        let mut all = self.collected("readings", own)?.unwrap_or_default();
        sort_deliveries(&mut all);
        Ok(all)
    }

    /// Returns the messages that the radios of these agents received in the last heartbeat.
    ///
    /// Rank 0 receives them, each with its agent, in the order of agents, then of arrival; other
    /// ranks receive nothing. `radios` are in ascending order and the same on all ranks.
    ///
    /// # Errors
    /// [`RankError`] when a rank is lost or its messages cannot be read.
    pub fn heard_by(&mut self, radios: &[u32]) -> Result<Vec<(u32, Heard)>, RankError> {
        if radios.is_empty() {
            return Ok(Vec::new());
        }
        let arrived = |agent: u32, state: &AgentState| {
            let asked = state.radio.as_ref().filter(|_| radios.binary_search(&agent).is_ok());
            let arrived = asked.map_or(&[][..], |station| station.arrived());
            arrived.iter().map(|heard| (agent, heard.clone())).collect::<Vec<_>>()
        };
        let own: Vec<(u32, Heard)> = self.own_agents(arrived).into_iter().flatten().collect();
        let mut all = self.collected("messages", own)?.unwrap_or_default();
        all.sort_by_key(|(agent, _)| *agent);
        Ok(all)
    }

    /// Returns the outcomes of agents whose drives have ended or that have arrived.
    ///
    /// Rank 0 receives them, each with its agent, in the order of agents; other ranks receive
    /// nothing.
    ///
    /// # Errors
    /// [`RankError`] when a rank is lost or its outcomes cannot be read.
    pub fn outcomes(&mut self) -> Result<Vec<(u32, OutcomeReport)>, RankError> {
        let ended = |agent: u32, state: &AgentState| {
            let arrived = || state.monitor.arrived().map(|time| Outcome::Arrived { time });
            Some((agent, state.outcome.clone().or_else(arrived)?))
        };
        let own: Vec<(u32, Outcome)> = self.own_agents(ended).into_iter().flatten().collect();
        let mut all = self.collected("outcomes", own)?.unwrap_or_default();
        all.sort_by_key(|(agent, _)| *agent);
        let report = |(agent, outcome)| (agent, self.world.model().reported(&outcome));
        Ok(all.into_iter().map(report).collect())
    }

    /// Returns the request of rank 0's controller on all ranks.
    ///
    /// It is [`Call::Stop`] if the controller waits and any rank is interrupted.
    pub(crate) fn called(
        &mut self,
        own: Option<Call>,
        interrupted: bool,
    ) -> Result<Call, RankError> {
        let all = if self.size() == 1 {
            vec![(own, interrupted)]
        } else {
            self.gathered("calls", &(own, interrupted))?
        };
        let interrupted = all.iter().any(|(_, interrupted)| *interrupted);
        let call = all.into_iter().next().and_then(|(call, _)| call).unwrap_or(Call::Wait);
        Ok(if interrupted && call == Call::Wait { Call::Stop } else { call })
    }

    /// Gathers any plain data on all ranks. `kind` names the data in errors.
    ///
    /// # Errors
    /// [`RankError`] when a rank is lost or its data cannot be read.
    pub fn gathered<T: Serialize + DeserializeOwned>(
        &mut self,
        kind: &'static str,
        own: &T,
    ) -> Result<Vec<T>, RankError> {
        self.outgoing = sealed(own);
        self.all_gather()?;
        let tick = self.tick();
        let parts = self.incoming.iter().enumerate();
        parts.map(|(rank, part)| opened(rank, tick, kind, part)).collect()
    }

    /// Maps each own agent to a value, in the order of agents.
    pub(crate) fn own_agents<T>(&self, of: impl Fn(u32, &AgentState) -> T) -> Vec<T> {
        let agents = &self.world.state().agents;
        self.world.own_agents().iter().map(|&agent| of(agent as u32, &agents[agent])).collect()
    }
}

/// Digest of a ground from the digests of its parts.
fn sum(parts: &[(GroundDigest, u32)]) -> GroundDigest {
    parts.iter().fold(GroundDigest::default(), |sum, part| sum.joined(part.0))
}

/// Digests of agents with their indices.
pub(crate) type Digests = Vec<(u32, [u8; 32])>;

/// Digests of the agents that step on this rank.
pub(crate) fn digests_of(world: &World) -> Digests {
    let agents = &world.state().agents;
    world.own_agents().par_iter().map(|&agent| (agent as u32, agents[agent].digest())).collect()
}
