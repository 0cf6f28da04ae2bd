//! `bekker study run`

use super::extent::{extent, selected_trials};
use super::perturbation::{PerturbationOptions, sensitivity_sentence};
use super::study_request;
#[cfg(feature = "mpi")]
use super::trial_distribution::{distribute, drive_received_trials};
use super::trial_runner::TrialRunner;
use super::trial_store::TrialStore;
use crate::cli::interruption::interruption_signal;
use crate::cli::progress_bar::progress_bar;
use crate::cli::shard::shard;
use crate::cli::{Failure, launcher, stdout};
use crate::report::study::{
    Shard, StudyFolder, StudyRequest, TrialRecord, exceedance_sentences, repeated, repeated_points,
    write_tables,
};
#[cfg(feature = "mpi")]
use crate::simulation::{RankError, StartupError, first_startup_error};
use crate::study::design;
#[cfg(feature = "mpi")]
use crate::sync::{Communicator as _, MpiSession, RankBuffers};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
#[cfg(feature = "mpi")]
use std::time::Duration;

/// Drive the trials of a study, or resume an interrupted one
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    bekker study run examples/study_tire_pressure.toml --out pressure\n  \
    bekker study run examples/study_tire_pressure.toml --out part_2 --shard 2/3\n  \
    bekker study run examples/sand_slope.toml --perturb 10 --copies 8 --out slope\n\n\
    Writes trials.parquet and trials.csv, with one row per trial. A failed trial is a row with its\n\
    reason and does not stop the study. wall_times.csv holds the time that each trial took. Built\n\
    with MPI, `mpirun -n 96 bekker study run ...` distributes the trials over the processes.")]
pub struct Run {
    /// Study file (.toml); with --perturb, a scenario may replace it
    study: PathBuf,
    /// Study folder: new, empty, or begun by the same command
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Number of threads, one trial each (default: number of CPU cores). Results do not depend on
    /// it
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: Option<usize>,
    /// Drive part I of N of the trials; combine the parts with `bekker study merge`
    #[arg(long, value_name = "I/N", default_value = "1/1", value_parser = shard)]
    shard: Shard,
    #[command(flatten)]
    perturbation: PerturbationOptions,
    /// Print JSON instead of a summary line
    #[arg(long)]
    json: bool,
}

impl Run {
    /// Creates the command for a study file and a folder that was begun for a shard of its trials,
    /// with the copies of `perturbation`.
    pub fn new(
        study: PathBuf,
        out: PathBuf,
        threads: Option<usize>,
        shard: Shard,
        perturbation: PerturbationOptions,
        json: bool,
    ) -> Run {
        Run { study, out, threads, shard, perturbation, json }
    }

    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        #[cfg(not(feature = "mpi"))]
        {
            launcher::check_alone()?;
            self.run_alone(quiet)
        }
        #[cfg(feature = "mpi")]
        match launcher::session()? {
            // a launcher kills all ranks as soon as one exits with an error: print it before that
            Some(session) => self.run_on_ranks(&session, quiet).map_err(Failure::print),
            None => self.run_alone(quiet),
        }
    }

    fn run_alone(&self, quiet: bool) -> Result<(), Failure> {
        let interrupted = interruption_signal()?;
        let study = self.perturbation.read(&self.study)?;
        let asked = study_request(&study, &self.study, self.shard)?;
        let driving = TrialRunner::new(&study, &interrupted);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = self.threads.unwrap_or(cores);
        self.run_trials(&study, &asked, quiet, |store| {
            loop {
                let next = store.next();
                if next.is_empty() || interrupted.load(Ordering::Relaxed) {
                    return Ok(!next.is_empty());
                }
                driving.drive(&next, threads, &|record| store.keep(record))?;
            }
        })
    }

    /// Begins or continues the folder, drives trials with a function that returns whether it was
    /// interrupted, and writes the tables.
    fn run_trials(
        &self,
        study: &design::Study,
        asked: &StudyRequest,
        quiet: bool,
        drive: impl FnOnce(&TrialStore<'_>) -> Result<bool, Failure>,
    ) -> Result<(), Failure> {
        if let Some(told) = study.arrivals_sentence().filter(|_| !quiet) {
            eprintln!("{told}");
        }
        let (folder, records) = StudyFolder::begin(&self.out, asked)?;
        folder.check_files(asked.scenario_folder())?;
        folder.keep_scenario(&study.base)?;
        let before = records.len();
        let bar = progress_bar(self.shard.count(asked.trials), "trials driven", quiet);
        bar.set_position(before as u64);
        let (config, records) = (&study.config, Mutex::new(records));
        let store = TrialStore { asked, config, folder: &folder, bar: &bar, records };
        let driven = drive(&store);
        bar.finish_and_clear();
        if driven? {
            return Err(Failure::FolderInterrupted { folder: self.out.clone() });
        }
        folder.sync()?;
        let records = store.records.into_inner().unwrap_or_else(PoisonError::into_inner);
        let extent = extent(asked, config, &records);
        extent.warn(config);
        let trials = selected_trials(&extent, &records);
        write_tables(&self.out, asked, &trials)?;
        print_summary(&self.out, asked, &trials, records.len() - before, self.json)
    }

    /// Drives as one of several processes; rank 0 assigns the trials. Default: one thread per
    /// process.
    #[cfg(feature = "mpi")]
    fn run_on_ranks(&self, session: &MpiSession, quiet: bool) -> Result<(), Failure> {
        let interrupted = interruption_signal()?;
        let prepared = self
            .perturbation
            .read(&self.study)
            .and_then(|study| Ok((study_request(&study, &self.study, self.shard)?, study)));
        let (asked, study) = all_ready(session, prepared)?;
        let driving = TrialRunner::new(&study, &interrupted);
        let (post, threads) = (session.point_to_point(), self.threads.unwrap_or(1));
        let driven = if post.rank() == 0 {
            self.run_trials(&study, &asked, quiet, |store| {
                distribute(&post, &driving, store, threads)
            })
        } else {
            drive_received_trials(&post, &driving, threads)
        };
        match driven {
            // all ranks receive an interruption
            Err(Failure::FolderInterrupted { .. } | Failure::Reported { .. }) | Ok(()) => driven,
            Err(failure) => {
                // without an abort the other ranks would wait for this one
                failure.print();
                session.abort()
            }
        }
    }
}

