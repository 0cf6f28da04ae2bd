//! What ranks bring together for the record: hashes, states, samples and readings.

use super::Ranks;
use crate::ground::GroundDigest;
use crate::sensor::Delivery;
use crate::simulation::agent::AgentState;
use crate::simulation::autonomy_view::AutonomyView;
use crate::simulation::controller::Call;
use crate::simulation::event::Event;
use crate::simulation::hit::Hit;
use crate::simulation::rank_error::RankError;
use crate::simulation::record::Sample;
use crate::simulation::sealed::{opened, sealed};
use crate::simulation::world::{World, combined_hash};
use crate::sync::Communicator;
use serde::Serialize;
use serde::de::DeserializeOwned;

impl<C: Communicator> Ranks<C> {
    /// Hash of the whole state as [`World::hash`] gives it in one process; the
    /// same on all ranks; the ground is rank 0's, which is told all of it first.
    /// Also a digest of each agent, to name the one that
    /// differs.
    ///
    /// # Errors
    /// [`RankError`] when a rank is gone, or has another ground than rank 0 where all
    /// are told of all.
    pub fn hash(&mut self) -> Result<([u8; 32], Vec<[u8; 32]>), RankError> {
        self.complete_first()?;
        let here = self.rank();
        let own = self.digests.take();
        let own = own.unwrap_or_else(|| digests_of(&self.world, &self.partition, here));
        let own = (own, self.world.state().published.digest());
        let mut digests = vec![[0; 32]; self.partition.len()];
        let all = self.gathered("digests", &own)?;
        if self.neighbourhood.is_none()
            && let Some(rank) = all.iter().position(|one| one.1 != all[0].1)
        {
            return Err(RankError::Diverged { rank, tick: self.tick() });
        }
        let ground = all.first().map_or(GroundDigest::default(), |first| first.1);
        for (agent, digest) in all.into_iter().flat_map(|(digests, _)| digests) {
            if let Some(place) = digests.get_mut(agent as usize) {
                *place = digest;
            }
        }
        Ok((combined_hash(self.world.state(), ground, &digests), digests))
    }

    /// Brings all agents' states to rank 0, whose world is then complete: it can
    /// be stored, summarised and drawn as if there were one process.
    ///
    /// # Errors
    /// [`RankError`] when a rank is gone or its states cannot be read.
    pub fn gather(&mut self) -> Result<(), RankError> {
        self.complete_first()?;
        // rank 0 has its own
        let own = match self.rank() {
            0 => Vec::new(),
            _ => self.own_agents(|agent, state| (agent, state.clone())),
        };
        let all: Option<Vec<Vec<(u32, AgentState)>>> = self.gathered_at_first("agents", own)?;
        for (agent, state) in all.into_iter().flatten().flatten() {
            self.world.adopt(agent as usize, state);
        }
        Ok(())
    }

    /// Samples of all agents in the order of agents, on rank 0; nothing
    /// elsewhere.
    ///
    /// # Errors
    /// [`RankError`] when a rank is gone or its samples cannot be read.
    pub fn samples(&mut self) -> Result<Vec<Sample>, RankError> {
        let rank = self.rank();
        let own: Vec<Sample> =
            self.world.samples().filter(|sample| self.partition[sample.vehicle] == rank).collect();
        let all = self.gathered_at_first("samples", own)?;
        let mut samples: Vec<Sample> = all.into_iter().flatten().flatten().collect();
        samples.sort_by_key(|sample| sample.vehicle);
        Ok(samples)
    }

    /// What those sensors of all agents that record delivered in the last heartbeat, each with its
    /// agent, in the order of time, on rank 0; nothing elsewhere.
    ///
    /// # Errors
    /// [`RankError`] when a rank is gone or its readings cannot be read.
    pub fn delivered(&mut self) -> Result<Vec<(u32, Delivery)>, RankError> {
        let agents = self.world.model().agents.iter().zip(0..);
        let recorded = agents.flat_map(|(agent, index)| {
            let sensors = agent.sensors.iter().zip(0..);
            sensors.filter(|(own, _)| own.record).map(move |(_, sensor)| (index, sensor))
        });
        let recorded: Vec<(u32, u32)> = recorded.collect();
        self.delivered_by(&recorded)
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
        let own = self.own_agents(|agent, _| agent);
        let of = |agent: u32| {
            let asked = move |own: &&Delivery| sensors.binary_search(&(agent, own.sensor)).is_ok();
            self.world.delivered(agent as usize).iter().filter(asked).cloned()
        };
        let own: Vec<(u32, Delivery)> =
            own.into_iter().flat_map(|agent| of(agent).map(move |d| (agent, d))).collect();
        if self.size() == 1 {
            return Ok(in_order(own));
        }
        let all: Option<Vec<Vec<(u32, Delivery)>>> = self.gathered_at_first("readings", own)?;
        Ok(in_order(all.into_iter().flatten().flatten().collect()))
    }

