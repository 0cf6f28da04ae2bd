//! What a vehicle measures and sees: readings of its own motion, and pictures
//! and point clouds of the deformed ground and all that stands on it.
//!
//! Sensors read the published ground and the poses of agents at a heartbeat and
//! write nothing back. Noise is drawn by key ([`noise`]), so no reading depends on
//! order, threads or ranks.

pub mod air;
pub mod bvh;
pub mod camera;
pub mod class;
pub mod lidar;
pub mod material;
pub mod mesh;
pub mod noise;
pub mod ray;
pub mod relief;
pub mod scene;
pub mod sky;
