//! Model and state of a world.

use super::hole::Hole;
use super::scene::{SceneModel, VisibleWorld};
use bekker_agent::{
    AgentModel, AgentState, Clock, Endings, Obstacles, Outcome, OutcomeReport, Pedestrian,
    RadioNet, Struck, StruckCounts, Team, TowLink, TrafficLight,
};
use bekker_ground::soil::SoilId;
use bekker_ground::{GroundError, GroundModel, Published};
use bekker_vehicle::collision::TowState;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Everything that does not change in a run.
#[derive(Clone, Debug)]
pub struct WorldModel {
    /// The ground before anything drove on it.
    pub ground: GroundModel,
    /// Step and heartbeat.
    pub clock: Clock,
    /// Vehicles and drivers.
    pub agents: Vec<AgentModel>,
    /// When drives end.
    pub endings: Endings,
    /// What stands in the way.
    pub obstacles: Obstacles,
    /// Ropes and bars between agents.
    pub tows: Vec<TowLink>,
    /// Holes that autonomous agents are to find.
    pub holes: Vec<Hole>,
    /// How autonomous agents share their maps, if they do.
    pub team: Option<Team>,
    /// Radios that agents talk by; an agent has one at most.
    pub radios: Vec<RadioNet>,
    /// Traffic lights and barriers, each heard by one of them at most.
    pub lights: Vec<TrafficLight>,
    /// People on foot, likewise.
    pub pedestrians: Vec<Pedestrian>,
    /// What cameras and lidars see besides the ground; they see nothing without.
    pub scene_model: Option<Arc<SceneModel>>,
}

impl WorldModel {
    /// Whether any agent can run into anything.
    pub fn can_collide(&self) -> bool {
        let drawn = || self.agents.iter().any(|agent| agent.vehicle.draws_trailer());
        self.agents.len() > 1
            || !(self.obstacles.is_empty() && self.pedestrians.is_empty())
            || drawn()
    }
}

impl WorldModel {
    /// Checks what [`World::new`](crate::World::new) requires: no soil is too stiff for the step.
    ///
    /// # Errors
    /// [`GroundError::TooStiff`], with the value and the step that are accepted.
    pub fn check(&self) -> Result<(), GroundError> {
        self.ground.check_step(self.clock.step())
    }

    /// Name of what a vehicle met, or what it is in a word.
    pub fn struck(&self, with: Struck) -> &str {
        match with {
            Struck::Vehicle(index) => &self.agents[index as usize].name,
            Struck::Obstacle(index) => self.obstacles.noun(index as usize),
            Struck::Barrier(index) => &self.lights[index as usize].name,
            Struck::Pedestrian(index) => &self.pedestrians[index as usize].name,
        }
    }

    /// How many of each there are that can be met.
    pub(super) fn struck_counts(&self) -> StruckCounts {
        StruckCounts {
            vehicles: self.agents.len(),
            obstacles: self.obstacles.len(),
            barriers: self.lights.len(),
            pedestrians: self.pedestrians.len(),
        }
    }

    /// How many there are who send by radio: agents, then lights, then those on foot.
    pub(super) fn senders(&self) -> usize {
        self.agents.len() + self.lights.len() + self.pedestrians.len()
    }

    /// An outcome in the words of this world.
    pub fn reported(&self, outcome: &Outcome) -> OutcomeReport {
        outcome.report(
            |SoilId(soil)| self.ground.soils()[usize::from(soil)].name.as_str(),
            |vehicle| self.agents[vehicle].name.as_str(),
            |with| self.struck(with),
        )
    }
}

/// Everything that does: plain data, enough to resume bit for bit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorldState {
    /// Steps taken.
    pub tick: u64,
    /// Steps to the next heartbeat.
    pub steps: u64,
    /// The ground as all share it.
    pub published: Published,
    /// The agents.
    pub agents: Vec<AgentState>,
    /// Damage of each obstacle, as all share it: how far the hinge of a stem has yielded, in
    /// 0.1 mm, or all ones of one that lies.
    pub damage: Vec<u16>,
    /// Ropes and bars.
    pub tows: Vec<TowState>,
}

impl WorldState {
    /// Of a world in which nothing has happened, its agents still to be set down.
    pub(super) fn at_the_beginning(model: &WorldModel) -> WorldState {
        // nobody has moved yet, but at the speeds that are launched with
        let speed = model.agents.iter().map(|agent| agent.speed.abs()).fold(0.0, f64::max);
        WorldState {
            tick: 0,
            steps: model.clock.steps_to_heartbeat(0, speed, 0.0),
            published: Published::default(),
            agents: model.agents.iter().map(|_| AgentState::elsewhere()).collect(),
            damage: vec![0; model.obstacles.len()],
            tows: vec![TowState::default(); model.tows.len()],
        }
    }
}

impl<'a> From<&'a WorldModel> for VisibleWorld<'a> {
    fn from(model: &'a WorldModel) -> VisibleWorld<'a> {
        VisibleWorld {
            ground: &model.ground,
            agents: &model.agents,
            lights: &model.lights,
            pedestrians: &model.pedestrians,
        }
    }
}
