//! Control of a world by a program: commands that replace a driver's, restored states, and queries
//! of the ground.

use super::state_validation::{self, StateError};
use super::world::World;
use super::world_model::{WorldModel, WorldState};
use bekker_agent::{ContactWorkspace, Event, GroundVehicle, Sample};
use bekker_ground::scm::Contact;
use bekker_ground::{
    SampleGrid, SampleGridError, rut_depth, rut_depths, surface_height, surface_heights,
};
use bekker_vehicle::{Controls, Lock, Locks, Selector};

/// Steering command.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SteeringCommand {
    /// Fraction of full lock, -1 (full right) to 1 (full left).
    Share(f64),
    /// Mean angle of the steered wheels, rad, positive to the left.
    Angle(f64),
    /// Yaw rate of a skid-steered vehicle, rad/s, positive to the left.
    YawRate(f64),
}

/// Commands to a vehicle, in force until the next ones.
///
/// All external controllers send this type: Python, the link, ROS 2, functional mock-up units,
/// learning and drivers written in Rust. [`WorldModel::controls`] checks it against the vehicle and
/// clamps it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Command {
    /// Throttle, 0 to 1.
    pub throttle: f64,
    /// Service brake, 0 to 1.
    pub brake: f64,
    /// Steering.
    pub steering: SteeringCommand,
    /// Selector of the gearbox.
    pub gear: Selector,
    /// Pressure that central tire inflation works towards, Pa; unchanged if `None`.
    pub inflation: Option<f64>,
    /// Differentials to lock.
    pub locks: Locks,
    /// Whether to uncouple the trailer. No later command reverses this.
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
        let steering = SteeringCommand::Share(steering);
        Command { throttle, brake, steering, gear, inflation, locks, uncouple }
    }
}

/// Reason why an agent cannot be commanded or moved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// There is no such agent.
    #[error("agent {agent} does not exist; there are {agents} agents, counted from 0")]
    NoAgent {
        /// Index of the agent.
        agent: usize,
        /// Number of agents.
        agents: usize,
    },
    /// The agent steps on another rank.
    #[error(
        "agent {agent} is simulated on another rank: call Ranks::respawn on all ranks to place it"
    )]
    Elsewhere {
        /// Index of the agent.
        agent: usize,
    },
    /// A value is out of range.
    #[error("{what} = {value}: must be {allowed}")]
    Range {
        /// Name of the value.
        what: &'static str,
        /// The value.
        value: f64,
        /// Allowed values.
        allowed: &'static str,
    },
    /// A steering angle for a vehicle that is not steered by the angle of its wheels.
    #[error("{vehicle} cannot be steered by wheel angle; give a fraction of full lock")]
    NoAngle {
        /// Name of the vehicle.
        vehicle: String,
    },
    /// A yaw rate for a vehicle whose steering does not command one.
    #[error("{vehicle} cannot be steered by a yaw rate: its file has no steering.skid")]
    NoYawRate {
        /// Name of the vehicle.
        vehicle: String,
    },
    /// A steering command other than 0 for a vehicle without a steered axle.
    #[error("steering = {value}: must be 0, because no axle of {vehicle} is steered")]
    NoSteering {
        /// Name of the vehicle.
        vehicle: String,
        /// The command, a fraction of full lock.
        value: f64,
    },
    /// An inflation for a vehicle without central tire inflation.
    #[error(
        "{vehicle} has no central tire inflation: set tire.flexible.central_inflation in its file \
         or in the scenario's overrides"
    )]
    NoInflation {
        /// Name of the vehicle.
        vehicle: String,
    },
    /// A lock that the vehicle does not have.
    #[error("{vehicle} has no lock '{lock}' that a driver can engage; it has {known:?}")]
    NoLock {
        /// Name of the vehicle.
        vehicle: String,
        /// Name of the lock.
        lock: &'static str,
        /// Locks of the vehicle.
        known: Vec<&'static str>,
    },
    /// An uncoupling command for a vehicle without a trailer.
    #[error("{vehicle} has no trailer to uncouple")]
    NoTrailer {
        /// Name of the vehicle.
        vehicle: String,
    },
    /// A message for an agent without radio, or on another rank.
    #[error("agent {agent} has no radio on this rank")]
    NoRadio {
        /// Index of the agent.
        agent: usize,
    },
    /// The number of positions differs from the number of agents.
    #[error("{places} positions for {agents} agents: give one position per agent")]
    Count {
        /// Number of positions.
        places: usize,
        /// Number of agents.
        agents: usize,
    },
    /// A position outside the terrain.
    #[error(
        "position {position:?} is outside the terrain; its bounds are {bounds:?} (west, south, \
         east, north, m)"
    )]
    OffTerrain {
        /// The position, m.
        position: [f64; 2],
        /// Bounds of the terrain, m.
        bounds: [f64; 4],
    },
    /// A position without elevation data.
    #[error(
        "position {position:?} is on ground without elevation data (terrain.surface.no_data = \
         \"keep\")"
    )]
    UnmappedGround {
        /// The position, m.
        position: [f64; 2],
    },
    /// A position that is occupied.
    #[error(
        "position {position:?}, heading {heading}: {vehicle} would overlap {what}; give a free \
         position"
    )]
    Occupied {
        /// The position, m.
        position: [f64; 2],
        /// Heading, rad.
        heading: f64,
        /// Name of the vehicle to be placed.
        vehicle: String,
        /// Description of what occupies it.
        what: String,
    },
}

