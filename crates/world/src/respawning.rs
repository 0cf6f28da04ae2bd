//! A vehicle put elsewhere, on ground that remembers.
//!
//! It is done in parts, so that ranks can do the same: each checks the place, publishes what lay
//! under the wheels, and goes on with what all of them know; the one where the agent steps settles it.

use super::commanding::{CommandError, within};
use super::world::{World, agent_code};
use super::world_model::WorldModel;
use bekker_agent::{Stand, Struck};
use bekker_ground::Patches;
use bekker_math::spatial::Pose;
use serde::{Deserialize, Serialize};

/// Farthest from the local origin, m, and fastest, m/s, that a vehicle is put.
const FARTHEST: f64 = 1e6;
const FASTEST: f64 = 50.0;

/// Where a vehicle is put.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Placement {
    /// Chassis frame, m.
    pub position: [f64; 2],
    /// Heading, rad from x (east), counter-clockwise.
    pub heading: f64,
    /// Forward speed, m/s.
    pub speed: f64,
}

impl World {
    /// Puts an agent somewhere else, in equilibrium with the ground there as it was at its
    /// start, its sums and its driver's memory new, with no command. What it has pressed
    /// stays pressed. Nothing of the model is built again.
    ///
    /// # Errors
    /// [`CommandError`] when there is no such agent here, or no such place on the terrain, or
    /// something stands there: an obstacle, or another vehicle.
    pub fn respawn(&mut self, agent: usize, place: &Placement) -> Result<Stand, CommandError> {
        self.check_place(agent, place)?;
        if !self.is_own(agent) {
            return Err(CommandError::Elsewhere { agent });
        }
        if let Some(other) = self.own_agent_at(agent, place) {
            return Err(self.model.occupied(agent, place, other));
        }
        Ok(self.put(agent, place))
    }

    /// Puts all agents somewhere else, one after the other: none is put if one cannot be.
    ///
    /// # Errors
    /// [`CommandError`] as of [`World::respawn`], or when there are more or fewer places than
    /// agents; the world is as it was.
    pub fn respawn_all(&mut self, places: &[Placement]) -> Result<Vec<Stand>, CommandError> {
        self.check_places(places)?;
        if let Some(agent) = (0..places.len()).find(|&agent| !self.is_own(agent)) {
            return Err(CommandError::Elsewhere { agent });
        }
        Ok(places.iter().enumerate().map(|(agent, place)| self.put(agent, place)).collect())
    }

    fn put(&mut self, agent: usize, place: &Placement) -> Stand {
        self.publish_own(agent);
        let stand = self.settle_at(agent, place);
        self.go_on_without(agent, self.greatest_speed());
        stand
    }

    /// Publishes what still lies under an own agent's wheels: what it leaves behind.
    pub fn publish_own(&mut self, agent: usize) -> &Patches {
        self.patches.clear();
        self.patches.set_agent(agent_code(agent));
        self.state.agents[agent].overlay.publish_all(&mut self.patches);
        self.state.published.apply(&self.patches);
        &self.patches
    }

    /// Takes over what an agent of another rank leaves behind.
    pub fn take_patches(&mut self, patches: &Patches) {
        self.state.published.apply(patches);
    }

    /// Puts an own agent somewhere in its design position, still to be settled.
    pub fn hold_at(&mut self, agent: usize, place: &Placement) {
        let own = &self.model.agents[agent];
        let now_us = self.model.clock.micros(self.state.tick);
        let state = own.unsettled(&self.model.pose(agent, place), place.speed, now_us);
        self.take_in(agent, state);
    }

    /// Puts an own agent somewhere, settled on the ground as it is published.
    pub fn settle_at(&mut self, agent: usize, place: &Placement) -> Stand {
        let WorldModel { ground, clock, agents, .. } = &*self.model;
        let time = (clock.micros(self.state.tick), clock.step());
        let (on, pose) = ((ground, &self.state.published), self.model.pose(agent, place));
        let (state, stand) = agents[agent].settled(on, &pose, place.speed, time);
        self.take_in(agent, state);
        stand
    }

    /// Greatest speed of own agents, m/s.
    pub fn greatest_speed(&self) -> f64 {
        let speed = |&agent: &usize| self.views[agent].velocity.norm();
        self.own_agents().iter().map(speed).fold(0.0, f64::max)
    }

