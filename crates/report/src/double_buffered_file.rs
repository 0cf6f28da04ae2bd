//! A file that grows piece by piece and is complete under its name at every moment.
//!
//! Some formats end a file with an index, such as the footer of Parquet, at the position of the
//! next piece. A process killed while it overwrites that index would leave an unreadable file.
//! Therefore two files alternate. The next piece and a new ending are written to the spare file,
//! which then takes the name. The other becomes the spare and catches up by copying the missing
//! pieces from it.

use super::append_file::{check_length, check_name, check_reach};
use super::{ReportError, file};
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A growing file that is complete at every moment.
pub(super) struct DoubleBufferedFile {
    path: PathBuf,
    /// Path of the spare file. If a run is killed, the next run in the folder removes it.
    part: PathBuf,
    /// The published file, once there is one, and the length of the pieces in it, bytes.
    shown: Option<(fs::File, u64)>,
    /// The spare file, likewise.
    hidden: Option<(fs::File, u64)>,
    /// Length of all pieces, bytes.
    end: u64,
}

/// Returns the path `.NAME` + `part` in the folder of `path`.
fn sibling_path(path: &Path, part: &str) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(part);
    path.with_file_name(name)
}

impl DoubleBufferedFile {
    /// Begins a file.
    ///
    /// An existing file of that name stays until [`DoubleBufferedFile::publish`].
    ///
    /// # Errors
    /// [`ReportError::NotAFile`] if the path exists and is not a regular file.
    pub fn begin(path: &Path) -> Result<DoubleBufferedFile, ReportError> {
        file::check_place(path)?;
        let part = sibling_path(path, ".part");
        Ok(DoubleBufferedFile { path: path.to_owned(), part, shown: None, hidden: None, end: 0 })
    }

    /// Adds a piece, visible after the next [`DoubleBufferedFile::publish`].
    pub fn append(&mut self, piece: &[u8]) -> Result<(), ReportError> {
        let mut file = self.catch_up()?;
        file.write_all(piece).map_err(ReportError::file("write", &self.path))?;
        self.end += piece.len() as u64;
        self.hidden = Some((file, self.end));
        Ok(())
    }

    /// Returns the spare file with all pieces, positioned at their end.
    fn catch_up(&mut self) -> Result<fs::File, ReportError> {
        let failed = ReportError::file("write", &self.path);
        let (mut file, held) = match self.hidden.take() {
            Some(hidden) => hidden,
            None => (file::create(&self.part)?, 0),
        };
        check_reach(&file, &self.path, held)?;
        if let Some((shown, end)) = &self.shown {
            check_reach(shown, &self.path, *end)?;
            check_name(shown, &self.path)?;
        }
        let mut catch_up = || {
            file.set_len(held)?;
            file.seek(SeekFrom::End(0))?;
            if let Some((shown, _)) = &mut self.shown {
                shown.seek(SeekFrom::Start(held))?;
                io::copy(&mut shown.take(self.end - held), &mut file)?;
            }
            Ok::<_, io::Error>(())
        };
        catch_up().map_err(failed)?;
        Ok(file)
    }

    /// Publishes all pieces so far, followed by `ending`, under the name.
    pub fn publish(&mut self, ending: &[u8]) -> Result<(), ReportError> {
        let mut file = self.catch_up()?;
        let mut shown = || {
            file.write_all(ending)?;
            let Some(before) = self.shown.take() else {
                return fs::rename(&self.part, &self.path);
            };
            // where hard links are not supported, no file has the name for a moment
            let third = sibling_path(&self.path, ".before.part");
            fs::hard_link(&self.path, &third).or_else(|_| fs::rename(&self.path, &third))?;
            fs::rename(&self.part, &self.path)?;
            fs::rename(&third, &self.part)?;
            self.hidden = Some(before);
            Ok(())
        };
        shown().map_err(ReportError::file("write", &self.path))?;
        self.shown = Some((file, self.end));
        Ok(())
    }

    /// Publishes the file with its final ending.
    pub fn finish(mut self, ending: &[u8]) -> Result<(), ReportError> {
        self.publish(ending)?;
        let Some((file, end)) = &self.shown else { return Ok(()) };
        check_length(file, &self.path, end + ending.len() as u64)?;
        check_name(file, &self.path)?;
        file.sync_all().map_err(ReportError::file("write", &self.path))
    }
}

impl Drop for DoubleBufferedFile {
    fn drop(&mut self) {
        // best effort: the next run in the folder removes the file too
        let _ = file::remove(&self.part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The name always holds the last published state, from first to last.
    #[test]
    fn the_file_always_has_the_last_published_content() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("grown");
        let read = || fs::read_to_string(&path).unwrap();
        fs::write(&path, "of a former run").unwrap();
        let mut file = DoubleBufferedFile::begin(&path).unwrap();
        file.append(b"a").unwrap();
        file.append(b"b").unwrap();
        assert_eq!(read(), "of a former run");
        file.publish(b"(an ending that is long)").unwrap();
        assert_eq!(read(), "ab(an ending that is long)");
        for (piece, expected) in [("c", "abc!"), ("d", "abcd!"), ("", "abcd!"), ("e", "abcde!")] {
            let before = read();
            file.append(piece.as_bytes()).unwrap();
            assert_eq!(read(), before);
            file.publish(b"!").unwrap();
            assert_eq!(read(), expected);
        }
        file.finish(b".").unwrap();
        assert_eq!(read(), "abcde.");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    /// A file that another program truncates or replaces causes an error at the next piece.
    #[test]
    fn writes_of_another_program_are_noticed() {
        for replaced in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("grown");
            let mut file = DoubleBufferedFile::begin(&path).unwrap();
            for _ in 0..3 {
                file.append(b"a piece").unwrap();
                file.publish(b"!").unwrap();
            }
            if replaced {
                fs::remove_file(&path).unwrap();
                fs::write(&path, "a piecea piecea piece!").unwrap();
            } else {
                fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(3).unwrap();
            }
            let told =
                file.append(b"more").and_then(|()| file.publish(b"!")).unwrap_err().to_string();
            assert!(told.contains("another program"), "{told}");
        }
    }
}
