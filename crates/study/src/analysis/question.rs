//! Answer to a study's question: the levels of a factor, sorted by the goal.

use super::analysis_data::{AnalysisData, shares_seeds};
use super::points::{ResponseStatistics, response_statistics};
use super::{FactorEffects, Influence, LevelStatistics, TrialResult, is_proportion};
use crate::design::{Goal, LevelValue, RunMetric};
use crate::statistics::paired_difference;
use bekker_rig::ParameterEstimate;
use serde::Serialize;
use std::collections::BTreeMap;

/// Smallest number of arrivals of a level that is compared by a total, relative to the greatest at
/// any level.
const MIN_ARRIVALS: f64 = 0.5;
/// Smallest number of pairs at which identical differences count as evidence.
///
/// With fewer pairs, equal signs have a probability above 5 %.
const MIN_PAIRS: usize = 6;

/// Answer to a question.
#[derive(Clone, Debug, Serialize)]
pub struct QuestionResult {
    /// Response of the question.
    pub response: String,
    /// Whether the study file contains the question.
    ///
    /// Otherwise the response is the first with a mean. If that is yes or no and equal in all
    /// trials, it is the first numeric one.
    pub is_asked: bool,
    /// The first response, if it was skipped because all its trials agree: name, count of yes,
    /// trials.
    pub settled: Option<(String, u64, u64)>,
    /// Direction of improvement.
    pub goal: Option<Goal>,
    /// Factor whose levels are compared; `None` if no factor has recurring levels.
    pub factor: Option<String>,
    /// Levels: the best first, those that are not compared last; without a goal in their own order.
    pub levels: Vec<LevelAnswer>,
    /// Difference between the best level and the next.
    pub lead: Option<Lead>,
    /// Statistics over all trials.
    pub overall: ResponseStatistics,
    /// Number of trials with a result.
    pub done: u64,
}

/// A level in the answer.
#[derive(Clone, Debug, Serialize)]
pub struct LevelAnswer {
    /// The level.
    pub level: LevelValue,
    /// Number of trials with a result.
    pub done: u64,
    /// Statistics of the response.
    pub figures: ResponseStatistics,
    /// Whether the level is compared.
    ///
    /// It is not if it has no value, or, for totals, if fewer than half as many trials arrived as
    /// at the level with the most.
    pub is_compared: bool,
}

/// Difference between the best two levels, over pairs of trials that differ only in the factor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Lead {
    /// The best level's response minus the next one's.
    #[serde(flatten)]
    pub difference: ParameterEstimate,
    /// Number of independent pairs: seeds with common random numbers, else pairs of trials.
    pub pairs: usize,
    /// Whether the interval excludes 0, with enough pairs to judge.
    pub is_certain: bool,
}

/// Answers the study's question; `None` if no response has a mean.
pub(super) fn compute(
    data: &AnalysisData<'_>,
    effects: &[FactorEffects],
    influences: &[Influence],
) -> Option<QuestionResult> {
    let config = data.study.config;
    let has_mean = |name: &String| RunMetric::from_response(name).is_none_or(RunMetric::has_mean);
    let asked = config.question.as_ref();
    let mut with_mean = config.responses.iter().filter(|name| has_mean(name));
    let mut settled = None;
    let name = match asked {
        Some(question) => &question.response,
        None => {
            let first = with_mean.next()?;
            let next = with_mean.find(|name| !is_proportion(name));
            settled = next.and(unanimous(data, first));
            next.filter(|_| settled.is_some()).unwrap_or(first)
        }
    };
    let response = config.responses.iter().position(|own| own == name)?;
    let goal = asked.and_then(|own| own.goal).or(Goal::from_response(name));
    let compared = asked
        .and_then(|own| own.factor.clone())
        .or_else(|| decisive_factor(name, effects, influences))
        .and_then(|name| effects.iter().find(|own| own.factor == name));
    let mut levels: Vec<LevelAnswer> =
        compared.map_or(Vec::new(), |effects| level_answers(effects, response));
    if let Some(goal) = goal {
        levels.sort_by(|a, b| {
            let value = |own: &LevelAnswer| own.figures.value(own.done).unwrap_or(f64::NAN);
            b.is_compared.cmp(&a.is_compared).then(goal.order(value(a), value(b)))
        });
    }
    let trials: Vec<&TrialResult> = data.study.trials.iter().collect();
    let lead = compared.filter(|_| goal.is_some()).and_then(|effects| {
        let factor = config.factor.iter().position(|own| own.name == effects.factor)?;
        lead(data, response, factor, &levels)
    });
    Some(QuestionResult {
        response: name.clone(),
        is_asked: asked.is_some(),
        settled,
        goal,
        factor: compared.map(|own| own.factor.clone()),
        levels,
        lead,
        overall: response_statistics(data, name, response, &trials),
        done: trials.iter().filter(|trial| trial.responses.is_some()).count() as u64,
    })
}

