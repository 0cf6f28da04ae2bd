//! `bekker study converge`

use super::perturbation::PerturbationOptions;
use super::{rounded, spaced_trials};
use crate::cli::failure::INTERRUPTED;
use crate::cli::interruption::interruption_signal;
use crate::cli::progress_bar::progress_bar;
use crate::cli::{Failure, stdout};
use crate::map::{DriveThreads, DrivingError};
use crate::report::study::TitledTable;
use crate::report::table::TableStyle;
use crate::rig::Refinement;
use crate::scenario::build::AssetCache;
use crate::study::design::{
    self, ResponseShift, ResponseValue, Trial, TrialEnding, response_shifts, run_trial_with_copies,
};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use serde_json::json;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// Drives of each trial: with the study's resolution, and with refinements.
const DRIVES: [Option<Refinement>; 3] = [None, Some(Refinement::Step), Some(Refinement::Spacing)];

/// Result of a drive: the responses of the study, or the reason why it has none.
type Outcome = Result<Vec<ResponseValue>, String>;

/// Check whether the results of a study depend on time step and ground spacing
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker study converge examples/study_tire_pressure.toml\n  \
    bekker study converge examples/study_tire_pressure.toml --trials 12 --json\n\n\
    Drives a few trials to the end, evenly spread over all. Each is driven unchanged, with half of\n\
    time.step, and with half of ground.spacing. Prints how far each response moves. If a longer\n\
    step or coarser ground changes no response noticeably, it saves time in all trials. Writes no\n\
    files.")]
pub struct Converge {
    /// Study file (.toml)
    study: PathBuf,
    /// Number of trials to drive
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = RangedU64ValueParser::<u64>::new().range(1..=10_000))]
    trials: u64,
    /// Number of threads, one trial each (default: number of CPU cores). Results do not depend on
    /// it
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: Option<usize>,
    #[command(flatten)]
    perturbation: PerturbationOptions,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

impl Converge {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let study = self.perturbation.read(&self.study)?;
        let all = study.trials();
        let trials = spaced_trials(all, self.trials);
        let driven = self.run_refinements(&study, &trials, quiet)?;
        let failed = driven.iter().zip(&trials);
        let failed: Vec<_> = failed.flat_map(|(driven, trial)| failures(driven, *trial)).collect();
        if driven.iter().all(|own| own[0].is_err()) {
            let (subject, (trial, _, reason)) = (self.study.display().to_string(), failed[0]);
            let cause = format!("no trial has a result; trial {trial}: {reason}");
            return Err(Failure::Run { subject, cause });
        }
        let told: Vec<ResponseShift> =
            (1..DRIVES.len()).flat_map(|n| shifted(&study, &driven, n)).collect();
        let scenario = &study.base.scenario;
        let (step, spacing) = (scenario.time.step, scenario.ground.spacing);
        if self.json {
            let failed = failed.iter().map(|(trial, refined, reason)| {
                json!({ "trial": trial, "refinement": refined, "reason": reason })
            });
            return stdout::print_json(&json!({
                "trials": trials,
                "drives": DRIVES.len() as u64 * trials.len() as u64 * study.drives_per_trial(),
                "step": step,
                "spacing": spacing,
                "shifts": told,
                "failed": failed.collect::<Vec<_>>(),
            }));
        }
        for (trial, refined, reason) in &failed {
            let how = refined.map_or("unrefined", changed_setting);
            eprintln!("warning: trial {trial}, {how}: {reason}");
        }
        let title = format!(
            "{}: {} of {all} trials; scenario step {step} s, node spacing {spacing} m",
            self.study.display(),
            trials.len(),
        );
        stdout::print(table(title, &told).text(TableStyle::of_stdout()).trim_end())
    }

    /// Drives trials with each refinement. Returns the results by refinement and trial.
    fn run_refinements(
        &self,
        study: &design::Study,
        trials: &[u64],
        quiet: bool,
    ) -> Result<Vec<Vec<Outcome>>, Failure> {
        let interrupted = interruption_signal()?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads =
            DriveThreads { count: self.threads.unwrap_or(cores), interrupted: &interrupted };
        let (assets, drives) = (AssetCache::default(), DRIVES.len() * trials.len());
        let each = study.drives_per_trial();
        let bar = progress_bar(drives as u64 * each, "drives", quiet);
        let driven = threads.run_all(drives, |job| {
            let trial = study.trial(trials[job / DRIVES.len()]);
            let trial = match DRIVES[job % DRIVES.len()] {
                Some(refinement) => study.refined_trial(&trial, refinement),
                None => Ok(trial),
            };
            let outcome = trial.and_then(|trial| outcome(study, &trial, &assets, &interrupted));
            bar.inc(each);
            outcome
        });
        bar.finish_and_clear();
        match driven {
            Ok(driven) if !interrupted.load(Ordering::Relaxed) => {
                Ok(driven.chunks(DRIVES.len()).map(<[_]>::to_vec).collect())
            }
            Ok(_) | Err(DrivingError::Interrupted) => Err(Failure::Reported { code: INTERRUPTED }),
            Err(error @ DrivingError::NoThread) => {
                Err(Failure::Run { subject: "threads".into(), cause: error.to_string() })
            }
        }
    }
}

