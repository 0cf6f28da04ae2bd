//! What a run tells of its heartbeats: bytes and times.

use crate::report::{ReportError, write_file};
use crate::simulation::BeatFigures;
use serde_json::json;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

fn microseconds(time: Duration) -> f64 {
    time.as_nanos() as f64 * 1e-3
}

/// Times of a heartbeat with their names, in their order.
fn spans(beat: &BeatFigures) -> [(&'static str, Duration); 9] {
    [
        ("step", beat.step),
        ("serialise", beat.serialise),
        ("lengths", beat.lengths),
        ("payload", beat.payload),
        ("apply", beat.apply),
        ("agree", beat.agree),
        ("look", beat.look),
        ("record", beat.record),
        ("checkpoint", beat.checkpoint),
    ]
}

/// Writes `heartbeats.csv`: a row for each heartbeat and rank.
pub fn write_figures(path: &Path, ranks: &[Vec<BeatFigures>]) -> Result<(), ReportError> {
    let mut text = String::from(
        "tick,rank,agents,step_us,serialise_us,lengths_us,payload_us,apply_us,\
         agree_us,look_us,record_us,checkpoint_us,\
         state_bytes,ground_bytes,received_bytes,nodes,ghost_error_m,ghost_bound_m\n",
    );
    let beats = ranks.iter().map(Vec::len).min().unwrap_or(0);
    for beat in 0..beats {
        for (rank, figures) in ranks.iter().enumerate() {
            let BeatFigures {
                tick,
                agents,
                state_bytes,
                ground_bytes,
                received_bytes,
                nodes,
                ghost_error,
                ghost_bound,
                ..
            } = figures[beat];
            let _ = write!(text, "{tick},{rank},{agents}");
            for (_, span) in spans(&figures[beat]) {
                let _ = write!(text, ",{:.1}", microseconds(span));
            }
            let _ = write!(text, ",{state_bytes},{ground_bytes},{received_bytes},{nodes}");
            let _ = writeln!(text, ",{ghost_error:.7},{ghost_bound:.7}");
        }
    }
    write_file(path, text.as_bytes())
}

/// Writes a timeline in the trace event format that Perfetto and Chrome open: a
/// process for each rank, times from the end of the handshake. What took no time is left
/// out.
pub fn write_trace(path: &Path, ranks: &[Vec<BeatFigures>]) -> Result<(), ReportError> {
    let mut events = Vec::new();
    for (rank, figures) in ranks.iter().enumerate() {
        let name = json!({ "name": format!("rank {rank}") });
        events.push(json!({ "name": "process_name", "ph": "M", "pid": rank, "args": name }));
        for beat in figures {
            let mut begun = beat.begun;
            for (name, span) in spans(beat) {
                if span.is_zero() {
                    continue;
                }
                events.push(json!({
                    "name": name, "ph": "X", "pid": rank, "tid": 0,
                    "ts": microseconds(begun), "dur": microseconds(span),
                    "args": { "tick": beat.tick, "nodes": beat.nodes, "frames": beat.frames },
                }));
                begun += span;
            }
        }
    }
    let trace = json!({ "displayTimeUnit": "ms", "traceEvents": events });
    write_file(path, trace.to_string().as_bytes())
}

/// The exchange in a few lines.
pub fn summary(ranks: &[Vec<BeatFigures>]) -> String {
    let all = || ranks.iter().flatten();
    let beats = ranks.iter().map(Vec::len).min().unwrap_or(0).max(1);
    let sum = |value: fn(&BeatFigures) -> u64| all().map(value).sum::<u64>();
    let (nodes, ground) = (sum(|b| b.nodes), sum(|b| b.ground_bytes));
    let (states, agents) = (sum(|b| b.state_bytes), sum(|b| b.told));
    let received = sum(|b| b.received_bytes);
    let per = |part: u64, whole: u64| part as f64 / whole.max(1) as f64;
    // mean of each rank, then the mean and the greatest of the ranks
    let mean = |value: fn(&BeatFigures) -> Duration| -> (f64, f64) {
        let means: Vec<f64> = ranks
            .iter()
            .map(|figures| figures.iter().map(value).map(microseconds).sum::<f64>() / beats as f64)
            .collect();
        let most = means.iter().copied().fold(0.0, f64::max);
        (means.iter().sum::<f64>() / means.len().max(1) as f64, most)
    };
    let (step, slowest) = mean(|b| b.step);
    let most = |value: fn(&BeatFigures) -> f64| all().map(value).fold(0.0, f64::max);
    format!(
        "{} ranks, {beats} heartbeats: steps {step:.0} us (slowest rank {slowest:.0}, imbalance \
         {:.0} %), serialise {:.1} us, lengths {:.1} us, payload {:.1} us, apply {:.1} us\n\
         {} bytes a vehicle's state, {:.2} bytes a node ({nodes} nodes), \
         {:.0} bytes received a heartbeat and rank\n\
         vehicles of other ranks: off by {:.2} mm at most where extrapolated, D_H {:.1} mm",
        ranks.len(),
        100.0 * (slowest / step.max(1e-9) - 1.0),
        mean(|b| b.serialise).0,
        mean(|b| b.lengths).0,
        mean(|b| b.payload).0,
        mean(|b| b.apply).0,
        per(states, agents).round(),
        per(ground, nodes),
        per(received, (beats * ranks.len()) as u64),
        1e3 * most(|b| b.ghost_error),
        1e3 * most(|b| b.ghost_bound),
    )
}
