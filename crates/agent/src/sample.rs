//! Samples of vehicles, wheels and trailers at one time.

use super::motor_record::WheelMotorRecord;
use bekker_math::spatial::{Pose, Vec3};
use bekker_vehicle::{Controls, Selector};
use serde::{Deserialize, Serialize};

/// State of a wheel at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WheelSample {
    /// Spin, rad/s, positive when rolling forward.
    pub spin: f64,
    /// Slip, clamped to [-1, 1]: 1 - v/(ω r) when driving, ω r/v - 1 when braked.
    pub slip: f64,
    /// Depth of the wheel's lowest point below the undisturbed ground, m.
    pub sinkage: f64,
    /// Vertical force of the ground, or of a block that supports it, on the wheel, N.
    pub load: f64,
    /// Force of the ground in the wheel's heading, N.
    pub traction: f64,
    /// Force of the ground to the wheel's left, N.
    pub lateral: f64,
    /// Torque of driveline and brake on the wheel, N m; positive forward.
    ///
    /// The torque of a sprocket is divided among the road wheels of its side, geared by the track:
    /// times their spins it is the sprocket's power.
    pub torque: f64,
    /// Contact area with the ground, m²; for rigid tires only with deformable ground.
    pub area: f64,
    /// Inflation, Pa; zero if the tire is rigid, like the next two fields.
    pub inflation: f64,
    /// Deflection of the tire, m.
    pub deflection: f64,
    /// Length of the contact patch, m.
    pub contact_length: f64,
}

impl WheelSample {
    /// Adds a supporting force, N; `forward` is the horizontal direction of travel.
    pub(super) fn add_force(&mut self, force: &Vec3, forward: &Vec3) {
        self.load += force.z;
        self.traction += force.dot(forward);
        self.lateral += force.dot(&Vec3::z().cross(forward));
    }

    /// Combines the samples of twin tires: forces and areas add up, depths take the maximum.
    pub(super) fn join(&mut self, other: &WheelSample) {
        self.load += other.load;
        self.traction += other.traction;
        self.lateral += other.lateral;
        self.area += other.area;
        self.sinkage = self.sinkage.max(other.sinkage);
        self.deflection = self.deflection.max(other.deflection);
        self.contact_length = self.contact_length.max(other.contact_length);
    }
}

impl WheelSample {
    /// Resets the sample to a standing wheel: keeps the load and removes the effects of rolling and
    /// drive.
    fn set_standstill(&mut self) {
        (self.spin, self.slip, self.torque) = (0.0, 0.0, 0.0);
        (self.traction, self.lateral) = (0.0, 0.0);
    }
}

/// State of a trailer at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrailerSample {
    /// Origin of its frame in the world, m, which is its end of the coupling.
    pub position: Vec3,
    /// Yaw relative to the towing vehicle, rad; positive to the left.
    pub articulation: f64,
    /// Pitch relative to the towing vehicle, rad; positive nose down.
    pub pitch: f64,
    /// Force on the towing vehicle, N, in the axes of its chassis.
    pub hitch_force: Vec3,
}

/// State of electric motors and their battery at one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MotorSample {
    /// Current of the left and the right motors, A; positive for a forward torque.
    pub currents: [f64; 2],
    /// Power from the battery, W; negative while the motors charge it.
    pub battery_power: f64,
    /// State of charge of the battery: 1 full at the start, 0 empty, which ends the drive torque.
    pub battery_charge: f64,
    /// Current and energy of each motor for a single wheel, by wheel.
    pub wheels: Vec<WheelMotorRecord>,
}

/// State of a vehicle at one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Simulated time, s.
    pub time: f64,
    /// Index of the vehicle in the scenario.
    pub vehicle: usize,
    /// Chassis reference frame in the world.
    pub pose: Pose,
    /// Velocity of the frame's origin, world axes, m/s.
    pub velocity: Vec3,
    /// Angular velocity, body axes, rad/s.
    pub angular_velocity: Vec3,
    /// Forward speed along the chassis x axis, m/s.
    pub speed: f64,
    /// Active commands.
    pub controls: Controls,
    /// Engine speed, rad/s.
    pub engine_speed: f64,
    /// Gear: 1 is the first, 0 neutral, negative reverse.
    pub gear: i32,
    /// Wheels, axle by axle from the front, left before right.
    pub wheels: Vec<WheelSample>,
    /// Articulation of an articulated frame, rad, positive with the front turned to the left.
    pub articulation: Option<f64>,
    /// Trailer, if there is one.
    pub trailer: Option<TrailerSample>,
    /// Electric motors, if they drive the vehicle.
    pub motors: Option<MotorSample>,
}

impl Sample {
    /// Changes the sample to that of an ended drive.
    ///
    /// The vehicle stands in neutral with its engine off and its brake on. Loads, sinkages, tires
    /// and steering keep their values.
    pub(super) fn set_standstill(&mut self) {
        (self.velocity, self.angular_velocity) = (Vec3::zeros(), Vec3::zeros());
        (self.speed, self.engine_speed, self.gear) = (0.0, 0.0, 0);
        let neutral = Selector::Neutral;
        self.controls = Controls { throttle: 0.0, brake: 1.0, gear: neutral, ..self.controls };
        self.wheels.iter_mut().for_each(WheelSample::set_standstill);
        if let Some(trailer) = &mut self.trailer {
            trailer.hitch_force = Vec3::zeros();
        }
        if let Some(motors) = &mut self.motors {
            (motors.currents, motors.battery_power) = ([0.0; 2], 0.0);
            motors.wheels.iter_mut().for_each(|own| own.current = 0.0);
        }
    }
}
