//! Stopping rule of a study, on prefixes of the trials' numbers.
//!
//! The machine determines which trials finish first, and this order depends on their results:
//! trials that get stuck end early. The rule therefore evaluates blocks only in the order of
//! numbers. Its result is the same for any number of threads and shards. The confidence interval is
//! valid for repeated evaluation.

use super::config::{DesignKind, StudyConfig};
use super::run_metric::RunMetric;
use crate::statistics::{AnytimeMean, anytime_valid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A rule that stops a study before its last trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// Response whose estimate stops the study.
    #[serde(default = "go_response")]
    pub response: String,
    /// Half width of the confidence interval at which the response counts as known.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub half_width: f64,
    /// Smallest and largest possible value of the response, for responses that are not yes or no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<[f64; 2]>,
    /// Number of trials between evaluations of the rule.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub block: u64,
    /// Confidence of the interval over all evaluations together.
    #[serde(default = "confidence")]
    #[schemars(range(min = 0.5, max = 0.9999))]
    pub confidence: f64,
}

/// Result of a trial, as the rule uses it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TrialOutcome {
    /// The response; 1 and 0 are yes and no.
    Number(f64),
    /// No result. The response could have any value.
    Failed,
    /// A total of a drive that did not arrive, excluded from the mean.
    Uncounted,
}

/// Extent of a study, as far as its trials have determined it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StudyExtent {
    /// Trials that belong to the study, in order: those of complete blocks, and those of `next`.
    pub taken: Vec<Range<u64>>,
    /// Trials that must be driven next; empty when the study is complete.
    pub next: Vec<u64>,
    /// Trials whose response is outside the rule's bounds.
    ///
    /// No interval is valid with them, so all trials of their group are driven.
    pub outside: Vec<u64>,
    /// Number of groups of trials to which the rule is applied.
    pub groups: u64,
    /// Number of groups that ended before the rule was satisfied.
    pub unknown: u64,
}

/// Returns the extent of a study of `trials` trials, given the results of those that are done.
pub fn extent(
    config: &StudyConfig,
    trials: u64,
    outcome: impl Fn(u64) -> Option<TrialOutcome>,
) -> StudyExtent {
    let Some(rule) = &config.stop else {
        let next = (0..trials).filter(|trial| outcome(*trial).is_none()).collect();
        let taken = std::iter::once(0..trials).collect();
        return StudyExtent { taken, next, ..StudyExtent::default() };
    };
    let mut extent = StudyExtent::default();
    let group = match config.design {
        // points are draws from one population
        DesignKind::Random => trials.max(1),
        _ => config.replications,
    };
    for first in (0..trials).step_by(group as usize) {
        extent.groups += 1;
        rule.add(first..(first + group).min(trials), &outcome, &mut extent);
    }
    extent
}

impl Stop {
    /// Adds to `extent` the part of a group of trials that is needed to know the response.
    fn add(
        &self,
        group: Range<u64>,
        outcome: impl Fn(u64) -> Option<TrialOutcome>,
        extent: &mut StudyExtent,
    ) {
        let (mut estimate, mut end) = (ResponseEstimate::new(self), group.start);
        while end < group.end && !estimate.is_enough(self) {
            let block = end..(end + self.block).min(group.end);
            end = block.end;
            let missing: Vec<u64> =
                block.clone().filter(|trial| outcome(*trial).is_none()).collect();
            if !missing.is_empty() {
                extent.next.extend(missing);
                extent.taken.push(group.start..end);
                return;
            }
            for (trial, own) in block.filter_map(|trial| Some((trial, outcome(trial)?))) {
                if !estimate.add_outcome(own) {
                    extent.outside.push(trial);
                }
            }
        }
        extent.unknown += u64::from(!estimate.is_enough(self));
        extent.taken.push(group.start..end);
    }
}

/// Knowledge of the response from some trials, valid for any values of the missing results.
enum ResponseEstimate {
    /// Yes or no responses: the numbers of yes, no and failed.
    Proportion([u64; 3]),
    /// Numbers between bounds.
    Mean { bounds: [f64; 2], mean: AnytimeMean, is_sound: bool },
}

impl ResponseEstimate {
    fn new(rule: &Stop) -> ResponseEstimate {
        match rule.bounds {
            None => ResponseEstimate::Proportion([0; 3]),
            Some(bounds) => {
                let mean = AnytimeMean::new(rule.confidence);
                ResponseEstimate::Mean { bounds, mean, is_sound: true }
            }
        }
    }

    /// Adds the result of a trial and returns whether it is within the bounds.
    fn add_outcome(&mut self, outcome: TrialOutcome) -> bool {
        match (self, outcome) {
            (_, TrialOutcome::Uncounted) => {}
            (ResponseEstimate::Proportion(counts), outcome) => {
                let place = match outcome {
                    TrialOutcome::Number(1.0) => 0,
                    TrialOutcome::Number(_) => 1,
                    // `Uncounted` is handled above
                    TrialOutcome::Failed | TrialOutcome::Uncounted => 2,
                };
                counts[place] += 1;
            }
            (ResponseEstimate::Mean { mean, .. }, TrialOutcome::Failed) => mean.push([0.0, 1.0]),
            (
                ResponseEstimate::Mean { bounds: [low, high], mean, is_sound },
                TrialOutcome::Number(x),
            ) => {
                let share = (x - *low) / (*high - *low);
                if !(0.0..=1.0).contains(&share) {
                    *is_sound = false;
                    return false;
                }
                mean.push([share; 2]);
            }
        }
        true
    }

