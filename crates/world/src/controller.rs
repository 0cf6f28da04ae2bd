//! Agents that are commanded from outside of a run, heartbeat by heartbeat, on any ranks.
//!
//! One controller, on the first rank, speaks for all who drive from outside. What it says at
//! a heartbeat is told to all ranks before they step, so that any number of them gives the
//! bits of one process; and it is taken down, so that a run is repeated without it.

use super::commanding::CommandError;
use super::world::World;
use bekker_agent::{Heard, OutcomeReport, Sample};
use bekker_sensor::Delivery;
use bekker_vehicle::Controls;
use serde::{Deserialize, Serialize};

/// Where a command comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CommandOrigin {
    /// Its driver gave it.
    Driver,
    /// Its driver did not answer in time.
    TimedOut,
    /// Its driver is gone.
    Lost,
}

impl CommandOrigin {
    /// All of them.
    pub const ALL: [CommandOrigin; 3] =
        [CommandOrigin::Driver, CommandOrigin::TimedOut, CommandOrigin::Lost];

    /// As records tell it.
    pub fn name(self) -> &'static str {
        match self {
            CommandOrigin::Driver => "driver",
            CommandOrigin::TimedOut => "timed_out",
            CommandOrigin::Lost => "lost",
        }
    }
}

/// A command that holds from a heartbeat on, until the next one to the same agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Commanded {
    /// The agent.
    pub agent: u32,
    /// What it is told ([`WorldModel::controls`](crate::world_model::WorldModel::controls)).
    pub controls: Controls,
    /// Where that comes from.
    pub origin: CommandOrigin,
    /// What the driver calls itself: for the record alone.
    pub driver: String,
    /// Bytes that the agent says by its radio at the next exchange, once each.
    pub says: Vec<Vec<u8>>,
}

impl Commanded {
    /// Gives it to the agent, if that steps in this world.
    ///
    /// # Errors
    /// [`CommandError`] when the agent cannot do it, or has no radio to say anything by.
    pub fn apply(&self, world: &mut World) -> Result<(), CommandError> {
        let agent = self.agent as usize;
        world.command(agent, Some(self.controls.into()))?;
        if !world.is_own(agent) {
            return Ok(());
        }
        self.says.iter().try_for_each(|bytes| world.say(agent, bytes))
    }
}

/// What a controller asks to be shown beside all agents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// Sensors whose deliveries of the last heartbeat it wants (agent, sensor), in ascending order.
    pub sensors: Vec<(u32, u32)>,
    /// Agents whose radios it listens to, in ascending order.
    pub radios: Vec<u32>,
    /// Whether the world that it is shown is to be complete: all states and ground of all ranks
    /// come to the first.
    pub world: bool,
}

/// What a controller wants before a heartbeat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Call {
    /// To be asked again: somebody is awaited. All ranks are told, so that none gives up.
    Wait,
    /// To be shown all agents, with what their sensors delivered and their radios heard in the
    /// last heartbeat; then to be asked again.
    Show(Asked),
    /// The heartbeat, with these commands.
    Go(Vec<Commanded>),
    /// The end of the run before the heartbeat.
    Stop,
    /// The same, as a failure with this cause.
    Fail(String),
}

/// What a controller is shown before a heartbeat.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// This rank's world: complete if that was asked for.
    pub world: &'a World,
    /// All agents.
    pub samples: &'a [Sample],
    /// What sensors delivered in the last heartbeat, each with its agent, in the order of
    /// time.
    pub delivered: &'a [(u32, Delivery)],
    /// What radios heard in the last heartbeat, each message with the agent that heard it, in the
    /// order of agents, then of arrival.
    pub heard: &'a [(u32, Heard)],
    /// How the drives that are over ended, or that they have arrived, each with its agent, in the
    /// order of agents.
    pub outcomes: &'a [(u32, OutcomeReport)],
}

/// Who speaks, on the first rank, for all who drive from outside.
pub trait Controller {
    /// What it wants before the heartbeat that the world is about to begin. It may wait for
    /// others, a second at most: then it is to say [`Call::Wait`].
    fn call(&mut self, world: &World) -> Call;

    /// Shows it what it asked for.
    fn show(&mut self, shown: &Shown<'_>);
}
