//! Copies of a trial with perturbed soil strength, which show whether an outcome is sensitive.

use super::perturbation::{STRENGTH, perturbed_strength};
use super::response::{Measure, Response, ResponseValue};
use super::run_metric::RunMetric;
use super::study_file::{Study, Trial};
use super::trial_observer::TrialObserver;
use super::trial_run::{TrialEnding, TrialRun, drive_trial, run_trial};
use bekker_agent::OutcomeCode;
use bekker_scenario::Inputs;
use bekker_scenario::build::AssetCache;
use std::sync::atomic::AtomicBool;

/// How a copy of a trial ended.
#[derive(Clone, Debug, PartialEq)]
pub struct PerturbedRun {
    /// Strength of all soils as a factor of that of the trial.
    pub factor: f64,
    /// Outcome of each vehicle; all are failed if the copy has no result.
    pub outcomes: Vec<OutcomeCode>,
    /// Hash of the final state, hexadecimal; empty if there is none.
    pub state_hash: String,
}

impl Study {
    /// Returns the number of drives of each trial: itself and its copies.
    pub fn drives_per_trial(&self) -> u64 {
        1 + self.config.perturb.map_or(0, |own| own.copies)
    }

    /// Returns a copy of a trial whose soils have a `factor` of the strength.
    ///
    /// # Errors
    /// Faults of the scenario.
    fn perturbed_trial(&self, trial: &Trial, factor: f64) -> Result<Trial, String> {
        let file = self
            .trial_scenario(trial, Inputs::default())
            .map_err(|diagnostics| self.portable_reason(&diagnostics.to_string()))?;
        let strength = perturbed_strength(file.scenario.soil.strength, factor);
        let mut copy = trial.clone();
        copy.sets.push(format!("{STRENGTH}={strength:?}"));
        Ok(copy)
    }
}

/// Drives a copy of a trial on this thread; `None` after an interruption.
pub fn run_copy(
    study: &Study,
    trial: &Trial,
    copy: u64,
    assets: &AssetCache,
    interrupted: &AtomicBool,
) -> Option<PerturbedRun> {
    let factor = study.config.perturb.unwrap_or_default().factor(copy);
    let ending = match study.perturbed_trial(trial, factor) {
        Ok(copy) => {
            let observer = TrialObserver::new(&[]);
            drive_trial(study, &copy, observer, assets, interrupted).ending
        }
        Err(reason) => TrialEnding::Failed { reason, state_hash: String::new() },
    };
    match ending {
        TrialEnding::Done { outcomes, state_hash, .. } => {
            Some(PerturbedRun { factor, outcomes, state_hash })
        }
        TrialEnding::Failed { state_hash, .. } => {
            let vehicles = study.base.scenario.vehicle.len();
            Some(PerturbedRun { factor, outcomes: vec![OutcomeCode::Failed; vehicles], state_hash })
        }
        TrialEnding::Interrupted => None,
    }
}

/// Drives a trial and its copies on this thread, one after the other.
pub fn run_trial_with_copies(
    study: &Study,
    trial: &Trial,
    assets: &AssetCache,
    interrupted: &AtomicBool,
) -> TrialRun {
    let run = run_trial(study, trial, assets, interrupted);
    if !matches!(run.ending, TrialEnding::Done { .. }) {
        return run;
    }
    let copies = 0..study.drives_per_trial() - 1;
    let copies: Option<Vec<PerturbedRun>> =
        copies.map(|copy| run_copy(study, trial, copy, assets, interrupted)).collect();
    match copies {
        Some(copies) => run.with_copies(&study.responses, &copies),
        None => TrialRun { ending: TrialEnding::Interrupted, ..run },
    }
}

impl TrialRun {
    /// Sets the responses that compare the outcomes of the trial with those of its copies.
    pub fn with_copies(mut self, asked: &[Response], copies: &[PerturbedRun]) -> TrialRun {
        if let TrialEnding::Done { responses, outcomes, .. } = &mut self.ending {
            for (value, response) in responses.iter_mut().zip(asked) {
                if response.measure == Measure::Run(RunMetric::Sensitive)
                    && let Some(share) = share_otherwise(outcomes, copies, response.vehicle)
                {
                    *value = ResponseValue::Number(share);
                }
            }
        }
        self
    }
}

/// Returns the share of the copies in which a vehicle has another outcome code; `None` without
/// copies.
pub fn share_otherwise(
    outcomes: &[OutcomeCode],
    copies: &[PerturbedRun],
    vehicle: usize,
) -> Option<f64> {
    let own = outcomes.get(vehicle)?;
    let others = copies.iter().filter(|copy| copy.outcomes.get(vehicle) != Some(own)).count();
    (!copies.is_empty()).then(|| others as f64 / copies.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_of_copies_with_another_code() {
        use OutcomeCode::{Arrived, Immobilized, UnderWay};
        let copy = |outcomes: [OutcomeCode; 2]| PerturbedRun {
            factor: 1.0,
            outcomes: outcomes.to_vec(),
            state_hash: String::new(),
        };
        let copies =
            [[Arrived, Arrived], [Immobilized, Arrived], [Arrived, Arrived], [UnderWay, Arrived]]
                .map(copy);
        let share = |vehicle| share_otherwise(&[Arrived, Arrived], &copies, vehicle);
        assert_eq!((share(0), share(1), share(2)), (Some(0.5), Some(0.0), None));
        assert_eq!(share_otherwise(&[Arrived], &[], 0), None);
    }
}
