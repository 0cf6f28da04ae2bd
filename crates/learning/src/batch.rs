//! Environments that are stepped in parallel.

use super::levels::Levels;
use super::snapshot::{append_checksum, verify_checksum};
use super::{Env, EnvStep, LearningError, Options, task};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Reset policy of an environment at the end of its episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Autoreset {
    /// The next step resets it, whatever the action.
    NextStep,
    /// It is reset immediately; the last observation is returned next to the first of the new
    /// episode.
    SameStep,
    /// It must be reset explicitly.
    Disabled,
}

/// One environment in the batch.
#[derive(Clone, Debug)]
struct EnvSlot {
    env: Env,
    elapsed: u32,
    is_over: bool,
}

/// Results of a step of all environments, in order; per-vehicle values follow vehicle by vehicle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transitions {
    /// Observations.
    pub observations: Vec<f32>,
    /// Rewards.
    pub rewards: Vec<f64>,
    /// Whether the task ended, per environment.
    pub terminated: Vec<u8>,
    /// Whether the episode was truncated, by time or because it cannot continue.
    pub truncated: Vec<u8>,
    /// Whether a new episode began in this step.
    pub reset: Vec<u8>,
    /// Last observations of episodes that were reset in the same step.
    pub final_observations: Vec<f32>,
    /// Numbers of the current levels.
    pub levels: Vec<i64>,
    /// Numbers of the levels on which this step ran.
    ///
    /// They differ from `levels` where an episode was reset in the same step.
    pub driven_levels: Vec<i64>,
    /// Reward terms, [`Env::FIGURES`] and the ending of this step.
    pub infos: Vec<f64>,
}

/// Futures of one episode.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rollouts {
    /// Rewards summed over all vehicles, future by future, step by step; zero after the end.
    pub rewards: Vec<f64>,
    /// Number of steps until the task ended or the state became invalid; otherwise the horizon.
    pub lengths: Vec<u32>,
    /// Whether the task ended.
    pub terminated: Vec<u8>,
    /// Last observations.
    pub observations: Vec<f32>,
}

/// Environments of one task, independent of each other.
///
/// Steps run on the thread pool of the caller.
#[derive(Clone, Debug)]
pub struct EnvBatch {
    levels: Arc<Levels>,
    slots: Vec<EnvSlot>,
    /// Number of steps after which episodes are truncated.
    limit: Option<u32>,
}

impl EnvBatch {
    /// Creates `envs` environments of a task, none of them reset.
    ///
    /// Episodes are truncated after `limit` steps.
    ///
    /// # Errors
    /// [`LearningError`] when the task does not exist or an option is invalid.
    pub fn new(
        name: &str,
        options: Options,
        envs: usize,
        limit: Option<u32>,
    ) -> Result<EnvBatch, LearningError> {
        Ok(EnvBatch::on_levels(Levels::new(task(name)?, options)?, envs, limit))
    }

    /// Creates `envs` environments on these levels, none of them reset.
    ///
    /// Episodes are truncated after `limit` steps.
    pub fn on_levels(levels: Levels, envs: usize, limit: Option<u32>) -> EnvBatch {
        let levels = Arc::new(levels);
        let slot = EnvSlot { env: Env::new(levels.clone()), elapsed: 0, is_over: false };
        EnvBatch { levels, slots: vec![slot; envs], limit }
    }

    /// Ends the episodes of the environments in `mask`, as if their task had ended.
    ///
    /// # Errors
    /// [`LearningError::Count`] when `mask` has a wrong length.
    pub fn end_episodes(&mut self, mask: &[bool]) -> Result<(), LearningError> {
        check_count("a mask", mask.len(), self.slots.len())?;
        let ended = self.slots.iter_mut().zip(mask).filter(|(_, ended)| **ended);
        ended.for_each(|(slot, _)| slot.is_over = true);
        Ok(())
    }

    /// Draws the next episodes of all environments from these levels, as a curriculum does.
    ///
    /// # Errors
    /// [`LearningError::Option`] when the range is empty, or beyond the given levels.
    pub fn draw_levels(&mut self, levels: Range<u64>) -> Result<(), LearningError> {
        let options = self.levels.options();
        let known = options.first_level..options.first_level + options.levels;
        if levels.is_empty() || levels.start < known.start || levels.end > known.end {
            return Err(LearningError::Option {
                option: "levels",
                value: format!("{} to {}", levels.start, levels.end.saturating_sub(1)),
                allowed: format!("at least one of {} to {}", known.start, known.end - 1),
            });
        }
        self.slots.iter_mut().for_each(|slot| slot.env.draw_levels(levels.clone()));
        Ok(())
    }

