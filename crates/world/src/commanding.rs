//! A world from a program: commands in the place of a driver's, going back to a state,
//! reading the ground.

use super::soundness::{self, StateError};
use super::world::World;
use super::world_model::{WorldModel, WorldState};
use bekker_agent::{Event, Sample};
use bekker_ground::scm::Contact;
use bekker_ground::{
    SampleGrid, SampleGridError, rut_depth, rut_depths, surface_height, surface_heights,
};
use bekker_vehicle::{Controls, Lock, Locks, Selector};

/// Where the wheels are to be steered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Steering {
    /// Share of full lock, -1 (full right) to 1 (full left).
    Share(f64),
    /// Mean angle of the steered wheels, rad, positive to the left.
    Angle(f64),
}

/// Commands to a vehicle, in force until others are given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Command {
    /// Throttle, 0 to 1.
    pub throttle: f64,
    /// Service brake, 0 to 1.
    pub brake: f64,
    /// Steering.
    pub steering: Steering,
    /// Lever of the gearbox.
    pub gear: Selector,
    /// Inflation that central tyre inflation works towards, Pa; as it is if none.
    pub inflation: Option<f64>,
    /// Differentials to be locked.
    pub locks: Locks,
    /// Whether it lets go of its trailer, which no command takes back.
    pub uncouple: bool,
}

impl Default for Command {
    fn default() -> Command {
        Controls::default().into()
    }
}

impl From<Controls> for Command {
    fn from(controls: Controls) -> Command {
        let Controls { throttle, steering, brake, gear, inflation, locks, uncouple } = controls;
        let steering = Steering::Share(steering);
        Command { throttle, brake, steering, gear, inflation, locks, uncouple }
    }
}

/// Why an agent cannot be commanded or put somewhere.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// No such agent.
    #[error("no agent {agent}; there are {agents}, counted from 0")]
    NoAgent {
        /// The agent.
        agent: usize,
        /// How many there are.
        agents: usize,
    },
    /// An agent of another rank.
    #[error(
        "agent {agent} steps on another rank: Ranks::respawn, called on all ranks alike, puts it \
         elsewhere"
    )]
    Elsewhere {
        /// The agent.
        agent: usize,
    },
    /// A number beyond its range.
    #[error("{what} = {value}: must be {allowed}")]
    Range {
        /// What was given.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        allowed: &'static str,
    },
    /// An angle for a vehicle that steers by none.
    #[error("{vehicle} steers by no angle of its wheels: give a share of full lock")]
    NoAngle {
        /// Name of the vehicle.
        vehicle: String,
    },
    /// A steering other than 0 for a vehicle of which no axle is steered.
    #[error("steering = {value}: must be 0, as no axle of {vehicle} is steered")]
    NoSteering {
        /// Name of the vehicle.
        vehicle: String,
        /// The steering, a share of full lock.
        value: f64,
    },
    /// An inflation for a vehicle that cannot change it.
    #[error(
        "{vehicle} has no central tyre inflation: its file, or the scenario's overrides, must \
         give tyre.flexible.central_inflation"
    )]
    NoInflation {
        /// Name of the vehicle.
        vehicle: String,
    },
    /// A lock that a vehicle does not have.
    #[error("{vehicle} has no lock '{lock}' that a driver engages; it has {known:?}")]
    NoLock {
        /// Name of the vehicle.
        vehicle: String,
        /// What was to be locked.
        lock: &'static str,
        /// The locks that it has.
        known: Vec<&'static str>,
    },
    /// A vehicle without a trailer that is to let go of it.
    #[error("{vehicle} draws no trailer of which it could let go")]
    NoTrailer {
        /// Name of the vehicle.
        vehicle: String,
    },
    /// An agent without radio, or of another rank, that is to say something.
    #[error("agent {agent} has no radio here")]
    NoRadio {
        /// The agent.
        agent: usize,
    },
    /// More or fewer places than agents.
    #[error("{places} places are given for {agents} agents: give one each")]
    Count {
        /// Places given.
        places: usize,
        /// Agents there are.
        agents: usize,
    },
    /// A place beyond the terrain.
    #[error(
        "position {position:?} lies off the terrain; its bounds are {bounds:?} (west, south, east, north, m)"
    )]
    OffTerrain {
        /// The place, m.
        position: [f64; 2],
        /// Bounds of the terrain, m.
        bounds: [f64; 4],
    },
    /// A place without elevation data.
    #[error(
        "position {position:?} is ground without elevation data (terrain.surface.no_data = \"keep\")"
    )]
    UnmappedGround {
        /// The place, m.
        position: [f64; 2],
    },
    /// A place where something stands.
    #[error(
        "position {position:?}, heading {heading}: {vehicle} would stand in {what}; give a place \
         that is free"
    )]
    Occupied {
        /// The place, m.
        position: [f64; 2],
        /// Heading, rad.
        heading: f64,
        /// Name of who was to stand there.
        vehicle: String,
        /// What stands there, in words.
        what: String,
    },
}

