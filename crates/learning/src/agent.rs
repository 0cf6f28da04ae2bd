//! A vehicle of an environment.

use super::LocalGround;
use super::episode_memory::{Action, EpisodeMemory, MIN_PROGRESS, horizontal_position};
use bekker_agent::Sample;
use bekker_math::numeric::hypot;
use bekker_math::spatial::Vec3;

/// Drive action above which the vehicle requests drive.
const DRIVE_THRESHOLD: f32 = 0.05;

/// A vehicle with an external controller.
#[derive(Clone, Debug, Default)]
pub struct Agent {
    /// Current state of the vehicle.
    pub sample: Sample,
    /// Values accumulated over the episode.
    pub memory: EpisodeMemory,
    /// The ground around it, if camera or lidar are observed.
    pub local_ground: Option<LocalGround>,
}

impl Agent {
    /// Records the state before an action.
    pub(super) fn before_action(&mut self, action: Action) {
        let Agent { sample, memory, .. } = self;
        memory.before = horizontal_position(sample);
        memory.velocity = sample.velocity.into();
        let change = |n: usize| f64::from(action[n] - memory.action[n]);
        memory.action_change = change(0) * change(0) + change(1) * change(1);
        memory.action = action;
    }

    /// Records the state after an action under `gravity`, m/s²; `energy`, J, is the drive energy at
    /// the wheels since the reset.
    pub(super) fn after_action(&mut self, energy: f64, gravity: f64) {
        let Agent { sample, memory, .. } = self;
        let position = horizontal_position(sample);
        memory.time += memory.period;
        memory.energy = energy - memory.total_energy;
        memory.total_energy = energy;
        let gained = (sample.velocity - Vec3::from(memory.velocity)) / memory.period;
        let felt = gained + Vec3::z() * gravity;
        memory.specific_force = sample.pose.orientation.inverse_transform_vector(&felt).into();
        let direction = if memory.action[2] < 0.0 { -1.0 } else { 1.0 };
        let progress = hypot(
            position[0] - memory.progress_position[0],
            position[1] - memory.progress_position[1],
        );
        let turned = direction != memory.direction;
        if progress > MIN_PROGRESS || turned || memory.action[1] <= DRIVE_THRESHOLD {
            memory.progress_position = position;
            memory.stalled_time = 0.0;
        } else {
            memory.stalled_time += memory.period;
        }
        memory.direction_time = if turned { 0.0 } else { memory.direction_time + memory.period };
        memory.direction = direction;
    }
}
