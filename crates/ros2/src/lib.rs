//! ROS 2 interface of a run: state of vehicles and sensors out, commands and simulation control in.
//!
//! Topics, services and types are named and encoded as ROS 2 does over DDS; frames follow REP-103
//! and REP-105. There is no graph of nodes and there are no parameters. A run is in lock-step: each
//! heartbeat waits for a command to each vehicle with an external controller, stamped at its time
//! or later.
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

mod bridge;
mod error;
mod grid_map;
mod message;
mod node;
mod service;
mod services;
mod simulation_interfaces;
mod topics;
mod wanted;

pub use bridge::Bridge;
pub use error::Ros2Error;
pub use topics::indistinct;
