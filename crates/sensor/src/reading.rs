//! Readings of sensors and their delivery.

use super::camera::Image;
use super::lidar::Cloud;
use super::model::Model;
use super::motion::WheelMotion;
use super::satellite_fix::Fix;
use bekker_math::spatial::{Pose, Vec3};
use serde::{Deserialize, Serialize};

/// True motion of the sensor frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Odometry {
    /// Pose in the world.
    pub pose: Pose,
    /// Velocity of the frame's origin, sensor axes, m/s.
    pub velocity: Vec3,
    /// Angular velocity, sensor axes, rad/s.
    pub angular_velocity: Vec3,
}

/// Contact of a wheel with the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WheelGround {
    /// Depth of the wheel's lowest point below the undisturbed ground, m.
    pub sinkage: f64,
    /// Slip within ±1, positive when driving.
    pub slip: f64,
    /// Ground force: along the wheel's heading, to its left, up, N.
    pub force: Vec3,
    /// Mean contact pressure, Pa: vertical force divided by contact area; 0 without contact.
    pub pressure: f64,
}

impl From<&WheelMotion> for WheelGround {
    fn from(wheel: &WheelMotion) -> WheelGround {
        let WheelMotion { sinkage, slip, force, area, .. } = *wheel;
        let pressure = if area > 0.0 { force.z / area } else { 0.0 };
        WheelGround { sinkage, slip, force, pressure }
    }
}

/// One frame of one sensor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reading {
    /// Specific force, m/s², and angular rate, rad/s, sensor axes.
    Imu {
        /// Specific force, m/s².
        specific_force: Vec3,
        /// Angular rate, rad/s.
        angular_rate: Vec3,
    },
    /// Satellite fix.
    Fix(Fix),
    /// Magnetic field, sensor axes, T.
    Field(Vec3),
    /// Encoder ticks of each wheel since the start.
    Ticks(Vec<i64>),
    /// True motion of the sensor frame.
    Odometry(Odometry),
    /// Ground contact of each wheel.
    Ground(Vec<WheelGround>),
    /// Camera image.
    Image(Image),
    /// Lidar scan.
    Cloud(Cloud),
}

impl Reading {
    /// Returns whether a sensor of this kind may deliver this reading.
    pub fn is_of(&self, model: &Model) -> bool {
        match (model, self) {
            (Model::Camera(_), Reading::Image(image)) => image.is_whole(),
            (Model::Imu(_), Reading::Imu { .. })
            | (Model::Gps(_), Reading::Fix(_))
            | (Model::Magnetometer(_), Reading::Field(_))
            | (Model::Encoder(_), Reading::Ticks(_))
            | (Model::Odometry, Reading::Odometry(_))
            | (Model::Terramechanics, Reading::Ground(_))
            | (Model::Lidar(_), Reading::Cloud(_)) => true,
            _ => false,
        }
    }
}

/// Reading with its times, passed from the sensor to its consumers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Delivery {
    /// Index of the sensor on its vehicle.
    pub sensor: u32,
    /// Frame number, from 1.
    pub frame: u64,
    /// Time of measurement, the end of its window, µs.
    pub taken_us: u64,
    /// Time of delivery, µs.
    pub due_us: u64,
    /// True pose of the sensor frame at the time of measurement.
    pub pose: Pose,
    /// Reading.
    pub reading: Reading,
}
