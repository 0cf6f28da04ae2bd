//! Execution of a trial.

use super::response::ResponseValue;
use super::study_file::{Study, Trial};
use super::trial_observer::TrialObserver;
use bekker_agent::{OutcomeCode, RangeExceedance};
use bekker_ranks::{Observer, RunSchedule, Runner};
use bekker_scenario::build::{AssetCache, world_with_assets};
use bekker_scenario::{Input, Inputs, ScenarioFile};
use bekker_world::{WorldModel, WorldState};
use std::any::Any;
use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;

/// Outcome of a trial.
#[derive(Clone, Debug)]
pub enum TrialEnding {
    /// The trial was driven to its end, whether or not its vehicles arrived.
    Done {
        /// Responses, in the order of the study.
        responses: Vec<ResponseValue>,
        /// Hash of the final state, hexadecimal.
        state_hash: String,
        /// Outcome of each vehicle.
        outcomes: Vec<OutcomeCode>,
        /// Limits of the ranges of validity that vehicles exceeded.
        exceeded: Vec<VehicleExceedance>,
    },
    /// The trial has no result: the scenario was refused, a state was no longer finite, or it
    /// panicked.
    Failed {
        /// Reason.
        reason: String,
        /// Hash of the final state, hexadecimal; empty without a final state.
        state_hash: String,
    },
    /// The trial was interrupted.
    Interrupted,
}

/// A limit of the ranges of validity that a vehicle exceeded.
#[derive(Clone, Debug, PartialEq)]
pub struct VehicleExceedance {
    /// Name of the vehicle.
    pub vehicle: String,
    /// The limit and the share of the drive.
    pub range: RangeExceedance,
}

/// A trial that was driven.
#[derive(Clone, Debug)]
pub struct TrialRun {
    /// Outcome.
    pub ending: TrialEnding,
    /// Files from which its scenario was built.
    pub files: Vec<Input>,
}

/// Drives a trial on this thread, to the same state as `bekker run` with its scenario.
///
/// `assets` shares data that scenarios are built from. Setting `interrupted` stops the trial.
pub fn run_trial(
    study: &Study,
    trial: &Trial,
    assets: &AssetCache,
    interrupted: &AtomicBool,
) -> TrialRun {
    drive_trial(study, trial, TrialObserver::new(&study.responses), assets, interrupted)
}

/// Drives a trial with an observer of its responses.
pub(super) fn drive_trial(
    study: &Study,
    trial: &Trial,
    observer: TrialObserver<'_>,
    assets: &AssetCache,
    interrupted: &AtomicBool,
) -> TrialRun {
    let inputs = Inputs::default();
    // a trial owns all that it changes, and the parts are intact after a panic
    let ending = catch_failure(|| run(study, trial, inputs.clone(), observer, assets, interrupted));
    let ending = match ending {
        TrialEnding::Failed { reason, state_hash } => {
            TrialEnding::Failed { reason: study.portable_reason(&reason), state_hash }
        }
        other => other,
    };
    TrialRun { ending, files: inputs.list() }
}

/// Runs a trial and converts panics and errors to an [`TrialEnding`].
fn catch_failure(run: impl FnOnce() -> Result<TrialEnding, String>) -> TrialEnding {
    let driven = catch_unwind(AssertUnwindSafe(run));
    let failed = |reason: String| TrialEnding::Failed { reason, state_hash: String::new() };
    match driven {
        Ok(Ok(ending)) => ending,
        Ok(Err(cause)) => failed(cause),
        Err(panic) => failed(format!("panicked: {}", panic_message(&*panic))),
    }
}

fn run(
    study: &Study,
    trial: &Trial,
    inputs: Inputs,
    observer: TrialObserver<'_>,
    assets: &AssetCache,
    interrupted: &AtomicBool,
) -> Result<TrialEnding, String> {
    let file =
        study.trial_scenario(trial, inputs).map_err(|diagnostics| diagnostics.to_string())?;
    let built = world_with_assets(&file, assets).map_err(|diagnostics| diagnostics.to_string())?;
    run_world(&file, built.world, None, observer, interrupted)
}

