//! What drives a vehicle of bekker by itself: localisation, maps of what stands and gapes,
//! planning, tracking.
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

pub mod autonomy;

#[cfg(test)]
use bekker_ground::random;
use bekker_ground::{geodesy, numeric, spatial, terrain};
use bekker_sensor::sensor;
use bekker_vehicle::vehicle;
