//! Kinds of sensors with their parameters.

use super::camera::{Camera, CameraSpec};
use super::encoder::WheelEncoder;
use super::gps::Gps;
use super::imu::Imu;
use super::lidar::LidarSpec;
use super::magnetometer::Magnetometer;

/// Length of a large vehicle, m.
const VEHICLE: f64 = 10.0;

/// Kind of a sensor with its parameters.
#[derive(Clone, Debug)]
pub enum Model {
    /// Inertial measurement unit.
    Imu(Imu),
    /// Satellite navigation receiver.
    Gps(Box<Gps>),
    /// Magnetometer.
    Magnetometer(Magnetometer),
    /// Wheel encoders.
    Encoder(WheelEncoder),
    /// True pose and twist of the sensor frame.
    Odometry,
    /// True wheel–ground contact of each wheel.
    Terramechanics,
    /// Camera.
    Camera(CameraSpec),
    /// Lidar.
    Lidar(LidarSpec),
}

impl Model {
    /// Returns whether the sensor observes the scene at heartbeats instead of the vehicle's motion.
    pub fn is_imaging(&self) -> bool {
        matches!(self, Model::Camera(_) | Model::Lidar(_))
    }

    /// Returns the range up to which vehicles are visible, m, for an imaging sensor.
    ///
    /// For a lidar it is the maximum range, for a camera the distance at which a vehicle fills a
    /// pixel.
    pub fn sight(&self) -> Option<f64> {
        match self {
            Model::Camera(spec) => Some(VEHICLE / Camera::from_spec(spec)?.resolution()),
            Model::Lidar(spec) => Some(spec.max_range),
            _ => None,
        }
    }

    /// Returns whether the sensor averages over its window.
    pub(super) fn averages(&self) -> bool {
        matches!(self, Model::Imu(_) | Model::Gps(_) | Model::Magnetometer(_))
    }
}
