//! The folder of a study: its request, and the completed trials.

use super::TrialRecord;
use super::level_files::{LevelFiles, copy_level_file, keep_of};
use crate::input_copies::{self, SCENARIO};
use crate::journal::{self, Journal};
use crate::manifest::{self, Build};
use crate::rundir::{RunFolderLock, lock};
use crate::{ReportError, file};
use bekker_scenario::build::world;
use bekker_scenario::{ScenarioFile, input};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// File with the study's request.
const ASKED: &str = "study.json";
const JOURNAL: &str = "journal.bin";
/// Version of the folder's format.
const FORMAT: u32 = 6;

/// A part of the trials: those whose number modulo `of` is `index` - 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Number of the part, from 1.
    pub index: u64,
    /// Number of parts.
    pub of: u64,
}

impl Shard {
    /// All trials.
    pub const WHOLE: Shard = Shard { index: 1, of: 1 };

    /// Returns whether a trial is in the part.
    pub fn has(&self, trial: u64) -> bool {
        trial % self.of == self.index - 1
    }

    /// Returns how many of the first `trials` trials are in the part.
    pub fn count(&self, trials: u64) -> u64 {
        (trials + self.of - self.index) / self.of
    }
}

/// All that determines the bytes of a study's tables, and the data needed to read them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudyRequest {
    /// Version of the folder's format.
    pub format: u32,
    /// The study's file, parsed.
    pub study: Map<String, Value>,
    /// Hash of all that determines the course of its scenario without any factor; hexadecimal.
    ///
    /// This includes the scenario's files.
    pub fingerprint: String,
    /// SHA-256 of each of these files, by its path relative to the scenario's folder.
    ///
    /// It is redundant to the fingerprint, and serves to report which file differs.
    #[serde(default)]
    pub inputs: BTreeMap<String, String>,
    /// Duration of its scenario without any factor, s.
    ///
    /// The duration does not change the course of a run, only its end.
    pub duration: f64,
    /// Hash of the table of design points, hexadecimal; empty if the design has none.
    pub table: String,
    /// Number of trials in the complete study.
    pub trials: u64,
    /// Number of vehicles in its scenario.
    pub vehicles: u64,
    /// Names of these vehicles.
    #[serde(default)]
    pub vehicle_names: Vec<String>,
    /// Names of the factors.
    pub factors: Vec<String>,
    /// Names of the responses, each with its unit.
    pub responses: Vec<[String; 2]>,
    /// Version of the program.
    pub version: String,
    /// Hash of the program's source.
    pub source: String,
    /// Part of the trials that is simulated in this folder.
    pub shard: Shard,
    /// Path of the scenario; has no influence on the results.
    pub scenario: PathBuf,
    /// Path of the study's file; has no influence on the results.
    pub file: PathBuf,
}

impl StudyRequest {
    /// Sets format, version and source to those of this program.
    pub fn with_build(mut self) -> StudyRequest {
        let build = Build::current();
        (self.format, self.version, self.source) = (FORMAT, build.version, build.source);
        self
    }

    /// Returns the first key in which `other` differs, with both values.
    ///
    /// Paths of the scenario and the study's file are ignored. If the fingerprints differ, the key
    /// is the first file that differs, if one does.
    pub fn difference(&self, other: &StudyRequest) -> Option<[String; 3]> {
        let [own, others] = [self, other].map(|asked| {
            let Ok(Value::Object(mut map)) = serde_json::to_value(asked) else { return Map::new() };
            map.retain(|key, _| !["scenario", "file", "inputs"].contains(&key.as_str()));
            let study = map.remove("study");
            // the study's own keys first, because the others depend on them
            let study = study.as_ref().and_then(Value::as_object).cloned().unwrap_or_default();
            study.into_iter().chain(map).collect::<Map<_, _>>()
        });
        let told = |map: &Map<String, Value>, key: &str| {
            map.get(key).map_or("none".into(), Value::to_string)
        };
        let mut keys = own.keys().chain(others.keys());
        // as text: a number parsed from a file may differ in its last digit
        let key = keys.find(|key| told(&own, key) != told(&others, key))?;
        let (found, asked) = (told(&own, key), told(&others, key));
        if key != "fingerprint" {
            return Some([key.clone(), found, asked]);
        }
        let scenario = self.scenario.file_name().unwrap_or_default().to_string_lossy();
        self.changed_input(other)
            .or_else(|| Some([format!("fingerprint of {scenario}"), found, asked]))
    }

