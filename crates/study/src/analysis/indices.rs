//! Variance decomposition of a response for the design `saltelli`.

use super::analysis_data::AnalysisData;
use crate::design::SaltelliOrder;
use crate::statistics::{SaltelliValues, SobolIndices, sobol_indices};
use serde::Serialize;

/// Greatest number of trials named in a message.
const NAMED: usize = 10;

/// Sobol' indices of a response; with replications, of their mean.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IndicesResult {
    /// Names of the factors.
    pub factors: Vec<String>,
    /// Their indices.
    #[serde(flatten)]
    pub indices: SobolIndices,
}

/// Computes the indices of a numeric response over all finished base points.
///
/// A trial without a value would bias all indices, so it is an error that names the trial.
pub(super) fn compute(data: &AnalysisData<'_>, response: usize) -> Result<IndicesResult, String> {
    let study = &data.study;
    let config = study.config;
    let factors = config.factor.len();
    let order = SaltelliOrder::new(factors, config.second_order);
    let tables = order.rows();
    let whole = tables * config.replications as usize;
    let points = study.trials.len() / whole;
    let trials = &study.trials[..points * whole];
    let short = trials.iter().filter(|own| own.number(response).is_some());
    let short: Vec<u64> =
        short.filter(|own| !data.counts(own, response)).map(|own| own.number).collect();
    if !short.is_empty() {
        return Err(format!(
            "trials {} did not arrive; their drives ended early, which would bias the indices",
            list_trials(&short)
        ));
    }
    let is_lost = |value: Option<f64>| value.is_none_or(|value| !value.is_finite());
    let lost = trials.iter().filter(|trial| is_lost(trial.number(response)));
    let lost: Vec<u64> = lost.map(|trial| trial.number).collect();
    if !lost.is_empty() {
        return Err(format!(
            "trials {} have no numeric value, which would bias the indices",
            list_trials(&lost)
        ));
    }
    let replications = config.replications as usize;
    let mean = |trials: &[super::TrialResult]| {
        trials.iter().filter_map(|own| own.number(response)).sum::<f64>() / trials.len() as f64
    };
    let values: Vec<f64> = trials.chunks(replications).map(mean).collect();
    let table = |n: usize| (0..points).map(|point| values[point * tables + n]).collect();
    let a_with_b = (0..factors).map(|n| table(order.a_with_b(n))).collect();
    let pairs = if config.second_order { factors } else { 0 };
    let b_with_a = (0..pairs).map(|n| table(order.b_with_a(n))).collect();
    let values = SaltelliValues { a: table(order.a()), b: table(order.b()), a_with_b, b_with_a };
    Ok(IndicesResult {
        factors: config.factor.iter().map(|factor| factor.name.clone()).collect(),
        indices: sobol_indices(&values, config.seed).map_err(|error| error.to_string())?,
    })
}

/// Lists some trials by number, and their total number.
fn list_trials(trials: &[u64]) -> String {
    let names: Vec<String> = trials.iter().take(NAMED).map(u64::to_string).collect();
    let more = if trials.len() > NAMED { ", ..." } else { "" };
    format!("{}{more} ({} in total)", names.join(", "), trials.len())
}
