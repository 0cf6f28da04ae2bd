//! Studies: trials of a design as files.
//!
//! Each trial is a record of a journal as soon as it is done, so a study that was cut at any
//! moment is gone on with ([`StudyFolder`]); from all records, in the order of their numbers, the
//! tables are written (`tables`), the same bytes however the trials came about. What took how
//! long stands in a file of its own.

mod folder;
mod level_files;
mod outline;
mod tables;

pub use folder::{AskedOfStudy, Shard, StudyFolder};
pub use level_files::level_inputs;
pub use outline::Outline;
pub use tables::{TRIALS, write_tables};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A value of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Cell {
    /// A number.
    Number(f64),
    /// Yes or no.
    Boolean(bool),
    /// A word.
    Word(String),
    /// Nothing.
    Absent,
}

/// A trial that is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialRecord {
    /// Its number, from 0.
    pub trial: u64,
    /// Its design point.
    pub point: u64,
    /// Which time the point was driven, from 0.
    pub replication: u64,
    /// What made the scenario this trial's: arguments of `bekker run --set`.
    pub sets: Vec<String>,
    /// The scenario's seed in it, unless a factor says it.
    pub seed: Option<u64>,
    /// The level of each factor.
    pub levels: Vec<Cell>,
    /// Why there is no result; none where there is.
    pub failure: Option<String>,
    /// Each response; absent where there is no result.
    pub responses: Vec<Cell>,
    /// Hash of the last state, hexadecimal; empty where it came to none.
    pub state_hash: String,
    /// Wall time that it took, s.
    pub wall: f64,
    /// Files that its levels brought in, which the scenario alone does not name.
    pub files: Vec<LevelFile>,
}

/// Design points at which trials, several of each, are one and the same: all end in one state, since the
/// scenario draws nothing by its seed. Trials without a result do not count.
pub fn repeated_points(trials: &[&TrialRecord]) -> Vec<u64> {
    let mut hashes: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    for trial in trials.iter().filter(|trial| trial.failure.is_none()) {
        hashes.entry(trial.point).or_default().push(&trial.state_hash);
    }
    let same = |of: &[&str]| of.len() > 1 && of.iter().all(|hash| hash == &of[0]);
    hashes.into_iter().filter(|(_, of)| same(of)).map(|(point, _)| point).collect()
}

/// A sentence that tells of them, if there are any.
pub fn repeated(trials: &[&TrialRecord]) -> Option<String> {
    let points = repeated_points(trials);
    let (count, first) = (points.len(), points.first()?);
    let of = match count {
        1 => format!("of design point {first}"),
        _ => format!("of {count} design points, the first {first},"),
    };
    Some(format!(
        "the replications {of} are one and the same trial (equal state hashes): the scenario draws nothing \
         by its seed, and intervals and deviations over them say nothing"
    ))
}

/// A file that a level of a factor brought into a scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LevelFile {
    /// Where it was: from the scenario's folder on, where it lies below.
    pub path: String,
    /// Length, bytes.
    pub bytes: u64,
    /// SHA-256 of its content, hexadecimal.
    pub sha256: String,
}
