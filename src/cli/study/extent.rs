//! Trials that a study comprises under its stopping rule.

use crate::cli::Failure;
use crate::report::study::{Shard, StudyCell, StudyRequest, TrialRecord};
use crate::study::design::{self, RunMetric, StudyConfig, TrialOutcome};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Parses the study's configuration, as stored in its folder.
pub fn config(asked: &StudyRequest, folder: &Path) -> Result<StudyConfig, Failure> {
    let config = Value::Object(asked.study.clone());
    serde_json::from_value(config).map_err(|error| Failure::input(folder, &error))
}

/// The trials that belong to a study, in order, and those to be driven next.
///
/// A shard of the trials is always driven completely, as the rule can be evaluated only on all
/// shards.
pub struct TrialSelection {
    pub taken: Vec<u64>,
    pub next: Vec<u64>,
    /// Trials whose response is outside the rule's bounds.
    pub outside: Vec<u64>,
    /// Number of groups to which the rule applies; `unknown` of them were completed without meeting
    /// it.
    pub groups: u64,
    pub unknown: u64,
    /// Whether the response counts only trials that arrive, and none did.
    pub nobody_arrived: bool,
}

impl TrialSelection {
    /// Reason why the rule cannot stop the study: a response outside the bounds, or no counted
    /// trial.
    pub fn fault(&self, config: &StudyConfig) -> Option<String> {
        let rule = config.stop.as_ref()?;
        if self.nobody_arrived && self.next.is_empty() {
            return Some(format!(
                "stop.response = \"{}\": only arrived trials count, and none of {} arrived, so the \
                 rule cannot be met and all trials are driven. Use \"{}\" instead",
                rule.response,
                self.taken.len(),
                RunMetric::arrival_response(&rule.response).unwrap_or_default()
            ));
        }
        let first = self.outside.first()?;
        let [low, high] = rule.bounds.unwrap_or_default();
        Some(format!(
            "stop.bounds = [{low}, {high}]: {} of {} trials is outside, first in trial {first}; \
             their interval is undefined, so the rule cannot stop their group and all its trials \
             are driven",
            rule.response,
            self.outside.len()
        ))
    }

    /// Prints the reason as a warning.
    pub fn warn(&self, config: &StudyConfig) {
        if let Some(fault) = self.fault(config) {
            eprintln!("warning: {fault}");
        }
    }
}

/// Computes the extent from the records so far.
pub fn extent(
    asked: &StudyRequest,
    config: &StudyConfig,
    records: &BTreeMap<u64, TrialRecord>,
) -> TrialSelection {
    if asked.shard != Shard::WHOLE {
        let taken: Vec<u64> = (0..asked.trials).filter(|trial| asked.shard.has(*trial)).collect();
        let next = taken.iter().copied().filter(|trial| !records.contains_key(trial)).collect();
        let (outside, nobody_arrived) = (Vec::new(), false);
        return TrialSelection { taken, next, outside, groups: 0, unknown: 0, nobody_arrived };
    }
    let rule = config.stop.as_ref();
    let response = rule.and_then(|rule| config.responses.iter().position(|r| *r == rule.response));
    let arrival = rule.and_then(|rule| RunMetric::arrival_response(&rule.response));
    let arrival = arrival.and_then(|name| config.responses.iter().position(|own| *own == name));
    let arrived = |record: &TrialRecord| match record.responses.get(arrival?) {
        Some(StudyCell::Number(arrived)) => Some(*arrived == 1.0),
        _ => None,
    };
    let seen = |trial: u64| {
        let record = records.get(&trial)?;
        if arrived(record) == Some(false) {
            return Some(TrialOutcome::Uncounted);
        }
        Some(match response.and_then(|n| record.responses.get(n)) {
            Some(StudyCell::Number(x)) => TrialOutcome::Number(*x),
            _ => TrialOutcome::Failed,
        })
    };
    let found = design::extent(config, asked.trials, seen);
    let design::StudyExtent { taken, next, outside, groups, unknown } = found;
    let taken: Vec<u64> = taken.into_iter().flatten().collect();
    let known = || taken.iter().filter_map(|trial| arrived(records.get(trial)?));
    let nobody_arrived = known().next().is_some() && !known().any(|arrived| arrived);
    TrialSelection { taken, next, outside, groups, unknown, nobody_arrived }
}

/// The records of the taken trials, in their order.
pub fn selected_trials<'a>(
    extent: &TrialSelection,
    records: &'a BTreeMap<u64, TrialRecord>,
) -> Vec<&'a TrialRecord> {
    extent.taken.iter().filter_map(|trial| records.get(trial)).collect()
}
