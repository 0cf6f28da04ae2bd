//! Runs of bekker in a browser: the ground with its ruts in relief, vehicles with turning wheels
//! and running tracks, plots; live, recorded, or as one file that plays offline.
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

pub mod view;

use bekker_ground::{grid, ground, spatial};
use bekker_sensor::sensor;
