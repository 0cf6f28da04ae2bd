//! What sensors deliver.

use super::camera::Image;
use super::lidar::Cloud;
use super::model::Model;
use super::motion::WheelMotion;
use super::satellite_fix::Fix;
use bekker_math::spatial::{Pose, Vec3};
use serde::{Deserialize, Serialize};

/// The truth about the sensor's frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Odometry {
    /// Its pose in the world.
    pub pose: Pose,
    /// Velocity of its origin, its own axes, m/s.
    pub velocity: Vec3,
    /// Angular velocity, its own axes, rad/s.
    pub angular_velocity: Vec3,
}

/// A wheel on the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WheelGround {
    /// Depth of the wheel's lowest point below the undisturbed ground, m.
    pub sinkage: f64,
    /// Slip within ±1, positive when driving.
    pub slip: f64,
    /// Force of the ground: along the wheel's heading, to its left, up, N.
    pub force: Vec3,
    /// Mean pressure in the contact, Pa: vertical force by area in contact; 0 without.
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
    /// Specific force, m/s², and angular rate, rad/s, axes of the sensor.
    Imu {
        /// Specific force, m/s².
        specific_force: Vec3,
        /// Angular rate, rad/s.
        angular_rate: Vec3,
    },
    /// A satellite fix.
    Fix(Fix),
    /// Magnetic field, axes of the sensor, T.
    Field(Vec3),
    /// Ticks since the start, wheel by wheel.
    Ticks(Vec<i64>),
    /// The truth about the sensor's frame.
    Odometry(Odometry),
    /// The wheels on the ground, wheel by wheel.
    Ground(Vec<WheelGround>),
    /// A picture.
    Image(Image),
    /// A scan.
    Cloud(Cloud),
}

impl Reading {
    /// Whether a sensor of this kind may deliver it.
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

/// A reading on its way to who uses it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Delivery {
    /// Index of the sensor on its vehicle.
    pub sensor: u32,
    /// Number of the frame, from 1.
    pub frame: u64,
    /// When it was taken: the end of its window, µs.
    pub taken_us: u64,
    /// When it is delivered, µs.
    pub due_us: u64,
    /// Where the sensor's frame truly was then.
    pub pose: Pose,
    /// What it says.
    pub reading: Reading,
}