    /// What follows for the others once an agent is elsewhere and `fastest` m/s is the greatest
    /// speed of all.
    pub fn go_on_without(&mut self, agent: usize, fastest: f64) {
        let state = &mut self.state;
        for other in state.agents.iter_mut().filter_map(|other| other.autonomy.as_mut()) {
            other.member.forget(agent as u32);
        }
        // a heartbeat that fits the speed of whoever is fastest now
        let steps = self.model.clock.steps_to_heartbeat(state.tick, fastest, 0.0);
        state.steps = state.steps.min(steps);
        // what lies around is to be looked at anew
        self.imaging = self.imaging.clone();
    }

    /// Whether all agents can be put at these places, whoever steps them: none in another.
    pub fn check_places(&self, places: &[Placement]) -> Result<(), CommandError> {
        let agents = self.state.agents.len();
        if places.len() != agents {
            return Err(CommandError::Count { places: places.len(), agents });
        }
        for (agent, place) in places.iter().enumerate() {
            self.check_place(agent, place)?;
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

    /// Whether an agent can be put at a place, whoever steps it and whoever else is there.
    pub fn check_place(&self, agent: usize, place: &Placement) -> Result<(), CommandError> {
        let agents = self.state.agents.len();
        if agent >= agents {
            return Err(CommandError::NoAgent { agent, agents });
        }
        let Placement { position: position @ [x, y], heading, speed } = *place;
        within("x", x, FARTHEST, "from -1000000 to 1000000 m")?;
        within("y", y, FARTHEST, "from -1000000 to 1000000 m")?;
        within("heading", heading, 1e3, "from -1000 to 1000 rad")?;
        within("speed", speed, FASTEST, "from -50 to 50 m/s")?;
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

    /// The obstacle that an agent would be pressed by in its design position at a place.
    fn obstacle_at(&self, agent: usize, place: &Placement) -> Option<u32> {
        let WorldModel { obstacles, agents, clock, .. } = &*self.model;
        if obstacles.is_empty() {
            return None;
        }
        let own = &agents[agent];
        let state = own.unsettled(&self.model.pose(agent, place), 0.0, 0);
        let mut room = own.workspace(&state);
        let (body, strikes) = (&mut room.vehicle, &mut room.strikes);
        own.approach_obstacles(obstacles, &self.state.damage, body, strikes, 0.0);
        let mut met = None;
        let body = (&state.vehicle, body);
        own.meet_obstacles(obstacles, body, strikes, clock.step(), |touch| {
            if let Struck::Obstacle(obstacle) = touch.with {
                met.get_or_insert(obstacle);
            }
        });
        met
    }

    /// The first of the own agents in which another would stand at a place.
    pub fn own_agent_at(&self, agent: usize, place: &Placement) -> Option<usize> {
        let pose = self.model.pose(agent, place);
        let in_its_way = |&other: &usize| {
            let chassis = &self.room(other).vehicle;
            let others = self.model.agents[other].vehicle.pose(chassis);
            other != agent && self.model.overlap([agent, other], [&pose, &others])
        };
        self.own_agents().iter().copied().find(in_its_way)
    }
}

impl WorldModel {
    /// Chassis frame of an agent that stands at a place on the undisturbed ground.
    fn pose(&self, agent: usize, place: &Placement) -> Pose {
        let Placement { position: [x, y], heading, .. } = *place;
        self.agents[agent].vehicle.stand(self.ground.terrain(), x, y, heading)
    }

    /// Whether two agents at these poses stand in one another.
    fn overlap(&self, agents: [usize; 2], [one, other]: [&Pose; 2]) -> bool {
        let [own, others] = agents.map(|agent| self.agents[agent].vehicle.footprint());
        own.overlaps(one, &others, other)
    }

    /// That another agent stands where one is to be put.
    pub fn occupied(&self, agent: usize, place: &Placement, other: usize) -> CommandError {
        let Placement { position, heading, .. } = *place;
        let [vehicle, other] = [agent, other].map(|agent| self.agents[agent].name.clone());
        CommandError::Occupied { position, heading, vehicle, what: format!("vehicle {other}") }
    }
}
