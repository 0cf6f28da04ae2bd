//! Influence of factors on a response, on one scale for words and numbers, recurring or not.
//!
//! For each factor the trials are grouped by its levels, or by quartiles if these are many numbers.
//! The share of the variance between groups ranks the factors. A permutation test checks whether it
//! exceeds chance (R. Fisher, The Design of Experiments, 1935).

use super::TrialResult;
use super::analysis_data::{AnalysisData, shares_seeds};
use crate::design::{DesignKind, LevelValue, RunMetric};
use bekker_math::random::RandomStream;
use serde::Serialize;
use std::collections::BTreeMap;

/// Number of groups of a factor with many numbers, and greatest number of recurring levels that
/// form groups themselves.
const QUARTERS: usize = 4;
const MAX_LEVELS: usize = 8;
/// Number of permutations, and greatest number of trials that are permuted.
const SHUFFLES: u64 = 999;
const SHUFFLED: usize = 1000;
/// Significance level over all factors together.
const CHANCE: f64 = 0.05;

/// Influence of all factors on a response.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Influence {
    /// Name of the response.
    pub response: String,
    /// Factors, sorted by decreasing share.
    pub factors: Vec<FactorInfluence>,
    /// Factors that cannot be judged, because nearly every trial has a different word.
    pub left_out: Vec<String>,
}

/// Influence of a factor on a response.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FactorInfluence {
    /// Name of the factor.
    pub factor: String,
    /// Whether the groups are quartiles of its numbers instead of its levels.
    pub quarters: bool,
    /// Mean of the response in each group.
    pub means: Vec<f64>,
    /// Share of the variance between groups in excess of chance, at least 0.
    ///
    /// It is ε² of a one-way analysis of variance (T. Kelley, Proc. Natl. Acad. Sci. 21, 1935).
    pub share: f64,
    /// Unbiased estimate of the share; negative if less variance lies between groups than by chance
    /// on average.
    pub unbiased_share: f64,
    /// Whether the share exceeds chance, at 95 % over all factors.
    pub certain: bool,
}

/// Computes the influences on a response that is a number, or yes or no.
///
/// `None` if no factor has two levels.
pub(super) fn compute(data: &AnalysisData<'_>, response: usize) -> Option<Influence> {
    let study = &data.study;
    let name = study.config.responses.get(response)?;
    if !RunMetric::from_response(name).is_none_or(RunMetric::has_mean) {
        return None;
    }
    let observed = observed(data, response);
    let values: Vec<f64> = observed.iter().map(|own| own.1).collect();
    let blocks: Vec<u64> = observed.iter().map(|own| own.2).collect();
    let varied: Vec<(&str, LevelGroups)> = study
        .config
        .factor
        .iter()
        .enumerate()
        .filter_map(|(n, factor)| {
            let levels: Option<Vec<&LevelValue>> =
                observed.iter().map(|own| own.0.get(n)).collect();
            Some((factor.name.as_str(), LevelGroups::from_levels(&levels?)?))
        })
        .collect();
    let allowed = CHANCE / varied.len().max(1) as f64;
    let (mut factors, mut left_out) = (Vec::new(), Vec::new());
    for (factor, LevelGroups { quarters, group_of, count }) in varied {
        let Some(unbiased_share) = share(&group_of, count, &values) else {
            left_out.push(factor.to_owned());
            continue;
        };
        let certain = p_value(&group_of, count, &values, &blocks) <= allowed;
        let share = unbiased_share.max(0.0);
        let (factor, means) = (factor.to_owned(), means(&group_of, count, &values));
        factors.push(FactorInfluence { factor, quarters, means, share, unbiased_share, certain });
    }
    factors.sort_by(|a, b| b.unbiased_share.total_cmp(&a.unbiased_share));
    let any = !factors.is_empty() || !left_out.is_empty();
    any.then(|| Influence { response: name.clone(), factors, left_out })
}

