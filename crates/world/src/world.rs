//! The world: agents on shared ground, heartbeat by heartbeat.
//!
//! Between heartbeats an agent reads the published ground, its own overlay and
//! what the others showed at the last heartbeat, and writes only its own state:
//! agents step in parallel without locks. At the heartbeat the patches they left
//! are merged by a rule in which order cannot matter. So any number of threads
//! gives the same bits.

use super::each_own::each_own;
use super::imagers::Imaging;
use super::run_summary::{RunSummary, RunWarning};
use super::scratch_pool::ScratchPool;
use super::soundness::{self, StateError};
use super::state_hash::{AgentsDigest, combined_hash};
use super::world_model::{WorldModel, WorldState};
use bekker_agent::{
    AgentModel, AgentState, AgentView, AgentWorkspace, Aside, Encounters, FreshViews, HeartbeatEnv,
    Hit, Known, OutcomeReport, Sample, Stand, VehicleSummary, threads_are_spare,
};
use bekker_ground::scm::Scratch;
use bekker_ground::soil::SoilId;
use bekker_ground::{NOBODY, Patches, Published, Tile};
use bekker_math::grid::TileKey;
use bekker_sensor::Delivery;
use bekker_sync::message::VehicleState as VehicleMessage;
use bekker_vehicle::Coupling;
use bekker_vehicle::collision::TowState;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Greatest speed, m/s, and acceleration, m/s², of some agents over a heartbeat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FastestMotion {
    /// Greatest speed, m/s.
    pub speed: f64,
    /// Greatest acceleration, m/s².
    pub acceleration: f64,
}

impl FastestMotion {
    /// The greater of both. What is not finite belongs to a drive that has ended.
    pub fn or(self, other: FastestMotion) -> FastestMotion {
        FastestMotion {
            speed: self.speed.max(other.speed),
            acceleration: self.acceleration.max(other.acceleration),
        }
    }
}

/// What agents did in a heartbeat to things that all share besides the ground.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Wear {
    /// Damage of stems.
    damage: Vec<(u32, u16)>,
    /// Ropes and bars.
    tows: Vec<(u32, TowState)>,
}

impl Wear {
    /// That of both.
    pub fn or(mut self, other: Wear) -> Wear {
        self.damage.extend(other.damage);
        self.tows.extend(other.tows);
        self
    }
}

/// A running world, or one rank's part of it.
#[derive(Clone, Debug)]
pub struct World {
    /// Shared with frames that are in the making.
    pub(super) model: Arc<WorldModel>,
    pub(super) state: WorldState,
    /// Which agents step here; all of them, unless this is one rank of several.
    pub(super) own: Vec<bool>,
    /// The same by their numbers, in ascending order.
    pub(super) own_agents: Vec<usize>,
    /// Of each agent that steps here.
    pub(super) workspaces: Vec<Option<Box<AgentWorkspace>>>,
    scratches: ScratchPool<Scratch>,
    asides: ScratchPool<Aside>,
    pub(super) views: Vec<AgentView>,
    pub(super) patches: Patches,
    /// Whose views are up to date.
    pub(super) heard: FreshViews,
    encounters: Encounters,
    /// Of own agents, over the last heartbeat.
    fastest_motion: FastestMotion,
    pub(super) imaging: Imaging,
    pub(super) stands: Vec<Stand>,
    /// Of other ranks' agents, as they were gathered last: what a state alone does not tell.
    pub(super) gathered: Vec<Option<Sample>>,
}

impl World {
    /// A world at its beginning. Many worlds may share one model.
    ///
    /// # Panics
    /// If a soil of the model is too stiff for its step ([`WorldModel::check`]). Models that a
    /// scenario is built to have passed this check.
    pub fn new(model: impl Into<Arc<WorldModel>>) -> World {
        let model = model.into();
        let agents: Vec<usize> = (0..model.agents.len()).collect();
        let mut world = World::part(model, None, vec![true; agents.len()]);
        world.set_down(&agents);
        world.meet_team();
        world
    }

    /// A world that goes on from a state of the same model.
    ///
    /// # Errors
    /// [`StateError`] when the model cannot be in this state.
    pub fn resume(
        model: impl Into<Arc<WorldModel>>,
        state: WorldState,
    ) -> Result<World, StateError> {
        let model = model.into();
        soundness::check(&model, &state)?;
        let own = vec![true; model.agents.len()];
        let mut world = World::part(model, Some(state), own);
        world.meet_team();
        Ok(world)
    }

