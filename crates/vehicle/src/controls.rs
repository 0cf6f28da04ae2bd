//! What a driver commands.

use super::lock::Locks;
use super::powertrain::Selector;
use serde::{Deserialize, Serialize};

/// Inflation beyond which nobody commands, Pa.
const MOST_INFLATION: f64 = 5e6;

/// Commands of a driver for one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Controls {
    /// Throttle, 0 to 1.
    pub throttle: f64,
    /// Steering, -1 (full right) to +1 (full left).
    pub steering: f64,
    /// Service brake, 0 to 1.
    pub brake: f64,
    /// Lever of the gearbox.
    pub gear: Selector,
    /// Inflation that central tyre inflation is to work towards, Pa; as it is if none.
    pub inflation: Option<f64>,
    /// Differentials to be locked, of those that a driver can lock.
    pub locks: Locks,
    /// Whether it lets go of its trailer, which no command takes back.
    pub uncouple: bool,
}

impl Controls {
    /// The same commands within their ranges.
    pub fn clamped(self) -> Controls {
        Controls {
            throttle: self.throttle.clamp(0.0, 1.0),
            steering: self.steering.clamp(-1.0, 1.0),
            brake: self.brake.clamp(0.0, 1.0),
            gear: self.gear,
            inflation: self.inflation.map(|inflation| inflation.clamp(0.0, MOST_INFLATION)),
            locks: self.locks,
            uncouple: self.uncouple,
        }
    }
}
