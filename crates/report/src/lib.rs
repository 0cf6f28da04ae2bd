//! What bekker leaves behind: Parquet, CSV, GeoTIFF, MCAP, pictures, tables, manifests.
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

pub mod report;

#[cfg(test)]
use bekker_ground::random;
use bekker_ground::{geodesy, grid, ground, soil, spatial, terrain};
use bekker_scenario::scenario;
use bekker_sensor::sensor;
use bekker_vehicle::vehicle;
