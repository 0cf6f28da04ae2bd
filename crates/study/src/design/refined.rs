//! Convergence check of a study's results.
//!
//! The same trials are driven again with half the time step, and with half the node spacing. Each
//! is compared with its original.

use super::response::{Response, ResponseValue};
use super::study_file::{Study, Trial};
use bekker_rig::Refinement;
use bekker_scenario::Inputs;
use serde::Serialize;

/// Change of a response under refinement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResponseShift {
    /// Refinement applied.
    pub refinement: Refinement,
    /// Name of the response.
    pub response: String,
    /// Unit; empty if dimensionless.
    pub unit: String,
    /// Number of trials with a numeric response in both cases.
    pub trials: usize,
    /// Number of trials whose word or yes/no changed, or whose response is numeric in only one
    /// case.
    pub differ: usize,
    /// Mean over the numeric trials without refinement; `None` without such trials.
    pub mean: Option<f64>,
    /// Mean change under refinement.
    pub shift: Option<f64>,
    /// Root mean square of the change.
    pub rms: Option<f64>,
    /// Greatest magnitude of the change.
    pub most: Option<f64>,
}

impl Study {
    /// Returns a trial with a refinement.
    ///
    /// # Errors
    /// Faults of the scenario. Whether the scenario allows the finer value is only checked by
    /// driving.
    pub fn refined_trial(&self, trial: &Trial, refinement: Refinement) -> Result<Trial, String> {
        let file = self
            .trial_scenario(trial, Inputs::default())
            .map_err(|diagnostics| self.portable_reason(&diagnostics.to_string()))?;
        let (key, own) = match refinement {
            Refinement::Step => ("time.step", file.scenario.time.step),
            Refinement::Spacing => ("ground.spacing", file.scenario.ground.spacing),
            Refinement::Extent => {
                return Err("the duration of a trial is fixed by its scenario".into());
            }
        };
        let mut finer = trial.clone();
        finer.sets.push(format!("{key}={}", 0.5 * own));
        Ok(finer)
    }
}

/// Computes the change of each response between pairs of original and refined trials.
pub fn response_shifts(
    responses: &[Response],
    refinement: Refinement,
    pairs: &[(Vec<ResponseValue>, Vec<ResponseValue>)],
) -> Vec<ResponseShift> {
    let of = |(index, response): (usize, &Response)| {
        let both = || pairs.iter().map(|(asked, refined)| (&asked[index], &refined[index]));
        let numbers: Vec<[f64; 2]> =
            both().filter_map(|(a, b)| Some([number(a)?, number(b)?])).collect();
        let moves: Vec<f64> = numbers.iter().map(|[asked, refined]| refined - asked).collect();
        let mean = |of: &dyn Fn(usize) -> f64| {
            let count = numbers.len();
            (count > 0).then(|| (0..count).map(of).sum::<f64>() / count as f64)
        };
        ResponseShift {
            refinement,
            response: response.name.clone(),
            unit: response.unit().into(),
            trials: numbers.len(),
            differ: both().filter(|(a, b)| differs(a, b)).count(),
            mean: mean(&|k| numbers[k][0]),
            shift: mean(&|k| moves[k]),
            rms: mean(&|k| moves[k] * moves[k]).map(f64::sqrt),
            most: moves.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs())).map(f64::abs),
        }
    };
    responses.iter().enumerate().map(of).collect()
}

fn number(value: &ResponseValue) -> Option<f64> {
    match value {
        ResponseValue::Number(x) => Some(*x),
        ResponseValue::Word(_) | ResponseValue::Absent => None,
    }
}

/// Returns whether two values are different answers; numbers are only compared if both are yes or
/// no.
fn differs(a: &ResponseValue, b: &ResponseValue) -> bool {
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a != b && [a, b].iter().all(|own| *own == 0.0 || *own == 1.0),
        _ => a != b,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Measure, RunMetric};
    use super::*;

    #[test]
    fn shifts_are_of_pairs() {
        let response = |name: &str, metric| Response {
            name: name.into(),
            vehicle: 0,
            measure: Measure::Run(metric),
        };
        let responses = [
            response("go", RunMetric::Go),
            response("distance", RunMetric::Distance),
            response("outcome", RunMetric::Outcome),
        ];
        let values = |go: f64, distance: Option<f64>, outcome: &str| {
            let distance = distance.map_or(ResponseValue::Absent, ResponseValue::Number);
            vec![ResponseValue::Number(go), distance, ResponseValue::Word(outcome.into())]
        };
        let pairs = [
            (values(1.0, Some(10.0), "arrived"), values(1.0, Some(13.0), "arrived")),
            (values(1.0, Some(20.0), "arrived"), values(0.0, Some(16.0), "stuck")),
            (values(0.0, Some(5.0), "stuck"), values(0.0, None, "stuck")),
        ];
        let told = response_shifts(&responses, Refinement::Step, &pairs);
        let [go, distance, outcome] = &told[..] else { panic!("{told:?}") };
        assert_eq!((go.trials, go.differ), (3, 1));
        assert_eq!((outcome.trials, outcome.differ, outcome.mean), (0, 1, None));
        // changes of 3 and -4
        assert_eq!((distance.trials, distance.differ), (2, 1));
        assert_eq!(distance.mean, Some(15.0));
        assert_eq!(distance.shift, Some(-0.5));
        assert_eq!(distance.rms, Some(12.5_f64.sqrt()));
        assert_eq!(distance.most, Some(4.0));
    }
}
