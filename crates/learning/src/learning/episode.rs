//! One episode from its reset to its end, as a dataset keeps it.

use super::labels::label_moment;
use super::policy::Wandering;
use super::{Ending, Env, LearningError, Levels, Policy};
use crate::random::Stream;
use std::sync::Arc;

/// An episode as it was driven: of its `steps` each has an action and what came of it, of the
/// `steps + 1` moments between them each an observation and labels. Rows stand one after the
/// other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Episode {
    /// Seed that an environment is reset with to drive it again.
    pub seed: u64,
    /// Number of its level.
    pub level: u64,
    /// Name of who drove it.
    pub driver: &'static str,
    /// How many steps it has.
    pub steps: usize,
    /// What was seen, moment by moment.
    pub observations: Vec<f32>,
    /// What was done, step by step.
    pub actions: Vec<f32>,
    /// Sums of the terms.
    pub rewards: Vec<f64>,
    /// Terms of the reward.
    pub terms: Vec<f64>,
    /// [`super::LABELS`], moment by moment.
    pub labels: Vec<f64>,
    /// Names of the soils under the chassis, moment by moment.
    pub soils: Vec<String>,
    /// Whether the task was over.
    pub terminated: bool,
    /// Whether it was cut off, by time or because it could not go on.
    pub truncated: bool,
    /// One of [`Ending::NAMES`].
    pub ending: &'static str,
}

/// Largest seed that Gymnasium takes and that a number of JSON holds.
const SEEDS: u64 = 1 << 53;

impl Episode {
    /// The seed of an episode of a dataset.
    pub fn seed(dataset: u64, number: u64) -> u64 {
        Stream::new(dataset, "episode").bits(number) % SEEDS
    }

    /// Drives the first episode of a seed, cut off after `limit` steps.
    ///
    /// # Errors
    /// [`LearningError::Option`] when the task has several vehicles, [`LearningError::Level`] when
    /// its level cannot be built.
    pub fn drive(
        levels: &Arc<Levels>,
        policy: Policy,
        seed: u64,
        limit: u32,
    ) -> Result<Episode, LearningError> {
        let mut env = Env::new(levels.clone());
        if env.agents() != 1 {
            let (option, value) = ("vehicles", env.agents().to_string());
            let allowed = "1: an episode is that of one vehicle".into();
            return Err(LearningError::Option { option, value, allowed });
        }
        env.reset(Some(seed), None)?;
        let driver = policy.driver(seed);
        let mut wandering = Wandering::new(seed, env.options().period);
        let (wide, mut terms) = (env.task().actions(), vec![0.0; env.task().terms().len()]);
        let mut episode = Episode { seed, driver: driver.name(), ..Episode::default() };
        episode.see(&env)?;
        loop {
            let action = wandering.action(driver, env.expert(0)?);
            let step = env.step(&action[..wide], &mut terms)?;
            episode.steps += 1;
            episode.actions.extend_from_slice(&action[..wide]);
            episode.rewards.push(step.reward);
            episode.terms.extend_from_slice(&terms);
            episode.see(&env)?;
            episode.terminated = step.terminated;
            episode.truncated = step.cut || episode.steps >= limit as usize;
            episode.ending = Ending::NAMES[usize::from(step.ending)];
            if episode.terminated || episode.truncated {
                return Ok(episode);
            }
        }
    }

    /// Adds what is seen now, and its labels.
    fn see(&mut self, env: &Env) -> Result<(), LearningError> {
        let seen = self.observations.len();
        self.observations.resize(seen + env.observation_size(), 0.0);
        env.observe(&mut self.observations[seen..])?;
        let driven = env.driven.as_ref().ok_or(LearningError::NotReset { env: 0 })?;
        self.level = driven.level.number;
        let (agent, labels) = (&driven.agents[0], &mut self.labels);
        let (sample, time) = (&agent.sample, agent.memory.time);
        self.soils.push(label_moment(&driven.level, &driven.world, sample, time, labels));
        Ok(())
    }
}
