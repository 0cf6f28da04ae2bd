//! Scenarios of bekker: TOML or typed values in, a world out, or faults with file, line and key.
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

pub mod scenario;

use bekker_autonomy::autonomy;
use bekker_ground::{curve, geodesy, grid, ground, numeric, random, soil, spatial, terrain};
use bekker_sensor::sensor;
use bekker_vehicle::{collision, vehicle};