    /// Returns the first of the scenario's files with another content in `other`, with both hashes.
    fn changed_input(&self, other: &StudyRequest) -> Option<[String; 3]> {
        self.inputs.iter().find_map(|(path, own)| {
            let theirs = other.inputs.get(path).filter(|theirs| *theirs != own)?;
            Some([format!("SHA-256 of {path}"), own.clone(), theirs.clone()])
        })
    }

    /// Returns the request for another part of the trials.
    pub fn of_shard(&self, shard: Shard) -> StudyRequest {
        StudyRequest { shard, ..self.clone() }
    }

    /// Returns the request as parsed from its JSON text.
    fn as_read(&self, path: &Path) -> Result<StudyRequest, ReportError> {
        let text = serde_json::to_string(self).map_err(ReportError::encode(path))?;
        serde_json::from_str(&text).map_err(ReportError::decode(path))
    }

    /// Reads the request in a folder.
    ///
    /// # Errors
    /// [`ReportError::NotAStudy`] without a request, [`ReportError`] if it cannot be read.
    pub fn read(folder: &Path) -> Result<StudyRequest, ReportError> {
        let path = folder.join(ASKED);
        if !path.is_file() {
            let cause = format!("it has no {ASKED}");
            return Err(ReportError::NotAStudy { path: folder.to_owned(), cause });
        }
        let text = input::read_text(&path, input::LARGEST_TABLE);
        let text = text.map_err(ReportError::file("read", &path))?;
        serde_json::from_str(&text).map_err(ReportError::decode(&path))
    }

    /// Returns the path of the scenario's copy in a folder, if it exists.
    pub fn kept_scenario(folder: &Path) -> Option<PathBuf> {
        Some(folder.join(SCENARIO)).filter(|path| path.is_file())
    }

    /// Folder to which the scenario's paths are relative.
    pub fn scenario_folder(&self) -> &Path {
        self.scenario.parent().unwrap_or(Path::new(""))
    }

    /// Reads the completed trials in its folder, by number.
    ///
    /// # Errors
    /// [`ReportError`] if the journal cannot be read.
    pub fn records(&self, folder: &Path) -> Result<BTreeMap<u64, TrialRecord>, ReportError> {
        journal::read(&folder.join(JOURNAL)).map(|(records, _)| records)
    }
}

/// A study's folder to which trials are added; it is locked against other processes.
#[derive(Debug)]
pub struct StudyFolder {
    path: PathBuf,
    journal: Journal<TrialRecord>,
    files: Mutex<LevelFiles>,
    #[expect(dead_code, reason = "held, not used")]
    lock: RunFolderLock,
}

impl StudyFolder {
    /// Begins or resumes a study in a folder, which is created if necessary.
    ///
    /// Also returns the completed trials by number.
    ///
    /// # Errors
    /// [`ReportError::OtherStudy`] if the folder holds another study, [`ReportError::NotAStudy`] if
    /// it holds something else, [`ReportError::FolderLocked`].
    pub fn begin(
        out: &Path,
        asked: &StudyRequest,
    ) -> Result<(StudyFolder, BTreeMap<u64, TrialRecord>), ReportError> {
        fs::create_dir_all(out).map_err(ReportError::file("create folder", out))?;
        check(out, asked)?;
        let lock = lock(out)?;
        // another process may have begun the study before the lock was taken
        if !check(out, asked)? {
            manifest::write_json(&out.join(ASKED), asked)?;
        }
        let (journal, records) = Journal::open(&out.join(JOURNAL))?;
        let mut files = LevelFiles::default();
        for own in records.values().flat_map(|record: &TrialRecord| &record.files) {
            files.add(out, own)?;
        }
        let folder = StudyFolder { path: out.to_owned(), journal, files: Mutex::new(files), lock };
        Ok((folder, records))
    }