/// Returns the preparation of this process if all processes have the same one.
#[cfg(feature = "mpi")]
fn all_ready(
    session: &MpiSession,
    prepared: Result<(StudyRequest, design::Study), Failure>,
) -> Result<(StudyRequest, design::Study), Failure> {
    let mut mpi = session.rank(Duration::from_secs(60));
    let obstacle = prepared.as_ref().err().map(|failure| {
        let (cause, code) = (failure.to_string(), failure.code());
        StartupError { cause, code }
    });
    match first_startup_error(&mut mpi, obstacle)? {
        Some((rank, StartupError { code, .. })) if rank != mpi.rank() => {
            return Err(Failure::Reported { code });
        }
        _ => {}
    }
    let (asked, study) = prepared?;
    let mut all = RankBuffers::default();
    let own = serde_json::to_vec(&asked).unwrap_or_default();
    let gathered = mpi.all_gather(&own, &mut || (), &mut all);
    gathered.map_err(|source| RankError::Lost { tick: 0, source })?;
    for (rank, theirs) in all.iter().enumerate().skip(1) {
        let theirs: StudyRequest = serde_json::from_slice(theirs).unwrap_or_else(|_| asked.clone());
        let first: StudyRequest =
            serde_json::from_slice(all.part(0)).unwrap_or_else(|_| asked.clone());
        if let Some([key, theirs, firsts]) = theirs.difference(&first) {
            if mpi.rank() != 0 {
                return Err(Failure::Reported { code: 3 });
            }
            let cause = format!("rank {rank} has {key} = {theirs}, but rank 0 has {firsts}");
            return Err(Failure::Input { subject: "study".into(), cause });
        }
    }
    Ok((asked, study))
}

/// Prints the content of the folder, including the number of new trials, `driven`.
pub fn print_summary(
    out: &Path,
    asked: &StudyRequest,
    trials: &[&TrialRecord],
    driven: usize,
    json: bool,
) -> Result<(), Failure> {
    let failed = trials.iter().filter(|trial| trial.failure.is_some()).count();
    if let Some(told) = repeated(trials) {
        eprintln!("warning: {told}");
    }
    for told in exceedance_sentences(trials) {
        eprintln!("warning: {told}");
    }
    let sensitivity = sensitivity_sentence(asked, trials);
    // not `sum`, which is -0 for no items
    let wall = trials.iter().fold(0.0, |sum, trial| sum + trial.wall);
    if json {
        return stdout::print_json(&json!({
            "folder": out,
            "trials": trials.len(),
            "of": asked.trials,
            "driven": driven,
            "failed": failed,
            "repeated_points": repeated_points(trials),
            "thread_seconds": wall,
            "sensitivity": sensitivity,
            "outside_validity": exceedance_sentences(trials),
        }));
    }
    if let Some(told) = sensitivity {
        stdout::print(&told)?;
    }
    stdout::print(&format!(
        "{}: {} of {} trials ({driven} new, {failed} failed); {wall:.1} thread-seconds",
        out.display(),
        trials.len(),
        asked.trials,
    ))
}
