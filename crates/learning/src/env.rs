//! One environment: episodes on levels.

use super::agent::Agent;
use super::episode_memory::{Action, EpisodeMemory, horizontal_position};
use super::level::Level;
use super::levels::Levels;
use super::observation::observe;
use super::task::{EpisodeEnding, TaskContext};
use super::{LearningError, LearningTask, Options};
use bekker_agent::OutcomeCode;
use bekker_math::random::RandomStream;
use bekker_vehicle::Selector;
use bekker_world::{Command, SteeringCommand, World};
use std::ops::Range;
use std::sync::Arc;

/// Result of one environment step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnvStep {
    /// Sum of the reward terms of all driven vehicles.
    pub reward: f64,
    /// Whether the task ended: reached or failed.
    pub terminated: bool,
    /// Whether the episode was truncated, because the state became invalid or a vehicle left the
    /// terrain.
    pub truncated: bool,
    /// Index into [`EpisodeEnding::NAMES`], for the first vehicle whose task ended.
    pub ending: u8,
}

/// An environment; clones are independent.
#[derive(Clone, Debug)]
pub struct Env {
    levels: Arc<Levels>,
    seed: u64,
    episode: u64,
    /// Levels from which episodes are drawn; `None` for those of the options.
    drawn_levels: Option<Range<u64>>,
    pub(super) run: Option<EpisodeRun>,
}

/// A running episode.
#[derive(Clone, Debug)]
pub(super) struct EpisodeRun {
    pub level: Arc<Level>,
    pub world: World,
    pub agents: Vec<Agent>,
}

impl EpisodeRun {
    /// Builds the episode of a world from the memory of each vehicle.
    pub(super) fn new(level: Arc<Level>, world: World, memories: Vec<EpisodeMemory>) -> EpisodeRun {
        let agent = |(index, memory)| {
            let sample = world.sample(index).unwrap_or_default();
            let place = horizontal_position(&sample);
            let local_ground =
                level.perception.as_ref().map(|perception| perception.local_ground(&world, place));
            Agent { sample, memory, local_ground }
        };
        let agents = memories.into_iter().enumerate().map(agent).collect();
        EpisodeRun { level, world, agents }
    }

    fn context(&self, agent: usize) -> TaskContext<'_> {
        let EpisodeRun { level, world, agents } = self;
        let Agent { sample, memory, .. } = &agents[agent];
        TaskContext { level, world, agent, agents, sample, memory }
    }
}

impl Env {
    /// Creates an environment on these levels, not yet reset.
    pub fn new(levels: Arc<Levels>) -> Env {
        Env { levels, seed: 0, episode: 0, drawn_levels: None, run: None }
    }

