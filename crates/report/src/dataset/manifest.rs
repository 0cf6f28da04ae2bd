//! What a dataset was made of, by what, and what is in it.

use super::EpisodeSummary;
use crate::ReportError;
use crate::manifest::{Build, FileHash};
use bekker_scenario::input;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::Path;

/// Its name; it is written last, and says that the dataset is complete.
pub(super) const MANIFEST: &str = "manifest.json";
/// Version of its format.
const FORMAT: u32 = 2;

/// All that decides the bytes of a dataset. Where and on how many threads it is made does not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// Name of the task.
    pub task: String,
    /// Who drives.
    pub policy: String,
    /// How many are driven; of each vehicle that is in them the dataset has an episode.
    pub episodes: u64,
    /// What it is written as.
    pub format: String,
    /// Seed of the episodes' seeds.
    pub seed: u64,
    /// Steps after which an episode is cut off.
    pub max_steps: u32,
    /// Options of the environment.
    pub options: Map<String, Value>,
    /// Version of the program.
    pub version: String,
    /// Hash of its source.
    pub source: String,
}

impl Asked {
    /// Asked of this program.
    pub fn of_this_program(mut self) -> Asked {
        let build = Build::current();
        (self.version, self.source) = (build.version, build.source);
        self
    }

    /// The first key in which another differs, with both values.
    pub fn difference(&self, other: &Asked) -> Option<[String; 3]> {
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

    /// How many vehicles are in a drive: one unless the options say so.
    pub fn vehicles(&self) -> u64 {
        self.options.get("vehicles").and_then(Value::as_u64).unwrap_or(1)
    }

    /// How many episodes the dataset has, those of the vehicles of a drive one after the other.
    pub fn pieces(&self) -> u64 {
        self.episodes * self.vehicles()
    }

    /// An option that is a number, zero if it is none.
    pub(super) fn number(&self, option: &str) -> f64 {
        self.options.get(option).and_then(Value::as_f64).unwrap_or_default()
    }
}

/// The manifest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DatasetManifest {
    /// Version of its format.
    pub manifest: u32,
    /// What it was made of.
    pub asked: Asked,
    /// All steps.
    pub steps: usize,
    /// The episodes, in order.
    pub episodes: Vec<EpisodeSummary>,
    /// The files, in the order that they were written.
    pub files: Vec<FileHash>,
}

impl DatasetManifest {
    /// Of these episodes and files.
    pub(super) fn new(
        asked: &Asked,
        episodes: Vec<EpisodeSummary>,
        files: Vec<FileHash>,
    ) -> DatasetManifest {
        let steps = episodes.iter().map(|episode| episode.steps).sum();
        DatasetManifest { manifest: FORMAT, asked: asked.clone(), steps, episodes, files }
    }

    /// Reads that of a folder.
    ///
    /// # Errors
    /// [`ReportError`] when it is none, or of another format.
    pub fn read(folder: &Path) -> Result<DatasetManifest, ReportError> {
        read(&folder.join(MANIFEST))
    }
}

/// Reads JSON.
pub(super) fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, ReportError> {
    let text =
        input::read_text(path, input::LARGEST_TABLE).map_err(ReportError::file("read", path))?;
    serde_json::from_str(&text).map_err(ReportError::decode(path))
}
