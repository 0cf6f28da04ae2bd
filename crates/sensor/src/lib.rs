//! What a vehicle measures and sees: readings of its own motion, and pictures
//! and point clouds of the deformed ground and all that stands on it.
//!
//! A [`Sensor`] is an immutable model mounted on a chassis: a kind with its errors
//! ([`Model`]), a [`Schedule`] and [`Filter`]s. Its state is plain data. Each step of
//! the vehicle shows it the truth; where a frame falls due it measures, augments
//! and, after its lag, delivers a [`Delivery`]. Sensors write nothing back. Noise is
//! drawn by key ([`noise`]), so no reading depends on order, threads or ranks.
//!
//! Equations, parameters and what is not modelled: `docs/sensors.md`.
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

pub mod air;
mod awaited;
pub mod bvh;
pub mod camera;
pub mod class;
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

pub use awaited::{Awaited, Maker};
pub use filter::Filter;
pub use model::Model;
pub use motion::{Motion, WheelMotion};
pub use mounted::{Due, Sensor, SensorState, Truth, left_camera, right_camera};
pub use reading::{Delivery, Odometry, Reading, WheelGround};
pub use satellite_fix::Fix;
pub use schedule::Schedule;
