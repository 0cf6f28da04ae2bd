//! Datasets: episodes of driving as files for machine learning.
//!
//! While a dataset is made, its episodes are stored one by one in any order ([`PartialDataset`]). When all
//! are complete, [`write()`] creates the files of the requested format from them in order, and the
//! manifest last. Each file is written completely or not at all. Therefore a dataset interrupted at
//! any moment can be resumed and gives the same bytes.

mod arrow;
mod files;
mod lerobot;
mod manifest;
mod mcap;
mod minari;
mod partial_dataset;
mod rows;
mod statistics;
mod tables;

pub use manifest::{DatasetManifest, DatasetRequest};
pub use partial_dataset::{DatasetState, PartialDataset};

use super::ReportError;
use super::hashes::hexadecimal;
use files::DatasetFiles;
use manifest::MANIFEST;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::Path;

/// Values of a column, row by row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ColumnValues {
    /// 32-bit reals.
    Float(Vec<f32>),
    /// 64-bit reals.
    Double(Vec<f64>),
    /// Integers.
    Long(Vec<i64>),
    /// Booleans.
    Bool(Vec<bool>),
    /// Strings.
    Text(Vec<String>),
}

impl ColumnValues {
    /// Appends the rows of a column of the same type.
    fn append(&mut self, rows: ColumnValues) {
        match (self, rows) {
            (ColumnValues::Float(own), ColumnValues::Float(rows)) => own.extend(rows),
            (ColumnValues::Double(own), ColumnValues::Double(rows)) => own.extend(rows),
            (ColumnValues::Long(own), ColumnValues::Long(rows)) => own.extend(rows),
            (ColumnValues::Bool(own), ColumnValues::Bool(rows)) => own.extend(rows),
            (ColumnValues::Text(own), ColumnValues::Text(rows)) => own.extend(rows),
            // a column has the same type throughout a dataset
            _ => {}
        }
    }
}

/// Role of a column for a learner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ColumnRole {
    /// Observation; it has one row more than there are steps.
    Observation,
    /// Action.
    Action,
    /// Reward.
    Reward,
    /// Term of the reward.
    Term,
    /// Ground truth at the moment of the observation; it has one row more than there are steps.
    Label,
    /// Index of a step, or a flag or name that is neither observed nor rewarded.
    Index,
}

/// A column with its values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DatasetColumn {
    /// Name of the column.
    pub name: String,
    /// Unit and meaning.
    pub unit: String,
    /// Role of the column.
    pub role: ColumnRole,
    /// Number of elements per row if rows are lists; none if a row is a single value.
    pub width: Option<usize>,
    /// Parts of such a list in order, each with its number of elements; empty if the name suffices.
    pub parts: Vec<(String, usize)>,
    /// Values, row by row.
    pub values: ColumnValues,
}

impl DatasetColumn {
    /// Creates a column of single values.
    fn single(name: &str, role: ColumnRole, values: ColumnValues) -> DatasetColumn {
        let (name, unit, parts) = (name.into(), String::new(), Vec::new());
        DatasetColumn { name, unit, role, width: None, parts, values }
    }
}

/// Summary of an episode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpisodeSummary {
    /// Number of the episode, from 0.
    pub episode: u64,
    /// Seed for the reset of an environment that repeats the episode.
    pub seed: u64,
    /// Number of the level.
    pub level: u64,
    /// Index of the vehicle among those of the drive, from 0.
    #[serde(default)]
    pub vehicle: u64,
    /// Name of the policy that drove.
    pub driver: String,
    /// Number of steps.
    pub steps: usize,
    /// Sum of the rewards.
    #[serde(rename = "return")]
    pub total: f64,
    /// Whether the task ended.
    pub terminated: bool,
    /// Whether the episode was truncated.
    pub truncated: bool,
    /// Reason for the end; `time` if the time ran out.
    pub ending: String,
    /// Whether the task was accomplished.
    pub success: bool,
    /// SHA-256 of the observations, actions and rewards, in hexadecimal.
    ///
    /// They are concatenated in this order, little-endian; the final observation is included.
    pub sha256: String,
}

/// An episode as plain data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpisodeData {
    /// Summary of the episode.
    pub summary: EpisodeSummary,
    /// Columns, the same in all episodes of a dataset.
    pub columns: Vec<DatasetColumn>,
}

impl EpisodeData {
    /// Returns the column with a role that occurs once.
    fn column(&self, role: ColumnRole) -> Option<&DatasetColumn> {
        self.columns.iter().find(|column| column.role == role)
    }
}

/// Returns the hash of observations, actions and rewards: [`EpisodeSummary::sha256`].
pub fn hash(observations: &[f32], actions: &[f32], rewards: &[f64]) -> String {
    let mut hasher = Sha256::new();
    for value in observations.iter().chain(actions) {
        hasher.update(value.to_le_bytes());
    }
    for value in rewards {
        hasher.update(value.to_le_bytes());
    }
    hexadecimal(&hasher.finalize())
}

/// Format of a dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatasetFormat {
    /// A folder for Minari 0.5.
    Minari,
    /// A folder in the layout of LeRobot 3.0.
    Lerobot,
    /// A table of steps and a table of episodes.
    Parquet,
    /// An MCAP file for each episode.
    Mcap,
}

/// Writes all episodes of a dataset, then its manifest.
///
/// `go_on` is called for each episode; if it returns false, the writing stops.
///
/// # Errors
/// [`ReportError`] if a piece cannot be read or a file cannot be written,
/// [`ReportError::Interrupted`].
pub fn write(
    folder: &Path,
    format: DatasetFormat,
    asked: &DatasetRequest,
    pieces: &PartialDataset,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<DatasetManifest, ReportError> {
    let mut files = DatasetFiles::new(folder);
    let mut summaries = Vec::new();
    let mut episodes = pieces.all(asked.pieces()).map(|episode| {
        let episode = episode?;
        summaries.push(episode.summary.clone());
        if go_on() { Ok(episode) } else { Err(ReportError::Interrupted) }
    });
    match format {
        DatasetFormat::Minari => minari::write(&mut files, asked, &mut episodes)?,
        DatasetFormat::Lerobot => lerobot::write(&mut files, asked, &mut episodes)?,
        DatasetFormat::Parquet => tables::write(&mut files, &mut episodes)?,
        DatasetFormat::Mcap => mcap::write(&mut files, asked, &mut episodes)?,
    }
    drop(episodes);
    let manifest = DatasetManifest::new(asked, summaries, files.written);
    super::manifest::write_json(&folder.join(MANIFEST), &manifest)?;
    Ok(manifest)
}

/// Episodes in order, read when they are needed.
type Episodes<'a> = dyn Iterator<Item = Result<EpisodeData, ReportError>> + 'a;
