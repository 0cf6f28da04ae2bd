//! `bekker study run`

use super::asked;
use super::driving::Driving;
use super::extent::{extent, taken};
use crate::cli::counting::counting;
use crate::cli::interruption::interruption;
use crate::cli::{Failure, stdout};
use crate::report::study::{AskedOfStudy, Shard, StudyFolder, TrialRecord, write_tables};
use crate::study::design;
use clap::Args;
use clap::builder::RangedU64ValueParser;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Drive the trials of a study; the same command goes on with one that was cut
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    bekker study run examples/study_tyre_pressure.toml --out pressure\n  \
    bekker study run examples/study_tyre_pressure.toml --out part_2 --shard 2/3\n\n\
    Leaves trials.parquet and trials.csv, a row a trial; a failed trial is a row with its reason\n\
    and ends nothing. What the trials took stands in wall_times.csv.")]
pub struct Run {
    /// The study
    study: PathBuf,
    /// The study's folder: new, empty, or one that this command began
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Threads, a trial each; as many as there are cores unless told. The result is the same.
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: Option<usize>,
    /// Drive a part of the trials: the I-th of N, to be merged with the others
    #[arg(long, value_name = "I/N", default_value = "1/1", value_parser = shard)]
    shard: Shard,
    /// Print JSON instead of a line
    #[arg(long)]
    json: bool,
}

/// A part such as `2/3`.
fn shard(text: &str) -> Result<Shard, String> {
    let wrong = || "must be I/N with I from 1 to N and N up to 1000000, such as 2/3".to_owned();
    let (index, of) = text.split_once('/').ok_or_else(wrong)?;
    let shard = Shard {
        index: index.trim().parse().map_err(|_| wrong())?,
        of: of.trim().parse().map_err(|_| wrong())?,
    };
    let is_one = (1..=1_000_000).contains(&shard.of) && (1..=shard.of).contains(&shard.index);
    if is_one { Ok(shard) } else { Err(wrong()) }
}

impl Run {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let interrupted = interruption()?;
        let study = design::Study::read(&self.study)?;
        let asked = asked(&study, self.shard)?;
        let (folder, records) = StudyFolder::begin(&self.out, &asked)?;
        folder.keep_scenario(&study.base)?;
        let before = records.len();
        let bar = counting(self.shard.count(asked.trials), "trials driven", quiet);
        bar.set_position(before as u64);
        let driving = Driving {
            study: &study,
            folder: &folder,
            out: &self.out,
            bar: &bar,
            interrupted: &interrupted,
            parts: Mutex::default(),
            records: Mutex::new(records),
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let driven = driving.drive_all(&asked, self.threads.unwrap_or(cores));
        bar.finish_and_clear();
        driven?;
        folder.sync()?;
        let records = driving.records.into_inner().unwrap_or_else(PoisonError::into_inner);
        let trials = taken(&extent(&asked, &study.config, &records), &records);
        write_tables(&self.out, &asked, &trials)?;
        tell(&self.out, &asked, &trials, records.len() - before, self.json)
    }
}

/// Says what the folder holds, `driven` trials of it new.
pub fn tell(
    out: &Path,
    asked: &AskedOfStudy,
    trials: &[&TrialRecord],
    driven: usize,
    json: bool,
) -> Result<(), Failure> {
    let failed = trials.iter().filter(|trial| trial.failure.is_some()).count();
    let wall: f64 = trials.iter().map(|trial| trial.wall).sum();
    if json {
        return stdout::print_json(&json!({
            "folder": out,
            "trials": trials.len(),
            "of": asked.trials,
            "driven": driven,
            "failed": failed,
            "thread_seconds": wall,
        }));
    }
    stdout::print(&format!(
        "{}: {} of {} trials, {driven} of them new, {failed} failed; {wall:.1} s of one thread",
        out.display(),
        trials.len(),
        asked.trials,
    ))
}
