//! Texts about the heartbeats of an ended run.

use crate::report::heartbeat_costs::HeartbeatCosts;
use crate::report::heartbeats::microseconds;
use crate::simulation::PacingSummary;
use std::time::Duration;

/// The timing of a run with a real-time factor, in one line.
pub fn pacing(own: &PacingSummary) -> String {
    let PacingSummary { factor, achieved, heartbeats, late, .. } = own;
    let [p50, p99, most] =
        [own.lateness_p50, own.lateness_p99, own.lateness_max].map(|time| 1e3 * time);
    let share = 100.0 * *late as f64 / (*heartbeats).max(1) as f64;
    format!(
        "real-time factor: requested {factor}, achieved {achieved:.3}; {late} of {heartbeats} \
         heartbeats ({share:.1} %) more than 2 ms late; lateness p50 {p50:.2} ms, p99 {p99:.2} ms, \
         max {most:.2} ms"
    )
}

/// The exchange between ranks in a few lines; `None` if a rank ended before its first heartbeat.
pub fn summary(ranks: &[HeartbeatCosts]) -> Option<String> {
    let heartbeats = ranks.iter().map(|own| own.heartbeats).min().filter(|&count| count > 0)?;
    let sum = |value: fn(&HeartbeatCosts) -> u64| ranks.iter().map(value).sum::<u64>();
    let (nodes, ground) = (sum(|b| b.nodes), sum(|b| b.ground_bytes));
    let (states, agents) = (sum(|b| b.state_bytes), sum(|b| b.announced));
    let received = sum(|b| b.received_bytes);
    let per = |part: u64, whole: u64| part as f64 / whole.max(1) as f64;
    // mean of each rank, then the mean and the maximum over the ranks
    let mean = |value: fn(&HeartbeatCosts) -> Duration| -> (f64, f64) {
        let means: Vec<f64> =
            ranks.iter().map(|own| microseconds(value(own)) / heartbeats as f64).collect();
        let most = means.iter().copied().fold(0.0, f64::max);
        (means.iter().sum::<f64>() / means.len().max(1) as f64, most)
    };
    let (step, slowest) = mean(|b| b.step);
    let most = |value: fn(&HeartbeatCosts) -> f64| ranks.iter().map(value).fold(0.0, f64::max);
    Some(format!(
        "{} ranks, {heartbeats} heartbeats: steps {step:.0} us (slowest rank {slowest:.0}, \
         imbalance {:.0} %), serialize {:.1} us, lengths {:.1} us, payload {:.1} us, apply {:.1} \
         us\n\
         {} bytes per vehicle state, {:.2} bytes per node ({nodes} nodes), {:.0} bytes received \
         per heartbeat and rank\n\
         vehicles of other ranks: extrapolation error at most {:.2} mm, D_H {:.1} mm",
        ranks.len(),
        100.0 * (slowest / step.max(1e-9) - 1.0),
        mean(|b| b.serialize).0,
        mean(|b| b.lengths).0,
        mean(|b| b.payload).0,
        mean(|b| b.apply).0,
        per(states, agents).round(),
        per(ground, nodes),
        per(received, heartbeats * ranks.len() as u64),
        1e3 * most(|b| b.ghost_error),
        1e3 * most(|b| b.ghost_bound),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_heartbeats_there_is_no_summary() {
        assert_eq!(summary(&[HeartbeatCosts::default(); 2]), None);
        let one = HeartbeatCosts { heartbeats: 1, ..HeartbeatCosts::default() };
        assert!(summary(&[one; 2]).unwrap().starts_with("2 ranks, 1 heartbeats: steps 0 us"));
    }
}
