//! `[endings]`: conditions that end drives.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Conditions that end a drive before the run ends. A drive always ends when its state is no longer
/// finite or its vehicle leaves the terrain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Endings")]
pub struct EndingsConfig {
    /// Whether an immobilized vehicle ends its drive. A vehicle is immobilized if it requests drive
    /// and does not advance. Otherwise it continues to try.
    #[serde(alias = "immobilised")]
    pub immobilized: bool,
    /// Time without advance after which a vehicle is immobilized, s.
    #[schemars(range(min = 0.1, max = 604_800.0), extend("unit" = "s"))]
    #[serde(alias = "immobilised_after")]
    pub immobilized_after: f64,
    /// Distance in the requested direction that counts as advance, m.
    #[schemars(range(min = 0.01, max = 100.0), extend("unit" = "m"))]
    #[serde(alias = "immobilised_way")]
    pub immobilized_distance: f64,
    /// Whether a drive ends when its vehicle overturns. Otherwise the drive continues with the
    /// vehicle overturned.
    pub overturned: bool,
    /// Tilt of the chassis from the vertical above which a vehicle counts as overturned, degrees.
    #[schemars(range(min = 30.0, max = 175.0), extend("unit" = "deg"))]
    pub overturned_tilt_deg: f64,
    /// Whether a drive ends when the wheels or tracks of its vehicle are, on average, wholly below
    /// the undisturbed ground.
    pub sunk: bool,
    /// Whether a drive ends when its vehicle arrives. Otherwise the vehicle stays there. A run ends
    /// with the last drive.
    pub arrived: bool,
    /// Effect of a collision on a drive. A collision counts if it changes the speed of the vehicle
    /// by at least 0.1 m/s.
    pub collision: CollisionPolicy,
}

/// Effect of a collision on a drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CollisionPolicy {
    /// The drive ends, and the vehicle stays where it is.
    Stop,
    /// The drive continues.
    #[default]
    GoOn,
}

impl Default for EndingsConfig {
    fn default() -> EndingsConfig {
        EndingsConfig {
            immobilized: true,
            immobilized_after: 4.0,
            immobilized_distance: 0.2,
            overturned: true,
            overturned_tilt_deg: 80.0,
            sunk: true,
            arrived: false,
            collision: CollisionPolicy::GoOn,
        }
    }
}

impl EndingsConfig {
    /// Returns whether all keys have their default values.
    pub fn is_default(&self) -> bool {
        *self == EndingsConfig::default()
    }
}
