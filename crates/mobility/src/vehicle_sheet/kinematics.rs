//! Wheel kinematics of an axle: camber and toe over travel, and the roll center.
//!
//! They follow from the vehicle's own joints, closures and mounts.
//!
//! # Algorithm
//! The chassis is held by dampers without gravity, and each wheel is held at a height by a stiff
//! spring. The vehicle is stepped until it is at rest. For camber and toe both wheels of an axle
//! move up and down together.
//!
//! For the roll center the left wheel moves up and the right one down. The lowest point of a tire,
//! at a distance y from the center line, moves perpendicular to its line to the roll center. So the
//! roll center is y dy/dz above the ground (Milliken and Milliken, Race Car Vehicle Dynamics, 1995,
//! chapter 17).

use bekker_math::numeric::{asin, atan2};
use bekker_math::spatial::{Load, Mat6, Pose, Vec3, Vec6};
use bekker_vehicle::spec::{Steering, VehicleSpec};
use bekker_vehicle::{Controls, Selector, Vehicle, VehicleState, VehicleWorkspace};
use serde::Serialize;

/// Travels of both wheels, m, positive upward.
const TRAVELS: [f64; 5] = [-0.05, -0.025, 0.0, 0.025, 0.05];
/// Upward travel of the left wheel and downward travel of the right one, m.
const ROLLED: f64 = 0.01;
/// Stiffness, N/m, and damping, N s/m, of the springs that hold the wheels.
const STIFFNESS: f64 = 1e7;
const DAMPING: f64 = 2e5;
/// Damping of the chassis, N s/m and N m s; it moves by micrometers.
const HELD: f64 = 1e9;
/// Time step, s, and number of steps until rest.
const STEP: f64 = 2e-3;
const STEPS: usize = 300;

/// Kinematics of an axle.
#[derive(Clone, Debug, Serialize)]
pub struct AxleKinematics {
    /// Camber and toe of the left wheel at travels of both wheels.
    pub travel: Vec<WheelTravel>,
    /// Height of the roll center above the ground, m.
    pub roll_center: f64,
}

/// Camber and toe of a wheel at a travel.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct WheelTravel {
    /// Travel from the design position, m, positive upward.
    pub travel: f64,
    /// Camber, degrees; negative if the top leans inward.
    pub camber_deg: f64,
    /// Toe, degrees; positive if the wheel points inward. Its change over travel is bump steer.
    pub toe_deg: f64,
}

/// Computes the kinematics of each axle of the vehicle without its trailer.
///
/// An element is `None` if the axle cannot be moved in this way.
pub fn kinematics(spec: &VehicleSpec) -> Vec<Option<AxleKinematics>> {
    let Some(vehicle) = without_trailer(spec) else { return vec![None; spec.axles.len()] };
    let moved = |axle: usize| {
        // wheels without springs move with their links only
        let moves = axle < vehicle.wheels() / 2 && spec.axles[axle].spring.is_some();
        moves.then(|| axle_kinematics(&vehicle, axle)).flatten()
    };
    (0..spec.axles.len()).map(moved).collect()
}

/// Returns the mean angle of the wheels of the first steered axle at full lock, rad.
///
/// It includes the linkage. `None` without a linkage, or if the axle cannot be moved in this way.
pub fn full_lock(spec: &VehicleSpec) -> Option<f64> {
    if matches!(spec.steering, Some(Steering::Direct(_))) {
        return None;
    }
    let axle = spec.tractor_axles().iter().position(|axle| axle.steered)?;
    let wheels = wheel_poses(&without_trailer(spec)?, axle, [0.0; 2], 1.0)?;
    let [left, right] = wheels.map(|wheel| {
        let axis = wheel.direction(&Vec3::y());
        atan2(-axis.x, axis.y)
    });
    Some(0.5 * (left + right).abs())
}

/// Returns the vehicle without its trailer.
fn without_trailer(spec: &VehicleSpec) -> Option<Vehicle> {
    let mut own = spec.clone();
    own.axles.truncate(spec.tractor_axles().len());
    own.trailer = None;
    // both parts of an articulated frame become one
    own.rear_frame = None;
    Vehicle::new(own).ok()
}

fn axle_kinematics(vehicle: &Vehicle, axle: usize) -> Option<AxleKinematics> {
    let mut travel = Vec::with_capacity(TRAVELS.len());
    for height in TRAVELS {
        let left = left_wheel_pose(vehicle, axle, [height; 2])?;
        let axis = left.direction(&Vec3::y());
        travel.push(WheelTravel {
            travel: left.position.z - vehicle.wheel_center(2 * axle).z,
            camber_deg: -asin(axis.z).to_degrees(),
            toe_deg: atan2(axis.x, axis.y).to_degrees(),
        });
    }
    let radius = vehicle.tire(2 * axle).rigid.radius();
    let lowest = |wheel: &Pose| {
        let axis = wheel.direction(&Vec3::y());
        let down = (axis * axis.z - Vec3::z()).normalize();
        wheel.position + down * radius
    };
    let up = lowest(&left_wheel_pose(vehicle, axle, [ROLLED, -ROLLED])?);
    let down = lowest(&left_wheel_pose(vehicle, axle, [-ROLLED, ROLLED])?);
    let (middle, way) = ((up + down) * 0.5, up - down);
    Some(AxleKinematics { travel, roll_center: middle.y * way.y / way.z })
}

