//! The world: agents on shared ground, heartbeat by heartbeat.
//!
//! Between heartbeats an agent reads the published ground, its own overlay and
//! what the others showed at the last heartbeat, and writes only its own state:
//! agents step in parallel without locks. At the heartbeat the patches they left
//! are merged by a rule in which order cannot matter. So any number of threads
//! gives the same bits.

use super::agent::{AgentModel, AgentState, AgentView, AgentWorkspace};
use super::clock::Clock;
use super::record::{RunSummary, Sample};
use crate::ground::{GroundModel, Patch, Published};
use crate::spatial::{Mat3, Pose, Quat, Vec3};
use crate::terrain::Terrain;
use crate::vehicle::Vehicle;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Everything that does not change in a run.
#[derive(Clone, Debug)]
pub struct WorldModel {
    /// The ground before anything drove on it.
    pub ground: GroundModel,
    /// Step and heartbeat.
    pub clock: Clock,
    /// Vehicles and drivers.
    pub agents: Vec<AgentModel>,
}

/// Everything that does: plain data, enough to resume bit for bit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorldState {
    /// Steps taken.
    pub tick: u64,
    /// The ground as all share it.
    pub published: Published,
    /// The agents.
    pub agents: Vec<AgentState>,
}

/// A running world.
#[derive(Clone, Debug)]
pub struct World {
    model: WorldModel,
    state: WorldState,
    workspaces: Vec<AgentWorkspace>,
    views: Vec<AgentView>,
    patches: Vec<Patch>,
}

impl World {
    /// A world at its beginning.
    pub fn new(model: WorldModel) -> World {
        let agents = model.agents.iter().map(AgentModel::state).collect();
        let state = WorldState { tick: 0, published: Published::default(), agents };
        World::resume(model, state)
    }

    /// A world that goes on from a state of the same model.
    pub fn resume(model: WorldModel, state: WorldState) -> World {
        let workspaces = model
            .agents
            .iter()
            .zip(&state.agents)
            .map(|(agent, state)| agent.workspace(state))
            .collect();
        World { model, state, workspaces, views: Vec::new(), patches: Vec::new() }
    }

    /// What does not change.
    pub fn model(&self) -> &WorldModel {
        &self.model
    }

    /// What does.
    pub fn state(&self) -> &WorldState {
        &self.state
    }

    /// Simulated time, s.
    pub fn time(&self) -> f64 {
        self.model.clock.time(self.state.tick)
    }

    /// Steps all agents through one heartbeat and publishes what they left.
    pub fn beat(&mut self) {
        let World { model, state, workspaces, views, patches } = self;
        let WorldModel { ground, clock, agents } = model;
        let first_tick = state.tick;
        views.clear();
        let shown = agents.iter().zip(&state.agents).zip(&*workspaces);
        views.extend(shown.map(|((agent, own), workspace)| agent.view(own, workspace)));
        let (published, views) = (&state.published, &*views);
        agents.par_iter().zip(state.agents.par_iter_mut()).zip(workspaces.par_iter_mut()).for_each(
            |((agent, own), workspace)| {
                agent.beat(ground, published, clock, first_tick, views, own, workspace);
            },
        );
        patches.clear();
        for workspace in workspaces.iter_mut() {
            patches.append(&mut workspace.patches);
        }
        state.published.apply(patches);
        let published = &state.published;
        state.agents.par_iter_mut().for_each(|agent| agent.overlay.refresh(published));
        state.tick += clock.steps_per_beat();
    }

    /// Whether any agent still drives.
    pub fn is_running(&self) -> bool {
        self.state.agents.iter().any(|agent| agent.outcome.is_none())
    }

    /// Publishes the nodes still under wheels too: for the end of a run.
    pub fn publish_all(&mut self) {
        self.patches.clear();
        for agent in &mut self.state.agents {
            agent.overlay.publish_all(&mut self.patches);
        }
        self.state.published.apply(&self.patches);
        for agent in &mut self.state.agents {
            agent.overlay.refresh(&self.state.published);
        }
    }

