//! One environment: episodes on levels.

use super::level::{Level, Levels};
use super::observation::{layout, observe};
use super::task::{Ending, Seen};
use super::{LearningError, Options, Task};
use crate::numeric::{GRAVITY, hypot};
use crate::random::Stream;
use crate::simulation::{Command, OutcomeCode, Sample, Steering, World};
use crate::spatial::Vec3;
use crate::vehicle::Selector;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Steering (positive to the left), drive (throttle, or brake if negative) and direction
/// (backward if negative; where a task can reverse), each within ±1.
pub type Action = [f32; 3];

/// Way by which a vehicle gets on, m, and time without after which it is stuck, s.
const WAY: f64 = 0.3;
const STUCK: f64 = 4.0;
/// Drive above which it wants to get on.
const WANTS: f32 = 0.05;
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
    mark: [f64; 2],
    /// Energy since the reset, J.
    total_energy: f64,
    /// Velocity before, m/s.
    velocity: [f64; 3],
}

impl Memory {
    /// Whether it has wanted to get on for 4 s and has not by 0.3 m.
    pub fn is_stuck(&self) -> bool {
        self.standing >= STUCK
    }

    /// Sums up an error of speed, m/s, where it is small: what is far off has other causes.
    fn integrate(&mut self, error: f64) {
        if error.abs() < INTEGRATED {
            self.integral = (self.integral + error * self.period).clamp(-WINDUP, WINDUP);
        }
    }
}

/// What a period brought.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Step {
    /// Sum of the terms.
    pub reward: f64,
    /// Whether the task is over: reached or failed.
    pub terminated: bool,
    /// Whether it was cut off: its state is no longer finite, or it left the terrain.
    pub cut: bool,
    /// [`Ending::NAMES`].
    pub ending: u8,
}

/// An environment. A clone goes its own way.
#[derive(Clone, Debug)]
pub struct Env {
    levels: Arc<Levels>,
    seed: u64,
    episode: u64,
    pub(super) driven: Option<Driven>,
}

/// An episode on its way.
#[derive(Clone, Debug)]
pub(super) struct Driven {
    pub level: Arc<Level>,
    pub world: World,
    pub sample: Sample,
    pub memory: Memory,
}

impl Driven {
    fn seen(&self) -> Seen<'_> {
        let Driven { level, world, sample, memory } = self;
        Seen { level, world, sample, memory }
    }
}

impl Env {
    /// An environment on these levels, not yet reset.
    pub fn new(levels: Arc<Levels>) -> Env {
        Env { levels, seed: 0, episode: 0, driven: None }
    }

