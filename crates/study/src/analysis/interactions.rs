//! Interactions: responses per pair of levels of two factors, over all levels of the others.

use super::analysis_data::AnalysisData;
use super::points::{ResponseStatistics, response_statistics};
use super::{FactorEffects, TrialResult};
use crate::design::LevelValue;
use serde::Serialize;

/// Greatest number of pairs of factors, in the order of the factors.
const MAX_PAIRS: usize = 10;
/// Greatest number of levels of a factor in a pair.
const MAX_LEVELS: usize = 24;

/// Joint effects of two factors.
#[derive(Clone, Debug, Serialize)]
pub struct PairEffects {
    /// Names of the factors.
    pub factors: [String; 2],
    /// Levels of each factor.
    pub levels: [Vec<LevelValue>; 2],
    /// Results by level of the first factor, then of the second.
    pub cells: Vec<Vec<CellStatistics>>,
}

/// Responses at a pair of levels.
#[derive(Clone, Debug, Serialize)]
pub struct CellStatistics {
    /// Number of trials with a result.
    pub done: u64,
    /// Responses, in the order of the study.
    pub responses: Vec<ResponseStatistics>,
}

/// Computes the interactions of every two factors that have main effects.
pub(super) fn compute(data: &AnalysisData<'_>, effects: &[FactorEffects]) -> Vec<PairEffects> {
    let few = |own: &&FactorEffects| own.levels.len() <= MAX_LEVELS;
    let told: Vec<&FactorEffects> = effects.iter().filter(few).collect();
    let pairs =
        told.iter().enumerate().flat_map(|(n, a)| told[n + 1..].iter().map(move |b| [*a, *b]));
    pairs.take(MAX_PAIRS).filter_map(|pair| pair_effects(data, pair)).collect()
}

fn pair_effects(data: &AnalysisData<'_>, pair: [&FactorEffects; 2]) -> Option<PairEffects> {
    let place =
        |own: &FactorEffects| data.study.config.factor.iter().position(|f| f.name == own.factor);
    let [first, second] = [place(pair[0])?, place(pair[1])?];
    let levels = pair.map(|own| own.levels.iter().map(|own| own.level.clone()).collect::<Vec<_>>());
    let cell = |a: &LevelValue, b: &LevelValue| {
        let here = |trial: &&TrialResult| {
            trial.levels.get(first) == Some(a) && trial.levels.get(second) == Some(b)
        };
        let trials: Vec<&TrialResult> = data.study.trials.iter().filter(here).collect();
        let responses = data.study.config.responses.iter().enumerate();
        CellStatistics {
            done: trials.iter().filter(|trial| trial.responses.is_some()).count() as u64,
            responses: responses
                .map(|(n, name)| response_statistics(data, name, n, &trials))
                .collect(),
        }
    };
    let row = |a: &LevelValue| levels[1].iter().map(|b| cell(a, b)).collect();
    let cells = levels[0].iter().map(row).collect();
    Some(PairEffects { factors: pair.map(|own| own.factor.clone()), levels, cells })
}
