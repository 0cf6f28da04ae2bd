//! Options of the copies with perturbed soil strength, and their results.

use super::trial_runner::TrialRunner;
use crate::cli::Failure;
use crate::report::study::{StudyRequest, TitledTable, TrialRecord};
use crate::scenario::build::world;
use crate::simulation::OutcomeCode;
use crate::study::design::{Perturbation, Study};
use clap::Args;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

/// Options of the copies.
#[derive(Clone, Debug, Default, Args)]
pub struct PerturbationOptions {
    /// Drive each trial again as copies with the strength of all soils changed by up to PERCENT
    /// (default: 3), to show which outcomes are sensitive. 0 turns the copies of the study off. With
    /// this option a scenario may replace the study
    #[arg(long, value_name = "PERCENT", num_args = 0..=1, value_parser = percent)]
    perturb: Option<Option<f64>>,
    /// Number of copies of each trial, half of them weaker, half stronger (default: 8)
    #[arg(long, value_name = "N", requires = "perturb", value_parser = copies)]
    copies: Option<u64>,
}

impl PerturbationOptions {
    /// Returns the options that give a perturbation, or none.
    pub fn from_perturbation(perturb: Option<Perturbation>) -> PerturbationOptions {
        PerturbationOptions {
            perturb: Some(Some(perturb.map_or(0.0, |own| own.percent))),
            copies: perturb.map(|own| own.copies),
        }
    }

    /// Returns the options as words of a command line, with a space before each.
    pub fn words(&self) -> String {
        let perturb = match self.perturb {
            None => String::new(),
            Some(None) => " --perturb".into(),
            Some(Some(percent)) => format!(" --perturb {percent}"),
        };
        let copies = self.copies.map_or(String::new(), |copies| format!(" --copies {copies}"));
        perturb + &copies
    }

    /// Reads a study, or a scenario as a study of one trial, with these options.
    pub fn read(&self, path: &Path) -> Result<Study, Failure> {
        Ok(Study::read_with(path, |own| self.perturbation(own))?)
    }

    /// Returns the perturbation of a study whose file has `own`.
    fn perturbation(&self, own: Option<Perturbation>) -> Option<Perturbation> {
        let Some(percent) = self.perturb else { return own };
        let own = own.unwrap_or_default();
        let percent = percent.unwrap_or(own.percent);
        let copies = self.copies.unwrap_or(own.copies);
        (percent > 0.0).then_some(Perturbation { percent, copies })
    }
}

/// Options of the copies of a single run.
#[derive(Clone, Debug, Default, Args)]
pub struct SensitivityOptions {
    /// After the run, drive copies with the strength of all soils changed by up to PERCENT (default:
    /// 3). Prints which outcomes change
    #[arg(long, value_name = "PERCENT", num_args = 0..=1, value_parser = percent,
          conflicts_with_all = ["resume", "serve", "view", "processes", "parts"])]
    perturb: Option<Option<f64>>,
    /// Number of copies, half of them weaker, half stronger (default: 8)
    #[arg(long, value_name = "N", requires = "perturb", value_parser = copies)]
    copies: Option<u64>,
}

impl SensitivityOptions {
    /// Returns the perturbation, if one is requested.
    pub fn perturbation(&self) -> Option<Perturbation> {
        let SensitivityOptions { perturb, copies } = self.clone();
        PerturbationOptions { perturb, copies }.perturbation(None)
    }
}

