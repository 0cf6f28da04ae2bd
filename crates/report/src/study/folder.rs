//! The folder of a study: what was asked, and what is done of it.

use super::TrialRecord;
use super::level_files::{LevelFiles, keep, keep_of};
use crate::journal::{self, Journal};
use crate::kept_inputs::{self, SCENARIO};
use crate::manifest::{self, Build};
use crate::rundir::{Lock, lock};
use crate::{ReportError, file};
use bekker_scenario::build::world;
use bekker_scenario::{ScenarioFile, input};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Says what is in the folder.
const ASKED: &str = "study.json";
const JOURNAL: &str = "journal.bin";
/// Version of the folder's format.
const FORMAT: u32 = 5;

/// A part of the trials: those whose number leaves `index` - 1 when divided by `of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Which part, from 1.
    pub index: u64,
    /// How many parts there are.
    pub of: u64,
}

impl Shard {
    /// All trials.
    pub const WHOLE: Shard = Shard { index: 1, of: 1 };

    /// Whether a trial is in it.
    pub fn has(&self, trial: u64) -> bool {
        trial % self.of == self.index - 1
    }

    /// How many of so many trials are in it.
    pub fn count(&self, trials: u64) -> u64 {
        (trials + self.of - self.index) / self.of
    }
}

/// All that decides the bytes of a study's tables, and what it takes to read them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskedOfStudy {
    /// Version of the folder's format.
    pub format: u32,
    /// The study's file, as it was understood.
    pub study: Map<String, Value>,
    /// Hash of all that decides its scenario's course without any factor, files included;
    /// hexadecimal.
    pub fingerprint: String,
    /// Of each of these files, by its path from the scenario's folder on, the SHA-256 of what it
    /// held; decides nothing beside the fingerprint, and says what differs in it.
    #[serde(default)]
    pub inputs: BTreeMap<String, String>,
    /// How long its scenario is driven without any factor, s: that does not change the course, but
    /// where it ends.
    pub duration: f64,
    /// Hash of the table of design points, hexadecimal; empty where the design has none.
    pub table: String,
    /// How many trials the whole study has.
    pub trials: u64,
    /// How many vehicles its scenario has.
    pub vehicles: u64,
    /// Names of the factors.
    pub factors: Vec<String>,
    /// Names of the responses, each with its unit.
    pub responses: Vec<[String; 2]>,
    /// Version of the program.
    pub version: String,
    /// Hash of its source.
    pub source: String,
    /// The part of the trials that is driven here.
    pub shard: Shard,
    /// Where the scenario was; decides nothing.
    pub scenario: PathBuf,
    /// Where the study's file was; decides nothing.
    pub file: PathBuf,
}

impl AskedOfStudy {
    /// Asked of this program.
    pub fn of_this_program(mut self) -> AskedOfStudy {
        let build = Build::current();
        (self.format, self.version, self.source) = (FORMAT, build.version, build.source);
        self
    }

    /// The first key in which another differs, with both values; where the files are does not
    /// count. Of the fingerprint the first file that differs, where one does.
    pub fn difference(&self, other: &AskedOfStudy) -> Option<[String; 3]> {
        let [own, others] = [self, other].map(|asked| {
            let Ok(Value::Object(mut map)) = serde_json::to_value(asked) else { return Map::new() };
            map.retain(|key, _| !["scenario", "file", "inputs"].contains(&key.as_str()));
            let study = map.remove("study");
            // the study's own keys first: the rest follows from them
            let study = study.as_ref().and_then(Value::as_object).cloned().unwrap_or_default();
            study.into_iter().chain(map).collect::<Map<_, _>>()
        });
        let told = |map: &Map<String, Value>, key: &str| {
            map.get(key).map_or("none".into(), Value::to_string)
        };
        let mut keys = own.keys().chain(others.keys());
        // as text: a number read from a file may be off by its last place
        let key = keys.find(|key| told(&own, key) != told(&others, key))?;
        let (found, asked) = (told(&own, key), told(&others, key));
        if key != "fingerprint" {
            return Some([key.clone(), found, asked]);
        }
        let scenario = self.scenario.file_name().unwrap_or_default().to_string_lossy();
        self.changed_input(other)
            .or_else(|| Some([format!("fingerprint of {scenario}"), found, asked]))
    }

    /// The first of the scenario's files that held something else in another study, with both
    /// hashes.
    fn changed_input(&self, other: &AskedOfStudy) -> Option<[String; 3]> {
        self.inputs.iter().find_map(|(path, own)| {
            let theirs = other.inputs.get(path).filter(|theirs| *theirs != own)?;
            Some([format!("SHA-256 of {path}"), own.clone(), theirs.clone()])
        })
    }

    /// The same of another part.
    pub fn of_shard(&self, shard: Shard) -> AskedOfStudy {
        AskedOfStudy { shard, ..self.clone() }
    }

    /// As it is read back from its file.
    fn as_read(&self, path: &Path) -> Result<AskedOfStudy, ReportError> {
        let text = serde_json::to_string(self).map_err(ReportError::encode(path))?;
        serde_json::from_str(&text).map_err(ReportError::decode(path))
    }