    /// A world in a state, all that follows from it still to be derived.
    pub(super) fn around(model: Arc<WorldModel>, state: WorldState, own: Vec<bool>) -> World {
        World {
            model,
            state,
            own_agents: (0..own.len()).filter(|&agent| own[agent]).collect(),
            own,
            workspaces: Vec::new(),
            scratches: ScratchPool::default(),
            asides: ScratchPool::default(),
            views: Vec::new(),
            patches: Patches::default(),
            heard: FreshViews::default(),
            encounters: Encounters::default(),
            fastest_motion: FastestMotion::default(),
            imaging: Imaging::default(),
            stands: Vec::new(),
            gathered: Vec::new(),
        }
    }

    /// Makes all anew that follows from the state.
    pub(super) fn derive(&mut self) {
        let agents = self.model.agents.iter().zip(&self.state.agents).enumerate();
        let derive = |(index, (agent, state))| {
            let (room, view) = derived(agent, state, index);
            (self.own[index].then(|| Box::new(room)), view)
        };
        (self.workspaces, self.views) = agents.map(derive).unzip();
        self.heard = FreshViews::new(self.views.len(), true);
        self.fastest_motion = FastestMotion::default();
        // what lies around is to be looked at anew
        self.imaging = self.imaging.clone();
    }

    /// What does not change.
    pub fn model(&self) -> &WorldModel {
        &self.model
    }

    /// The same, to be shared with other worlds.
    pub fn shared_model(&self) -> Arc<WorldModel> {
        self.model.clone()
    }

    /// What does.
    pub fn state(&self) -> &WorldState {
        &self.state
    }

    /// How each agent stood at the beginning; none where the world was resumed. Of ranks the
    /// first knows it of all, another of its own.
    pub fn stands(&self) -> &[Stand] {
        &self.stands
    }

    /// Simulated time, s.
    pub fn time(&self) -> f64 {
        self.model.clock.told(self.state.tick)
    }

    /// The same, µs.
    pub fn time_us(&self) -> u64 {
        self.model.clock.micros(self.state.tick)
    }

    /// Steps all agents through one heartbeat and publishes what they left.
    pub fn advance(&mut self) {
        self.step_agents();
        self.suffer(&self.wear());
        self.merge(None);
        let begun = self.state.tick;
        self.settle(self.fastest_motion);
        self.share_maps_alone(begun);
        self.talk_alone(begun);
    }

    /// First part of a heartbeat: steps own agents, which leave patches and
    /// show themselves anew. They see each other as they were before it.
    pub fn step_agents(&mut self) {
        let World {
            model,
            state,
            own,
            own_agents,
            workspaces,
            scratches,
            asides,
            views,
            fastest_motion,
            heard,
            encounters,
            ..
        } = self;
        let WorldModel { clock, agents, .. } = &**model;
        let (published, ticks) = (&state.published, [state.tick, state.steps]);
        heard.refresh();
        let known = Known {
            agents,
            tows: &model.tows,
            clock,
            can_collide: model.can_collide(),
            views,
            heard,
            own,
        };
        encounters.meet(&state.tows, &known, state.steps);
        let (encounters, damage) = (&*encounters, &state.damage[..]);
        let under_way =
            own_agents.iter().filter(|&&agent| state.agents[agent].outcome.is_none()).count();
        let spare = threads_are_spare(under_way);
        let (scratches, asides) = (&*scratches, &*asides);
        let env = HeartbeatEnv {
            ground: &model.ground,
            clock,
            endings: &model.endings,
            obstacles: &model.obstacles,
            radios: &model.radios,
            lights: &model.lights,
            pedestrians: &model.pedestrians,
            published,
            ticks,
            views,
            encounters,
            damage,
        };
        let step = |index: usize, state: &mut AgentState, workspace: &mut AgentWorkspace| {
            workspace.scratch = scratches.take();
            workspace.aside = spare.then(|| asides.take());
            agents[index].heartbeat(index, &env, state, workspace);
            scratches.give(std::mem::take(&mut workspace.scratch));
            workspace.aside.take().into_iter().for_each(|room| asides.give(room));
        };
        each_own(own_agents, (0, &mut state.agents, workspaces), &step);
        let time = ticks[1] as f64 * clock.step();
        *fastest_motion = FastestMotion::default();
        for &index in &*own_agents {
            let Some(workspace) = &workspaces[index] else { continue };
            let view = agents[index].view(&state.agents[index], workspace);
            let before = std::mem::replace(&mut views[index], view);
            if !view.ended {
                let acceleration = (view.velocity - before.velocity).norm() / time;
                *fastest_motion =
                    fastest_motion.or(FastestMotion { speed: view.velocity.norm(), acceleration });
            }
        }
        if clock.adapts() && encounters.any_close(own) {
            // vehicles that may touch ask for the shortest heartbeat
            fastest_motion.speed = f64::INFINITY;
        }
    }

