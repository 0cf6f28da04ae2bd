//! Position and velocity by satellites.

use bekker_math::geodesy::Geodetic;
use bekker_math::spatial::Vec3;
use serde::{Deserialize, Serialize};

/// A satellite fix.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fix {
    /// False in an outage: the rest is then not to be used.
    pub valid: bool,
    /// Where.
    pub place: Geodetic,
    /// Velocity east, north and up, m/s.
    pub velocity: Vec3,
    /// Variance of the position east, north and up, m².
    pub variance: Vec3,
}
