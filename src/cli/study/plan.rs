//! `bekker study plan`

use super::job_script::JobSettings;
use super::perturbation::PerturbationOptions;
use super::spaced_trials;
use super::trial_runner::single_thread;
use crate::cli::{Failure, stdout};
use crate::scenario::build::{AssetCache, BuiltWorld, world_with_assets};
use crate::scenario::{Diagnostic, Diagnostics, Inputs, ScenarioFile};
use crate::simulation::World;
use crate::study::design;
use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Instant;

/// Maximum simulated time of a probe, s.
const PROBED: f64 = 2.0;

/// Maximum number of trials that are built to check their levels.
const CHECKED: usize = 200;

/// Print the number of trials of a study and estimate their time and memory
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker study plan examples/study_tire_pressure.toml\n\n\
    Builds up to 200 trials, until they cover every level of a list and every cell of a table's\n\
    columns. Prints which trials are invalid. Then drives the first 2 s of a few trials, evenly spread\n\
    over all. The time assumes that every trial runs to the end of its scenario; trials that end\n\
    early take less. The memory is that of the probes, once per thread, plus that of the rows.\n\
    \n  bekker study plan examples/study_tire_pressure.toml --job-script slurm --shards 4 > job.sh")]
pub struct Plan {
    /// Study file (.toml)
    study: PathBuf,
    /// Number of threads that the study is planned for (default: number of CPU cores)
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<u64>::new().range(1..=100_000))]
    threads: Option<u64>,
    /// Number of trials to probe
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = RangedU64ValueParser::<u64>::new().range(1..=10_000))]
    probe: u64,
    /// Print a cluster job script that drives the study in parts, instead of the plan
    #[arg(long, value_name = "KIND", value_enum)]
    job_script: Option<JobScript>,
    /// Number of parts of the job script
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = RangedU64ValueParser::<u64>::new().range(1..=10_000))]
    shards: u64,
    #[command(flatten)]
    perturbation: PerturbationOptions,
    /// Print JSON
    #[arg(long, conflicts_with = "job_script")]
    json: bool,
}

/// Kind of job script.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum JobScript {
    /// SLURM array job
    Slurm,
}

impl Plan {
    pub fn execute(self) -> Result<(), Failure> {
        let study = self.perturbation.read(&self.study)?;
        let drives = study.drives_per_trial();
        let (trials, points) = (study.trials(), study.points());
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
        let threads = self.threads.unwrap_or(cores);
        let pool = single_thread();
        let probed = spaced_trials(trials, self.probe);
        let before = resident("VmRSS:");
        let (mut refused, mut doubts) = (Vec::new(), Vec::new());
        let shown = showing_levels(&study).into_iter().filter(|trial| !probed.contains(trial));
        for trial in shown {
            match built(&study, trial) {
                Ok((_, own)) => doubts.push((trial, own.warnings)),
                Err(reason) => refused.push((trial, reason)),
            }
        }
        let probes = probed.iter().map(|&trial| (trial, pool.install(|| probe(&study, trial))));
        let mut times = Vec::new();
        for (trial, took) in probes {
            match took {
                Ok((time, warnings)) => {
                    times.push(time);
                    doubts.push((trial, warnings));
                }
                Err(reason) => refused.push((trial, reason)),
            }
        }
        refused.sort();
        let doubts = distinct_warnings(&study, doubts);
        // additional memory of the probes for each thread, and a row for each trial
        let row = 64 * (8 + study.config.factor.len() + study.responses.len()) as u64;
        let bytes = before
            .zip(resident("VmHWM:"))
            .map(|(before, most)| before + most.saturating_sub(before) * threads + row * trials);
        let each = (!times.is_empty())
            .then(|| drives as f64 * times.iter().sum::<f64>() / times.len() as f64);
        // the drives of a trial are spread over the threads
        let each_thread = |parts: u64| (trials * drives).div_ceil(parts) as f64 / drives as f64;
        let all = each.map(|each| each * each_thread(threads));
        if let Some(JobScript::Slurm) = self.job_script {
            warn(&refused, &doubts);
            let shards = self.shards.min(trials);
            let seconds = each.map(|each| each * each_thread(threads * shards));
            let job = JobSettings {
                study: &self.study,
                shards,
                threads,
                seconds,
                bytes,
                perturb: self.perturbation.words(),
            };
            return stdout::print(&job.slurm());
        }
        if self.json {
            return stdout::print_json(&json!({
                "trials": trials,
                "drives": trials * drives,
                "at_most": study.config.stop.is_some(),
                "bytes": bytes,
                "probed": times.len(),
                "points": points,
                "replications": study.config.replications,
                "seconds_a_trial": each,
                "threads": threads,
                "seconds": all,
                "doubts": doubts.iter().map(|(trial, doubt)| json!({
                    "trial": trial, "doubt": doubt,
                })).collect::<Vec<_>>(),
                "refused": refused.iter().map(|(trial, reason)| json!({
                    "trial": trial, "reason": reason,
                })).collect::<Vec<_>>(),
            }));
        }
        warn(&refused, &doubts);
        if let Some(told) = study.arrivals_sentence() {
            eprintln!("{told}");
        }
        let time = match (each, all) {
            (Some(each), Some(all)) => format!(
                "up to about {each:.2} s per trial, {all:.0} s on {threads} thread{}",
                if threads == 1 { "" } else { "s" }
            ),
            _ => "time unknown: no probe succeeded".into(),
        };
        let memory = bytes
            .map_or(String::new(), |bytes| format!(", {:.0} MB of memory", bytes as f64 / 1e6));
        let most = if study.config.stop.is_some() { "at most " } else { "" };
        let copies = match study.config.perturb {
            Some(own) => format!(" with {} copies each, {} drives", own.copies, trials * drives),
            None => String::new(),
        };
        stdout::print(&format!(
            "{}: {most}{trials} trials ({points} design points x {} replications){copies}; \
             {time}{memory}",
            self.study.display(),
            study.config.replications
        ))
    }
}

