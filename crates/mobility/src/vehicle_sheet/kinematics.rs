//! How the wheels of an axle move against the chassis: camber and toe over travel, and the roll
//! centre, by the vehicle's own joints, closures and mounts.
//!
//! # Algorithm
//! Without weight the chassis is held by dampers, and each wheel at a height by a stiff spring; the
//! vehicle is stepped until it rests. Both wheels of an axle go up and down together for camber and
//! toe. For the roll centre the left one goes up and the right one down: the lowest point of a tyre, y
//! beside the middle, moves square to its line to the centre of roll, which so lies y dy/dz above
//! the ground (Milliken and Milliken, Race Car Vehicle Dynamics, 1995, chapter 17).

use bekker_math::numeric::{asin, atan2};
use bekker_math::spatial::{Load, Mat6, Pose, Vec3, Vec6};
use bekker_vehicle::spec::VehicleSpec;
use bekker_vehicle::{Controls, Selector, Vehicle, VehicleState, VehicleWorkspace};
use serde::Serialize;

/// Travels of both wheels, m, up positive.
const TRAVELS: [f64; 5] = [-0.05, -0.025, 0.0, 0.025, 0.05];
/// Travel of the left wheel up and of the right one down, m.
const ROLLED: f64 = 0.01;
/// How hard wheels are held up, N/m, and slowed down, N s/m.
const STIFFNESS: f64 = 1e7;
const DAMPING: f64 = 2e5;
/// How hard the chassis is slowed down, N s/m and N m s: it creeps by micrometres.
const HELD: f64 = 1e9;
/// Step, s, and steps until all rests.
const STEP: f64 = 2e-3;
const STEPS: usize = 300;

/// How the wheels of an axle move.
#[derive(Clone, Debug, Serialize)]
pub struct AxleKinematics {
    /// The left wheel at travels of both.
    pub travel: Vec<WheelTravel>,
    /// Height of the roll centre above the ground, m.
    pub roll_centre: f64,
}

/// A wheel at a travel.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct WheelTravel {
    /// Travel from the design position, m, up positive.
    pub travel: f64,
    /// Camber, degrees: below 0 where its top leans inward.
    pub camber_deg: f64,
    /// Toe, degrees: above 0 where it points inward. Its change over travel is bump steer.
    pub toe_deg: f64,
}

/// Of each axle of the vehicle itself; none where it cannot be moved so.
pub fn kinematics(spec: &VehicleSpec) -> Vec<Option<AxleKinematics>> {
    let Some(vehicle) = alone(spec) else { return vec![None; spec.axles.len()] };
    let moved = |axle| (axle < vehicle.wheels() / 2).then(|| of_axle(&vehicle, axle)).flatten();
    (0..spec.axles.len()).map(moved).collect()
}

/// Mean angle, rad, that the linkage turns the wheels of the first steered axle by at full lock; none
/// where it cannot be moved so.
pub fn full_lock(spec: &VehicleSpec) -> Option<f64> {
    let axle = spec.own_axles().iter().position(|axle| axle.steered)?;
    let wheels = held(&alone(spec)?, axle, [0.0; 2], 1.0)?;
    let [left, right] = wheels.map(|wheel| {
        let axis = wheel.direction(&Vec3::y());
        atan2(-axis.x, axis.y)
    });
    Some(0.5 * (left + right).abs())
}

/// The vehicle without its trailer.
fn alone(spec: &VehicleSpec) -> Option<Vehicle> {
    let mut own = spec.clone();
    own.axles.truncate(spec.own_axles().len());
    own.trailer = None;
    // both parts of a frame as one
    own.rear_frame = None;
    Vehicle::new(own).ok()
}

fn of_axle(vehicle: &Vehicle, axle: usize) -> Option<AxleKinematics> {
    let mut travel = Vec::with_capacity(TRAVELS.len());
    for height in TRAVELS {
        let left = raised(vehicle, axle, [height; 2])?;
        let axis = left.direction(&Vec3::y());
        travel.push(WheelTravel {
            travel: left.position.z - vehicle.wheel_centre(2 * axle).z,
            camber_deg: -asin(axis.z).to_degrees(),
            toe_deg: atan2(axis.x, axis.y).to_degrees(),
        });
    }
    let radius = vehicle.tyre(2 * axle).rigid.radius();
    let lowest = |wheel: &Pose| {
        let axis = wheel.direction(&Vec3::y());
        let down = (axis * axis.z - Vec3::z()).normalize();
        wheel.position + down * radius
    };
    let up = lowest(&raised(vehicle, axle, [ROLLED, -ROLLED])?);
    let down = lowest(&raised(vehicle, axle, [-ROLLED, ROLLED])?);
    let (middle, way) = ((up + down) * 0.5, up - down);
    Some(AxleKinematics { travel, roll_centre: middle.y * way.y / way.z })
}