/// Returns the count of yes of a response, if it is yes in all trials or in none.
fn unanimous(data: &AnalysisData<'_>, name: &str) -> Option<(String, u64, u64)> {
    let response = data.study.config.responses.iter().position(|own| own == name)?;
    let numbers = data.study.trials.iter().filter_map(|trial| trial.number(response));
    let (yes, all) = numbers.fold((0, 0), |(yes, all), x| (yes + u64::from(x == 1.0), all + 1));
    (is_proportion(name) && all > 0 && (yes == 0 || yes == all))
        .then(|| (name.to_owned(), yes, all))
}

/// Returns the most influential factor, if its levels recur.
///
/// Otherwise `None`: comparing another factor would hide the one that matters.
fn decisive_factor(
    name: &str,
    effects: &[FactorEffects],
    influences: &[Influence],
) -> Option<String> {
    let mut ranked =
        influences.iter().filter(|own| own.response == name).flat_map(|own| &own.factors);
    match ranked.next() {
        Some(first) => effects.iter().map(|own| &own.factor).find(|own| **own == first.factor),
        None => effects.first().map(|own| &own.factor),
    }
    .cloned()
}

fn level_answers(effects: &FactorEffects, response: usize) -> Vec<LevelAnswer> {
    let figures = |own: &LevelStatistics| own.responses.get(response).cloned();
    let arrivals = |own: &ResponseStatistics| match own {
        ResponseStatistics::Total { arrived, .. } => Some(*arrived as f64),
        _ => None,
    };
    let most = effects.levels.iter().filter_map(|own| arrivals(&figures(own)?)).fold(0.0, f64::max);
    let answer = |own: &LevelStatistics| {
        let figures = figures(own)?;
        let enough = arrivals(&figures).is_none_or(|count| count >= MIN_ARRIVALS * most);
        let is_compared = enough && figures.value(own.done).is_some();
        Some(LevelAnswer { level: own.level.clone(), done: own.done, figures, is_compared })
    };
    effects.levels.iter().filter_map(answer).collect()
}

/// Returns the difference between the first two levels.
///
/// It uses pairs of trials with the same seed and the same levels of all other factors.
fn lead(
    data: &AnalysisData<'_>,
    response: usize,
    factor: usize,
    levels: &[LevelAnswer],
) -> Option<Lead> {
    let [best, next, ..] = levels else { return None };
    if !(best.is_compared && next.is_compared) {
        return None;
    }
    type PairKey = (Vec<String>, u64);
    let mut pairs: BTreeMap<PairKey, [Option<f64>; 2]> = BTreeMap::new();
    for trial in data.study.trials {
        let Some(level) = trial.levels.get(factor) else { continue };
        let Some(side) = [&best.level, &next.level].iter().position(|own| *own == level) else {
            continue;
        };
        let others = trial.levels.iter().enumerate().filter(|(n, _)| *n != factor);
        let key = (others.map(|(_, own)| own.to_toml()).collect(), trial.replication);
        pairs.entry(key).or_default()[side] = data.number(trial, response);
    }
    let differences = pairs.into_iter().filter_map(|((_, seed), [a, b])| Some((seed, a? - b?)));
    let mut clusters: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for (n, (seed, difference)) in differences.enumerate() {
        let cluster = if shares_seeds(data.study.config) { seed } else { n as u64 };
        clusters.entry(cluster).or_default().push(difference);
    }
    let mean = |own: &Vec<f64>| own.iter().sum::<f64>() / own.len() as f64;
    let means: Vec<f64> = clusters.values().map(mean).collect();
    let difference = paired_difference(&means)?;
    let varies = difference.error > 0.0 || means.len() >= MIN_PAIRS;
    let is_certain = varies && (difference.low > 0.0 || difference.high < 0.0);
    Some(Lead { difference, pairs: means.len(), is_certain })
}
