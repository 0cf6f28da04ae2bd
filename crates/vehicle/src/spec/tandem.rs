//! Two axles on walking beams.

use super::{MassProperties, Point, VehicleSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A walking beam on each side that swings about a pin on the chassis. The spring of the front axle
/// acts on its front end, the spring of the rear axle on its rear end. Both axles therefore carry
/// equal loads on any ground.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tandem {
    /// Names of both axles, front first. The upper ends of their springs are on the beams.
    pub axles: [String; 2],
    /// Pin of the left beam in the chassis frame, m. Its axis is parallel to y.
    pub pin: Point,
    /// Mass and inertia of one beam, with its center of mass at the pin.
    pub beam: MassProperties,
    /// Pitch of the beam at which it reaches its stop, degrees.
    pub max_pitch_deg: f64,
}

/// Reasons why axles do not form a tandem.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TandemError {
    /// No axle has this name.
    #[error("no axle is named '{name}'")]
    NoAxle {
        /// The name that was not found.
        name: String,
    },
}

impl VehicleSpec {
    /// Returns the indices of both axles of a tandem.
    ///
    /// # Errors
    /// [`TandemError::NoAxle`] for a name that no axle has.
    pub fn axles_of(&self, tandem: &Tandem) -> Result<[usize; 2], TandemError> {
        let index = |name: &String| {
            let found = self.axles.iter().position(|axle| axle.name == *name);
            found.ok_or_else(|| TandemError::NoAxle { name: name.clone() })
        };
        let [ahead, behind] = &tandem.axles;
        Ok([index(ahead)?, index(behind)?])
    }
}
