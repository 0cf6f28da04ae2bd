//! Two axles on walking beams.

use super::{Part, Point, VehicleSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A beam on each side that swings about a pin on the chassis, with a spring of the axle ahead
/// on its front end and of the one behind on its rear end: both carry alike, whatever the
/// ground.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tandem {
    /// Names of both axles, from the front; their springs' upper ends are on the beams.
    pub axles: [String; 2],
    /// Pin of the left beam in the chassis frame, m; its axis lies along y.
    pub pin: Point,
    /// The beam, its mass at the pin.
    pub beam: Part,
    /// Angle at which a stop holds the beam, degrees.
    pub max_pitch_deg: f64,
}

/// Why axles make no tandem.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TandemError {
    /// No axle has this name.
    #[error("no axle is called '{name}'")]
    NoAxle {
        /// The name.
        name: String,
    },
}

impl VehicleSpec {
    /// Indices of the axles of a tandem.
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
