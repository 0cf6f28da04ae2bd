//! Passes until a vehicle sticks: the convoys that all passed are censored, not left out.

use super::{StudyResult, TrialResult};
use crate::design::{Figure, Value};
use crate::statistics::{Observation, SurvivalStep, kaplan_meier};
use serde::Serialize;

/// Survival over the passes at all design points.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SurvivalFigures {
    /// The response.
    pub response: String,
    /// Passes that a convoy makes if none sticks.
    pub passes: u64,
    /// Each design point.
    pub points: Vec<SurvivalOf>,
}

/// Survival at a design point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SurvivalOf {
    /// Its number, from 0.
    pub point: u64,
    /// Convoys.
    pub convoys: usize,
    /// Those that all passed.
    pub censored: usize,
    /// Part of convoys that is not stuck after each pass in which one stuck, by Kaplan and Meier.
    pub steps: Vec<SurvivalStep>,
}

/// Of every response that tells of it.
pub(super) fn of_study(study: &StudyResult<'_>) -> Vec<SurvivalFigures> {
    let responses = study.config.responses.iter().enumerate();
    let of_passes =
        responses.filter(|(_, name)| Figure::of_response(name) == Some(Figure::PassesUntilStuck));
    let watched = |trial: &TrialResult, n: usize| match trial.responses.as_ref()?.get(n)? {
        Value::Number(pass) => Some(Observation { time: *pass, event: true }),
        _ => Some(Observation { time: study.vehicles as f64, event: false }),
    };
    let of_response = |(n, name): (usize, &String)| {
        let of_point = |(point, trials): (u64, Vec<&TrialResult>)| {
            let convoys: Vec<Observation> =
                trials.into_iter().filter_map(|trial| watched(trial, n)).collect();
            SurvivalOf {
                point,
                convoys: convoys.len(),
                censored: convoys.iter().filter(|own| !own.event).count(),
                steps: kaplan_meier(&convoys),
            }
        };
        SurvivalFigures {
            response: name.clone(),
            passes: study.vehicles,
            points: study.by_point().into_iter().map(of_point).collect(),
        }
    };
    of_passes.map(of_response).collect()
}
