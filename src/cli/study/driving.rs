//! Trials, one a thread at a time.

use super::cell;
use crate::cli::Failure;
use crate::report::study::{Cell, TrialRecord};
use crate::scenario::build::Parts;
use crate::study::design::{self, Ending, Trial, Value, drive};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

/// Vehicles that are kept to be shared; a factor may make another of each trial.
const SHARED_VEHICLES: usize = 64;

/// What drives the trials of a study.
pub struct Driving<'a> {
    pub study: &'a design::Study,
    pub interrupted: &'a AtomicBool,
    pub parts: Mutex<Parts>,
}

/// Whom a trial that is done is given to.
pub type Keep<'a> = &'a (dyn Fn(TrialRecord) -> Result<(), Failure> + Sync);

impl Driving<'_> {
    /// Drives the trials of these numbers on so many threads, each kept as soon as it is done;
    /// fewer where it is interrupted.
    pub fn drive(&self, numbers: &[u64], threads: usize, keep: Keep<'_>) -> Result<(), Failure> {
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let work = || {
            let ended = alone()?.install(|| self.work(numbers, &next, &stop, keep));
            if ended.is_err() {
                stop.store(true, Ordering::Relaxed);
            }
            ended
        };
        let ended: Vec<Result<(), Failure>> = thread::scope(|scope| {
            let workers: Vec<_> =
                (0..threads.min(numbers.len())).map(|_| scope.spawn(work)).collect();
            let died = || {
                let (subject, cause) = ("study".into(), "a thread panicked".into());
                Err(Failure::Run { subject, cause })
            };
            workers.into_iter().map(|own| own.join().unwrap_or_else(|_| died())).collect()
        });
        ended.into_iter().collect()
    }

    /// One trial after another, until there is none left or something stops all.
    fn work(
        &self,
        numbers: &[u64],
        next: &AtomicUsize,
        stop: &AtomicBool,
        keep: Keep<'_>,
    ) -> Result<(), Failure> {
        while !stop.load(Ordering::Relaxed) && !self.interrupted.load(Ordering::Relaxed) {
            let Some(&number) = numbers.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            let trial = self.study.trial(number);
            let clock = Instant::now();
            let ending = drive(self.study, &trial, &self.parts(), self.interrupted);
            if let Some(record) = self.record(trial, ending, clock.elapsed().as_secs_f64()) {
                keep(record)?;
            }
        }
        Ok(())
    }

    /// The parts that trials are built from, forgotten when they become many.
    fn parts(&self) -> Parts {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        if parts.made()[1] > SHARED_VEHICLES {
            *parts = Parts::default();
        }
        parts.clone()
    }

    /// What is kept of a trial; nothing of one that was broken off.
    fn record(&self, trial: Trial, ending: Ending, wall: f64) -> Option<TrialRecord> {
        let responses = &self.study.responses;
        let (failure, responses, state_hash) = match ending {
            Ending::Interrupted => return None,
            Ending::Failed { reason, state_hash } => {
                (Some(reason), vec![Cell::Absent; responses.len()], state_hash)
            }
            Ending::Done { responses, state_hash } => {
                let values = responses.into_iter().map(|value| match value {
                    Value::Number(x) => Cell::Number(x),
                    Value::Word(word) => Cell::Word(word),
                    Value::Absent => Cell::Absent,
                });
                (None, values.collect(), state_hash)
            }
        };
        let Trial { number, point, replication, seed, levels, sets } = trial;
        let levels = levels.iter().map(cell).collect();
        Some(TrialRecord {
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
        })
    }
}

/// A pool of one thread: what a trial would share out among threads is done in its own.
pub fn alone() -> Result<ThreadPool, Failure> {
    let pool = ThreadPoolBuilder::new().num_threads(1).build();
    pool.map_err(|error| Failure::Run { subject: "threads".into(), cause: error.to_string() })
}
