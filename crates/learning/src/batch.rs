//! Many environments, stepped beside one another.

use super::levels::Levels;
use super::snapshot::{opened, sealed};
use super::{Env, LearningError, Options, Step, task};
use rayon::prelude::*;
use std::sync::Arc;

/// What happens to an environment whose episode is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Autoreset {
    /// The next step resets it, whatever the action.
    NextStep,
    /// It is reset at once; the last observation is kept beside the first of the new episode.
    SameStep,
    /// It waits to be reset.
    Disabled,
}

/// One environment in the batch.
#[derive(Clone, Debug)]
struct Slot {
    env: Env,
    elapsed: u32,
    over: bool,
}

/// What a step brought to all environments, one after the other; what is told of each vehicle,
/// vehicle by vehicle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transitions {
    /// Observations.
    pub observations: Vec<f32>,
    /// Rewards.
    pub rewards: Vec<f64>,
    /// Of each environment whether the task is over.
    pub terminated: Vec<u8>,
    /// Whether the episode was cut off, by time or because it cannot go on.
    pub truncated: Vec<u8>,
    /// Whether a new episode was begun in this step.
    pub reset: Vec<u8>,
    /// Last observations of episodes that were reset in the same step.
    pub final_observations: Vec<f32>,
    /// Numbers of the levels that are driven now.
    pub levels: Vec<i64>,
    /// Numbers of the levels that the step was driven on: others than now where an episode was
    /// reset in the same step.
    pub driven_levels: Vec<i64>,
    /// Terms of the reward, then [`Env::FIGURES`], then how it ended, of the step that was driven.
    pub infos: Vec<f64>,
}

/// Futures of one episode.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Futures {
    /// Rewards of all vehicles together, future by future, step by step; zero after the end.
    pub rewards: Vec<f64>,
    /// Steps until the task was over or the state could not go on; the horizon if neither.
    pub lengths: Vec<u32>,
    /// Whether the task was over.
    pub terminated: Vec<u8>,
    /// Last observations.
    pub observations: Vec<f32>,
}

/// Environments of one task. Each does what it does alone. Steps run on the threads of the
/// pool that they are called in.
#[derive(Clone, Debug)]
pub struct Batch {
    levels: Arc<Levels>,
    slots: Vec<Slot>,
    /// Steps after which episodes are cut off.
    limit: Option<u32>,
}

impl Batch {
    /// So many environments of a task, none of them reset; episodes are cut off after `limit`
    /// steps.
    ///
    /// # Errors
    /// [`LearningError`] when there is no such task, or an option cannot be.
    pub fn new(
        name: &str,
        options: Options,
        envs: usize,
        limit: Option<u32>,
    ) -> Result<Batch, LearningError> {
        let levels = Arc::new(Levels::new(task(name)?, options)?);
        let slot = Slot { env: Env::new(levels.clone()), elapsed: 0, over: false };
        Ok(Batch { levels, slots: vec![slot; envs], limit })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Their levels.
    pub fn levels(&self) -> &Arc<Levels> {
        &self.levels
    }

    /// One of them.
    ///
    /// # Errors
    /// [`LearningError::Count`] when there is no such one.
    pub fn env(&self, index: usize) -> Result<&Env, LearningError> {
        let expected = self.slots.len();
        let slot = self.slots.get(index);
        let none = LearningError::Count { what: "environments before it", found: index, expected };
        slot.map(|slot| &slot.env).ok_or(none)
    }

    /// Whether the episode of one of them is over, and waits for the next.
    pub fn is_over(&self, index: usize) -> bool {
        self.slots.get(index).is_some_and(|slot| slot.over)
    }

    /// How many vehicles are driven in each.
    pub fn agents(&self) -> usize {
        self.levels.agents()
    }

    /// How many numbers an observation of a vehicle has.
    pub fn observation_size(&self) -> usize {
        self.slots.first().map_or(0, |slot| slot.env.observation_size())
    }

    /// How many numbers an info of a vehicle has.
    pub fn info_size(&self) -> usize {
        self.levels.task().terms().len() + Env::FIGURES.len() + 1
    }

    /// Begins episodes of those that `mask` says: of a seed, or the next. Observations of the
    /// others stay as they are in `out`.
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
        same("seeds", seeds.len(), envs)?;
        same("a mask", mask.len(), envs)?;
        self.fit(out);
        let each = self.slots.par_iter_mut().with_max_len(1);
        each.zip(out.observations.par_chunks_mut(size)).zip(seeds).zip(mask).try_for_each(
            |(((slot, observation), seed), wanted)| {
                if !wanted {
                    return Ok(());
                }
                slot.begin(*seed, level, observation)
            },
        )?;
        self.number(&mut out.levels);
        Ok(())
    }