/// Drives a scenario and its copies, and returns a line for each vehicle whose outcome changes, or
/// one line if none does.
///
/// # Errors
/// Faults of the scenario, or the reason why it has no result.
pub fn sensitivity_lines(
    path: &Path,
    sets: &[String],
    perturb: Perturbation,
    threads: usize,
    interrupted: &AtomicBool,
) -> Result<Vec<String>, Failure> {
    let study = Study::of_scenario(path, sets, perturb)?;
    // reads all files of the scenario
    world(&study.base)?;
    let record = Mutex::new(None);
    TrialRunner::new(&study, interrupted).drive(&[0], threads, &|own| {
        *record.lock().unwrap_or_else(PoisonError::into_inner) = Some(own);
        Ok(())
    })?;
    let record = record.into_inner().unwrap_or_else(PoisonError::into_inner);
    // an interruption leaves no record
    let Some(record) = record else { return Ok(Vec::new()) };
    if let Some(cause) = record.failure {
        return Err(Failure::Run { subject: path.display().to_string(), cause });
    }
    let Perturbation { percent, copies } = perturb;
    let found = SensitiveOutcome::of_trial(&record);
    if found.is_empty() {
        return Ok(vec![format!(
            "no outcome changes within \u{b1}{percent} % of the soil strength ({copies} copies)"
        )]);
    }
    let line = |own: &SensitiveOutcome| {
        let name = &study.base.scenario.vehicle[own.vehicle].name;
        let [count, copies] = own.otherwise;
        format!(
            "{name}: sensitive: {count} of {copies} copies within \u{b1}{percent} % of the soil \
             strength end otherwise ({}; nearest at {:+.2} %)",
            own.others(),
            own.nearest
        )
    };
    Ok(found.iter().map(line).collect())
}

/// Parses the greatest change of the strength, percent.
fn percent(text: &str) -> Result<f64, String> {
    let percent: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    // without a number it is 3 percent
    if (0.0..=50.0).contains(&percent) { Ok(percent) } else { Err("must be from 0 to 50".into()) }
}

/// Parses the number of copies.
fn copies(text: &str) -> Result<u64, String> {
    let copies: u64 = text.parse().map_err(|_| "not a whole number".to_owned())?;
    match copies {
        2..=1000 if copies.is_multiple_of(2) => Ok(copies),
        _ => Err("must be even, from 2 to 1000: half are weaker, half are stronger".into()),
    }
}

/// A vehicle whose outcome differs in some copies of a trial.
pub struct SensitiveOutcome {
    /// Number of the trial.
    pub trial: u64,
    /// Index of the vehicle.
    pub vehicle: usize,
    /// Its outcome in the trial.
    pub outcome: OutcomeCode,
    /// Number of copies in which it ended otherwise, and number of copies.
    pub otherwise: [usize; 2],
    /// Number of copies with each of the other outcomes.
    pub others: Vec<(OutcomeCode, usize)>,
    /// Change of the strength, percent, of the copy nearest to the trial that ended otherwise.
    pub nearest: f64,
}

impl SensitiveOutcome {
    /// Returns the outcomes of a trial that differ in some of its copies.
    pub fn of_trial(trial: &TrialRecord) -> Vec<SensitiveOutcome> {
        let vehicles = trial.outcomes.iter().enumerate();
        vehicles.filter_map(|(vehicle, own)| SensitiveOutcome::new(trial, vehicle, *own)).collect()
    }

    fn new(trial: &TrialRecord, vehicle: usize, outcome: OutcomeCode) -> Option<SensitiveOutcome> {
        let (mut others, mut nearest) = (Vec::<(OutcomeCode, usize)>::new(), f64::INFINITY);
        for copy in &trial.copies {
            let Some(&code) = copy.outcomes.get(vehicle).filter(|code| **code != outcome) else {
                continue;
            };
            match others.iter_mut().find(|own| own.0 == code) {
                Some((_, count)) => *count += 1,
                None => others.push((code, 1)),
            }
            let change = 100.0 * (copy.factor - 1.0);
            if change.abs() < nearest.abs() {
                nearest = change;
            }
        }
        let count = others.iter().map(|own| own.1).sum();
        let otherwise = [count, trial.copies.len()];
        let trial = trial.trial;
        (count > 0).then_some(SensitiveOutcome {
            trial,
            vehicle,
            outcome,
            otherwise,
            others,
            nearest,
        })
    }

    /// Returns the other outcomes in words, such as "3 immobilized".
    pub fn others(&self) -> String {
        let words = self.others.iter().map(|(code, count)| format!("{count} {}", code.words()));
        words.collect::<Vec<_>>().join(", ")
    }
}

