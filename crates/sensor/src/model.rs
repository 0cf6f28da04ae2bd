//! Kinds of sensors with their parameters.

use super::camera::{Camera, CameraSpec};
use super::encoder::Encoder;
use super::gps::Gps;
use super::imu::Imu;
use super::lidar::LidarSpec;
use super::magnetometer::Magnetometer;

/// Length of a large vehicle, m.
const VEHICLE: f64 = 10.0;

/// What kind of sensor, with its parameters.
#[derive(Clone, Debug)]
pub enum Model {
    /// Inertial measurement.
    Imu(Imu),
    /// Satellite navigation.
    Gps(Box<Gps>),
    /// Magnetic field.
    Magnetometer(Magnetometer),
    /// Ticks of the wheels.
    Encoder(Encoder),
    /// The truth about its own frame.
    Odometry,
    /// The wheels on the ground.
    Terramechanics,
    /// Pictures.
    Camera(CameraSpec),
    /// Point clouds.
    Lidar(LidarSpec),
}

impl Model {
    /// Whether it looks at the scene, at heartbeats, rather than feels its vehicle move.
    pub fn is_imaging(&self) -> bool {
        matches!(self, Model::Camera(_) | Model::Lidar(_))
    }

    /// How far away it shows vehicles, m, if it looks: a lidar as far as it measures, a camera as far as
    /// they fill a pixel.
    pub fn sight(&self) -> Option<f64> {
        match self {
            Model::Camera(spec) => Some(VEHICLE / Camera::of(spec)?.resolution()),
            Model::Lidar(spec) => Some(spec.max_range),
            _ => None,
        }
    }

    /// Whether it takes the mean over its window.
    pub(super) fn averages(&self) -> bool {
        matches!(self, Model::Imu(_) | Model::Gps(_) | Model::Magnetometer(_))
    }
}