/// Returns levels, value and permutation block of each observation.
///
/// In a full factorial design an observation is a trial, and a block holds the trials of one seed
/// where points share seeds. In a drawn design an observation is a point, because its replications
/// carry no more information about the factors.
fn observed<'a>(data: &AnalysisData<'a>, response: usize) -> Vec<(&'a [LevelValue], f64, u64)> {
    let (study, has_blocks) = (&data.study, shares_seeds(data.study.config));
    let seen = |trial: &'a TrialResult| Some((&trial.levels[..], data.number(trial, response)?));
    let block = |trial: &TrialResult| if has_blocks { trial.replication } else { 0 };
    if study.config.design == DesignKind::FullFactorial {
        let own = |trial| seen(trial).map(|(levels, value)| (levels, value, block(trial)));
        return study.trials.iter().filter_map(own).collect();
    }
    let mut points: BTreeMap<u64, (&[LevelValue], Vec<f64>)> = BTreeMap::new();
    for trial in study.trials {
        let Some((levels, value)) = seen(trial) else { continue };
        points.entry(trial.point).or_insert((levels, Vec::new())).1.push(value);
    }
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
    points.into_values().map(|(levels, values)| (levels, mean(values), 0)).collect()
}

/// Group of each trial by a factor.
struct LevelGroups {
    quarters: bool,
    group_of: Vec<usize>,
    count: usize,
}

impl LevelGroups {
    /// Groups trials by their levels; `None` for a single level.
    fn from_levels(levels: &[&LevelValue]) -> Option<LevelGroups> {
        let mut distinct: BTreeMap<String, usize> = BTreeMap::new();
        for level in levels {
            let next = distinct.len();
            distinct.entry(level.to_toml()).or_insert(next);
        }
        if distinct.len() < 2 {
            return None;
        }
        let number = |level: &&LevelValue| match level {
            LevelValue::Number(x) => Some(*x),
            _ => None,
        };
        let come_back = distinct.len() <= MAX_LEVELS && 2 * distinct.len() <= levels.len();
        match levels.iter().map(number).collect::<Option<Vec<f64>>>() {
            Some(numbers) if !come_back => Some(LevelGroups::quarters(&numbers)),
            _ => {
                let group_of = levels.iter().map(|level| distinct[&level.to_toml()]).collect();
                Some(LevelGroups { quarters: false, group_of, count: distinct.len() })
            }
        }
    }

    /// Groups numbers by quartile; equal numbers stay together.
    fn quarters(numbers: &[f64]) -> LevelGroups {
        let mut sorted = numbers.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let part =
            |number: &f64| sorted.partition_point(|own| own < number) * QUARTERS / sorted.len();
        let mut group_of: Vec<usize> = numbers.iter().map(part).collect();
        // only nonempty groups, renumbered in order
        let mut filled = group_of.clone();
        filled.sort_unstable();
        filled.dedup();
        group_of.iter_mut().for_each(|own| *own = filled.partition_point(|part| part < own));
        LevelGroups { quarters: true, group_of, count: filled.len() }
    }
}

/// Returns sum and number of values in each group.
fn sums(group_of: &[usize], count: usize, values: impl Iterator<Item = f64>) -> Vec<(f64, f64)> {
    let mut sums = vec![(0.0, 0.0); count];
    for (part, value) in group_of.iter().zip(values) {
        sums[*part].0 += value;
        sums[*part].1 += 1.0;
    }
    sums
}

fn means(group_of: &[usize], count: usize, values: &[f64]) -> Vec<f64> {
    sums(group_of, count, values.iter().copied())
        .into_iter()
        .map(|(sum, count)| sum / count)
        .collect()
}

/// Returns ε²; `None` if every group is one trial, 0 without variation.
fn share(group_of: &[usize], count: usize, values: &[f64]) -> Option<f64> {
    let (left, all) = (values.len().checked_sub(count)?, values.len() as f64);
    if left == 0 {
        return None;
    }
    let means = means(group_of, count, values);
    let mean = values.iter().sum::<f64>() / all;
    let square = |x: f64| x * x;
    let total: f64 = values.iter().map(|value| square(value - mean)).sum();
    let within: f64 =
        group_of.iter().zip(values).map(|(part, own)| square(own - means[*part])).sum();
    // rounding of a mean is no variance
    if total <= 1e-18 * all * (1.0 + mean * mean) {
        return Some(0.0);
    }
    Some(1.0 - within / left as f64 * (all - 1.0) / total)
}

