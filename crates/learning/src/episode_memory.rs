//! State that an environment keeps over an episode.

use super::Options;
use bekker_agent::Sample;
use bekker_math::numeric::GRAVITY;
use bekker_math::spatial::Vec3;
use serde::{Deserialize, Serialize};

/// Steering, drive and direction, each within ±1.
///
/// Steering is positive to the left. Drive is throttle, or brake if negative. Direction is backward
/// if negative, and present only if the task can reverse.
pub type Action = [f32; 3];

/// Least distance that counts as progress, m, and the time without progress after which a vehicle
/// is stuck, s.
pub(super) const WAY: f64 = 0.3;
const STUCK: f64 = 4.0;
/// Largest speed error that is integrated, m/s, and the limit of the integral, m.
const INTEGRATED: f64 = 1.0;
const WINDUP: f64 = 4.0;

/// Values of a vehicle accumulated over the episode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Time since the reset, s.
    pub time: f64,
    /// Time between actions, s.
    pub period: f64,
    /// The last action.
    pub action: Action,
    /// Squared change of the action.
    pub action_change: f64,
    /// Position before the last action, m.
    pub before: [f64; 2],
    /// Drive energy at the wheels over the last action, J.
    pub energy: f64,
    /// Mean specific force over the last action, body axes, m/s².
    pub specific_force: [f64; 3],
    /// Integral of the speed error, m.
    pub integral: f64,
    /// Requested direction of travel: 1, or -1 backward.
    pub direction: f64,
    /// Time for which this direction has been requested, s.
    pub since_turn: f64,
    /// Time for which drive has been requested without progress, s.
    pub standing: f64,
    /// Position of the last progress, m.
    pub(super) mark: [f64; 2],
    /// Drive energy since the reset, J.
    pub(super) total_energy: f64,
    /// Velocity before the last action, m/s.
    pub(super) velocity: [f64; 3],
    /// Ending of the task for this vehicle, an index into [`Ending::NAMES`](super::Ending::NAMES).
    pub ending: u8,
}

impl Memory {
    /// Returns whether drive has been requested for 4 s with less than 0.3 m of progress.
    pub fn is_stuck(&self) -> bool {
        self.standing >= STUCK
    }

    /// Integrates a speed error, m/s, if it is small; large errors have other causes.
    pub(super) fn integrate(&mut self, error: f64) {
        if error.abs() < INTEGRATED {
            self.integral = (self.integral + error * self.period).clamp(-WINDUP, WINDUP);
        }
    }
}

impl Memory {
    /// Returns the memory of a vehicle at the start.
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

/// Horizontal position of a vehicle, m.
pub(super) fn place(sample: &Sample) -> [f64; 2] {
    [sample.pose.position.x, sample.pose.position.y]
}
