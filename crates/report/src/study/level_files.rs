//! Files that levels of factors reference, copied to the study's folder.
//!
//! They are checked for changes, and copied so that each trial can be repeated anywhere.

use super::{LevelFile, TrialRecord};
use crate::input_copies::{COPIED, FOLDER};
use crate::{ReportError, file};
use bekker_scenario::input::LARGEST_BINARY;
use bekker_scenario::{Input, Inputs, RecordedInput, input};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Path of the copy of a file in a study's folder; its name is the hash of its content.
fn copy_in(folder: &Path, sha256: &str) -> PathBuf {
    folder.join(FOLDER).join("levels").join(sha256)
}

/// Returns the inputs to read a trial's scenario again.
///
/// The copies in the study's `folder` replace the files that its levels reference. `base` is the
/// base folder of the scenario's relative paths.
pub fn level_inputs(folder: &Path, base: &Path, record: &TrialRecord) -> Inputs {
    Inputs::from_recorded(record.files.iter().map(|own| {
        let (path, sha256) = (base.join(&own.path), own.sha256.clone());
        let copy = copy_in(folder, &sha256);
        RecordedInput { input: Input { path, bytes: own.bytes, sha256, decides: true }, copy }
    }))
}

/// Files referenced by the levels of a study, each with the hash of its content.
#[derive(Debug, Default)]
pub(super) struct LevelFiles {
    known: BTreeMap<String, String>,
}

impl LevelFiles {
    /// Registers a file and returns whether it is new.
    ///
    /// # Errors
    /// [`ReportError::OtherStudy`] if the file had another content before.
    pub fn add(&mut self, folder: &Path, own: &LevelFile) -> Result<bool, ReportError> {
        match self.known.get(&own.path) {
            None => {
                self.known.insert(own.path.clone(), own.sha256.clone());
                Ok(true)
            }
            Some(found) if *found == own.sha256 => Ok(false),
            Some(found) => Err(other(folder, &own.path, found, &own.sha256)),
        }
    }

    /// Checks that all files are unchanged; their paths are relative to `base`.
    ///
    /// # Errors
    /// [`ReportError::OtherStudy`] if a file has changed, [`ReportError`] if one cannot be read.
    pub fn check(&self, folder: &Path, base: &Path) -> Result<(), ReportError> {
        for (path, found) in &self.known {
            let now = hash(&base.join(path))?.1;
            if now != *found {
                return Err(other(folder, path, found, &now));
            }
        }
        Ok(())
    }
}

fn other(folder: &Path, path: &str, found: &str, asked: &str) -> ReportError {
    ReportError::OtherStudy {
        path: folder.to_owned(),
        key: format!("SHA-256 of {path}"),
        found: found.to_owned(),
        asked: asked.to_owned(),
    }
}

fn hash(path: &Path) -> Result<(Vec<u8>, String), ReportError> {
    let bytes = input::read(path, LARGEST_BINARY).map_err(ReportError::file("read", path))?;
    let sha256 = base16ct::lower::encode_string(&Sha256::digest(&bytes));
    Ok((bytes, sha256))
}

/// Copies a file into a study's folder unless the copy exists or the file is too large.
///
/// # Errors
/// [`ReportError::OtherStudy`] if the file has changed since it was read, [`ReportError`] if it
/// cannot be read or written.
pub(super) fn copy_level_file(
    folder: &Path,
    own: &LevelFile,
    from: &Path,
) -> Result<(), ReportError> {
    let copy = copy_in(folder, &own.sha256);
    if own.bytes > COPIED || copy.is_file() {
        return Ok(());
    }
    let (bytes, now) = hash(from)?;
    if now != own.sha256 {
        return Err(other(folder, &own.path, &own.sha256, &now));
    }
    let parent = copy.parent().unwrap_or(folder);
    fs::create_dir_all(parent).map_err(ReportError::file("create folder", parent))?;
    file::write(&copy, &bytes)
}

/// Copies a file from the first of other folders that holds it.
///
/// # Errors
/// As for [`keep`].
pub(super) fn keep_of(
    folder: &Path,
    own: &LevelFile,
    others: &[PathBuf],
) -> Result<(), ReportError> {
    let mut copies = others.iter().map(|other| copy_in(other, &own.sha256));
    match copies.find(|copy| copy.is_file()) {
        Some(copy) => copy_level_file(folder, own, &copy),
        // too large, or deleted manually: a replay searches for it at its original path
        None => Ok(()),
    }
}