    /// Number of environments.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are no environments.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Levels of the environments.
    pub fn levels(&self) -> &Arc<Levels> {
        &self.levels
    }

    /// Returns one of the environments.
    ///
    /// # Errors
    /// [`LearningError::Count`] when the index is out of range.
    pub fn env(&self, index: usize) -> Result<&Env, LearningError> {
        let expected = self.slots.len();
        let slot = self.slots.get(index);
        let none = LearningError::Count { what: "environments before it", found: index, expected };
        slot.map(|slot| &slot.env).ok_or(none)
    }

    /// Returns whether the episode of an environment has ended and the next has not begun.
    pub fn is_over(&self, index: usize) -> bool {
        self.slots.get(index).is_some_and(|slot| slot.is_over)
    }

    /// Number of driven vehicles in each environment.
    pub fn agents(&self) -> usize {
        self.levels.agents()
    }

    /// Length of the observation of a vehicle.
    pub fn observation_size(&self) -> usize {
        self.slots.first().map_or(0, |slot| slot.env.observation_size())
    }

    /// Length of the info of a vehicle.
    pub fn info_size(&self) -> usize {
        self.levels.task().terms().len() + Env::FIGURES.len() + 1
    }

    /// Begins episodes of the environments in `mask`: the first of a seed, or the next.
    ///
    /// Observations of the others remain unchanged in `out`.
    ///
    /// # Errors
    /// [`LearningError`] when a level cannot be built.
    pub fn reset(
        &mut self,
        seeds: &[Option<u64>],
        mask: &[bool],
        level: Option<u64>,
        out: &mut Transitions,
    ) -> Result<(), LearningError> {
        let (envs, size) = (self.slots.len(), self.agents() * self.observation_size());
        check_count("seeds", seeds.len(), envs)?;
        check_count("a mask", mask.len(), envs)?;
        self.resize_buffers(out);
        let each = self.slots.par_iter_mut().with_max_len(1);
        each.zip(out.observations.par_chunks_mut(size)).zip(seeds).zip(mask).try_for_each(
            |(((slot, observation), seed), wanted)| {
                if !wanted {
                    return Ok(());
                }
                slot.begin(*seed, level, observation)
            },
        )?;
        self.write_level_numbers(&mut out.levels);
        Ok(())
    }

    /// Resizes the buffers of `out`.
    fn resize_buffers(&self, out: &mut Transitions) {
        let envs = self.slots.len();
        let vehicles = envs * self.agents();
        out.observations.resize(vehicles * self.observation_size(), 0.0);
        out.final_observations.resize(vehicles * self.observation_size(), 0.0);
        out.rewards.resize(vehicles, 0.0);
        for flags in [&mut out.terminated, &mut out.truncated, &mut out.reset] {
            flags.resize(envs, 0);
        }
        out.infos.resize(vehicles * self.info_size(), 0.0);
        out.levels.resize(envs, 0);
        out.driven_levels.resize(envs, 0);
    }

    /// Writes the numbers of the current levels.
    fn write_level_numbers(&self, levels: &mut [i64]) {
        for (slot, level) in self.slots.iter().zip(levels) {
            *level = slot.env.run.as_ref().map_or(0, |run| run.level.number as i64);
        }
    }

