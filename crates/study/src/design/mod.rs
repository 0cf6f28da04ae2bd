//! Designs of studies: one scenario driven many times, with some of its keys changed.
//!
//! A [`Study`] is read from a file and validated against its schema ([`StudyConfig`]) and its
//! scenario. Each of its design points is a combination of factor levels. Each point has
//! `replications` [`Trial`]s, numbered from 0, point by point.
//!
//! Random draws depend only on the study's seed, the factor's name and the point. So a new factor
//! leaves the levels of the others unchanged.

mod config;
mod distribution;
mod drive;
mod event_kind;
mod faults;
mod figure;
mod key_unit;
mod points;
mod quantiles;
mod question;
mod refined;
mod response;
mod saltelli;
mod sobol;
mod state_column;
mod stopping;
mod study_file;
mod table;
mod watch;

pub use config::{Design, Factor, Level, NamedLevel, StudyConfig};
pub use distribution::Distribution;
pub use drive::{Driven, Ending, drive};
pub use event_kind::{EventKind, EventMeasure};
pub use figure::Figure;
pub use question::{Goal, Question};
pub use refined::{Shift, shifts};
pub use response::{Measure, Response, Value};
pub(super) use saltelli::Order as SaltelliOrder;
#[cfg(test)]
pub(super) use saltelli::columns as saltelli_columns;
pub use state_column::{Extreme, StateColumn};
pub use stopping::{Extent, Seen, Stop, extent};
pub use study_file::{Study, Trial, schema};
