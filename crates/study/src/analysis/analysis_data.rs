//! Selection of the trials for a statistic, and grouping of dependent trials.
//!
//! Totals of a drive use the trials that arrived. With common random numbers, replication r has the
//! same seed at all design points, so its trials share their ground and form one cluster. In a
//! design that draws its points, the replications of a point share its levels and form one cluster.

use super::{StudyResult, TrialResult};
use crate::design::{DesignKind, RunMetric, StudyConfig};
use crate::statistics::{clustered_mean, clustered_proportion};
use bekker_rig::ParameterEstimate;
use serde::Serialize;

/// Trials used by statistics, and their independence.
#[derive(Clone, Debug)]
pub(super) struct AnalysisData<'a> {
    pub study: StudyResult<'a>,
    /// For each total, the index of the response that states whether its drive arrived.
    ///
    /// `None` for other responses, and if no trial of the study arrived. In that case all drives
    /// ended for other reasons, such as the time limit, and totals use all trials.
    arrivals: Vec<Option<usize>>,
}

/// Trials that a total excludes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExcludedTrials {
    /// Name of the total.
    pub response: String,
    /// Number of trials that did not arrive.
    pub trials: u64,
    /// Number of trials with a result.
    pub of: u64,
}

impl<'a> AnalysisData<'a> {
    pub fn new(study: &StudyResult<'a>) -> AnalysisData<'a> {
        let responses = &study.config.responses;
        let arrival = |name: &String| {
            let arrival = RunMetric::arrival_response(name)?;
            let place = responses.iter().position(|own| *own == arrival)?;
            study.trials.iter().any(|trial| trial.number(place) == Some(1.0)).then_some(place)
        };
        AnalysisData { study: *study, arrivals: responses.iter().map(arrival).collect() }
    }

    /// Returns whether a response excludes trials that did not arrive.
    pub fn is_conditioned(&self, response: usize) -> bool {
        self.arrivals.get(response).copied().flatten().is_some()
    }

    /// Returns whether a trial counts for a response; for a total, whether its drive arrived.
    pub fn counts(&self, trial: &TrialResult, response: usize) -> bool {
        match self.arrivals.get(response).copied().flatten() {
            Some(arrival) => trial.number(arrival) == Some(1.0),
            None => true,
        }
    }

    /// Returns a response of a trial if it is a number that counts.
    pub fn number(&self, trial: &TrialResult, response: usize) -> Option<f64> {
        trial.number(response).filter(|_| self.counts(trial, response))
    }

    /// Returns the trials that each total excludes; totals that use all trials are absent.
    pub fn left_out(&self) -> Vec<ExcludedTrials> {
        let of_response = |(n, name): (usize, &String)| {
            let done = self.study.trials.iter().filter(|trial| trial.number(n).is_some());
            let (mut of, mut trials) = (0, 0);
            for trial in done {
                of += 1;
                trials += u64::from(!self.counts(trial, n));
            }
            (trials > 0).then(|| ExcludedTrials { response: name.clone(), trials, of })
        };
        self.study.config.responses.iter().enumerate().filter_map(of_response).collect()
    }

    /// Returns the cluster numbers of the trials for each kind of dependence: shared seeds, shared
    /// points.
    ///
    /// Within one point replications are independent, so the point is no cluster there.
    pub fn clusterings(&self, trials: &[&TrialResult]) -> Vec<Vec<u64>> {
        let by = |of: fn(&TrialResult) -> u64| trials.iter().map(|trial| of(trial)).collect();
        let mut found: Vec<Vec<u64>> = Vec::new();
        if shares_seeds(self.study.config) {
            found.push(by(|trial| trial.replication));
        }
        let is_one_point = trials.windows(2).all(|pair| pair[0].point == pair[1].point);
        if is_drawn(self.study.config) && self.study.config.replications > 1 && !is_one_point {
            found.push(by(|trial| trial.point));
        }
        found
    }

    /// Returns Student's interval of the mean of numbers, one per trial.
    pub fn mean(&self, numbers: &[(&TrialResult, f64)]) -> Option<ParameterEstimate> {
        let (trials, values): (Vec<&TrialResult>, Vec<f64>) = numbers.iter().copied().unzip();
        clustered_mean(&values, &self.clusterings(&trials))
    }

    /// Returns Wilson's interval of the fraction of yes.
    pub fn proportion(&self, answers: &[(&TrialResult, bool)], confidence: f64) -> [f64; 2] {
        let (trials, yes): (Vec<&TrialResult>, Vec<bool>) = answers.iter().copied().unzip();
        clustered_proportion(&yes, &self.clusterings(&trials), confidence)
    }
}

/// Returns whether trials of several design points share the seed of the scenario.
pub(super) fn shares_seeds(config: &StudyConfig) -> bool {
    // in a drawn design with one replication all trials have one seed: there the points are the
    // sample, and `assumption` states that there is a single seed
    config.common_random_numbers && (config.replications > 1 || !is_drawn(config))
}

/// Returns whether the design points are themselves a random sample.
pub(super) fn is_drawn(config: &StudyConfig) -> bool {
    !matches!(config.design, DesignKind::FullFactorial | DesignKind::Table)
}

/// Returns a sentence that states which trials the intervals treat as independent.
pub(super) fn assumption(config: &StudyConfig) -> String {
    match (config.common_random_numbers, config.replications) {
        (false, _) => {
            "Each trial has its own scenario seed; all are treated as independent.".into()
        }
        (true, 1) => "All trials have the same scenario seed: the results hold for that one \
            ground, and the intervals do not cover other grounds."
            .into(),
        (true, seeds) => format!(
            "All design points use the same {seeds} scenario seeds: intervals over several points \
             group the trials of one seed, and differences are paired by seed."
        ),
    }
}
