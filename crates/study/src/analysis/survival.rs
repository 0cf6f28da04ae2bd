//! Survival over passes until a vehicle gets stuck; convoys that all passed are censored
//! observations.

use super::{StudyResult, TrialResult};
use crate::design::{ResponseValue, RunMetric};
use crate::statistics::{Observation, SurvivalStep, kaplan_meier};
use serde::Serialize;

/// Survival over the passes at all design points.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SurvivalResult {
    /// Name of the response.
    pub response: String,
    /// Passes of a convoy in which no vehicle gets stuck.
    pub passes: u64,
    /// Results of each design point.
    pub points: Vec<PointSurvival>,
}

/// Survival at a design point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PointSurvival {
    /// Number, from 0.
    pub point: u64,
    /// Number of convoys.
    pub convoys: usize,
    /// Number of convoys in which all vehicles passed.
    pub censored: usize,
    /// Kaplan–Meier estimate of the fraction of convoys not stuck, after each pass in which one got
    /// stuck.
    pub steps: Vec<SurvivalStep>,
}

/// Computes the survival for every response that records passes.
pub(super) fn compute(study: &StudyResult<'_>) -> Vec<SurvivalResult> {
    let responses = study.config.responses.iter().enumerate();
    let of_passes = responses
        .filter(|(_, name)| RunMetric::from_response(name) == Some(RunMetric::PassesUntilStuck));
    let watched = |trial: &TrialResult, n: usize| match trial.responses.as_ref()?.get(n)? {
        ResponseValue::Number(pass) => Some(Observation { time: *pass, event: true }),
        _ => Some(Observation { time: study.vehicles as f64, event: false }),
    };
    let of_response = |(n, name): (usize, &String)| {
        let of_point = |(point, trials): (u64, Vec<&TrialResult>)| {
            let convoys: Vec<Observation> =
                trials.into_iter().filter_map(|trial| watched(trial, n)).collect();
            PointSurvival {
                point,
                convoys: convoys.len(),
                censored: convoys.iter().filter(|own| !own.event).count(),
                steps: kaplan_meier(&convoys),
            }
        };
        SurvivalResult {
            response: name.clone(),
            passes: study.vehicles,
            points: study.by_point().into_iter().map(of_point).collect(),
        }
    };
    of_passes.map(of_response).collect()
}
