//! A record in parts: every rank takes down what its own vehicles do in a journal of its own, and
//! the first makes the record of all journals once the run is over, or when it is gone on with.
//!
//! Journals lie in `parts/TICK` by the tick at which they begin. The record in the run's folder
//! holds what was before; until it has taken in the journals whole they stay, so that a process
//! that is killed over it loses nothing.

use super::ReportError;
use super::heartbeats::Heartbeats;
use super::journal::{Journal, Records};
use super::parts::{self, PartSet};
use super::record::Record;
use bekker_ranks::HeartbeatFigures;
use bekker_world::{HeartbeatRecord, World};
use serde::{Deserialize, Serialize};
use std::iter::Peekable;
use std::path::{Path, PathBuf};

pub use super::parts::PARTS;

/// What is taken down at the end of a heartbeat.
#[derive(Debug, Serialize, Deserialize)]
enum Entry {
    /// Of own vehicles.
    HeartbeatRecord(Box<HeartbeatRecord>),
    /// What heartbeats up to this one cost here.
    Figures(Vec<HeartbeatFigures>),
}

/// One rank's part of a record being written.
pub(super) struct RecordPart {
    journal: Journal<Entry>,
    /// The tick that it has come to.
    tick: u64,
}

impl RecordPart {
    /// Begins it at a tick.
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

    /// Takes down what own vehicles leave in a heartbeat that ends at a tick.
    pub fn take(&mut self, tick: u64, own: HeartbeatRecord) -> Result<(), ReportError> {
        self.tick = tick;
        match own.is_empty() {
            true => Ok(()),
            false => self.journal.put(tick, &Entry::HeartbeatRecord(Box::new(own))),
        }
    }

    /// Takes down what heartbeats cost.
    pub fn figures(&mut self, own: Vec<HeartbeatFigures>) -> Result<(), ReportError> {
        // once a tick: of a second, empty entry all would be as short
        match own.is_empty() {
            true => Ok(()),
            false => self.journal.put(self.tick, &Entry::Figures(own)),
        }
    }

    /// Has the disk hold it.
    pub fn sync(&self) -> Result<(), ReportError> {
        self.journal.sync()
    }
}

/// The journals in a run's folder, those that begin first ahead.
pub(super) struct RecordParts {
    folder: PathBuf,
    sets: Vec<PartSet>,
}

impl RecordParts {
    /// Those in a run's folder that begin before a tick, whole for each beginning.
    ///
    /// # Errors
    /// [`ReportError`] when the journal of a rank is missing.
    pub fn before(tick: u64, folder: &Path) -> Result<RecordParts, ReportError> {
        let folder = folder.join(PARTS);
        let mut sets = parts::sets(&folder)?;
        // other ranks may begin one at this tick already
        sets.retain(|set| set.tick < tick);
        for set in &sets {
            if let Some(rank) = set.missing {
                let reason = format!("the part of rank {rank} is missing");
                return Err(ReportError::Decode { path: set.folder.clone(), reason });
            }
        }
        Ok(RecordParts { folder, sets })
    }

    /// The tick from which on the record is in them; none if there are none.
    pub fn since(&self) -> Option<u64> {
        self.sets.first().map(|set| set.tick)
    }

    /// Joins them up to a tick to the record, heartbeat by heartbeat, and removes them. What they
    /// tell of what heartbeats cost is shown to `costs`, too.
    pub fn join(
        self,
        until: u64,
        world: &World,
        (record, heartbeats): (&mut Record, &mut Heartbeats),
        mut costs: impl FnMut(&[Vec<HeartbeatFigures>]),
    ) -> Result<(), ReportError> {
        let next = self.sets.iter().skip(1).map(|set| set.tick).chain([until]);
        for (set, next) in self.sets.iter().zip(next) {
            let mut journals = Journals::open(set)?;
            while let Some((tick, own, figures)) = journals.heartbeat(next.min(until))? {
                record.take(world, tick, &own)?;
                record.flush()?;
                heartbeats.take(&figures)?;
                costs(&figures);
            }
        }
        parts::forget(&self.folder, |tick| self.sets.iter().all(|set| set.tick != tick))
    }
}

/// Removes all journals from a run's folder, once they are joined and no rank writes any more.
pub(super) fn clear(folder: &Path) -> Result<(), ReportError> {
    parts::clear(&folder.join(PARTS))
}

/// The tick from which on the record in a run's folder is in parts, if it is.
///
/// # Errors
/// [`ReportError`] when the folder cannot be read.
pub fn since(folder: &Path) -> Result<Option<u64>, ReportError> {
    Ok(parts::sets(&folder.join(PARTS))?.first().map(|set| set.tick))
}

/// Removes from a run's folder the journals that begin at a tick or later, where the run goes on:
/// what they hold is driven again.
pub fn forget_from(folder: &Path, tick: u64) -> Result<(), ReportError> {
    parts::forget(&folder.join(PARTS), |own| own < tick)
}

/// The journals of all ranks, read in step.
struct Journals(Vec<Peekable<Records<Entry>>>);

/// A heartbeat's end, what was told at it, and what heartbeats had cost, of each rank that says so.
type Heartbeat = (u64, HeartbeatRecord, Vec<Vec<HeartbeatFigures>>);

impl Journals {
    fn open(set: &PartSet) -> Result<Journals, ReportError> {
        let open = |path: &PathBuf| Ok(Records::open(path)?.peekable());
        Ok(Journals(set.files.iter().map(open).collect::<Result<_, _>>()?))
    }

    /// The next heartbeat of which any tells, if it is not after a tick.
    fn heartbeat(&mut self, until: u64) -> Result<Option<Heartbeat>, ReportError> {
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
            let is_now = |record: &Result<(u64, Entry), _>| {
                record.as_ref().is_ok_and(|(own, _)| *own == tick)
            };
            while let Some(record) = journal.next_if(is_now) {
                match record?.1 {
                    Entry::HeartbeatRecord(own) => parts.push(*own),
                    Entry::Figures(own) => figures.push(own),
                }
            }
        }
        Ok(Some((tick, HeartbeatRecord::joined(parts), figures)))
    }
}
