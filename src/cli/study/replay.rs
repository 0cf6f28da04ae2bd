//! `bekker study replay`

use crate::cli::{Failure, run};
use crate::report::study::{StudyRequest, level_inputs};
use crate::scenario::build::world;
use crate::scenario::{ScenarioFile, input};
use crate::simulation::RunSummary;
use crate::study::design::{STRENGTH, perturbed_strength};
use clap::Args;
use std::path::{Path, PathBuf};

/// Rerun one trial of a study, with all files of a run
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker study replay pressure --trial 7 --out pressure_7\n\n\
    Drives the scenario with the values of the trial, as `bekker run` does. Fails if the final\n\
    state differs from that of the trial.")]
pub struct Replay {
    /// Study folder
    folder: PathBuf,
    /// Number of the trial, from 0
    #[arg(long, value_name = "N")]
    trial: u64,
    /// Number of a copy of the trial with perturbed soil strength, from 0
    #[arg(long, value_name = "N")]
    copy: Option<usize>,
    /// Folder for the run's results
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Overwrite the results of an earlier run in a folder that is not empty
    #[arg(long)]
    force: bool,
}

impl Replay {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let asked = StudyRequest::read(&self.folder)?;
        // the files of the run would overwrite those of the study
        if StudyRequest::read(&self.out).is_ok() {
            return Err(Failure::Input {
                subject: self.out.display().to_string(),
                cause: "is a study folder; give another folder".into(),
            });
        }
        let records = asked.records(&self.folder)?;
        let subject = self.folder.display().to_string();
        let Some(record) = records.get(&self.trial) else {
            let (done, trials) = (records.len(), asked.trials);
            let cause = format!(
                "has no result of trial {}: {done} of trials 0 to {} are done",
                self.trial,
                trials.saturating_sub(1)
            );
            return Err(Failure::Input { subject, cause });
        };
        let scenario = trial_scenario(&self.folder, &asked)?;
        let base = scenario.parent().unwrap_or(Path::new(""));
        let inputs = level_inputs(&self.folder, base, record);
        let mut sets = record.sets.clone();
        let mut hash = &record.state_hash;
        if let Some(index) = self.copy {
            let Some(copy) = record.copies.get(index) else {
                let copies = record.copies.len();
                let cause = format!("trial {} has {copies} copies, numbered from 0", self.trial);
                return Err(Failure::Input { subject, cause });
            };
            let file = ScenarioFile::read_with_inputs(&scenario, &sets, inputs.clone())?;
            let strength = perturbed_strength(file.scenario.soil.strength, copy.factor);
            sets.push(format!("{STRENGTH}={strength:?}"));
            hash = &copy.state_hash;
        }
        let run = run::Run::new(scenario, sets, inputs, self.out.clone(), self.force);
        let driven = run.execute(quiet);
        // a folder that cannot be written to is no evidence about the trial
        if let (Err(failure @ Failure::Run { .. }), None) = (&driven, &record.failure) {
            let cause = format!("trial {} succeeded, but this run failed: {failure}", self.trial);
            return Err(Failure::Run { subject, cause });
        }
        if hash.is_empty() || matches!(driven, Err(Failure::Report(_))) {
            return driven;
        }
        let path = self.out.join("summary.json");
        let text = input::read_text(&path, input::LARGEST_TABLE)
            .map_err(|error| Failure::input(&path, &error))?;
        let summary: RunSummary =
            serde_json::from_str(&text).map_err(|error| Failure::input(&path, &error))?;
        if summary.state_hash != *hash {
            let (was, is) = (hash, &summary.state_hash);
            let cause =
                format!("trial {} ended in state {was}, but this run ended in {is}", self.trial);
            return Err(Failure::Run { subject, cause });
        }
        if driven.is_ok() && !quiet {
            eprintln!("final state matches trial {}", self.trial);
        }
        driven
    }
}

/// Returns the path of the scenario of a study: the original file if unchanged, otherwise its copy
/// in the folder.
pub fn trial_scenario(folder: &Path, asked: &StudyRequest) -> Result<PathBuf, Failure> {
    let now = ScenarioFile::read(&asked.scenario, &[])
        .and_then(|file| Ok((file.scenario.time.duration, world(&file)?.fingerprint)));
    if now.is_ok_and(|now| now == (asked.duration, asked.fingerprint.clone())) {
        return Ok(asked.scenario.clone());
    }
    let subject = asked.scenario.display().to_string();
    match StudyRequest::kept_scenario(folder) {
        Some(copy) => {
            let copied = copy.display();
            let there = asked.scenario.exists();
            let why = if there { "different from the scenario of the study" } else { "missing" };
            eprintln!("warning: {subject} is {why}; using {copied}");
            Ok(copy)
        }
        None => {
            let cause = "differs from the scenario of the study: it, a file that it names or the \
                program has changed, and the study folder has no copy";
            Err(Failure::Input { subject, cause: cause.into() })
        }
    }
}
