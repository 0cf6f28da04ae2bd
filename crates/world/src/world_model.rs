//! Model and state of a world.

use super::hole::Hole;
use super::scene::{SceneModel, VisibleWorld};
use bekker_agent::{
    AgentModel, AgentState, Clock, CollisionTarget, CollisionTargetCounts, Endings, GroundVehicle,
    Obstacles, Outcome, OutcomeReport, Pedestrian, RadioNet, Team, TowLink, TrafficLight,
};
use bekker_ground::soil::SoilId;
use bekker_ground::{GroundError, GroundModel, SharedGround};
use bekker_vehicle::collision::TowState;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Everything that does not change during a run.
#[derive(Clone, Debug)]
pub struct WorldModel {
    /// The undisturbed ground.
    pub ground: GroundModel,
    /// Step and heartbeat.
    pub clock: Clock,
    /// Vehicles and drivers.
    pub agents: Vec<AgentModel>,
    /// Conditions that end drives.
    pub endings: Endings,
    /// Static obstacles.
    pub obstacles: Obstacles,
    /// Ropes and bars between agents.
    pub tows: Vec<TowLink>,
    /// Holes that autonomous agents search for.
    pub holes: Vec<Hole>,
    /// How autonomous agents share maps; `None` if they do not.
    pub team: Option<Team>,
    /// Radio networks of agents. An agent is a member of at most one.
    pub radios: Vec<RadioNet>,
    /// Traffic lights and barriers. Each sends by at most one radio network.
    pub lights: Vec<TrafficLight>,
    /// Pedestrians. Each sends by at most one radio network.
    pub pedestrians: Vec<Pedestrian>,
    /// Scene that cameras and lidars see besides the ground. Without it they make no frames.
    pub scene_model: Option<Arc<SceneModel>>,
}

impl WorldModel {
    /// Whether any agent can collide with anything.
    pub fn can_collide(&self) -> bool {
        let drawn = || self.agents.iter().any(|agent| agent.vehicle.has_trailer());
        self.agents.len() > 1
            || !(self.obstacles.is_empty() && self.pedestrians.is_empty())
            || drawn()
    }
}

impl WorldModel {
    /// Checks the requirement of [`World::new`](crate::World::new) that no soil is too stiff for
    /// the step.
    ///
    /// # Errors
    /// [`GroundError::TooStiff`], with the value and the accepted step.
    pub fn check(&self) -> Result<(), GroundError> {
        self.ground.check_step(self.clock.step())
    }

    /// Returns the name of the object that a vehicle collided with, or a noun for its kind.
    pub fn target_name(&self, with: CollisionTarget) -> &str {
        match with {
            CollisionTarget::Vehicle(index) => &self.agents[index as usize].name,
            CollisionTarget::Obstacle(index) => self.obstacles.noun(index as usize),
            CollisionTarget::Barrier(index) => &self.lights[index as usize].name,
            CollisionTarget::Pedestrian(index) => &self.pedestrians[index as usize].name,
        }
    }

    /// Numbers of objects of each kind that a vehicle can collide with.
    pub(super) fn collision_target_counts(&self) -> CollisionTargetCounts {
        CollisionTargetCounts {
            vehicles: self.agents.len(),
            obstacles: self.obstacles.len(),
            barriers: self.lights.len(),
            pedestrians: self.pedestrians.len(),
        }
    }

    /// Number of possible radio senders: agents, then lights, then pedestrians.
    pub(super) fn senders(&self) -> usize {
        self.agents.len() + self.lights.len() + self.pedestrians.len()
    }

    /// Returns an outcome with the names of this world's soils, vehicles and objects.
    pub fn outcome_report(&self, outcome: &Outcome) -> OutcomeReport {
        outcome.report(
            |SoilId(soil)| self.ground.soils()[usize::from(soil)].name.as_str(),
            |vehicle| self.agents[vehicle].name.as_str(),
            |with| self.target_name(with),
        )
    }
}

/// Everything that changes during a run: plain data, sufficient to resume bit for bit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorldState {
    /// Number of steps taken.
    pub tick: u64,
    /// Number of steps to the next heartbeat.
    pub steps: u64,
    /// The published ground, which all agents share.
    pub published: SharedGround,
    /// States of the agents.
    pub agents: Vec<AgentState>,
    /// Shared damage of each obstacle: the plastic displacement at the hinge of a stem in 0.1 mm,
    /// or all ones for a fallen stem.
    pub damage: Vec<u16>,
    /// States of ropes and bars.
    pub tows: Vec<TowState>,
}

impl WorldState {
    /// State at time 0, with agents that are still to be placed.
    pub(super) fn initial(model: &WorldModel) -> WorldState {
        // No vehicle has moved yet, but some start with a speed.
        let speed = model.agents.iter().map(|agent| agent.speed.abs()).fold(0.0, f64::max);
        WorldState {
            tick: 0,
            steps: model.clock.steps_to_heartbeat(0, speed, 0.0),
            published: SharedGround::default(),
            agents: model.agents.iter().map(|_| AgentState::remote()).collect(),
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