/// Drives a world, from its start or from a state, to the end of its scenario.
fn run_world(
    file: &ScenarioFile,
    model: WorldModel,
    state: Option<WorldState>,
    mut observer: TrialObserver<'_>,
    interrupted: &AtomicBool,
) -> Result<TrialEnding, String> {
    let (duration, heartbeat) = (file.scenario.time.duration, file.scenario.time.heartbeat);
    let sample_every = if observer.is_needed() { heartbeat } else { duration };
    let schedule = RunSchedule { sample_every, ..RunSchedule::until(duration) };
    let runner = Runner::new(model, state, schedule).map_err(|error| error.to_string())?;
    let mut observers: [&mut dyn Observer<Infallible>; 1] = [&mut observer];
    let run = runner.interrupted_by(interrupted).run(&mut observers);
    let (mut world, stopped) = run.map_err(|error| error.to_string())?;
    if stopped {
        return Ok(TrialEnding::Interrupted);
    }
    world.publish_all();
    let summary = world.summary(&file.scenario.name, 0.0);
    let lost = summary.vehicles.iter().find(|own| own.outcome.code == OutcomeCode::Failed);
    Ok(match lost {
        Some(vehicle) => TrialEnding::Failed {
            reason: format!("{}: {}", vehicle.name, vehicle.outcome),
            state_hash: summary.state_hash.clone(),
        },
        None => {
            let responses = observer.values(&summary);
            let outcomes = summary.vehicles.iter().map(|own| own.outcome.code).collect();
            let exceeded = summary.warnings.iter().flat_map(|own| {
                let vehicle = &own.vehicle;
                own.exceeded
                    .iter()
                    .map(|range| VehicleExceedance { vehicle: vehicle.clone(), range: *range })
            });
            let exceeded = exceeded.collect();
            TrialEnding::Done { responses, state_hash: summary.state_hash, outcomes, exceeded }
        }
    })
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::super::response::Response;
    use super::*;
    use bekker_scenario::build::world;
    use bekker_world::World;
    use std::path::Path;

    #[test]
    fn a_panic_is_a_failure_with_its_message() {
        let reason = |ending| match ending {
            TrialEnding::Failed { reason, state_hash } => (reason, state_hash),
            other => panic!("{other:?}"),
        };
        let none = String::new();
        let ending = catch_failure(|| panic!("wheel {} is gone", 3));
        assert_eq!(reason(ending), ("panicked: wheel 3 is gone".into(), none.clone()));
        let ending = catch_failure(|| Err("a cause".into()));
        assert_eq!(reason(ending), ("a cause".into(), none));
        assert!(matches!(catch_failure(|| Ok(TrialEnding::Interrupted)), TrialEnding::Interrupted));
    }

    const SCENARIO: &str = "format = 1\nname = \"flat\"\ntime = { duration = 0.3 }\n\
        soil = { default = \"firm\" }\n[[vehicle]]\nname = \"lead\"\nmodel = \"hmmwv\"\n\
        tire = \"rigid\"\nposition = [0, 0]\n\
        driver = { kind = \"path\", speed = 4, waypoints = [[0, 0], [30, 0]] }\n";

    /// Returns the responses of a drive of this scenario.
    fn responses(text: &str, names: [&str; 4]) -> Vec<ResponseValue> {
        let file = ScenarioFile::parse("flat.toml", text, Path::new(""), &[]).unwrap();
        let response = |name: &str| Response::parse(name, &file.scenario).unwrap();
        let responses: Vec<Response> = names.into_iter().map(response).collect();
        let (observer, interrupted) = (TrialObserver::new(&responses), AtomicBool::new(false));
        match run_world(&file, world(&file).unwrap().world, None, observer, &interrupted).unwrap() {
            TrialEnding::Done { responses, .. } => responses,
            other => panic!("{other:?}"),
        }
    }

    /// The time after arrival is excluded from means, however long the scenario continues.
    #[test]
    fn means_end_with_the_drive() {
        let values = |duration: f64| {
            let text = SCENARIO
                .replace("duration = 0.3", &format!("duration = {duration}"))
                .replace("[30, 0]", "[8, 0]");
            responses(&text, ["go", "absorbed_power", "mean_of_speed_mps", "max_of_throttle"])
        };
        let (short, long) = (values(7.0), values(10.0));
        assert_eq!(short[0], ResponseValue::Number(1.0));
        assert_eq!(short, long);
    }

    /// Events after arrival are excluded; here the vehicle uncouples its trailer after arrival.
    #[test]
    fn events_end_with_the_drive() {
        let values = |uncouple_time: f64| {
            let text = SCENARIO
                .replace("duration = 0.3", "duration = 8")
                .replace("\"hmmwv\"", "\"hmmwv+cargo_trailer\"")
                .replace("[30, 0]", "[8, 0]")
                + &format!("uncouple_time = {uncouple_time}\n");
            responses(
                &text,
                ["go", "driving_time", "count_of_uncoupled", "first_time_of_uncoupled"],
            )
        };
        let later = values(7.5);
        let ResponseValue::Number(arrived) = later[1] else { panic!("{later:?}") };
        assert!(later[0] == ResponseValue::Number(1.0) && arrived < 7.0, "{later:?}");
        assert_eq!(later[2..], [ResponseValue::Number(0.0), ResponseValue::Absent]);
        let before = values(1.0);
        assert_eq!(before[2], ResponseValue::Number(1.0), "{before:?}");
        assert!(
            matches!(before[3], ResponseValue::Number(time) if (time - 1.0).abs() < 0.02),
            "{before:?}"
        );
    }

    /// A collision counts from its beginning, even if it has not ended when the time is up.
    ///
    /// Here the vehicle leans against a block to the end.
    #[test]
    fn a_lasting_collision_counts_from_its_start() {
        let values = |duration: f64| {
            let text = SCENARIO.replace("duration = 0.3", &format!("duration = {duration}"))
                + "[[scenery]]\nkind = \"block\"\nplaces = [[12, 0]]\nsize = [1, 4, 3]\n";
            let names = ["go", "collisions", "count_of_collided", "first_time_of_collided"];
            responses(&text, names)
        };
        let never = values(1.0);
        assert_eq!(
            never[1..],
            [ResponseValue::Number(0.0), ResponseValue::Number(0.0), ResponseValue::Absent]
        );
        let (short, long) = (values(5.0), values(7.0));
        for found in [&short, &long] {
            assert_eq!(found[0], ResponseValue::Number(0.0), "{found:?}");
            assert!(matches!(found[1], ResponseValue::Number(count) if count >= 1.0), "{found:?}");
            assert_eq!(found[1], found[2]);
        }
        // the front is 2.3 m ahead of the origin, and the block is at 11.5 m: at no more than 4 m/s
        // the collision is not before 2.3 s
        let ResponseValue::Number(first) = short[3] else { panic!("{short:?}") };
        assert!((2.3..4.5).contains(&first), "{first} s");
        assert_eq!(short[3], long[3]);
    }

    /// No scenario is known to cause this, so the state is corrupted by hand.
    #[test]
    fn a_state_that_is_not_finite_is_a_failure_with_its_hash() {
        let file = ScenarioFile::parse("flat.toml", SCENARIO, Path::new(""), &[]).unwrap();
        let model = || world(&file).unwrap().world;
        let mut responses = Vec::new();
        for name in ["go", "absorbed_power", "max_of_speed_mps", "min_of_wheel_load_n"] {
            responses.push(Response::parse(name, &file.scenario).unwrap());
        }
        let ending = |state| {
            let (observer, interrupted) = (TrialObserver::new(&responses), AtomicBool::new(false));
            run_world(&file, model(), state, observer, &interrupted).unwrap()
        };
        let TrialEnding::Done { responses: values, .. } = ending(None) else { panic!("it failed") };
        assert_eq!(values[0], ResponseValue::Number(0.0));
        let number = |value: &ResponseValue| match value {
            ResponseValue::Number(x) => *x,
            other => panic!("{other:?}"),
        };
        // the vehicle starts within 0.3 s, and all wheels carry load
        let [power, speed, load] = [1, 2, 3].map(|n| number(&values[n]));
        assert!(power > 0.0 && (0.0..4.0).contains(&speed) && load > 1000.0, "{values:?}");
        let mut spoiled = World::new(model()).state().clone();
        spoiled.agents[0].vehicle.body.u[4] = f64::NAN;
        let TrialEnding::Failed { reason, state_hash } = ending(Some(spoiled)) else {
            panic!("it was driven")
        };
        assert!(reason.starts_with("lead: failed at 0.0 s at ("), "{reason}");
        assert_eq!(state_hash.len(), 64);
    }
}
