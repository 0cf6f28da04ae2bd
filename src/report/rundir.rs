//! The folder of a run.

use super::ReportError;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Makes `path` ready for the results of a run.
///
/// It is created if absent. One that holds anything is refused, unless
/// `overwrite` is given: results then replace files of the same name and leave
/// all others alone.
pub fn create(path: &Path, overwrite: bool) -> Result<(), ReportError> {
    fs::create_dir_all(path).map_err(ReportError::file("create folder", path))?;
    let mut entries = fs::read_dir(path).map_err(ReportError::file("read folder", path))?;
    match entries.next() {
        Some(entry) if !overwrite => {
            let entry = entry.map_err(ReportError::file("read folder", path))?;
            let found = entry.file_name().to_string_lossy().into_owned();
            Err(ReportError::FolderInUse { path: path.to_owned(), found })
        }
        _ => Ok(()),
    }
}

/// Creates `PARENT/SCENARIO-N` with the first N above those there already, and
/// returns its path. Two runs started at once get two folders.
pub fn create_numbered(parent: &Path, scenario: &str) -> Result<PathBuf, ReportError> {
    fs::create_dir_all(parent).map_err(ReportError::file("create folder", parent))?;
    let stem = file_stem(scenario);
    let mut number = last_number(parent, &stem)? + 1;
    loop {
        let path = parent.join(format!("{stem}-{number}"));
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
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

/// The scenario's name without what file systems dislike.
pub(super) fn file_stem(scenario: &str) -> String {
    let kept = |c: char| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
    let stem: String = scenario.trim().chars().map(kept).take(80).collect();
    if stem.is_empty() { "run".to_owned() } else { stem }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_in_use_is_refused_unless_overwriting_is_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out/deep");
        create(&path, false).unwrap();
        create(&path, false).unwrap();
        fs::write(path.join("notes.txt"), "mine").unwrap();
        let error = create(&path, false).unwrap_err().to_string();
        assert!(error.contains("out/deep is not empty (notes.txt is in it)"), "{error}");
        create(&path, true).unwrap();
        assert!(path.join("notes.txt").exists());
        assert!(create(&path.join("notes.txt"), true).is_err());
    }

    #[test]
    fn numbers_go_on_after_the_highest() {
        let folder = tempfile::tempdir().unwrap();
        let named = |path: PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
        let next = || named(create_numbered(folder.path(), "convoy mud/1").unwrap());
        assert_eq!(next(), "convoy_mud_1-1");
        fs::create_dir(folder.path().join("convoy_mud_1-7")).unwrap();
        fs::create_dir(folder.path().join("convoy_mud_1-old")).unwrap();
        fs::create_dir(folder.path().join("convoy_mud-99")).unwrap();
        assert_eq!(next(), "convoy_mud_1-8");
        assert_eq!(named(create_numbered(folder.path(), "  ").unwrap()), "run-1");
    }
}
