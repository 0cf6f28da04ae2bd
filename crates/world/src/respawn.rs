//! Moving a vehicle to another position while the ground keeps its ruts.
//!
//! The work is split into parts, so that ranks can do the same. Each rank checks the position,
//! publishes the ground under the wheels, and continues with values that all ranks share. The rank
//! that steps the agent settles it to equilibrium.

use super::command::{CommandError, check_range};
use super::world::{World, agent_code};
use super::world_model::WorldModel;
use bekker_agent::{CollisionTarget, GroundVehicle, StartCondition};
use bekker_ground::Patches;
use bekker_math::spatial::Pose;
use serde::{Deserialize, Serialize};

/// Bounds of the position's coordinates from the local origin, m, and of the speed, m/s.
const MAX_COORDINATE: f64 = 1e6;
const MAX_SPEED: f64 = 50.0;

/// Position, heading and speed of a vehicle to be placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VehiclePlacement {
    /// Origin of the chassis frame, m.
    pub position: [f64; 2],
    /// Heading, rad from x (east), counterclockwise.
    pub heading: f64,
    /// Forward speed, m/s.
    pub speed: f64,
}

impl World {
    /// Moves an agent to another position, in static equilibrium with the ground there.
    ///
    /// The ground stays deformed where the agent was. The agent's sums and its driver's state are
    /// reset, and it has no command. The model is not built again.
    ///
    /// # Errors
    /// [`CommandError`] when there is no such agent on this rank, when the position is outside the
    /// terrain, or when an obstacle or another vehicle occupies it.
    pub fn respawn(
        &mut self,
        agent: usize,
        place: &VehiclePlacement,
    ) -> Result<StartCondition, CommandError> {
        self.check_placement(agent, place)?;
        if !self.is_own(agent) {
            return Err(CommandError::Elsewhere { agent });
        }
        if let Some(other) = self.overlapping_own_agent(agent, place) {
            return Err(self.model.occupied(agent, place, other));
        }
        Ok(self.respawn_agent(agent, place))
    }

    /// Moves all agents, one after the other. If one of them cannot be moved, none is.
    ///
    /// # Errors
    /// [`CommandError`] as in [`World::respawn`], or when the number of positions is not that of
    /// agents. The world is then unchanged.
    pub fn respawn_all(
        &mut self,
        places: &[VehiclePlacement],
    ) -> Result<Vec<StartCondition>, CommandError> {
        self.check_placements(places)?;
        if let Some(agent) = (0..places.len()).find(|&agent| !self.is_own(agent)) {
            return Err(CommandError::Elsewhere { agent });
        }
        Ok(places
            .iter()
            .enumerate()
            .map(|(agent, place)| self.respawn_agent(agent, place))
            .collect())
    }

    fn respawn_agent(&mut self, agent: usize, place: &VehiclePlacement) -> StartCondition {
        self.publish_under_wheels(agent);
        let stand = self.place_in_equilibrium(agent, place);
        self.finish_respawn(agent, self.greatest_speed());
        stand
    }

    /// Publishes the ground under an own agent's wheels, which it leaves behind. Returns the
    /// patches.
    pub(super) fn publish_under_wheels(&mut self, agent: usize) -> &Patches {
        self.patches.clear();
        self.patches.set_agent(agent_code(agent));
        self.state.agents[agent].overlay.publish_all(&mut self.patches);
        self.state.published.apply(&self.patches);
        &self.patches
    }

    /// Places an own agent in its design position, without settling it.
    pub(super) fn place_in_design_position(&mut self, agent: usize, place: &VehiclePlacement) {
        let own = &self.model.agents[agent];
        let now_us = self.model.clock.micros(self.state.tick);
        let state = own.in_design_position(&self.model.pose(agent, place), place.speed, now_us);
        self.add_own_agent(agent, state);
    }

    /// Places an own agent and settles it to equilibrium on the published ground.
    pub(super) fn place_in_equilibrium(
        &mut self,
        agent: usize,
        place: &VehiclePlacement,
    ) -> StartCondition {
        let WorldModel { ground, clock, agents, .. } = &*self.model;
        let (now_us, step) = (clock.micros(self.state.tick), clock.step());
        let (published, pose) = (&self.state.published, self.model.pose(agent, place));
        let own = &agents[agent];
        let (state, stand) =
            own.solve_equilibrium(ground, published, &pose, place.speed, now_us, step);
        self.add_own_agent(agent, state);
        stand
    }

    /// Returns the greatest speed of own agents, m/s.
    pub(super) fn greatest_speed(&self) -> f64 {
        let speed = |&agent: &usize| self.views[agent].velocity.norm();
        self.own_agents.iter().map(speed).fold(0.0, f64::max)
    }

    /// Updates the rest of the world after an agent was moved; `fastest` is the greatest speed of
    /// all agents, m/s.
    pub(super) fn finish_respawn(&mut self, agent: usize, fastest: f64) {
        let state = &mut self.state;
        for other in state.agents.iter_mut().filter_map(|other| other.autonomy.as_mut()) {
            other.member.reset_peer(agent as u32);
        }
        // The next heartbeat must suit the new greatest speed.
        let steps = self.model.clock.steps_to_heartbeat(state.tick, fastest, 0.0);
        state.steps = state.steps.min(steps);
        // Cloning drops the cached ground around the agents that look.
        self.imaging = self.imaging.clone();
    }

