//! Position and velocity by satellite navigation.

use bekker_math::geodesy::Geodetic;
use bekker_math::spatial::Vec3;
use serde::{Deserialize, Serialize};

/// Satellite fix.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fix {
    /// False in an outage: the other fields are then invalid.
    pub valid: bool,
    /// Measured position.
    pub place: Geodetic,
    /// Velocity east, north and up, m/s.
    pub velocity: Vec3,
    /// Variance of the position east, north and up, m².
    pub variance: Vec3,
}
