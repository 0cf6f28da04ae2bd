//! Agents commanded by an external controller, heartbeat by heartbeat, on any number of ranks.
//!
//! One controller on rank 0 represents all external drivers. Its commands are sent to all ranks
//! before they step, so any number of ranks gives the bits of one process. They are also recorded,
//! so a run can be repeated without the controller.

use super::command::CommandError;
use super::world::World;
use bekker_agent::{OutcomeReport, ReceivedMessage, Sample};
use bekker_sensor::Delivery;
use bekker_vehicle::Controls;
use serde::{Deserialize, Serialize};

/// Origin of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CommandOrigin {
    /// The driver sent it.
    Driver,
    /// The driver did not answer in time.
    TimedOut,
    /// The driver has disconnected.
    Lost,
}

impl CommandOrigin {
    /// All origins.
    pub const ALL: [CommandOrigin; 3] =
        [CommandOrigin::Driver, CommandOrigin::TimedOut, CommandOrigin::Lost];

    /// Returns the name used in records.
    pub fn name(self) -> &'static str {
        match self {
            CommandOrigin::Driver => "driver",
            CommandOrigin::TimedOut => "timed_out",
            CommandOrigin::Lost => "lost",
        }
    }
}

/// A command that applies from a heartbeat until the next one to the same agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommandRecord {
    /// Index of the agent.
    pub agent: u32,
    /// Its controls ([`WorldModel::controls`](crate::world_model::WorldModel::controls)).
    pub controls: Controls,
    /// Origin of the controls.
    pub origin: CommandOrigin,
    /// Name that the driver gave itself, only for the record.
    pub driver: String,
    /// Messages, in bytes, that the agent sends once by its radio at the next exchange.
    pub says: Vec<Vec<u8>>,
}

impl CommandRecord {
    /// Applies the command to the agent, if the agent steps in this world.
    ///
    /// # Errors
    /// [`CommandError`] when the command does not fit the agent, or when the agent has no radio for
    /// its messages.
    pub fn apply(&self, world: &mut World) -> Result<(), CommandError> {
        let agent = self.agent as usize;
        world.command(agent, Some(self.controls.into()))?;
        if !world.is_own(agent) {
            return Ok(());
        }
        self.says.iter().try_for_each(|bytes| world.queue_radio_message(agent, bytes))
    }
}

/// Data that a controller requests besides the samples of all agents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewRequest {
    /// Sensors (agent, sensor) whose deliveries of the last heartbeat are requested, in ascending
    /// order.
    pub sensors: Vec<(u32, u32)>,
    /// Agents whose received radio messages are requested, in ascending order.
    pub radios: Vec<u32>,
    /// Whether the world must be complete: rank 0 then receives the states and ground of all ranks.
    pub world: bool,
}

/// Request of a controller before a heartbeat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ControllerRequest {
    /// Call again: the controller waits for a driver. All ranks receive this, so none times out.
    Wait,
    /// Show all agents, and the requested deliveries and radio messages of the last heartbeat; then
    /// call again.
    Show(ViewRequest),
    /// Start the heartbeat with these commands.
    Go(Vec<CommandRecord>),
    /// End the run before the heartbeat.
    Stop,
    /// Fail before the heartbeat, with this cause.
    Fail(String),
}

/// Data shown to a controller before a heartbeat.
#[derive(Clone, Copy, Debug)]
pub struct ControllerView<'a> {
    /// This rank's world; complete if requested.
    pub world: &'a World,
    /// Samples of all agents.
    pub samples: &'a [Sample],
    /// Requested deliveries of the last heartbeat, each with its agent, in the order of time.
    pub delivered: &'a [(u32, Delivery)],
    /// Requested radio messages of the last heartbeat, each with its receiver, by agent, then by
    /// arrival.
    pub radio_messages: &'a [(u32, ReceivedMessage)],
    /// Outcomes of agents whose drives have ended or that have arrived, in the order of agents.
    pub outcomes: &'a [(u32, OutcomeReport)],
}

/// External controller on rank 0, for all external drivers.
pub trait Controller {
    /// Returns the request before the next heartbeat.
    ///
    /// It may block for at most one second; then it must return [`ControllerRequest::Wait`].
    fn call(&mut self, world: &World) -> ControllerRequest;

    /// Receives the requested data.
    fn show(&mut self, shown: &ControllerView<'_>);
}