/// Returns the fraction of permutations with at least the observed variance between groups.
///
/// Responses are permuted within their block: trials of one seed are exchangeable, trials of
/// different seeds are not.
fn p_value(group_of: &[usize], count: usize, values: &[f64], blocks: &[u64]) -> f64 {
    let stream = RandomStream::new(0, "shuffled responses");
    let mut order: Vec<usize> = (0..values.len()).collect();
    // of many trials, a random subset
    order.sort_by_key(|n| stream.bits(*n as u64));
    order.truncate(SHUFFLED);
    order.sort_by_key(|n| blocks[*n]);
    let group_of: Vec<usize> = order.iter().map(|n| group_of[*n]).collect();
    let mut values: Vec<f64> = order.iter().map(|n| values[*n]).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter_mut().for_each(|value| *value -= mean);
    let same = |a: &usize, b: &usize| blocks[*a] == blocks[*b];
    let lengths: Vec<usize> = order.chunk_by(same).map(<[usize]>::len).collect();
    let between = |values: &[f64]| {
        let sums = sums(&group_of, count, values.iter().copied());
        sums.into_iter().filter(|own| own.1 > 0.0).map(|(sum, n)| sum * sum / n).sum::<f64>()
    };
    // differences by rounding count as equal
    let seen = between(&values) * (1.0 - 1e-9);
    let mut as_much = 1;
    for shuffle in 1..=SHUFFLES {
        let mut first = 0;
        for length in &lengths {
            for last in (first + 1..first + length).rev() {
                let place = stream.uniform(shuffle * SHUFFLED as u64 + last as u64);
                values.swap(last, first + (place * (last + 1 - first) as f64) as usize);
            }
            first += length;
        }
        as_much += u64::from(between(&values) >= seen);
    }
    as_much as f64 / (SHUFFLES + 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share_and_chance(levels: &[LevelValue], values: &[f64]) -> (bool, f64, f64) {
        let LevelGroups { quarters, group_of, count } =
            LevelGroups::from_levels(&levels.iter().collect::<Vec<_>>()).unwrap();
        (
            quarters,
            share(&group_of, count, values).unwrap(),
            p_value(&group_of, count, values, &vec![0; values.len()]),
        )
    }

    /// A speed with nonrecurring numbers that decides the response, and a word without effect.
    #[test]
    fn numbers_and_words_are_ranked_alike() {
        let stream = RandomStream::new(7, "test");
        let speeds: Vec<f64> = (0..40).map(|n| 4.0 * stream.uniform(n)).collect();
        let go: Vec<f64> = speeds.iter().map(|speed| f64::from(*speed > 1.0)).collect();
        let numbers: Vec<LevelValue> = speeds.into_iter().map(LevelValue::Number).collect();
        let flavor = |n: u64| if stream.uniform(n) > 0.5 { "vanilla" } else { "lemon" };
        let words: Vec<LevelValue> =
            (100..140).map(|n| LevelValue::Word(flavor(n).into())).collect();
        let (quarters, share, chance) = share_and_chance(&numbers, &go);
        assert!(quarters && share > 0.5 && chance < 0.01, "{share} {chance}");
        let (quarters, share, chance) = share_and_chance(&words, &go);
        assert!(!quarters && share < 0.2 && chance > 0.05, "{share} {chance}");
    }

    #[test]
    fn few_trials_and_equal_ones_are_no_more_than_chance() {
        let levels: Vec<LevelValue> = [1.0, 1.0, 2.0, 2.0].map(LevelValue::Number).to_vec();
        // separated in a third of all orders
        let (_, share, chance) = share_and_chance(&levels, &[0.0, 0.0, 1.0, 1.0]);
        assert!(share == 1.0 && (0.25..0.42).contains(&chance), "{share} {chance}");
        let (_, share, chance) = share_and_chance(&levels, &[0.3; 4]);
        assert_eq!((share, chance), (0.0, 1.0));
        let alone = [LevelValue::Word("a".into()), LevelValue::Word("b".into())];
        let parts = LevelGroups::from_levels(&alone.iter().collect::<Vec<_>>()).unwrap();
        assert_eq!(super::share(&parts.group_of, parts.count, &[0.0, 1.0]), None);
    }
}
