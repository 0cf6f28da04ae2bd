//! Designs of studies: one scenario driven many times, with some of its keys at other values.
//!
//! A [`Study`] is read from a file, held to its schema ([`StudyConfig`]) and to its scenario. It
//! has design points, one a combination of its factors' levels, and `replications` of each: its
//! [`Trial`]s, numbered from 0, point by point. What is drawn is a function of the study's seed,
//! the factor's name and the point alone, so a new factor leaves the others' levels as they are.

mod config;
mod drive;
mod points;
mod response;
mod study_file;

pub use config::{Design, Factor, Level, StudyConfig};
pub use drive::{Ending, drive};
pub use response::{Figure, Response, Value};
pub use study_file::{Study, Trial, schema};
