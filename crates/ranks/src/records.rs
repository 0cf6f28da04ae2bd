//! A rank's part of the record and of the state: its own agents, and the ground whose home it is.

use crate::ground_directory::home;
use crate::own_agents::map_own_agents;
use crate::rank_error::RankError;
use crate::ranks::Ranks;
use bekker_agent::{AgentState, Event, GroundVehicle, Sample, TrailerEvent};
use bekker_sensor::Delivery;
use bekker_world::{AutonomyView, HeartbeatRecord, RankAccess, StatePart};

impl Ranks<'_> {
    /// Returns this rank's part of the state, for any route. Call this on all ranks.
    ///
    /// The parts of all ranks form the whole state
    /// ([`WorldState::from_parts`](bekker_world::WorldState::from_parts)).
    ///
    /// # Errors
    /// [`RankError`] when a rank is lost.
    pub fn state_part(&mut self) -> Result<StatePart, RankError> {
        self.update_directory()?;
        let (rank, size) = (self.rank(), self.size());
        let state = self.world.state();
        let tiles = match &self.neighbors {
            Some(neighbors) => neighbors.directory.all(),
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
            agents: map_own_agents(&self.world, |agent, state| (agent, state.clone())),
            tiles,
            damage: state.damage.clone(),
            tows: state.tows.clone(),
        })
    }

    /// Returns the record of own agents for the last heartbeat.
    ///
    /// It includes samples if `sampled` is set, and the views of autonomous agents if `views` is
    /// set.
    pub fn own_record(&self, sampled: bool, views: bool) -> HeartbeatRecord {
        HeartbeatRecord {
            delivered: if self.gatherer.records() {
                self.recorded_deliveries()
            } else {
                Vec::new()
            },
            hits: self.own_events(|event| match event {
                Event::Collided(hit) => Some(*hit),
                _ => None,
            }),
            trailer_events: self.own_events(TrailerEvent::from_event),
            autonomous: if views { self.own_views() } else { Vec::new() },
            samples: sampled.then(|| self.own_samples()),
        }
    }

    /// Returns the record of all agents on rank 0, and an empty one elsewhere.
    ///
    /// # Errors
    /// [`RankError`] when a rank is lost or its record cannot be read.
    pub fn gather_record(
        &mut self,
        sampled: bool,
        views: bool,
    ) -> Result<HeartbeatRecord, RankError> {
        let model = self.world.model();
        let has_trailer = || model.agents.iter().any(|agent| agent.vehicle.has_trailer());
        if !(sampled || views || self.gatherer.records() || model.can_collide() || has_trailer()) {
            return Ok(HeartbeatRecord::default());
        }
        let own = self.own_record(sampled, views);
        if self.size() == 1 {
            return Ok(HeartbeatRecord::joined([own]));
        }
        let own = if own.is_empty() { Vec::new() } else { vec![own] };
        Ok(HeartbeatRecord::joined(
            self.collectives.gather_on_root("record", own)?.unwrap_or_default(),
        ))
    }

    pub(crate) fn own_samples(&self) -> Vec<Sample> {
        let sample = |agent: u32, _: &AgentState| self.world.sample(agent as usize);
        map_own_agents(&self.world, sample).into_iter().flatten().collect()
    }

    /// Deliveries of the own agents' sensors that record.
    pub(crate) fn recorded_deliveries(&self) -> Vec<(u32, Delivery)> {
        let agents = &self.world.model().agents;
        self.own_deliveries(|agent, sensor| agents[agent as usize].sensors[sensor as usize].record)
    }

    /// Deliveries of the own agents' sensors (agent, sensor) for which `asked` is true.
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
        let own = map_own_agents(&self.world, |agent, state| {
            let autonomy = agents[agent as usize].autonomy.as_ref()?;
            Some((agent, AutonomyView::from_state(autonomy, state)?))
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
