//! The folder of a run.

use super::parts::PARTS;
use super::recovery::CHECKPOINTS;
use super::{ReportError, file, parts};
use std::collections::BTreeSet;
use std::fs;
use std::io::{Error, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Name of the locked file.
const LOCK: &str = ".lock";

/// Exclusive right to write to a run's folder, until it is dropped or the process ends.
#[derive(Debug)]
pub struct RunFolderLock(#[expect(dead_code, reason = "held, not used")] fs::File);

/// Locks a folder for writing.
///
/// # Errors
/// [`ReportError::FolderLocked`] while another process holds the lock.
pub fn lock(folder: &Path) -> Result<RunFolderLock, ReportError> {
    let path = folder.join(LOCK);
    file::check_place(&path)?;
    let mut options = fs::OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let mut file = options.open(&path).map_err(ReportError::file("create", &path))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => {
            let mut holder = String::new();
            // for the error message only, so failure is ignored
            let _ = file.read_to_string(&mut holder);
            let process = holder.trim().parse::<u32>();
            let holder = process.map_or(String::new(), |id| format!(" (process {id})"));
            return Err(ReportError::FolderLocked { path: folder.to_owned(), holder });
        }
        Err(fs::TryLockError::Error(error)) => return Err(ReportError::file("lock", &path)(error)),
    }
    remove_parts(folder, &["sensors", "inputs", "table", CHECKPOINTS])?;
    let noted = file.set_len(0).and_then(|()| file.rewind());
    noted
        .and_then(|()| writeln!(file, "{}", std::process::id()))
        .map_err(ReportError::file("write", &path))?;
    Ok(RunFolderLock(file))
}

/// Removes temporary files left by a killed run in a folder.
///
/// This includes the subfolders named in `below`, recursively.
fn remove_parts(folder: &Path, below: &[&str]) -> Result<(), ReportError> {
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(&inner).map_err(ReportError::file("read folder", &inner))? {
            let entry = entry.map_err(ReportError::file("read folder", &inner))?;
            let path = entry.path();
            let kind = entry.file_type().map_err(ReportError::file("read", &path))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            // links are not followed
            if kind.is_dir() && (inner != folder || below.contains(&&*name)) {
                folders.push(path);
            } else if kind.is_file() && file::is_part(&name) {
                file::remove(&path)?;
            }
        }
    }
    Ok(())
}

/// Prepares `path` for the results of a run, and locks it.
///
/// It is created if absent. A folder that is not empty is rejected unless `overwrite` is given.
/// Then results replace files of the same name and do not change others.
pub fn create(path: &Path, overwrite: bool) -> Result<RunFolderLock, ReportError> {
    fs::create_dir_all(path).map_err(|error| {
        let error = match error.kind() {
            ErrorKind::AlreadyExists => {
                Error::other("it is a file, or a link that leads to no folder; give another folder")
            }
            _ => error,
        };
        ReportError::file("create folder", path)(error)
    })?;
    if !overwrite {
        check_unused(path)?;
    }
    let lock = lock(path)?;
    // another run may have used the folder before the lock was taken
    if !overwrite {
        check_unused(path)?;
    }
    Ok(lock)
}

fn check_unused(path: &Path) -> Result<(), ReportError> {
    for entry in fs::read_dir(path).map_err(ReportError::file("read folder", path))? {
        let found = entry.map_err(ReportError::file("read folder", path))?.file_name();
        if found != LOCK {
            let found = found.to_string_lossy().into_owned();
            return Err(ReportError::FolderInUse { path: path.to_owned(), found });
        }
    }
    Ok(())
}

/// Removes the results of an earlier run from its folder, and nothing else.
///
/// # Errors
/// [`ReportError`] if the path of a result is not a regular file, or a file cannot be removed.
pub fn clear(folder: &Path) -> Result<(), ReportError> {
    // first the files that mark the others as complete
    let fixed = ["manifest.json", "summary.json", "picture.png", "ruts.tif", "terrain.tif"];
    let more = [
        "hashes.csv",
        "hits.csv",
        "trailers.csv",
        "commands.csv",
        "heartbeats.csv",
        "trace.json",
        "frames.csv",
        "checkpoint.bin",
    ];
    let mut names: Vec<String> = fixed.iter().chain(&more).map(|&name| name.to_owned()).collect();
    for entry in fs::read_dir(folder).map_err(ReportError::file("read folder", folder))? {
        let entry = entry.map_err(ReportError::file("read folder", folder))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let tables = ["states.", "readings_", "sensors.mcap", ".sensors."];
        if tables.iter().any(|start| name.starts_with(start)) {
            names.push(name);
        }
    }
    for path in names.iter().map(|name| folder.join(name)) {
        file::check_place(&path)?;
        file::remove(&path)?;
    }
    [CHECKPOINTS, PARTS].iter().try_for_each(|name| parts::clear(&folder.join(name)))
}

