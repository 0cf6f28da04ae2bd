//! Environments of bekker for reinforcement learning: tasks, observations, rewards, batches.
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

pub mod learning;

use bekker_ground::{ground, numeric, random, soil, spatial, terrain};
use bekker_scenario::scenario;
use bekker_sensor::sensor;
use bekker_vehicle::vehicle;
