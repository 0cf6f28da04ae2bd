//! Files that appear completely or not at all, and replace only regular files.

use super::ReportError;
use std::ffi::OsString;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Rejects a path at which something other than a regular file exists.
///
/// Devices, pipes and links are never replaced, nor are the targets of links.
pub fn check_place(path: &Path) -> Result<(), ReportError> {
    let found = match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => return Ok(()),
        Ok(found) if found.is_symlink() => "a link",
        Ok(found) if found.is_dir() => "a folder",
        Ok(_) => "a device, pipe or socket",
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(ReportError::file("inspect", path)(error)),
    };
    Err(ReportError::NotAFile { path: path.to_owned(), found })
}

/// Creates an empty file, which replaces an existing one, to be written during a run.
pub(super) fn create(path: &Path) -> Result<fs::File, ReportError> {
    check_place(path)?;
    remove(path)?;
    let mut options = fs::OpenOptions::new();
    options
        .read(true)
        .write(true)
        .create_new(true)
        .open(path)
        .map_err(ReportError::file("create", path))
}

/// Removes a file, if it exists.
pub(super) fn remove(path: &Path) -> Result<(), ReportError> {
    // an absent file needs no removal, even in a folder that cannot be written
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound && path.symlink_metadata().is_ok() => {
            Err(ReportError::file("remove", path)(error))
        }
        _ => Ok(()),
    }
}

/// Rejects a path that is not writable, before the work whose result is written there.
///
/// # Errors
/// [`ReportError::NotAFile`] if something other than a regular file exists there,
/// [`ReportError::Folder`] if its folder is not writable.
pub fn check_writable(path: &Path) -> Result<(), ReportError> {
    check_place(path)?;
    let part = part_of(path);
    create(&part).map_err(|error| of_folder(path, error))?;
    remove(&part)
}

/// Returns the error, replaced by one that names the folder if the folder is not writable.
fn of_folder(path: &Path, error: ReportError) -> ReportError {
    let (ReportError::File { source, .. }, Some(folder)) = (&error, path.parent()) else {
        return error;
    };
    let refused =
        matches!(source.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem);
    if !refused {
        return error;
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let cause = source.to_string();
    ReportError::Folder { path: path.to_owned(), folder: folder.to_owned(), cause }
}

/// Returns the path of the temporary file, in the same folder, that is written first.
fn part_of(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}

/// Returns whether a file name is that of a temporary file left by a killed process.
pub(super) fn is_part(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(".part")
}

/// Writes `bytes` to a temporary file next to `path`, then renames it to `path`.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), ReportError> {
    check_place(path)?;
    let part = part_of(path);
    let created = create(&part).map_err(|error| of_folder(path, error));
    let written = created.and_then(|mut file| {
        let whole = file.write_all(bytes).and_then(|()| file.sync_all());
        whole.and_then(|()| fs::rename(&part, path)).map_err(ReportError::file("write", path))
    });
    if written.is_err() {
        // Best effort: the first failure is the one to report.
        let _ = fs::remove_file(&part);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_a_file_and_leaves_no_other_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write(&path, b"first").unwrap();
        write(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_failure_names_the_path_and_keeps_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("absent").join("a.txt");
        let error = write(&path, b"x").unwrap_err().to_string();
        assert!(error.starts_with("cannot create ") && error.contains("a.txt"), "{error}");
        let taken = folder.path().join("taken");
        fs::create_dir(&taken).unwrap();
        fs::write(taken.join("kept"), b"1").unwrap();
        assert!(write(&taken, b"x").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(taken.join("kept").exists());
    }

    #[test]
    #[cfg(unix)]
    fn only_a_regular_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, b"mine").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let error = write(&link, b"x").unwrap_err().to_string();
        assert!(error.contains("link is a link"), "{error}");
        assert_eq!(fs::read(&target).unwrap(), b"mine");
        assert!(link.is_symlink() && create(&link).is_err());
        let error = write(Path::new("/dev/null"), b"x").unwrap_err().to_string();
        assert!(error.contains("a device, pipe or socket"), "{error}");
    }
}
