//! What is to be told about a vehicle that was read.

use super::ImportError;
use super::source::Source;
use bekker_vehicle::SpecError;
use serde::Serialize;

/// A key of Chrono's without a counterpart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Omitted {
    /// The file, below Chrono's folder of data.
    pub file: String,
    /// Path of the key.
    pub key: String,
    /// Its value, the beginning where it is long.
    pub value: String,
    /// Why it is left out, or what stands in its place.
    pub why: String,
}

/// A figure of ours that no file of Chrono's gives.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Assumed {
    /// Key of ours.
    pub key: String,
    /// What was assumed.
    pub what: String,
}

/// What has been read, left out and assumed so far.
#[derive(Debug, Default)]
pub(super) struct Log {
    pub sources: Vec<String>,
    pub omitted: Vec<Omitted>,
    pub assumed: Vec<Assumed>,
    /// Sections of ours, and the file that each is from.
    pub origins: Vec<(String, String)>,
}

impl Log {
    /// A file has been read.
    pub fn read(&mut self, file: &str) {
        if !self.sources.iter().any(|known| known == file) {
            self.sources.push(file.to_owned());
        }
    }

    /// Our section `key` is from a file.
    pub fn origin(&mut self, key: impl Into<String>, source: &Source) {
        self.origins.push((key.into(), source.told.clone()));
    }

    /// A key has no counterpart.
    pub fn omit(&mut self, source: &Source, key: &str, why: &str) {
        let entry = Omitted {
            file: source.name.clone(),
            key: key.to_owned(),
            value: source.shown(key),
            why: why.to_owned(),
        };
        // left and right, front and rear may share a file
        if !self.omitted.iter().any(|known| known.file == entry.file && known.key == entry.key) {
            self.omitted.push(entry);
        }
    }

    /// Our `key` is assumed.
    pub fn assume(&mut self, key: impl Into<String>, what: impl Into<String>) {
        let entry = Assumed { key: key.into(), what: what.into() };
        if !self.assumed.contains(&entry) {
            self.assumed.push(entry);
        }
    }

    /// The error of a figure, with the file that it is from.
    pub fn refused(&self, vehicle: &Source, error: SpecError) -> ImportError {
        let of = |key: &str| {
            let within = |section: &&(String, String)| key.starts_with(section.0.as_str());
            self.origins.iter().filter(within).max_by_key(|section| section.0.len())
        };
        let origin = match &error {
            SpecError::Value { key, .. } => of(key),
            _ => None,
        };
        let file = origin.map_or_else(|| vehicle.told.clone(), |(_, file)| file.clone());
        ImportError::Refused { file, error }
    }
}