    /// Stores a completed trial and copies of the files that its levels reference.
    ///
    /// Paths of these files are relative to `base`.
    ///
    /// # Errors
    /// [`ReportError`] if something cannot be written, or a file has changed since another trial
    /// used it.
    pub fn put(&self, record: &TrialRecord, base: &Path) -> Result<(), ReportError> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        for own in &record.files {
            if files.add(&self.path, own)? {
                copy_level_file(&self.path, own, &base.join(&own.path))?;
            }
        }
        drop(files);
        self.journal.put(record.trial, record)
    }

    /// Stores a trial that was simulated in one of the folders `others`.
    ///
    /// # Errors
    /// [`ReportError`] if something cannot be written, or two trials used different contents of a
    /// file.
    pub fn put_of(&self, record: &TrialRecord, others: &[PathBuf]) -> Result<(), ReportError> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        for own in &record.files {
            if files.add(&self.path, own)? {
                keep_of(&self.path, own, others)?;
            }
        }
        drop(files);
        self.journal.put(record.trial, record)
    }

    /// Checks that the files referenced by levels are unchanged; their paths are relative to
    /// `base`.
    ///
    /// # Errors
    /// [`ReportError::OtherStudy`] if a file has changed, [`ReportError`] if one cannot be read.
    pub fn check_files(&self, base: &Path) -> Result<(), ReportError> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).check(&self.path, base)
    }

    /// Stores the study's scenario without any factor, with the files from which its world was
    /// built.
    ///
    /// With these, trials can be repeated anywhere. Existing copies are kept.
    ///
    /// # Errors
    /// [`ReportError`] if a file cannot be written.
    pub fn keep_scenario(&self, file: &ScenarioFile) -> Result<(), ReportError> {
        if self.path.join(SCENARIO).exists() {
            return Ok(());
        }
        let inputs = input_copies::copy_inputs(&self.path, &file.inputs)?;
        // last: its presence means that the others exist
        input_copies::write_scenario(&self.path, &file.scenario, &file.folder, &inputs)
    }

    /// Stores the scenario from the first of other folders of the study that holds it.
    ///
    /// # Errors
    /// [`ReportError`] if a file cannot be written.
    pub fn keep_scenario_of<'a>(
        &self,
        mut others: impl Iterator<Item = &'a Path>,
    ) -> Result<(), ReportError> {
        let Some(other) = others.find(|other| other.join(SCENARIO).exists()) else {
            return Ok(());
        };
        let path = other.join(SCENARIO);
        let unreadable = |cause: String| ReportError::NotAStudy { path: other.to_owned(), cause };
        let file = ScenarioFile::read(&path, &[]).map_err(|error| unreadable(error.to_string()))?;
        world(&file).map_err(|error| unreadable(error.to_string()))?;
        self.keep_scenario(&file)
    }

    /// Writes all stored trials to the disk.
    ///
    /// # Errors
    /// [`ReportError`] if this fails.
    pub fn sync(&self) -> Result<(), ReportError> {
        self.journal.sync()
    }
}

/// Returns whether the study was begun; rejects a folder with any other content.
fn check(out: &Path, asked: &StudyRequest) -> Result<bool, ReportError> {
    if out.join(ASKED).exists() {
        let asked = asked.as_read(out)?;
        return match StudyRequest::read(out)?.difference(&asked) {
            None => Ok(true),
            Some([key, found, asked]) => {
                Err(ReportError::OtherStudy { path: out.to_owned(), key, found, asked })
            }
        };
    }
    for entry in fs::read_dir(out).map_err(ReportError::file("read folder", out))? {
        let entry = entry.map_err(ReportError::file("read folder", out))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name != ".lock" && !file::is_part(&name) {
            let cause = format!("it contains {name}, but no {ASKED}");
            return Err(ReportError::NotAStudy { path: out.to_owned(), cause });
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_cover_all_trials() {
        for (trials, of) in [(0, 1), (10, 1), (10, 3), (7, 7), (3, 5)] {
            let shards: Vec<Shard> = (1..=of).map(|index| Shard { index, of }).collect();
            for trial in 0..trials {
                assert_eq!(shards.iter().filter(|shard| shard.has(trial)).count(), 1);
            }
            for shard in shards {
                let counted = (0..trials).filter(|trial| shard.has(*trial)).count() as u64;
                assert_eq!(shard.count(trials), counted, "{shard:?} of {trials}");
            }
        }
    }
}
