//! ROS 2 interface of a run.
//!
//! It publishes the state of vehicles and sensors, and receives commands and simulation control.
//! Topics, services and types are named and encoded as ROS 2 does over DDS. Frames follow REP-103
//! and REP-105. There is no node graph and there are no parameters.
//!
//! A run is in lock-step. Each heartbeat waits until every vehicle with an external controller has
//! a command stamped at the heartbeat's time or later.
//!
//! This crate is a layer of the crate `bekker`, whose page starts with examples. `ARCHITECTURE.md`
//! describes all layers.

mod bridge;
mod drive_command;
mod error;
mod grid_map;
mod message;
mod node;
mod service;
mod services;
mod simulation_interfaces;
mod topics;
mod twist_steering;

pub use bridge::Bridge;
pub use error::Ros2Error;
pub use topics::duplicate_names;
