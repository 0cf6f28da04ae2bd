//! Vehicles on shared ground, heartbeat by heartbeat, in one process or on many ranks.
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

pub mod simulation;
pub mod sync;

use bekker_autonomy::autonomy;
use bekker_ground::{grid, ground, numeric, random, scm, soil, spatial, terrain};
#[cfg(feature = "gpu")]
use bekker_sensor::gpu;
use bekker_sensor::sensor;
use bekker_vehicle::{collision, multibody, vehicle};
