//! A file that grows piece by piece and is whole under its name at every moment.
//!
//! What ends a file of some formats, such as the list of contents of a Parquet file, goes
//! where the next piece is to stand: a process that is killed while it writes that would
//! leave a file that nobody can read. So two files take turns. The next piece and a new
//! ending are written to the one beside, which then takes the name; the other is brought
//! up to date from it when its turn comes.

use super::own_file::{check_length, check_name, check_reach};
use super::{ReportError, file};
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file in the making.
pub(super) struct Alternating {
    path: PathBuf,
    /// Where the file beside is; a run that was killed leaves it to be removed by the next.
    part: PathBuf,
    /// The file under the name, once it has been shown, and up to where it holds all pieces.
    shown: Option<(fs::File, u64)>,
    /// The file beside, likewise.
    beside: Option<(fs::File, u64)>,
    /// Bytes of all pieces.
    end: u64,
}

/// `.NAME.part` beside `path`.
fn beside(path: &Path, part: &str) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(part);
    path.with_file_name(name)
}

impl Alternating {
    /// Begins a file. What is at its place stays there until [`Alternating::show`].
    ///
    /// # Errors
    /// [`ReportError::NotAFile`] where something else than a file is there.
    pub fn begin(path: &Path) -> Result<Alternating, ReportError> {
        file::check_place(path)?;
        let part = beside(path, ".part");
        Ok(Alternating { path: path.to_owned(), part, shown: None, beside: None, end: 0 })
    }

    /// Adds a piece, to be seen from the next [`Alternating::show`] on.
    pub fn append(&mut self, piece: &[u8]) -> Result<(), ReportError> {
        let mut file = self.caught_up()?;
        file.write_all(piece).map_err(ReportError::file("write", &self.path))?;
        self.end += piece.len() as u64;
        self.beside = Some((file, self.end));
        Ok(())
    }

    /// The file beside, at the end of all pieces.
    fn caught_up(&mut self) -> Result<fs::File, ReportError> {
        let failed = ReportError::file("write", &self.path);
        let (mut file, held) = match self.beside.take() {
            Some(beside) => beside,
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

    /// Puts all pieces so far, and after them this ending, under the name.
    pub fn show(&mut self, ending: &[u8]) -> Result<(), ReportError> {
        let mut file = self.caught_up()?;
        let mut shown = || {
            file.write_all(ending)?;
            let Some(before) = self.shown.take() else {
                return fs::rename(&self.part, &self.path);
            };
            // where there are no links, the name is nobody's for a moment
            let third = beside(&self.path, ".before.part");
            fs::hard_link(&self.path, &third).or_else(|_| fs::rename(&self.path, &third))?;
            fs::rename(&self.part, &self.path)?;
            fs::rename(&third, &self.part)?;
            self.beside = Some(before);
            Ok(())
        };
        shown().map_err(ReportError::file("write", &self.path))?;
        self.shown = Some((file, self.end));
        Ok(())
    }

    /// Shows the file with its last ending.
    pub fn finish(mut self, ending: &[u8]) -> Result<(), ReportError> {
        self.show(ending)?;
        let Some((file, end)) = &self.shown else { return Ok(()) };
        check_length(file, &self.path, end + ending.len() as u64)?;
        check_name(file, &self.path)?;
        file.sync_all().map_err(ReportError::file("write", &self.path))
    }
}

impl Drop for Alternating {
    fn drop(&mut self) {
        // best effort: the next run in the folder removes it too
        let _ = file::remove(&self.part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever was last shown is what the name holds, from the first to the last.
    #[test]
    fn the_name_always_holds_what_was_last_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("grown");
        let read = || fs::read_to_string(&path).unwrap();
        fs::write(&path, "of a former run").unwrap();
        let mut file = Alternating::begin(&path).unwrap();
        file.append(b"a").unwrap();
        file.append(b"b").unwrap();
        assert_eq!(read(), "of a former run");
        file.show(b"(an ending that is long)").unwrap();
        assert_eq!(read(), "ab(an ending that is long)");
        for (piece, expected) in [("c", "abc!"), ("d", "abcd!"), ("", "abcd!"), ("e", "abcde!")] {
            let before = read();
            file.append(piece.as_bytes()).unwrap();
            assert_eq!(read(), before);
            file.show(b"!").unwrap();
            assert_eq!(read(), expected);
        }
        file.finish(b".").unwrap();
        assert_eq!(read(), "abcde.");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    /// A file that another program cuts or replaces gives an error at the next piece.
    #[test]
    fn another_program_is_noticed() {
        for replaced in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("grown");
            let mut file = Alternating::begin(&path).unwrap();
            for _ in 0..3 {
                file.append(b"a piece").unwrap();
                file.show(b"!").unwrap();
            }
            if replaced {
                fs::remove_file(&path).unwrap();
                fs::write(&path, "a piecea piecea piece!").unwrap();
            } else {
                fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(3).unwrap();
            }
            let told = file.append(b"more").and_then(|()| file.show(b"!")).unwrap_err().to_string();
            assert!(told.contains("another program"), "{told}");
        }
    }
}