    /// Whether the response is known to the required accuracy.
    fn is_enough(&self, rule: &Stop) -> bool {
        let half_width = match self {
            ResponseEstimate::Proportion([yes, no, failed]) => {
                let trials = yes + no + failed;
                let [low, _] = anytime_valid(*yes, trials, rule.confidence);
                let [_, high] = anytime_valid(yes + failed, trials, rule.confidence);
                0.5 * (high - low)
            }
            ResponseEstimate::Mean { is_sound: false, .. } => return false,
            ResponseEstimate::Mean { bounds: [least, most], mean, .. } => {
                let [low, high] = mean.interval();
                0.5 * (high - low) * (most - least)
            }
        };
        half_width <= rule.half_width
    }
}

/// Whether a response is yes or no.
pub(super) fn is_yes_or_no(response: &str) -> bool {
    RunMetric::from_response(response).is_some_and(RunMetric::is_yes_or_no)
}

fn go_response() -> String {
    RunMetric::Go.name().into()
}

fn confidence() -> f64 {
    0.95
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::random::RandomStream;
    use std::collections::BTreeMap;

    fn config(design: &str, replications: u64) -> StudyConfig {
        let config = serde_json::json!({
            "format": 1, "scenario": "none.toml", "design": design, "points": 200,
            "replications": replications, "responses": ["go"],
            "stop": { "half_width": 0.12, "block": 20 },
            "factor": [{ "name": "a", "key": "a", "values": [1, 2, 3] }],
        });
        serde_json::from_value(config).unwrap()
    }

    /// Drives the next trials in a random order until none remain.
    fn driven(config: &StudyConfig, trials: u64, order: u64) -> (StudyExtent, usize) {
        let draws = RandomStream::new(1, "go");
        let says =
            |trial: u64| TrialOutcome::Number(f64::from(u8::from(draws.uniform(trial) < 0.9)));
        let mut done: BTreeMap<u64, TrialOutcome> = BTreeMap::new();
        let chance = RandomStream::new(order, "order");
        loop {
            let extent = extent(config, trials, |trial| done.get(&trial).copied());
            let count = extent.next.len() as u64;
            if count == 0 {
                return (extent, done.len());
            }
            let trial = extent.next[(chance.bits(done.len() as u64) % count) as usize];
            done.insert(trial, says(trial));
        }
    }

    #[test]
    fn any_order_stops_at_the_same_block() {
        for (config, trials) in [(config("random", 1), 200), (config("full_factorial", 150), 450)] {
            let (extent, count) = driven(&config, trials, 0);
            let taken: u64 = extent.taken.iter().map(|own| own.end - own.start).sum();
            // it stops before the end, after whole blocks, and drives no further trials
            assert!(taken < trials && taken == count as u64, "{extent:?}");
            assert!(extent.taken.iter().all(|own| (own.end - own.start) % 20 == 0), "{extent:?}");
            for order in 1..5 {
                assert_eq!(driven(&config, trials, order).0, extent);
            }
            // with all trials present, as after a merge of shards, the result is the same
            let draws = RandomStream::new(1, "go");
            let all =
                |trial| Some(TrialOutcome::Number(f64::from(u8::from(draws.uniform(trial) < 0.9))));
            assert_eq!(super::extent(&config, trials, all), extent);
        }
    }

    #[test]
    fn failures_count_for_the_worst() {
        let rule = config("random", 1).stop.unwrap();
        let estimate = |counts| ResponseEstimate::Proportion(counts).is_enough(&rule);
        assert!(estimate([60, 0, 0]) && !estimate([60, 0, 20]));
    }

    #[test]
    fn without_a_rule_all_are_taken() {
        let config = StudyConfig { stop: None, ..config("random", 1) };
        let found = extent(&config, 5, |trial| (trial != 3).then_some(TrialOutcome::Failed));
        assert_eq!(
            found,
            StudyExtent {
                taken: std::iter::once(0..5).collect(),
                next: vec![3],
                ..StudyExtent::default()
            }
        );
    }
    /// Speeds between 4 and 5 of at most 10 m/s, some of them failed: the mean is known to 0.8 m/s
    /// before all are driven. With one value above the bounds, the mean is unknown.
    #[test]
    fn means_of_bounded_numbers_stop_it_too() {
        let mut own = config("random", 1);
        let rule = own.stop.as_mut().unwrap();
        (rule.half_width, rule.bounds) = (0.8, Some([0.0, 10.0]));
        let draws = RandomStream::new(2, "speed");
        let speed = |trial: u64| match trial {
            7 => TrialOutcome::Failed,
            _ => TrialOutcome::Number(4.0 + draws.uniform(trial)),
        };
        let found = extent(&own, 200, |trial| Some(speed(trial)));
        let taken = found.taken[0].end;
        assert!((40..200).contains(&taken) && taken % 20 == 0, "{found:?}");
        assert!(found.outside.is_empty());
        // if every second drive arrives, a total needs about twice as many trials
        let half = |trial: u64| if trial % 2 == 1 { TrialOutcome::Uncounted } else { speed(trial) };
        let of_half = super::extent(&own, 400, |trial| Some(half(trial))).taken[0].end;
        assert!((3 * taken / 2..400).contains(&of_half), "{taken} {of_half}");
        let fast = |trial| Some(if trial == 3 { TrialOutcome::Number(10.5) } else { speed(trial) });
        let found = extent(&own, 200, fast);
        assert_eq!((found.taken[0].end, found.outside), (200, vec![3]));
    }
}
