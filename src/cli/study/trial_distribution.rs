//! Distribution of trials to the processes of an MPI job; rank 0 assigns them, all drive.
//!
//! Each process requests as many trials as it has threads, and returns their results with its next
//! request. So none waits for the slowest one, and rank 0 stores the same records as a single
//! process.

use super::trial_runner::TrialRunner;
use super::trial_store::TrialStore;
use crate::cli::Failure;
use crate::cli::failure::INTERRUPTED;
use crate::report::study::TrialRecord;
use crate::sync::PointToPoint;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Polling interval for messages: short compared with a trial, at negligible processor load.
const LOOK: Duration = Duration::from_micros(500);

/// Request of an idle process to rank 0, with the results of its last trials.
#[derive(Debug, Default, Serialize, Deserialize)]
struct TrialRequest {
    done: Vec<TrialRecord>,
    threads: usize,
    /// Whether a signal interrupted the process.
    interrupted: bool,
}

/// Drives the trials that rank 0 assigns, until there are no more.
///
/// # Errors
/// [`Failure`] if no thread could be started, or after an interruption; rank 0 reports it.
pub fn drive_received_trials(
    post: &PointToPoint,
    driving: &TrialRunner<'_>,
    threads: usize,
) -> Result<(), Failure> {
    let mut question = TrialRequest { threads, ..TrialRequest::default() };
    loop {
        post.send(0, &encoded(&question)?);
        let interrupted = question.interrupted;
        let dealt: Vec<u64> = loop {
            match post.receive() {
                Some((_, message)) => break decoded(&message)?,
                None => thread::sleep(LOOK),
            }
        };
        if dealt.is_empty() {
            return if interrupted { Err(Failure::Reported { code: INTERRUPTED }) } else { Ok(()) };
        }
        question = drive_and_report(driving, &dealt, threads)?;
    }
}

/// Drives trials and returns the next request with their results.
fn drive_and_report(
    driving: &TrialRunner<'_>,
    dealt: &[u64],
    threads: usize,
) -> Result<TrialRequest, Failure> {
    let done = Mutex::new(Vec::new());
    driving.drive(dealt, threads, &|record| {
        done.lock().unwrap_or_else(PoisonError::into_inner).push(record);
        Ok(())
    })?;
    let interrupted = driving.interrupted.load(Ordering::Relaxed);
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(TrialRequest { done, threads, interrupted })
}

/// Assigns all remaining trials to all processes including this one, and stores the results.
///
/// Returns whether it was interrupted.
///
/// # Errors
/// [`Failure`] if a trial cannot be stored; the other processes are then still waiting.
pub fn distribute(
    post: &PointToPoint,
    driving: &TrialRunner<'_>,
    store: &TrialStore<'_>,
    threads: usize,
) -> Result<bool, Failure> {
    let (to_own, dealt) = mpsc::channel::<Vec<u64>>();
    let (answers, from_own) = mpsc::channel::<Result<TrialRequest, Failure>>();
    // the channels end with this closure, which ends the thread
    thread::scope(move |scope| {
        // only this thread may call MPI: another one drives this process's trials
        scope.spawn(move || {
            let mut said = Ok(TrialRequest { threads, ..TrialRequest::default() });
            while answers.send(said).is_ok() {
                let Ok(dealt) = dealt.recv() else { break };
                said = drive_and_report(driving, &dealt, threads);
            }
        });
        let send = |rank: usize, numbers: Vec<u64>| -> Result<(), Failure> {
            if rank == 0 {
                // the receiving thread is still waiting
                let _ = to_own.send(numbers);
                return Ok(());
            }
            post.send(rank, &encoded(&numbers)?);
            Ok(())
        };
        let (mut idle, mut next) = (BTreeMap::<usize, usize>::new(), VecDeque::<u64>::new());
        let mut interrupted = false;
        loop {
            interrupted |= driving.interrupted.load(Ordering::Relaxed);
            if interrupted {
                next.clear();
            } else if next.is_empty() && idle.len() == post.size() {
                next.extend(store.next());
            }
            while !next.is_empty() {
                let Some((rank, share)) = idle.pop_first() else { break };
                let numbers = next.drain(..share.clamp(1, next.len())).collect();
                send(rank, numbers)?;
            }
            // all results have arrived, and no trial is left
            if next.is_empty() && idle.len() == post.size() {
                (1..post.size()).try_for_each(|rank| send(rank, Vec::new()))?;
                return Ok(interrupted);
            }
            let said = match (from_own.try_recv(), post.receive()) {
                (Err(_), None) => {
                    thread::sleep(LOOK);
                    continue;
                }
                (own, other) => {
                    let own = own.ok().map(|said| said.map(|said| (0, said)));
                    let other = other.map(|(rank, message)| Ok((rank, decoded(&message)?)));
                    [own, other]
                }
            };
            for question in said.into_iter().flatten() {
                let (rank, question): (usize, TrialRequest) = question?;
                question.done.into_iter().try_for_each(|record| store.keep(record))?;
                interrupted |= question.interrupted;
                idle.insert(rank, question.threads);
            }
        }
    })
}

fn encoded(message: &impl Serialize) -> Result<Vec<u8>, Failure> {
    postcard::to_stdvec(message).map_err(|error| decoding_failure(&error))
}

fn decoded<T: for<'de> Deserialize<'de>>(message: &[u8]) -> Result<T, Failure> {
    postcard::from_bytes(message).map_err(|error| decoding_failure(&error))
}

fn decoding_failure(error: &postcard::Error) -> Failure {
    Failure::Run {
        subject: "study".into(),
        cause: format!("cannot decode a message between ranks: {error}"),
    }
}
