//! What each response came to at each level of a factor, over all levels of the others.

use super::TrialResult;
use super::basis::Basis;
use super::points::{Figures, figures};
use crate::design::{Design, Factor, Level};
use serde::Serialize;

/// Levels of a factor at most: of one that is drawn, each point has its own.
const MOST_LEVELS: usize = 50;

/// A factor's main effects.
#[derive(Clone, Debug, Serialize)]
pub struct FactorEffects {
    /// The factor.
    pub factor: String,
    /// Each of its levels, numbers in their order.
    pub levels: Vec<LevelFigures>,
}

/// The responses at a level.
#[derive(Clone, Debug, Serialize)]
pub struct LevelFigures {
    /// The level.
    pub level: Level,
    /// Trials with a result.
    pub done: u64,
    /// Trials without.
    pub failed: u64,
    /// Each response, in the study's order.
    pub responses: Vec<Figures>,
}

/// Of every factor with two levels or more that come back.
pub(super) fn of_factors(basis: &Basis<'_>) -> Vec<FactorEffects> {
    let study = &basis.study;
    let (config, points) = (study.config, study.by_point().len());
    let of_level = |factor: usize, level: Level| {
        let here = |trial: &&TrialResult| trial.levels.get(factor) == Some(&level);
        let trials: Vec<&TrialResult> = study.trials.iter().filter(here).collect();
        let failed = trials.iter().filter(|trial| trial.responses.is_none()).count() as u64;
        let responses = config.responses.iter().enumerate();
        LevelFigures {
            done: trials.len() as u64 - failed,
            failed,
            responses: responses.map(|(n, name)| figures(basis, name, n, &trials)).collect(),
            level,
        }
    };
    let of_factor = |(n, factor): (usize, &Factor)| {
        let levels = study.levels(n);
        // of a table only what it has several times
        let has_levels = match config.design {
            Design::Table => levels.len() < points,
            _ => factor.listed().is_some() || factor.steps.is_some(),
        };
        let comes_back = has_levels && (2..=MOST_LEVELS).contains(&levels.len());
        comes_back.then(|| FactorEffects {
            factor: factor.name.clone(),
            levels: levels.into_iter().map(|level| of_level(n, level)).collect(),
        })
    };
    config.factor.iter().enumerate().filter_map(of_factor).collect()
}