fn outcome(
    study: &design::Study,
    trial: &Trial,
    assets: &AssetCache,
    interrupted: &AtomicBool,
) -> Outcome {
    match run_trial_with_copies(study, trial, assets, interrupted).ending {
        TrialEnding::Done { responses, .. } => Ok(responses),
        TrialEnding::Failed { reason, .. } => Err(reason),
        TrialEnding::Interrupted => Err("interrupted".into()),
    }
}

/// Lists drives without a result, by trial and refinement, with the reasons.
fn failures(
    driven: &[Outcome],
    trial: u64,
) -> impl Iterator<Item = (u64, Option<Refinement>, &str)> {
    let drives = driven.iter().zip(DRIVES);
    drives.filter_map(move |(outcome, refined)| {
        Some((trial, refined, outcome.as_ref().err()?.as_str()))
    })
}

/// Returns the changes of the responses under refinement number `n`.
fn shifted(study: &design::Study, driven: &[Vec<Outcome>], n: usize) -> Vec<ResponseShift> {
    let Some(refinement) = DRIVES[n] else { return Vec::new() };
    let pair = |own: &Vec<Outcome>| Some((own[0].clone().ok()?, own[n].clone().ok()?));
    let pairs: Vec<(Vec<ResponseValue>, Vec<ResponseValue>)> =
        driven.iter().filter_map(pair).collect();
    response_shifts(&study.responses, refinement, &pairs)
}

fn changed_setting(refinement: Refinement) -> &'static str {
    match refinement {
        Refinement::Step => "half the step",
        Refinement::Spacing => "half the spacing",
        Refinement::Extent => "twice the extent",
    }
}

fn table(title: String, told: &[ResponseShift]) -> TitledTable {
    let head = ["response", "mean", "with", "shift", "rms", "of the mean", "max", "changed"];
    let or_none = |x: Option<f64>| x.map_or("-".into(), rounded);
    let row = |own: &ResponseShift| {
        let unit = if own.unit.is_empty() { String::new() } else { format!(", {}", own.unit) };
        let share = own.rms.zip(own.mean).filter(|(_, mean)| *mean != 0.0);
        vec![
            format!("{}{unit}", own.response),
            or_none(own.mean),
            changed_setting(own.refinement).to_owned(),
            or_none(own.shift),
            or_none(own.rms),
            share.map_or("-".into(), |(rms, mean)| format!("{:.2} %", 100.0 * rms / mean.abs())),
            or_none(own.most),
            own.differ.to_string(),
        ]
    };
    let rows = told.iter().map(row).collect();
    TitledTable { title, head: head.map(str::to_owned).to_vec(), rows }
}
