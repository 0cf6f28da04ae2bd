//! Question that a study answers.

use super::run_metric::RunMetric;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Question of a study: a response to compare, a goal, and the factor whose levels are compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Question")]
pub struct StudyQuestion {
    /// Name of one of the study's responses.
    pub response: String,
    /// Whether a larger or a smaller response is better. Where absent, larger is better for `go`,
    /// `completed`, distances, speeds and shares. Smaller is better for energy, fuel, time, slip,
    /// sinkage and counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<Goal>,
    /// Factor whose levels are compared. Where absent, it is the factor with the largest effect on
    /// the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub factor: Option<String>,
}

/// Direction in which a response is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// A larger response is better.
    Maximize,
    /// A smaller response is better.
    Minimize,
}

impl Goal {
    /// Returns the usual goal of a response; `None` for states, events and responses without a
    /// mean.
    pub fn from_response(response: &str) -> Option<Goal> {
        use RunMetric::*;
        match RunMetric::from_response(response)? {
            Go | Completed | Distance | SpeedMadeGood | Detected | Explored => Some(Goal::Maximize),
            MeanSlip | MaxSinkage | DriveEnergy | Fuel | DrivingTime | Collisions | GearShifts
            | AbsorbedPower | TimeToComplete | CumulativeThrottle | TotalFuel | MapBytes
            | Sensitive => Some(Goal::Minimize),
            Outcome | PassesUntilStuck => None,
        }
    }

    /// Compares two values, the better one first.
    pub fn order(self, a: f64, b: f64) -> std::cmp::Ordering {
        match self {
            Goal::Maximize => b.total_cmp(&a),
            Goal::Minimize => a.total_cmp(&b),
        }
    }
}
