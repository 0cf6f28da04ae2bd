//! Methods of a world for the ranks that share it.
//!
//! For an agent that steps on another rank, a rank holds a view but no state: neither bodies and
//! tires nor its overlay. Rank 0 also has the states of other ranks' agents as last gathered.

use super::command::CommandError;
use super::respawn::VehiclePlacement;
use super::team_exchange::AgentPair;
use super::world::{MotionBounds, SharedObstacleChanges, World, derive_agent};
use super::world_model::{WorldModel, WorldState};
use bekker_agent::{
    AgentState, AgentWorkspace, FreshViews, Sample, SecondThreadScratch, StartCondition,
    TileMessage, Transmission, has_spare_threads,
};
use bekker_ground::{Patches, SharedGround, Tile};
use bekker_math::grid::TileKey;
use bekker_sync::message::VehicleMessage;
use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::Arc;

/// Access of `bekker_ranks` to one rank's part of a [`World`].
///
/// A part steps its own agents and holds views of the others. [`World::advance`] is the heartbeat
/// of a world that one process steps alone; ranks perform its parts and exchange messages between
/// them.
pub trait RankAccess: Sized {
    /// Creates one rank's part of a world, which steps its `own` agents.
    ///
    /// Without a state it is at time 0. Own agents must then be [placed](Self::place_agents), and
    /// the views of the others must be received.
    ///
    /// # Panics
    /// If a soil of the model is too stiff for its step ([`WorldModel::check`]).
    fn rank_part(model: Arc<WorldModel>, state: Option<WorldState>, own: Vec<bool>) -> Self;

    /// Settles own agents at their start positions, on all threads.
    fn place_agents(&mut self, agents: &[usize]);

    /// Records the start conditions of other ranks' agents.
    fn set_start_conditions(&mut self, start_conditions: &[(u32, StartCondition)]);

    /// Initializes the known positions of linked team members at time 0.
    fn set_team_positions(&mut self);

    /// Returns the agents that step here, in ascending order.
    fn own_agents(&self) -> &[usize];

    /// Returns the position of a local agent, m, and the greater of its and its trailer's speed,
    /// m/s.
    fn position_and_speed(&self, agent: usize) -> ([f64; 2], f64);

    /// Returns the greatest distance from an own agent's chassis to the wheels of its trailer, m; 0
    /// without a trailer.
    fn trailer_reach(&self, agent: usize) -> f64;

    /// Steps own agents through a heartbeat. They record patches and publish their views.
    fn step_agents(&mut self);

    /// Returns the message and the patches of an own agent for other ranks after the last step.
    fn outgoing(&self, agent: usize) -> (VehicleMessage, &Patches);

    /// Returns the patches of an own agent from the last heartbeat.
    ///
    /// # Panics
    /// If the agent steps on another rank.
    fn patches(&self, agent: usize) -> &Patches;

    /// Updates the view of another rank's agent from its message.
    fn receive_view(&mut self, agent: usize, message: &VehicleMessage);

    /// Sets the agents received at heartbeats from now on. The views of the others become stale.
    fn set_received(&mut self, received: &[usize]);

    /// Whether agents can change anything shared besides the ground.
    fn has_obstacle_changes(&self) -> bool;

    /// Returns the changes by own agents to obstacles, ropes and bars in the last heartbeat.
    fn obstacle_changes(&self) -> SharedObstacleChanges;

    /// Applies changes to obstacles, ropes and bars. The greatest value wins, so the result does
    /// not depend on the order.
    fn apply_obstacle_changes(&mut self, obstacle_changes: &SharedObstacleChanges);

    /// Merges the patches of own agents with those of other ranks' agents.
    fn merge_patches(&mut self, others: Option<&Patches>);

    /// Returns the greatest speed and acceleration of own agents over the last heartbeat.
    fn motion_bounds(&self) -> MotionBounds;

    /// Takes due camera and lidar frames, passes readings to autonomous agents, and moves on to the
    /// next tick.
    ///
    /// The length of the next heartbeat follows from `motion_bounds` of all agents. Returns the
    /// number of frames.
    fn finish_heartbeat(&mut self, motion_bounds: MotionBounds) -> u64;

