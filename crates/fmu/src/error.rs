//! Why a functional mock-up unit does not do what it is asked for.

use bekker_scenario::Faults;
use bekker_world::{CheckpointError, CommandError, StateError, ThreadError};

/// Why a functional mock-up unit does not do what it is asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FmuError {
    /// Something in the scenario of its resources is wrong.
    #[error("resources: {0}")]
    Scenario(#[from] Faults),
    /// Description, library and resources are not of one export.
    #[error(
        "the instantiation token is {given}, but library and resources make {own}: export the FMU again"
    )]
    Token {
        /// What the importer gives, from the description.
        given: String,
        /// What library and resources come to.
        own: String,
    },
    /// A call in a state of the instance that does not allow it.
    #[error("{call} is not allowed {phase}")]
    Phase {
        /// What was called.
        call: &'static str,
        /// Where the instance stands.
        phase: &'static str,
    },
    /// A start time that is none.
    #[error("startTime = {time}: must be finite")]
    StartTime {
        /// The time, s.
        time: f64,
    },
    /// A step that begins elsewhere than the last one ended.
    #[error("currentCommunicationPoint = {given} s: must be {now} s, where the last step ended")]
    CommunicationPoint {
        /// What was given, s.
        given: f64,
        /// Where the instance is, s.
        now: f64,
    },
    /// A step that is no whole number of heartbeats.
    #[error(
        "communicationStepSize = {given} s: must be a whole number of heartbeats of {heartbeat} s, \
         a week at most"
    )]
    StepSize {
        /// What was given, s.
        given: f64,
        /// The heartbeat, s.
        heartbeat: f64,
    },
    /// No variable of this type has this reference.
    #[error("value reference {reference}: no variable of type {kind} has it")]
    NoVariable {
        /// The reference.
        reference: u32,
        /// The type that was asked for.
        kind: &'static str,
    },
    /// More or fewer values than variables.
    #[error("{values} values for {references} value references: every variable has one")]
    Count {
        /// How many variables.
        references: usize,
        /// How many values.
        values: usize,
    },
    /// A variable that nothing can be set to.
    #[error("{name} is no input: it cannot be set")]
    NoInput {
        /// Name of the variable.
        name: String,
    },
    /// A value that an input cannot have.
    #[error("{name} = {value}: must be {allowed}")]
    Value {
        /// Name of the variable.
        name: String,
        /// Its value.
        value: f64,
        /// What it may be.
        allowed: &'static str,
    },
    /// A command that a vehicle cannot obey.
    #[error("{vehicle}: {source}")]
    Command {
        /// Name of the vehicle.
        vehicle: String,
        /// Why not.
        source: CommandError,
    },
    /// No thread can work on it.
    #[error(transparent)]
    Threads(#[from] ThreadError),
    /// A state of something else.
    #[error(transparent)]
    State(#[from] StateError),
    /// Bytes that are no state of this unit.
    #[error("the serialised state: {cause}")]
    Serialised {
        /// Why not.
        cause: String,
    },
}

impl From<CheckpointError> for FmuError {
    fn from(error: CheckpointError) -> FmuError {
        FmuError::Serialised { cause: error.to_string() }
    }
}

impl From<postcard::Error> for FmuError {
    fn from(error: postcard::Error) -> FmuError {
        FmuError::Serialised { cause: error.to_string() }
    }
}
