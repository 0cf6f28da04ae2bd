//! Results of each design point.

use super::analysis_data::AnalysisData;
use super::{TrialResult, is_proportion};
use crate::design::{LevelValue, ResponseValue, RunMetric};
use crate::statistics::{SampleMoments, paired_difference};
use bekker_rig::ParameterEstimate;
use serde::Serialize;
use std::collections::BTreeMap;

/// Confidence level of all intervals.
pub(super) const CONFIDENCE: f64 = 0.95;

/// Summary of a design point.
#[derive(Clone, Debug, Serialize)]
pub struct PointStatistics {
    /// Number, from 0.
    pub point: u64,
    /// Level of each factor.
    #[serde(skip)]
    pub levels: Vec<LevelValue>,
    /// Number of trials with a result.
    pub done: u64,
    /// Number of failed trials.
    pub failed: u64,
    /// Responses.
    pub responses: Vec<NamedStatistics>,
}

/// Summary of a response at a design point.
#[derive(Clone, Debug, Serialize)]
pub struct NamedStatistics {
    /// Name.
    pub name: String,
    /// Statistics.
    #[serde(flatten)]
    pub figures: ResponseStatistics,
    /// Difference to the first design point over replications with the same seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
}

/// Paired difference of a response between two design points.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    /// Mean difference, with Student's 95 % interval.
    Mean {
        /// Mean difference.
        #[serde(flatten)]
        difference: ParameterEstimate,
        /// Number of pairs in which both trials have the number and, for totals, arrived.
        pairs: usize,
    },
    /// Changes of a yes/no response; Student's interval could exceed the possible range.
    Changes {
        /// Number of pairs with yes here and no there.
        gained: u64,
        /// Number of pairs with no here and yes there.
        lost: u64,
        /// Number of pairs.
        pairs: u64,
    },
}

/// Statistics of a response.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponseStatistics {
    /// Fraction of yes among the finished trials.
    Proportion {
        /// Number of yes.
        count: u64,
        /// Wilson's 95 % interval with the effective number of independent trials.
        interval: [f64; 2],
        /// Interval if every failed trial counts as no.
        failed_as_no: [f64; 2],
    },
    /// Mean and standard deviation; `None` without a number.
    Moments(Option<NumberStatistics>),
    /// Number of trials by word.
    Words(BTreeMap<String, u64>),
    /// Passes until stuck, whose mean would exclude convoys that all passed.
    Passes {
        /// Number of convoys in which a vehicle got stuck.
        stuck: u64,
        /// Number of convoys in which all vehicles passed.
        censored: u64,
    },
    /// A total of the drive, such as its energy.
    ///
    /// It uses the trials that arrived, because the other drives ended early.
    #[serde(untagged)]
    Total {
        /// Moments of the trials that arrived; `None` if none did.
        moments: Option<NumberStatistics>,
        /// Number of trials that arrived.
        arrived: u64,
        /// Moments of all trials, whatever their outcome.
        all_trials: Option<SampleMoments>,
    },
}

/// Mean and standard deviation of a number, with the mean's interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NumberStatistics {
    /// Mean and standard deviation.
    #[serde(flatten)]
    pub moments: SampleMoments,
    /// Student's 95 % interval of the mean; `None` for a single independent trial.
    pub interval: Option<[f64; 2]>,
}

impl NumberStatistics {
    /// Computes the statistics from one number per trial; `None` without a number.
    fn compute(
        data: &AnalysisData<'_>,
        numbers: &[(&TrialResult, f64)],
    ) -> Option<NumberStatistics> {
        let values: Vec<f64> = numbers.iter().map(|own| own.1).collect();
        let interval = data.mean(numbers).map(|own| [own.low, own.high]);
        Some(NumberStatistics { moments: SampleMoments::new(&values)?, interval })
    }
}

impl ResponseStatistics {
    /// Returns the fraction of yes, or the mean; `None` for words, for passes and without trials.
    pub fn value(&self, done: u64) -> Option<f64> {
        match self {
            ResponseStatistics::Proportion { count, .. } if done > 0 => {
                Some(*count as f64 / done as f64)
            }
            ResponseStatistics::Moments(found)
            | ResponseStatistics::Total { moments: found, .. } => found.map(|own| own.moments.mean),
            _ => None,
        }
    }

    /// Returns the interval of the value, if there is one.
    pub fn interval(&self) -> Option<[f64; 2]> {
        match self {
            ResponseStatistics::Proportion { interval, .. } => Some(*interval),
            ResponseStatistics::Moments(found)
            | ResponseStatistics::Total { moments: found, .. } => found.as_ref()?.interval,
            _ => None,
        }
    }
}

