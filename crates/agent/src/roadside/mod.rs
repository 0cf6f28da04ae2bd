//! Roadside objects: traffic lights, barriers, pedestrians.
//!
//! All follow a plan: position and signal are functions of time. They therefore have no state and
//! are the same on every rank.

mod arrival;
mod boom;
mod light;
mod pedestrian;

pub(super) use arrival::{Arrival, HeardLight};
pub use boom::Boom;
pub use boom::{HINGE as ARM_HEIGHT, UP};
pub use light::{Approach, Light, Phase, Timing, TrafficLight};
pub(super) use pedestrian::{HEIGHT, RADIUS};
pub use pedestrian::{Pedestrian, RoadUser};
