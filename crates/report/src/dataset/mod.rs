//! Datasets: episodes of driving as files that learning reads.
//!
//! Episodes are kept one by one while a dataset is made ([`Pieces`]), in any order; once all are
//! there, the files of the format asked for are written from them in order, each whole or not at
//! all ([`write()`]), the manifest last. So a dataset that was cut at any moment is gone on with, to
//! the same bytes.

mod arrow;
mod files;
mod lerobot;
mod manifest;
mod mcap;
mod minari;
mod pieces;
mod rows;
mod statistics;
mod tables;

pub use manifest::{Asked, DatasetManifest};
pub use pieces::{Begun, Pieces};

use super::ReportError;
use super::hashes::hexadecimal;
use files::Files;
use manifest::MANIFEST;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::Path;

/// Values of a column, row by row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Values {
    /// 32-bit reals.
    Float(Vec<f32>),
    /// 64-bit reals.
    Double(Vec<f64>),
    /// Integers.
    Long(Vec<i64>),
    /// Yes or no.
    Bool(Vec<bool>),
    /// Words.
    Text(Vec<String>),
}

impl Values {
    /// Adds the rows of a column of the same kind.
    fn append(&mut self, rows: Values) {
        match (self, rows) {
            (Values::Float(own), Values::Float(rows)) => own.extend(rows),
            (Values::Double(own), Values::Double(rows)) => own.extend(rows),
            (Values::Long(own), Values::Long(rows)) => own.extend(rows),
            (Values::Bool(own), Values::Bool(rows)) => own.extend(rows),
            (Values::Text(own), Values::Text(rows)) => own.extend(rows),
            // a column is of one kind throughout a dataset
            _ => {}
        }
    }
}

/// What a column is to a learner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// What is seen: a row more than there are steps.
    Observation,
    /// What is done.
    Action,
    /// The reward.
    Reward,
    /// A term of it.
    Term,
    /// What is true at the moment of the observation: a row more than there are steps.
    Label,
    /// What counts steps.
    Index,
}

/// A column with its values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Unit and meaning.
    pub unit: String,
    /// What it is.
    pub role: Role,
    /// Numbers of a row that is a list; none of a row that is one value.
    pub width: Option<usize>,
    /// What the numbers of such a row are, one part after the other, each with its size; empty
    /// where the name says it.
    pub parts: Vec<(String, usize)>,
    /// Its values.
    pub values: Values,
}

impl Column {
    /// A column of single values.
    fn single(name: &str, role: Role, values: Values) -> Column {
        let (name, unit, parts) = (name.into(), String::new(), Vec::new());
        Column { name, unit, role, width: None, parts, values }
    }
}

/// An episode in a few figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpisodeSummary {
    /// Its number, from 0.
    pub episode: u64,
    /// Seed that an environment is reset with to drive it again.
    pub seed: u64,
    /// Number of its level.
    pub level: u64,
    /// Which of the vehicles of a drive it is of, from the first in the row.
    #[serde(default)]
    pub vehicle: u64,
    /// Who drove it.
    pub driver: String,
    /// How many steps it has.
    pub steps: usize,
    /// Sum of its rewards.
    #[serde(rename = "return")]
    pub total: f64,
    /// Whether the task was over.
    pub terminated: bool,
    /// Whether it was cut off.
    pub truncated: bool,
    /// How it ended; empty when by time.
    pub ending: String,
    /// Whether the task was done.
    pub success: bool,
    /// SHA-256 of its observations, the last one too, its actions and its rewards, one after
    /// the other, little-endian; hexadecimal.
    pub sha256: String,
}

/// An episode as plain data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Episode {
    /// In a few figures.
    pub summary: EpisodeSummary,
    /// Its columns: the same in all episodes of a dataset.
    pub columns: Vec<Column>,
}

impl Episode {
    /// The column of a role of which there is one.
    fn column(&self, role: Role) -> Option<&Column> {
        self.columns.iter().find(|column| column.role == role)
    }
}

/// Hash of observations, actions and rewards: [`EpisodeSummary::sha256`].
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

/// What a dataset is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatasetFormat {
    /// A folder for Minari 0.5.
    Minari,
    /// A folder in the layout of LeRobot 3.0.
    Lerobot,
    /// A table of steps and one of episodes.
    Parquet,
    /// A file of messages for each episode.
    Mcap,
}

/// Writes all episodes of a dataset, then its manifest. `go_on` hears of each episode and says
/// whether to.
///
/// # Errors
/// [`ReportError`] when a piece cannot be read or a file not be written,
/// [`ReportError::Interrupted`].
pub fn write(
    folder: &Path,
    format: DatasetFormat,
    asked: &Asked,
    pieces: &Pieces,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<DatasetManifest, ReportError> {
    let mut files = Files::new(folder);
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

/// Episodes in order, as they are read.
type Episodes<'a> = dyn Iterator<Item = Result<Episode, ReportError>> + 'a;