    /// What own agents did to obstacles, ropes and bars in the last heartbeat.
    pub fn wear(&self) -> Wear {
        let changed = |&&(obstacle, damage): &&(u32, u16)| {
            self.state.damage.get(obstacle as usize).is_some_and(|before| damage > *before)
        };
        let damage = self.own_agents.iter().flat_map(|&own| &self.room(own).strikes.damage);
        let own = |&(tow, _): &(usize, TowState)| {
            self.model.tows[tow].agents.iter().any(|&agent| self.own[agent])
        };
        let tows = self.encounters.tows().filter(own);
        Wear {
            damage: damage.filter(changed).copied().collect(),
            tows: tows.map(|(tow, state)| (tow as u32, state)).collect(),
        }
    }

    /// Takes over what agents did to obstacles, ropes and bars: the greatest counts, so that
    /// order cannot matter.
    pub fn suffer(&mut self, wear: &Wear) {
        for &(obstacle, damage) in &wear.damage {
            if let Some(own) = self.state.damage.get_mut(obstacle as usize) {
                *own = (*own).max(damage);
            }
        }
        for (tow, state) in &wear.tows {
            if let Some(own) = self.state.tows.get_mut(*tow as usize) {
                own.broken |= state.broken;
                own.peak = own.peak.max(state.peak);
                own.length = own.length.or(state.length);
            }
        }
    }

    /// Whether agents can do anything that all must hear of besides ruts.
    pub fn wears(&self) -> bool {
        !(self.model.obstacles.is_empty() && self.model.tows.is_empty())
    }

    /// Second part: merges what own agents left with what others left.
    pub fn merge(&mut self, others: Option<&Patches>) {
        let World { state, workspaces, own_agents, .. } = self;
        let rooms = own_agents.iter().filter_map(|&own| workspaces[own].as_ref());
        let left = rooms.map(|room| &room.patches);
        state.published.merge(left.chain(others));
    }

    /// Last part: cameras and lidars look, and the world goes on to the next tick; the
    /// next heartbeat follows from the haste of all agents. How many frames were taken.
    pub fn settle(&mut self, fastest_motion: FastestMotion) -> u64 {
        let clock = &self.model.clock;
        let WorldState { tick, steps, .. } = &self.state;
        let frames = self.take_images([*tick, tick + steps].map(|tick| clock.micros(tick)));
        self.perceive(self.model.clock.micros(self.state.tick + self.state.steps));
        let WorldState { tick, steps, .. } = &mut self.state;
        *tick += *steps;
        *steps = self.model.clock.steps_to_heartbeat(
            *tick,
            fastest_motion.speed,
            fastest_motion.acceleration,
        );
        frames
    }

    /// Greatest speed and acceleration of own agents over the last heartbeat.
    pub fn fastest_motion(&self) -> FastestMotion {
        self.fastest_motion
    }

    /// What an own agent has to tell others after [`World::advance`].
    pub fn outgoing(&self, agent: usize) -> (VehicleMessage, &Patches) {
        let workspace = self.room(agent);
        let message = self.model.agents[agent].message(&self.state.agents[agent], workspace);
        (message, &workspace.patches)
    }

    /// What an agent that steps here has left in the last heartbeat.
    ///
    /// # Panics
    /// If the agent steps on another rank.
    pub fn patches(&self, agent: usize) -> &Patches {
        &self.room(agent).patches
    }

    /// What an agent's sensors delivered in the last heartbeat, in the order of time,
    /// within a step in that of the sensors. Empty of those that do not step here.
    pub fn delivered(&self, agent: usize) -> &[Delivery] {
        self.workspaces[agent].as_ref().map_or(&[], |room| &room.delivered)
    }

    /// Farthest that wheels of its trailer are from an own agent's chassis, m; 0 without one.
    pub fn trails(&self, agent: usize) -> f64 {
        self.model.agents[agent].trails(self.room(agent))
    }

    /// Where an own agent is, m, and its speed, or its trailer's if that is faster, m/s.
    pub fn place(&self, agent: usize) -> ([f64; 2], f64) {
        self.model.agents[agent].place(self.room(agent))
    }

