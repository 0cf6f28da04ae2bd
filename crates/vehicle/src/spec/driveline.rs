//! From the gearbox to the wheels.
//!
//! Ratios are output speed over input speed, so a torque is divided by them.

use super::VehicleSpec;
use crate::lock::{Lock, Locks};
use crate::powertrain::RPM;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which axles are driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// All axles, through centre differentials.
    Awd,
    /// The first axle.
    Fwd,
    /// The last axle.
    Rwd,
    /// The axles that have a final drive, through centre differentials.
    ByAxle,
}

/// A differential with a clutch that can lock it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Differential {
    /// Inertia of the carrier about the output axis, kg m².
    pub inertia: f64,
    /// Largest torque of the locking clutch between the outputs, N m.
    pub lock_torque: f64,
    /// Whether the clutch is engaged from the start; open otherwise.
    #[serde(default)]
    pub locked: bool,
    /// Whether a driver can engage the clutch, by a switch; never where it is engaged from the start
    /// or engages by itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub commanded: bool,
    /// When the clutch engages by itself, if it does; never where it is engaged from the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub automatic: Option<AutomaticLock>,
    /// Torque bias ratio of a limited slip or torque-biasing (Torsen) differential: most torque of the
    /// output that turns slower over that of the faster one. Open where absent; its clutch does not lock
    /// then. `lock_torque` is what resists without any torque (preload).
    #[schemars(extend("minimum" = 1.0, "maximum" = 20.0))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub torque_bias: Option<f64>,
}

impl Differential {
    /// One that is always open: inertia of its carrier, kg m², and most torque of its clutch, N m.
    pub fn open(inertia: f64, lock_torque: f64) -> Differential {
        Differential {
            inertia,
            lock_torque,
            locked: false,
            commanded: false,
            automatic: None,
            torque_bias: None,
        }
    }

    /// Whether nothing ever holds its outputs together: no lock, clutch or friction between them.
    pub fn is_open(&self) -> bool {
        !self.locked && !self.commanded && self.automatic.is_none() && self.torque_bias.is_none()
    }

    /// Most torque of the friction between the outputs per torque on the carrier. With B the ratio,
    /// T/2 + C on the slower and T/2 - C on the faster output: C/T = (B - 1)/(2 (B + 1)).
    pub fn friction_share(&self) -> Option<f64> {
        self.torque_bias.map(|bias| 0.5 * (bias - 1.0) / (bias + 1.0))
    }
}

/// A clutch across a differential that engages by itself when one output runs away, and lets go
/// when the vehicle is under way or the driver gives no throttle: as flyweights do it in locking
/// differentials of axles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AutomaticLock {
    /// Difference of the outputs' speeds from which it engages, rpm.
    pub engage_rpm: f64,
    /// Mean speed of the outputs from which it lets go and stays open, rpm.
    pub release_rpm: f64,
}

impl AutomaticLock {
    /// Whether it is engaged next: with the difference and the mean of the outputs' speeds,
    /// rad/s, and whether the driver gives throttle.
    pub fn next(&self, engaged: bool, difference: f64, mean: f64, driven: bool) -> bool {
        let [engage, release] = [self.engage_rpm, self.release_rpm].map(|rpm| rpm * RPM);
        driven && mean.abs() < release && (engaged || difference.abs() >= engage)
    }
}

/// Differential and half-shafts of one axle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FinalDrive {
    /// Speed of the carrier over speed of the shaft that drives it (bevel gears).
    pub ratio: f64,
    /// The differential between left and right.
    pub differential: Differential,
    /// Inertia of the shaft from centre differential to this axle, kg m².
    pub shaft_inertia: f64,
    /// Inertia of each half-shaft with its brake, kg m².
    pub half_shaft_inertia: f64,
}

/// The shared part of the driveline.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Driveline {
    /// Which axles are driven.
    pub layout: Layout,
    /// Inertia of the shaft behind the gearbox, kg m².
    pub driveshaft_inertia: f64,
    /// How many of the driven axles, from the front, are driven by the front output of the
    /// centre differential; half of them, rounded down, where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub front_axles: Option<usize>,
    /// Share of the torque that the centre differential gives to its front output, 0 to 1;
    /// where absent, as much as makes all axles alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub front_torque: Option<f64>,
    /// The differential between front and rear axles, where more than one is driven.
    pub centre: Differential,
    /// The differentials between axles of the same output of the centre differential; open,
    /// and without inertia, where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inter_axle: Option<Differential>,
}

impl Driveline {
    /// How many of so many driven axles the front output drives, and the share of the torque
    /// that each front and each rear axle gets.
    pub fn split(&self, driven: usize) -> (usize, [f64; 2]) {
        let front = self.front_axles.unwrap_or(driven / 2).min(driven);
        let rear = driven - front;
        let alike = 1.0 / driven.max(1) as f64;
        let share = |whole: f64, count: usize| whole / count.max(1) as f64;
        let each = match self.front_torque {
            Some(whole) if front > 0 && rear > 0 => [share(whole, front), share(1.0 - whole, rear)],
            _ => [alike; 2],
        };
        (front, each)
    }

    /// The switch of the differential of the driven axle `index` of `driven`, from the front.
    pub fn lock_of(&self, index: usize, driven: usize) -> Lock {
        let (front, _) = self.split(driven);
        let before = self.layout == Layout::Fwd || index < front;
        if before { Lock::FrontAxles } else { Lock::RearAxles }
    }
}

impl VehicleSpec {
    /// The locks that a driver can engage.
    pub fn locks(&self) -> Locks {
        let driven = || (0..self.axles.len()).filter(|&axle| self.is_driven(axle));
        let count = driven().count();
        let mut locks = Locks {
            centre: count > 1 && self.driveline.centre.commanded,
            inter_axle: self.driveline.inter_axle.is_some_and(|own| own.commanded),
            ..Locks::OPEN
        };
        for (index, axle) in driven().enumerate() {
            if self.axles[axle].final_drive.is_some_and(|drive| drive.differential.commanded) {
                locks = locks.with(self.driveline.lock_of(index, count), true);
            }
        }
        locks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_automatic_lock_engages_at_slip_and_lets_go_under_way_or_without_throttle() {
        let lock = AutomaticLock { engage_rpm: 100.0, release_rpm: 250.0 };
        let next = |engaged, difference: f64, mean: f64, driven| {
            lock.next(engaged, difference * RPM, mean * RPM, driven)
        };
        assert!(!next(false, 99.0, 50.0, true));
        assert!(next(false, -101.0, 50.0, true));
        assert!(next(true, 0.0, 50.0, true), "it holds what no longer slips");
        assert!(!next(true, 0.0, 251.0, true));
        assert!(!next(false, 300.0, 251.0, true), "nor does it engage at speed");
        assert!(!next(true, 0.0, 50.0, false));
    }
}
