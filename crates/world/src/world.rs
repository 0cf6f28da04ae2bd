//! The world: agents on shared ground, advanced heartbeat by heartbeat.
//!
//! Between heartbeats an agent reads the published ground, its own overlay, and the views of other
//! agents from the last heartbeat. It writes only its own state, so agents step in parallel without
//! locks. At the heartbeat the patches of all agents are merged by a commutative rule. So any
//! number of threads gives the same bits.

use super::agent_slices::{AgentSlices, for_each_own};
use super::imagers::Imaging;
use super::run_summary::{RunSummary, RunWarning};
use super::scratch_pool::ScratchPool;
use super::state_hash::{AgentsDigest, combined_hash};
use super::state_validation::{self, StateError};
use super::world_model::{WorldModel, WorldState};
use bekker_agent::{
    AgentModel, AgentState, AgentView, AgentWorkspace, BatterySummary, Collision, CollisionInputs,
    FreshViews, GroundVehicle, HeartbeatEnv, OutcomeReport, Sample, SecondThreadScratch,
    StartCondition, VehicleCollisions, VehicleSummary, has_spare_threads,
};
use bekker_ground::scm::Scratch;
use bekker_ground::soil::SoilId;
use bekker_ground::{NO_AGENT, Patches};
use bekker_sensor::Delivery;
use bekker_vehicle::collision::TowState;
use bekker_vehicle::{Coupling, MotorDrive};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Greatest speed and acceleration of some agents over a heartbeat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MotionBounds {
    /// Greatest speed, m/s.
    pub speed: f64,
    /// Greatest acceleration, m/s².
    pub acceleration: f64,
}

impl MotionBounds {
    /// Returns the greater values of both. Values that are not finite belong to drives that have
    /// ended.
    pub fn max(self, other: MotionBounds) -> MotionBounds {
        MotionBounds {
            speed: self.speed.max(other.speed),
            acceleration: self.acceleration.max(other.acceleration),
        }
    }
}

/// Changes by agents in a heartbeat to shared objects other than the ground.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SharedObstacleChanges {
    /// Damage of stems, by index of the obstacle.
    damage: Vec<(u32, u16)>,
    /// States of ropes and bars, by index.
    tows: Vec<(u32, TowState)>,
}

impl SharedObstacleChanges {
    /// Joins the changes of both.
    pub fn merged(mut self, other: SharedObstacleChanges) -> SharedObstacleChanges {
        self.damage.extend(other.damage);
        self.tows.extend(other.tows);
        self
    }
}

/// A running world, or one rank's part of it.
#[derive(Clone, Debug)]
pub struct World {
    /// Shared with frames that are being made.
    pub(super) model: Arc<WorldModel>,
    pub(super) state: WorldState,
    /// Whether each agent steps here. All do, unless this is one rank of several.
    pub(super) own: Vec<bool>,
    /// Indices of the agents that step here, in ascending order.
    pub(super) own_agents: Vec<usize>,
    /// Workspace of each agent that steps here.
    pub(super) workspaces: Vec<Option<Box<AgentWorkspace>>>,
    scratches: ScratchPool<Scratch>,
    second_scratches: ScratchPool<SecondThreadScratch>,
    pub(super) views: Vec<AgentView>,
    pub(super) patches: Patches,
    /// Agents with current views.
    pub(super) fresh_views: FreshViews,
    vehicle_collisions: VehicleCollisions,
    /// Greatest motion of own agents over the last heartbeat.
    pub(super) motion_bounds: MotionBounds,
    pub(super) imaging: Imaging,
    pub(super) start_conditions: Vec<StartCondition>,
    /// Samples of other ranks' agents as last gathered, with values that do not follow from a
    /// state.
    pub(super) gathered: Vec<Option<Sample>>,
}

