//! What is said of many runs: proportions, survival, means and paired differences, each with
//! its interval.

mod moments;
mod proportion;
mod survival;

pub use moments::{Moments, paired_difference};
pub use proportion::{clopper_pearson, jeffreys, wilson};
pub use survival::{Observation, SurvivalStep, kaplan_meier};