    /// Task of the environment.
    pub fn task(&self) -> &'static dyn LearningTask {
        self.levels.task()
    }

    /// Options of the environment.
    pub fn options(&self) -> &Options {
        self.levels.options()
    }

    /// Levels of the environment.
    pub fn levels(&self) -> &Arc<Levels> {
        &self.levels
    }

    /// Seed and number of the current episode.
    pub(super) fn seed_and_episode(&self) -> [u64; 2] {
        [self.seed, self.episode]
    }

    /// Sets the current episode.
    pub(super) fn set_episode(&mut self, [seed, episode]: [u64; 2], run: EpisodeRun) {
        (self.seed, self.episode) = (seed, episode);
        self.run = Some(run);
    }

    /// Number of vehicles with an external controller.
    pub fn agents(&self) -> usize {
        self.levels.agents()
    }

    /// Length of the observation of one vehicle.
    pub fn observation_size(&self) -> usize {
        self.levels.observation_size()
    }

    /// Draws the next episodes from these levels, which must not be empty.
    pub(super) fn draw_levels(&mut self, levels: Range<u64>) {
        self.drawn_levels = Some(levels);
    }

    /// Begins an episode: the first of a seed, or the next.
    ///
    /// Seed and episode determine the level, unless `level` is given.
    ///
    /// # Errors
    /// [`LearningError::Level`] when the level cannot be built; the current episode then continues.
    pub fn reset(&mut self, seed: Option<u64>, level: Option<u64>) -> Result<(), LearningError> {
        let (seed, episode) = match seed {
            Some(seed) => (seed, 0),
            None => (self.seed, self.episode + u64::from(self.run.is_some())),
        };
        let draw = RandomStream::new(seed, "level").bits(episode);
        let number = level.unwrap_or_else(|| match &self.drawn_levels {
            Some(levels) => levels.start + draw % (levels.end - levels.start),
            None => self.options().level(draw),
        });
        let level = self.levels.get(number)?;
        let world = level.start.clone();
        let gravity = world.model().ground.laws().gravity;
        let begun = |agent| {
            EpisodeMemory::initial(
                &world.sample(agent).unwrap_or_default(),
                self.options(),
                gravity,
            )
        };
        let memories = (0..self.agents()).map(begun).collect();
        self.set_episode([seed, episode], EpisodeRun::new(level, world, memories));
        Ok(())
    }

    /// Runs one action period.
    ///
    /// `actions` are ordered vehicle by vehicle, and so are the reward terms written to `terms`.
    ///
    /// # Errors
    /// [`LearningError`] when it has not been reset, a length is wrong, or an action is not finite.
    pub fn step(&mut self, actions: &[f32], terms: &mut [f64]) -> Result<EnvStep, LearningError> {
        let task = self.task();
        let (wide, count) = (task.actions(), task.terms().len());
        let (found, expected) = (actions.len(), wide * self.agents());
        if found != expected {
            return Err(LearningError::Count { what: "an action", found, expected });
        }
        if let Some(index) = actions.iter().position(|value| !value.is_finite()) {
            return Err(LearningError::Action { env: 0, index, value: actions[index] });
        }
        let (found, expected) = (terms.len(), count * self.agents());
        if found != expected {
            return Err(LearningError::Count { what: "buffer for reward terms", found, expected });
        }
        let run = self.run.as_mut().ok_or(LearningError::NotReset { env: 0 })?;
        run.advance(actions, wide);
        for agent in 0..run.agents.len() {
            let speed = run.agents[agent].sample.speed;
            let error = task.target_speed(&run.context(agent)).map(|wanted| wanted - speed);
            run.agents[agent].memory.integrate(error.unwrap_or_default());
        }
        terms.fill(0.0);
        let failed = |agent: usize| {
            let outcome = run.world.state().agents[agent].outcome.as_ref();
            let code = outcome.map(|outcome| outcome.code());
            matches!(
                code,
                Some(OutcomeCode::Failed | OutcomeCode::LeftTerrain | OutcomeCode::UnmappedGround)
            )
        };
        if (0..run.agents.len()).any(failed) {
            let failed = |agent: &mut Agent| agent.memory.ending = EpisodeEnding::FAILED;
            run.agents.iter_mut().for_each(failed);
            return Ok(EnvStep {
                truncated: true,
                ending: EpisodeEnding::FAILED,
                ..EnvStep::default()
            });
        }
        let mut step = EnvStep::default();
        for (agent, terms) in terms.chunks_mut(count).enumerate() {
            let ended = task.judge(&run.context(agent), terms);
            let ending = ended.map_or(0, |ending| ending as u8);
            run.agents[agent].memory.ending = ending;
            step.reward += terms.iter().sum::<f64>();
            step.ending = if step.ending == 0 { ending } else { step.ending };
        }
        step.terminated = step.ending > 0;
        Ok(step)
    }

    /// Writes the current observations, vehicle by vehicle.
    ///
    /// # Errors
    /// [`LearningError`] when it has not been reset, or `buffer` has a wrong length.
    pub fn observe(&self, buffer: &mut [f32]) -> Result<(), LearningError> {
        let run = self.run.as_ref().ok_or(LearningError::NotReset { env: 0 })?;
        let size = self.observation_size();
        let (found, expected) = (buffer.len(), size * self.agents());
        if found != expected {
            return Err(LearningError::Count { what: "an observation", found, expected });
        }
        let noise = RandomStream::new(self.seed, "noise");
        for (agent, buffer) in buffer.chunks_mut(size).enumerate() {
            let memory = &run.agents[agent].memory;
            let steps = (memory.time / memory.period).round() as u64;
            let first = (self.episode << 32) + (steps << 8) + 32 * agent as u64;
            let noise = |n: u64| noise.normal(first + n);
            observe(self.task(), self.options(), &run.context(agent), noise, buffer);
        }
        Ok(())
    }

    /// Action of the task's rule for one of the vehicles in the current state.
    ///
    /// # Errors
    /// [`LearningError`] when it has not been reset, or the vehicle does not exist.
    pub fn expert(&self, agent: usize) -> Result<Action, LearningError> {
        let run = self.run.as_ref().ok_or(LearningError::NotReset { env: 0 })?;
        let expected = run.agents.len();
        if agent >= expected {
            return Err(LearningError::Count {
                what: "vehicles before it",
                found: agent,
                expected,
            });
        }
        Ok(self.task().expert(&run.context(agent)))
    }

    /// World of the episode, and its level.
    ///
    /// # Errors
    /// [`LearningError`] when it has not been reset.
    pub fn world(&self) -> Result<(&World, &Level), LearningError> {
        let run = self.run.as_ref().ok_or(LearningError::NotReset { env: 0 })?;
        Ok((&run.world, &run.level))
    }

    /// Goal of the level, m; `None` in tasks without one, or whose goal moves ahead of the vehicle.
    ///
    /// # Errors
    /// [`LearningError`] when it has not been reset.
    pub fn level_goal(&self) -> Result<Option<[f64; 2]>, LearningError> {
        let run = self.run.as_ref().ok_or(LearningError::NotReset { env: 0 })?;
        let goal = self.task().goal(&run.context(0));
        Ok(goal.filter(|goal| *goal == run.level.spec.goal))
    }

    /// A vehicle of the episode, with its target speed, m/s, and goal, m.
    ///
    /// # Errors
    /// [`LearningError`] when it has not been reset, or the vehicle does not exist.
    #[allow(clippy::type_complexity)]
    pub fn agent(
        &self,
        agent: usize,
    ) -> Result<(&Agent, Option<f64>, Option<[f64; 2]>), LearningError> {
        let run = self.run.as_ref().ok_or(LearningError::NotReset { env: 0 })?;
        let (what, expected) = ("vehicles before it", run.agents.len());
        let known = run.agents.get(agent);
        let own = known.ok_or(LearningError::Count { what, found: agent, expected })?;
        let context = run.context(agent);
        Ok((own, self.task().target_speed(&context), self.task().goal(&context)))
    }

    /// Ending of the task for one of the vehicles after the last action, an index into
    /// [`EpisodeEnding::NAMES`].
    pub fn ending(&self, agent: usize) -> u8 {
        let run = self.run.as_ref();
        run.and_then(|run| run.agents.get(agent)).map_or(0, |agent| agent.memory.ending)
    }

    /// Names of the values of [`Env::figures`].
    pub const FIGURES: [&'static str; 7] =
        ["speed", "slip", "sinkage", "energy", "x", "y", "level"];

    /// Metrics of the episode for one of the vehicles.
    ///
    /// They are speed, m/s, mean slip, mean sinkage, m, drive energy since the reset, J, position,
    /// m, and level number. All are 0 without an episode or vehicle.
    pub fn figures(&self, agent: usize) -> [f64; 7] {
        let Some(run) = &self.run else { return [0.0; 7] };
        let Some(Agent { sample, memory, .. }) = run.agents.get(agent) else { return [0.0; 7] };
        let count = sample.wheels.len().max(1) as f64;
        let slip = sample.wheels.iter().map(|wheel| wheel.slip).sum::<f64>() / count;
        let sinkage = sample.wheels.iter().map(|wheel| wheel.sinkage).sum::<f64>() / count;
        let position = sample.pose.position;
        let (speed, energy) = (sample.speed, memory.total_energy);
        [speed, slip, sinkage, energy, position.x, position.y, run.level.number as f64]
    }
}

