//! Survival analysis with censored observations.

use super::proportion::wilson;
use bekker_math::numeric::{exp, ln, pow};

const CONFIDENCE: f64 = 0.95;
/// The 97.5 % quantile of the standard normal distribution.
const NORMAL_97_5: f64 = 1.959_963_984_540_054;

/// An observed subject: a vehicle over the passes that it made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// Time of the event, or of the end of observation; any unit.
    pub time: f64,
    /// Whether the event occurred; otherwise the observation is censored.
    pub event: bool,
}

/// Survival from one event time to the next.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct SurvivalStep {
    /// Time of the events.
    pub time: f64,
    /// Number of subjects observed without event until just before.
    pub at_risk: usize,
    /// Number of events at this time.
    pub events: usize,
    /// Fraction that survives beyond.
    pub survival: f64,
    /// 95 % interval of the survival.
    pub interval: [f64; 2],
}

/// Computes the product-limit estimate of E. Kaplan and P. Meier (J. Am. Stat. Assoc. 53, 1958).
///
/// At each time with events the survival falls by the fraction of those at risk that had one.
/// Subjects censored at that time are at risk. There is a step for each time with events, in order.
///
/// The interval uses M. Greenwood's variance (1926) of ln(-ln S), which stays within 0 and 1. Where
/// none survives, that interval has no width. Then Wilson's interval for none of those at risk is
/// used (of all, if none was censored before), up to the previous bound.
pub fn kaplan_meier(observed: &[Observation]) -> Vec<SurvivalStep> {
    let mut sorted = observed.to_vec();
    sorted.sort_by(|a, b| a.time.total_cmp(&b.time));
    let (mut at_risk, mut survival, mut greenwood) = (sorted.len(), 1.0, 0.0);
    let mut steps: Vec<SurvivalStep> = Vec::new();
    for together in sorted.chunk_by(|a, b| a.time == b.time) {
        let events = together.iter().filter(|one| one.event).count();
        if events > 0 {
            survival *= 1.0 - events as f64 / at_risk as f64;
            greenwood += events as f64 / (at_risk as f64 * (at_risk - events) as f64);
            let interval = if survival > 0.0 {
                let half = NORMAL_97_5 * greenwood.sqrt() / ln(survival).abs();
                [pow(survival, exp(half)), pow(survival, exp(-half))]
            } else {
                let censored =
                    steps.iter().map(|step| step.events).sum::<usize>() + at_risk < observed.len();
                let of = if censored { at_risk } else { observed.len() };
                let [_, high] = wilson(0, of as u64, CONFIDENCE);
                [0.0, steps.last().map_or(high, |step| step.interval[1].min(high))]
            };
            let time = together[0].time;
            steps.push(SurvivalStep { time, at_risk, events, survival, interval });
        }
        at_risk -= together.len();
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Weeks of remission under 6-mercaptopurine (E. Freireich and others, Blood 21, 1963);
    /// negative if censored.
    const REMISSION: [f64; 21] = [
        6.0, 6.0, 6.0, -6.0, 7.0, -9.0, 10.0, -10.0, -11.0, 13.0, 16.0, -17.0, -19.0, -20.0, 22.0,
        23.0, -25.0, -32.0, -32.0, -34.0, -35.0,
    ];

    #[test]
    fn gives_the_published_result_of_the_remission_data() {
        // in any order
        let watched = REMISSION.iter().rev();
        let watched = watched.map(|t| Observation { time: t.abs(), event: *t > 0.0 });
        let steps = kaplan_meier(&watched.collect::<Vec<_>>());
        let known = [
            (6.0, 21, 3, 0.8571, [0.6197, 0.9516]),
            (7.0, 17, 1, 0.8067, [0.5631, 0.9228]),
            (10.0, 15, 1, 0.7529, [0.5032, 0.8894]),
            (13.0, 12, 1, 0.6902, [0.4316, 0.8491]),
            (16.0, 11, 1, 0.6275, [0.3675, 0.8049]),
            (22.0, 7, 1, 0.5378, [0.2678, 0.7468]),
            (23.0, 6, 1, 0.4482, [0.1881, 0.6801]),
        ];
        assert_eq!(steps.len(), known.len());
        for (step, (time, at_risk, events, survival, interval)) in steps.iter().zip(known) {
            assert_eq!((step.time, step.at_risk, step.events), (time, at_risk, events));
            // to the printed digits
            assert!((step.survival - survival).abs() <= 0.5e-4, "{step:?}");
            for (found, known) in step.interval.into_iter().zip(interval) {
                assert!((found - known).abs() <= 0.5e-4, "{step:?}");
            }
        }
    }

    #[test]
    fn without_censoring_it_is_the_part_that_is_left() {
        let watched = [4.0, 2.0, 1.0, 3.0].map(|time| Observation { time, event: true });
        let left: Vec<f64> = kaplan_meier(&watched).iter().map(|step| step.survival).collect();
        for (found, known) in left.iter().zip([0.75, 0.5, 0.25, 0.0]) {
            // products of a few roundings
            assert!((found - known).abs() < 1e-15);
        }
        assert!(kaplan_meier(&[]).is_empty());
    }

    /// None of twelve is a proportion: 0 to 3.84/(12 + 3.84).
    #[test]
    fn without_censoring_the_interval_is_binomial() {
        let stuck = [Observation { time: 1.0, event: true }; 12];
        let steps = kaplan_meier(&stuck);
        assert!((steps[0].interval[1] - 0.242_5).abs() < 1e-4, "{steps:?}");
        assert_eq!((steps[0].survival, steps[0].interval[0]), (0.0, 0.0));
    }
}
