//! Studies of bekker: rigs, classic theory, identification, validation, routes.
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

pub mod study;

#[cfg(test)]
use bekker_ground::curve;
use bekker_ground::{grid, ground, numeric, random, scm, soil, spatial, terrain};
use bekker_scenario::scenario;
#[cfg(feature = "gpu")]
use bekker_sensor::gpu;
use bekker_sensor::sensor;
use bekker_vehicle::{multibody, vehicle};
