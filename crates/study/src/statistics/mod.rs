//! Statistics of many runs, each with its interval or error.
//!
//! They are proportions, survival, means and paired differences, logistic regression, variance
//! decomposition, and a surrogate between the runs.

mod anytime;
mod anytime_mean;
mod clustered;
mod kriging;
mod likelihood;
mod logistic;
mod lognormal;
mod moments;
mod proportion;
mod sobol_indices;
mod surrogate;
mod survival;

pub use anytime::anytime_valid;
pub use anytime_mean::AnytimeMean;
pub use clustered::{clustered_mean, clustered_proportion, clustered_variance};
pub use kriging::{Kriging, KrigingError};
pub use likelihood::{NormalOrLognormal, Quantile, normal_or_lognormal, probability_plot};
pub use logistic::{
    LogisticError, LogisticFit, logistic_regression, logistic_regression_clustered,
};
pub use lognormal::{lognormal_mean, lognormal_mean_of_few};
pub use moments::{SampleMoments, paired_difference};
pub use proportion::{clopper_pearson, jeffreys, wilson, wilson_effective};
pub use sobol_indices::{IndicesError, SaltelliValues, SobolIndices, sobol_indices};
pub use surrogate::{Surrogate, SurrogateFit};
pub use survival::{Observation, SurvivalStep, kaplan_meier};

/// An estimate with its bounds.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Interval {
    /// Best estimate.
    pub value: f64,
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}
