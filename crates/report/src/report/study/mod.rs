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
