//! Whether a study's answers would move if its trials were driven more finely: the same trials
//! again by half the step, and over nodes half as far apart, each compared with itself.

use super::response::{Response, Value};
use super::study_file::{Study, Trial};
use bekker_rig::Refinement;
use bekker_scenario::Inputs;
use serde::Serialize;

/// How a response moves when trials are driven more finely.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shift {
    /// What was refined.
    pub refinement: Refinement,
    /// The response.
    pub response: String,
    /// Its unit; empty of what has none.
    pub unit: String,
    /// Trials of which it is a number both times.
    pub trials: usize,
    /// Trials of which it is another word, yes for no, or a number only once.
    pub differ: usize,
    /// Its mean over these trials as they are asked for; none where there are none.
    pub mean: Option<f64>,
    /// By how much it is more when refined, in the mean.
    pub shift: Option<f64>,
    /// The root of the mean square of that.
    pub rms: Option<f64>,
    /// The most that it moves, either way.
    pub most: Option<f64>,
}

impl Study {
    /// A trial driven more finely, or why there is none.
    ///
    /// # Errors
    /// What the scenario is refused for. Whether it may be so fine, a drive tells.
    pub fn refined(&self, trial: &Trial, refinement: Refinement) -> Result<Trial, String> {
        let file = self
            .scenario_of(trial, Inputs::default())
            .map_err(|faults| self.reason(&faults.to_string()))?;
        let (key, own) = match refinement {
            Refinement::Step => ("time.step", file.scenario.time.step),
            Refinement::Spacing => ("ground.spacing", file.scenario.ground.spacing),
            Refinement::Extent => {
                return Err("a trial has the length that its scenario says".into());
            }
        };
        let mut finer = trial.clone();
        finer.sets.push(format!("{key}={}", 0.5 * own));
        Ok(finer)
    }
}

/// How each response moves from trials as they are asked for to the same when refined.
pub fn shifts(
    responses: &[Response],
    refinement: Refinement,
    pairs: &[(Vec<Value>, Vec<Value>)],
) -> Vec<Shift> {
    let of = |(index, response): (usize, &Response)| {
        let both = || pairs.iter().map(|(asked, refined)| (&asked[index], &refined[index]));
        let numbers: Vec<[f64; 2]> =
            both().filter_map(|(a, b)| Some([number(a)?, number(b)?])).collect();
        let moves: Vec<f64> = numbers.iter().map(|[asked, refined]| refined - asked).collect();
        let mean = |of: &dyn Fn(usize) -> f64| {
            let count = numbers.len();
            (count > 0).then(|| (0..count).map(of).sum::<f64>() / count as f64)
        };
        Shift {
            refinement,
            response: response.name.clone(),
            unit: response.unit().into(),
            trials: numbers.len(),
            differ: both().filter(|(a, b)| is_other(a, b)).count(),
            mean: mean(&|k| numbers[k][0]),
            shift: mean(&|k| moves[k]),
            rms: mean(&|k| moves[k] * moves[k]).map(f64::sqrt),
            most: moves.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs())).map(f64::abs),
        }
    };
    responses.iter().enumerate().map(of).collect()
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(x) => Some(*x),
        Value::Word(_) | Value::Absent => None,
    }
}

/// Whether two values are not the same answer: numbers are only where both are yes or no.
fn is_other(a: &Value, b: &Value) -> bool {
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a != b && [a, b].iter().all(|own| *own == 0.0 || *own == 1.0),
        _ => a != b,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Figure, Measure};
    use super::*;

    #[test]
    fn shifts_are_of_pairs() {
        let response = |name: &str, figure| Response {
            name: name.into(),
            vehicle: 0,
            measure: Measure::Figure(figure),
        };
        let responses = [
            response("go", Figure::Go),
            response("distance", Figure::Distance),
            response("outcome", Figure::Outcome),
        ];
        let values = |go: f64, distance: Option<f64>, outcome: &str| {
            let distance = distance.map_or(Value::Absent, Value::Number);
            vec![Value::Number(go), distance, Value::Word(outcome.into())]
        };
        let pairs = [
            (values(1.0, Some(10.0), "arrived"), values(1.0, Some(13.0), "arrived")),
            (values(1.0, Some(20.0), "arrived"), values(0.0, Some(16.0), "stuck")),
            (values(0.0, Some(5.0), "stuck"), values(0.0, None, "stuck")),
        ];
        let told = shifts(&responses, Refinement::Step, &pairs);
        let [go, distance, outcome] = &told[..] else { panic!("{told:?}") };
        assert_eq!((go.trials, go.differ), (3, 1));
        assert_eq!((outcome.trials, outcome.differ, outcome.mean), (0, 1, None));
        // moves of 3 and -4
        assert_eq!((distance.trials, distance.differ), (2, 1));
        assert_eq!(distance.mean, Some(15.0));
        assert_eq!(distance.shift, Some(-0.5));
        assert_eq!(distance.rms, Some(12.5_f64.sqrt()));
        assert_eq!(distance.most, Some(4.0));
    }
}