impl World {
    /// Creates a world at time 0. Many worlds may share one model.
    ///
    /// # Panics
    /// If a soil of the model is too stiff for its step ([`WorldModel::check`]). A model built from
    /// a scenario has passed this check.
    pub fn new(model: impl Into<Arc<WorldModel>>) -> World {
        let model = model.into();
        let agents: Vec<usize> = (0..model.agents.len()).collect();
        let mut world = World::for_rank(model, None, vec![true; agents.len()]);
        world.place_agents(&agents);
        world.set_team_positions();
        world
    }

    /// Creates a world that continues from a state of the same model.
    ///
    /// # Errors
    /// [`StateError`] when the state does not fit the model.
    pub fn resume(
        model: impl Into<Arc<WorldModel>>,
        state: WorldState,
    ) -> Result<World, StateError> {
        let model = model.into();
        state_validation::check(&model, &state)?;
        let own = vec![true; model.agents.len()];
        let mut world = World::for_rank(model, Some(state), own);
        world.set_team_positions();
        Ok(world)
    }

    /// Creates a world in a state, without the values derived from it.
    pub(super) fn from_state(model: Arc<WorldModel>, state: WorldState, own: Vec<bool>) -> World {
        World {
            model,
            state,
            own_agents: (0..own.len()).filter(|&agent| own[agent]).collect(),
            own,
            workspaces: Vec::new(),
            scratches: ScratchPool::default(),
            second_scratches: ScratchPool::default(),
            views: Vec::new(),
            patches: Patches::default(),
            fresh_views: FreshViews::default(),
            vehicle_collisions: VehicleCollisions::default(),
            motion_bounds: MotionBounds::default(),
            imaging: Imaging::default(),
            start_conditions: Vec::new(),
            gathered: Vec::new(),
        }
    }

    /// Recomputes everything that follows from the state.
    pub(super) fn derive(&mut self) {
        let agents = self.model.agents.iter().zip(&self.state.agents).enumerate();
        let derive = |(index, (agent, state))| {
            let (workspace, view) = derive_agent(agent, state, index);
            (self.own[index].then(|| Box::new(workspace)), view)
        };
        (self.workspaces, self.views) = agents.map(derive).unzip();
        self.fresh_views = FreshViews::new(self.views.len(), true);
        self.motion_bounds = MotionBounds::default();
        // Cloning drops the cached ground around the agents that look.
        self.imaging = self.imaging.clone();
    }

    /// Returns the model, which does not change.
    pub fn model(&self) -> &WorldModel {
        &self.model
    }

    /// Returns the model, to be shared with other worlds.
    pub fn shared_model(&self) -> Arc<WorldModel> {
        self.model.clone()
    }

    /// Returns the state, which changes with every heartbeat.
    pub fn state(&self) -> &WorldState {
        &self.state
    }

    /// Returns each agent's start condition; empty if the world was resumed.
    ///
    /// Rank 0 has them for all agents, other ranks for own agents only.
    pub fn start_conditions(&self) -> &[StartCondition] {
        &self.start_conditions
    }

    /// Returns the simulated time, s.
    pub fn time(&self) -> f64 {
        self.model.clock.reported_time(self.state.tick)
    }

    /// Returns the simulated time, µs.
    pub fn time_us(&self) -> u64 {
        self.model.clock.micros(self.state.tick)
    }

    /// Advances all agents by one heartbeat and publishes the ground that they changed.
    ///
    /// Ranks perform the same steps, and exchange messages before patches are merged.
    pub fn advance(&mut self) {
        let span_us = self.heartbeat_us();
        self.find_collisions();
        self.step_own_agents();
        self.publish_views();
        self.apply_obstacle_changes(&self.obstacle_changes());
        self.merge_patches(None);
        self.take_frames(span_us);
        self.perceive(span_us[1]);
        self.start_next_heartbeat(self.motion_bounds);
        self.exchange_maps_locally(span_us);
        self.exchange_radio_locally(span_us);
    }

    /// Times at which the present heartbeat starts and ends, µs.
    pub(super) fn heartbeat_us(&self) -> [u64; 2] {
        let WorldState { tick, steps, .. } = self.state;
        [tick, tick + steps].map(|tick| self.model.clock.micros(tick))
    }

