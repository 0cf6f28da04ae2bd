//! `bekker study`: many runs of one scenario with varied keys.

mod answer;
mod converge;
mod display_unit;
mod extent;
mod job_script;
mod merge;
mod outlines;
mod page;
mod perturbation;
mod plan;
mod replay;
mod report;
mod resume;
mod run;
mod status;
#[cfg(feature = "mpi")]
mod trial_distribution;
mod trial_runner;
mod trial_store;
mod worst;

pub use extent::config;
pub use perturbation::{SensitivityOptions, sensitivity_lines};

use super::Failure;
use crate::report::study::{Shard, StudyCell, StudyRequest};
use crate::scenario::ScenarioFile;
use crate::scenario::build::world;
use crate::study::design::{self, LevelValue};
use clap::{Args, Subcommand};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Run a parameter study over one scenario and analyze the results
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker study plan examples/study_tire_pressure.toml\n  \
    bekker study converge examples/study_tire_pressure.toml\n  \
    bekker study run examples/study_tire_pressure.toml --out pressure\n  \
    bekker study report pressure\n  \
    bekker study run examples/sand_slope.toml --perturb --out slope\n  \
    bekker study replay pressure --trial 7 --out pressure_7\n\n\
    Resume an interrupted study with the same `run` command, or with `resume FOLDER`. The tables\n\
    are identical for any number of threads and shards. See docs/studies.md.")]
pub struct Study {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Plan(plan::Plan),
    Converge(converge::Converge),
    Run(run::Run),
    Status(status::Status),
    Resume(resume::Resume),
    Report(report::Report),
    Replay(replay::Replay),
    Merge(merge::Merge),
}

impl Study {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        match self.command {
            Command::Plan(command) => command.execute(),
            Command::Converge(command) => command.execute(quiet),
            Command::Run(command) => command.execute(quiet),
            Command::Status(command) => command.execute(),
            Command::Resume(command) => command.execute(quiet),
            Command::Report(command) => command.execute(),
            Command::Replay(command) => command.execute(quiet),
            Command::Merge(command) => command.execute(),
        }
    }
}

/// Returns all settings that determine the tables of a shard of the study in `file`.
fn study_request(
    study: &design::Study,
    file: &Path,
    shard: Shard,
) -> Result<StudyRequest, Failure> {
    // absolute, so that the paths are valid from any working directory
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let config = match serde_json::to_value(&study.config) {
        Ok(Value::Object(config)) => config,
        _ => Default::default(),
    };
    let responses = study.responses.iter();
    // building the world reads all files
    let fingerprint = world(&study.base)?.fingerprint;
    let asked = StudyRequest {
        format: 0,
        study: config,
        fingerprint,
        inputs: inputs(&study.base),
        duration: study.base.scenario.time.duration,
        table: study.table_hash.clone(),
        trials: study.trials(),
        vehicles: study.base.scenario.vehicle.len() as u64,
        vehicle_names: study.base.scenario.vehicle.iter().map(|own| own.name.clone()).collect(),
        factors: study.config.factor.iter().map(|factor| factor.name.clone()).collect(),
        responses: responses.map(|own| [own.name.clone(), own.unit().into()]).collect(),
        version: String::new(),
        source: String::new(),
        shard,
        scenario: whole(&study.scenario),
        file: whole(file),
    };
    Ok(asked.with_build())
}

/// Returns the hashes of the files of a scenario, by their paths relative to its folder.
fn inputs(file: &ScenarioFile) -> BTreeMap<String, String> {
    let own = file.inputs.list().into_iter().map(|input| {
        let path = input.path.strip_prefix(&file.folder).unwrap_or(&input.path);
        (path.display().to_string(), input.sha256)
    });
    own.collect()
}

/// Returns the numbers of `count` trials, evenly spaced among all.
fn spaced_trials(trials: u64, count: u64) -> Vec<u64> {
    let count = count.min(trials);
    let mut numbers: Vec<u64> = (0..count).map(|n| n * (trials - 1) / (count - 1).max(1)).collect();
    numbers.dedup();
    numbers
}

/// Converts a level to a table cell.
fn cell(level: &LevelValue) -> StudyCell {
    match level {
        LevelValue::Number(x) => StudyCell::Number(*x),
        LevelValue::Boolean(is) => StudyCell::Boolean(*is),
        LevelValue::Word(word) => StudyCell::Word(word.clone()),
    }
}

/// Formats a table cell.
fn word(cell: &StudyCell) -> String {
    match cell {
        StudyCell::Number(x) => rounded(*x),
        StudyCell::Boolean(is) => is.to_string(),
        StudyCell::Word(word) => word.clone(),
        StudyCell::Absent => String::new(),
    }
}

/// Formats a level.
fn level_word(level: &LevelValue) -> String {
    match level {
        LevelValue::Number(x) => rounded(*x),
        other => other.to_string(),
    }
}

/// Formats a number with four digits.
pub(super) fn rounded(x: f64) -> String {
    let whole = if x == 0.0 { 0.0 } else { x.abs().log10().floor() };
    if !(-4.0..=6.0).contains(&whole) {
        return format!("{x:.3e}");
    }
    let text = format!("{x:.*}", (3.0 - whole).max(0.0) as usize);
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        let told = [0.0, 55.0, 0.12345, 123456.0, -2.5, 1e-9, 1.5e8].map(rounded);
        assert_eq!(told, ["0", "55", "0.1235", "123456", "-2.5", "1.000e-9", "1.500e8"]);
    }
}
