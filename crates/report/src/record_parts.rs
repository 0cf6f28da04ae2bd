//! A record in parts: each rank records its vehicles in a separate journal.
//!
//! Rank 0 joins all journals to the record when the run is over or resumed. Journals are in
//! `parts/TICK`, where TICK is the tick at which they begin. The record in the run's folder holds
//! the data before that tick. Journals remain until they are joined completely, so that nothing is
//! lost if the process is killed meanwhile.

use super::ReportError;
use super::heartbeats::HeartbeatWriter;
use super::journal::{Journal, JournalReader};
use super::parts::{self, PartSet};
use super::record::RunRecord;
use bekker_ranks::HeartbeatMetrics;
use bekker_world::{HeartbeatRecord, World};
use serde::{Deserialize, Serialize};
use std::iter::Peekable;
use std::path::{Path, PathBuf};

pub use super::parts::PARTS;

/// Data recorded at the end of a heartbeat.
#[derive(Debug, Serialize, Deserialize)]
enum PartEntry {
    /// Data of local vehicles.
    HeartbeatRecord(Box<HeartbeatRecord>),
    /// Costs of heartbeats on this rank, up to this one.
    Figures(Vec<HeartbeatMetrics>),
}

/// Writer of one rank's part of a record.
pub(super) struct RecordPart {
    journal: Journal<PartEntry>,
    /// Last tick recorded.
    tick: u64,
}

impl RecordPart {
    /// Begins the part at a tick.
    pub fn begin(
        folder: &Path,
        tick: u64,
        rank: usize,
        size: usize,
    ) -> Result<RecordPart, ReportError> {
        let folder = folder.join(PARTS);
        parts::begin(&folder, tick)?;
        let (journal, _) = Journal::open(&parts::path(&folder, tick, rank, size))?;
        Ok(RecordPart { journal, tick })
    }

    /// Records the data of local vehicles from a heartbeat that ends at a tick.
    pub fn append(&mut self, tick: u64, own: HeartbeatRecord) -> Result<(), ReportError> {
        self.tick = tick;
        match own.is_empty() {
            true => Ok(()),
            false => self.journal.put(tick, &PartEntry::HeartbeatRecord(Box::new(own))),
        }
    }

    /// Records the costs of heartbeats.
    pub fn append_metrics(&mut self, own: Vec<HeartbeatMetrics>) -> Result<(), ReportError> {
        // an empty entry is omitted: joined costs are truncated to the shortest list of any rank
        match own.is_empty() {
            true => Ok(()),
            false => self.journal.put(self.tick, &PartEntry::Figures(own)),
        }
    }

    /// Writes the journal to the disk.
    pub fn sync(&self) -> Result<(), ReportError> {
        self.journal.sync()
    }
}

/// The journals in a run's folder, in the order of their first ticks.
pub(super) struct RecordParts {
    folder: PathBuf,
    sets: Vec<PartSet>,
}

impl RecordParts {
    /// Returns the journals in a run's folder that begin before a tick.
    ///
    /// # Errors
    /// [`ReportError`] if the journal of a rank is missing.
    pub fn before(tick: u64, folder: &Path) -> Result<RecordParts, ReportError> {
        let folder = folder.join(PARTS);
        let mut sets = parts::sets(&folder)?;
        // other ranks may already have begun a journal at this tick
        sets.retain(|set| set.tick < tick);
        for set in &sets {
            if let Some(rank) = set.missing {
                let reason = format!("the part of rank {rank} is missing");
                return Err(ReportError::Decode { path: set.folder.clone(), reason });
            }
        }
        Ok(RecordParts { folder, sets })
    }

    /// First tick of the record in the journals; `None` without journals.
    pub fn since(&self) -> Option<u64> {
        self.sets.first().map(|set| set.tick)
    }

    /// Joins the journals up to a tick to the record, heartbeat by heartbeat, and removes them.
    ///
    /// The costs of heartbeats are also passed to `costs`.
    pub fn join(
        self,
        until: u64,
        world: &World,
        record: &mut RunRecord,
        heartbeats: &mut HeartbeatWriter,
        mut costs: impl FnMut(&[Vec<HeartbeatMetrics>]),
    ) -> Result<(), ReportError> {
        let next = self.sets.iter().skip(1).map(|set| set.tick).chain([until]);
        for (set, next) in self.sets.iter().zip(next) {
            let mut journals = PartReader::open(set)?;
            while let Some((tick, own, figures)) = journals.heartbeat(next.min(until))? {
                record.append(world, tick, &own)?;
                record.flush()?;
                heartbeats.append(&figures)?;
                costs(&figures);
            }
        }
        parts::remove_later(&self.folder, |tick| self.sets.iter().all(|set| set.tick != tick))
    }
}

/// Removes all journals from a run's folder, once they are joined and no rank writes any more.
pub(super) fn clear(folder: &Path) -> Result<(), ReportError> {
    parts::clear(&folder.join(PARTS))
}

/// Returns the first tick of the record in parts of a run's folder, if it has parts.
///
/// # Errors
/// [`ReportError`] if the folder cannot be read.
pub fn since(folder: &Path) -> Result<Option<u64>, ReportError> {
    Ok(parts::sets(&folder.join(PARTS))?.first().map(|set| set.tick))
}

/// Removes the journals in a run's folder that begin at a tick or later.
///
/// A run that resumes at this tick simulates their content again.
pub fn remove_from_tick(folder: &Path, tick: u64) -> Result<(), ReportError> {
    parts::remove_later(&folder.join(PARTS), |own| own < tick)
}

/// The journals of all ranks, read in lockstep.
struct PartReader(Vec<Peekable<JournalReader<PartEntry>>>);

/// Tick at the end of a heartbeat, its data, and the recorded costs of heartbeats, one list per
/// rank that has them.
type JoinedHeartbeat = (u64, HeartbeatRecord, Vec<Vec<HeartbeatMetrics>>);

impl PartReader {
    fn open(set: &PartSet) -> Result<PartReader, ReportError> {
        let open = |path: &PathBuf| Ok(JournalReader::open(path)?.peekable());
        Ok(PartReader(set.files.iter().map(open).collect::<Result<_, _>>()?))
    }

    /// Returns the next heartbeat with an entry in any journal, if it is not after a tick.
    fn heartbeat(&mut self, until: u64) -> Result<Option<JoinedHeartbeat>, ReportError> {
        let mut next: Option<u64> = None;
        for journal in &mut self.0 {
            if let Some(failed) = journal.next_if(Result::is_err) {
                failed?;
            }
            if let Some(Ok((tick, _))) = journal.peek() {
                next = Some(next.map_or(*tick, |next| next.min(*tick)));
            }
        }
        let Some(tick) = next.filter(|tick| *tick <= until) else { return Ok(None) };
        let (mut parts, mut figures) = (Vec::new(), Vec::new());
        for journal in &mut self.0 {
            let is_now = |record: &Result<(u64, PartEntry), _>| {
                record.as_ref().is_ok_and(|(own, _)| *own == tick)
            };
            while let Some(record) = journal.next_if(is_now) {
                match record?.1 {
                    PartEntry::HeartbeatRecord(own) => parts.push(*own),
                    PartEntry::Figures(own) => figures.push(own),
                }
            }
        }
        Ok(Some((tick, HeartbeatRecord::joined(parts), figures)))
    }
}