    /// Finds the pairs of vehicles that may touch during the heartbeat, and the states of ropes and
    /// bars.
    pub(super) fn find_collisions(&mut self) {
        let World { model, state, own, views, fresh_views, vehicle_collisions, .. } = self;
        fresh_views.refresh();
        let known = CollisionInputs {
            agents: &model.agents,
            tows: &model.tows,
            clock: &model.clock,
            can_collide: model.can_collide(),
            views,
            fresh_views,
            own,
        };
        vehicle_collisions.solve(&state.tows, &known, state.steps);
    }

    /// Steps own agents, which record patches. Agents see each other as of the last heartbeat.
    pub(super) fn step_own_agents(&mut self) {
        let World {
            model, state, own_agents, workspaces, scratches, second_scratches, views, ..
        } = self;
        let WorldModel { clock, agents, .. } = &**model;
        let under_way =
            own_agents.iter().filter(|&&agent| state.agents[agent].outcome.is_none()).count();
        let spare = has_spare_threads(under_way);
        let (scratches, second_scratches) = (&*scratches, &*second_scratches);
        let env = HeartbeatEnv {
            ground: &model.ground,
            clock,
            endings: &model.endings,
            obstacles: &model.obstacles,
            radios: &model.radios,
            lights: &model.lights,
            pedestrians: &model.pedestrians,
            published: &state.published,
            ticks: [state.tick, state.steps],
            views,
            vehicle_collisions: &self.vehicle_collisions,
            damage: &state.damage,
        };
        let step = |index: usize, state: &mut AgentState, workspace: &mut AgentWorkspace| {
            workspace.scratch = scratches.take();
            workspace.second_scratch = spare.then(|| second_scratches.take());
            agents[index].heartbeat(index, &env, state, workspace);
            scratches.give(std::mem::take(&mut workspace.scratch));
            workspace
                .second_scratch
                .take()
                .into_iter()
                .for_each(|scratch| second_scratches.give(scratch));
        };
        for_each_own(own_agents, AgentSlices::new(&mut state.agents, workspaces), &step);
    }

    /// Updates the views of own agents after a step, and their greatest motion.
    pub(super) fn publish_views(&mut self) {
        let World { model, state, own_agents, workspaces, views, motion_bounds, .. } = self;
        let WorldModel { clock, agents, .. } = &**model;
        let time = state.steps as f64 * clock.step();
        *motion_bounds = MotionBounds::default();
        for &index in &*own_agents {
            let Some(workspace) = &workspaces[index] else { continue };
            let view = agents[index].view(&state.agents[index], workspace);
            let before = std::mem::replace(&mut views[index], view);
            if !view.ended {
                let acceleration = (view.velocity - before.velocity).norm() / time;
                *motion_bounds =
                    motion_bounds.max(MotionBounds { speed: view.velocity.norm(), acceleration });
            }
        }
        if clock.is_adaptive() && self.vehicle_collisions.any_close(&self.own) {
            // Vehicles that may touch require the shortest heartbeat.
            motion_bounds.speed = f64::INFINITY;
        }
    }

    /// Returns the changes by own agents to obstacles, ropes and bars in the last heartbeat.
    pub(super) fn obstacle_changes(&self) -> SharedObstacleChanges {
        let changed = |&&(obstacle, damage): &&(u32, u16)| {
            self.state.damage.get(obstacle as usize).is_some_and(|before| damage > *before)
        };
        let damage = self
            .own_agents
            .iter()
            .flat_map(|&own| &self.workspace_of(own).obstacle_contacts.damage);
        let own = |&(tow, _): &(usize, TowState)| {
            self.model.tows[tow].agents.iter().any(|&agent| self.own[agent])
        };
        let tows = self.vehicle_collisions.tows().filter(own);
        SharedObstacleChanges {
            damage: damage.filter(changed).copied().collect(),
            tows: tows.map(|(tow, state)| (tow as u32, state)).collect(),
        }
    }

