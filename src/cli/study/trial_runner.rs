//! Drives trials, one per thread at a time.

use super::cell;
use crate::cli::Failure;
use crate::cli::workers::Workers;
use crate::report::study::{CopyRecord, ExceedanceRecord, LevelFile, StudyCell, TrialRecord};
use crate::scenario::Input;
use crate::scenario::build::AssetCache;
use crate::simulation::{PoolSize, start_workers};
use crate::study::design::{
    self, PerturbedRun, ResponseValue, Trial, TrialEnding, TrialRun, run_copy, run_trial,
};
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

/// Drives of trials and their copies, and those of trials that are not complete.
struct DriveQueue<'a> {
    numbers: &'a [u64],
    /// Index of the next drive: each trial is followed by its copies.
    next: AtomicUsize,
    /// Drives that are done, by the number of their trial.
    begun: Mutex<BTreeMap<u64, TrialDrives>>,
}

/// A drive that is done.
enum Drive {
    Trial(TrialRun),
    /// Copy of this index.
    Copy(usize, PerturbedRun),
}

/// Drives of one trial.
#[derive(Default)]
struct TrialDrives {
    run: Option<TrialRun>,
    copies: BTreeMap<usize, PerturbedRun>,
    /// Sum of their wall times, s.
    wall: f64,
}

impl DriveQueue<'_> {
    /// Adds a drive; returns those of its trial if it was the last of them.
    fn add(&self, trial: u64, drives: usize, driven: Drive, wall: f64) -> Option<TrialDrives> {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let own = begun.entry(trial).or_default();
        own.wall += wall;
        match driven {
            Drive::Trial(run) => own.run = Some(run),
            Drive::Copy(index, run) => {
                own.copies.insert(index, run);
            }
        }
        let is_done = own.run.is_some() && own.copies.len() + 1 == drives;
        if is_done { begun.remove(&trial) } else { None }
    }
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

    /// Drives the given trials and their copies on `threads` threads; each trial is stored as soon
    /// as all its drives are done.
    ///
    /// After an interruption some are not driven.
    pub fn drive(
        &self,
        numbers: &[u64],
        threads: usize,
        keep: TrialSink<'_>,
    ) -> Result<(), Failure> {
        let drives = numbers.len() * self.study.drives_per_trial() as usize;
        let queue = DriveQueue { numbers, next: AtomicUsize::new(0), begun: Mutex::default() };
        let stop = AtomicBool::new(false);
        let work = || {
            let own = || self.work(&queue, &stop, keep);
            let ended = single_thread().install(own);
            if ended.is_err() {
                stop.store(true, Ordering::Relaxed);
            }
            ended
        };
        let ended: Vec<Result<(), Failure>> = thread::scope(|scope| {
            let wanted = threads.min(drives);
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

    /// Performs one drive after another, until none is left or all are stopped.
    fn work(
        &self,
        queue: &DriveQueue<'_>,
        stop: &AtomicBool,
        keep: TrialSink<'_>,
    ) -> Result<(), Failure> {
        let drives = self.study.drives_per_trial() as usize;
        while !stop.load(Ordering::Relaxed) && !self.interrupted.load(Ordering::Relaxed) {
            let index = queue.next.fetch_add(1, Ordering::Relaxed);
            let Some(&number) = queue.numbers.get(index / drives) else { break };
            let (trial, clock) = (self.study.trial(number), Instant::now());
            let (assets, interrupted) = (self.assets(), self.interrupted);
            let driven = match index % drives {
                0 => Some(Drive::Trial(run_trial(self.study, &trial, &assets, interrupted))),
                copy => run_copy(self.study, &trial, copy as u64 - 1, &assets, interrupted)
                    .map(|own| Drive::Copy(copy - 1, own)),
            };
            let Some(driven) = driven else { break };
            let wall = clock.elapsed().as_secs_f64();
            if let Some(done) = queue.add(number, drives, driven, wall)
                && let Some(record) = self.record(trial, done)?
            {
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
        TrialDrives { run, copies, wall }: TrialDrives,
    ) -> Result<Option<TrialRecord>, Failure> {
        let copies: Vec<PerturbedRun> = copies.into_values().collect();
        let asked = &self.study.responses;
        let Some(TrialRun { ending, files }) = run.map(|own| own.with_copies(asked, &copies))
        else {
            return Ok(None);
        };
        let Trial { number, point, replication, seed, levels, sets } = trial;
        let mut record = TrialRecord {
            trial: number,
            point,
            replication,
            seed,
            levels: levels.iter().map(cell).collect(),
            files: self.level_files(files, &sets)?,
            sets,
            wall,
            ..TrialRecord::default()
        };
        match ending {
            TrialEnding::Interrupted => return Ok(None),
            TrialEnding::Failed { reason, state_hash } => {
                record.failure = Some(reason);
                record.responses = vec![StudyCell::Absent; asked.len()];
                record.state_hash = state_hash;
            }
            TrialEnding::Done { responses, state_hash, outcomes, exceeded } => {
                let values = responses.into_iter().map(|value| match value {
                    ResponseValue::Number(x) => StudyCell::Number(x),
                    ResponseValue::Word(word) => StudyCell::Word(word),
                    ResponseValue::Absent => StudyCell::Absent,
                });
                record.responses = values.collect();
                (record.state_hash, record.outcomes) = (state_hash, outcomes);
                let exceeded = exceeded.into_iter();
                record.exceeded = exceeded
                    .map(|own| ExceedanceRecord { vehicle: own.vehicle, range: own.range })
                    .collect();
                let copies = copies.into_iter();
                record.copies = copies
                    .map(|PerturbedRun { factor, outcomes, state_hash }| CopyRecord {
                        factor,
                        outcomes,
                        state_hash,
                    })
                    .collect();
            }
        }
        Ok(Some(record))
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
