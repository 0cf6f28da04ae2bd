//! Samples of vehicles, wheels and trailers at one moment.

use bekker_math::spatial::{Pose, Vec3};
use bekker_vehicle::{Controls, Selector};
use serde::{Deserialize, Serialize};

/// One wheel at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WheelSample {
    /// Spin, rad/s, positive when rolling forward.
    pub spin: f64,
    /// Slip, clamped to [-1, 1]: 1 - v/(ω r) when driving, ω r/v - 1 when braked.
    pub slip: f64,
    /// Depth of the wheel's lowest point below the undisturbed ground, m.
    pub sinkage: f64,
    /// Vertical force of the ground, or of a block that it stands on, on the wheel, N.
    pub load: f64,
    /// Force of the ground along the wheel's heading, N.
    pub traction: f64,
    /// Force of the ground along the wheel's left, N.
    pub lateral: f64,
    /// Torque of driveline and brake on the wheel, N m, positive forward. That of a sprocket is
    /// shared by the road wheels of its side, geared to them by the track: times their spins it is
    /// the sprocket's power.
    pub torque: f64,
    /// Area in contact with the ground, of rigid tyres with yielding ground, m².
    pub area: f64,
    /// Inflation, Pa; zero for what does not give way, as the next two.
    pub inflation: f64,
    /// How far the tyre is pressed in, m.
    pub deflection: f64,
    /// Length of its contact, m.
    pub contact_length: f64,
}

impl WheelSample {
    /// Adds a force of what it stands on, N, by its level direction of travel.
    pub(super) fn add_force(&mut self, force: &Vec3, forward: &Vec3) {
        self.load += force.z;
        self.traction += force.dot(forward);
        self.lateral += force.dot(&Vec3::z().cross(forward));
    }

    /// Takes in the second tyre of twins: forces and areas add up, the deeper one counts.
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
    /// The same of a wheel that stands: its load stays, and what rolling and drive made is gone.
    fn standing(&mut self) {
        (self.spin, self.slip, self.torque) = (0.0, 0.0, 0.0);
        (self.traction, self.lateral) = (0.0, 0.0);
    }
}

/// A trailer at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrailerSample {
    /// Origin of its frame in the world, m: its end of the coupling.
    pub position: Vec3,
    /// Yaw against the vehicle that draws it, rad, to the left positive.
    pub articulation: f64,
    /// Pitch against it, rad, nose down positive.
    pub pitch: f64,
    /// Its force on the vehicle, N, along the axes of the vehicle's chassis.
    pub hitch_force: Vec3,
}

/// One vehicle at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Simulated time, s.
    pub time: f64,
    /// Index of the vehicle in the scenario.
    pub vehicle: usize,
    /// Chassis reference frame in the world.
    pub pose: Pose,
    /// Velocity of its origin, world axes, m/s.
    pub velocity: Vec3,
    /// Angular velocity, body axes, rad/s.
    pub angular_velocity: Vec3,
    /// Forward speed along the chassis x axis, m/s.
    pub speed: f64,
    /// Commands in force.
    pub controls: Controls,
    /// Engine speed, rad/s.
    pub engine_speed: f64,
    /// Gear, 1 first; 0 neutral, negative reverse.
    pub gear: i32,
    /// Wheels, axle by axle from the front, left before right.
    pub wheels: Vec<WheelSample>,
    /// Its trailer, if it draws one.
    pub trailer: Option<TrailerSample>,
}

impl Sample {
    /// Tells it as of one whose drive has ended: it stays where it is, in neutral, its engine off
    /// and its brake on, and keeps what stands in its place: loads, sinkages, tyres, steering.
    pub(super) fn stand(&mut self) {
        (self.velocity, self.angular_velocity) = (Vec3::zeros(), Vec3::zeros());
        (self.speed, self.engine_speed, self.gear) = (0.0, 0.0, 0);
        let neutral = Selector::Neutral;
        self.controls = Controls { throttle: 0.0, brake: 1.0, gear: neutral, ..self.controls };
        self.wheels.iter_mut().for_each(WheelSample::standing);
        if let Some(trailer) = &mut self.trailer {
            trailer.hitch_force = Vec3::zeros();
        }
    }
}