    /// Checks that all agents can be placed at these positions without overlap, on any rank.
    pub(super) fn check_placements(&self, places: &[VehiclePlacement]) -> Result<(), CommandError> {
        let agents = self.state.agents.len();
        if places.len() != agents {
            return Err(CommandError::Count { places: places.len(), agents });
        }
        for (agent, place) in places.iter().enumerate() {
            self.check_placement(agent, place)?;
            let pose = self.model.pose(agent, place);
            let in_its_way = |&other: &usize| {
                let others = self.model.pose(other, &places[other]);
                self.model.overlap([agent, other], [&pose, &others])
            };
            if let Some(other) = (0..agent).find(in_its_way) {
                return Err(self.model.occupied(agent, place, other));
            }
        }
        Ok(())
    }

    /// Checks that an agent can be placed at a position, regardless of ranks and of other agents.
    pub(super) fn check_placement(
        &self,
        agent: usize,
        place: &VehiclePlacement,
    ) -> Result<(), CommandError> {
        let agents = self.state.agents.len();
        if agent >= agents {
            return Err(CommandError::NoAgent { agent, agents });
        }
        let VehiclePlacement { position: position @ [x, y], heading, speed } = *place;
        check_range("x", x, MAX_COORDINATE, "from -1000000 to 1000000 m")?;
        check_range("y", y, MAX_COORDINATE, "from -1000000 to 1000000 m")?;
        check_range("heading", heading, 1e3, "from -1000 to 1000 rad")?;
        check_range("speed", speed, MAX_SPEED, "from -50 to 50 m/s")?;
        let terrain = self.model.ground.terrain();
        if !terrain.contains(x, y) {
            return Err(CommandError::OffTerrain { position, bounds: terrain.bounds() });
        }
        if terrain.is_gap(x, y) {
            return Err(CommandError::UnmappedGround { position });
        }
        let Some(obstacle) = self.obstacle_at(agent, place) else { return Ok(()) };
        let vehicle = self.model.agents[agent].name.clone();
        let what = format!("an obstacle ({})", self.model.obstacles.noun(obstacle as usize));
        Err(CommandError::Occupied { position, heading, vehicle, what })
    }

    /// Returns the first obstacle that an agent would touch in its design position.
    fn obstacle_at(&self, agent: usize, place: &VehiclePlacement) -> Option<u32> {
        let WorldModel { obstacles, agents, clock, .. } = &*self.model;
        if obstacles.is_empty() {
            return None;
        }
        let own = &agents[agent];
        let state = own.in_design_position(&self.model.pose(agent, place), 0.0, 0);
        let mut workspace = own.workspace(&state);
        let (body, obstacle_contacts) = (&mut workspace.vehicle, &mut workspace.obstacle_contacts);
        own.find_obstacles(obstacles, &self.state.damage, body, obstacle_contacts, 0.0);
        let mut met = None;
        own.obstacle_loads(
            obstacles,
            &state.vehicle,
            body,
            obstacle_contacts,
            clock.step(),
            |touch| {
                if let CollisionTarget::Obstacle(obstacle) = touch.with {
                    met.get_or_insert(obstacle);
                }
            },
        );
        met
    }

    /// Returns the first own agent that would overlap another agent placed at `place`.
    pub(super) fn overlapping_own_agent(
        &self,
        agent: usize,
        place: &VehiclePlacement,
    ) -> Option<usize> {
        let pose = self.model.pose(agent, place);
        let in_its_way = |&other: &usize| {
            let chassis = &self.workspace_of(other).vehicle;
            let others = self.model.agents[other].vehicle.pose(chassis);
            other != agent && self.model.overlap([agent, other], [&pose, &others])
        };
        self.own_agents.iter().copied().find(in_its_way)
    }
}

impl WorldModel {
    /// Chassis frame of an agent placed on the undisturbed ground.
    fn pose(&self, agent: usize, place: &VehiclePlacement) -> Pose {
        let VehiclePlacement { position: [x, y], heading, .. } = *place;
        self.agents[agent].vehicle.resting_pose(self.ground.terrain(), x, y, heading)
    }

    /// Whether the footprints of two agents at these poses overlap.
    fn overlap(&self, agents: [usize; 2], [one, other]: [&Pose; 2]) -> bool {
        let [own, others] = agents.map(|agent| self.agents[agent].vehicle.footprint());
        own.overlaps(one, &others, other)
    }

    /// Error for a position that another agent occupies.
    pub fn occupied(&self, agent: usize, place: &VehiclePlacement, other: usize) -> CommandError {
        let VehiclePlacement { position, heading, .. } = *place;
        let [vehicle, other] = [agent, other].map(|agent| self.agents[agent].name.clone());
        CommandError::Occupied { position, heading, vehicle, what: format!("vehicle {other}") }
    }
}