/// Pose of the left wheel of an axle whose wheels, left and right, are held at heights above the
/// design position, m.
fn raised(vehicle: &Vehicle, axle: usize, heights: [f64; 2]) -> Option<Pose> {
    held(vehicle, axle, heights, 0.0).map(|[left, _]| left)
}

/// Poses of both wheels of an axle, held so and steered.
fn held(vehicle: &Vehicle, axle: usize, heights: [f64; 2], steering: f64) -> Option<[Pose; 2]> {
    let mut state = vehicle.state(&Pose::default());
    let mut room = vehicle.workspace(&state);
    *room.gravity() = Vec3::zeros();
    for tick in 0..STEPS {
        for wheel in 0..vehicle.wheels() {
            let raised = if wheel / 2 == axle { heights[wheel % 2] } else { 0.0 };
            let height = vehicle.wheel_centre(wheel).z + raised;
            room.loads()[wheel] = hold_up(vehicle, &room, wheel, height);
        }
        *room.chassis_load() = hold(vehicle, &room);
        step(vehicle, &mut state, &mut room, (tick, steering))?;
    }
    Some([0, 1].map(|side| vehicle.wheel_pose(&room, 2 * axle + side)))
}

fn step(
    vehicle: &Vehicle,
    state: &mut VehicleState,
    room: &mut VehicleWorkspace,
    (tick, steering): (usize, f64),
) -> Option<()> {
    let held = Controls { brake: 1.0, steering, gear: Selector::Neutral, ..Controls::default() };
    vehicle.step(state, room, &held, tick as u64, STEP).ok()
}

/// What holds a wheel at a height, m.
fn hold_up(vehicle: &Vehicle, room: &VehicleWorkspace, wheel: usize, height: f64) -> Load {
    let below = height - vehicle.wheel_pose(room, wheel).position.z;
    let rate = vehicle.wheel_twist(room, wheel).linear.z;
    let mut load = Load::default();
    load.add_tangent(&Vec3::z(), &Vec3::zeros(), STIFFNESS, DAMPING);
    load.wrench.force = Vec3::z() * (STIFFNESS * below - DAMPING * rate);
    load
}

/// What holds the chassis.
fn hold(vehicle: &Vehicle, room: &VehicleWorkspace) -> Load {
    let twist = vehicle.twist(room);
    let mut load = Load { damping: Mat6::from_diagonal(&Vec6::repeat(HELD)), ..Load::default() };
    load.wrench.torque = twist.angular * -HELD;
    load.wrench.force = twist.linear * -HELD;
    load
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_vehicle::find;

    #[test]
    fn level_trailing_arms_keep_wheels_upright_and_roll_about_the_ground() {
        let found = kinematics(&find("gator").unwrap());
        let rear = found[1].as_ref().unwrap();
        println!("{rear:?}");
        for at in &rear.travel {
            assert!(at.camber_deg.abs() < 1e-3 && at.toe_deg.abs() < 1e-3, "{at:?}");
        }
        assert!(rear.roll_centre.abs() < 1e-3, "{}", rear.roll_centre);
    }

    /// A beam between leaves rolls about the height at which they hold it aside.
    #[test]
    fn a_beam_rolls_about_its_leaves() {
        let spec = find("fmtv_4x4").unwrap();
        let found = kinematics(&spec);
        let rear = found[1].as_ref().unwrap();
        println!("{rear:?}");
        let clamp = spec.tyre_of(1).rigid.radius() + 0.06;
        assert!((rear.roll_centre - clamp).abs() < 0.02, "{} m, not {clamp}", rear.roll_centre);
        // both wheels together do not lean
        assert!(rear.travel.iter().all(|at| at.camber_deg.abs() < 1e-3), "{rear:?}");
    }

    /// The HMMWV's front wheels follow the direct solution of its hard points, whose bounds
    /// `tests/suspension_geometry.rs` holds: a few degrees over the travel.
    #[test]
    fn double_wishbones_lean_in_as_they_rise() {
        let found = kinematics(&find("hmmwv").unwrap());
        let front = found[0].as_ref().unwrap();
        println!("{front:?}");
        let [low, high] = [front.travel[0], front.travel[4]];
        assert!((high.travel - low.travel - 0.1).abs() < 0.02, "{front:?}");
        assert!(high.camber_deg < low.camber_deg, "{front:?}");
        assert!((0.0..0.5).contains(&front.roll_centre), "{front:?}");
    }
}
