//! What is to be done: what is random, what is rewarded, when it is over.

mod recover;
mod side_slope;
mod slip_speed;
mod soft_goal;

use super::env::Memory;
use super::level::{Course, Draw, Level};
use super::{Action, LearningError};
use crate::numeric::cos;
use crate::simulation::{Sample, World};
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

    /// Whether the map is seen unless an option says otherwise.
    fn sees_map(&self) -> bool {
        true
    }

    /// How far from the start the ground is seen, m.
    fn extent(&self) -> f64 {
        120.0
    }

    /// Draws a level; `difficulty` is from 0 to 1.
    fn course(&self, draw: &mut Draw, difficulty: f64) -> Course;

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
    /// The vehicle.
    pub sample: &'a Sample,
    /// What has been so far.
    pub memory: &'a Memory,
}

/// Terms of the reward of a task that is to get somewhere.
const WAY_TERMS: [&str; 4] = ["progress", "time", "energy", "end"];
/// For getting there; less for ending otherwise.
const PRIZE: f64 = 50.0;
/// Energy at the wheels that costs as much as a metre, J.
const ENERGY: f64 = 1e5;

impl Seen<'_> {
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

    /// Tilt from which a vehicle has overturned, rad.
    const OVERTURNED: f64 = 1.4;

    /// Whether the vehicle lies.
    fn is_overturned(&self) -> bool {
        let up = self.sample.pose.direction(&crate::spatial::Vec3::z()).z;
        up < cos(Seen::OVERTURNED)
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
    /// It wants to go on and has not for 4 s.
    Stuck = 2,
    /// It lies on its side.
    Overturned = 3,
    /// It is too far from where it should be.
    Left = 4,
}

impl Ending {
    /// Their names; that of 0 is of an episode that goes on, the last of one whose state is no
    /// longer finite, which is cut off.
    pub const NAMES: [&'static str; 6] = ["", "goal", "stuck", "overturned", "left", "failed"];
    /// The number of the last.
    pub const FAILED: u8 = 5;
}

/// The tasks.
pub const TASKS: [&dyn Task; 4] =
    [&slip_speed::SlipSpeed, &soft_goal::SoftGoal, &side_slope::SideSlope, &recover::Recover];

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
