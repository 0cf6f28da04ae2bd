//! Costs of heartbeats during a run: `heartbeats.csv` and the timeline `trace.json`.
//!
//! `heartbeats.csv` has a row per heartbeat and rank. The timeline is in the JSON array format of
//! trace events, which Perfetto and Chrome open even without the closing bracket. It has an event
//! per line and a process per rank. Times start at the end of the handshake; those of a resumed run
//! continue after the earlier ones.

use super::append_file::AppendFile;
use super::{ReportError, file};
use bekker_ranks::HeartbeatMetrics;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Duration;

const FIGURES: &str = "heartbeats.csv";
const TIMELINE: &str = "trace.json";

const HEADER: &str = "tick,rank,agents,step_us,serialize_us,lengths_us,payload_us,apply_us,\
    agree_us,imaging_us,record_us,checkpoint_us,\
    state_bytes,ground_bytes,received_bytes,record_bytes,nodes,ghost_error_m,ghost_bound_m\n";

/// Converts a duration to µs.
pub fn microseconds(time: Duration) -> f64 {
    time.as_nanos() as f64 * 1e-3
}

/// Returns the durations of a heartbeat's phases with their names, in their order.
fn spans(heartbeat: &HeartbeatMetrics) -> [(&'static str, Duration); 9] {
    [
        ("step", heartbeat.step),
        ("serialize", heartbeat.serialize),
        ("lengths", heartbeat.lengths),
        ("payload", heartbeat.payload),
        ("apply", heartbeat.apply),
        ("agree", heartbeat.agree),
        ("imaging", heartbeat.imaging),
        ("record", heartbeat.record),
        ("checkpoint", heartbeat.checkpoint),
    ]
}

/// Writer of the two files.
pub struct HeartbeatWriter {
    figures: Option<AppendFile>,
    timeline: Option<TimelineWriter>,
}

impl HeartbeatWriter {
    /// Begins the files of a run on `ranks` ranks, or continues them from a tick.
    ///
    /// The costs are written if there are several ranks, the timeline if requested.
    ///
    /// # Errors
    /// [`ReportError`] if a file cannot be created or continued.
    pub fn open(
        folder: &Path,
        ranks: usize,
        timeline: bool,
        from: Option<u64>,
    ) -> Result<HeartbeatWriter, ReportError> {
        let path = folder.join(FIGURES);
        let before = from.filter(|_| path.exists());
        let figures =
            (ranks > 1 || before.is_some()).then(|| open_metrics(&path, before)).transpose()?;
        let timeline = timeline.then(|| TimelineWriter::open(folder, ranks, from)).transpose()?;
        Ok(HeartbeatWriter { figures, timeline })
    }

    /// Records heartbeats, the same ones of every rank.
    ///
    /// # Errors
    /// [`ReportError`] if a file cannot be written.
    pub fn append(&mut self, ranks: &[Vec<HeartbeatMetrics>]) -> Result<(), ReportError> {
        let heartbeats = ranks.iter().map(Vec::len).min().unwrap_or(0);
        // rows are ordered by heartbeat, then by rank, so that a file can be truncated at a tick
        let all = (0..heartbeats)
            .flat_map(|heartbeat| ranks.iter().map(move |rank| &rank[heartbeat]).enumerate());
        if let Some(file) = &mut self.figures {
            let mut rows = String::new();
            all.clone().for_each(|(rank, heartbeat)| row(&mut rows, rank, heartbeat));
            file.append(rows.as_bytes())?;
        }
        self.timeline.as_mut().map_or(Ok(()), |timeline| timeline.append(all))
    }

    /// Completes the files and returns their names in the folder.
    ///
    /// # Errors
    /// [`ReportError`] if a file cannot be written.
    pub fn finish(self) -> Result<Vec<String>, ReportError> {
        let mut names = Vec::new();
        if let Some(file) = self.figures {
            file.finish()?;
            names.push(FIGURES.to_owned());
        }
        if let Some(TimelineWriter { mut file, .. }) = self.timeline {
            file.append(b"\n]\n")?;
            file.finish()?;
            names.push(TIMELINE.to_owned());
        }
        Ok(names)
    }
}

/// Creates the file of costs, or continues it from a tick.
fn open_metrics(path: &Path, from: Option<u64>) -> Result<AppendFile, ReportError> {
    let Some(from) = from else {
        let mut file = AppendFile::open_at_end(file::create(path)?, path)?;
        file.append(HEADER.as_bytes())?;
        return Ok(file);
    };
    let tick = |line: &str| line.split(',').next()?.parse::<u64>().ok();
    truncate(path, |line| match line.strip_suffix('\n') {
        Some(row) if line == HEADER || tick(row).is_some_and(|tick| tick < from) => line.len(),
        _ => 0,
    })
}

fn row(rows: &mut String, rank: usize, heartbeat: &HeartbeatMetrics) {
    let HeartbeatMetrics { tick, agents, state_bytes, ground_bytes, .. } = heartbeat;
    let HeartbeatMetrics { received_bytes, record_bytes, nodes, ghost_error, ghost_bound, .. } =
        heartbeat;
    let _ = write!(rows, "{tick},{rank},{agents}");
    for (_, span) in spans(heartbeat) {
        let _ = write!(rows, ",{:.1}", microseconds(span));
    }
    let _ = write!(rows, ",{state_bytes},{ground_bytes},{received_bytes},{record_bytes},{nodes}");
    let _ = writeln!(rows, ",{ghost_error:.7},{ghost_bound:.7}");
}

/// Writer of a timeline.
struct TimelineWriter {
    file: AppendFile,
    /// Start of this run in the timeline, µs: after the events of the run that it continues.
    begins: f64,
}

impl TimelineWriter {
    fn open(folder: &Path, ranks: usize, from: Option<u64>) -> Result<TimelineWriter, ReportError> {
        let path = folder.join(TIMELINE);
        let mut begins: f64 = 0.0;
        let mut events = 0;
        let file = match from.filter(|_| path.exists()) {
            None => AppendFile::open_at_end(file::create(&path)?, &path)?,
            Some(from) => truncate(&path, |line| {
                let event = line.trim_end().trim_end_matches(',');
                if event == "[" {
                    return line.len();
                }
                let Ok(read) = serde_json::from_str::<Value>(event) else { return 0 };
                if read["args"]["tick"].as_u64().is_some_and(|tick| tick >= from) {
                    return 0;
                }
                let time = |key: &str| read[key].as_f64().unwrap_or(0.0);
                begins = begins.max(time("ts") + time("dur"));
                events += 1;
                // the comma is written with the next event
                event.len()
            })?,
        };
        let mut timeline = TimelineWriter { file, begins };
        let mut names = String::from(if events > 0 { "" } else { "[\n" });
        for rank in 0..ranks {
            let args = json!({ "name": format!("rank {rank}") });
            let event = json!({ "name": "process_name", "ph": "M", "pid": rank, "args": args });
            let comma = if events > 0 { ",\n" } else { "" };
            let _ = write!(names, "{comma}{event}");
            events += 1;
        }
        timeline.write(&names)?;
        Ok(timeline)
    }

    fn write(&mut self, text: &str) -> Result<(), ReportError> {
        self.file.append(text.as_bytes())
    }

    /// Adds the phases of heartbeats, each with its rank. Phases without duration are omitted.
    fn append<'a>(
        &mut self,
        all: impl Iterator<Item = (usize, &'a HeartbeatMetrics)>,
    ) -> Result<(), ReportError> {
        let mut events = String::new();
        for (rank, heartbeat) in all {
            let mut begun = heartbeat.begun;
            for (name, span) in spans(heartbeat).into_iter().filter(|(_, span)| !span.is_zero()) {
                let event = json!({
                    "name": name, "ph": "X", "pid": rank, "tid": 0,
                    "ts": self.begins + microseconds(begun), "dur": microseconds(span),
                    "args": { "tick": heartbeat.tick, "nodes": heartbeat.nodes, "frames": heartbeat.frames },
                });
                let _ = write!(events, ",\n{event}");
                begun += span;
            }
        }
        self.write(&events)
    }
}

/// Truncates a file at the first line to be removed, and positions it at its end.
///
/// `keeps` returns how many bytes of a line remain, 0 to remove it; a line may remain in part and
/// others after it.
fn truncate(path: &Path, mut keeps: impl FnMut(&str) -> usize) -> Result<AppendFile, ReportError> {
    file::check_place(path)?;
    let opened = fs::OpenOptions::new().read(true).write(true).open(path);
    let file = opened.map_err(ReportError::file("resume", path))?;
    let mut cut = || {
        let mut reader = BufReader::new(&file);
        let (mut at, mut end, mut line) = (0, 0, String::new());
        while reader.read_line(&mut line)? > 0 {
            let kept = keeps(&line);
            if kept == 0 {
                break;
            }
            end = at + kept as u64;
            at += line.len() as u64;
            line.clear();
        }
        file.set_len(end)
    };
    cut().map_err(ReportError::file("cut", path))?;
    AppendFile::open_at_end(file, path)
}