    /// Reads that of a folder.
    ///
    /// # Errors
    /// [`ReportError::NotAStudy`] where there is none, [`ReportError`] where it cannot be read.
    pub fn read(folder: &Path) -> Result<AskedOfStudy, ReportError> {
        let path = folder.join(ASKED);
        if !path.is_file() {
            let cause = format!("there is no {ASKED} in it");
            return Err(ReportError::NotAStudy { path: folder.to_owned(), cause });
        }
        let text = input::read_text(&path, input::LARGEST_TABLE);
        let text = text.map_err(ReportError::file("read", &path))?;
        serde_json::from_str(&text).map_err(ReportError::decode(&path))
    }

    /// The scenario's copy in a folder, if one is there.
    pub fn kept_scenario(folder: &Path) -> Option<PathBuf> {
        Some(folder.join(SCENARIO)).filter(|path| path.is_file())
    }

    /// The folder that the scenario's paths start from.
    pub fn scenario_folder(&self) -> &Path {
        self.scenario.parent().unwrap_or(Path::new(""))
    }

    /// Reads the trials that are done in its folder, by number.
    ///
    /// # Errors
    /// [`ReportError`] where the journal cannot be read.
    pub fn records(&self, folder: &Path) -> Result<BTreeMap<u64, TrialRecord>, ReportError> {
        journal::read(&folder.join(JOURNAL)).map(|(records, _)| records)
    }
}

/// A study's folder that trials are driven into; nobody else does meanwhile.
#[derive(Debug)]
pub struct StudyFolder {
    path: PathBuf,
    journal: Journal<TrialRecord>,
    files: Mutex<LevelFiles>,
    #[expect(dead_code, reason = "held, not used")]
    lock: Lock,
}

impl StudyFolder {
    /// Begins a study in a folder, which is made, or goes on with it; with the trials that are
    /// done, by number.
    ///
    /// # Errors
    /// [`ReportError::OtherStudy`] when another was begun there, [`ReportError::NotAStudy`] when
    /// something else is there, [`ReportError::FolderLocked`].
    pub fn begin(
        out: &Path,
        asked: &AskedOfStudy,
    ) -> Result<(StudyFolder, BTreeMap<u64, TrialRecord>), ReportError> {
        fs::create_dir_all(out).map_err(ReportError::file("create folder", out))?;
        check(out, asked)?;
        let lock = lock(out)?;
        // another process may have come and gone meanwhile
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

    /// Keeps a trial that is done, with the files that its levels brought in, whose paths start
    /// from `base`.
    ///
    /// # Errors
    /// [`ReportError`] when something cannot be written, or a file has changed since another trial
    /// was built from it.
    pub fn put(&self, record: &TrialRecord, base: &Path) -> Result<(), ReportError> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        for own in &record.files {
            if files.add(&self.path, own)? {
                keep(&self.path, own, &base.join(&own.path))?;
            }
        }
        drop(files);
        self.journal.put(record.trial, record)
    }

    /// The same of a trial that was driven into one of other folders.
    ///
    /// # Errors
    /// [`ReportError`] when something cannot be written, or two trials were built from a file that
    /// held different things.
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

    /// Holds the files that levels have brought in, whose paths start from `base`, to what they
    /// were.
    ///
    /// # Errors
    /// [`ReportError::OtherStudy`] where one holds something else, [`ReportError`] where one cannot
    /// be read.
    pub fn check_files(&self, base: &Path) -> Result<(), ReportError> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).check(&self.path, base)
    }

    /// Keeps the study's scenario, as it is without any factor, with the files that its world was
    /// built from, unless they are there: so that trials can be driven again anywhere.
    ///
    /// # Errors
    /// [`ReportError`] when one cannot be written.
    pub fn keep_scenario(&self, file: &ScenarioFile) -> Result<(), ReportError> {
        if self.path.join(SCENARIO).exists() {
            return Ok(());
        }
        let inputs = kept_inputs::keep(&self.path, &file.inputs)?;
        // last: where it is, the others are
        kept_inputs::write_scenario(&self.path, &file.scenario, &file.folder, &inputs)
    }

    /// The same from the first of other folders of the study that holds it.
    ///
    /// # Errors
    /// [`ReportError`] when one cannot be written.
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

    /// Has the disk hold all trials that are kept.
    ///
    /// # Errors
    /// [`ReportError`] when it cannot.
    pub fn sync(&self) -> Result<(), ReportError> {
        self.journal.sync()
    }
}

/// Whether the study was begun; refuses a folder that holds anything else.
fn check(out: &Path, asked: &AskedOfStudy) -> Result<bool, ReportError> {
    if out.join(ASKED).exists() {
        let asked = asked.as_read(out)?;
        return match AskedOfStudy::read(out)?.difference(&asked) {
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
            let cause = format!("{name} is in it, and no {ASKED}");
            return Err(ReportError::NotAStudy { path: out.to_owned(), cause });
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_share_all_trials_out() {
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
