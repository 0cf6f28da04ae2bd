//! What an environment remembers of an episode.

use super::Options;
use bekker_agent::Sample;
use bekker_math::numeric::GRAVITY;
use bekker_math::spatial::Vec3;
use serde::{Deserialize, Serialize};

/// Steering (positive to the left), drive (throttle, or brake if negative) and direction
/// (backward if negative; where a task can reverse), each within ±1.
pub type Action = [f32; 3];

/// Way by which a vehicle gets on, m, and time without after which it is stuck, s.
pub(super) const WAY: f64 = 0.3;
const STUCK: f64 = 4.0;
/// Error of speed up to which it is integrated, m/s, and the largest integral, m.
const INTEGRATED: f64 = 1.0;
const WINDUP: f64 = 4.0;

/// What an episode has been so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Since the reset, s.
    pub time: f64,
    /// Time between actions, s.
    pub period: f64,
    /// The last action.
    pub action: Action,
    /// Square of its change.
    pub action_change: f64,
    /// Where the vehicle was before it, m.
    pub before: [f64; 2],
    /// Energy that the drive put into the wheels over it, J.
    pub energy: f64,
    /// Specific force over it, mean, body axes, m/s².
    pub specific_force: [f64; 3],
    /// Integral of the error of speed, m.
    pub integral: f64,
    /// Way that it wants to go: 1, or -1 backward.
    pub direction: f64,
    /// How long it has wanted that, s.
    pub since_turn: f64,
    /// How long it has wanted to get on and has not, s.
    pub standing: f64,
    /// Where it last got on, m.
    pub(super) mark: [f64; 2],
    /// Energy since the reset, J.
    pub(super) total_energy: f64,
    /// Velocity before, m/s.
    pub(super) velocity: [f64; 3],
    /// How the task was over for it by the last action: a number of [`Ending::NAMES`](super::Ending::NAMES).
    pub ending: u8,
}

impl Memory {
    /// Whether it has wanted to get on for 4 s and has not by 0.3 m.
    pub fn is_stuck(&self) -> bool {
        self.standing >= STUCK
    }

    /// Sums up an error of speed, m/s, where it is small: what is far off has other causes.
    pub(super) fn integrate(&mut self, error: f64) {
        if error.abs() < INTEGRATED {
            self.integral = (self.integral + error * self.period).clamp(-WINDUP, WINDUP);
        }
    }
}

impl Memory {
    /// Of a vehicle at the start.
    pub(super) fn begun(sample: &Sample, options: &Options) -> Memory {
        let position = place(sample);
        Memory {
            period: options.period,
            before: position,
            mark: position,
            direction: 1.0,
            specific_force: (sample.pose.orientation.inverse() * (Vec3::z() * GRAVITY)).into(),
            ..Memory::default()
        }
    }
}

/// Where a vehicle is, m.
pub(super) fn place(sample: &Sample) -> [f64; 2] {
    [sample.pose.position.x, sample.pose.position.y]
}
