//! Drives trials, one per thread at a time.

use super::cell;
use crate::cli::Failure;
use crate::cli::workers::Workers;
use crate::report::study::{LevelFile, StudyCell, TrialRecord};
use crate::scenario::Input;
use crate::scenario::build::AssetCache;
use crate::simulation::{PoolSize, start_workers};
use crate::study::design::{self, ResponseValue, Trial, TrialEnding, TrialRun, run_trial};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

/// Maximum number of cached vehicles; a factor may change the vehicle in each trial.
const SHARED_VEHICLES: usize = 64;

/// Drives the trials of a study.
pub struct TrialRunner<'a> {
    pub study: &'a design::Study,
    pub interrupted: &'a AtomicBool,
    assets: Mutex<AssetCache>,
    /// The input files of the scenario without factors, by name, with their hashes.
    own: BTreeMap<PathBuf, String>,
}

/// Receiver of completed trials.
pub type TrialSink<'a> = &'a (dyn Fn(TrialRecord) -> Result<(), Failure> + Sync);

impl<'a> TrialRunner<'a> {
    /// Prepares a study whose scenario has been built.
    pub fn new(study: &'a design::Study, interrupted: &'a AtomicBool) -> TrialRunner<'a> {
        let base = &study.base;
        let named = |path: &Path| path.strip_prefix(&base.folder).unwrap_or(path).to_owned();
        let own = base.inputs.list().into_iter().map(|own| (named(&own.path), own.sha256));
        TrialRunner { study, interrupted, assets: Mutex::default(), own: own.collect() }
    }

    /// Drives the given trials on `threads` threads; each is stored as soon as it is done.
    ///
    /// After an interruption some are not driven.
    pub fn drive(
        &self,
        numbers: &[u64],
        threads: usize,
        keep: TrialSink<'_>,
    ) -> Result<(), Failure> {
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let work = || {
            let own = || self.work(numbers, &next, &stop, keep);
            let ended = single_thread().install(own);
            if ended.is_err() {
                stop.store(true, Ordering::Relaxed);
            }
            ended
        };
        let ended: Vec<Result<(), Failure>> = thread::scope(|scope| {
            let wanted = threads.min(numbers.len());
            let workers = start_workers(scope, wanted, work);
            let size = PoolSize { wanted, started: workers.len().max(1) };
            size.shortfall().iter().for_each(|told| eprintln!("warning: {told}"));
            if workers.is_empty() && wanted > 0 {
                return vec![work()];
            }
            let died = || {
                let (subject, cause) = ("study".into(), "a thread panicked".into());
                Err(Failure::Run { subject, cause })
            };
            workers.into_iter().map(|own| own.join().unwrap_or_else(|_| died())).collect()
        });
        ended.into_iter().collect()
    }

    /// Drives one trial after another, until none is left or all are stopped.
    fn work(
        &self,
        numbers: &[u64],
        next: &AtomicUsize,
        stop: &AtomicBool,
        keep: TrialSink<'_>,
    ) -> Result<(), Failure> {
        while !stop.load(Ordering::Relaxed) && !self.interrupted.load(Ordering::Relaxed) {
            let Some(&number) = numbers.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            let trial = self.study.trial(number);
            let clock = Instant::now();
            let driven = run_trial(self.study, &trial, &self.assets(), self.interrupted);
            if let Some(record) = self.record(trial, driven, clock.elapsed().as_secs_f64())? {
                keep(record)?;
            }
        }
        Ok(())
    }

    /// The cache of shared parts; it is cleared when it becomes large.
    fn assets(&self) -> AssetCache {
        let mut assets = self.assets.lock().unwrap_or_else(PoisonError::into_inner);
        if assets.counts()[1] > SHARED_VEHICLES {
            *assets = AssetCache::default();
        }
        assets.clone()
    }

    /// The record of a trial; `None` for an interrupted one.
    fn record(
        &self,
        trial: Trial,
        TrialRun { ending, files }: TrialRun,
        wall: f64,
    ) -> Result<Option<TrialRecord>, Failure> {
        let responses = &self.study.responses;
        let (failure, responses, state_hash) = match ending {
            TrialEnding::Interrupted => return Ok(None),
            TrialEnding::Failed { reason, state_hash } => {
                (Some(reason), vec![StudyCell::Absent; responses.len()], state_hash)
            }
            TrialEnding::Done { responses, state_hash } => {
                let values = responses.into_iter().map(|value| match value {
                    ResponseValue::Number(x) => StudyCell::Number(x),
                    ResponseValue::Word(word) => StudyCell::Word(word),
                    ResponseValue::Absent => StudyCell::Absent,
                });
                (None, values.collect(), state_hash)
            }
        };
        let Trial { number, point, replication, seed, levels, sets } = trial;
        let levels = levels.iter().map(cell).collect();
        let files = self.level_files(files, &sets)?;
        Ok(Some(TrialRecord {
            trial: number,
            point,
            replication,
            sets,
            seed,
            levels,
            failure,
            responses,
            state_hash,
            wall,
            files,
        }))
    }

    /// The files that a trial's levels added to those of the scenario.
    ///
    /// If a level names a file of the scenario too, all files are listed: the path of the level
    /// refers to that file from any folder.
    fn level_files(&self, files: Vec<Input>, sets: &[String]) -> Result<Vec<LevelFile>, Failure> {
        let is_told = |file: &Input| {
            let name = file.path.file_name().unwrap_or_default().to_string_lossy();
            sets.iter().any(|set| set.contains(&*name))
        };
        let (any_told, mut found) = (files.iter().any(is_told), Vec::new());
        for Input { path, bytes, sha256, .. } in files {
            let named = self.study.relative_path(&path);
            let before = self.own.get(&named);
            if before.is_some_and(|own| *own != sha256) {
                let cause = "has changed during the study, so its trials would differ in scenario; \
                    restore it, or start again in another folder";
                let (subject, cause) = (path.display().to_string(), cause.into());
                return Err(Failure::Input { subject, cause });
            }
            if before.is_none() || any_told {
                found.push(LevelFile { path: named.display().to_string(), bytes, sha256 });
            }
        }
        Ok(found)
    }
}

/// A pool of a single thread, so that a trial's parallel work stays on its own thread.
pub fn single_thread() -> Workers {
    Workers::new(1)
}
