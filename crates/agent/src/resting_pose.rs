//! Poses of vehicles that stand on undisturbed ground.

use bekker_ground::terrain::Terrain;
use bekker_math::spatial::{Mat3, Pose, Quat, Vec3};
use bekker_vehicle::Vehicle;

/// Returns the chassis frame of a vehicle that stands at (x, y) with `heading`, rad.
///
/// It stands on the plane that best fits the ground under its wheels, raised so that no wheel is
/// below the ground.
pub fn resting_pose(terrain: &Terrain, vehicle: &Vehicle, x: f64, y: f64, heading: f64) -> Pose {
    let centers: Vec<Vec3> =
        (0..vehicle.wheels()).map(|wheel| vehicle.wheel_center(wheel)).collect();
    resting_pose_on_wheels(terrain, &centers, vehicle.ride_radius(), x, y, heading)
}

/// Returns the chassis frame for wheels of one radius, m, with the given centers in the chassis
/// frame.
pub(super) fn resting_pose_on_wheels(
    terrain: &Terrain,
    centers: &[Vec3],
    radius: f64,
    x: f64,
    y: f64,
    heading: f64,
) -> Pose {
    let turn = Quat::from_axis_angle(&Vec3::z_axis(), heading);
    let touch = |orientation: &Quat, center: &Vec3| {
        let place = orientation * center;
        let (px, py) = (x + place.x, y + place.y);
        (Vec3::new(px - x, py - y, terrain.height(px, py)), place)
    };
    let normal = plane_normal(centers.iter().map(|center| touch(&turn, center).0));
    // yaw equals the heading: the x axis lies in the vertical plane of the heading
    let ahead = turn * Vec3::x();
    let forward = (ahead - Vec3::z() * (normal.dot(&ahead) / normal.z)).normalize();
    let axes = Mat3::from_columns(&[forward, normal.cross(&forward), normal]);
    let orientation = Quat::from_rotation_matrix(&nalgebra::Rotation3::from_matrix_unchecked(axes));
    let lift = centers
        .iter()
        .map(|center| {
            let (ground, place) = touch(&orientation, center);
            ground.z + radius / normal.z - place.z
        })
        .fold(f64::NEG_INFINITY, f64::max);
    Pose { position: Vec3::new(x, y, lift), orientation }
}

/// Returns the normal of the least-squares plane z = a x + b y + c through points.
fn plane_normal(points: impl Iterator<Item = Vec3>) -> Vec3 {
    let mut matrix = Mat3::zeros();
    let mut right = Vec3::zeros();
    for point in points {
        let row = Vec3::new(point.x, point.y, 1.0);
        matrix += row * row.transpose();
        right += row * point.z;
    }
    match matrix.try_inverse() {
        Some(inverse) => {
            let plane = inverse * right;
            Vec3::new(-plane.x, -plane.y, 1.0).normalize()
        }
        None => Vec3::z(),
    }
}
