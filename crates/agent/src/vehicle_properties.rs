//! Immutable properties that all kinds of ground vehicles have.

use bekker_math::spatial::Vec3;
use bekker_vehicle::Locks;
use bekker_vehicle::spec::{Chassis, VehicleFootprint};

/// Properties of a ground vehicle, derived from its file.
#[derive(Clone, Debug)]
pub struct VehicleProperties {
    /// Name of the vehicle.
    pub name: String,
    /// Sprung body.
    pub chassis: Chassis,
    /// Area that the vehicle covers in plan view.
    pub footprint: VehicleFootprint,
    /// Whether it runs on tracks.
    pub is_tracked: bool,
    /// Whether it can be steered.
    pub can_steer: bool,
    /// Mean angle of the steered wheels at full lock, rad; `None` without steered wheels.
    pub max_steering_angle: Option<f64>,
    /// Yaw rate at full steering, rad/s, if it is skid-steered; `None` otherwise.
    pub max_yaw_rate: Option<f64>,
    /// Whether it has central tire inflation and flexible tires.
    pub has_central_inflation: bool,
    /// Differential locks that the driver can engage.
    pub locks: Locks,
    /// Centers of wheels or road wheels in the chassis frame in the design position, m.
    ///
    /// They are ordered front to rear, left before right; those of a trailer are the last.
    pub wheel_centers: Vec<Vec3>,
    /// Number of trailer wheels.
    pub trailed_wheels: usize,
    /// Numbers of wheels with flexible tires, without and with the trailer's.
    pub flexible_wheels: [usize; 2],
    /// Indices of the wheels that the driveline turns.
    pub driven_wheels: Vec<usize>,
    /// Height of the wheels' centers above firm ground in the design position, m.
    pub ride_radius: f64,
    /// Radius at which wheel torque acts on the ground: of wheels or road wheels, m.
    pub drive_radius: f64,
    /// Speed above which it rolls, m/s; below, it stands still.
    pub rolling_speed: f64,
    /// Radius and half width around a wheel's center, m: of the wheel, or of a road wheel with the
    /// track below it.
    pub wheel_reach: [f64; 2],
    /// Lowest point of wheels or tracks, m.
    ///
    /// It is at the center of the running gear in the design position, in the chassis frame.
    pub lowest_point: Vec3,
    /// Height of the running gear, up to the top of wheels or sprocket, m.
    pub running_gear_height: f64,
}

/// Returns the mean of the wheels' centers.
pub(super) fn middle(centers: &[Vec3]) -> Vec3 {
    centers.iter().sum::<Vec3>() / centers.len() as f64
}
