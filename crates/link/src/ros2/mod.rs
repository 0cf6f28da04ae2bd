//! A run among nodes of ROS 2: it says how its vehicles are, and takes what they are to do.
//!
//! Topics, services and types are named and coded as ROS 2 does over DDS, frames are by REP-103 and
//! REP-105; the graph of nodes and parameters are not there. In lock-step: each
//! heartbeat waits for a command to each vehicle that is driven from outside, stamped at its
//! time or later.

mod bridge;
mod grid_map;
mod message;
mod node;
mod service;
mod services;
mod simulation_interfaces;
mod topics;
mod wanted;

pub use bridge::{Bridge, Domain};
pub use topics::indistinct;
