//! `[endings]`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When a drive ends before the run does. One that is no longer finite or has left the
/// terrain always ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Endings {
    /// Whether a vehicle that wants to move and does not get on is immobilised; else it is
    /// let try on.
    pub immobilised: bool,
    /// Time for which it has not got on, s.
    #[schemars(range(min = 0.1, max = 604_800.0), extend("unit" = "s"))]
    pub immobilised_after: f64,
    /// Way by which it would have got on in the direction that it wants to go, m.
    #[schemars(range(min = 0.01, max = 100.0), extend("unit" = "m"))]
    pub immobilised_way: f64,
    /// Whether a vehicle that has overturned ends; else it goes on lying.
    pub overturned: bool,
    /// Tilt of the chassis from the vertical from which it has, degrees.
    #[schemars(range(min = 30.0, max = 175.0), extend("unit" = "deg"))]
    pub overturned_tilt_deg: f64,
    /// Whether a vehicle ends whose wheels or tracks are, on average, wholly below the
    /// undisturbed ground.
    pub sunk: bool,
    /// Whether a drive ends where its vehicle arrives; else it goes on standing there. A run ends
    /// with the last drive.
    pub arrived: bool,
    /// What becomes of a drive whose vehicle runs into something, or is run into, so that its
    /// speed changes by 0.1 m/s at least.
    pub collision: CollisionPolicy,
}

/// What a collision makes of a drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CollisionPolicy {
    /// It ends: the vehicle stands where it is.
    Stop,
    /// It goes on.
    #[default]
    GoOn,
}

impl Default for Endings {
    fn default() -> Endings {
        Endings {
            immobilised: true,
            immobilised_after: 4.0,
            immobilised_way: 0.2,
            overturned: true,
            overturned_tilt_deg: 80.0,
            sunk: true,
            arrived: false,
            collision: CollisionPolicy::GoOn,
        }
    }
}

impl Endings {
    /// Whether nothing is said about it.
    pub fn is_default(&self) -> bool {
        *self == Endings::default()
    }
}
