//! Driver commands.

use super::inflation::MOST_KPA;
use super::lock::Locks;
use super::powertrain::Selector;
use serde::{Deserialize, Serialize};

/// Largest inflation that a command can request, Pa.
const MOST_INFLATION: f64 = 1e3 * MOST_KPA;

/// Commands of a driver for one step.
///
/// Drivers and external commands may request values outside the ranges. What applies a request
/// clamps it once ([`Controls::clamped`]); a step takes values within the ranges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Controls {
    /// Throttle, 0 to 1.
    pub throttle: f64,
    /// Steering, -1 (full right) to +1 (full left).
    pub steering: f64,
    /// Service brake, 0 to 1.
    pub brake: f64,
    /// Gear selector.
    pub gear: Selector,
    /// Target pressure of the central tire inflation system, Pa; `None` keeps the present pressure.
    pub inflation: Option<f64>,
    /// Differentials to be locked; only those with a switch respond.
    pub locks: Locks,
    /// Whether the vehicle uncouples its trailer. No command couples it again.
    pub uncouple: bool,
}

impl Controls {
    /// Full brake in drive, without throttle and steering.
    pub const BRAKED: Controls = Controls {
        throttle: 0.0,
        steering: 0.0,
        brake: 1.0,
        gear: Selector::Drive,
        inflation: None,
        locks: Locks::OPEN,
        uncouple: false,
    };

    /// Returns the same commands, clamped to their ranges.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_clamped_to_their_ranges() {
        let wild = Controls {
            throttle: 7.0,
            steering: -2.0,
            brake: -3.0,
            inflation: Some(-1.0),
            ..Controls::default()
        };
        let inflation = Some(0.0);
        let tame = Controls { throttle: 1.0, steering: -1.0, inflation, ..Controls::default() };
        assert_eq!(wild.clamped(), tame);
        assert_eq!(tame.clamped(), tame);
        assert_eq!(Controls::BRAKED.clamped(), Controls::BRAKED);
    }
}