    /// Applies changes to obstacles, ropes and bars. The greatest value wins, so the result does
    /// not depend on the order.
    pub(super) fn apply_obstacle_changes(&mut self, obstacle_changes: &SharedObstacleChanges) {
        for &(obstacle, damage) in &obstacle_changes.damage {
            if let Some(own) = self.state.damage.get_mut(obstacle as usize) {
                *own = (*own).max(damage);
            }
        }
        for (tow, state) in &obstacle_changes.tows {
            if let Some(own) = self.state.tows.get_mut(*tow as usize) {
                own.broken |= state.broken;
                own.peak = own.peak.max(state.peak);
                own.length = own.length.or(state.length);
            }
        }
    }

    /// Merges the patches of own agents with those of other ranks' agents.
    pub(super) fn merge_patches(&mut self, others: Option<&Patches>) {
        let World { state, workspaces, own_agents, .. } = self;
        let own_workspaces = own_agents.iter().filter_map(|&own| workspaces[own].as_ref());
        let left = own_workspaces.map(|workspace| &workspace.patches);
        state.published.merge(left.chain(others));
    }

    /// Moves on to the next tick. The length of the next heartbeat follows from `motion_bounds` of
    /// all agents.
    pub(super) fn start_next_heartbeat(&mut self, motion_bounds: MotionBounds) {
        let MotionBounds { speed, acceleration } = motion_bounds;
        let WorldState { tick, steps, .. } = &mut self.state;
        *tick += *steps;
        *steps = self.model.clock.steps_to_heartbeat(*tick, speed, acceleration);
    }

    /// Returns an agent's sensor deliveries of the last heartbeat, by time and then by sensor.
    ///
    /// Empty if the agent steps on another rank.
    pub fn delivered(&self, agent: usize) -> &[Delivery] {
        self.workspaces[agent].as_ref().map_or(&[], |workspace| &workspace.delivered)
    }

    /// Whether any agent still drives.
    pub fn is_running(&self) -> bool {
        self.views.iter().any(|view| !view.ended)
    }

    /// Publishes the nodes under wheels too, at the end of a run.
    pub fn publish_all(&mut self) {
        self.patches.clear();
        for (index, agent) in self.state.agents.iter_mut().enumerate() {
            self.patches.set_agent(agent_code(index));
            agent.overlay.publish_all(&mut self.patches);
        }
        self.state.published.apply(&self.patches);
        for agent in &mut self.state.agents {
            agent.overlay.refresh(&self.state.published);
        }
    }

