//! Main effects: responses per level of a factor, over all levels of the others.

use super::TrialResult;
use super::analysis_data::AnalysisData;
use super::points::{ResponseStatistics, response_statistics};
use crate::design::{DesignKind, Factor, LevelValue};
use serde::Serialize;

/// Greatest number of levels of a factor; a drawn factor has a level per point.
const MAX_LEVELS: usize = 50;

/// Main effects of a factor.
#[derive(Clone, Debug, Serialize)]
pub struct FactorEffects {
    /// Name of the factor.
    pub factor: String,
    /// Levels; numbers are sorted.
    pub levels: Vec<LevelStatistics>,
}

/// Responses at a level.
#[derive(Clone, Debug, Serialize)]
pub struct LevelStatistics {
    /// The level.
    pub level: LevelValue,
    /// Number of trials with a result.
    pub done: u64,
    /// Number of failed trials.
    pub failed: u64,
    /// Responses, in the order of the study.
    pub responses: Vec<ResponseStatistics>,
}

/// Computes the effects of all factors with at least two recurring levels.
pub(super) fn compute(data: &AnalysisData<'_>) -> Vec<FactorEffects> {
    let study = &data.study;
    let (config, points) = (study.config, study.by_point().len());
    let of_level = |factor: usize, level: LevelValue| {
        let here = |trial: &&TrialResult| trial.levels.get(factor) == Some(&level);
        let trials: Vec<&TrialResult> = study.trials.iter().filter(here).collect();
        let failed = trials.iter().filter(|trial| trial.responses.is_none()).count() as u64;
        let responses = config.responses.iter().enumerate();
        LevelStatistics {
            done: trials.len() as u64 - failed,
            failed,
            responses: responses
                .map(|(n, name)| response_statistics(data, name, n, &trials))
                .collect(),
            level,
        }
    };
    let of_factor = |(n, factor): (usize, &Factor)| {
        let levels = study.levels(n);
        // of a table only if levels recur
        let has_levels = match config.design {
            DesignKind::Table => levels.len() < points,
            _ => factor.listed().is_some() || factor.steps.is_some(),
        };
        let comes_back = has_levels && (2..=MAX_LEVELS).contains(&levels.len());
        comes_back.then(|| FactorEffects {
            factor: factor.name.clone(),
            levels: levels.into_iter().map(|level| of_level(n, level)).collect(),
        })
    };
    config.factor.iter().enumerate().filter_map(of_factor).collect()
}
