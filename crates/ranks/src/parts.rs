//! What a rank has of the record and of the state: its own agents, and the ground that is at home
//! with it.

use crate::homes::home;
use crate::rank_error::RankError;
use crate::ranks::Ranks;
use bekker_agent::{AgentState, Event, Sample, TrailerEvent};
use bekker_sensor::Delivery;
use bekker_world::{AutonomyView, HeartbeatRecord, StatePart};

impl Ranks<'_> {
    /// This rank's part of the state, whatever the route: those of all ranks make the whole
    /// ([`WorldState::of_parts`](bekker_world::WorldState::of_parts)). To be called on all
    /// ranks alike.
    ///
    /// # Errors
    /// [`RankError`] when a rank is gone.
    pub fn state_part(&mut self) -> Result<StatePart, RankError> {
        self.tell_homes()?;
        let (rank, size) = (self.rank(), self.size());
        let state = self.world.state();
        let tiles = match &self.homes {
            Some(homes) => homes.all(),
            None => {
                let all = state.published.shared_tiles();
                let own = all.filter(|(key, _)| home(*key, size) == rank);
                own.map(|(key, tile)| (key, tile.clone())).collect()
            }
        };
        Ok(StatePart {
            rank,
            size,
            tick: state.tick,
            steps: state.steps,
            agents: self.own_agents(|agent, state| (agent, state.clone())),
            tiles,
            damage: state.damage.clone(),
            tows: state.tows.clone(),
        })
    }

    /// What own agents left for the record in the last heartbeat: with samples, and with what
    /// those that drive themselves have in mind, if they are due.
    pub fn own_record(&self, sampled: bool, views: bool) -> HeartbeatRecord {
        HeartbeatRecord {
            delivered: if self.records { self.recorded_deliveries() } else { Vec::new() },
            hits: self.own_events(|event| match event {
                Event::Collided(hit) => Some(*hit),
                _ => None,
            }),
            trailer_events: self.own_events(TrailerEvent::of),
            autonomous: if views { self.own_views() } else { Vec::new() },
            samples: sampled.then(|| self.own_samples()),
        }
    }

    /// What all agents left, on rank 0; nothing elsewhere.
    ///
    /// # Errors
    /// [`RankError`] when a rank is gone or what it tells cannot be read.
    pub fn gather_record(
        &mut self,
        sampled: bool,
        views: bool,
    ) -> Result<HeartbeatRecord, RankError> {
        let model = self.world.model();
        let draws_trailer = || model.agents.iter().any(|agent| agent.vehicle.draws_trailer());
        if !(sampled || views || self.records || model.can_collide() || draws_trailer()) {
            return Ok(HeartbeatRecord::default());
        }
        let own = self.own_record(sampled, views);
        if self.size() == 1 {
            return Ok(HeartbeatRecord::joined([own]));
        }
        let own = if own.is_empty() { Vec::new() } else { vec![own] };
        Ok(HeartbeatRecord::joined(self.collected("record", own)?.unwrap_or_default()))
    }

    pub(crate) fn own_samples(&self) -> Vec<Sample> {
        let sample = |agent: u32, _: &AgentState| self.world.sample(agent as usize);
        self.own_agents(sample).into_iter().flatten().collect()
    }

    /// What those sensors of own agents that record delivered.
    pub(crate) fn recorded_deliveries(&self) -> Vec<(u32, Delivery)> {
        let agents = &self.world.model().agents;
        self.own_deliveries(|agent, sensor| agents[agent as usize].sensors[sensor as usize].record)
    }

    /// What those sensors (agent, sensor) of own agents delivered that are asked for.
    pub(crate) fn own_deliveries(&self, asked: impl Fn(u32, u32) -> bool) -> Vec<(u32, Delivery)> {
        let mut own: Vec<(u32, Delivery)> = Vec::new();
        for &index in self.world.own_agents() {
            let (agent, all) = (index as u32, self.world.delivered(index).iter());
            let asked = all.filter(|delivery| asked(agent, delivery.sensor));
            own.extend(asked.map(|delivery| (agent, delivery.clone())));
        }
        own
    }

    fn own_views(&self) -> Vec<(u32, AutonomyView)> {
        let agents = &self.world.model().agents;
        let own = self.own_agents(|agent, state| {
            let autonomy = agents[agent as usize].autonomy.as_ref()?;
            Some((agent, AutonomyView::of(autonomy, state)?))
        });
        own.into_iter().flatten().collect()
    }

    /// Events of one kind, each with its agent.
    fn own_events<T>(&self, of: impl Fn(&Event) -> Option<T>) -> Vec<(u32, T)> {
        let mut own = Vec::new();
        for &agent in self.world.own_agents() {
            let events = self.world.events(agent).iter().filter_map(&of);
            own.extend(events.map(|event| (agent as u32, event)));
        }
        own
    }
}
