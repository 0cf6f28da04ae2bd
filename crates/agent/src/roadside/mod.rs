//! Roadside objects: traffic lights, barriers, pedestrians.
//!
//! All follow a plan: position and signal are functions of time. They therefore have no state and
//! are the same on every rank.

mod approaching_vehicle;
mod barrier_arm;
mod light;
mod pedestrian;

pub(super) use approaching_vehicle::{ApproachingVehicle, ReceivedLight};
pub use barrier_arm::BarrierArm;
pub use barrier_arm::{ARM_HEIGHT, OPEN_ARM_ANGLE};
pub use light::{Approach, SignalColor, SignalPhase, Timing, TrafficLight};
pub(super) use pedestrian::{HEIGHT, RADIUS};
pub use pedestrian::{Pedestrian, RoadUser};