/// Returns the pose of the left wheel of an axle with given heights of its left and right wheels.
///
/// Heights are above the design position, m.
fn left_wheel_pose(vehicle: &Vehicle, axle: usize, heights: [f64; 2]) -> Option<Pose> {
    wheel_poses(vehicle, axle, heights, 0.0).map(|[left, _]| left)
}

/// Returns the poses of both wheels of an axle at given heights and steering.
fn wheel_poses(
    vehicle: &Vehicle,
    axle: usize,
    heights: [f64; 2],
    steering: f64,
) -> Option<[Pose; 2]> {
    let mut state = vehicle.state(&Pose::default());
    let mut workspace = vehicle.workspace(&state);
    *workspace.gravity() = Vec3::zeros();
    for tick in 0..STEPS {
        for wheel in 0..vehicle.wheels() {
            let raised = if wheel / 2 == axle { heights[wheel % 2] } else { 0.0 };
            let height = vehicle.wheel_center(wheel).z + raised;
            workspace.loads()[wheel] = wheel_support(vehicle, &workspace, wheel, height);
        }
        *workspace.chassis_load() = chassis_support(vehicle, &workspace);
        step(vehicle, &mut state, &mut workspace, tick, steering)?;
    }
    Some([0, 1].map(|side| vehicle.wheel_pose(&workspace, 2 * axle + side)))
}

fn step(
    vehicle: &Vehicle,
    state: &mut VehicleState,
    workspace: &mut VehicleWorkspace,
    tick: usize,
    steering: f64,
) -> Option<()> {
    let held = Controls { steering, gear: Selector::Neutral, ..Controls::BRAKED };
    vehicle.step(state, workspace, &held, tick as u64, STEP).ok()
}

/// Returns the load that holds a wheel at a height, m.
fn wheel_support(
    vehicle: &Vehicle,
    workspace: &VehicleWorkspace,
    wheel: usize,
    height: f64,
) -> Load {
    let below = height - vehicle.wheel_pose(workspace, wheel).position.z;
    let rate = vehicle.wheel_twist(workspace, wheel).linear.z;
    let mut load = Load::default();
    load.add_tangent(&Vec3::z(), &Vec3::zeros(), STIFFNESS, DAMPING);
    load.wrench.force = Vec3::z() * (STIFFNESS * below - DAMPING * rate);
    load
}

/// Returns the load that holds the chassis.
fn chassis_support(vehicle: &Vehicle, workspace: &VehicleWorkspace) -> Load {
    let twist = vehicle.twist(workspace);
    let mut load = Load { damping: Mat6::from_diagonal(&Vec6::repeat(HELD)), ..Load::default() };
    load.wrench.torque = twist.angular * -HELD;
    load.wrench.force = twist.linear * -HELD;
    load
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_vehicle::find_wheeled;

    #[test]
    fn level_trailing_arms_keep_wheels_upright_and_roll_about_the_ground() {
        let found = kinematics(&find_wheeled("gator").unwrap());
        let rear = found[1].as_ref().unwrap();
        println!("{rear:?}");
        for at in &rear.travel {
            assert!(at.camber_deg.abs() < 1e-3 && at.toe_deg.abs() < 1e-3, "{at:?}");
        }
        assert!(rear.roll_center.abs() < 1e-3, "{}", rear.roll_center);
    }

    /// A beam axle on leaf springs rolls about the height of their lateral support.
    #[test]
    fn a_beam_rolls_about_its_leaves() {
        let spec = find_wheeled("fmtv_4x4").unwrap();
        let found = kinematics(&spec);
        let rear = found[1].as_ref().unwrap();
        println!("{rear:?}");
        let clamp = spec.tire_of(1).rigid.radius() + 0.06;
        assert!((rear.roll_center - clamp).abs() < 0.02, "{} m, not {clamp}", rear.roll_center);
        // both wheels together have no camber
        assert!(rear.travel.iter().all(|at| at.camber_deg.abs() < 1e-3), "{rear:?}");
    }

    /// The HMMWV's front wheels follow the direct solution of its hard points: a few degrees over
    /// the travel.
    ///
    /// The bounds of the direct solution are in `tests/suspension_geometry.rs`.
    #[test]
    fn double_wishbones_lean_in_as_they_rise() {
        let found = kinematics(&find_wheeled("hmmwv").unwrap());
        let front = found[0].as_ref().unwrap();
        println!("{front:?}");
        let [low, high] = [front.travel[0], front.travel[4]];
        assert!((high.travel - low.travel - 0.1).abs() < 0.02, "{front:?}");
        assert!(high.camber_deg < low.camber_deg, "{front:?}");
        assert!((0.0..0.5).contains(&front.roll_center), "{front:?}");
    }
}