/// Returns a sentence about the sensitive outcomes of a study; `None` without copies.
pub fn sensitivity_sentence(asked: &StudyRequest, trials: &[&TrialRecord]) -> Option<String> {
    let perturb = perturbation(asked)?;
    let all: usize = trials.iter().map(|trial| trial.outcomes.len()).sum();
    let sensitive = trials.iter().map(|trial| SensitiveOutcome::of_trial(trial).len());
    let count: usize = sensitive.sum();
    let within = format!(
        "within ±{} % of the soil strength ({} copies of each trial)",
        perturb.percent, perturb.copies
    );
    Some(match count {
        0 => format!("No outcome changes {within}."),
        _ => format!("Sensitive: {count} of {all} outcomes change {within}."),
    })
}

/// Returns the perturbation of a study.
pub fn perturbation(asked: &StudyRequest) -> Option<Perturbation> {
    serde_json::from_value(asked.study.get("perturb")?.clone()).ok()
}

/// Returns the table of sensitive outcomes; `None` if there are none.
pub fn sensitivity_table(asked: &StudyRequest, trials: &[&TrialRecord]) -> Option<TitledTable> {
    let mut head = vec!["trial".to_owned()];
    head.extend(asked.factors.iter().cloned());
    let further = ["vehicle", "outcome", "copies otherwise", "which", "nearest change, %"];
    head.extend(further.map(str::to_owned));
    let rows = trials.iter().flat_map(|trial| {
        SensitiveOutcome::of_trial(trial).into_iter().map(|own| {
            let mut row = vec![own.trial.to_string()];
            row.extend(trial.levels.iter().map(super::word));
            let name = asked.vehicle_names.get(own.vehicle).cloned().unwrap_or_default();
            let [count, copies] = own.otherwise;
            row.extend([
                name,
                own.outcome.words().to_owned(),
                format!("{count} of {copies}"),
                own.others(),
                format!("{:+}", super::rounded(own.nearest).parse::<f64>().unwrap_or(own.nearest)),
            ]);
            row
        })
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let title = "Sensitive outcomes: copies with perturbed soil strength that end otherwise";
    (!rows.is_empty()).then(|| TitledTable { title: title.into(), head, rows })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::study::CopyRecord;

    #[test]
    fn options_override_the_key_of_the_study() {
        let of_file = Some(Perturbation { percent: 5.0, copies: 20 });
        let given = |perturb, copies| PerturbationOptions { perturb, copies };
        assert_eq!(given(None, None).perturbation(of_file), of_file);
        assert_eq!(given(None, None).perturbation(None), None);
        let standard = Some(Perturbation { percent: 3.0, copies: 8 });
        assert_eq!(given(Some(None), None).perturbation(None), standard);
        assert_eq!(given(Some(None), None).perturbation(of_file), of_file);
        let own = Some(Perturbation { percent: 2.0, copies: 20 });
        assert_eq!(given(Some(Some(2.0)), None).perturbation(of_file), own);
        assert_eq!(given(Some(Some(0.0)), None).perturbation(of_file), None);
        for own in [standard, of_file, None] {
            assert_eq!(PerturbationOptions::from_perturbation(own).perturbation(of_file), own);
        }
    }

    #[test]
    fn the_nearest_copy_that_ends_otherwise_is_reported() {
        use OutcomeCode::{Arrived, Immobilized, UnderWay};
        let copy = |factor, outcome| CopyRecord {
            factor,
            outcomes: vec![Arrived, outcome],
            state_hash: String::new(),
        };
        let trial = TrialRecord {
            trial: 4,
            outcomes: vec![Arrived, Arrived],
            copies: vec![
                copy(0.97, Immobilized),
                copy(0.985, Immobilized),
                copy(1.015, Arrived),
                copy(1.03, UnderWay),
            ],
            ..TrialRecord::default()
        };
        let found = SensitiveOutcome::of_trial(&trial);
        let [own] = &found[..] else { panic!("{}", found.len()) };
        assert_eq!((own.trial, own.vehicle, own.otherwise), (4, 1, [3, 4]));
        assert_eq!(own.others(), "2 immobilized, 1 still driving");
        assert!((own.nearest + 1.5).abs() < 1e-9, "{}", own.nearest);
    }
}