impl WorldModel {
    /// Converts a command to controls of an agent: within their ranges, with the steering as a
    /// fraction.
    ///
    /// Values out of range are clamped.
    ///
    /// # Errors
    /// [`CommandError`] in these cases:
    ///
    /// - There is no such agent, or a value is not a number.
    /// - The vehicle cannot be steered by an angle or a yaw rate, or cannot be steered at all.
    /// - The vehicle has no central tire inflation, no such lock, or no trailer to uncouple.
    pub fn controls(&self, agent: usize, command: &Command) -> Result<Controls, CommandError> {
        let agents = self.agents.len();
        let own = self.agents.get(agent).ok_or(CommandError::NoAgent { agent, agents })?;
        let vehicle = &own.vehicle;
        let Command { throttle, brake, steering, gear, inflation, locks, uncouple } = *command;
        let allowed = "a finite number";
        check_range("throttle", throttle, f64::MAX, allowed)?;
        check_range("brake", brake, f64::MAX, allowed)?;
        let (SteeringCommand::Share(given)
        | SteeringCommand::Angle(given)
        | SteeringCommand::YawRate(given)) = steering;
        check_range("steering", given, f64::MAX, allowed)?;
        let steering = match steering {
            SteeringCommand::Share(value) if value != 0.0 && !vehicle.properties().can_steer => {
                return Err(CommandError::NoSteering { vehicle: vehicle.name().into(), value });
            }
            SteeringCommand::Share(share) => share,
            SteeringCommand::Angle(angle) => {
                let no_angle = || CommandError::NoAngle { vehicle: vehicle.name().into() };
                angle / vehicle.properties().max_steering_angle.ok_or_else(no_angle)?
            }
            SteeringCommand::YawRate(rate) => {
                let no_rate = || CommandError::NoYawRate { vehicle: vehicle.name().into() };
                rate / vehicle.properties().max_yaw_rate.ok_or_else(no_rate)?
            }
        };
        if let Some(inflation) = inflation {
            check_range("inflation", inflation, f64::MAX, allowed)?;
            if !vehicle.properties().has_central_inflation {
                return Err(CommandError::NoInflation { vehicle: vehicle.name().into() });
            }
        }
        let known = vehicle.properties().locks;
        if let Some(lock) = locks.iter().find(|lock| !known.contains(*lock)) {
            return Err(CommandError::NoLock {
                vehicle: vehicle.name().into(),
                lock: lock.name(),
                known: known.iter().map(Lock::name).collect(),
            });
        }
        if uncouple && !vehicle.has_trailer() {
            return Err(CommandError::NoTrailer { vehicle: vehicle.name().into() });
        }
        Ok(Controls { throttle, steering, brake, gear, inflation, locks, uncouple }.clamped())
    }
}

impl World {
    /// Sets the world to a state of its model, earlier or later, without building the model again.
    ///
    /// The continuation is bit-identical to the earlier one from that state.
    ///
    /// # Errors
    /// [`StateError`] when the state does not fit the model; the world is then unchanged.
    pub fn restore(&mut self, state: &WorldState) -> Result<(), StateError> {
        state_validation::check(&self.model, state)?;
        self.state.clone_from(state);
        self.derive();
        Ok(())
    }

