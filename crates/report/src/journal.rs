//! A journal: numbered records in sequence, each with its length and a checksum.
//!
//! A record that a killed process left incomplete is detected by these.

use super::append_file::check_reach;
use super::{ReportError, file::check_place};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufReader, Read, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Length of a record's header, bytes: the record's length and its CRC-32, little-endian.
const HEAD: usize = 8;

/// A journal to which any thread can append records.
#[derive(Debug)]
pub struct Journal<T> {
    path: PathBuf,
    /// The file, and its minimum length, bytes.
    file: Mutex<(fs::File, u64)>,
    holds: PhantomData<fn(&T)>,
}

impl<T: Serialize + DeserializeOwned> Journal<T> {
    /// Opens a journal and returns its records by number; creates it if it does not exist.
    ///
    /// All bytes after the last complete record are removed.
    ///
    /// # Errors
    /// [`ReportError`] if it cannot be read or written.
    pub fn open(path: &Path) -> Result<(Journal<T>, BTreeMap<u64, T>), ReportError> {
        check_place(path)?;
        let (records, whole) = read(path)?;
        let mut options = fs::OpenOptions::new();
        let file = options.create(true).append(true).open(path);
        let file = file.map_err(ReportError::file("create", path))?;
        file.set_len(whole as u64).map_err(ReportError::file("write", path))?;
        let (path, file) = (path.to_owned(), Mutex::new((file, whole as u64)));
        Ok((Journal { path, file, holds: PhantomData }, records))
    }

    /// Appends a record.
    ///
    /// The record survives the end of this process, but a failure of the system only after
    /// [`Journal::sync`].
    ///
    /// # Errors
    /// [`ReportError`] if it cannot be written.
    pub fn put(&self, number: u64, record: &T) -> Result<(), ReportError> {
        let body =
            postcard::to_stdvec(&(number, record)).map_err(ReportError::encode(&self.path))?;
        let length = u32::try_from(body.len()).map_err(ReportError::encode(&self.path))?;
        let mut bytes = Vec::with_capacity(HEAD + body.len());
        bytes.extend(length.to_le_bytes());
        bytes.extend(crc32fast::hash(&body).to_le_bytes());
        bytes.extend(body);
        let mut own = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, length) = &mut *own;
        check_reach(file, &self.path, *length)?;
        file.write_all(&bytes).map_err(ReportError::file("write", &self.path))?;
        *length += bytes.len() as u64;
        Ok(())
    }

    /// Writes all appended records to the disk.
    ///
    /// # Errors
    /// [`ReportError`] if this fails.
    pub fn sync(&self) -> Result<(), ReportError> {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.0.sync_data().map_err(ReportError::file("write", &self.path))
    }
}

/// Returns the complete records of a journal by number, and their length in bytes.
///
/// The result is empty if the file does not exist.
///
/// # Errors
/// [`ReportError`] if it cannot be read.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<(BTreeMap<u64, T>, usize), ReportError> {
    if !path.exists() {
        return Ok((BTreeMap::new(), 0));
    }
    let mut records = JournalReader::open(path)?;
    let by_number = records.by_ref().collect::<Result<_, _>>()?;
    Ok((by_number, records.bytes))
}

/// Iterator over the complete records of a journal, in the order of appending.
pub struct JournalReader<T> {
    path: PathBuf,
    file: BufReader<fs::File>,
    /// Number of unread bytes, up to the length that the file had when it was opened.
    left: u64,
    /// Number of bytes of the records read.
    bytes: usize,
    holds: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> JournalReader<T> {
    /// Opens a journal for reading.
    ///
    /// # Errors
    /// [`ReportError`] if it cannot be read.
    pub fn open(path: &Path) -> Result<JournalReader<T>, ReportError> {
        let file = fs::File::open(path).map_err(ReportError::file("read", path))?;
        let left = file.metadata().map_err(ReportError::file("read", path))?.len();
        let (path, file) = (path.to_owned(), BufReader::new(file));
        Ok(JournalReader { path, file, left, bytes: 0, holds: PhantomData })
    }

    /// Returns the next record, if it is complete.
    fn record(&mut self) -> std::io::Result<Option<(u64, T)>> {
        let mut head = [0; HEAD];
        if self.left < HEAD as u64 {
            return Ok(None);
        }
        self.file.read_exact(&mut head)?;
        self.left -= HEAD as u64;
        let [length, sum] = [0, 4].map(|at| {
            let word = [0, 1, 2, 3].map(|byte| head[at + byte]);
            u32::from_le_bytes(word)
        });
        if self.left < u64::from(length) {
            return Ok(None);
        }
        let mut body = vec![0; length as usize];
        self.file.read_exact(&mut body)?;
        let whole = crc32fast::hash(&body) == sum;
        let record = if whole { postcard::from_bytes(&body).ok() } else { None };
        if record.is_some() {
            self.bytes += HEAD + body.len();
            self.left -= u64::from(length);
        }
        Ok(record)
    }
}

impl<T: DeserializeOwned> Iterator for JournalReader<T> {
    type Item = Result<(u64, T), ReportError>;

    fn next(&mut self) -> Option<Self::Item> {
        let record = self.record().map_err(ReportError::file("read", &self.path)).transpose();
        if !matches!(record, Some(Ok(_))) {
            // after an incomplete record, the start of the next one is unknown
            self.left = 0;
        }
        record
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Record = (String, f64);

    fn record(n: u64) -> Record {
        ("soil.default=mud".into(), 0.5 * n as f64)
    }

    #[test]
    fn a_journal_truncated_at_any_byte_is_continued() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.bin");
        let (journal, none) = Journal::<Record>::open(&path).unwrap();
        assert!(none.is_empty());
        (0..3).for_each(|n| journal.put(n, &record(n)).unwrap());
        let whole = fs::read(&path).unwrap();
        let each = whole.len() / 3;
        for cut in 0..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let (journal, records) = Journal::<Record>::open(&path).unwrap();
            assert_eq!(records.len(), cut / each, "cut at {cut}");
            (records.len() as u64..3).for_each(|n| journal.put(n, &record(n)).unwrap());
            assert_eq!(fs::read(&path).unwrap(), whole);
        }
    }

    #[test]
    fn a_record_with_a_flipped_bit_ends_the_journal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.bin");
        let (journal, _) = Journal::<Record>::open(&path).unwrap();
        (0..3).for_each(|n| journal.put(n, &record(n)).unwrap());
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&path, bytes).unwrap();
        assert_eq!(read::<Record>(&path).unwrap().0.into_keys().collect::<Vec<_>>(), [0]);
    }
}
