//! What the trials of each design point came to.

use super::basis::Basis;
use super::{TrialResult, is_proportion};
use crate::design::{Figure, Level, Value};
use crate::statistics::{Moments, paired_difference};
use bekker_rig::Estimate;
use serde::Serialize;
use std::collections::BTreeMap;

/// Confidence of all intervals.
pub(super) const CONFIDENCE: f64 = 0.95;

/// A design point in a few figures.
#[derive(Clone, Debug, Serialize)]
pub struct PointFigures {
    /// Its number, from 0.
    pub point: u64,
    /// The level of each factor.
    #[serde(skip)]
    pub levels: Vec<Level>,
    /// Trials with a result.
    pub done: u64,
    /// Trials without.
    pub failed: u64,
    /// Each response.
    pub responses: Vec<ResponseFigures>,
}

/// A response at a design point.
#[derive(Clone, Debug, Serialize)]
pub struct ResponseFigures {
    /// Its name.
    pub name: String,
    /// What it came to.
    #[serde(flatten)]
    pub figures: Figures,
    /// How it differs from the first design point over the replications of the same seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
}

/// How a response differs between two design points, pair by pair.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    /// Mean difference, with Student's interval of 95 %.
    Mean {
        /// The difference.
        #[serde(flatten)]
        difference: Estimate,
        /// Pairs in which both trials have the number and, for totals, arrived.
        pairs: usize,
    },
    /// Of yes and no: Student's interval would leave what is possible.
    Changes {
        /// Pairs that are yes here and no there.
        gained: u64,
        /// Pairs that are no here and yes there.
        lost: u64,
        /// All pairs.
        pairs: u64,
    },
}

/// What a response came to.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Figures {
    /// How often yes, of those done.
    Proportion {
        /// How often.
        count: u64,
        /// Wilson's interval of 95 % by the effective number of independent trials.
        interval: [f64; 2],
        /// The same if every failed trial were a no.
        failed_as_no: [f64; 2],
    },
    /// Mean and standard deviation; none without a number.
    Moments(Option<NumberFigures>),
    /// How often each word.
    Words(BTreeMap<String, u64>),
    /// Of passes until stuck, whose mean would leave out those that all passed.
    Passes {
        /// Convoys of which one stuck.
        stuck: u64,
        /// Convoys that all passed.
        censored: u64,
    },
    /// A total of the drive, such as its energy. It uses the trials that arrived: the other drives
    /// ended early.
    #[serde(untagged)]
    Total {
        /// Moments of the trials that arrived; `None` if none did.
        moments: Option<NumberFigures>,
        /// Number of trials that arrived.
        arrived: u64,
        /// Moments of all trials, whatever their outcome.
        all_trials: Option<Moments>,
    },
}

/// Mean and standard deviation of a number, with the mean's interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NumberFigures {
    /// Mean and standard deviation.
    #[serde(flatten)]
    pub moments: Moments,
    /// Student's interval of 95 % of the mean; none of one independent trial.
    pub interval: Option<[f64; 2]>,
}

impl NumberFigures {
    /// Computes them from one number per trial; `None` without a number.
    fn compute(basis: &Basis<'_>, numbers: &[(&TrialResult, f64)]) -> Option<NumberFigures> {
        let values: Vec<f64> = numbers.iter().map(|own| own.1).collect();
        let interval = basis.mean(numbers).map(|own| [own.low, own.high]);
        Some(NumberFigures { moments: Moments::of(&values)?, interval })
    }
}

impl Figures {
    /// The share of yes, or the mean; none of words, of passes and of nothing.
    pub fn value(&self, done: u64) -> Option<f64> {
        match self {
            Figures::Proportion { count, .. } if done > 0 => Some(*count as f64 / done as f64),
            Figures::Moments(found) | Figures::Total { moments: found, .. } => {
                found.map(|own| own.moments.mean)
            }
            _ => None,
        }
    }

    /// The interval of that, where one is known.
    pub fn interval(&self) -> Option<[f64; 2]> {
        match self {
            Figures::Proportion { interval, .. } => Some(*interval),
            Figures::Moments(found) | Figures::Total { moments: found, .. } => {
                found.as_ref()?.interval
            }
            _ => None,
        }
    }
}

