//! One rank's part of a world: its own agents with their states, and views of the others.
//!
//! For an agent that steps on another rank, a rank holds a view but no state: neither bodies and
//! tires nor its overlay. Rank 0 also has the states of other ranks' agents as last gathered.

use super::world::{World, derived};
use super::world_model::{WorldModel, WorldState};
use bekker_agent::{
    AgentState, AgentWorkspace, Aside, FreshViews, Sample, Stand, threads_are_spare,
};
use bekker_sync::message::VehicleState as VehicleMessage;
use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::Arc;

impl World {
    /// Creates one rank's part of a world, which steps its `own` agents.
    ///
    /// Without a state it is at time 0. Own agents must then be [placed](World::set_down), and the
    /// views of the others must be received.
    ///
    /// # Panics
    /// If a soil of the model is too stiff for its step ([`WorldModel::check`]).
    pub fn part(model: Arc<WorldModel>, state: Option<WorldState>, own: Vec<bool>) -> World {
        if let Err(error) = model.check() {
            panic!("{error}");
        }
        let Some(state) = state else {
            let state = WorldState::at_the_beginning(&model);
            let mut world = World::around(model, state, own);
            let agents = world.own.len();
            world.stands = vec![Stand::Still; agents];
            world.workspaces.resize_with(agents, || None);
            world.views.resize_with(agents, Default::default);
            world.heard = FreshViews::new(agents, false);
            return world;
        };
        let mut world = World::around(model, state, own);
        world.derive();
        if world.own.iter().all(|own| *own) {
            return world;
        }
        if world.model.scene_model.is_some() {
            let told = world.messages();
            world.imaging.received = told.into_iter().map(Some).collect();
        }
        let agents = world.state.agents.iter_mut().zip(&world.own);
        agents.filter(|(_, own)| !**own).for_each(|(state, _)| *state = AgentState::elsewhere());
        world
    }

    /// Settles own agents at their start positions, on all threads.
    pub fn set_down(&mut self, agents: &[usize]) {
        let WorldModel { ground, agents: models, clock, .. } = &*self.model;
        let (published, step) = (&self.state.published, clock.step());
        let spare = threads_are_spare(agents.len());
        let stood = |&agent: &usize| {
            let aside = spare.then(Aside::default);
            (agent, models[agent].state(ground, published, aside, step))
        };
        let stood: Vec<(usize, (AgentState, Stand))> = agents.par_iter().map(stood).collect();
        for (agent, (state, stand)) in stood {
            self.take_in(agent, state);
            self.stands[agent] = stand;
        }
    }

    /// Records the start conditions of other ranks' agents.
    pub fn note_stands(&mut self, stands: &[(u32, Stand)]) {
        for &(agent, stand) in stands {
            if let Some(own) = self.stands.get_mut(agent as usize) {
                *own = stand;
            }
        }
    }

    /// Returns the agents that step here, in ascending order.
    pub fn own_agents(&self) -> &[usize] {
        &self.own_agents
    }

    /// Whether an agent steps here.
    pub fn is_own(&self, agent: usize) -> bool {
        self.own[agent]
    }

    /// Workspace of an agent that steps here.
    pub(super) fn room(&self, agent: usize) -> &AgentWorkspace {
        self.workspaces[agent].as_deref().expect("each agent of this rank has a workspace")
    }

    /// State and workspace of an agent.
    ///
    /// For an agent of another rank they are as last gathered, or those of its design position at
    /// the start.
    pub(super) fn shown(&self, agent: usize) -> (Cow<'_, AgentState>, Cow<'_, AgentWorkspace>) {
        let (model, state) = (&self.model.agents[agent], &self.state.agents[agent]);
        if let Some(room) = self.workspaces[agent].as_deref() {
            return (Cow::Borrowed(state), Cow::Borrowed(room));
        }
        let state = match state.is_elsewhere() {
            true => Cow::Owned(model.unsettled(&model.start, model.speed, 0)),
            false => Cow::Borrowed(state),
        };
        let (room, _) = derived(model, &state, agent);
        (state, Cow::Owned(room))
    }

    /// Updates the view of another rank's agent from its message.
    pub fn see(&mut self, agent: usize, message: &VehicleMessage) {
        self.views[agent] = message.into();
        self.heard.add(agent);
        if self.model.scene_model.is_some() {
            self.imaging.received.resize(self.own.len(), None);
            self.imaging.received[agent] = Some(message.clone());
        }
    }

    /// Sets the agents received at heartbeats from now on. The views of the others become stale.
    pub fn hear_only(&mut self, received: &[usize]) {
        let own = &self.own;
        self.heard.retain(|agent| own[agent] || received.binary_search(&agent).is_ok());
        for (agent, told) in self.imaging.received.iter_mut().enumerate() {
            if received.binary_search(&agent).is_err() {
                *told = None;
            }
        }
    }

    /// Stores the state and the sample of another rank's agent.
    pub fn adopt(&mut self, agent: usize, state: AgentState, sample: Option<Sample>) {
        self.state.agents[agent] = state;
        self.gathered.resize(self.own.len(), None);
        self.gathered[agent] = sample;
    }

    /// Adds an agent that steps here from now on.
    pub fn take_in(&mut self, agent: usize, state: AgentState) {
        let (room, view) = derived(&self.model.agents[agent], &state, agent);
        self.workspaces[agent] = Some(Box::new(room));
        self.views[agent] = view;
        self.state.agents[agent] = state;
        self.own[agent] = true;
        if let Err(place) = self.own_agents.binary_search(&agent) {
            self.own_agents.insert(place, agent);
        }
        self.heard.add(agent);
    }

    /// Removes an own agent, which steps on another rank from now on. Its last message is kept.
    pub fn give_away(&mut self, agent: usize) {
        if self.model.scene_model.is_some() {
            let told = self.message(agent);
            self.imaging.received.resize(self.own.len(), None);
            self.imaging.received[agent] = Some(told);
            self.imaging.forget(agent);
        }
        self.own[agent] = false;
        self.own_agents.retain(|own| *own != agent);
        self.workspaces[agent] = None;
        self.state.agents[agent] = AgentState::elsewhere();
    }
}
