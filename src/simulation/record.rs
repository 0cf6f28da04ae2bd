//! What a run leaves behind: samples of the vehicles and their summaries.

use crate::spatial::{Pose, Vec3};
use crate::vehicle::Controls;
use serde::{Deserialize, Serialize};

/// One wheel at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WheelSample {
    /// Spin, rad/s, positive when rolling forward.
    pub spin: f64,
    /// Slip 1 - v/(ω r), clamped to [-1, 1]: positive when driving.
    pub slip: f64,
    /// Depth of the wheel's lowest point below the undisturbed ground, m.
    pub sinkage: f64,
    /// Vertical force of the ground on the wheel, N.
    pub load: f64,
    /// Force of the ground along the wheel's heading, N.
    pub traction: f64,
    /// Force of the ground along the wheel's left, N.
    pub lateral: f64,
    /// Torque of driveline and brake on the wheel, N m, positive forward.
    pub torque: f64,
    /// Area in contact with yielding ground, m².
    pub area: f64,
}

/// One vehicle at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
}

/// How a vehicle's run ended. Tagged from outside: a checkpoint's format, which
/// does not describe itself, can't read a tag from among the fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Drove to the end of the run.
    Running,
    /// Reached the end of its path and stopped.
    Arrived {
        /// When, s.
        time: f64,
    },
    /// Could no longer move.
    Stuck {
        /// Since when, s.
        time: f64,
        /// Where, m.
        position: Vec3,
        /// Name of the soil under it.
        soil: String,
        /// Why, in words.
        why: String,
    },
    /// Turned over.
    Overturned {
        /// When, s.
        time: f64,
        /// Where, m.
        position: Vec3,
    },
    /// Drove off the terrain.
    LeftTerrain {
        /// When, s.
        time: f64,
        /// Where, m.
        position: Vec3,
    },
    /// Its state is no longer finite.
    NotFinite {
        /// When, s.
        time: f64,
        /// Last finite position, m.
        position: Vec3,
        /// Which quantity.
        what: String,
    },
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let at = |p: &Vec3| format!("({:.1}, {:.1}) m", p.x, p.y);
        match self {
            Outcome::Running => write!(f, "drove on"),
            Outcome::Arrived { time } => write!(f, "arrived at {time:.1} s"),
            Outcome::Stuck { time, position, soil, why } => {
                write!(f, "stuck since {time:.1} s at {} in {soil}: {why}", at(position))
            }
            Outcome::Overturned { time, position } => {
                write!(f, "overturned at {time:.1} s at {}", at(position))
            }
            Outcome::LeftTerrain { time, position } => {
                write!(f, "left the terrain at {time:.1} s at {}", at(position))
            }
            Outcome::NotFinite { time, position, what } => {
                write!(f, "failed at {time:.1} s at {}: {what} is no longer finite", at(position))
            }
        }
    }
}

/// One vehicle's run in a few figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VehicleSummary {
    /// Name in the scenario.
    pub name: String,
    /// Vehicle model.
    pub model: String,
    /// Distance driven, m.
    pub distance: f64,
    /// Mean speed, m/s.
    pub mean_speed: f64,
    /// Speed at the end, m/s.
    pub final_speed: f64,
    /// Mean slip of the wheels while driving.
    pub mean_slip: f64,
    /// Peak of the wheels' mean slip (held for 0.1 s).
    pub peak_slip: f64,
    /// Mean sinkage of the wheels, m.
    pub mean_sinkage: f64,
    /// Deepest sinkage of any wheel, m.
    pub max_sinkage: f64,
    /// Mean motion resistance, N: energy lost in the soil by rolling, per metre.
    pub motion_resistance: f64,
    /// Energy that the driveline put into the wheels, J.
    pub wheel_energy: f64,
    /// How it ended.
    pub outcome: Outcome,
}

/// A run in a few figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// Scenario name.
    pub scenario: String,
    /// Simulated time, s.
    pub simulated: f64,
    /// Wall time, s.
    pub wall: f64,
    /// Nodes deformed.
    pub deformed_nodes: u64,
    /// Hash of the final state, hexadecimal.
    pub state_hash: String,
    /// The vehicles, in the scenario's order.
    pub vehicles: Vec<VehicleSummary>,
}
