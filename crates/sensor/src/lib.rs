//! The sensors of bekker: IMU, GPS, cameras and lidars, on the processor and on a graphics card.
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

#[cfg(feature = "gpu")]
pub mod gpu;
pub mod sensor;

#[cfg(test)]
use bekker_ground::random;
#[cfg(any(test, feature = "gpu"))]
use bekker_ground::terrain;
use bekker_ground::{geodesy, grid, ground, numeric, soil, spatial};