    /// Steps all environments; `actions` holds their actions in order.
    ///
    /// # Errors
    /// [`LearningError`] when an action is not finite or an environment has not been reset; then no
    /// environment is stepped. When a level cannot be built, all environments are stepped, `out` is
    /// complete, and the next step tries again to begin that episode.
    pub fn step(
        &mut self,
        actions: &[f32],
        autoreset: Autoreset,
        out: &mut Transitions,
    ) -> Result<(), LearningError> {
        self.check(actions, autoreset)?;
        self.resize_buffers(out);
        self.write_level_numbers(&mut out.driven_levels);
        let (limit, agents) = (self.limit, self.agents());
        let of_all = |each: usize| each * agents;
        let (size, wide) = (of_all(self.observation_size()), of_all(self.levels.task().actions()));
        let info = of_all(self.info_size());
        let Transitions {
            observations,
            rewards,
            terminated,
            truncated,
            reset,
            final_observations,
            infos,
            ..
        } = out;
        let flags = terminated.par_iter_mut().zip(truncated).zip(reset);
        let observation_pairs =
            observations.par_chunks_mut(size).zip(final_observations.par_chunks_mut(size));
        let outputs = rewards.par_chunks_mut(agents).zip(infos.par_chunks_mut(info));
        let each = self.slots.par_iter_mut().zip(actions.par_chunks(wide)).with_max_len(1);
        let stepped = each.zip(observation_pairs).zip(outputs).zip(flags).map(
            |(
                (((slot, actions), (observation, last)), (rewards, infos)),
                ((terminated, truncated), begun),
            )| {
                rewards.fill(0.0);
                (*terminated, *truncated, *begun) = (0, 0, 0);
                if slot.is_over && autoreset != Autoreset::Disabled {
                    infos.fill(0.0);
                    slot.begin(None, None, observation)?;
                    *begun = 1;
                    return Ok(());
                }
                let step = slot.step(actions, rewards, infos)?;
                let cut = step.truncated || limit.is_some_and(|limit| slot.elapsed >= limit);
                (*terminated, *truncated) = (u8::from(step.terminated), u8::from(cut));
                slot.is_over = step.terminated || cut;
                slot.env.observe(observation)?;
                if slot.is_over && autoreset == Autoreset::SameStep {
                    last.copy_from_slice(observation);
                    slot.begin(None, None, observation)?;
                    *begun = 1;
                }
                Ok(())
            },
        );
        // all environments are stepped even if one fails; the first error is returned
        let stepped = stepped.reduce(|| Ok(()), Result::and);
        self.write_level_numbers(&mut out.levels);
        stepped
    }

    fn check(&self, actions: &[f32], autoreset: Autoreset) -> Result<(), LearningError> {
        let wide = self.levels.task().actions() * self.agents();
        check_count("actions", actions.len(), wide * self.slots.len())?;
        if let Some(place) = actions.iter().position(|value| !value.is_finite()) {
            let (env, index) = (place / wide, place % wide);
            return Err(LearningError::Action { env, index, value: actions[place] });
        }
        let waits = |slot: &EnvSlot| {
            slot.env.run.is_none() || (slot.is_over && autoreset == Autoreset::Disabled)
        };
        match self.slots.iter().position(waits) {
            Some(env) => Err(LearningError::NotReset { env }),
            None => Ok(()),
        }
    }

    /// Actions of the task's rule in the current states, vehicle by vehicle.
    ///
    /// # Errors
    /// [`LearningError::NotReset`].
    pub fn experts(&self) -> Result<Vec<f32>, LearningError> {
        let wide = self.levels.task().actions();
        let vehicles = self
            .slots
            .iter()
            .flat_map(|slot| (0..self.agents()).map(|agent| slot.env.expert(agent)));
        let actions: Result<Vec<_>, _> = vehicles.collect();
        Ok(actions?.iter().flat_map(|action| &action[..wide]).copied().collect())
    }

    /// Takes a snapshot of one episode.
    ///
    /// # Errors
    /// See [`Env::snapshot`].
    pub fn snapshot(&self, index: usize) -> Result<Vec<u8>, LearningError> {
        let mut bytes = self.env(index)?.episode_bytes()?;
        let slot = &self.slots[index];
        bytes.extend_from_slice(&slot.elapsed.to_le_bytes());
        bytes.push(u8::from(slot.is_over));
        Ok(append_checksum(bytes))
    }

    /// Restores the episode of a snapshot and writes its observation.
    ///
    /// # Errors
    /// See [`Env::restore`].
    pub fn restore(
        &mut self,
        index: usize,
        snapshot: &[u8],
        observation: &mut [f32],
    ) -> Result<(), LearningError> {
        self.env(index)?;
        let (kept, elapsed, over) = split_snapshot(snapshot)?;
        let slot = &mut self.slots[index];
        slot.env.restore_bytes(kept)?;
        (slot.elapsed, slot.is_over) = (elapsed, over);
        slot.env.observe(observation)
    }

    /// Simulates futures of a snapshot, each with its own actions.
    ///
    /// `actions` holds those of the first future first. The environments do not change.
    ///
    /// # Errors
    /// [`LearningError`] when the snapshot does not match, or `actions` is not a multiple of
    /// `horizon`.
    pub fn rollout(
        &self,
        snapshot: &[u8],
        actions: &[f32],
        horizon: usize,
    ) -> Result<Rollouts, LearningError> {
        self.rollout_while(snapshot, actions, horizon, &|| true)
    }