    /// Its task.
    pub fn task(&self) -> &'static dyn Task {
        self.levels.task()
    }

    /// Its options.
    pub fn options(&self) -> &Options {
        self.levels.options()
    }

    /// Its levels.
    pub fn levels(&self) -> &Arc<Levels> {
        &self.levels
    }

    /// Seed and number of the episode.
    pub(super) fn drawn(&self) -> [u64; 2] {
        [self.seed, self.episode]
    }

    /// Goes to an episode of a seed.
    pub(super) fn go_to(&mut self, [seed, episode]: [u64; 2], driven: Driven) {
        (self.seed, self.episode) = (seed, episode);
        self.driven = Some(driven);
    }

    /// How many numbers an observation has.
    pub fn observation_size(&self) -> usize {
        layout(self.task(), self.options()).iter().map(|field| field.size).sum()
    }

    /// Begins an episode: the first of a seed, or the next. Which level it is on follows from
    /// seed and episode, unless it is said.
    ///
    /// # Errors
    /// [`LearningError::Level`] when the level cannot be built; the episode goes on.
    pub fn reset(&mut self, seed: Option<u64>, level: Option<u64>) -> Result<(), LearningError> {
        let (seed, episode) = match seed {
            Some(seed) => (seed, 0),
            None => (self.seed, self.episode + u64::from(self.driven.is_some())),
        };
        let draw = Stream::new(seed, "level").bits(episode);
        let number = level.unwrap_or_else(|| self.options().level(draw));
        let level = self.levels.get(number)?;
        let world = level.start.clone();
        let sample = world.sample(0).unwrap_or_default();
        let position = [sample.pose.position.x, sample.pose.position.y];
        let memory = Memory {
            period: self.options().period,
            before: position,
            mark: position,
            direction: 1.0,
            specific_force: (sample.pose.orientation.inverse() * (Vec3::z() * GRAVITY)).into(),
            ..Memory::default()
        };
        self.go_to([seed, episode], Driven { level, world, sample, memory });
        Ok(())
    }

    /// Drives for a period; the terms of the reward go to `terms`.
    ///
    /// # Errors
    /// [`LearningError`] when it has not been reset, or an action is no number.
    pub fn step(&mut self, action: &[f32], terms: &mut [f64]) -> Result<Step, LearningError> {
        let task = self.task();
        let wanted = task.actions();
        if action.len() != wanted {
            let found = action.len();
            return Err(LearningError::Count { what: "an action", found, expected: wanted });
        }
        if let Some(index) = action.iter().position(|value| !value.is_finite()) {
            return Err(LearningError::Action { env: 0, index, value: action[index] });
        }
        let driven = self.driven.as_mut().ok_or(LearningError::NotReset { env: 0 })?;
        let mut full = [0.0; 3];
        for (place, value) in full.iter_mut().zip(action) {
            *place = value.clamp(-1.0, 1.0);
        }
        driven.drive(full);
        driven.remember(full);
        let Driven { world, .. } = &*driven;
        let outcome = world.state().agents[0].outcome.as_ref().map(|outcome| outcome.code());
        let error = task.wanted_speed(&driven.seen()).map(|wanted| wanted - driven.sample.speed);
        driven.memory.integrate(error.unwrap_or_default());
        terms.fill(0.0);
        if let Some(OutcomeCode::Failed | OutcomeCode::LeftTerrain) = outcome {
            return Ok(Step { cut: true, ending: Ending::FAILED, ..Step::default() });
        }
        let ended = task.judge(&driven.seen(), terms);
        let reward = terms.iter().sum();
        let ending = ended.map_or(0, |ending| ending as u8);
        Ok(Step { reward, terminated: ending > 0, cut: false, ending })
    }

    /// Writes what is seen now.
    ///
    /// # Errors
    /// [`LearningError`] when it has not been reset, or the room is not that of an observation.
    pub fn observe(&self, room: &mut [f32]) -> Result<(), LearningError> {
        let driven = self.driven.as_ref().ok_or(LearningError::NotReset { env: 0 })?;
        let (found, expected) = (room.len(), self.observation_size());
        if found != expected {
            return Err(LearningError::Count { what: "an observation", found, expected });
        }
        let noise = Stream::new(self.seed, "noise");
        let steps = (driven.memory.time / driven.memory.period).round() as u64;
        let first = (self.episode << 32) + (steps << 8);
        let noise = |n: u64| noise.normal(first + n);
        observe(self.task(), self.options(), &driven.seen(), noise, room);
        Ok(())
    }

    /// What a rule would do now.
    ///
    /// # Errors
    /// [`LearningError`] when it has not been reset.
    pub fn expert(&self) -> Result<Action, LearningError> {
        let driven = self.driven.as_ref().ok_or(LearningError::NotReset { env: 0 })?;
        Ok(self.task().expert(&driven.seen()))
    }

    /// The world of the episode, and its level.
    ///
    /// # Errors
    /// [`LearningError`] when it has not been reset.
    pub fn world(&self) -> Result<(&World, &Level), LearningError> {
        let driven = self.driven.as_ref().ok_or(LearningError::NotReset { env: 0 })?;
        Ok((&driven.world, &driven.level))
    }

    /// Names of the figures of [`Env::figures`].
    pub const FIGURES: [&'static str; 7] =
        ["speed", "slip", "sinkage", "energy", "x", "y", "level"];

    /// What the episode has come to: speed m/s, mean slip, mean sinkage m, energy J since the
    /// reset, place m, number of the level.
    pub fn figures(&self) -> [f64; 7] {
        let Some(Driven { level, sample, memory, .. }) = &self.driven else { return [0.0; 7] };
        let count = sample.wheels.len().max(1) as f64;
        let slip = sample.wheels.iter().map(|wheel| wheel.slip).sum::<f64>() / count;
        let sinkage = sample.wheels.iter().map(|wheel| wheel.sinkage).sum::<f64>() / count;
        let position = sample.pose.position;
        let (speed, energy) = (sample.speed, memory.total_energy);
        [speed, slip, sinkage, energy, position.x, position.y, level.number as f64]
    }
}

impl Driven {
    /// Commands the vehicle and goes on for a period.
    fn drive(&mut self, [steering, drive, direction]: Action) {
        let [steering, drive] = [steering, drive].map(f64::from);
        let gear = if direction < 0.0 { Selector::Reverse } else { Selector::Drive };
        let command = Command {
            throttle: drive.max(0.0),
            brake: (-drive).max(0.0),
            steering: Steering::Share(steering),
            gear,
            inflation: None,
        };
        // there is a vehicle, and these are numbers
        let _ = self.world.command(0, Some(command));
        let Driven { world, memory, sample, .. } = self;
        memory.before = [sample.pose.position.x, sample.pose.position.y];
        memory.velocity = sample.velocity.into();
        let ticks = (memory.period / world.model().clock.step()).round() as u64;
        let until = world.state().tick + ticks;
        while world.state().tick < until {
            world.advance();
        }
        world.sample_into(0, sample);
    }

    fn remember(&mut self, action: Action) {
        let Driven { world, sample, memory, .. } = self;
        let position = [sample.pose.position.x, sample.pose.position.y];
        memory.time += memory.period;
        let change = |n: usize| f64::from(action[n] - memory.action[n]);
        memory.action_change = change(0) * change(0) + change(1) * change(1);
        memory.action = action;
        let total = world.state().agents[0].monitor.drive_energy();
        memory.energy = total - memory.total_energy;
        memory.total_energy = total;
        let gained = (sample.velocity - Vec3::from(memory.velocity)) / memory.period;
        let felt = gained + Vec3::z() * GRAVITY;
        memory.specific_force = sample.pose.orientation.inverse_transform_vector(&felt).into();
        let direction = if action[2] < 0.0 { -1.0 } else { 1.0 };
        let way = hypot(position[0] - memory.mark[0], position[1] - memory.mark[1]);
        if way > WAY || direction != memory.direction || action[1] <= WANTS {
            memory.mark = position;
            memory.standing = 0.0;
        } else {
            memory.standing += memory.period;
        }
        let turned = direction != memory.direction;
        memory.since_turn = if turned { 0.0 } else { memory.since_turn + memory.period };
        memory.direction = direction;
    }
}
