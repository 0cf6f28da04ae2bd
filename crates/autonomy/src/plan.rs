//! The result of planning, which the fast part follows.

use bekker_vehicle::driver::Path;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A local path with the speeds along it; plain data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LocalPlan {
    /// Time of the scan from which the plan was made, s.
    pub time: f64,
    /// Goal of the route, m.
    pub goal: Option<[f64; 2]>,
    /// Path of the center of the rear axle; `None` where none is feasible.
    #[serde(serialize_with = "points", deserialize_with = "path")]
    pub path: Option<Path>,
    /// Largest speeds at the points of the path, m/s.
    pub speeds: Vec<f64>,
    /// Station up to which the ground in front of the vehicle is known, m.
    pub known: f64,
    /// Arrival radius of the goal, m, which other vehicles stopped there may widen.
    pub near_enough: f64,
    /// Whether the path ends at the goal.
    pub ends: bool,
    /// Whether a route to the goal is known; otherwise the route leads as near as possible.
    pub arrives: bool,
    /// Whether the local path turns the vehicle around, off the route.
    pub turns: bool,
    /// Distance that the vehicle can back off along its path, m.
    pub behind: f64,
    /// Arc of the rear axle backward that continues the turn, m; empty without one.
    pub back: Vec<[f64; 2]>,
    /// Whether the route lies behind the vehicle while it turns around.
    pub is_behind: bool,
    /// The route, m.
    pub route: Vec<[f64; 2]>,
}

fn points<S: Serializer>(path: &Option<Path>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(Path::points).serialize(serializer)
}

fn path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Path>, D::Error> {
    let points = Option::<Vec<[f64; 2]>>::deserialize(deserializer)?;
    points.map(|points| Path::polyline(&points)).transpose().map_err(serde::de::Error::custom)
}