    /// The agents at this moment.
    pub fn samples(&self) -> impl Iterator<Item = Sample> + '_ {
        let time = self.time();
        self.model.agents.iter().enumerate().map(move |(index, agent)| {
            agent.sample(index, time, &self.state.agents[index], &self.workspaces[index])
        })
    }

    /// Largest opening of any joint or rod after the last step, m.
    pub fn drift(&self) -> f64 {
        let agents = self.model.agents.iter().zip(&self.workspaces);
        agents.map(|(agent, workspace)| agent.drift(workspace)).fold(0.0, f64::max)
    }

    /// SHA-256 of the whole state in its stored form.
    pub fn hash(&self) -> [u8; 32] {
        let mut hasher = Sha256::new();
        hasher.update(self.state.published.hash());
        let agents = postcard::to_stdvec(&(self.state.tick, &self.state.agents));
        hasher.update(agents.expect("plain data serialises into memory"));
        hasher.finalize().into()
    }

    /// The run in a few figures; `wall` is the time it took, s.
    pub fn summary(&self, scenario: &str, wall: f64) -> RunSummary {
        let time = self.time();
        let hash = self.hash();
        RunSummary {
            scenario: scenario.into(),
            simulated: time,
            wall,
            deformed_nodes: self.state.published.nodes() as u64,
            state_hash: hash.iter().map(|byte| format!("{byte:02x}")).collect(),
            vehicles: self
                .model
                .agents
                .iter()
                .zip(&self.state.agents)
                .map(|(agent, state)| agent.summary(state, time))
                .collect(),
        }
    }
}

/// Chassis frame of a vehicle that stands at (x, y) with `heading` (rad) on the
/// plane that fits the ground under its wheels best, none of them below it.
pub fn stand(terrain: &Terrain, vehicle: &Vehicle, x: f64, y: f64, heading: f64) -> Pose {
    let centres: Vec<Vec3> =
        (0..vehicle.wheels()).map(|wheel| vehicle.wheel_centre(wheel)).collect();
    stand_on(terrain, &centres, vehicle.ride_radius(), x, y, heading)
}

/// The same for wheels of one radius (m) with the given centres in the chassis frame.
pub(super) fn stand_on(
    terrain: &Terrain,
    centres: &[Vec3],
    radius: f64,
    x: f64,
    y: f64,
    heading: f64,
) -> Pose {
    let turn = Quat::from_axis_angle(&Vec3::z_axis(), heading);
    let touch = |orientation: &Quat, centre: &Vec3| {
        let place = orientation * centre;
        let (px, py) = (x + place.x, y + place.y);
        (Vec3::new(px - x, py - y, terrain.height(px, py)), place)
    };
    let normal = plane_normal(centres.iter().map(|centre| touch(&turn, centre).0));
    let forward = (turn * Vec3::x() - normal * normal.dot(&(turn * Vec3::x()))).normalize();
    let axes = Mat3::from_columns(&[forward, normal.cross(&forward), normal]);
    let orientation = Quat::from_rotation_matrix(&nalgebra::Rotation3::from_matrix_unchecked(axes));
    let lift = centres
        .iter()
        .map(|centre| {
            let (ground, place) = touch(&orientation, centre);
            ground.z + radius / normal.z - place.z
        })
        .fold(f64::NEG_INFINITY, f64::max);
    Pose { position: Vec3::new(x, y, lift), orientation }
}

/// Normal of the least-squares plane z = a x + b y + c through points.
fn plane_normal(points: impl Iterator<Item = Vec3>) -> Vec3 {
    let mut matrix = Mat3::zeros();
    let mut right = Vec3::zeros();
    for point in points {
        let row = Vec3::new(point.x, point.y, 1.0);
        matrix += row * row.transpose();
        right += row * point.z;
    }
    match matrix.try_inverse() {
        Some(inverse) => {
            let plane = inverse * right;
            Vec3::new(-plane.x, -plane.y, 1.0).normalize()
        }
        None => Vec3::z(),
    }
}
