//! Designs of studies: one scenario driven many times, with some of its keys changed.
//!
//! A [`Study`] is read from a file and validated against its schema ([`StudyConfig`]) and its
//! scenario. Each of its design points is a combination of factor levels. Each point has
//! `replications` [`Trial`]s, numbered from 0, point by point.
//!
//! Random draws depend only on the study's seed, the factor's name and the point. So a new factor
//! leaves the levels of the others unchanged.

mod config;
mod diagnostics;
mod distribution;
mod event_kind;
mod key_unit;
mod perturbation;
mod perturbed_run;
mod points;
mod quantiles;
mod question;
mod refined;
mod response;
mod run_metric;
mod saltelli;
mod sobol;
mod state_column;
mod stopping;
mod study_file;
mod table;
mod trial_observer;
mod trial_run;

pub use config::{DesignKind, Factor, LevelValue, NamedLevel, StudyConfig};
pub use distribution::Distribution;
pub use event_kind::{EventKind, EventMeasure};
pub use perturbation::{Perturbation, STRENGTH, perturbed_strength};
pub use perturbed_run::{PerturbedRun, run_copy, run_trial_with_copies, share_otherwise};
pub use question::{Goal, StudyQuestion};
pub use refined::{ResponseShift, response_shifts};
pub use response::{Measure, Response, ResponseValue};
pub use run_metric::RunMetric;
pub(super) use saltelli::SaltelliOrder;
#[cfg(test)]
pub(super) use saltelli::columns as saltelli_columns;
pub use state_column::{Extreme, StateColumn};
pub use stopping::{Stop, StudyExtent, TrialOutcome, extent};
pub use study_file::{Study, Trial, schema};
pub use trial_run::{TrialEnding, TrialRun, VehicleExceedance, run_trial};
