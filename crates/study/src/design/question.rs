//! The question that a study answers.

use super::figure::Figure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The response to compare, the goal, and the factor whose levels are compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// One of the study's responses.
    pub response: String,
    /// Whether more of it is better, or less. Unless given, more of `go`, `completed`, distances,
    /// speeds and shares, and less of energy, fuel, time, slip, sinkage and counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<Goal>,
    /// The factor whose levels are compared. Unless given, the one that moves the response most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub factor: Option<String>,
}

/// Which way is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// More.
    Maximize,
    /// Less.
    Minimize,
}

impl Goal {
    /// The usual goal of a response; `None` for states, events and responses without a mean.
    pub fn of_response(response: &str) -> Option<Goal> {
        use Figure::*;
        match Figure::of_response(response)? {
            Go | Completed | Distance | SpeedMadeGood | Detected | Explored => Some(Goal::Maximize),
            MeanSlip | MaxSinkage | DriveEnergy | Fuel | DrivingTime | Collisions | GearShifts
            | AbsorbedPower | TimeToComplete | CumulativeThrottle | TotalFuel | MapBytes => {
                Some(Goal::Minimize)
            }
            Outcome | PassesUntilStuck => None,
        }
    }

    /// Orders two values, the better one first.
    pub fn order(self, a: f64, b: f64) -> std::cmp::Ordering {
        match self {
            Goal::Maximize => b.total_cmp(&a),
            Goal::Minimize => a.total_cmp(&b),
        }
    }
}
