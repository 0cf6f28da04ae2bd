//! What is to be done: what is random, what is rewarded, when it is over.

mod convoy;
mod obstacles;
mod recover;
mod side_slope;
mod slip_speed;
mod soft_goal;

use super::agent::Agent;
use super::episode_memory::Memory;
use super::level::Level;
use super::level_draw::Draw;
use super::level_spec::LevelSpec;
use super::{Action, LearningError};
use bekker_agent::{OutcomeCode, Sample};
use bekker_math::numeric::{cos, hypot};
use bekker_world::World;
use std::fmt::Debug;

/// A task. Rewards and endings are its own, not the simulation's.
pub trait Task: Debug + Sync {
    /// Its name.
    fn id(&self) -> &'static str;

    /// Periods of 0.1 s after which an episode is cut off.
    fn max_steps(&self) -> u32;

    /// Names of the terms that its reward is the sum of.
    fn terms(&self) -> &'static [&'static str];

    /// Numbers of an action: steering, drive, and direction where it can reverse.
    fn actions(&self) -> usize {
        2
    }

    /// Fewest and most vehicles that are driven.
    fn vehicles(&self) -> [u32; 2] {
        [1, 1]
    }

    /// Whether it can be driven on tracks.
    fn on_tracks(&self) -> bool {
        false
    }

    /// Whether the map is seen unless an option says otherwise.
    fn sees_map(&self) -> bool {
        true
    }

    /// How far from the start the ground is seen, m.
    fn extent(&self) -> f64 {
        120.0
    }

    /// Draws a level; `difficulty` is from 0 to 1.
    fn spec(&self, draw: &mut Draw, difficulty: f64) -> LevelSpec;

    /// Speed that is wanted now, m/s.
    fn wanted_speed(&self, _: &Seen<'_>) -> Option<f64> {
        None
    }

    /// Where to now, m.
    fn goal(&self, _: &Seen<'_>) -> Option<[f64; 2]> {
        None
    }

    /// The terms of the reward for the last period, into `terms`, and how the task is over, if
    /// it is.
    fn judge(&self, seen: &Seen<'_>, terms: &mut [f64]) -> Option<Ending>;

    /// What a rule does: the bar that learning has to beat.
    fn expert(&self, seen: &Seen<'_>) -> Action;
}

/// What a task judges by.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// Where the episode is driven.
    pub level: &'a Level,
    /// The world.
    pub world: &'a World,
    /// Which of the vehicles is judged.
    pub agent: usize,
    /// All of them.
    pub agents: &'a [Agent],
    /// The vehicle.
    pub sample: &'a Sample,
    /// What has been so far.
    pub memory: &'a Memory,
}

/// Terms of the reward of a task that is to get somewhere.
const WAY_TERMS: [&str; 4] = ["progress", "time", "energy", "end"];
/// Distance at which a goal counts as reached, m.
const REACHED: f64 = 3.0;
/// How far from the goal, in parts of the first distance, it has been left.
const LEFT: f64 = 1.5;
/// For getting there; less for ending otherwise.
const PRIZE: f64 = 50.0;
/// Energy at the wheels that costs as much as a metre, J.
const ENERGY: f64 = 1e5;

