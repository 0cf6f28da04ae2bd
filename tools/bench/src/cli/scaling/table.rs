//! Results as a table for the console.

use super::{MeasuredCase, ScalingResults};
use bekker_report::text_table;

/// Returns the table and the conditions of the measurement.
pub fn text(results: &ScalingResults) -> String {
    let header = [
        "part",
        "on",
        "vehicles",
        "ranks",
        "heartbeat ms",
        "wall/simulated",
        "min",
        "max",
        "idle, model",
        "kB received",
        "heard",
        "steps %",
        "bits",
    ];
    let rows = results.measured.iter().map(|own| row(own, results.machine.cores));
    let table = text_table::plain(header, rows, 2..);
    let network = &results.network;
    let cpu = results.machine.cpu.as_deref().unwrap_or("an unknown processor");
    format!(
        "{}\n\n* more ranks than cores. {} cores of {cpu}; latency {:.1} us, {:.2} GB/s {}.\n\
         kB received: maximum per heartbeat over ranks; heard: ranks subscribed in one exchange",
        table.trim_fmt(),
        results.machine.cores,
        1e6 * network.latency,
        1e-9 * network.bandwidth,
        if results.mpi { "by MPI" } else { "between threads" },
    )
}

fn row(own: &MeasuredCase, cores: usize) -> Vec<String> {
    let case = &own.case;
    let factors = || own.real_time_factors.iter().copied();
    let mark = if case.ranks > cores { "*" } else { "" };
    vec![
        format!("{:?}", own.part).to_lowercase(),
        format!("{:?}", case.footing).to_lowercase(),
        case.vehicles.to_string(),
        format!("{}{mark}", case.ranks),
        format!("{:.0}", 1e3 * case.heartbeat),
        format!("{:.3}", own.median),
        format!("{:.3}", factors().fold(f64::INFINITY, f64::min)),
        format!("{:.3}", factors().fold(0.0, f64::max)),
        own.modeled.map_or("-".into(), |factor| format!("{factor:.3}")),
        format!("{:.2}", 1e-3 * own.received),
        own.most_heard.to_string(),
        format!("{:.0}", 100.0 * own.share_of_steps),
        if own.same_bits { "same" } else { "DIFFERENT" }.into(),
    ]
}
