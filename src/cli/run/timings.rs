//! Timing of the parts of autonomous vehicles.

use crate::report::text_table;
use crate::simulation::{PhaseTime, RunSummary, TimedPhase, Timings, WorldModel};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// Returns the seconds since the first call.
fn seconds() -> f64 {
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    BEGUN.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// Starts to time the autonomous vehicles of a world.
pub fn time(world: &mut WorldModel) -> Arc<Timings> {
    let timings = Arc::new(Timings::new(seconds));
    world.time_autonomy(&timings);
    timings
}

/// Formats a table of the time per part for the vehicles of this process, and of the traffic of
/// all.
///
/// `processes` is the number of processes of the run.
pub fn table(timings: &Timings, summary: &RunSummary, processes: usize) -> String {
    if TimedPhase::ALL.into_iter().all(|part| timings.spent_in(part).count == 0) {
        return untimed(processes);
    }
    let of = match processes {
        0 | 1 => String::new(),
        count => format!("\ntimed: only the vehicles of the first of {count} processes"),
    };
    let rows = TimedPhase::ALL.into_iter().filter_map(|part| {
        let PhaseTime { count, total, longest } = timings.spent_in(part);
        let mean = 1e3 * total / count as f64;
        let row = || {
            [
                format!("{part:?}").to_lowercase(),
                count.to_string(),
                format!("{mean:.3}"),
                format!("{:.2}", 1e3 * longest),
                format!("{total:.2}"),
            ]
        };
        (count > 0).then(row)
    });
    let header = ["autonomy", "calls", "mean ms", "max ms", "total s"];
    let table = text_table::plain(header, rows, 1..);
    let sent = summary.exploration.as_ref().map_or(0, |found| found.bytes[0]);
    let members = summary.vehicles.len().max(1) as f64;
    let rate = 1e-3 * sent as f64 / members / summary.simulated.max(f64::MIN_POSITIVE);
    format!("{}\n{of}\nmaps sent: {rate:.1} kB/s per vehicle\n", table.trim_fmt())
}

/// Explains why there is no table; vehicles of other processes are not timed.
fn untimed(processes: usize) -> String {
    match processes {
        0 | 1 => "timings: none; no vehicle in this process is autonomous\n".into(),
        count => format!(
            "timings: none; only the first of {count} processes is timed, and it has no autonomous \
             vehicle\n"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If rank 0 has no autonomous vehicle, other processes may have some.
    #[test]
    fn untimed_phases_are_not_attributed() {
        assert!(untimed(1).contains("no vehicle in this process is autonomous"));
        let told = untimed(3);
        assert!(told.contains("only the first of 3 processes is timed"), "{told}");
    }
}
