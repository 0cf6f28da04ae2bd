//! Tasks: what is random, what is rewarded and when an episode ends.

mod convoy;
mod custom;
mod obstacles;
mod recover;
mod side_slope;
mod slip_speed;
mod soft_goal;
mod vertical;

pub use custom::{CUSTOM_TASKS, Custom};

use super::agent::Agent;
use super::episode_memory::EpisodeMemory;
use super::level::Level;
use super::level_rng::LevelRng;
use super::level_spec::LevelSpec;
use super::{Action, LearningError};
use bekker_agent::{OutcomeCode, Sample};
use bekker_math::numeric::{cos, hypot};
use bekker_world::World;
use std::fmt::Debug;

/// A task; its rewards and endings are independent of those of the simulation.
pub trait LearningTask: Debug + Sync {
    /// Name of the task.
    fn id(&self) -> &'static str;

    /// Number of periods of 0.1 s after which an episode is truncated.
    fn max_steps(&self) -> u32;

    /// Names of the terms whose sum is the reward.
    fn terms(&self) -> &'static [&'static str];

    /// Length of an action: steering, drive, and direction if the task can reverse.
    fn actions(&self) -> usize {
        2
    }

    /// Minimum and maximum number of driven vehicles.
    fn vehicles(&self) -> [u32; 2] {
        [1, 1]
    }

    /// Whether the task supports tracked vehicles.
    fn requires_tracks(&self) -> bool {
        false
    }

    /// Whether the map is observed by default.
    fn observes_map(&self) -> bool {
        true
    }

    /// Distance from the start up to which the ground is observed, m.
    fn extent(&self) -> f64 {
        120.0
    }

    /// Draws a level; `difficulty` is from 0 to 1.
    fn spec(&self, rng: &mut LevelRng, difficulty: f64) -> LevelSpec;

    /// Current target speed, m/s.
    fn target_speed(&self, _: &TaskContext<'_>) -> Option<f64> {
        None
    }

    /// Current goal, m.
    fn goal(&self, _: &TaskContext<'_>) -> Option<[f64; 2]> {
        None
    }

    /// Writes the reward terms of the last period to `terms`; returns the ending of the task, if it
    /// ended.
    fn judge(&self, context: &TaskContext<'_>, terms: &mut [f64]) -> Option<EpisodeEnding>;

    /// Action of a rule, the baseline for learning.
    fn expert(&self, context: &TaskContext<'_>) -> Action;
}

/// Inputs from which a task computes rewards, goals and endings.
#[derive(Clone, Copy, Debug)]
pub struct TaskContext<'a> {
    /// Level of the episode.
    pub level: &'a Level,
    /// World of the episode.
    pub world: &'a World,
    /// Index of the judged vehicle.
    pub agent: usize,
    /// All driven vehicles.
    pub agents: &'a [Agent],
    /// State of the judged vehicle.
    pub sample: &'a Sample,
    /// Values of the judged vehicle accumulated over the episode.
    pub memory: &'a EpisodeMemory,
}

/// Reward terms of the tasks with a goal.
const WAY_TERMS: [&str; 4] = ["progress", "time", "energy", "end"];
/// Distance at which a goal counts as reached, m.
pub const GOAL_RADIUS: f64 = 3.0;
/// Distance from the goal, relative to the initial distance, at which the vehicle counts as lost.
const LEFT: f64 = 1.5;
/// Reward for reaching the goal; it is the penalty for any other ending.
const PRIZE: f64 = 50.0;
/// Energy at the wheels whose cost equals the reward of a meter of progress, J.
const ENERGY: f64 = 1e5;

