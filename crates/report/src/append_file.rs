//! Files that only this process writes during a run, checked for changes by other programs.
//!
//! A file that another program truncates would continue after a gap of NUL bytes; a replaced file
//! would continue without a name. Both end the run with an error that names the file.

use super::ReportError;
use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file that only grows, written by this process only.
pub(super) struct AppendFile {
    file: fs::File,
    path: PathBuf,
    /// Expected length, bytes.
    length: u64,
}

impl AppendFile {
    /// Continues a file at its end.
    pub fn open_at_end(mut file: fs::File, path: &Path) -> Result<AppendFile, ReportError> {
        let end = file.seek(SeekFrom::End(0));
        let length = end.map_err(ReportError::file("write", path))?;
        Ok(AppendFile::with_length(file, path, length))
    }

    /// Continues a file of `length` bytes at its current position.
    pub fn with_length(file: fs::File, path: &Path, length: u64) -> AppendFile {
        AppendFile { file, path: path.to_owned(), length }
    }

    /// Appends bytes, all of them or none.
    ///
    /// # Errors
    /// [`ReportError::Altered`] if another program has changed its length, or the system's error.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), ReportError> {
        let AppendFile { file, path, length } = self;
        check_length(file, path, *length)?;
        if let Err(error) = file.write_all(bytes) {
            // best effort: the first failure is the one to report
            let _ = file.set_len(*length).and_then(|()| file.seek(SeekFrom::End(0)));
            return Err(ReportError::file("write", path)(error));
        }
        *length += bytes.len() as u64;
        Ok(())
    }

    /// Flushes the file to the disk, and checks that its length and name are unchanged.
    ///
    /// # Errors
    /// [`ReportError::Altered`] or [`ReportError::Replaced`] if another program has changed it, or
    /// the system's error.
    pub fn finish(self) -> Result<(), ReportError> {
        let AppendFile { file, path, length } = self;
        check_length(&file, &path, length)?;
        check_name(&file, &path)?;
        file.sync_all().map_err(ReportError::file("write", &path))
    }
}

/// Rejects a file whose length differs from the number of bytes written.
pub(super) fn check_length(file: &fs::File, path: &Path, written: u64) -> Result<(), ReportError> {
    let found = length(file, path)?;
    if found == written {
        return Ok(());
    }
    Err(ReportError::Altered { path: path.to_owned(), written, found })
}

/// Rejects a file that is shorter than the number of bytes written.
pub(super) fn check_reach(file: &fs::File, path: &Path, written: u64) -> Result<(), ReportError> {
    let found = length(file, path)?;
    if found >= written {
        return Ok(());
    }
    Err(ReportError::Altered { path: path.to_owned(), written, found })
}

fn length(file: &fs::File, path: &Path) -> Result<u64, ReportError> {
    let found = file.metadata().map_err(ReportError::file("inspect", path))?;
    Ok(found.len())
}

/// Rejects a file that no longer has this name, on systems with file identities (Unix).
pub(super) fn check_name(file: &fs::File, path: &Path) -> Result<(), ReportError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let own = file.metadata().map_err(ReportError::file("inspect", path))?;
        let named = fs::symlink_metadata(path);
        let is_same = |named: &fs::Metadata| (named.dev(), named.ino()) == (own.dev(), own.ino());
        if !named.is_ok_and(|named| is_same(&named)) {
            return Err(ReportError::Replaced { path: path.to_owned() });
        }
    }
    #[cfg(not(unix))]
    let _ = (file, path);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::create;

    fn own(folder: &Path) -> (PathBuf, AppendFile) {
        let path = folder.join("table.csv");
        let mut own = AppendFile::open_at_end(create(&path).unwrap(), &path).unwrap();
        own.append(b"a,b\n").unwrap();
        own.append(b"1,2\n").unwrap();
        (path, own)
    }

    #[test]
    fn appended_bytes_are_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let (path, own) = own(folder.path());
        own.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"a,b\n1,2\n");
    }

    /// A file truncated to nothing or in part, or extended, is detected at the next row or at the
    /// end.
    #[test]
    fn another_length_is_noticed() {
        for length in [0, 5, 9, 4096] {
            let folder = tempfile::tempdir().unwrap();
            let (path, mut own) = own(folder.path());
            fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(length).unwrap();
            let told = own.append(b"3,4\n").unwrap_err().to_string();
            assert!(
                told.contains(&format!("table.csv has {length} bytes, but the run wrote 8")),
                "{told}"
            );
            assert!(matches!(own.finish(), Err(ReportError::Altered { .. })));
            assert_eq!(fs::metadata(&path).unwrap().len(), length, "nothing more was written");
        }
    }

    #[cfg(unix)]
    #[test]
    fn another_file_under_the_name_is_noticed() {
        for replacement in [None, Some("a,b\n1,2\n")] {
            let folder = tempfile::tempdir().unwrap();
            let (path, own) = own(folder.path());
            fs::remove_file(&path).unwrap();
            replacement.iter().for_each(|text| fs::write(&path, text).unwrap());
            assert!(matches!(own.finish(), Err(ReportError::Replaced { .. })), "{replacement:?}");
        }
    }
}
