//! Environments for reinforcement learning.
//!
//! A [`Task`] says what is randomised, what is rewarded and when an episode ends. A [`Level`] is
//! one ground with its soils, built and with its vehicle settled, by the task's name, the
//! [`Options`] and a number alone. An [`Env`] drives episodes on levels; many are stepped beside
//! one another by a [`Batch`]. What an environment does is a function of task, options, seed and
//! actions: not of threads, of how many there are, or of their neighbours.

mod batch;
mod env;
mod error;
mod level;
mod observation;
mod options;
mod privileged;
mod snapshot;
mod task;

pub use batch::{Autoreset, Batch, Futures, Transitions};
pub use env::{Action, Env, Memory, Step};
pub use error::LearningError;
pub use level::{Course, Level, Levels, Patch};
pub use observation::{Field, MAP_CELL, MAP_SIDE, Relief, layout};
pub use options::Options;
pub use privileged::PRIVILEGED;
pub use task::{Ending, Seen, TASKS, Task, task};
