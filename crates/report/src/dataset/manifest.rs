//! Manifest of a dataset: its request, episodes and files.

use super::EpisodeSummary;
use crate::ReportError;
use crate::manifest::{Build, FileHash};
use bekker_scenario::input;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::Path;

/// Name of the manifest. It is written last, so its presence means that the dataset is complete.
pub(super) const MANIFEST: &str = "manifest.json";
/// Version of the manifest's format.
const FORMAT: u32 = 2;

/// All that determines the bytes of a dataset.
///
/// The folder and the number of threads do not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DatasetRequest {
    /// Name of the task.
    pub task: String,
    /// Name of the policy that drives.
    pub policy: String,
    /// Number of drives; the dataset has an episode for each vehicle of each drive.
    pub episodes: u64,
    /// Format of the dataset.
    pub format: String,
    /// Seed from which the seeds of the episodes are drawn.
    pub seed: u64,
    /// Maximum number of steps of an episode.
    pub max_steps: u32,
    /// Options of the environment.
    pub options: Map<String, Value>,
    /// Version of the program.
    pub version: String,
    /// Hash of the program's source.
    pub source: String,
}

impl DatasetRequest {
    /// Sets version and source to those of this program.
    pub fn with_build(mut self) -> DatasetRequest {
        let build = Build::current();
        (self.version, self.source) = (build.version, build.source);
        self
    }

    /// Returns the first key in which `other` differs, with both values.
    pub fn difference(&self, other: &DatasetRequest) -> Option<[String; 3]> {
        let values = [self, other].map(|asked| {
            let Ok(Value::Object(mut map)) = serde_json::to_value(asked) else { return Map::new() };
            if let Some(Value::Object(options)) = map.remove("options") {
                map.extend(options);
            }
            map
        });
        let [own, others] = values;
        let key = own.keys().chain(others.keys()).find(|key| own.get(*key) != others.get(*key))?;
        let told = |map: &Map<String, Value>| map.get(key).map_or("none".into(), Value::to_string);
        Some([key.clone(), told(&own), told(&others)])
    }

    /// Returns the request with as many episodes as another, if it has fewer.
    pub(super) fn with_episodes_of(&self, other: &DatasetRequest) -> DatasetRequest {
        DatasetRequest { episodes: self.episodes.max(other.episodes), ..self.clone() }
    }

    /// Number of vehicles in a drive, 1 by default.
    pub fn vehicles(&self) -> u64 {
        self.options.get("vehicles").and_then(Value::as_u64).unwrap_or(1)
    }

    /// Number of episodes in the dataset; those of one drive's vehicles are consecutive.
    pub fn pieces(&self) -> u64 {
        self.episodes * self.vehicles()
    }

    /// Returns a numeric option, or zero if it is absent or not a number.
    pub(super) fn number(&self, option: &str) -> f64 {
        self.options.get(option).and_then(Value::as_f64).unwrap_or_default()
    }
}

/// Manifest of a dataset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DatasetManifest {
    /// Version of the manifest's format.
    pub manifest: u32,
    /// The request from which the dataset was made.
    pub asked: DatasetRequest,
    /// Total number of steps.
    pub steps: usize,
    /// The episodes, in order.
    pub episodes: Vec<EpisodeSummary>,
    /// The files, in the order of writing.
    pub files: Vec<FileHash>,
}

impl DatasetManifest {
    /// Creates the manifest of these episodes and files.
    pub(super) fn new(
        asked: &DatasetRequest,
        episodes: Vec<EpisodeSummary>,
        files: Vec<FileHash>,
    ) -> DatasetManifest {
        let steps = episodes.iter().map(|episode| episode.steps).sum();
        DatasetManifest { manifest: FORMAT, asked: asked.clone(), steps, episodes, files }
    }

    /// Reads the manifest in a folder.
    ///
    /// # Errors
    /// [`ReportError`] if it is not a valid manifest, or has another format.
    pub fn read(folder: &Path) -> Result<DatasetManifest, ReportError> {
        read(&folder.join(MANIFEST))
    }
}

/// Reads a JSON file.
pub(super) fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, ReportError> {
    let text =
        input::read_text(path, input::LARGEST_TABLE).map_err(ReportError::file("read", path))?;
    serde_json::from_str(&text).map_err(ReportError::decode(path))
}
