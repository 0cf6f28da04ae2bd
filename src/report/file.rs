//! Files that appear whole or not at all.

use super::ReportError;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::Path;

/// Writes `bytes` beside `path`, then renames the file into place.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), ReportError> {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    let written = fs::File::create(&part)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        // Best effort: the first failure is the one to report.
        let _ = fs::remove_file(&part);
    }
    written.map_err(ReportError::file("write", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_a_file_and_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write(&path, b"first").unwrap();
        write(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_failure_names_the_path_and_keeps_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("absent").join("a.txt");
        let error = write(&path, b"x").unwrap_err().to_string();
        assert!(error.starts_with("cannot write ") && error.contains("absent/a.txt"), "{error}");
        let taken = folder.path().join("taken");
        fs::create_dir(&taken).unwrap();
        fs::write(taken.join("kept"), b"1").unwrap();
        assert!(write(&taken, b"x").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(taken.join("kept").exists());
    }
}
