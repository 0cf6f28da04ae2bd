//! Completed episodes of an incomplete dataset, one file each.

use super::manifest::{DatasetManifest, MANIFEST, read};
use super::{DatasetRequest, EpisodeData};
use crate::rundir::{RunFolderLock, lock};
use crate::{ReportError, file, manifest};
use std::fs;
use std::path::{Path, PathBuf};

/// Folder of the pieces, and the file in it that holds the request of their dataset.
const PIECES: &str = ".episodes";
const ASKED: &str = "asked.json";

/// State of a dataset in a folder.
#[derive(Debug)]
pub enum DatasetState {
    /// The dataset is complete.
    Complete(Box<DatasetManifest>),
    /// The dataset is incomplete: it has some episodes or none.
    Partial(PartialDataset),
}

/// Episodes of a dataset that is being made; the folder is locked meanwhile.
#[derive(Debug)]
pub struct PartialDataset {
    folder: PathBuf,
    #[expect(dead_code, reason = "held, not used")]
    lock: RunFolderLock,
}

impl PartialDataset {
    /// Begins or resumes a dataset in a folder, which is created if necessary.
    ///
    /// A complete or incomplete dataset with the same request except for fewer episodes becomes an
    /// incomplete one with all episodes. Its own episodes are there if they were kept; `keeps` tells
    /// whether those of a complete dataset are kept further.
    ///
    /// # Errors
    /// [`ReportError::OtherDataset`] if the folder holds another dataset,
    /// [`ReportError::NotADataset`] if it holds something else, [`ReportError::FolderLocked`].
    pub fn begin(
        out: &Path,
        asked: &DatasetRequest,
        keeps: bool,
    ) -> Result<DatasetState, ReportError> {
        fs::create_dir_all(out).map_err(ReportError::file("create folder", out))?;
        check(out, asked)?;
        let lock = lock(out)?;
        // another process may have completed the dataset before the lock was taken
        if let Some(complete) = check(out, asked)? {
            if !keeps {
                remove(&out.join(PIECES))?;
            }
            return Ok(DatasetState::Complete(Box::new(complete)));
        }
        let folder = out.join(PIECES);
        fs::create_dir_all(&folder).map_err(ReportError::file("create folder", &folder))?;
        manifest::write_json(&folder.join(ASKED), asked)?;
        // only now is a dataset that grows no longer complete
        let manifest = out.join(MANIFEST);
        if manifest.exists() {
            fs::remove_file(&manifest).map_err(ReportError::file("remove", &manifest))?;
        }
        Ok(DatasetState::Partial(PartialDataset { folder, lock }))
    }

    fn place(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{number:09}.bin"))
    }

    /// Returns whether an episode is complete.
    pub fn has(&self, number: u64) -> bool {
        self.place(number).is_file()
    }

    /// Stores an episode.
    ///
    /// # Errors
    /// [`ReportError`] if it cannot be written.
    pub fn put(&self, episode: &EpisodeData) -> Result<(), ReportError> {
        let place = self.place(episode.summary.episode);
        let bytes = postcard::to_stdvec(episode).map_err(ReportError::encode(&place))?;
        file::write(&place, &bytes)
    }

    fn get(&self, number: u64) -> Result<EpisodeData, ReportError> {
        let place = self.place(number);
        let bytes = fs::read(&place).map_err(ReportError::file("read", &place))?;
        postcard::from_bytes(&bytes).map_err(ReportError::decode(&place))
    }

    /// Reads the first `episodes` episodes in order.
    pub(super) fn all(
        &self,
        episodes: u64,
    ) -> impl Iterator<Item = Result<EpisodeData, ReportError>> + '_ {
        (0..episodes).map(|number| self.get(number))
    }

    /// Removes the pieces, once the dataset is written.
    ///
    /// # Errors
    /// [`ReportError`] if they cannot be removed.
    pub fn discard(self) -> Result<(), ReportError> {
        remove(&self.folder)
    }
}

fn remove(folder: &Path) -> Result<(), ReportError> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(ReportError::file("remove", folder))?;
    }
    Ok(())
}

/// Returns the manifest if the dataset is complete and not to grow; rejects a folder with any other
/// content.
fn check(out: &Path, asked: &DatasetRequest) -> Result<Option<DatasetManifest>, ReportError> {
    let grows = |found: &DatasetRequest| found.episodes < asked.episodes;
    let same = |found: &DatasetRequest| match found.with_episodes_of(asked).difference(asked) {
        None => Ok(()),
        Some([key, found, asked]) => {
            Err(ReportError::OtherDataset { path: out.to_owned(), key, found, asked })
        }
    };
    let begun = out.join(PIECES).join(ASKED);
    if out.join(MANIFEST).exists() {
        let complete = DatasetManifest::read(out).map_err(|error| match error {
            ReportError::Decode { .. } => not_a_dataset(out, MANIFEST),
            error => error,
        })?;
        same(&complete.asked)?;
        return Ok(if grows(&complete.asked) { None } else { Some(complete) });
    }
    if begun.exists() {
        return same(&read(&begun)?).map(|()| None);
    }
    for entry in fs::read_dir(out).map_err(ReportError::file("read folder", out))? {
        let entry = entry.map_err(ReportError::file("read folder", out))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name != ".lock" && name != PIECES {
            return Err(not_a_dataset(out, &name));
        }
    }
    Ok(None)
}

fn not_a_dataset(path: &Path, found: &str) -> ReportError {
    ReportError::NotADataset { path: path.to_owned(), found: found.to_owned() }
}