    /// What the first rank's controller wants, on all ranks; the end of the run if it waits and
    /// any rank is interrupted.
    pub(in crate::simulation) fn called(
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

    /// What all agents that drive themselves have in mind, each with its agent, in the order of
    /// agents, on rank 0; nothing elsewhere.
    ///
    /// # Errors
    /// [`RankError`] when a rank is gone or what it tells cannot be read.
    pub fn autonomous(&mut self) -> Result<Vec<(u32, AutonomyView)>, RankError> {
        let model = self.world.model();
        if model.agents.iter().all(|agent| agent.autonomy.is_none()) {
            return Ok(Vec::new());
        }
        let own = self.own_agents(|agent, state| {
            let autonomy = model.agents[agent as usize].autonomy.as_ref()?;
            Some((agent, AutonomyView::of(autonomy, state)?))
        });
        let own: Vec<(u32, AutonomyView)> = own.into_iter().flatten().collect();
        if self.size() == 1 {
            return Ok(own);
        }
        let all: Option<Vec<Vec<(u32, AutonomyView)>>> = self.gathered_at_first("autonomy", own)?;
        let mut all: Vec<(u32, AutonomyView)> = all.into_iter().flatten().flatten().collect();
        all.sort_by_key(|(agent, _)| *agent);
        Ok(all)
    }

    /// The hits of all agents that were over in the last heartbeat, each with its agent, in
    /// the order of agents, on rank 0; nothing elsewhere.
    ///
    /// # Errors
    /// [`RankError`] when a rank is gone or its hits cannot be read.
    pub fn hits(&mut self) -> Result<Vec<(u32, Hit)>, RankError> {
        if !self.world.model().can_collide() {
            return Ok(Vec::new());
        }
        let own = self.own_agents(|agent, _| agent);
        let hit = |event: &Event| match event {
            Event::Collided(hit) => Some(*hit),
            _ => None,
        };
        let of = |agent: u32| self.world.events(agent as usize).iter().filter_map(hit);
        let own: Vec<(u32, Hit)> =
            own.into_iter().flat_map(|agent| of(agent).map(move |hit| (agent, hit))).collect();
        if self.size() == 1 {
            return Ok(own);
        }
        let all: Option<Vec<Vec<(u32, Hit)>>> = self.gathered_at_first("hits", own)?;
        let mut all: Vec<(u32, Hit)> = all.into_iter().flatten().flatten().collect();
        all.sort_by_key(|(agent, _)| *agent);
        Ok(all)
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

    /// Gathers any plain data on rank 0; nothing elsewhere.
    fn gathered_at_first<T: Serialize + DeserializeOwned>(
        &mut self,
        kind: &'static str,
        own: T,
    ) -> Result<Option<Vec<T>>, RankError> {
        let tick = self.tick();
        let lost = |source| RankError::Lost { tick, source };
        let Ranks { communicator, incoming, .. } = self;
        if communicator.rank() != 0 {
            communicator
                .exchange(&[(0, &sealed(&own))], &[], &mut || (), incoming)
                .map_err(lost)?;
            return Ok(None);
        }
        let others: Vec<usize> = (1..communicator.size()).collect();
        communicator.exchange(&[], &others, &mut || (), incoming).map_err(lost)?;
        let mut all = vec![own];
        for (part, &rank) in self.incoming.iter().zip(&others) {
            all.push(opened(rank, tick, kind, part)?);
        }
        Ok(Some(all))
    }

    pub(super) fn own_agents<T>(&self, of: impl Fn(u32, &AgentState) -> T) -> Vec<T> {
        let rank = self.rank();
        let agents = self.world.state().agents.iter().enumerate();
        agents
            .filter(|&(agent, _)| self.partition[agent] == rank)
            .map(|(agent, state)| of(agent as u32, state))
            .collect()
    }
}

/// Deliveries by time, then agent, sensor and frame.
fn in_order(mut deliveries: Vec<(u32, Delivery)>) -> Vec<(u32, Delivery)> {
    deliveries.sort_by_key(|(agent, delivery)| {
        (delivery.due_us, *agent, delivery.sensor, delivery.frame)
    });
    deliveries
}

/// Digests of agents with their numbers.
pub(super) type Digests = Vec<(u32, [u8; 32])>;

/// Digests of the agents of one rank.
pub(super) fn digests_of(world: &World, partition: &[usize], rank: usize) -> Digests {
    let agents = world.state().agents.iter().enumerate();
    let own = agents.filter(|&(agent, _)| partition[agent] == rank);
    own.map(|(agent, state)| (agent as u32, state.digest())).collect()
}
