//! How long the parts of vehicles that drive themselves took.

use crate::simulation::{RunSummary, Spent, TimedPart, Timings, WorldModel};
use comfy_table::{CellAlignment, Table, presets};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// Seconds since it was first asked.
fn seconds() -> f64 {
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    BEGUN.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// Times the vehicles of a world that drive themselves.
pub fn time(world: &mut WorldModel) -> Arc<Timings> {
    let timings = Arc::new(Timings::new(seconds));
    world.time_autonomy(&timings);
    timings
}

/// A table of what each part took of the vehicles of this one of `processes`, for people, and
/// what was sent by all.
pub fn table(timings: &Timings, summary: &RunSummary, processes: usize) -> String {
    if TimedPart::ALL.into_iter().all(|part| timings.of(part).count == 0) {
        return untimed(processes);
    }
    let of = match processes {
        0 | 1 => String::new(),
        count => format!("\ntimed: the vehicles of the first of {count} processes alone"),
    };
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["autonomy", "times", "mean ms", "longest ms", "s in all"]);
    for part in TimedPart::ALL {
        let Spent { count, total, longest } = timings.of(part);
        if count > 0 {
            let mean = 1e3 * total / count as f64;
            table.add_row([
                format!("{part:?}").to_lowercase(),
                count.to_string(),
                format!("{mean:.3}"),
                format!("{:.2}", 1e3 * longest),
                format!("{total:.2}"),
            ]);
        }
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let sent = summary.exploration.as_ref().map_or(0, |found| found.bytes[0]);
    let members = summary.vehicles.len().max(1) as f64;
    let rate = 1e-3 * sent as f64 / members / summary.simulated.max(f64::MIN_POSITIVE);
    format!("{}\n{of}\nmaps sent: {rate:.1} kB/s a vehicle\n", table.trim_fmt())
}

/// Why there is no table: of several processes others may have been at work.
fn untimed(processes: usize) -> String {
    match processes {
        0 | 1 => "timings: no vehicle here drives itself, so nothing was timed\n".into(),
        count => format!(
            "timings: of {count} processes the first alone is timed, and it drove no vehicle that drives \
             itself\n"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the first process drives none that drives itself, others may.
    #[test]
    fn nobody_is_said_to_drive_himself_of_those_that_were_timed_alone() {
        assert!(untimed(1).contains("no vehicle here drives itself"));
        let told = untimed(3);
        assert!(told.contains("of 3 processes the first alone is timed"), "{told}");
    }
}