impl WorldModel {
    /// What an agent makes of a command: within its ranges, its steering as a share. Beyond
    /// its ranges a command is taken at the ends of these.
    ///
    /// # Errors
    /// [`CommandError`] when there is no such agent, a number is none, an angle is given to a
    /// vehicle that steers by none, a steering other than 0 to one that cannot be steered, an
    /// inflation to one that cannot change it, a lock to one that does not have it, or one
    /// without a trailer is to let go of it.
    pub fn controls(&self, agent: usize, command: &Command) -> Result<Controls, CommandError> {
        let agents = self.agents.len();
        let own = self.agents.get(agent).ok_or(CommandError::NoAgent { agent, agents })?;
        let vehicle = &own.vehicle;
        let Command { throttle, brake, steering, gear, inflation, locks, uncouple } = *command;
        let allowed = "a finite number";
        within("throttle", throttle, f64::MAX, allowed)?;
        within("brake", brake, f64::MAX, allowed)?;
        let (Steering::Share(given) | Steering::Angle(given)) = steering;
        within("steering", given, f64::MAX, allowed)?;
        let steering = match steering {
            Steering::Share(value) if value != 0.0 && !vehicle.can_steer() => {
                return Err(CommandError::NoSteering { vehicle: vehicle.name().into(), value });
            }
            Steering::Share(share) => share,
            Steering::Angle(angle) => {
                let no_angle = || CommandError::NoAngle { vehicle: vehicle.name().into() };
                angle / vehicle.max_steering_angle().ok_or_else(no_angle)?
            }
        };
        if let Some(inflation) = inflation {
            within("inflation", inflation, f64::MAX, allowed)?;
            if !vehicle.inflates() {
                return Err(CommandError::NoInflation { vehicle: vehicle.name().into() });
            }
        }
        let known = vehicle.locks();
        if let Some(lock) = locks.iter().find(|lock| !known.contains(*lock)) {
            return Err(CommandError::NoLock {
                vehicle: vehicle.name().into(),
                lock: lock.name(),
                known: known.iter().map(Lock::name).collect(),
            });
        }
        if uncouple && !vehicle.draws_trailer() {
            return Err(CommandError::NoTrailer { vehicle: vehicle.name().into() });
        }
        Ok(Controls { throttle, steering, brake, gear, inflation, locks, uncouple }.clamped())
    }
}

impl World {
    /// Goes back, or on, to a state of this world's model: what follows is what followed
    /// then, bit for bit. The model is not built again.
    ///
    /// # Errors
    /// [`StateError`] when the model cannot be in this state; the world is as it was.
    pub fn restore(&mut self, state: &WorldState) -> Result<(), StateError> {
        soundness::check(&self.model, state)?;
        self.state.clone_from(state);
        self.derive();
        Ok(())
    }

