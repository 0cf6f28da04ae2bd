//! What can go wrong with a result.

use std::io;
use std::path::{Path, PathBuf};

/// A result that could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The file system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// On which path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file whose folder cannot be written.
    #[error("cannot write {}: the folder {} cannot be written ({cause}): name another place", path.display(), folder.display())]
    Folder {
        /// The file.
        path: PathBuf,
        /// Its folder.
        folder: PathBuf,
        /// The system's reason.
        cause: String,
    },
    /// A file that another program changed while this run wrote it.
    #[error("{} has {found} bytes, {written} were written: another program has changed it; write nothing into the folder of a run that goes on", path.display())]
    Altered {
        /// The file.
        path: PathBuf,
        /// Bytes that were written.
        written: u64,
        /// Bytes that it has.
        found: u64,
    },
    /// A file that another program removed or replaced while this run wrote it.
    #[error("{} was removed or replaced by another program while this run wrote it; write nothing into the folder of a run that goes on", path.display())]
    Replaced {
        /// The file.
        path: PathBuf,
    },
    /// The data do not fit the format.
    #[error("cannot encode {}: {reason}", path.display())]
    Encode {
        /// File to be written.
        path: PathBuf,
        /// What the encoder said.
        reason: String,
    },
    /// The file does not hold what it should.
    #[error("cannot read {}: {reason}", path.display())]
    Decode {
        /// File read.
        path: PathBuf,
        /// What the decoder said.
        reason: String,
    },
    /// The run folder holds something already.
    #[error("{} is not empty ({found} is in it): name another folder, or replace what a run left there with --force", path.display())]
    FolderInUse {
        /// The folder.
        path: PathBuf,
        /// Something found in it.
        found: String,
    },
    /// Another run writes into the folder.
    #[error("{} is in use by another run{holder}: wait for it, or name another folder with --out", path.display())]
    FolderLocked {
        /// The folder.
        path: PathBuf,
        /// Its process, if it is known.
        holder: String,
    },
    /// Something that is no regular file stands where a file is to go.
    #[error("cannot write {}: {} is {found}, and only a regular file is replaced: name another place", path.display(), path.display())]
    NotAFile {
        /// The place.
        path: PathBuf,
        /// What stands there.
        found: &'static str,
    },
    /// A table cannot be gone on with.
    #[error("{} has other columns than this run writes: go on in another folder with --out, or leave the sensors and [output] as they were", path.display())]
    OtherColumns {
        /// The table.
        path: PathBuf,
    },
    /// A record that ends before the checkpoint that its run is to go on from.
    #[error("{} ends at {ends} s, before the checkpoint at {due} s: what lies between is lost, so the run cannot be gone on with; drive it anew", path.display())]
    Short {
        /// The table.
        path: PathBuf,
        /// Its last time, s.
        ends: f64,
        /// The time that it should have come to, s.
        due: f64,
    },
    /// The folder holds a dataset of other options.
    #[error("{} holds a dataset with {key} = {found}, not {asked}: ask for the same to go on with it, or name another folder with --out", path.display())]
    OtherDataset {
        /// The folder.
        path: PathBuf,
        /// What differs.
        key: String,
        /// Its value there.
        found: String,
        /// The value that was asked for.
        asked: String,
    },
    /// The folder of a dataset to be made holds something else.
    #[error("{} is not empty ({found} is in it) and holds no dataset: name another folder with --out", path.display())]
    NotADataset {
        /// The folder.
        path: PathBuf,
        /// Something found in it.
        found: String,
    },
    /// The folder holds another study, or another part of it.
    #[error("{} holds a study with {key} = {found}, not {asked}: ask for the same to go on with it, or name another folder with --out", path.display())]
    OtherStudy {
        /// The folder.
        path: PathBuf,
        /// What differs.
        key: String,
        /// Its value there.
        found: String,
        /// The value that was asked for.
        asked: String,
    },
    /// The folder holds no study.
    #[error("{} is not the folder of a study: {cause}", path.display())]
    NotAStudy {
        /// The folder.
        path: PathBuf,
        /// What is missing or found in it.
        cause: String,
    },
    /// The folder holds no map.
    #[error("{} is not the folder of a map: {cause}", path.display())]
    NotAMap {
        /// The folder.
        path: PathBuf,
        /// What is missing or found in it.
        cause: String,
    },
    /// The folder holds the map of another file.
    #[error(
        "{} holds the map of {}, not of {}: give another --out, or --force to overwrite it",
        path.display(), found.display(), asked.display()
    )]
    OtherMap {
        /// The folder.
        path: PathBuf,
        /// The file that its map was made from.
        found: PathBuf,
        /// The file whose map was to be written.
        asked: PathBuf,
    },
    /// Whoever asked for it wants it no longer; what is done is kept.
    #[error("interrupted")]
    Interrupted,
    /// A sample belongs to no vehicle.
    #[error("sample at {time} s is of vehicle {vehicle}, but there are only {vehicles}")]
    UnknownVehicle {
        /// Index of the vehicle.
        vehicle: usize,
        /// Vehicles known.
        vehicles: usize,
        /// Time of the sample, s.
        time: f64,
    },
    /// A path that leads to no run.
    #[error(
        "{}: {cause}; give the folder of a run, such as runs/convoy_mud-1",
        path.display()
    )]
    NotARun {
        /// The path.
        path: PathBuf,
        /// What is missing.
        cause: String,
    },
    /// A picture would have no content.
    #[error("nothing to draw: {0}")]
    Nothing(&'static str),
    /// A size that cannot be drawn or written.
    #[error("{what} is {width} x {height}; allowed is {allowed}")]
    Size {
        /// Of what.
        what: &'static str,
        /// Columns.
        width: u64,
        /// Rows.
        height: u64,
        /// What is allowed.
        allowed: &'static str,
    },
}

impl ReportError {
    pub(super) fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ReportError {
        let path = path.to_owned();
        move |source| ReportError::File { action, path, source }
    }

    pub(super) fn encode<E: std::fmt::Display>(path: &Path) -> impl Fn(E) -> ReportError {
        let path = path.to_owned();
        move |error| ReportError::Encode { path: path.clone(), reason: error.to_string() }
    }

    pub(super) fn decode<E: std::fmt::Display>(path: &Path) -> impl Fn(E) -> ReportError {
        let path = path.to_owned();
        move |error| ReportError::Decode { path: path.clone(), reason: error.to_string() }
    }
}
