//! Files that each rank writes separately: `FOLDER/TICK/RANK-of-SIZE.bin`.
//!
//! The files of all ranks at a tick are a set. A set is complete when all files exist, regardless
//! of when they were written. Ranks need no messages for this.

use super::{ReportError, file};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Name of the folder of journals in a run's folder.
pub const PARTS: &str = "parts";

/// Files that ranks wrote for a tick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PartSet {
    /// The tick.
    pub tick: u64,
    /// Folder of the files.
    pub folder: PathBuf,
    /// Existing files, in the order of ranks.
    pub files: Vec<PathBuf>,
    /// First rank without a file.
    pub missing: Option<usize>,
}

/// Returns the path of a rank's file.
pub(super) fn path(folder: &Path, tick: u64, rank: usize, size: usize) -> PathBuf {
    folder.join(tick.to_string()).join(format!("{rank}-of-{size}.bin"))
}

/// Returns the sets in a folder in the order of ticks; none if the folder does not exist.
///
/// # Errors
/// [`ReportError`] if a folder cannot be read.
pub(super) fn sets(folder: &Path) -> Result<Vec<PartSet>, ReportError> {
    let mut all = Vec::new();
    for (name, folder) in entries(folder)? {
        let Ok(tick) = name.parse() else { continue };
        all.push(set(tick, folder)?);
    }
    all.sort_by_key(|set| set.tick);
    Ok(all)
}

/// Returns the set in a folder.
///
/// If there are files for several numbers of ranks, a complete set has priority.
fn set(tick: u64, folder: PathBuf) -> Result<PartSet, ReportError> {
    let number = |name: &str| {
        let (rank, size) = name.strip_suffix(".bin")?.split_once("-of-")?;
        Some((size.parse().ok()?, rank.parse().ok()?))
    };
    let found = entries(&folder)?;
    let mut ranks: Vec<(usize, usize)> = found.iter().filter_map(|(n, _)| number(n)).collect();
    ranks.sort_unstable();
    let of_size = ranks.chunk_by(|(one, _), (other, _)| one == other);
    let missing = |ranks: &[(usize, usize)]| {
        let size = ranks.first().map_or(1, |own| own.0);
        (0..size).find(|&rank| ranks.get(rank).is_none_or(|own| own.1 != rank))
    };
    let best = of_size.max_by_key(|ranks| missing(ranks).is_none()).unwrap_or_default();
    let file = |&(size, rank): &(usize, usize)| folder.join(format!("{rank}-of-{size}.bin"));
    let (files, missing) = (best.iter().map(file).collect(), missing(best));
    Ok(PartSet { tick, files, missing, folder })
}

/// Returns the entries of a folder with their names; none if the folder does not exist.
fn entries(folder: &Path) -> Result<Vec<(String, PathBuf)>, ReportError> {
    let failed = || ReportError::file("read folder", folder);
    let found = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        found => found.map_err(failed())?,
    };
    let named = |entry: Result<fs::DirEntry, std::io::Error>| {
        let entry = entry.map_err(failed())?;
        Ok((entry.file_name().to_string_lossy().into_owned(), entry.path()))
    };
    found.map(named).collect()
}

/// Creates the folder of a tick, if it does not exist.
pub(super) fn begin(folder: &Path, tick: u64) -> Result<(), ReportError> {
    let own = folder.join(tick.to_string());
    fs::create_dir_all(&own).map_err(ReportError::file("create folder", &own))
}

/// Removes the sets in a folder for which `keeps` is false.
pub(super) fn remove_later(folder: &Path, keeps: impl Fn(u64) -> bool) -> Result<(), ReportError> {
    for (name, path) in entries(folder)? {
        if !name.parse().is_ok_and(&keeps) {
            remove(&path)?;
        }
    }
    Ok(())
}

/// Removes a folder with all its sets, when no rank writes to it any more.
pub(super) fn clear(folder: &Path) -> Result<(), ReportError> {
    remove_later(folder, |_| false)?;
    match fs::remove_dir(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(ReportError::file("remove", folder)(error))
        }
        _ => Ok(()),
    }
}

/// Removes a set atomically: if this is interrupted, the set no longer exists, not even in part.
pub(super) fn remove(folder: &Path) -> Result<(), ReportError> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let aside = folder.with_file_name(format!(".{name}.part"));
    let gone = |result: std::io::Result<()>| match result {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(ReportError::file("remove", folder)(error))
        }
        _ => Ok(()),
    };
    if !folder.is_dir() || folder.is_symlink() {
        return file::remove(folder);
    }
    gone(fs::rename(folder, &aside))?;
    gone(fs::remove_dir_all(&aside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_complete_with_every_rank() {
        let base = tempfile::tempdir().unwrap();
        let folder = base.path().join("parts");
        assert_eq!(sets(&folder).unwrap(), []);
        let write = |tick, rank, size| {
            begin(&folder, tick).unwrap();
            fs::write(path(&folder, tick, rank, size), b"x").unwrap();
        };
        let missing = || sets(&folder).unwrap().iter().map(|own| own.missing).collect::<Vec<_>>();
        for rank in 0..11 {
            assert_eq!(missing().last().copied().flatten(), (rank > 0).then_some(rank));
            write(100, rank, 11);
        }
        assert_eq!(missing(), [None]);
        // left by killed processes: one with more ranks, and one at a later tick
        write(100, 11, 12);
        write(90, 1, 2);
        write(1000, 0, 2);
        assert_eq!(missing(), [Some(0), None, Some(1)]);
        let whole = &sets(&folder).unwrap()[1];
        let expected: Vec<PathBuf> = (0..11).map(|rank| path(&folder, 100, rank, 11)).collect();
        assert_eq!((whole.tick, &whole.files), (100, &expected));
        remove_later(&folder, |tick| tick == 100).unwrap();
        assert_eq!(sets(&folder).unwrap().len(), 1);
        clear(&folder).unwrap();
        assert!(!folder.exists());
        clear(&folder).unwrap();
    }
}
