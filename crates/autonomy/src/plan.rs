//! What the slow part of driving hands to the fast one.

use bekker_vehicle::driver::Path;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A local path with the speeds along it; plain data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// When the scan was taken that it was made from, s.
    pub time: f64,
    /// Where it leads in the end, m.
    pub goal: Option<[f64; 2]>,
    /// Path of the middle of the rear axle; nothing where none is feasible.
    #[serde(serialize_with = "points", deserialize_with = "path")]
    pub path: Option<Path>,
    /// Speeds allowed at its points, m/s.
    pub speeds: Vec<f64>,
    /// Station up to which the ground before the vehicle's front is known, m.
    pub known: f64,
    /// How near to the goal is near enough, m, if others that stand there widen it.
    pub near_enough: f64,
    /// Whether the path ends at the goal.
    pub ends: bool,
    /// Whether a route to the goal is known; else it leads to as near as can be reached.
    pub arrives: bool,
    /// Whether the local path turns the vehicle round, off the route.
    pub turns: bool,
    /// How far the vehicle could go on its way back from where it was, m.
    pub behind: f64,
    /// Where it turns round: the way of the rear axle backward that turns it on, m, if there is one.
    pub back: Vec<[f64; 2]>,
    /// Whether the route lies behind it, where it turns round.
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
