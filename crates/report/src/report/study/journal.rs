//! A journal: records one after the other, each with its length and a check sum, so that one
//! that a killed process only began is known as such.

use super::TrialRecord;
use crate::report::{ReportError, check_place};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Bytes before a record: its length and its CRC-32, little-endian.
const HEAD: usize = 8;

/// A journal that records are added to, from any thread.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: Mutex<fs::File>,
}

impl Journal {
    /// Opens a journal, made unless there is one; with the records in it, by number. What stands
    /// behind the last whole record is cut off.
    pub fn open(path: &Path) -> Result<(Journal, BTreeMap<u64, TrialRecord>), ReportError> {
        check_place(path)?;
        let (records, whole) = read(path)?;
        let mut options = fs::OpenOptions::new();
        let file = options.create(true).append(true).open(path);
        let file = file.map_err(ReportError::file("create", path))?;
        file.set_len(whole as u64).map_err(ReportError::file("write", path))?;
        Ok((Journal { path: path.to_owned(), file: Mutex::new(file) }, records))
    }

    /// Adds a record: it is the system's, whatever becomes of this process.
    pub fn put(&self, record: &TrialRecord) -> Result<(), ReportError> {
        let body = postcard::to_stdvec(record).map_err(ReportError::encode(&self.path))?;
        let length = u32::try_from(body.len()).map_err(ReportError::encode(&self.path))?;
        let mut bytes = Vec::with_capacity(HEAD + body.len());
        bytes.extend(length.to_le_bytes());
        bytes.extend(crc32fast::hash(&body).to_le_bytes());
        bytes.extend(body);
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(&bytes).map_err(ReportError::file("write", &self.path))
    }

    /// Has the disk hold all that was added.
    pub fn sync(&self) -> Result<(), ReportError> {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.sync_data().map_err(ReportError::file("write", &self.path))
    }
}

/// The whole records of a journal, and how many bytes they take; none of no journal.
pub(super) fn read(path: &Path) -> Result<(BTreeMap<u64, TrialRecord>, usize), ReportError> {
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        read => read.map_err(ReportError::file("read", path))?,
    };
    let (mut records, mut at) = (BTreeMap::new(), 0);
    while let Some((record, length)) = next(&bytes[at..]) {
        records.insert(record.trial, record);
        at += length;
    }
    Ok((records, at))
}

/// The record that bytes begin with, and how many of them it takes, if it is whole.
fn next(bytes: &[u8]) -> Option<(TrialRecord, usize)> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (sum, rest) = rest.split_first_chunk()?;
    let length = u32::from_le_bytes(*length) as usize;
    let body = rest.get(..length)?;
    let whole = crc32fast::hash(body) == u32::from_le_bytes(*sum);
    let record = if whole { postcard::from_bytes(body).ok() } else { None };
    Some((record?, HEAD + length))
}

#[cfg(test)]
mod tests {
    use super::super::Cell;
    use super::*;

    fn record(trial: u64) -> TrialRecord {
        TrialRecord {
            trial,
            point: trial,
            replication: 0,
            sets: vec!["seed=1".into()],
            seed: Some(1),
            levels: vec![Cell::Number(0.1), Cell::Word("mud".into())],
            failure: None,
            responses: vec![Cell::Absent],
            state_hash: "00".into(),
            wall: 0.5,
        }
    }

    #[test]
    fn a_journal_cut_at_any_byte_is_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.bin");
        let (journal, none) = Journal::open(&path).unwrap();
        assert!(none.is_empty());
        (0..3).for_each(|n| journal.put(&record(n)).unwrap());
        let whole = fs::read(&path).unwrap();
        let each = whole.len() / 3;
        for cut in 0..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let (journal, records) = Journal::open(&path).unwrap();
            assert_eq!(records.len(), cut / each, "cut at {cut}");
            (records.len() as u64..3).for_each(|n| journal.put(&record(n)).unwrap());
            assert_eq!(fs::read(&path).unwrap(), whole);
        }
    }

    #[test]
    fn a_record_with_a_flipped_bit_ends_what_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.bin");
        let (journal, _) = Journal::open(&path).unwrap();
        (0..3).for_each(|n| journal.put(&record(n)).unwrap());
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&path, bytes).unwrap();
        assert_eq!(read(&path).unwrap().0.into_keys().collect::<Vec<_>>(), [0]);
    }
}