    /// Sets the command of an agent until the next call; `None` returns control to its own driver.
    ///
    /// Values out of range are clamped, and an angle beyond full lock is full lock. Commands are
    /// part of the state. For an agent of another rank this does nothing: each rank commands its
    /// own agents.
    ///
    /// # Errors
    /// [`CommandError`] as [`WorldModel::controls`].
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

    /// Returns the contacts of an agent with the ground in the last step.
    ///
    /// There is one for each wheel, axle by axle from the front and left before right, or one for
    /// each shoe in contact. Empty before the first step and if the agent steps on another rank.
    pub fn contacts(&self, agent: usize) -> &[Contact] {
        let workspace = self.workspaces.get(agent).and_then(Option::as_ref);
        workspace.map_or(&[], |workspace| workspace.vehicle.contacts())
    }

    /// Returns the contacts of an agent in the last step, as many in every state.
    ///
    /// There is one for each wheel, as in [`World::contacts`], or one for each shoe of the left and
    /// then of the right track: first those in contact, then those off the ground, without force.
    /// Contacts are zero before the first step. Empty if the agent steps on another rank.
    pub fn padded_contacts(&self, agent: usize) -> Vec<Contact> {
        let workspace = self.workspaces.get(agent).and_then(Option::as_ref);
        workspace.map_or_else(Vec::new, |workspace| workspace.vehicle.padded_contacts())
    }

    /// Returns the events of an agent in the last heartbeat, in a fixed order.
    ///
    /// Empty if the agent steps on another rank.
    pub fn events(&self, agent: usize) -> &[Event] {
        let workspace = self.workspaces.get(agent).and_then(Option::as_ref);
        workspace.map_or(&[], |workspace| &workspace.events)
    }

    /// Returns a sample of one agent at the present time, or `None` if there is no such agent.
    pub fn sample(&self, agent: usize) -> Option<Sample> {
        let mut sample = Sample::default();
        self.sample_into(agent, &mut sample).then_some(sample)
    }

    /// Writes a sample of one agent into `sample`. Returns whether there is such an agent.
    ///
    /// It allocates nothing once `sample` has enough capacity.
    pub fn sample_into(&self, agent: usize, sample: &mut Sample) -> bool {
        let Some(model) = self.model.agents.get(agent) else { return false };
        let gathered = self.gathered.get(agent).and_then(Option::as_ref);
        if let (Some(own), false) =
            (gathered.filter(|own| own.time == self.time()), self.is_own(agent))
        {
            sample.clone_from(own);
            return true;
        }
        let (state, workspace) = self.state_and_workspace(agent);
        model.sample_into(agent, self.time(), &state, &workspace, sample);
        true
    }

    /// Writes [`World::height`] at every point of a grid into `heights`, row by row along x.
    ///
    /// # Errors
    /// [`SampleGridError`] when the length of `heights` differs from the number of points.
    pub fn heights(&self, grid: &SampleGrid, heights: &mut [f64]) -> Result<(), SampleGridError> {
        surface_heights(&self.model.ground, &self.state.published, grid, heights)
    }

    /// Writes [`World::rut_depth`] at every point of a grid into `depths`, row by row along x.
    ///
    /// # Errors
    /// [`SampleGridError`] when the length of `depths` differs from the number of points.
    pub fn rut_depths(&self, grid: &SampleGrid, depths: &mut [f64]) -> Result<(), SampleGridError> {
        rut_depths(&self.model.ground, &self.state.published, grid, depths)
    }

    /// Returns the height of the ground at (x, y) with all published deformation, m.
    pub fn height(&self, x: f64, y: f64) -> f64 {
        surface_height(&self.model.ground, &self.state.published, x, y)
    }

    /// Returns the vertical depth of ruts at (x, y) below the undisturbed ground, m; negative on
    /// berms.
    pub fn rut_depth(&self, x: f64, y: f64) -> f64 {
        rut_depth(&self.model.ground, &self.state.published, x, y)
    }
}

pub(super) fn check_range(
    what: &'static str,
    value: f64,
    most: f64,
    allowed: &'static str,
) -> Result<(), CommandError> {
    if value.abs() <= most { Ok(()) } else { Err(CommandError::Range { what, value, allowed }) }
}
