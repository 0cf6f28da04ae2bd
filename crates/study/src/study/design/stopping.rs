//! When a study knows enough: a rule on prefixes of the trials' numbers.
//!
//! Which trials are done first is the machine's affair and tells of them (those that get stuck end
//! early), so the rule looks at blocks in the order of numbers alone, and its answer is the same
//! on any threads and in any shards. Repeated looks take an interval that allows them.

use super::config::{Design, StudyConfig};
use crate::study::statistics::anytime_valid;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A rule by which a study stops before its last trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// The response that is to be known: a `go`.
    #[serde(default = "go")]
    pub response: String,
    /// Half the width of its interval at which it is known.
    #[schemars(range(min = 0.001, max = 0.5))]
    pub half_width: f64,
    /// Trials between looks.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub block: u64,
    /// Confidence of the interval over all looks together.
    #[serde(default = "confidence")]
    #[schemars(range(min = 0.5, max = 0.9999))]
    pub confidence: f64,
}

/// What a trial says to the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Go.
    Yes,
    /// No go.
    No,
    /// No result: it may be either.
    Failed,
}

/// How far a study goes, as far as its trials tell yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Trials that belong to it, in order: those of whole blocks that are done, and those of
    /// `next`.
    pub taken: Vec<Range<u64>>,
    /// Trials that are to be driven next; none where it is done.
    pub next: Vec<u64>,
}

/// How far a study of so many trials goes, given what each that is done says.
pub fn extent(config: &StudyConfig, trials: u64, seen: impl Fn(u64) -> Option<Seen>) -> Extent {
    let Some(rule) = &config.stop else {
        let next = (0..trials).filter(|trial| seen(*trial).is_none()).collect();
        return Extent { taken: std::iter::once(0..trials).collect(), next };
    };
    let mut extent = Extent::default();
    let group = match config.design {
        // points are draws from one population
        Design::Random => trials.max(1),
        _ => config.replications,
    };
    for first in (0..trials).step_by(group as usize) {
        rule.add(first..(first + group).min(trials), &seen, &mut extent);
    }
    extent
}

impl Stop {
    /// The part of a group of trials that it takes to know the response.
    fn add(&self, group: Range<u64>, seen: impl Fn(u64) -> Option<Seen>, extent: &mut Extent) {
        let (mut counts, mut end) = ([0, 0, 0], group.start);
        while end < group.end && !self.is_known(counts) {
            let block = end..(end + self.block).min(group.end);
            end = block.end;
            let missing: Vec<u64> = block.clone().filter(|trial| seen(*trial).is_none()).collect();
            if !missing.is_empty() {
                extent.next.extend(missing);
                break;
            }
            for own in block.filter_map(&seen) {
                counts[own as usize] += 1;
            }
        }
        extent.taken.push(group.start..end);
    }

    /// Whether so many yes, no and failed tell it, whichever the failed would have been.
    fn is_known(&self, [yes, no, failed]: [u64; 3]) -> bool {
        let trials = yes + no + failed;
        let [low, _] = anytime_valid(yes, trials, self.confidence);
        let [_, high] = anytime_valid(yes + failed, trials, self.confidence);
        0.5 * (high - low) <= self.half_width
    }
}

fn go() -> String {
    "go".into()
}

fn confidence() -> f64 {
    0.95
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;
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

    /// Drives what is next, in an order by chance, until there is nothing.
    fn driven(config: &StudyConfig, trials: u64, order: u64) -> (Extent, usize) {
        let draws = Stream::new(1, "go");
        let says = |trial: u64| if draws.uniform(trial) < 0.9 { Seen::Yes } else { Seen::No };
        let mut done: BTreeMap<u64, Seen> = BTreeMap::new();
        let chance = Stream::new(order, "order");
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
            // before the end, in whole blocks, and nothing driven beyond
            assert!(taken < trials && taken == count as u64, "{extent:?}");
            assert!(extent.taken.iter().all(|own| (own.end - own.start) % 20 == 0), "{extent:?}");
            for order in 1..5 {
                assert_eq!(driven(&config, trials, order).0, extent);
            }
            // with all trials there, as after a merge of shards, it takes the same
            let draws = Stream::new(1, "go");
            let all = |trial| Some(if draws.uniform(trial) < 0.9 { Seen::Yes } else { Seen::No });
            assert_eq!(super::extent(&config, trials, all), extent);
        }
    }

    #[test]
    fn failures_count_for_the_worst() {
        let rule = config("random", 1).stop.unwrap();
        assert!(rule.is_known([60, 0, 0]) && !rule.is_known([60, 0, 20]));
    }

    #[test]
    fn without_a_rule_all_are_taken() {
        let config = StudyConfig { stop: None, ..config("random", 1) };
        let found = extent(&config, 5, |trial| (trial != 3).then_some(Seen::Failed));
        assert_eq!(found, Extent { taken: std::iter::once(0..5).collect(), next: vec![3] });
    }
}
