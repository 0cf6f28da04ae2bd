//! Whether a record on disk reaches the checkpoint that its run goes on from.
//!
//! A process that is killed leaves a record to its last heartbeat, and checkpoints are written after
//! it; but a disk that lost its power, or a hand, may leave less. What lies between the two would
//! be missing for good, so such a run is not gone on with.

use super::ReportError;
use super::growing::SAME;
use bekker_agent::Clock;
use bekker_scenario::config::Output;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Bytes at the end of a table among which its last rows are looked for.
const TAIL: u64 = 1 << 20;
/// Tables by name, whose first column is the tick or the time, s.
const HASHES: &str = "hashes.csv";
const STATES: &str = "states.csv";

/// Ticks to which a record must have come.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// That of the checkpoint.
    pub hashed: u64,
    /// That up to which samples lie in the record itself, and not in parts of ranks.
    pub sampled: u64,
}

impl Reach {
    /// Holds the record in a folder to it. A table that is not there, as of a finished run that
    /// keeps only Parquet, or has no rows yet, is not looked at.
    ///
    /// # Errors
    /// [`ReportError::Short`] for a table that ends before, or a file that cannot be read.
    pub fn check(&self, folder: &Path, output: &Output, clock: &Clock) -> Result<(), ReportError> {
        let time = |tick: u64| clock.told(tick);
        let last_of = |tick: u64, every: u64| tick - tick % every.max(1);
        let path = folder.join(HASHES);
        // heartbeats that adapt are counted one by one only
        let counted = output.hash_every <= 1 || !clock.adapts();
        if let Some(row) = last_rows(&path)?.last().filter(|_| counted) {
            let every = match output.hash_every {
                0 | 1 => 1,
                every => every.saturating_mul(clock.steps_per_heartbeat()),
            };
            let tick: u64 = first_of(row).parse().map_err(ReportError::decode(&path))?;
            let due = last_of(self.hashed, every);
            if tick < due {
                return Err(ReportError::Short { path, ends: time(tick), due: time(due) });
            }
        }
        let path = folder.join(STATES);
        if let Some(row) = last_rows(&path)?.last() {
            let ends: f64 = first_of(row).parse().map_err(ReportError::decode(&path))?;
            let due = time(last_of(self.sampled, clock.ticks_in(output.interval)));
            if ends < due - SAME {
                return Err(ReportError::Short { path, ends, due });
            }
        }
        Ok(())
    }
}

/// The last tick up to which a record in a folder is whole whatever its process was at: that of the
/// hash before the last, for a heartbeat's hash is taken down before the rest of it. None where
/// there is no such hash.
pub fn whole_up_to(folder: &Path) -> Option<u64> {
    let rows = last_rows(&folder.join(HASHES)).ok()?;
    let [.., before, _] = &rows[..] else { return None };
    first_of(before).parse().ok()
}

fn first_of(row: &str) -> &str {
    row.split(',').next().unwrap_or_default()
}

/// The last whole rows of a table; none of one that is not there, or has none.
fn last_rows(path: &Path) -> Result<Vec<String>, ReportError> {
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = fs::File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
        let mut tail = Vec::new();
        file.read_to_end(&mut tail)?;
        Ok(tail)
    };
    let tail = read().map_err(ReportError::file("read", path))?;
    let text = String::from_utf8_lossy(&tail);
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    // the first is the header, or cut
    Ok(whole.lines().skip(1).map(str::to_owned).collect())
}
