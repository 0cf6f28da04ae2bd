//! Lidars: from beams to returns.

mod cloud;
mod echo;
mod scan;
mod spec;

pub use cloud::{Cloud, Return};
pub use scan::{LidarHit, Rays, ScanPart};
pub use spec::{LidarNoise, LidarSpec, RayModel, ReturnMode};
