//! Record of the files read, keys omitted and parameters assumed.

use super::ImportError;
use super::source::JsonSource;
use bekker_vehicle::SpecError;
use serde::Serialize;

/// Chrono key without a counterpart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Omitted {
    /// File, relative to Chrono's data folder.
    pub file: String,
    /// Path of the key.
    pub key: String,
    /// Value, truncated if long.
    pub value: String,
    /// Reason why it is left out, or its replacement.
    pub why: String,
}

/// Parameter of bekker that no Chrono file specifies.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Assumed {
    /// Key in bekker's vehicle file.
    pub key: String,
    /// Assumption.
    pub what: String,
}

/// Files read, keys omitted and parameters assumed so far.
#[derive(Debug, Default)]
pub(super) struct ImportLog {
    pub sources: Vec<String>,
    pub omitted: Vec<Omitted>,
    pub assumed: Vec<Assumed>,
    /// Sections of the vehicle file, with the file that each is from.
    pub origins: Vec<(String, String)>,
}

impl ImportLog {
    /// Records that a file was read.
    pub fn read(&mut self, file: &str) {
        if !self.sources.iter().any(|known| known == file) {
            self.sources.push(file.to_owned());
        }
    }

    /// Records the source file of the section `key` of the vehicle file.
    pub fn origin(&mut self, key: impl Into<String>, source: &JsonSource) {
        self.origins.push((key.into(), source.display_name.clone()));
    }

    /// Records a key without counterpart.
    pub fn omit(&mut self, source: &JsonSource, key: &str, why: &str) {
        let entry = Omitted {
            file: source.name.clone(),
            key: key.to_owned(),
            value: source.display_value(key),
            why: why.to_owned(),
        };
        // left and right, front and rear may share a file
        if !self.omitted.iter().any(|known| known.file == entry.file && known.key == entry.key) {
            self.omitted.push(entry);
        }
    }

    /// Records that the parameter `key` is assumed.
    pub fn assume(&mut self, key: impl Into<String>, what: impl Into<String>) {
        let entry = Assumed { key: key.into(), what: what.into() };
        if !self.assumed.contains(&entry) {
            self.assumed.push(entry);
        }
    }

    /// Converts a validation error to one that names the source file of the value.
    pub fn refused(&self, vehicle: &JsonSource, error: SpecError) -> ImportError {
        let of = |key: &str| {
            let within = |section: &&(String, String)| key.starts_with(section.0.as_str());
            self.origins.iter().filter(within).max_by_key(|section| section.0.len())
        };
        let origin = match &error {
            SpecError::Value { key, .. } => of(key),
            _ => None,
        };
        let file = origin.map_or_else(|| vehicle.display_name.clone(), |(_, file)| file.clone());
        ImportError::Refused { file, error }
    }
}
