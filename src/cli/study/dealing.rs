//! Trials among the processes of an MPI job: the first deals, all drive.
//!
//! Each asks for as many trials as it has threads, and gives back what became of them with its
//! next question. So none waits for the slowest, and what the first keeps is what one process
//! would have kept.

use super::driving::Driving;
use super::keeping::Keeping;
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

/// Time between looks for messages: far below a trial, and nothing to the processor.
const LOOK: Duration = Duration::from_micros(500);

/// What a process says to the first: what it has done, and that it has nothing to do.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Question {
    done: Vec<TrialRecord>,
    threads: usize,
    /// Whether it was told to end, by a signal.
    interrupted: bool,
}

/// Drives what the first process deals, until there is nothing more.
///
/// # Errors
/// [`Failure`] when no thread could be started, or it was interrupted; the first one tells it.
pub fn drive_dealt(
    post: &PointToPoint,
    driving: &Driving<'_>,
    threads: usize,
) -> Result<(), Failure> {
    let mut question = Question { threads, ..Question::default() };
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
        question = answered(driving, &dealt, threads)?;
    }
}

/// Drives trials, and what is said of them.
fn answered(driving: &Driving<'_>, dealt: &[u64], threads: usize) -> Result<Question, Failure> {
    let done = Mutex::new(Vec::new());
    driving.drive(dealt, threads, &|record| {
        done.lock().unwrap_or_else(PoisonError::into_inner).push(record);
        Ok(())
    })?;
    let interrupted = driving.interrupted.load(Ordering::Relaxed);
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Question { done, threads, interrupted })
}

/// Deals all trials that there are to all processes, this one among them, and keeps what comes
/// back. Whether it was interrupted.
///
/// # Errors
/// [`Failure`] when a trial cannot be kept: the others still wait then.
pub fn deal(
    post: &PointToPoint,
    driving: &Driving<'_>,
    keeping: &Keeping<'_>,
    threads: usize,
) -> Result<bool, Failure> {
    let (to_own, dealt) = mpsc::channel::<Vec<u64>>();
    let (answers, from_own) = mpsc::channel::<Result<Question, Failure>>();
    // what the thread waits for ends with this closure
    thread::scope(move |scope| {
        // MPI is this thread's alone: its own share is driven by another
        scope.spawn(move || {
            let mut said = Ok(Question { threads, ..Question::default() });
            while answers.send(said).is_ok() {
                let Ok(dealt) = dealt.recv() else { break };
                said = answered(driving, &dealt, threads);
            }
        });
        let send = |rank: usize, numbers: Vec<u64>| -> Result<(), Failure> {
            if rank == 0 {
                // its thread waits for it
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
                next.extend(keeping.next());
            }
            while !next.is_empty() {
                let Some((rank, share)) = idle.pop_first() else { break };
                let numbers = next.drain(..share.clamp(1, next.len())).collect();
                send(rank, numbers)?;
            }
            // all have said what they did, and nothing is left to do
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
                let (rank, question): (usize, Question) = question?;
                question.done.into_iter().try_for_each(|record| keeping.keep(record))?;
                interrupted |= question.interrupted;
                idle.insert(rank, question.threads);
            }
        }
    })
}

fn encoded(message: &impl Serialize) -> Result<Vec<u8>, Failure> {
    postcard::to_stdvec(message).map_err(|error| misunderstood(&error))
}

fn decoded<T: for<'de> Deserialize<'de>>(message: &[u8]) -> Result<T, Failure> {
    postcard::from_bytes(message).map_err(|error| misunderstood(&error))
}

fn misunderstood(error: &postcard::Error) -> Failure {
    Failure::Run { subject: "study".into(), cause: format!("a message between ranks: {error}") }
}