    /// Commands an agent from outside until told otherwise; with none, its own driver
    /// drives again. Commands beyond their ranges are taken at the ends of these. They are
    /// part of the state. Of an agent of another rank nothing is commanded: each rank
    /// commands its own. An angle beyond full lock is taken as full lock.
    ///
    /// # Errors
    /// [`CommandError`] when there is no such agent, a number is none, or an angle is given
    /// to a vehicle that steers by none.
    pub fn command(&mut self, agent: usize, command: Option<Command>) -> Result<(), CommandError> {
        let agents = self.state.agents.len();
        let own = agent < agents && self.is_own(agent);
        let known = self.state.agents.get_mut(agent).filter(|_| own);
        let Some(state) = known else {
            return if agent < agents {
                Ok(())
            } else {
                Err(CommandError::NoAgent { agent, agents })
            };
        };
        let controls = command.map(|command| self.model.controls(agent, &command));
        state.command = controls.transpose()?;
        Ok(())
    }

    /// What the ground did in the last step to each wheel of an agent, axle by axle from
    /// the front, left before right, or to each of its shoes that met it. Empty of those that
    /// do not step here, and before the first step.
    pub fn contacts(&self, agent: usize) -> &[Contact] {
        let room = self.workspaces.get(agent).and_then(Option::as_ref);
        let vehicle = self.model.agents.get(agent).map(|agent| &agent.vehicle);
        room.zip(vehicle).map_or(&[], |(room, vehicle)| vehicle.contacts(&room.vehicle))
    }

    /// What happened to an agent in the last heartbeat, in a fixed order. Empty of those
    /// that do not step here.
    pub fn events(&self, agent: usize) -> &[Event] {
        let room = self.workspaces.get(agent).and_then(Option::as_ref);
        room.map_or(&[], |room| &room.events)
    }

    /// One agent at this moment.
    pub fn sample(&self, agent: usize) -> Option<Sample> {
        let mut sample = Sample::default();
        self.sample_into(agent, &mut sample).then_some(sample)
    }

    /// The same into a sample that there is, which allocates nothing once it has its room.
    /// Whether there is such an agent.
    pub fn sample_into(&self, agent: usize, sample: &mut Sample) -> bool {
        let Some(model) = self.model.agents.get(agent) else { return false };
        let gathered = self.gathered.get(agent).and_then(Option::as_ref);
        if let (Some(own), false) =
            (gathered.filter(|own| own.time == self.time()), self.is_own(agent))
        {
            sample.clone_from(own);
            return true;
        }
        let (state, room) = self.shown(agent);
        model.sample_into(agent, self.time(), &state, &room, sample);
        true
    }

    /// [`World::height`] at every point of a grid, into room for them, row by row along x.
    ///
    /// # Errors
    /// [`SampleGridError`] when there is not one place for each point.
    pub fn heights(&self, grid: &SampleGrid, heights: &mut [f64]) -> Result<(), SampleGridError> {
        surface_heights(&self.model.ground, &self.state.published, grid, heights)
    }

    /// [`World::rut_depth`] likewise.
    ///
    /// # Errors
    /// [`SampleGridError`] when there is not one place for each point.
    pub fn rut_depths(&self, grid: &SampleGrid, depths: &mut [f64]) -> Result<(), SampleGridError> {
        rut_depths(&self.model.ground, &self.state.published, grid, depths)
    }

    /// Height of the ground at (x, y) after all published deformation, m.
    pub fn height(&self, x: f64, y: f64) -> f64 {
        surface_height(&self.model.ground, &self.state.published, x, y)
    }

    /// Depth of ruts at (x, y) below the undisturbed ground, m, along the vertical;
    /// negative where soil is heaped.
    pub fn rut_depth(&self, x: f64, y: f64) -> f64 {
        rut_depth(&self.model.ground, &self.state.published, x, y)
    }
}

pub(super) fn within(
    what: &'static str,
    value: f64,
    most: f64,
    allowed: &'static str,
) -> Result<(), CommandError> {
    if value.abs() <= most { Ok(()) } else { Err(CommandError::Range { what, value, allowed }) }
}