/// Computes the summaries of all design points, in order.
pub(super) fn compute(data: &AnalysisData<'_>) -> Vec<PointStatistics> {
    let study = &data.study;
    let points = study.by_point();
    // a single pair has no interval
    let has_pairs = study.config.common_random_numbers && study.config.replications > 1;
    let first = points.get(&0).filter(|_| has_pairs).cloned();
    let figures = points.iter().map(|(point, trials)| {
        let against = first.as_deref().filter(|_| *point != 0).unwrap_or_default();
        let response = |(n, name): (usize, &String)| NamedStatistics {
            name: name.clone(),
            figures: response_statistics(data, name, n, trials),
            difference: difference(data, name, n, trials, against),
        };
        let failed = trials.iter().filter(|trial| trial.responses.is_none()).count() as u64;
        PointStatistics {
            point: *point,
            levels: trials.first().map_or(Vec::new(), |trial| trial.levels.clone()),
            done: trials.len() as u64 - failed,
            failed,
            responses: study.config.responses.iter().enumerate().map(response).collect(),
        }
    });
    figures.collect()
}

/// Computes the statistics of a response over some trials.
pub(super) fn response_statistics<'t>(
    data: &AnalysisData<'_>,
    name: &str,
    response: usize,
    trials: &[&'t TrialResult],
) -> ResponseStatistics {
    let responses = trials.iter().filter_map(|trial| trial.responses.as_ref()?.get(response));
    let words = responses.filter_map(|value| match value {
        ResponseValue::Word(word) => Some(word.clone()),
        _ => None,
    });
    if RunMetric::from_response(name) == Some(RunMetric::PassesUntilStuck) {
        let done = trials.iter().filter(|trial| trial.responses.is_some()).count() as u64;
        let stuck = trials.iter().filter(|trial| trial.number(response).is_some()).count() as u64;
        return ResponseStatistics::Passes { stuck, censored: done - stuck };
    }
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    words.for_each(|word| *counts.entry(word).or_default() += 1);
    if !counts.is_empty() {
        return ResponseStatistics::Words(counts);
    }
    let number = |trial: &&'t TrialResult| Some((*trial, trial.number(response)?));
    let all: Vec<(&TrialResult, f64)> = trials.iter().filter_map(number).collect();
    if is_proportion(name) {
        let count = all.iter().filter(|own| own.1 == 1.0).count() as u64;
        let yes: Vec<_> = all.iter().map(|own| (own.0, own.1 == 1.0)).collect();
        // a failed trial might have been a no
        let worst: Vec<_> =
            trials.iter().map(|own| (*own, own.number(response) == Some(1.0))).collect();
        let [interval, failed_as_no] = [yes, worst].map(|own| data.proportion(&own, CONFIDENCE));
        return ResponseStatistics::Proportion { count, interval, failed_as_no };
    }
    if !data.is_conditioned(response) {
        return ResponseStatistics::Moments(NumberStatistics::compute(data, &all));
    }
    let arrived: Vec<(&TrialResult, f64)> =
        all.iter().copied().filter(|own| data.counts(own.0, response)).collect();
    let values: Vec<f64> = all.iter().map(|own| own.1).collect();
    ResponseStatistics::Total {
        moments: NumberStatistics::compute(data, &arrived),
        arrived: arrived.len() as u64,
        all_trials: SampleMoments::new(&values),
    }
}

/// Returns the paired difference to other trials, replication by replication.
fn difference(
    data: &AnalysisData<'_>,
    name: &str,
    response: usize,
    trials: &[&TrialResult],
    against: &[&TrialResult],
) -> Option<Difference> {
    if RunMetric::from_response(name) == Some(RunMetric::PassesUntilStuck) {
        return None;
    }
    let others: BTreeMap<u64, f64> = against
        .iter()
        .filter_map(|trial| Some((trial.replication, data.number(trial, response)?)))
        .collect();
    let differences: Vec<f64> = trials
        .iter()
        .filter_map(|trial| Some(data.number(trial, response)? - others.get(&trial.replication)?))
        .collect();
    if is_proportion(name) {
        let count = |of: f64| differences.iter().filter(|own| **own == of).count() as u64;
        let (gained, lost, pairs) = (count(1.0), count(-1.0), differences.len() as u64);
        return (pairs > 0).then_some(Difference::Changes { gained, lost, pairs });
    }
    let pairs = differences.len();
    paired_difference(&differences).map(|difference| Difference::Mean { difference, pairs })
}