    /// Exchanges maps between members of the team, if an exchange is due between two times, µs.
    ///
    /// `carry` sends the letters of own agents to the ranks of their receivers, and returns the
    /// letters for own agents. It also receives the pairs that may exchange letters.
    ///
    /// # Errors
    /// The errors of `carry`.
    fn exchange_maps<E>(
        &mut self,
        span_us: [u64; 2],
        carry: impl FnMut(Vec<TileMessage>, &[AgentPair]) -> Result<Vec<TileMessage>, E>,
    ) -> Result<(), E>;

    /// Exchanges the radio messages that are due in the heartbeat between two times, µs.
    ///
    /// `carry` sends the transmissions of own members to all ranks and returns those of all
    /// members.
    ///
    /// # Errors
    /// The errors of `carry`.
    fn exchange_radio<E>(
        &mut self,
        span_us: [u64; 2],
        carry: impl FnMut(Vec<Transmission>) -> Result<Vec<Transmission>, E>,
    ) -> Result<(), E>;

    /// Exchanges maps and radio messages between two times, µs, where all agents step here.
    fn exchange_locally(&mut self, span_us: [u64; 2]);

    /// Returns the published ground, for a rank that drops the part far from its agents.
    fn published_mut(&mut self) -> &mut SharedGround;

    /// Replaces tiles by newer ones from other ranks. The tick stays the same.
    fn replace_tiles(&mut self, tiles: impl IntoIterator<Item = (TileKey, Arc<Tile>)>);

    /// Stores the state and the sample of another rank's agent.
    fn store_gathered(&mut self, agent: usize, state: AgentState, sample: Option<Sample>);

    /// Adds an agent that steps here from now on.
    fn add_own_agent(&mut self, agent: usize, state: AgentState);

    /// Removes an own agent, which steps on another rank from now on. Its last message is kept.
    fn remove_own_agent(&mut self, agent: usize);

    /// Checks that an agent can be placed at a position, regardless of ranks and of other agents.
    ///
    /// # Errors
    /// [`CommandError`] as [`World::respawn`].
    fn check_placement(&self, agent: usize, place: &VehiclePlacement) -> Result<(), CommandError>;

    /// Checks that all agents can be placed at these positions without overlap, on any rank.
    ///
    /// # Errors
    /// [`CommandError`] as [`World::respawn_all`].
    fn check_placements(&self, places: &[VehiclePlacement]) -> Result<(), CommandError>;

    /// Returns the first own agent that would overlap another agent placed at `place`.
    fn overlapping_own_agent(&self, agent: usize, place: &VehiclePlacement) -> Option<usize>;

    /// Publishes the ground under an own agent's wheels, which it leaves behind. Returns the
    /// patches.
    fn publish_under_wheels(&mut self, agent: usize) -> &Patches;

    /// Places an own agent in its design position, without settling it.
    fn place_in_design_position(&mut self, agent: usize, place: &VehiclePlacement);

    /// Places an own agent and settles it to equilibrium on the published ground.
    fn place_in_equilibrium(&mut self, agent: usize, place: &VehiclePlacement) -> StartCondition;

    /// Returns the greatest speed of own agents, m/s.
    fn greatest_speed(&self) -> f64;

    /// Updates the rest of the world after an agent was moved; `fastest` is the greatest speed of
    /// all agents, m/s.
    fn finish_respawn(&mut self, agent: usize, fastest: f64);
}

impl RankAccess for World {
    fn rank_part(model: Arc<WorldModel>, state: Option<WorldState>, own: Vec<bool>) -> World {
        World::for_rank(model, state, own)
    }

    fn place_agents(&mut self, agents: &[usize]) {
        World::place_agents(self, agents);
    }

    fn set_start_conditions(&mut self, start_conditions: &[(u32, StartCondition)]) {
        for &(agent, stand) in start_conditions {
            if let Some(own) = self.start_conditions.get_mut(agent as usize) {
                *own = stand;
            }
        }
    }

    fn set_team_positions(&mut self) {
        World::set_team_positions(self);
    }

    fn own_agents(&self) -> &[usize] {
        &self.own_agents
    }

    fn position_and_speed(&self, agent: usize) -> ([f64; 2], f64) {
        World::position_and_speed(self, agent)
    }

    fn trailer_reach(&self, agent: usize) -> f64 {
        World::trailer_reach(self, agent)
    }

    fn step_agents(&mut self) {
        self.find_collisions();
        self.step_own_agents();
        self.publish_views();
    }

    fn outgoing(&self, agent: usize) -> (VehicleMessage, &Patches) {
        let workspace = self.workspace_of(agent);
        let message = self.model.agents[agent].message(&self.state.agents[agent], workspace);
        (message, &workspace.patches)
    }

