//! Recording of one episode, from reset to end, for datasets.

use super::labels::write_labels;
use super::policy::RandomWalk;
use super::{Env, EpisodeEnding, LearningError, Levels, Policy};
use bekker_math::random::RandomStream;
use std::sync::Arc;

/// An episode of one vehicle.
///
/// Each of its `steps` has an action and a reward. Each of the `steps + 1` moments between them has
/// an observation and labels. Rows are stored contiguously.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Episode {
    /// Seed; a reset with it replays the episode.
    pub seed: u64,
    /// Number of its level.
    pub level: u64,
    /// Index of the vehicle, from the front of the column.
    pub vehicle: usize,
    /// Name of the driver.
    pub driver: &'static str,
    /// Number of steps.
    pub steps: usize,
    /// Observations, moment by moment.
    pub observations: Vec<f32>,
    /// Actions, step by step.
    pub actions: Vec<f32>,
    /// Rewards, the sums of their terms.
    pub rewards: Vec<f64>,
    /// Terms of the reward.
    pub terms: Vec<f64>,
    /// [`super::LABELS`], moment by moment.
    pub labels: Vec<f64>,
    /// Names of the soils under the chassis, moment by moment.
    pub soils: Vec<String>,
    /// Whether the task ended.
    pub terminated: bool,
    /// Whether the episode was truncated, by time or because it could not continue.
    pub truncated: bool,
    /// One of [`EpisodeEnding::NAMES`], for the first vehicle whose task ended.
    pub ending: &'static str,
}

/// Number of seeds: Gymnasium accepts, and JSON numbers represent, all integers below it.
const SEEDS: u64 = 1 << 53;

impl Episode {
    /// Returns the seed of an episode of a dataset.
    pub fn seed(dataset: u64, number: u64) -> u64 {
        RandomStream::new(dataset, "episode").bits(number) % SEEDS
    }

    /// Runs the first episode of a seed, truncated after `limit` steps.
    ///
    /// It returns one recording per vehicle, all of the same length. All vehicles have the same
    /// kind of driver.
    ///
    /// # Errors
    /// [`LearningError::Level`] when its level cannot be built.
    pub fn drive(
        levels: &Arc<Levels>,
        policy: Policy,
        seed: u64,
        limit: u32,
    ) -> Result<Vec<Episode>, LearningError> {
        let mut env = Env::new(levels.clone());
        env.reset(Some(seed), None)?;
        let driver = policy.driver(seed);
        let period = env.options().period;
        let (wide, count) = (env.task().actions(), env.task().terms().len());
        let begun =
            |vehicle| Episode { seed, vehicle, driver: driver.name(), ..Episode::default() };
        let mut episodes: Vec<Episode> = (0..env.agents()).map(begun).collect();
        let mut random_walk: Vec<RandomWalk> =
            (0..env.agents()).map(|vehicle| RandomWalk::new(seed, vehicle, period)).collect();
        let mut actions = vec![0.0; wide * env.agents()];
        let mut terms = vec![0.0; count * env.agents()];
        let mut buffer = vec![0.0; env.observation_size() * env.agents()];
        record_observations(&env, &mut buffer, &mut episodes)?;
        loop {
            for (vehicle, action) in actions.chunks_mut(wide).enumerate() {
                let whole = random_walk[vehicle].action(driver, env.expert(vehicle)?);
                action.copy_from_slice(&whole[..wide]);
            }
            let step = env.step(&actions, &mut terms)?;
            let each = actions.chunks(wide).zip(terms.chunks(count));
            for (episode, (action, terms)) in episodes.iter_mut().zip(each) {
                episode.steps += 1;
                episode.actions.extend_from_slice(action);
                episode.rewards.push(terms.iter().sum());
                episode.terms.extend_from_slice(terms);
                episode.terminated = step.terminated;
                episode.truncated = step.truncated || episode.steps >= limit as usize;
                episode.ending = EpisodeEnding::NAMES[usize::from(step.ending)];
            }
            record_observations(&env, &mut buffer, &mut episodes)?;
            if episodes.iter().all(|episode| episode.terminated || episode.truncated) {
                return Ok(episodes);
            }
        }
    }
}

/// Appends the current observation and labels of each vehicle; `buffer` is a buffer for all
/// observations.
fn record_observations(
    env: &Env,
    buffer: &mut [f32],
    episodes: &mut [Episode],
) -> Result<(), LearningError> {
    env.observe(buffer)?;
    let run = env.run.as_ref().ok_or(LearningError::NotReset { env: 0 })?;
    let each = buffer.chunks(env.observation_size()).zip(episodes).enumerate();
    for (vehicle, (observation, episode)) in each {
        episode.observations.extend_from_slice(observation);
        episode.level = run.level.number;
        let soil = write_labels(run, vehicle, &mut episode.labels);
        episode.soils.push(soil);
    }
    Ok(())
}
