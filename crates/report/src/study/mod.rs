//! Studies: trials of a design as files.
//!
//! Each trial is written to a journal as soon as it is complete, so a study interrupted at any
//! moment can be resumed ([`StudyFolder`]). The tables (`tables`) are written from all records in
//! the order of their numbers. Their bytes do not depend on the order in which the trials were
//! simulated. Wall times are in a separate file.

mod folder;
mod level_files;
mod tables;
mod titled_table;

pub use folder::{Shard, StudyFolder, StudyRequest};
pub use level_files::level_inputs;
pub use tables::{TRIALS, write_tables};
pub use titled_table::TitledTable;

use bekker_agent::{OutcomeCode, RangeExceedance};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A value of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum StudyCell {
    /// A number.
    Number(f64),
    /// A boolean.
    Boolean(bool),
    /// A string.
    Word(String),
    /// No value.
    Absent,
}

/// A completed trial.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrialRecord {
    /// Number of the trial, from 0.
    pub trial: u64,
    /// Number of its design point.
    pub point: u64,
    /// Number of the replication of the point, from 0.
    pub replication: u64,
    /// Settings that make the scenario that of this trial: arguments of `bekker run --set`.
    pub sets: Vec<String>,
    /// Seed of the scenario in this trial, unless a factor sets it.
    pub seed: Option<u64>,
    /// Level of each factor.
    pub levels: Vec<StudyCell>,
    /// Reason that there is no result; none if there is a result.
    pub failure: Option<String>,
    /// Value of each response; absent without a result.
    pub responses: Vec<StudyCell>,
    /// Hash of the final state, hexadecimal; empty without a final state.
    pub state_hash: String,
    /// Outcome of each vehicle; empty without a result.
    pub outcomes: Vec<OutcomeCode>,
    /// Copies with perturbed soil strength; empty without a result.
    pub copies: Vec<CopyRecord>,
    /// Limits of the ranges of validity that vehicles exceeded.
    pub exceeded: Vec<ExceedanceRecord>,
    /// Wall time of the trial and its copies, s.
    pub wall: f64,
    /// Files that its levels reference, in addition to those of the scenario.
    pub files: Vec<LevelFile>,
}

/// A copy of a trial with perturbed soil strength.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CopyRecord {
    /// Strength of all soils as a factor of that of the trial.
    pub factor: f64,
    /// Outcome of each vehicle.
    pub outcomes: Vec<OutcomeCode>,
    /// Hash of the final state, hexadecimal; empty if there is none.
    pub state_hash: String,
}

/// A limit of the ranges of validity that a vehicle exceeded in a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExceedanceRecord {
    /// Name of the vehicle.
    pub vehicle: String,
    /// The limit and the share of the drive.
    pub range: RangeExceedance,
}

/// Returns sentences about the limits of the ranges of validity that trials exceeded, one for each
/// limit.
pub fn exceedance_sentences(trials: &[&TrialRecord]) -> Vec<String> {
    let mut found: Vec<LimitExceedances> = Vec::new();
    for (trial, own) in
        trials.iter().flat_map(|trial| trial.exceeded.iter().map(|own| (trial.trial, own)))
    {
        let range = &own.range;
        let key = |range: &RangeExceedance| (range.running_gear, range.soil, range.quantity);
        let at = found.iter().position(|known| key(known.range) == key(range));
        if at.is_none() {
            found.push(LimitExceedances { range, vehicles: vec![], trials: vec![], most: 0.0 });
        }
        let at = at.unwrap_or(found.len() - 1);
        let known = &mut found[at];
        known.most = known.most.max(range.share);
        if !known.vehicles.contains(&own.vehicle.as_str()) {
            known.vehicles.push(&own.vehicle);
        }
        if known.trials.last() != Some(&trial) {
            known.trials.push(trial);
        }
    }
    found.iter().map(|own| own.sentence(trials.len())).collect()
}

/// A limit of the ranges of validity, with the vehicles and trials that exceeded it.
struct LimitExceedances<'a> {
    range: &'a RangeExceedance,
    vehicles: Vec<&'a str>,
    trials: Vec<u64>,
    /// Greatest share of a drive.
    most: f64,
}

impl LimitExceedances<'_> {
    fn sentence(&self, trials: usize) -> String {
        format!(
            "{}: {} in {} of {trials} trials, for up to {:.0} % of the drive, beyond {} \
             (docs/validation.md, ranges of validity)",
            self.vehicles.join(", "),
            self.range.words(),
            self.trials.len(),
            100.0 * self.most,
            self.range.trials()
        )
    }
}

/// Returns the design points whose replications all have the same final state.
///
/// This happens if the scenario uses no random numbers. Trials without a result do not count.
pub fn repeated_points(trials: &[&TrialRecord]) -> Vec<u64> {
    let mut hashes: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    for trial in trials.iter().filter(|trial| trial.failure.is_none()) {
        hashes.entry(trial.point).or_default().push(&trial.state_hash);
    }
    let same = |of: &[&str]| of.len() > 1 && of.iter().all(|hash| hash == &of[0]);
    hashes.into_iter().filter(|(_, of)| same(of)).map(|(point, _)| point).collect()
}

/// Returns a sentence about these points, if there are any.
pub fn repeated(trials: &[&TrialRecord]) -> Option<String> {
    let points = repeated_points(trials);
    let (count, first) = (points.len(), points.first()?);
    let of = match count {
        1 => format!("of design point {first}"),
        _ => format!("of {count} design points (first: {first})"),
    };
    Some(format!(
        "the replications {of} are identical (equal state hashes): the scenario does not depend on \
         its seed, so their intervals and deviations are meaningless"
    ))
}

/// A file that a level of a factor adds to a scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LevelFile {
    /// Path of the file, relative to the scenario's folder if it is below it.
    pub path: String,
    /// Length, bytes.
    pub bytes: u64,
    /// SHA-256 of its content, hexadecimal.
    pub sha256: String,
}