/// Creates and locks `PARENT/SCENARIO-N`, where N is one above the largest existing number.
///
/// Returns its path and its lock. Two runs started at the same time get two folders.
pub fn create_numbered(
    parent: &Path,
    scenario: &str,
) -> Result<(PathBuf, RunFolderLock), ReportError> {
    fs::create_dir_all(parent).map_err(ReportError::file("create folder", parent))?;
    let stem = file_stem(scenario);
    let mut number = last_number(parent, &stem)? + 1;
    loop {
        let path = parent.join(format!("{stem}-{number}"));
        match fs::create_dir(&path) {
            Ok(()) => {
                let lock = lock(&path)?;
                return Ok((path, lock));
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(ReportError::file("create folder", &path)(error)),
        }
    }
}

fn last_number(parent: &Path, stem: &str) -> Result<u64, ReportError> {
    let mut last = 0;
    for entry in fs::read_dir(parent).map_err(ReportError::file("read folder", parent))? {
        let name = entry.map_err(ReportError::file("read folder", parent))?.file_name();
        let number =
            name.to_str().and_then(|n| n.strip_prefix(stem)?.strip_prefix('-')?.parse().ok());
        last = last.max(number.unwrap_or(0));
    }
    Ok(last)
}

/// Returns the scenario's name with characters unsuitable for file names replaced.
pub(super) fn file_stem(scenario: &str) -> String {
    let kept = |c: char| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
    let stem: String = scenario.trim().chars().map(kept).take(80).collect();
    if stem.is_empty() { "run".to_owned() } else { stem }
}

/// Returns distinct file stems for several names in one folder.
///
/// If names have the same stem, the name equal to it keeps it, and the others are numbered in their
/// order.
pub(super) fn file_stems<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let names: Vec<&str> = names.collect();
    let is_own = |name: &&&str| file_stem(name) == **name;
    let mut taken: BTreeSet<String> =
        names.iter().filter(is_own).map(|own| (*own).into()).collect();
    let stem = |name: &&str| {
        let stem = file_stem(name);
        if stem == **name {
            return stem;
        }
        let mut distinct = stem.clone();
        let mut number = 1;
        while !taken.insert(distinct.clone()) {
            number += 1;
            distinct = format!("{stem}-{number}");
        }
        distinct
    };
    names.iter().map(stem).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_one_run_s_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let held = create(folder.path(), false).unwrap();
        let error = create(folder.path(), true).unwrap_err().to_string();
        let own = format!("is in use by another run (process {})", std::process::id());
        assert!(error.contains(&own), "{error}");
        drop(held);
        create(folder.path(), false).unwrap();
    }

    #[test]
    fn a_folder_in_use_is_refused_unless_overwriting_is_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out/deep");
        create(&path, false).unwrap();
        create(&path, false).unwrap();
        fs::write(path.join("notes.txt"), "mine").unwrap();
        let error = create(&path, false).unwrap_err().to_string();
        assert!(error.contains("out/deep is not empty (contains notes.txt)"), "{error}");
        create(&path, true).unwrap();
        assert!(path.join("notes.txt").exists());
        assert!(create(&path.join("notes.txt"), true).is_err());
    }

    #[test]
    fn stems_in_one_folder_are_distinct() {
        let long = "x".repeat(90);
        let longer = format!("{long}y");
        let names = ["left cam", "left_cam", "left/cam", "left_cam-2", &long, &longer, "", "ö"];
        let (cut, numbered) = ("x".repeat(80), format!("{}-2", "x".repeat(80)));
        let expected =
            ["left_cam-3", "left_cam", "left_cam-4", "left_cam-2", &cut, &numbered, "run", "ö"];
        assert_eq!(file_stems(names.into_iter()), expected);
    }

    #[test]
    fn numbering_continues_after_the_highest() {
        let folder = tempfile::tempdir().unwrap();
        let named = |path: PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
        let next = || named(create_numbered(folder.path(), "convoy mud/1").unwrap().0);
        assert_eq!(next(), "convoy_mud_1-1");
        fs::create_dir(folder.path().join("convoy_mud_1-7")).unwrap();
        fs::create_dir(folder.path().join("convoy_mud_1-old")).unwrap();
        fs::create_dir(folder.path().join("convoy_mud-99")).unwrap();
        assert_eq!(next(), "convoy_mud_1-8");
        assert_eq!(named(create_numbered(folder.path(), "  ").unwrap().0), "run-1");
    }
}
