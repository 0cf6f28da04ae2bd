//! Data of all ranks that is gathered for the record: hashes, states, samples and readings.

use crate::census::Neighbors;
use crate::gatherer::{Digests, gather_agents, hash_of_all};
use crate::own_agents::map_own_agents;
use crate::rank_error::RankError;
use crate::ranks::Ranks;
use bekker_agent::{AgentState, Outcome, OutcomeReport, ReceivedMessage, Sample};
use bekker_sensor::Delivery;
use bekker_world::{ControllerRequest, StateHash, sort_deliveries};
use serde::Serialize;
use serde::de::DeserializeOwned;

impl Ranks<'_> {
    /// Returns the hash of the whole state, equal to [`World::hash`](bekker_world::World::hash) in one process, on all ranks.
    ///
    /// Digests are summed along a tree.
    ///
    /// # Errors
    /// [`RankError`] when a rank is lost, or when its ground differs from that of rank 0 although
    /// all ranks receive all changes.
    pub fn hash(&mut self) -> Result<StateHash, RankError> {
        let own = self.gatherer.take_digests(&self.world);
        self.hash_with(&own)
    }

    /// Does the same as [`Ranks::hash`], with the digests of all agents on rank 0 to identify one
    /// that differs.
    ///
    /// # Errors
    /// As [`Ranks::hash`].
    pub fn hash_by_agent(&mut self) -> Result<StateHash, RankError> {
        let own = self.gatherer.take_digests(&self.world);
        let mut hash = self.hash_with(&own)?;
        let Some(all) = self.collectives.gather_on_root("digests", own)? else { return Ok(hash) };
        hash.agents = vec![[0; 32]; self.partition().len()];
        for (agent, digest) in all {
            if let Some(place) = hash.agents.get_mut(agent as usize) {
                *place = digest;
            }
        }
        Ok(hash)
    }

    fn hash_with(&mut self, own: &Digests) -> Result<StateHash, RankError> {
        self.update_directory()?;
        let directory = self.neighbors.as_ref().map(|own| &own.directory);
        hash_of_all(&self.world, &mut self.collectives, directory, own)
    }

    /// Gathers the states of all agents on rank 0, whose world is then complete.
    ///
    /// It can be stored, summarized and drawn as in one process.
    ///
    /// # Errors
    /// [`RankError`] when a rank is lost or its states cannot be read.
    pub fn gather(&mut self) -> Result<(), RankError> {
        self.complete_ground()?;
        gather_agents(&mut self.world, &mut self.collectives)
    }

    /// Sends all new ground to rank 0, unless every rank already has all ground.
    pub(crate) fn complete_ground(&mut self) -> Result<(), RankError> {
        self.update_directory()?;
        let Ranks { world, collectives, neighbors, gatherer, .. } = self;
        let Some(Neighbors { directory, .. }) = neighbors else { return Ok(()) };
        gatherer.complete_ground(world, collectives, directory)
    }

    /// Returns the samples of all agents in the order of agents on rank 0, and nothing elsewhere.
    ///
    /// # Errors
    /// [`RankError`] when a rank is lost or its samples cannot be read.
    pub fn samples(&mut self) -> Result<Vec<Sample>, RankError> {
        let own = self.own_samples();
        let mut samples: Vec<Sample> =
            self.collectives.gather_on_root("samples", own)?.unwrap_or_default();
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
        if !self.gatherer.records() {
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
        let mut all = self.collectives.gather_on_root("readings", own)?.unwrap_or_default();
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
    pub fn radio_messages_of(
        &mut self,
        radios: &[u32],
    ) -> Result<Vec<(u32, ReceivedMessage)>, RankError> {
        if radios.is_empty() {
            return Ok(Vec::new());
        }
        let arrived = |agent: u32, state: &AgentState| {
            let asked = state.radio.as_ref().filter(|_| radios.binary_search(&agent).is_ok());
            let arrived = asked.map_or(&[][..], |station| station.received_messages());
            arrived.iter().map(|heard| (agent, heard.clone())).collect::<Vec<_>>()
        };
        let own: Vec<(u32, ReceivedMessage)> =
            map_own_agents(&self.world, arrived).into_iter().flatten().collect();
        let mut all = self.collectives.gather_on_root("messages", own)?.unwrap_or_default();
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
            let arrived = || state.monitor.arrival_time().map(|time| Outcome::Arrived { time });
            Some((agent, state.outcome.clone().or_else(arrived)?))
        };
        let own: Vec<(u32, Outcome)> =
            map_own_agents(&self.world, ended).into_iter().flatten().collect();
        let mut all = self.collectives.gather_on_root("outcomes", own)?.unwrap_or_default();
        all.sort_by_key(|(agent, _)| *agent);
        let report = |(agent, outcome)| (agent, self.world.model().outcome_report(&outcome));
        Ok(all.into_iter().map(report).collect())
    }

    /// Returns the request of rank 0's controller on all ranks.
    ///
    /// It is [`ControllerRequest::Stop`] if the controller waits and any rank is interrupted.
    pub(crate) fn controller_request(
        &mut self,
        own: Option<ControllerRequest>,
        interrupted: bool,
    ) -> Result<ControllerRequest, RankError> {
        let all = if self.size() == 1 {
            vec![(own, interrupted)]
        } else {
            self.gather_all("calls", &(own, interrupted))?
        };
        let interrupted = all.iter().any(|(_, interrupted)| *interrupted);
        let call =
            all.into_iter().next().and_then(|(call, _)| call).unwrap_or(ControllerRequest::Wait);
        Ok(if interrupted && call == ControllerRequest::Wait {
            ControllerRequest::Stop
        } else {
            call
        })
    }

    /// Gathers any plain data on all ranks. `kind` names the data in errors.
    ///
    /// # Errors
    /// [`RankError`] when a rank is lost or its data cannot be read.
    pub fn gather_all<T: Serialize + DeserializeOwned>(
        &mut self,
        kind: &'static str,
        own: &T,
    ) -> Result<Vec<T>, RankError> {
        self.collectives.gather_all(kind, own)
    }
}