/// Returns the memory of this process from a line of its status, bytes; `None` if not available.
fn resident(line: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let own = status.lines().find_map(|own| own.strip_prefix(line))?;
    Some(own.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// Returns the first trials that together have every level of each list. For a table, all values of
/// its columns count as levels.
fn showing_levels(study: &design::Study) -> Vec<u64> {
    let (mut shown, mut trials) = (BTreeSet::new(), Vec::new());
    let replications = study.config.replications;
    let is_table = study.config.design == design::DesignKind::Table;
    for trial in (0..study.points()).map(|point| study.trial(point * replications)) {
        let listed = study.config.factor.iter().zip(&trial.levels);
        let listed = listed.filter(|(factor, _)| is_table || factor.listed().is_some());
        // compare all levels, not only up to the first new one
        let new = listed.filter(|(factor, level)| shown.insert((&factor.name, level.to_toml())));
        if new.count() > 0 {
            trials.push(trial.number);
        }
        if trials.len() == CHECKED {
            break;
        }
    }
    trials
}

/// Prints the trials that will fail, and the warnings about others.
fn warn(refused: &[(u64, String)], doubts: &[(u64, String)]) {
    for (trial, reason) in refused {
        eprintln!("warning: trial {trial} will fail: {reason}");
    }
    for (trial, doubt) in doubts {
        eprintln!("warning: trial {trial}: {doubt}");
    }
}

/// Returns each distinct warning with its first trial.
fn distinct_warnings(
    study: &design::Study,
    mut doubts: Vec<(u64, Vec<Diagnostic>)>,
) -> Vec<(u64, String)> {
    doubts.sort_by_key(|(trial, _)| *trial);
    let mut told: Vec<(u64, String)> = Vec::new();
    for (trial, warnings) in doubts {
        for warning in warnings {
            let doubt = study.portable_reason(&warning.to_string());
            if !told.iter().any(|(_, known)| *known == doubt) {
                told.push((trial, doubt));
            }
        }
    }
    told
}

/// Builds the scenario and the world of a trial; the error is the reason.
fn built(study: &design::Study, trial: u64) -> Result<(ScenarioFile, BuiltWorld), String> {
    let told = |faults: Diagnostics| study.portable_reason(&faults.to_string());
    let file = study.trial_scenario(&study.trial(trial), Inputs::default()).map_err(told)?;
    let built = world_with_assets(&file, &AssetCache::default()).map_err(told)?;
    Ok((file, built))
}

/// Wall time of a trial to its scenario's end, s, from its first seconds, and its warnings,
/// or the reason for its absence.
fn probe(study: &design::Study, trial: u64) -> Result<(f64, Vec<Diagnostic>), String> {
    let clock = Instant::now();
    let (file, BuiltWorld { world: model, warnings, .. }) = built(study, trial)?;
    let mut world = World::new(model);
    let before = clock.elapsed().as_secs_f64();
    let duration = file.scenario.time.duration;
    let clock = Instant::now();
    while world.time() < duration.min(PROBED) && world.is_running() {
        world.advance();
    }
    let driven = clock.elapsed().as_secs_f64();
    Ok((before + driven * duration / world.time(), warnings))
}