    /// Gives `out` the room that it needs.
    fn fit(&self, out: &mut Transitions) {
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

    /// Tells which levels are driven now.
    fn number(&self, levels: &mut [i64]) {
        for (slot, level) in self.slots.iter().zip(levels) {
            *level = slot.env.driven.as_ref().map_or(0, |driven| driven.level.number as i64);
        }
    }

    /// Steps all, one action after the other in `actions`.
    ///
    /// # Errors
    /// [`LearningError`] when an action is no number, or an environment has not been reset: then
    /// none is stepped. When a level cannot be built, all are stepped, `out` is whole, and the next
    /// step tries to begin the episode that could not be.
    pub fn step(
        &mut self,
        actions: &[f32],
        autoreset: Autoreset,
        out: &mut Transitions,
    ) -> Result<(), LearningError> {
        self.check(actions, autoreset)?;
        self.fit(out);
        self.number(&mut out.driven_levels);
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
        let seen = observations.par_chunks_mut(size).zip(final_observations.par_chunks_mut(size));
        let told = rewards.par_chunks_mut(agents).zip(infos.par_chunks_mut(info));
        let each = self.slots.par_iter_mut().zip(actions.par_chunks(wide)).with_max_len(1);
        let stepped = each.zip(seen).zip(told).zip(flags).map(
            |(
                (((slot, actions), (observation, last)), (rewards, infos)),
                ((terminated, truncated), begun),
            )| {
                rewards.fill(0.0);
                (*terminated, *truncated, *begun) = (0, 0, 0);
                if slot.over && autoreset != Autoreset::Disabled {
                    infos.fill(0.0);
                    slot.begin(None, None, observation)?;
                    *begun = 1;
                    return Ok(());
                }
                let step = slot.step(actions, rewards, infos)?;
                let cut = step.cut || limit.is_some_and(|limit| slot.elapsed >= limit);
                (*terminated, *truncated) = (u8::from(step.terminated), u8::from(cut));
                slot.over = step.terminated || cut;
                slot.env.observe(observation)?;
                if slot.over && autoreset == Autoreset::SameStep {
                    last.copy_from_slice(observation);
                    slot.begin(None, None, observation)?;
                    *begun = 1;
                }
                Ok(())
            },
        );
        // whatever becomes of one, all are stepped; the first error is told
        let stepped = stepped.reduce(|| Ok(()), Result::and);
        self.number(&mut out.levels);
        stepped
    }

    fn check(&self, actions: &[f32], autoreset: Autoreset) -> Result<(), LearningError> {
        let wide = self.levels.task().actions() * self.agents();
        same("actions", actions.len(), wide * self.slots.len())?;
        if let Some(place) = actions.iter().position(|value| !value.is_finite()) {
            let (env, index) = (place / wide, place % wide);
            return Err(LearningError::Action { env, index, value: actions[place] });
        }
        let waits = |slot: &Slot| {
            slot.env.driven.is_none() || (slot.over && autoreset == Autoreset::Disabled)
        };
        match self.slots.iter().position(waits) {
            Some(env) => Err(LearningError::NotReset { env }),
            None => Ok(()),
        }
    }

    /// What a rule would do now, vehicle by vehicle.
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

    /// Snapshot of one episode.
    ///
    /// # Errors
    /// As of [`Env::snapshot`].
    pub fn snapshot(&self, index: usize) -> Result<Vec<u8>, LearningError> {
        let mut bytes = self.env(index)?.episode_bytes()?;
        let slot = &self.slots[index];
        bytes.extend_from_slice(&slot.elapsed.to_le_bytes());
        bytes.push(u8::from(slot.over));
        Ok(sealed(bytes))
    }

    /// Goes to the episode of a snapshot, and shows what is seen there.
    ///
    /// # Errors
    /// As of [`Env::restore`].
    pub fn restore(
        &mut self,
        index: usize,
        snapshot: &[u8],
        observation: &mut [f32],
    ) -> Result<(), LearningError> {
        self.env(index)?;
        let (kept, elapsed, over) = parted(snapshot)?;
        let slot = &mut self.slots[index];
        slot.env.restore_bytes(kept)?;
        (slot.elapsed, slot.over) = (elapsed, over);
        slot.env.observe(observation)
    }

    /// Drives futures of a snapshot, each by actions of its own: `actions` has those of the
    /// first future first. Nothing of the environments changes.
    ///
    /// # Errors
    /// [`LearningError`] for another snapshot, or actions that do not fill futures of `horizon`.
    pub fn rollout(
        &self,
        snapshot: &[u8],
        actions: &[f32],
        horizon: usize,
    ) -> Result<Futures, LearningError> {
        self.rollout_while(snapshot, actions, horizon, &|| true)
    }

    /// The same, but each future ends where `goes_on` says no, which is asked before each step.
    ///
    /// # Errors
    /// As of [`Batch::rollout`].
    pub fn rollout_while(
        &self,
        snapshot: &[u8],
        actions: &[f32],
        horizon: usize,
        goes_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<Futures, LearningError> {
        let wide = self.levels.task().actions() * self.agents();
        let length = horizon.max(1) * wide;
        let futures = actions.len() / length;
        same("actions", actions.len(), futures * length)?;
        if let Some(place) = actions.iter().position(|value| !value.is_finite()) {
            let (env, index) = (place / length, place % wide);
            return Err(LearningError::Action { env, index, value: actions[place] });
        }
        let mut env = Env::new(self.levels.clone());
        env.restore_bytes(parted(snapshot)?.0)?;
        let size = env.observation_size() * env.agents();
        let mut out = Futures {
            rewards: vec![0.0; futures * horizon.max(1)],
            lengths: vec![0; futures],
            terminated: vec![0; futures],
            observations: vec![0.0; futures * size],
        };
        let told = out.rewards.par_chunks_mut(horizon.max(1)).zip(&mut out.lengths);
        let seen = out.terminated.par_iter_mut().zip(out.observations.par_chunks_mut(size));
        let each = actions.par_chunks(length).with_max_len(1);
        each.zip(told).zip(seen).try_for_each(
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
                    if step.terminated || step.cut {
                        break;
                    }
                }
                env.observe(observation)
            },
        )?;
        Ok(out)
    }
}

/// An episode's bytes, and how far it is.
fn parted(snapshot: &[u8]) -> Result<(&[u8], u32, bool), LearningError> {
    let short = || LearningError::Snapshot { what: "it is cut short".into() };
    let (kept, [a, b, c, d, over]) = opened(snapshot)?.split_last_chunk::<5>().ok_or_else(short)?;
    Ok((kept, u32::from_le_bytes([*a, *b, *c, *d]), *over != 0))
}

fn same(what: &'static str, found: usize, expected: usize) -> Result<(), LearningError> {
    if found == expected { Ok(()) } else { Err(LearningError::Count { what, found, expected }) }
}

impl Slot {
    fn begin(
        &mut self,
        seed: Option<u64>,
        level: Option<u64>,
        observation: &mut [f32],
    ) -> Result<(), LearningError> {
        self.env.reset(seed, level)?;
        (self.elapsed, self.over) = (0, false);
        self.env.observe(observation)
    }

    fn step(
        &mut self,
        actions: &[f32],
        rewards: &mut [f64],
        infos: &mut [f64],
    ) -> Result<Step, LearningError> {
        let count = self.env.task().terms().len();
        // the terms of all vehicles one after the other, then each to its own info
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
