//! Check that a record on disk extends to the checkpoint from which its run resumes.
//!
//! A killed process leaves a record up to its last heartbeat, and checkpoints are written after it.
//! A power failure or manual changes may leave less. The part between the end and the checkpoint
//! would be missing permanently, so such a run is not resumed.

use super::ReportError;
use super::append_table::SAME;
use bekker_agent::Clock;
use bekker_scenario::config::OutputConfig;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Length of the end of a table in which its last rows are searched, bytes.
const TAIL: u64 = 1 << 20;
/// Tables whose first column is the tick or the time, s.
const HASHES: &str = "hashes.csv";
const STATES: &str = "states.csv";

/// Ticks to which a record must extend.
#[derive(Clone, Copy, Debug)]
pub struct RecordExtent {
    /// Tick of the checkpoint.
    pub hashed: u64,
    /// Tick up to which samples are in the record itself, not in parts of ranks.
    pub sampled: u64,
}

impl RecordExtent {
    /// Checks the record in a folder.
    ///
    /// A table without rows is skipped. So is one that does not exist, as for a finished run with
    /// Parquet only.
    ///
    /// # Errors
    /// [`ReportError::Short`] for a table that ends too early, or an error for a file that cannot
    /// be read.
    pub fn check(
        &self,
        folder: &Path,
        output: &OutputConfig,
        clock: &Clock,
    ) -> Result<(), ReportError> {
        let time = |tick: u64| clock.reported_time(tick);
        let last_of = |tick: u64, every: u64| tick - tick % every.max(1);
        let path = folder.join(HASHES);
        // the interval is not a fixed number of ticks if adaptive heartbeats are hashed only every
        // n-th time
        let counted = output.hash_every <= 1 || !clock.is_adaptive();
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

/// Returns the last tick up to which the record in a folder is certainly complete.
///
/// This is the tick of the second to last hash, because a heartbeat's hash is recorded before its
/// other data. `None` with fewer than two hashes.
pub fn complete_until(folder: &Path) -> Option<u64> {
    let rows = last_rows(&folder.join(HASHES)).ok()?;
    let [.., before, _] = &rows[..] else { return None };
    first_of(before).parse().ok()
}

fn first_of(row: &str) -> &str {
    row.split(',').next().unwrap_or_default()
}

/// Returns the last complete rows of a table; none if it does not exist or is empty.
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
    // the first line is the header or incomplete
    Ok(whole.lines().skip(1).map(str::to_owned).collect())
}
