//! What ranks bring together for the record: hashes, states, samples and readings.

use crate::rank_error::RankError;
use crate::ranks::Ranks;
use crate::sealed::{opened, sealed};
use bekker_agent::{AgentState, Heard, Outcome, OutcomeReport, Sample};
use bekker_ground::GroundDigest;
use bekker_sensor::Delivery;
use bekker_sync::Parts;
use bekker_world::{AgentsDigest, Call, StateHash, World, combined_hash, sort_deliveries};
use rayon::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

impl Ranks<'_> {
    /// Hash of the whole state as [`World::hash`] gives it in one process, the same on all ranks:
    /// digests are summed along a tree.
    ///
    /// # Errors
    /// [`RankError`] when a rank is gone, or has another ground than rank 0 where all
    /// are told of all.
    pub fn hash(&mut self) -> Result<StateHash, RankError> {
        let own = self.own_digests();
        self.hash_with(&own)
    }

    /// The same with the digests of all agents on rank 0, to name the one that differs.
    ///
    /// # Errors
    /// Likewise.
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

    /// Digests of own agents, made while messages travelled or now.
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
        // where all are told of all, all have one ground; else each tile counts at its home
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

    /// Brings all agents' states to rank 0, whose world is then complete: it can
    /// be stored, summarised and drawn as if there were one process.
    ///
    /// # Errors
    /// [`RankError`] when a rank is gone or its states cannot be read.
    pub fn gather(&mut self) -> Result<(), RankError> {
        self.complete_first()?;
        let (here, tick) = (self.rank(), self.tick());
        // one after the other: the first holds the message of no more than one
        for rank in 1..self.size() {
            if here == rank {
                let own = self.own_agents(|agent, state| {
                    (agent, state.clone(), self.world.sample(agent as usize))
                });
                self.pass(&[(0, &sealed(&own))], &[])?;
            } else if here > 0 {
                self.pass(&[], &[])?;
            } else {
                self.pass(&[], &[rank])?;
                let came: Vec<(u32, AgentState, Option<Sample>)> =
                    opened(rank, tick, "agents", self.incoming.part(0))?;
                for (agent, state, sample) in came {
                    self.world.adopt(agent as usize, state, sample);
                }
            }
        }
        // nothing else that comes is as large
        self.incoming = Parts::default();
        Ok(())
    }

    /// Samples of all agents in the order of agents, on rank 0; nothing
    /// elsewhere.
    ///
    /// # Errors
    /// [`RankError`] when a rank is gone or its samples cannot be read.
    pub fn samples(&mut self) -> Result<Vec<Sample>, RankError> {
        let own = self.own_samples();
        let mut samples: Vec<Sample> = self.collected("samples", own)?.unwrap_or_default();
        samples.sort_by_key(|sample| sample.vehicle);
        Ok(samples)
    }

    /// What those sensors of all agents that record delivered in the last heartbeat, each with its
    /// agent, in the order of time, on rank 0; nothing elsewhere.
    ///
    /// # Errors
    /// [`RankError`] when a rank is gone or its readings cannot be read.
    pub fn delivered(&mut self) -> Result<Vec<(u32, Delivery)>, RankError> {
        if !self.records {
            return Ok(Vec::new());
        }
        let own = self.recorded_deliveries();
        self.deliveries_of_all(own)
    }

    /// What these sensors (agent, sensor), in ascending order, delivered in the last heartbeat,
    /// likewise: to be asked for the same ones on all ranks.
    ///
    /// # Errors
    /// [`RankError`] when a rank is gone or its readings cannot be read.
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

    /// What the radios of these agents, in ascending order, heard in the last heartbeat, each
    /// message with its agent, in the order of agents, then of arrival, on rank 0; nothing
    /// elsewhere. To be asked for the same ones on all ranks.
    ///
    /// # Errors
    /// [`RankError`] when a rank is gone or its messages cannot be read.
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

    /// How the drives that are over ended, or that they have arrived, each with its agent, in the order of agents, on
    /// rank 0; nothing elsewhere.
    ///
    /// # Errors
    /// [`RankError`] when a rank is gone or its outcomes cannot be read.
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

    /// What the first rank's controller wants, on all ranks; the end of the run if it waits and
    /// any rank is interrupted.
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

    /// Gathers any plain data on all ranks; `kind` is its name where it is corrupt.
    ///
    /// # Errors
    /// [`RankError`] when a rank is gone or its data cannot be read.
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

    /// Something of each own agent, in the order of agents.
    pub(crate) fn own_agents<T>(&self, of: impl Fn(u32, &AgentState) -> T) -> Vec<T> {
        let agents = &self.world.state().agents;
        self.world.own_agents().iter().map(|&agent| of(agent as u32, &agents[agent])).collect()
    }
}

/// Digest of a ground from those of its parts.
fn sum(parts: &[(GroundDigest, u32)]) -> GroundDigest {
    parts.iter().fold(GroundDigest::default(), |sum, part| sum.joined(part.0))
}

/// Digests of agents with their numbers.
pub(crate) type Digests = Vec<(u32, [u8; 32])>;

/// Digests of the agents that step here.
pub(crate) fn digests_of(world: &World) -> Digests {
    let agents = &world.state().agents;
    world.own_agents().par_iter().map(|&agent| (agent as u32, agents[agent].digest())).collect()
}
