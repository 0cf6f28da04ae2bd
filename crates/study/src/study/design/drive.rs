//! A trial, driven.

use super::study_file::{Study, Trial};
use crate::scenario::build::{Parts, world_of};
use crate::simulation::{OutcomeCode, RunSummary, Runner, Schedule};
use std::any::Any;
use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;

/// How a trial ended.
#[derive(Clone, Debug)]
pub enum Ending {
    /// It was driven to its end, whether its vehicles went or not.
    Done(Box<RunSummary>),
    /// There is no result: the scenario was refused, a state was no longer finite, or it
    /// panicked.
    Failed {
        /// Why, in one line.
        reason: String,
        /// Hash of the state that it ended in, if it came to one; hexadecimal.
        state_hash: String,
    },
    /// It was broken off.
    Interrupted,
}

/// Drives a trial on this thread as `bekker run` drives its scenario: to the same state. What
/// its scenario is built from is shared by `parts`. `interrupted` breaks it off.
pub fn drive(study: &Study, trial: &Trial, parts: &Parts, interrupted: &AtomicBool) -> Ending {
    // a trial owns all that it changes; the parts are whole after a panic
    let driven = catch_unwind(AssertUnwindSafe(|| run(study, trial, parts, interrupted)));
    let failed = |reason: String| Ending::Failed { reason, state_hash: String::new() };
    match driven {
        Ok(Ok(ending)) => ending,
        Ok(Err(cause)) => failed(cause.lines().collect::<Vec<_>>().join("; ")),
        Err(panic) => failed(format!("panicked: {}", told(&*panic))),
    }
}

fn run(
    study: &Study,
    trial: &Trial,
    parts: &Parts,
    interrupted: &AtomicBool,
) -> Result<Ending, String> {
    let file = study.scenario_of(trial).map_err(|faults| faults.to_string())?;
    let built = world_of(&file, parts).map_err(|faults| faults.to_string())?;
    let duration = file.scenario.time.duration;
    // nobody looks at the samples
    let schedule = Schedule { sample_every: duration, ..Schedule::until(duration) };
    let runner = Runner::new(built.world, None, schedule).map_err(|error| error.to_string())?;
    let run = runner.interrupted_by(interrupted).run::<Infallible>(&mut []);
    let (mut world, stopped) = run.map_err(|error| error.to_string())?;
    if stopped {
        return Ok(Ending::Interrupted);
    }
    world.publish_all();
    let summary = world.summary(&file.scenario.name, 0.0);
    let lost = summary.vehicles.iter().find(|own| own.outcome.code == OutcomeCode::Failed);
    Ok(match lost {
        Some(vehicle) => Ending::Failed {
            reason: format!("{}: {}", vehicle.name, vehicle.outcome),
            state_hash: summary.state_hash.clone(),
        },
        None => Ending::Done(Box::new(summary)),
    })
}

fn told(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a word")
}
