//! The link of bekker: controllers and observers from outside, over sockets.
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

pub mod link;

#[cfg(feature = "ros2")]
use bekker_ground::numeric;
use bekker_ground::spatial;
use bekker_sensor::sensor;
use bekker_vehicle::vehicle;