impl TaskContext<'_> {
    /// State of the vehicle ahead, except for the first vehicle.
    fn ahead(&self) -> Option<&Sample> {
        let ahead = self.agent.checked_sub(1)?;
        Some(&self.agents.get(ahead)?.sample)
    }

    /// Current target speed of the spec, m/s.
    fn course_speed(&self) -> Option<f64> {
        let speeds = &self.level.spec.speeds;
        let at = (self.memory.time / LevelSpec::HOLD) as usize;
        speeds.get(at).or(speeds.last()).copied()
    }

    /// Writes the [`WAY_TERMS`] of a period with `progress`, m.
    fn progress_terms(&self, progress: f64, ending: Option<EpisodeEnding>, terms: &mut [f64]) {
        let end = match ending {
            Some(EpisodeEnding::Goal) => PRIZE,
            Some(_) => -PRIZE,
            None => 0.0,
        };
        let EpisodeMemory { period, energy, .. } = self.memory;
        terms.copy_from_slice(&[progress, -period, -energy / ENERGY, end]);
    }

    /// Writes the [`WAY_TERMS`] of a task with the goal of its spec; returns the ending.
    fn goal_terms(&self, terms: &mut [f64]) -> Option<EpisodeEnding> {
        let goal = self.level.spec.goal;
        let away = |[x, y]: [f64; 2]| hypot(goal[0] - x, goal[1] - y);
        let position = self.sample.pose.position;
        let distance = away([position.x, position.y]);
        let progress = away(self.memory.before) - distance;
        let ending = if distance < GOAL_RADIUS {
            Some(EpisodeEnding::Goal)
        } else if self.has_hit() {
            Some(EpisodeEnding::Hit)
        } else if self.is_overturned() {
            Some(EpisodeEnding::Overturned)
        } else if distance > LEFT * away([0.0; 2]) {
            Some(EpisodeEnding::Left)
        } else {
            self.is_stuck().then_some(EpisodeEnding::Stuck)
        };
        self.progress_terms(progress, ending, terms);
        ending
    }

    /// Tilt at which a vehicle counts as overturned, rad.
    const OVERTURNED: f64 = 1.4;

    /// Returns whether the vehicle has overturned.
    fn is_overturned(&self) -> bool {
        let up = self.sample.pose.direction(&bekker_math::spatial::Vec3::z()).z;
        up < cos(TaskContext::OVERTURNED)
    }

    fn outcome(&self) -> Option<OutcomeCode> {
        self.world.state().agents[self.agent].outcome.as_ref().map(|outcome| outcome.code())
    }

    /// Returns whether the vehicle has collided, with a change of its speed of at least 0.1 m/s.
    fn has_hit(&self) -> bool {
        self.outcome() == Some(OutcomeCode::Collided)
    }

    /// Returns whether the vehicle makes no progress or has sunk into the ground.
    fn is_stuck(&self) -> bool {
        self.memory.is_stuck() || self.has_sunk()
    }

    /// Returns whether the vehicle has sunk into the ground by more than its own height.
    fn has_sunk(&self) -> bool {
        self.outcome() == Some(OutcomeCode::Sunk)
    }

    /// Mean excess of wheel slip over a limit.
    fn slip_beyond(&self, limit: f64) -> f64 {
        let wheels = &self.sample.wheels;
        let beyond: f64 = wheels.iter().map(|wheel| (wheel.slip.abs() - limit).max(0.0)).sum();
        beyond / wheels.len().max(1) as f64
    }

    /// Throttle or brake fraction for a speed: proportional and integral, reduced by slip.
    fn speed_action(&self, speed: f64) -> f32 {
        let found = self.sample.speed;
        let wheels = &self.sample.wheels;
        let slip = wheels.iter().map(|w| w.slip).sum::<f64>() / wheels.len().max(1) as f64;
        // 0.15 covers the rolling resistance of a medium soil
        let wanted = 0.15 + 0.35 * (speed - found) + 0.15 * self.memory.integral;
        (wanted - 1.5 * (slip - 0.35).max(0.0)).clamp(-0.5, 1.0) as f32
    }

    /// Fraction of full lock toward a bearing, rad.
    fn steering_action(&self, bearing: f64) -> f32 {
        (1.6 * bearing - 0.2 * self.sample.angular_velocity.z).clamp(-1.0, 1.0) as f32
    }
}

/// How a task ends an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum EpisodeEnding {
    /// The task is completed.
    Goal = 1,
    /// The vehicle requests drive but made no progress for 4 s, or it has sunk.
    Stuck = 2,
    /// The vehicle has overturned.
    Overturned = 3,
    /// The vehicle is too far from its route, goal or predecessor.
    Left = 4,
    /// The vehicle has collided.
    Hit = 5,
}

impl EpisodeEnding {
    /// Names of the endings.
    ///
    /// Index 0 is an episode that continues; the last is an episode that was truncated because its
    /// state became invalid.
    pub const NAMES: [&'static str; 7] =
        ["", "goal", "stuck", "overturned", "left", "hit", "failed"];
    /// Index of the last name.
    pub const FAILED: u8 = 6;
}

/// All tasks.
pub const TASKS: [&dyn LearningTask; 7] = [
    &slip_speed::SlipSpeed,
    &soft_goal::SoftGoal,
    &side_slope::SideSlope,
    &obstacles::ObstacleTask,
    &recover::Recover,
    &vertical::Vertical,
    &convoy::Convoy,
];

/// Returns the task with a name.
///
/// # Errors
/// [`LearningError::NoTask`] for an unknown name.
pub fn task(name: &str) -> Result<&'static dyn LearningTask, LearningError> {
    TASKS.into_iter().find(|task| task.id() == name).ok_or_else(|| {
        let known: Vec<&str> = TASKS.iter().map(|task| task.id()).collect();
        LearningError::NoTask { name: name.into(), known: known.join(", ") }
    })
}