    fn patches(&self, agent: usize) -> &Patches {
        &self.workspace_of(agent).patches
    }

    fn receive_view(&mut self, agent: usize, message: &VehicleMessage) {
        self.views[agent] = message.into();
        self.fresh_views.add(agent);
        if self.model.scene_model.is_some() {
            self.imaging.received.resize(self.own.len(), None);
            self.imaging.received[agent] = Some(message.clone());
        }
    }

    fn set_received(&mut self, received: &[usize]) {
        let own = &self.own;
        self.fresh_views.retain(|agent| own[agent] || received.binary_search(&agent).is_ok());
        for (agent, told) in self.imaging.received.iter_mut().enumerate() {
            if received.binary_search(&agent).is_err() {
                *told = None;
            }
        }
    }

    fn has_obstacle_changes(&self) -> bool {
        !(self.model.obstacles.is_empty() && self.model.tows.is_empty())
    }

    fn obstacle_changes(&self) -> SharedObstacleChanges {
        World::obstacle_changes(self)
    }

    fn apply_obstacle_changes(&mut self, obstacle_changes: &SharedObstacleChanges) {
        World::apply_obstacle_changes(self, obstacle_changes);
    }

    fn merge_patches(&mut self, others: Option<&Patches>) {
        World::merge_patches(self, others);
    }

    fn motion_bounds(&self) -> MotionBounds {
        self.motion_bounds
    }

    fn finish_heartbeat(&mut self, motion_bounds: MotionBounds) -> u64 {
        let span_us = self.heartbeat_us();
        let frames = self.take_frames(span_us);
        self.perceive(span_us[1]);
        self.start_next_heartbeat(motion_bounds);
        frames
    }

    fn exchange_maps<E>(
        &mut self,
        span_us: [u64; 2],
        carry: impl FnMut(Vec<TileMessage>, &[AgentPair]) -> Result<Vec<TileMessage>, E>,
    ) -> Result<(), E> {
        World::exchange_maps(self, span_us, carry)
    }

    fn exchange_radio<E>(
        &mut self,
        span_us: [u64; 2],
        carry: impl FnMut(Vec<Transmission>) -> Result<Vec<Transmission>, E>,
    ) -> Result<(), E> {
        World::exchange_radio(self, span_us, carry)
    }

    fn exchange_locally(&mut self, span_us: [u64; 2]) {
        self.exchange_maps_locally(span_us);
        self.exchange_radio_locally(span_us);
    }

    fn published_mut(&mut self) -> &mut SharedGround {
        &mut self.state.published
    }

    fn replace_tiles(&mut self, tiles: impl IntoIterator<Item = (TileKey, Arc<Tile>)>) {
        self.state.published.replace(tiles);
    }

    fn store_gathered(&mut self, agent: usize, state: AgentState, sample: Option<Sample>) {
        self.state.agents[agent] = state;
        self.gathered.resize(self.own.len(), None);
        self.gathered[agent] = sample;
    }

    fn add_own_agent(&mut self, agent: usize, state: AgentState) {
        World::add_own_agent(self, agent, state);
    }

    fn remove_own_agent(&mut self, agent: usize) {
        if self.model.scene_model.is_some() {
            let told = self.message(agent);
            self.imaging.received.resize(self.own.len(), None);
            self.imaging.received[agent] = Some(told);
            self.imaging.remove(agent);
        }
        self.own[agent] = false;
        self.own_agents.retain(|own| *own != agent);
        self.workspaces[agent] = None;
        self.state.agents[agent] = AgentState::remote();
    }

    fn check_placement(&self, agent: usize, place: &VehiclePlacement) -> Result<(), CommandError> {
        World::check_placement(self, agent, place)
    }

    fn check_placements(&self, places: &[VehiclePlacement]) -> Result<(), CommandError> {
        World::check_placements(self, places)
    }

    fn overlapping_own_agent(&self, agent: usize, place: &VehiclePlacement) -> Option<usize> {
        World::overlapping_own_agent(self, agent, place)
    }

    fn publish_under_wheels(&mut self, agent: usize) -> &Patches {
        World::publish_under_wheels(self, agent)
    }

    fn place_in_design_position(&mut self, agent: usize, place: &VehiclePlacement) {
        World::place_in_design_position(self, agent, place);
    }

    fn place_in_equilibrium(&mut self, agent: usize, place: &VehiclePlacement) -> StartCondition {
        World::place_in_equilibrium(self, agent, place)
    }