    /// As [`EnvBatch::rollout`], but stops each future once `goes_on` returns false; it is called
    /// before each step.
    ///
    /// # Errors
    /// See [`EnvBatch::rollout`].
    pub fn rollout_while(
        &self,
        snapshot: &[u8],
        actions: &[f32],
        horizon: usize,
        goes_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<Rollouts, LearningError> {
        let wide = self.levels.task().actions() * self.agents();
        let length = horizon.max(1) * wide;
        let futures = actions.len() / length;
        check_count("actions", actions.len(), futures * length)?;
        if let Some(place) = actions.iter().position(|value| !value.is_finite()) {
            let (env, index) = (place / length, place % wide);
            return Err(LearningError::Action { env, index, value: actions[place] });
        }
        let mut env = Env::new(self.levels.clone());
        env.restore_bytes(split_snapshot(snapshot)?.0)?;
        let size = env.observation_size() * env.agents();
        let mut out = Rollouts {
            rewards: vec![0.0; futures * horizon.max(1)],
            lengths: vec![0; futures],
            terminated: vec![0; futures],
            observations: vec![0.0; futures * size],
        };
        let outputs = out.rewards.par_chunks_mut(horizon.max(1)).zip(&mut out.lengths);
        let observation_pairs =
            out.terminated.par_iter_mut().zip(out.observations.par_chunks_mut(size));
        let each = actions.par_chunks(length).with_max_len(1);
        each.zip(outputs).zip(observation_pairs).try_for_each(
            |((actions, (rewards, length)), (terminated, observation))| {
                let mut env = env.clone();
                let mut terms = vec![0.0; env.task().terms().len() * env.agents()];
                for (action, reward) in actions.chunks(wide).zip(rewards) {
                    if !goes_on() {
                        break;
                    }
                    let step = env.step(action, &mut terms)?;
                    *reward = step.reward;
                    *length += 1;
                    *terminated = u8::from(step.terminated);
                    if step.terminated || step.truncated {
                        break;
                    }
                }
                env.observe(observation)
            },
        )?;
        Ok(out)
    }
}

/// Splits a snapshot into the episode, the number of elapsed steps and whether it is over.
fn split_snapshot(snapshot: &[u8]) -> Result<(&[u8], u32, bool), LearningError> {
    let short = || LearningError::Snapshot { what: "it is incomplete".into() };
    let (kept, [a, b, c, d, over]) =
        verify_checksum(snapshot)?.split_last_chunk::<5>().ok_or_else(short)?;
    Ok((kept, u32::from_le_bytes([*a, *b, *c, *d]), *over != 0))
}

fn check_count(what: &'static str, found: usize, expected: usize) -> Result<(), LearningError> {
    if found == expected { Ok(()) } else { Err(LearningError::Count { what, found, expected }) }
}

impl EnvSlot {
    fn begin(
        &mut self,
        seed: Option<u64>,
        level: Option<u64>,
        observation: &mut [f32],
    ) -> Result<(), LearningError> {
        self.env.reset(seed, level)?;
        (self.elapsed, self.is_over) = (0, false);
        self.env.observe(observation)
    }

    fn step(
        &mut self,
        actions: &[f32],
        rewards: &mut [f64],
        infos: &mut [f64],
    ) -> Result<EnvStep, LearningError> {
        let count = self.env.task().terms().len();
        // terms of all vehicles are written in sequence first, then moved to the info of each
        // vehicle
        let (terms, _) = infos.split_at_mut(count * rewards.len());
        let step = self.env.step(actions, terms)?;
        self.elapsed += 1;
        let wide = infos.len() / rewards.len();
        for (agent, reward) in rewards.iter_mut().enumerate().rev() {
            infos.copy_within(count * agent..count * (agent + 1), wide * agent);
            let info = &mut infos[wide * agent..wide * (agent + 1)];
            let (terms, rest) = info.split_at_mut(count);
            *reward = terms.iter().sum();
            rest[..Env::FIGURES.len()].copy_from_slice(&self.env.figures(agent));
            rest[Env::FIGURES.len()] = f64::from(self.env.ending(agent));
        }
        Ok(step)
    }
}
