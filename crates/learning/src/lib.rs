//! Environments for reinforcement learning.
//!
//! A [`Task`] says what is randomised, what is rewarded and when an episode ends. A [`Level`] is
//! one ground with its soils, built and with its vehicle settled, by the task's name, the
//! [`Options`] and a number alone. An [`Env`] drives episodes on levels; many are stepped beside
//! one another by a [`Batch`]. What an environment does is a function of task, options, seed and
//! actions: not of threads, of how many there are, or of their neighbours. An [`Episode`] is what one
//! did from its reset to its end, for datasets.
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

mod agent;
mod batch;
mod env;
mod episode;
mod episode_memory;
mod error;
mod labels;
mod level;
mod level_draw;
mod level_spec;
mod levels;
mod observation;
mod observation_field;
mod options;
mod perception;
mod policy;
mod privileged;
mod relief;
mod snapshot;
mod task;

pub use agent::Agent;
pub use batch::{Autoreset, Batch, Futures, Transitions};
pub use env::{Env, Step};
pub use episode::Episode;
pub use episode_memory::{Action, Memory};
pub use error::LearningError;
pub use labels::LABELS;
pub use level::Level;
pub use level_spec::{LevelSpec, Patch, Standing};
pub use levels::Levels;
pub use observation::layout;
pub use observation_field::Field;
pub use options::Options;
pub use perception::{Perception, Surroundings};
pub use policy::{Driver, Policy};
pub use privileged::PRIVILEGED;
pub use relief::{MAP_CELL, MAP_SIDE, Relief};
pub use task::{Ending, Seen, TASKS, Task, task};
