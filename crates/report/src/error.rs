//! Errors of reading and writing results.

use std::io;
use std::path::{Path, PathBuf};

/// An error of reading or writing a result.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// An operation of the file system failed.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// The operation.
        action: &'static str,
        /// Path of the file or folder.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The folder of a file is not writable.
    #[error("cannot write {}: no write access to folder {} ({cause}); give another path", path.display(), folder.display())]
    Folder {
        /// The file.
        path: PathBuf,
        /// Its folder.
        folder: PathBuf,
        /// Error of the system.
        cause: String,
    },
    /// Another program changed a file while this run wrote it.
    #[error("{} has {found} bytes, but the run wrote {written}: another program changed it; do not \
        write to the folder of an active run", path.display())]
    Altered {
        /// The file.
        path: PathBuf,
        /// Number of bytes written.
        written: u64,
        /// Size of the file, bytes.
        found: u64,
    },
    /// Another program removed or replaced a file while this run wrote it.
    #[error("{} was removed or replaced by another program during the run; do not write to the \
        folder of an active run", path.display())]
    Replaced {
        /// The file.
        path: PathBuf,
    },
    /// The data cannot be encoded in the format.
    #[error("cannot encode {}: {reason}", path.display())]
    Encode {
        /// File that was to be written.
        path: PathBuf,
        /// Message of the encoder.
        reason: String,
    },
    /// The content of a file is invalid.
    #[error("cannot read {}: {reason}", path.display())]
    Decode {
        /// File that was read.
        path: PathBuf,
        /// Message of the decoder.
        reason: String,
    },
    /// The run folder is not empty.
    #[error("{} is not empty (contains {found}); give another folder, or overwrite the results of \
        an earlier run with --force", path.display())]
    FolderInUse {
        /// The folder.
        path: PathBuf,
        /// Name of an entry in it.
        found: String,
    },
    /// Another run is writing to the folder.
    #[error("{} is in use by another run{holder}; wait for its end, or give another folder with \
        --out", path.display())]
    FolderLocked {
        /// The folder.
        path: PathBuf,
        /// Description of the process that holds the lock, empty if unknown.
        holder: String,
    },
    /// Something other than a regular file exists at the path of a file.
    #[error("cannot write {}: {} is {found}, and only regular files are overwritten; give another \
        path", path.display(), path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// Kind of the existing entry.
        found: &'static str,
    },
    /// A table has other columns than the run that would continue it.
    #[error("{} has other columns than this run writes; restore the sensors and [output], or \
        resume in another folder with --out", path.display())]
    OtherColumns {
        /// The table.
        path: PathBuf,
    },
    /// A record ends before the checkpoint from which its run would resume.
    #[error("cannot resume: {} ends at {ends} s, but the checkpoint is at {due} s; start the run \
        again", path.display())]
    Short {
        /// The table.
        path: PathBuf,
        /// Last time in the table, s.
        ends: f64,
        /// Time of the checkpoint, s.
        due: f64,
    },
    /// The folder holds a dataset with other options.
    #[error("{} contains a dataset with {key} = {found}, not {asked}; use the same value to resume \
        it (or more episodes to extend it), or give another folder with --out", path.display())]
    OtherDataset {
        /// The folder.
        path: PathBuf,
        /// Key that differs.
        key: String,
        /// Value in the folder.
        found: String,
        /// Requested value.
        asked: String,
    },
    /// The folder of a new dataset holds something else.
    #[error("{} is not empty (contains {found}) and has no dataset; give another folder with --out", path.display())]
    NotADataset {
        /// The folder.
        path: PathBuf,
        /// Name of an entry in it.
        found: String,
    },
    /// The folder holds another study, or another part of the study.
    #[error("{} contains a study with {key} = {found}, not {asked}; use the same value to resume \
        it, or give another folder with --out", path.display())]
    OtherStudy {
        /// The folder.
        path: PathBuf,
        /// Key that differs.
        key: String,
        /// Value in the folder.
        found: String,
        /// Requested value.
        asked: String,
    },
    /// The folder does not hold a study.
    #[error("{} is not a study folder: {cause}", path.display())]
    NotAStudy {
        /// The folder.
        path: PathBuf,
        /// Missing or unexpected entry.
        cause: String,
    },
    /// The folder does not hold a map.
    #[error("{} is not a map folder: {cause}", path.display())]
    NotAMap {
        /// The folder.
        path: PathBuf,
        /// Missing or unexpected entry.
        cause: String,
    },
    /// The folder holds the map of another map file.
    #[error(
        "{} contains the map of {}, not of {}; give another folder with --out, or overwrite it \
         with --force",
        path.display(), found.display(), asked.display()
    )]
    OtherMap {
        /// The folder.
        path: PathBuf,
        /// File from which the existing map was made.
        found: PathBuf,
        /// File of the requested map.
        asked: PathBuf,
    },
    /// The work was interrupted; what is complete remains on disk.
    #[error("interrupted")]
    Interrupted,
    /// A sample refers to a vehicle that does not exist.
    #[error(
        "the sample at {time} s is of vehicle index {vehicle}, but there are only {vehicles} \
        vehicles"
    )]
    UnknownVehicle {
        /// Index of the vehicle.
        vehicle: usize,
        /// Number of vehicles.
        vehicles: usize,
        /// Time of the sample, s.
        time: f64,
    },
    /// The path is not that of a run.
    #[error(
        "{}: {cause}; give a run folder, such as runs/convoy_mud-1",
        path.display()
    )]
    NotARun {
        /// The path.
        path: PathBuf,
        /// Reason, such as a missing file.
        cause: String,
    },
    /// The picture would be empty.
    #[error("nothing to draw: {0}")]
    Nothing(&'static str),
    /// A size that cannot be drawn or written.
    #[error("{what} is {width} x {height}; must be {allowed}")]
    Size {
        /// Object that has this size.
        what: &'static str,
        /// Number of columns.
        width: u64,
        /// Number of rows.
        height: u64,
        /// Allowed sizes.
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
