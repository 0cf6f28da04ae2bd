//! One episode from its reset to its end, as a dataset keeps it.

use super::labels::label_moment;
use super::policy::Wandering;
use super::{Ending, Env, LearningError, Levels, Policy};
use bekker_math::random::Stream;
use std::sync::Arc;

/// An episode as one vehicle drove it: of its `steps` each has an action and what came of it, of
/// the `steps + 1` moments between them each an observation and labels. Rows stand one after the
/// other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Episode {
    /// Seed that an environment is reset with to drive it again.
    pub seed: u64,
    /// Number of its level.
    pub level: u64,
    /// Which of the vehicles it is of, from the first in the row.
    pub vehicle: usize,
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
    /// One of [`Ending::NAMES`]: of the first vehicle for which it was over.
    pub ending: &'static str,
}

/// Largest seed that Gymnasium takes and that a number of JSON holds.
const SEEDS: u64 = 1 << 53;

impl Episode {
    /// The seed of an episode of a dataset.
    pub fn seed(dataset: u64, number: u64) -> u64 {
        Stream::new(dataset, "episode").bits(number) % SEEDS
    }

    /// Drives the first episode of a seed, cut off after `limit` steps: what each of its vehicles
    /// did, one after the other, all in as many steps. All are driven by one kind of driver.
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
        let mut wandering: Vec<Wandering> =
            (0..env.agents()).map(|vehicle| Wandering::new(seed, vehicle, period)).collect();
        let mut actions = vec![0.0; wide * env.agents()];
        let mut terms = vec![0.0; count * env.agents()];
        let mut seen = vec![0.0; env.observation_size() * env.agents()];
        see(&env, &mut seen, &mut episodes)?;
        loop {
            for (vehicle, action) in actions.chunks_mut(wide).enumerate() {
                let whole = wandering[vehicle].action(driver, env.expert(vehicle)?);
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
                episode.truncated = step.cut || episode.steps >= limit as usize;
                episode.ending = Ending::NAMES[usize::from(step.ending)];
            }
            see(&env, &mut seen, &mut episodes)?;
            if episodes.iter().all(|episode| episode.terminated || episode.truncated) {
                return Ok(episodes);
            }
        }
    }
}

/// Adds what is seen now from each vehicle, and its labels; `seen` has room for all of them.
fn see(env: &Env, seen: &mut [f32], episodes: &mut [Episode]) -> Result<(), LearningError> {
    env.observe(seen)?;
    let driven = env.driven.as_ref().ok_or(LearningError::NotReset { env: 0 })?;
    let each = seen.chunks(env.observation_size()).zip(episodes).enumerate();
    for (vehicle, (observation, episode)) in each {
        episode.observations.extend_from_slice(observation);
        episode.level = driven.level.number;
        let soil = label_moment(driven, vehicle, &mut episode.labels);
        episode.soils.push(soil);
    }
    Ok(())
}