/// The figures of all design points, in order.
pub(super) fn of_points(basis: &Basis<'_>) -> Vec<PointFigures> {
    let study = &basis.study;
    let points = study.by_point();
    // one pair says nothing
    let has_pairs = study.config.common_random_numbers && study.config.replications > 1;
    let first = points.get(&0).filter(|_| has_pairs).cloned();
    let figures = points.iter().map(|(point, trials)| {
        let against = first.as_deref().filter(|_| *point != 0).unwrap_or_default();
        let response = |(n, name): (usize, &String)| ResponseFigures {
            name: name.clone(),
            figures: figures(basis, name, n, trials),
            difference: difference(basis, name, n, trials, against),
        };
        let failed = trials.iter().filter(|trial| trial.responses.is_none()).count() as u64;
        PointFigures {
            point: *point,
            levels: trials.first().map_or(Vec::new(), |trial| trial.levels.clone()),
            done: trials.len() as u64 - failed,
            failed,
            responses: study.config.responses.iter().enumerate().map(response).collect(),
        }
    });
    figures.collect()
}

/// What a response came to in some trials.
pub(super) fn figures<'t>(
    basis: &Basis<'_>,
    name: &str,
    response: usize,
    trials: &[&'t TrialResult],
) -> Figures {
    let responses = trials.iter().filter_map(|trial| trial.responses.as_ref()?.get(response));
    let words = responses.filter_map(|value| match value {
        Value::Word(word) => Some(word.clone()),
        _ => None,
    });
    if Figure::of_response(name) == Some(Figure::PassesUntilStuck) {
        let done = trials.iter().filter(|trial| trial.responses.is_some()).count() as u64;
        let stuck = trials.iter().filter(|trial| trial.number(response).is_some()).count() as u64;
        return Figures::Passes { stuck, censored: done - stuck };
    }
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    words.for_each(|word| *counts.entry(word).or_default() += 1);
    if !counts.is_empty() {
        return Figures::Words(counts);
    }
    let number = |trial: &&'t TrialResult| Some((*trial, trial.number(response)?));
    let all: Vec<(&TrialResult, f64)> = trials.iter().filter_map(number).collect();
    if is_proportion(name) {
        let count = all.iter().filter(|own| own.1 == 1.0).count() as u64;
        let yes: Vec<_> = all.iter().map(|own| (own.0, own.1 == 1.0)).collect();
        // a failed trial may have been a no
        let worst: Vec<_> =
            trials.iter().map(|own| (*own, own.number(response) == Some(1.0))).collect();
        let [interval, failed_as_no] = [yes, worst].map(|own| basis.proportion(&own, CONFIDENCE));
        return Figures::Proportion { count, interval, failed_as_no };
    }
    if !basis.is_conditioned(response) {
        return Figures::Moments(NumberFigures::compute(basis, &all));
    }
    let arrived: Vec<(&TrialResult, f64)> =
        all.iter().copied().filter(|own| basis.counts(own.0, response)).collect();
    let values: Vec<f64> = all.iter().map(|own| own.1).collect();
    Figures::Total {
        moments: NumberFigures::compute(basis, &arrived),
        arrived: arrived.len() as u64,
        all_trials: Moments::of(&values),
    }
}

/// The paired difference to other trials, replication by replication.
fn difference(
    basis: &Basis<'_>,
    name: &str,
    response: usize,
    trials: &[&TrialResult],
    against: &[&TrialResult],
) -> Option<Difference> {
    if Figure::of_response(name) == Some(Figure::PassesUntilStuck) {
        return None;
    }
    let others: BTreeMap<u64, f64> = against
        .iter()
        .filter_map(|trial| Some((trial.replication, basis.number(trial, response)?)))
        .collect();
    let differences: Vec<f64> = trials
        .iter()
        .filter_map(|trial| Some(basis.number(trial, response)? - others.get(&trial.replication)?))
        .collect();
    if is_proportion(name) {
        let count = |of: f64| differences.iter().filter(|own| **own == of).count() as u64;
        let (gained, lost, pairs) = (count(1.0), count(-1.0), differences.len() as u64);
        return (pairs > 0).then_some(Difference::Changes { gained, lost, pairs });
    }
    let pairs = differences.len();
    paired_difference(&differences).map(|difference| Difference::Mean { difference, pairs })
}
