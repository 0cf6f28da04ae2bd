//! State hashes of all heartbeats, `hashes.csv`: a run is compared with its repetition by them.

use super::ReportError;
use super::append_table::AppendTable;
use super::columns::{RecordColumn, RecordValues};
pub use bekker_agent::whole_microseconds;
use bekker_ground::GroundDigest;
use bekker_scenario::config::StateFormat;
use bekker_world::{NAMED_AGENTS, StateHash};
use std::path::Path;

/// Returns bytes in hexadecimal, lower case, the form of all hashes.
pub use base16ct::lower::encode_string as hexadecimal;

/// Hashes at a heartbeat, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashRow {
    /// Number of steps so far.
    pub tick: u64,
    /// Simulated time, s.
    pub time: String,
    /// First half of the hash of the complete state.
    pub state: String,
    /// Digest of the ground.
    pub ground: String,
    /// First eight bytes of each agent's digest, if requested.
    ///
    /// The file has no column for them if there are more than [`NAMED_AGENTS`] agents.
    pub agents: Vec<String>,
}

impl HashRow {
    /// Creates the row of these hashes.
    pub fn new(tick: u64, time: f64, hash: &StateHash) -> HashRow {
        let StateHash { state, ground: GroundDigest([high, low]), agents } = hash;
        HashRow {
            tick,
            time: whole_microseconds(time).to_string(),
            state: hexadecimal(&state[..16]),
            ground: format!("{high:016x}{low:016x}"),
            agents: agents.iter().map(|digest| hexadecimal(&digest[..8])).collect(),
        }
    }

    /// Returns what differs from another row of the same tick; none if they are equal.
    ///
    /// This is `ground`, the names of agents, or `state` if neither differs.
    pub fn difference(&self, other: &HashRow, names: &[String]) -> Option<String> {
        if self == other {
            return None;
        }
        let agents = self.agents.iter().zip(&other.agents).zip(names);
        let mut parts: Vec<&str> =
            agents.filter(|((a, b), _)| a != b).map(|(_, name)| name.as_str()).collect();
        if self.ground != other.ground {
            parts.push("ground");
        }
        if parts.is_empty() {
            parts.push("state");
        }
        Some(parts.join(", "))
    }
}

const STEM: &str = "hashes";
const FORMAT: [StateFormat; 1] = [StateFormat::Csv];

fn columns(names: &[String]) -> Vec<RecordColumn> {
    let column = |name: &str, values| RecordColumn { name: name.to_owned(), values };
    let text = || RecordValues::Text(Vec::new());
    let mut columns = vec![
        column("tick", RecordValues::OptionalLong(Vec::new())),
        column("time_s", text()),
        column("state", text()),
        column("ground", text()),
    ];
    columns.extend(names.iter().map(|name| column(name, text())));
    columns
}

/// Writer of the hashes of a run.
pub(super) struct HashWriter(AppendTable);

impl HashWriter {
    /// Begins the file, or continues it after a time, s.
    pub fn open(
        folder: &Path,
        names: &[String],
        after: Option<f64>,
    ) -> Result<HashWriter, ReportError> {
        let columns = columns(if names.len() > NAMED_AGENTS { &[] } else { names });
        Ok(HashWriter(match after {
            None => AppendTable::begin(folder, STEM, columns, &FORMAT)?,
            Some(time) => AppendTable::resume(folder, STEM, columns, &FORMAT, time, &mut |_| ())?,
        }))
    }

    /// Adds the hashes of a heartbeat.
    pub fn append(&mut self, row: &HashRow) -> Result<(), ReportError> {
        let [tick, columns @ ..] = self.0.columns() else { return Ok(()) };
        if let RecordValues::OptionalLong(ticks) = &mut tick.values {
            ticks.push(Some(row.tick as i64));
        }
        let words = [&row.time, &row.state, &row.ground].into_iter().chain(&row.agents);
        // columns of agents are empty if their digests were not requested
        let words = words.map(String::as_str).chain(std::iter::repeat(""));
        for (column, word) in columns.iter_mut().zip(words) {
            column.values.read(word);
        }
        self.0.end_row()?;
        self.0.flush()
    }

    /// Completes the file and returns its name.
    pub fn finish(self) -> Result<Vec<String>, ReportError> {
        self.0.finish()
    }
}

/// Reads `hashes.csv` and the names of its agents.
pub fn read(path: &Path) -> Result<(Vec<HashRow>, Vec<String>), ReportError> {
    bekker_scenario::input::check_regular(path).map_err(ReportError::file("read", path))?;
    let mut reader = csv::Reader::from_path(path).map_err(ReportError::decode(path))?;
    let header = reader.headers().map_err(ReportError::decode(path))?;
    let names = header.iter().skip(4).map(str::to_owned).collect();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(ReportError::decode(path))?;
        let text = |column: usize| record.get(column).unwrap_or_default().to_owned();
        let tick = text(0).parse::<u64>().map_err(ReportError::decode(path))?;
        let agents = record.iter().skip(4).map(str::to_owned).collect();
        rows.push(HashRow { tick, time: text(1), state: text(2), ground: text(3), agents });
    }
    Ok((rows, names))
}
