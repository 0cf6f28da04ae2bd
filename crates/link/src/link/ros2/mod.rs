//! A run among nodes of ROS 2: it says how its vehicles are, and takes what they are to do.
//!
//! Topics and types are named and coded as ROS 2 does over DDS, frames are by REP-103 and
//! REP-105; the graph of nodes, parameters and services are not there. In lock-step: each
//! heartbeat waits for a command to each vehicle that is driven from outside, stamped at its
//! time or later.

mod bridge;
mod message;
mod node;
mod topics;
mod wanted;

pub use bridge::Bridge;
