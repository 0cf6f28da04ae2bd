//! Why an environment cannot be made or go on.

use bekker_scenario::Faults;
use bekker_world::StateError;

/// Why an environment cannot be made or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearningError {
    /// No task has this name.
    #[error("no task is called {name:?}; there are: {known}")]
    NoTask {
        /// The name.
        name: String,
        /// Those there are.
        known: String,
    },
    /// An option out of its range.
    #[error("{option} = {value}: must be {allowed}")]
    Option {
        /// Which.
        option: &'static str,
        /// Its value.
        value: String,
        /// What it may be.
        allowed: String,
    },
    /// A level whose scenario cannot be built.
    #[error("level {level}: {faults}")]
    Level {
        /// Which.
        level: u64,
        /// What is wrong with it.
        faults: Faults,
    },
    /// Numbers of another count.
    #[error("{found} numbers of {what}: must be {expected}")]
    Count {
        /// Of what.
        what: &'static str,
        /// Numbers given.
        found: usize,
        /// Numbers wanted.
        expected: usize,
    },
    /// An action that is no number.
    #[error("action {index} of environment {env} is {value}: must be a finite number")]
    Action {
        /// Which environment.
        env: usize,
        /// Which of its numbers.
        index: usize,
        /// What was given.
        value: f32,
    },
    /// An environment that has not been reset.
    #[error("environment {env} must be reset before it is stepped")]
    NotReset {
        /// Which.
        env: usize,
    },
    /// Bytes that are no snapshot of this environment.
    #[error("not a snapshot of this environment: {what}")]
    Snapshot {
        /// What is wrong.
        what: String,
    },
    /// A state that the model cannot be in.
    #[error(transparent)]
    State(#[from] StateError),
}
