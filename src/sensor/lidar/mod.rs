//! Lidars: from beams to returns.

mod cloud;
mod spec;

pub use cloud::{Cloud, Return};
pub use spec::{LidarNoise, LidarSpec, ReturnMode};