    /// Returns samples of all agents at the present time.
    pub fn samples(&self) -> impl Iterator<Item = Sample> + '_ {
        let agents = 0..self.model.agents.len();
        agents.map(|agent| {
            let mut sample = Sample::default();
            self.sample_into(agent, &mut sample);
            sample
        })
    }

    /// Returns the largest opening of any joint or rod of own agents after the last step, m.
    pub fn drift(&self) -> f64 {
        let agents = self.model.agents.iter().zip(&self.workspaces);
        let own = agents.filter_map(|(agent, workspace)| Some(agent.drift(workspace.as_ref()?)));
        own.fold(0.0, f64::max)
    }

    /// Returns the hash of the whole state.
    ///
    /// It is the SHA-256 over the tick, the damage, the digest of the ground and that of all
    /// agents. Both digests are sums, so that ranks can join them from parts.
    pub fn hash(&self) -> [u8; 32] {
        let digests: Vec<_> = self.state.agents.par_iter().map(AgentState::digest).collect();
        let agents = AgentsDigest::sum((0..).zip(digests));
        combined_hash(&self.state, self.state.published.digest(), agents)
    }

    /// Returns the outcome of an agent's drive, or its present status.
    pub fn outcome(&self, agent: usize) -> OutcomeReport {
        let WorldModel { ground, agents, endings, .. } = &*self.model;
        let (state, workspace) = self.state_and_workspace(agent);
        let outcome = agents[agent].outcome(ground, endings, self.time(), &state, &workspace);
        self.model.outcome_report(&outcome)
    }

    /// Returns ongoing collisions, each with its vehicle.
    pub fn ongoing_collisions(&self) -> impl Iterator<Item = (u32, Collision)> {
        let agents = self.state.agents.iter().zip(0..);
        agents.flat_map(|(agent, index)| agent.collisions.iter().map(move |hit| (index, *hit)))
    }

    /// Returns the summary of the run; `wall` is its duration, s.
    pub fn summary(&self, scenario: &str, wall: f64) -> RunSummary {
        let hash = self.hash();
        let agents = || self.model.agents.iter().zip(&self.state.agents).enumerate();
        let soils = self.model.ground.soils();
        let beyond = agents().flat_map(|(_, (agent, state))| {
            let beyond = state.monitor.excess_sinkage().iter();
            beyond.map(|&(SoilId(soil), sinkage)| {
                RunWarning::beyond_measured(&agent.name, &soils[usize::from(soil)], sinkage)
            })
        });
        let tows = self.model.tows.iter().zip(&self.state.tows);
        let broken = tows.filter(|(_, state)| state.broken).map(|(link, _)| {
            let names = link.agents.map(|agent| self.model.agents[agent].name.as_str());
            RunWarning::tow_broke(names, link.tow.pushes, link.tow.breaking)
        });
        let torn = agents().filter(|(_, (_, state))| state.vehicle.coupling == Coupling::Broken);
        let torn = torn.map(|(_, (agent, _))| {
            RunWarning::trailer_torn_off(
                &agent.name,
                agent.vehicle.trailer().and_then(|own| own.breaking_load()),
            )
        });
        let gaining = agents().filter(|(_, (_, state))| state.collisions.energy_gained() > 0.0);
        let heartbeat = (1e6 * self.model.clock.heartbeat()).round() / 1e6;
        let gaining = gaining.map(|(_, (agent, state))| {
            RunWarning::collisions_gained_energy(
                &agent.name,
                state.collisions.energy_gained(),
                heartbeat,
            )
        });
        let gained = agents().filter_map(|(_, (agent, state))| {
            let gained = state.energy.gained(agent.vehicle.mass())?;
            Some(RunWarning::gained_energy(&agent.name, gained, self.model.clock.step()))
        });
        let outside = agents().filter_map(|(_, (agent, state))| {
            RunWarning::outside_validity(&agent.name, state.validity.exceedances().collect())
        });
        let vehicles: Vec<VehicleSummary> = agents()
            .map(|(index, (agent, state))| {
                let (model, outcome) = (agent.vehicle.name(), self.outcome(index));
                let mut summary = state.monitor.summary(&agent.name, model, outcome);
                let battery = agent.vehicle.drivetrain().motors().map(MotorDrive::battery);
                summary.battery = battery.zip(state.motors.as_ref()).map(|(own, record)| {
                    BatterySummary { energy: record.energy, charge: record.charge(own) }
                });
                // A vehicle whose drive has ended stays where it is.
                if state.outcome.is_some() {
                    summary.final_speed = 0.0;
                }
                summary
            })
            .collect();
        RunSummary {
            scenario: scenario.into(),
            simulated: self.time(),
            wall,
            resumed_at: None,
            deformed_nodes: self.state.published.nodes() as u64,
            state_hash: base16ct::lower::encode_string(&hash),
            exploration: self.exploration(&vehicles),
            radio: self.radio_summaries(),
            vehicles,
            pacing: None,
            warnings: beyond
                .chain(broken)
                .chain(torn)
                .chain(gaining)
                .chain(gained)
                .chain(self.incomplete_search())
                .chain(outside)
                .collect(),
        }
    }
}

/// Computes an agent's workspace and view from its state.
pub(super) fn derive_agent(
    agent: &AgentModel,
    state: &AgentState,
    index: usize,
) -> (AgentWorkspace, AgentView) {
    let mut workspace = agent.workspace(state);
    workspace.patches.set_agent(agent_code(index));
    let view = agent.view(state, &workspace);
    (workspace, view)
}

/// Index of an agent as stored in the ground.
pub(super) fn agent_code(agent: usize) -> u16 {
    u16::try_from(agent).unwrap_or(NO_AGENT)
}
