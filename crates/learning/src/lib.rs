//! Environments for reinforcement learning.
//!
//! A [`LearningTask`] defines what is randomized, what is rewarded and when an episode ends. A [`Level`] is
//! a ground with its soils, with the vehicle in static equilibrium; it is a function of the task,
//! the [`Options`] and a level number alone. An [`Env`] runs episodes on levels. A [`EnvBatch`] steps
//! many of them in parallel. An [`Episode`] records one drive from reset to end, for datasets.
//!
//! An environment is a function of task, options, seed and actions alone. It does not depend on the
//! number of threads or on other environments in the batch.
//!
//! This is a layer of the crate `bekker`, whose documentation starts with examples;
//! `ARCHITECTURE.md` maps all layers.

mod agent;
mod batch;
mod coarse_heights;
mod custom_level;
mod env;
mod episode;
mod episode_memory;
mod error;
mod labels;
mod level;
mod level_rng;
mod level_spec;
mod levels;
mod observation;
mod observation_field;
mod observed_camera;
mod options;
mod perception;
mod policy;
mod privileged;
mod snapshot;
mod task;

pub use agent::Agent;
pub use batch::{Autoreset, EnvBatch, Rollouts, Transitions};
pub use coarse_heights::{CoarseHeights, MAP_CELL, MAP_SIDE};
pub use custom_level::CustomLevel;
pub use env::{Env, EnvStep};
pub use episode::Episode;
pub use episode_memory::{Action, EpisodeMemory};
pub use error::LearningError;
pub use labels::LABELS;
pub use level::Level;
pub use level_spec::{LevelObstacle, LevelSpec, SoilPatch};
pub use levels::Levels;
pub use observation_field::ObservationField;
pub use observed_camera::{CameraMount, CameraOption, ObservedChannel};
pub use options::{Fidelity, Options};
pub use perception::{LevelPerception, LocalGround};
pub use policy::{EpisodeDriver, Policy};
pub use privileged::PRIVILEGED;
pub use task::{
    CUSTOM_TASKS, Custom, EpisodeEnding, GOAL_RADIUS, LearningTask, TASKS, TaskContext, task,
};