    /// The ground as all share it, for a rank that forgets what is far from its agents.
    pub fn published_mut(&mut self) -> &mut Published {
        &mut self.state.published
    }

    /// Puts tiles that had not been told in the place of those that were held, without going on
    /// in time.
    pub fn take_over(&mut self, tiles: impl IntoIterator<Item = (TileKey, Arc<Tile>)>) {
        self.state.published.replace(tiles);
    }

    /// Whether any agent still drives.
    pub fn is_running(&self) -> bool {
        self.views.iter().any(|view| !view.ended)
    }

    /// Publishes the nodes still under wheels too: for the end of a run.
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

    /// The agents at this moment.
    pub fn samples(&self) -> impl Iterator<Item = Sample> + '_ {
        let agents = 0..self.model.agents.len();
        agents.map(|agent| {
            let mut sample = Sample::default();
            self.sample_into(agent, &mut sample);
            sample
        })
    }

    /// Largest opening of any joint or rod of an agent that steps here after the last step, m.
    pub fn drift(&self) -> f64 {
        let agents = self.model.agents.iter().zip(&self.workspaces);
        let own = agents.filter_map(|(agent, workspace)| Some(agent.drift(workspace.as_ref()?)));
        own.fold(0.0, f64::max)
    }

    /// Hash of the whole state: SHA-256 over the tick, what is damaged, the digest of the ground
    /// and that of all agents. Both are sums, so that ranks can put them together from parts.
    pub fn hash(&self) -> [u8; 32] {
        let digests: Vec<_> = self.state.agents.par_iter().map(AgentState::digest).collect();
        let agents = AgentsDigest::of((0..).zip(digests));
        combined_hash(&self.state, self.state.published.digest(), agents)
    }

    /// How an agent's drive ended, or how it stands at this moment.
    pub fn outcome(&self, agent: usize) -> OutcomeReport {
        let WorldModel { ground, agents, endings, .. } = &*self.model;
        let (state, workspace) = self.shown(agent);
        let outcome = agents[agent].outcome(ground, endings, self.time(), &state, &workspace);
        self.model.reported(&outcome)
    }

    /// Hits that are not over yet, each with its vehicle.
    pub fn hits_under_way(&self) -> impl Iterator<Item = (u32, Hit)> {
        let agents = self.state.agents.iter().zip(0..);
        agents.flat_map(|(agent, index)| agent.hits.iter().map(move |hit| (index, *hit)))
    }

    /// The run in a few figures; `wall` is the time it took, s.
    pub fn summary(&self, scenario: &str, wall: f64) -> RunSummary {
        let hash = self.hash();
        let agents = || self.model.agents.iter().zip(&self.state.agents).enumerate();
        let soils = self.model.ground.soils();
        let beyond = agents().flat_map(|(_, (agent, state))| {
            let beyond = state.monitor.beyond().iter();
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
            RunWarning::trailer_torn_off(&agent.name, agent.vehicle.breaking_load())
        });
        let gaining = agents().filter(|(_, (_, state))| state.hits.given() > 0.0);
        let heartbeat = (1e6 * self.model.clock.heartbeat()).round() / 1e6;
        let gaining = gaining.map(|(_, (agent, state))| {
            RunWarning::hits_gave_energy(&agent.name, state.hits.given(), heartbeat)
        });
        let gained = agents().filter_map(|(_, (agent, state))| {
            let gained = state.energy.gained(agent.vehicle.mass())?;
            Some(RunWarning::gained_energy(&agent.name, gained, self.model.clock.step()))
        });
        let vehicles: Vec<VehicleSummary> = agents()
            .map(|(index, (agent, state))| {
                let (model, outcome) = (agent.vehicle.name(), self.outcome(index));
                let mut summary = state.monitor.summary(&agent.name, model, outcome);
                // one whose drive has ended stays where it is
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
                .chain(self.search_fell_short())
                .collect(),
        }
    }
}

/// What follows from an agent's state.
pub(super) fn derived(
    agent: &AgentModel,
    state: &AgentState,
    index: usize,
) -> (AgentWorkspace, AgentView) {
    let mut workspace = agent.workspace(state);
    workspace.patches.set_agent(agent_code(index));
    let view = agent.view(state, &workspace);
    (workspace, view)
}

/// Number of an agent as the ground remembers it.
pub(super) fn agent_code(agent: usize) -> u16 {
    u16::try_from(agent).unwrap_or(NOBODY)
}
