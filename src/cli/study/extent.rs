//! How far a study goes by its stopping rule.

use crate::cli::Failure;
use crate::report::study::{AskedOfStudy, Cell, Shard, TrialRecord};
use crate::study::design::{self, Figure, Seen, StudyConfig};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// The study's file, as its folder holds it.
pub fn config(asked: &AskedOfStudy, folder: &Path) -> Result<StudyConfig, Failure> {
    let config = Value::Object(asked.study.clone());
    serde_json::from_value(config).map_err(|error| Failure::input(folder, &error))
}

/// The trials that belong to a study, in order, and those that are to be driven next. A part of
/// the trials goes to its end: what the rule says only the whole can tell.
pub struct Extent {
    pub taken: Vec<u64>,
    pub next: Vec<u64>,
    /// Trials whose response lies outside the rule's bounds.
    pub outside: Vec<u64>,
    /// Groups to which the rule is put, and those that came to their end without what it asks for.
    pub groups: u64,
    pub unknown: u64,
    /// Whether the response counts trials that arrive alone, and none of those taken did.
    pub nobody_arrived: bool,
}

impl Extent {
    /// Why the rule stops nothing, in words: a response is outside its bounds, or no trial counts for it.
    pub fn fault(&self, config: &StudyConfig) -> Option<String> {
        let rule = config.stop.as_ref()?;
        if self.nobody_arrived && self.next.is_empty() {
            return Some(format!(
                "stop.response = \"{}\": only trials that arrive count, and none of {} arrived: the rule \
                 cannot be met, and all trials are driven. Stop by \"{}\" instead",
                rule.response,
                self.taken.len(),
                Figure::arrival_of(&rule.response).unwrap_or_default()
            ));
        }
        let first = self.outside.first()?;
        let [low, high] = rule.bounds.unwrap_or_default();
        Some(format!(
            "stop.bounds = [{low}, {high}]: {} of {} trials lies outside, first that of \
             trial {first}: no interval holds with them, and the trials that the rule would \
             look at with them are driven to the last",
            rule.response,
            self.outside.len()
        ))
    }

    /// Says so.
    pub fn warn(&self, config: &StudyConfig) {
        if let Some(fault) = self.fault(config) {
            eprintln!("warning: {fault}");
        }
    }
}

/// How far it goes, as far as its records tell yet.
pub fn extent(
    asked: &AskedOfStudy,
    config: &StudyConfig,
    records: &BTreeMap<u64, TrialRecord>,
) -> Extent {
    if asked.shard != Shard::WHOLE {
        let taken: Vec<u64> = (0..asked.trials).filter(|trial| asked.shard.has(*trial)).collect();
        let next = taken.iter().copied().filter(|trial| !records.contains_key(trial)).collect();
        let (outside, nobody_arrived) = (Vec::new(), false);
        return Extent { taken, next, outside, groups: 0, unknown: 0, nobody_arrived };
    }
    let rule = config.stop.as_ref();
    let response = rule.and_then(|rule| config.responses.iter().position(|r| *r == rule.response));
    let arrival = rule.and_then(|rule| Figure::arrival_of(&rule.response));
    let arrival = arrival.and_then(|name| config.responses.iter().position(|own| *own == name));
    let arrived = |record: &TrialRecord| match record.responses.get(arrival?) {
        Some(Cell::Number(arrived)) => Some(*arrived == 1.0),
        _ => None,
    };
    let seen = |trial: u64| {
        let record = records.get(&trial)?;
        if arrived(record) == Some(false) {
            return Some(Seen::Uncounted);
        }
        Some(match response.and_then(|n| record.responses.get(n)) {
            Some(Cell::Number(x)) => Seen::Number(*x),
            _ => Seen::Failed,
        })
    };
    let found = design::extent(config, asked.trials, seen);
    let design::Extent { taken, next, outside, groups, unknown } = found;
    let taken: Vec<u64> = taken.into_iter().flatten().collect();
    let known = || taken.iter().filter_map(|trial| arrived(records.get(trial)?));
    let nobody_arrived = known().next().is_some() && !known().any(|arrived| arrived);
    Extent { taken, next, outside, groups, unknown, nobody_arrived }
}

/// The records of these trials, in their order.
pub fn taken<'a>(extent: &Extent, records: &'a BTreeMap<u64, TrialRecord>) -> Vec<&'a TrialRecord> {
    extent.taken.iter().filter_map(|trial| records.get(trial)).collect()
}