    fn greatest_speed(&self) -> f64 {
        World::greatest_speed(self)
    }

    fn finish_respawn(&mut self, agent: usize, fastest: f64) {
        World::finish_respawn(self, agent, fastest);
    }
}

impl World {
    /// Whether an agent steps here. All do, unless the world is one rank's part.
    pub fn is_own(&self, agent: usize) -> bool {
        self.own[agent]
    }

    /// Creates one rank's part of a world, which steps its `own` agents.
    pub(super) fn for_rank(
        model: Arc<WorldModel>,
        state: Option<WorldState>,
        own: Vec<bool>,
    ) -> World {
        if let Err(error) = model.check() {
            panic!("{error}");
        }
        let Some(state) = state else {
            let state = WorldState::initial(&model);
            let mut world = World::from_state(model, state, own);
            let agents = world.own.len();
            world.start_conditions = vec![StartCondition::Equilibrium; agents];
            world.workspaces.resize_with(agents, || None);
            world.views.resize_with(agents, Default::default);
            world.fresh_views = FreshViews::new(agents, false);
            return world;
        };
        let mut world = World::from_state(model, state, own);
        world.derive();
        if world.own.iter().all(|own| *own) {
            return world;
        }
        if world.model.scene_model.is_some() {
            let told = world.messages();
            world.imaging.received = told.into_iter().map(Some).collect();
        }
        let agents = world.state.agents.iter_mut().zip(&world.own);
        agents.filter(|(_, own)| !**own).for_each(|(state, _)| *state = AgentState::remote());
        world
    }

    /// Settles own agents at their start positions, on all threads.
    pub(super) fn place_agents(&mut self, agents: &[usize]) {
        let WorldModel { ground, agents: models, clock, .. } = &*self.model;
        let (published, step) = (&self.state.published, clock.step());
        let spare = has_spare_threads(agents.len());
        let stood = |&agent: &usize| {
            let aside = spare.then(SecondThreadScratch::default);
            (agent, models[agent].state(ground, published, aside, step))
        };
        let stood: Vec<(usize, (AgentState, StartCondition))> =
            agents.par_iter().map(stood).collect();
        for (agent, (state, stand)) in stood {
            self.add_own_agent(agent, state);
            self.start_conditions[agent] = stand;
        }
    }

    /// Position of a local agent, m, and the greater of the agent's and its trailer's speed, m/s.
    pub(super) fn position_and_speed(&self, agent: usize) -> ([f64; 2], f64) {
        self.model.agents[agent].position_and_speed(self.workspace_of(agent))
    }

    /// Greatest distance from an own agent's chassis to the wheels of its trailer, m.
    pub(super) fn trailer_reach(&self, agent: usize) -> f64 {
        self.model.agents[agent].trailer_reach(self.workspace_of(agent))
    }

    /// Adds an agent that steps here from now on.
    pub(super) fn add_own_agent(&mut self, agent: usize, state: AgentState) {
        let (workspace, view) = derive_agent(&self.model.agents[agent], &state, agent);
        self.workspaces[agent] = Some(Box::new(workspace));
        self.views[agent] = view;
        self.state.agents[agent] = state;
        self.own[agent] = true;
        if let Err(place) = self.own_agents.binary_search(&agent) {
            self.own_agents.insert(place, agent);
        }
        self.fresh_views.add(agent);
    }

    /// Workspace of an agent that steps here.
    pub(super) fn workspace_of(&self, agent: usize) -> &AgentWorkspace {
        self.workspaces[agent].as_deref().expect("each agent of this rank has a workspace")
    }

    /// State and workspace of an agent.
    ///
    /// For an agent of another rank they are as last gathered, or those of its design position at
    /// the start.
    pub(super) fn state_and_workspace(
        &self,
        agent: usize,
    ) -> (Cow<'_, AgentState>, Cow<'_, AgentWorkspace>) {
        let (model, state) = (&self.model.agents[agent], &self.state.agents[agent]);
        if let Some(workspace) = self.workspaces[agent].as_deref() {
            return (Cow::Borrowed(state), Cow::Borrowed(workspace));
        }
        let state = match state.is_remote() {
            true => Cow::Owned(model.in_design_position(&model.start, model.speed, 0)),
            false => Cow::Borrowed(state),
        };
        let (workspace, _) = derive_agent(model, &state, agent);
        (state, Cow::Owned(workspace))
    }
}
