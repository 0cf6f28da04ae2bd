//! State that an environment keeps over an episode.

use super::Options;
use bekker_agent::Sample;
use bekker_math::spatial::Vec3;
use serde::{Deserialize, Serialize};

/// Steering, drive and direction, each within ±1.
///
/// Steering is positive to the left. Drive is throttle, or brake if negative. Direction is backward
/// if negative, and present only if the task can reverse.
pub type Action = [f32; 3];

/// Least distance that counts as progress, m, and the time without progress after which a vehicle
/// is stuck, s.
pub(super) const MIN_PROGRESS: f64 = 0.3;
const STALL_TIME: f64 = 4.0;
/// Largest speed error that is integrated, m/s, and the limit of the integral, m.
const MAX_INTEGRATED_ERROR: f64 = 1.0;
const MAX_INTEGRAL: f64 = 4.0;

/// Values of a vehicle accumulated over the episode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EpisodeMemory {
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
    pub direction_time: f64,
    /// Time for which drive has been requested without progress, s.
    pub stalled_time: f64,
    /// Position of the last progress, m.
    pub(super) progress_position: [f64; 2],
    /// Drive energy since the reset, J.
    pub(super) total_energy: f64,
    /// Velocity before the last action, m/s.
    pub(super) velocity: [f64; 3],
    /// Ending of the task for this vehicle, an index into
    /// [`EpisodeEnding::NAMES`](super::EpisodeEnding::NAMES).
    pub ending: u8,
}

impl EpisodeMemory {
    /// Returns whether drive has been requested for 4 s with less than 0.3 m of progress.
    pub fn is_stuck(&self) -> bool {
        self.stalled_time >= STALL_TIME
    }

    /// Integrates a speed error, m/s, if it is small; large errors have other causes.
    pub(super) fn integrate(&mut self, error: f64) {
        if error.abs() < MAX_INTEGRATED_ERROR {
            self.integral =
                (self.integral + error * self.period).clamp(-MAX_INTEGRAL, MAX_INTEGRAL);
        }
    }
}

impl EpisodeMemory {
    /// Returns the memory of a vehicle at the start under `gravity`, m/s².
    pub(super) fn initial(sample: &Sample, options: &Options, gravity: f64) -> EpisodeMemory {
        let position = horizontal_position(sample);
        EpisodeMemory {
            period: options.period,
            before: position,
            progress_position: position,
            direction: 1.0,
            specific_force: (sample.pose.orientation.inverse() * (Vec3::z() * gravity)).into(),
            ..EpisodeMemory::default()
        }
    }
}

/// Horizontal position of a vehicle, m.
pub(super) fn horizontal_position(sample: &Sample) -> [f64; 2] {
    [sample.pose.position.x, sample.pose.position.y]
}