impl Seen<'_> {
    /// The vehicle ahead, if it is not the first.
    fn ahead(&self) -> Option<&Sample> {
        let ahead = self.agent.checked_sub(1)?;
        Some(&self.agents.get(ahead)?.sample)
    }

    /// The speed that the spec wants now, m/s.
    fn course_speed(&self) -> Option<f64> {
        let speeds = &self.level.spec.speeds;
        let at = (self.memory.time / LevelSpec::HOLD) as usize;
        speeds.get(at).or(speeds.last()).copied()
    }

    /// The [`WAY_TERMS`] of a period that got on by `progress` m.
    fn way(&self, progress: f64, ending: Option<Ending>, terms: &mut [f64]) {
        let end = match ending {
            Some(Ending::Goal) => PRIZE,
            Some(_) => -PRIZE,
            None => 0.0,
        };
        let Memory { period, energy, .. } = self.memory;
        terms.copy_from_slice(&[progress, -period, -energy / ENERGY, end]);
    }

    /// The [`WAY_TERMS`] of a task that is to get to the goal of its spec, and how it is over.
    fn way_to_goal(&self, terms: &mut [f64]) -> Option<Ending> {
        let goal = self.level.spec.goal;
        let away = |[x, y]: [f64; 2]| hypot(goal[0] - x, goal[1] - y);
        let position = self.sample.pose.position;
        let distance = away([position.x, position.y]);
        let progress = away(self.memory.before) - distance;
        let ending = if distance < REACHED {
            Some(Ending::Goal)
        } else if self.has_hit() {
            Some(Ending::Hit)
        } else if self.is_overturned() {
            Some(Ending::Overturned)
        } else if distance > LEFT * away([0.0; 2]) {
            Some(Ending::Left)
        } else {
            self.is_stuck().then_some(Ending::Stuck)
        };
        self.way(progress, ending, terms);
        ending
    }

    /// Tilt from which a vehicle has overturned, rad.
    const OVERTURNED: f64 = 1.4;

    /// Whether the vehicle lies.
    fn is_overturned(&self) -> bool {
        let up = self.sample.pose.direction(&bekker_math::spatial::Vec3::z()).z;
        up < cos(Seen::OVERTURNED)
    }

    fn outcome(&self) -> Option<OutcomeCode> {
        self.world.state().agents[self.agent].outcome.as_ref().map(|outcome| outcome.code())
    }

    /// Whether the vehicle has run into something: a touch that changed its speed by 0.1 m/s.
    fn has_hit(&self) -> bool {
        self.outcome() == Some(OutcomeCode::Collided)
    }

    /// Whether it does not get on, or has sunk into the ground.
    fn is_stuck(&self) -> bool {
        self.memory.is_stuck() || self.has_sunk()
    }

    /// Whether it has sunk into the ground by more than its own height.
    fn has_sunk(&self) -> bool {
        self.outcome() == Some(OutcomeCode::Sunk)
    }

    /// Mean slip of the wheels beyond a limit.
    fn slip_beyond(&self, limit: f64) -> f64 {
        let wheels = &self.sample.wheels;
        let beyond: f64 = wheels.iter().map(|wheel| (wheel.slip.abs() - limit).max(0.0)).sum();
        beyond / wheels.len().max(1) as f64
    }

    /// A share of throttle or brake for a speed: proportional, integral, held back by slip.
    fn hold(&self, speed: f64) -> f32 {
        let found = self.sample.speed;
        let wheels = &self.sample.wheels;
        let slip = wheels.iter().map(|w| w.slip).sum::<f64>() / wheels.len().max(1) as f64;
        // what rolling takes, about as much as a soil of middling resistance
        let wanted = 0.15 + 0.35 * (speed - found) + 0.15 * self.memory.integral;
        (wanted - 1.5 * (slip - 0.35).max(0.0)).clamp(-0.5, 1.0) as f32
    }

    /// A share of lock towards a bearing, rad.
    fn steer(&self, bearing: f64) -> f32 {
        (1.6 * bearing - 0.2 * self.sample.angular_velocity.z).clamp(-1.0, 1.0) as f32
    }
}

/// How an episode ends by the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Ending {
    /// What was to be done is done.
    Goal = 1,
    /// It wants to go on and has not for 4 s, or it has sunk.
    Stuck = 2,
    /// It lies on its side.
    Overturned = 3,
    /// It is too far from where it should be.
    Left = 4,
    /// It ran into something.
    Hit = 5,
}

impl Ending {
    /// Their names; that of 0 is of an episode that goes on, the last of one whose state is no
    /// longer finite, which is cut off.
    pub const NAMES: [&'static str; 7] =
        ["", "goal", "stuck", "overturned", "left", "hit", "failed"];
    /// The number of the last.
    pub const FAILED: u8 = 6;
}

/// The tasks.
pub const TASKS: [&dyn Task; 6] = [
    &slip_speed::SlipSpeed,
    &soft_goal::SoftGoal,
    &side_slope::SideSlope,
    &obstacles::Obstacles,
    &recover::Recover,
    &convoy::Convoy,
];

/// The task of a name.
///
/// # Errors
/// [`LearningError::NoTask`] when there is none.
pub fn task(name: &str) -> Result<&'static dyn Task, LearningError> {
    TASKS.into_iter().find(|task| task.id() == name).ok_or_else(|| {
        let known: Vec<&str> = TASKS.iter().map(|task| task.id()).collect();
        LearningError::NoTask { name: name.into(), known: known.join(", ") }
    })
}
