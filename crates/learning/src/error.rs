//! Errors of environments.

use bekker_scenario::Diagnostics;
use bekker_world::StateError;

/// Reason why an environment cannot be created or continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearningError {
    /// No task has this name.
    #[error("unknown task {name:?}; must be one of {known}")]
    NoTask {
        /// Requested name.
        name: String,
        /// Names of all tasks.
        known: String,
    },
    /// An option is out of range.
    #[error("{option} = {value}: must be {allowed}")]
    Option {
        /// Name of the option.
        option: &'static str,
        /// Value of the option.
        value: String,
        /// Allowed values.
        allowed: String,
    },
    /// The scenario of a level cannot be built.
    #[error("level {level}: {diagnostics}")]
    Level {
        /// Number of the level.
        level: u64,
        /// Faults of the scenario.
        diagnostics: Diagnostics,
    },
    /// A buffer or argument has a wrong length.
    #[error("{what}: {found} values given, {expected} expected")]
    Count {
        /// Name of the argument.
        what: &'static str,
        /// Length given.
        found: usize,
        /// Length expected.
        expected: usize,
    },
    /// An action is not finite.
    #[error("action {index} of environment {env} is {value}: must be a finite number")]
    Action {
        /// Index of the environment.
        env: usize,
        /// Index within its action.
        index: usize,
        /// Value given.
        value: f32,
    },
    /// An environment has not been reset.
    #[error("environment {env} must be reset before it is stepped")]
    NotReset {
        /// Index of the environment.
        env: usize,
    },
    /// The bytes are not a snapshot of this environment.
    #[error("not a snapshot of this environment: {what}")]
    Snapshot {
        /// Description of the fault.
        what: String,
    },
    /// The state is not valid for the model.
    #[error(transparent)]
    State(#[from] StateError),
}
