//! Sensors of a vehicle: readings of its motion, and images and point clouds of the deformed
//! ground and all objects on it.
//!
//! A [`Sensor`] is an immutable model mounted on a chassis: a kind with its errors ([`Model`]), a
//! [`SensorSchedule`] and [`Filter`]s. Its state is plain data. Each step of the vehicle passes the true
//! motion to the sensor. Where a frame is due, the sensor measures, applies its filters and, after
//! its lag, emits a [`Delivery`].
//!
//! Sensors write nothing back to the simulation. Noise is drawn by key ([`noise`]), so no reading
//! depends on evaluation order, threads or ranks.
//!
//! Equations, parameters and model limits: `docs/sensors.md`.
//!
//! This crate is a layer of the crate `bekker`, whose documentation opens with examples;
//! `ARCHITECTURE.md` lists all layers.

pub mod air;
pub mod bvh;
pub mod camera;
pub mod class;
mod deferred;
pub mod dust;
pub mod encoder;
pub mod filter;
pub mod gps;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod imu;
pub mod lidar;
pub mod magnetometer;
pub mod material;
pub mod mesh;
mod model;
pub mod motion;
mod mounted;
pub mod moving_frames;
pub mod noise;
pub mod packet;
pub mod process;
pub mod ray;
mod reading;
pub mod relief;
mod satellite_fix;
pub mod scene;
mod schedule;
pub mod sky;

pub use deferred::{Deferred, Promise};
pub use filter::Filter;
pub use model::Model;
pub use motion::{FrameMotion, WheelMotion};
pub use mounted::{DueFrame, GroundTruth, Sensor, SensorState, left_camera, right_camera};
pub use reading::{Delivery, Odometry, Reading, WheelGround};
pub use satellite_fix::Fix;
pub use schedule::SensorSchedule;
