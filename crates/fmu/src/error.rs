//! Errors of functional mock-up units.

use bekker_scenario::Diagnostics;
use bekker_world::{CheckpointError, CommandError, StateError, ThreadError};

/// Reason why a call of a functional mock-up unit fails.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FmuError {
    /// The scenario in the resources is invalid.
    #[error("resources: {0}")]
    Scenario(#[from] Diagnostics),
    /// Description, library and resources are from different exports.
    #[error(
        "the instantiation token is {given}, but library and resources give {own}; export the FMU \
         again"
    )]
    Token {
        /// Token of the description, given by the importer.
        given: String,
        /// Token computed from library and resources.
        own: String,
    },
    /// A call is not allowed in the current state of the instance.
    #[error("{call} is not allowed {phase}")]
    Phase {
        /// Name of the call.
        call: &'static str,
        /// State of the instance.
        phase: &'static str,
    },
    /// The start time is not finite.
    #[error("startTime = {time}: must be finite")]
    StartTime {
        /// The time, s.
        time: f64,
    },
    /// A step does not begin where the last one ended.
    #[error("currentCommunicationPoint = {given} s: must be {now} s, where the last step ended")]
    CommunicationPoint {
        /// Time given, s.
        given: f64,
        /// Time of the instance, s.
        now: f64,
    },
    /// The length of a step is not a whole number of heartbeats.
    #[error(
        "communicationStepSize = {given} s: must be a multiple of the heartbeat of {heartbeat} s, \
         at most a week"
    )]
    StepSize {
        /// Length given, s.
        given: f64,
        /// Length of a heartbeat, s.
        heartbeat: f64,
    },
    /// No variable of this type has this reference.
    #[error("value reference {reference}: no variable of type {kind} has this reference")]
    NoVariable {
        /// Value reference given.
        reference: u32,
        /// Requested type.
        kind: &'static str,
    },
    /// The number of values differs from the number of variables.
    #[error("{values} values for {references} value references: must be one value per reference")]
    Count {
        /// Number of variables.
        references: usize,
        /// Number of values.
        values: usize,
    },
    /// The variable cannot be set.
    #[error("{name} is not an input and cannot be set")]
    NoInput {
        /// Name of the variable.
        name: String,
    },
    /// The value is not allowed for the input.
    #[error("{name} = {value}: must be {allowed}")]
    Value {
        /// Name of the variable.
        name: String,
        /// Value given.
        value: f64,
        /// Allowed values.
        allowed: &'static str,
    },
    /// The vehicle cannot execute the command.
    #[error("{vehicle}: {source}")]
    Command {
        /// Name of the vehicle.
        vehicle: String,
        /// Reason.
        source: CommandError,
    },
    /// The thread pool could not be created.
    #[error(transparent)]
    Threads(#[from] ThreadError),
    /// The state does not match the model.
    #[error(transparent)]
    State(#[from] StateError),
    /// The bytes are not a state of this unit.
    #[error("serialized state: {cause}")]
    Serialized {
        /// Reason.
        cause: String,
    },
}

impl From<CheckpointError> for FmuError {
    fn from(error: CheckpointError) -> FmuError {
        FmuError::Serialized { cause: error.to_string() }
    }
}

impl From<postcard::Error> for FmuError {
    fn from(error: postcard::Error) -> FmuError {
        FmuError::Serialized { cause: error.to_string() }
    }
}