impl EpisodeRun {
    /// Commands the vehicles, simulates one period and records the results.
    fn advance(&mut self, actions: &[f32], wide: usize) {
        let EpisodeRun { world, agents, .. } = self;
        for (index, (agent, action)) in agents.iter_mut().zip(actions.chunks(wide)).enumerate() {
            let mut full = [0.0; 3];
            for (place, value) in full.iter_mut().zip(action) {
                *place = value.clamp(-1.0, 1.0);
            }
            // the vehicle exists and the values are finite, so this cannot fail
            let _ = world.command(index, Some(command(full)));
            agent.before_action(full);
        }
        let period = agents.first().map_or(0.0, |agent| agent.memory.period);
        let ticks = (period / world.model().clock.step()).round() as u64;
        let until = world.state().tick + ticks;
        while world.state().tick < until {
            world.advance();
        }
        for (index, agent) in agents.iter_mut().enumerate() {
            world.sample_into(index, &mut agent.sample);
            let energy = world.state().agents[index].monitor.drive_energy();
            agent.after_action(energy, world.model().ground.laws().gravity);
            if let Some(local_ground) = &mut agent.local_ground {
                local_ground.update(world, horizontal_position(&agent.sample));
            }
        }
    }
}

fn command([steering, drive, direction]: Action) -> Command {
    let [steering, drive] = [steering, drive].map(f64::from);
    Command {
        throttle: drive.max(0.0),
        brake: (-drive).max(0.0),
        steering: SteeringCommand::Share(steering),
        gear: if direction < 0.0 { Selector::Reverse } else { Selector::Drive },
        ..Command::default()
    }
}
