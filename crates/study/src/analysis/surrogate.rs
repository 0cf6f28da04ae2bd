//! Gaussian-process surrogate of a response between the design points.

use super::TrialResult;
use super::analysis_data::AnalysisData;
use crate::design::LevelValue;
use crate::statistics::{SampleMoments, Surrogate, SurrogateFit};
use serde::Serialize;

/// Smallest number of points; fewer do not determine the error.
pub const MIN_POINTS: usize = 10;
/// Smallest number of points per factor.
pub const MIN_POINTS_PER_FACTOR: usize = 3;
/// Number of positions along a factor's range for its main effect.
const PLACES: usize = 11;

/// A surrogate of a response.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SurrogateResult {
    /// Accuracy and hyperparameters.
    #[serde(flatten)]
    pub fit: SurrogateFit,
    /// Main effect of each factor.
    pub main_effects: Vec<MainEffect>,
}

/// Mean response over the design points, with one factor set to the same level at all of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MainEffect {
    /// Name of the factor.
    pub factor: String,
    /// Levels, from the lowest driven to the highest.
    pub levels: Vec<f64>,
    /// Mean response at each level.
    pub values: Vec<f64>,
}

/// Fits a numeric response by its mean at each design point; `None` with too few points.
///
/// Points where all trials failed are excluded.
pub(super) fn compute(
    data: &AnalysisData<'_>,
    response: usize,
) -> Option<Result<SurrogateResult, String>> {
    let number = |level: &LevelValue| match level {
        LevelValue::Number(x) => Some(*x),
        _ => None,
    };
    let point = |trials: &Vec<&TrialResult>| {
        let numbers: Vec<f64> =
            trials.iter().filter_map(|own| data.number(own, response)).collect();
        let place = trials.first()?.levels.iter().filter_map(number).collect::<Vec<f64>>();
        Some((place, SampleMoments::new(&numbers)?.mean))
    };
    let study = &data.study;
    let known = study.by_point();
    let (points, values): (Vec<Vec<f64>>, Vec<f64>) = known.values().filter_map(point).unzip();
    let factors = &study.config.factor;
    if points.len() < MIN_POINTS.max(MIN_POINTS_PER_FACTOR * factors.len()) {
        return None;
    }
    if values.iter().all(|value| *value == values[0]) {
        return Some(Err(format!("the response is {} at all {} points", values[0], values.len())));
    }
    let surrogate = match Surrogate::fit(&points, &values) {
        Ok(surrogate) => surrogate,
        Err(error) => return Some(Err(error.to_string())),
    };
    let main_effect = |n: usize| {
        let column = || points.iter().map(|point| point[n]);
        let low = column().fold(f64::INFINITY, f64::min);
        let high = column().fold(f64::NEG_INFINITY, f64::max);
        let at = |step: usize| low + (high - low) * step as f64 / (PLACES - 1) as f64;
        let levels: Vec<f64> = (0..PLACES).map(at).collect();
        let mean = |level: &f64| {
            let moved = points.iter().map(|point| {
                let mut moved = point.clone();
                moved[n] = *level;
                surrogate.value(&moved)
            });
            moved.sum::<f64>() / points.len() as f64
        };
        let values = levels.iter().map(mean).collect();
        MainEffect { factor: factors[n].name.clone(), levels, values }
    };
    let main_effects = (0..factors.len()).map(main_effect).collect();
    Some(Ok(SurrogateResult { fit: surrogate.fit.clone(), main_effects }))
}
