//! Driveline from the gearbox to the wheels.
//!
//! Ratios are output speed over input speed, so a torque is divided by them.

use super::VehicleSpec;
use crate::lock::{Lock, Locks};
use crate::powertrain::RPM;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Choice of the driven axles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// All axles, through center differentials.
    Awd,
    /// The first axle only.
    Fwd,
    /// The last axle only.
    Rwd,
    /// The axles that have a final drive, through center differentials.
    ByAxle,
}

/// A differential with a clutch that can lock it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Differential {
    /// Inertia of the carrier about the output axis, kg m².
    pub inertia: f64,
    /// Maximum torque of the locking clutch between the outputs, N m.
    pub lock_torque: f64,
    /// Whether the clutch is engaged from the start. Otherwise, the differential starts open.
    #[serde(default)]
    pub locked: bool,
    /// Whether a driver can engage the clutch with a switch. It has no effect if the clutch is
    /// engaged from the start or engages automatically.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub commanded: bool,
    /// Automatic engagement of the clutch. Where absent, or if the clutch is engaged from the
    /// start, it does not engage automatically.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub automatic: Option<AutomaticLock>,
    /// Torque bias ratio of a limited-slip or torque-biasing (Torsen) differential: maximum torque
    /// on the slower output over the torque on the faster output. Where absent, the differential is
    /// open. With it, the clutch does not lock, and `lock_torque` is the resistance at zero torque
    /// (preload).
    #[schemars(extend("minimum" = 1.0, "maximum" = 20.0))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub torque_bias: Option<f64>,
}

impl Differential {
    /// Returns a differential that is always open.
    ///
    /// `inertia` is that of its carrier, kg m², and `lock_torque` the maximum torque of its clutch,
    /// N m.
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

    /// Whether the outputs are never held together: no lock, clutch or friction between them.
    pub fn is_open(&self) -> bool {
        !self.locked && !self.commanded && self.automatic.is_none() && self.torque_bias.is_none()
    }

    /// Maximum friction torque between the outputs, per torque on the carrier.
    ///
    /// With the bias ratio B, the slower output receives T/2 + C and the faster output T/2 - C, so
    /// C/T = (B - 1)/(2 (B + 1)).
    pub fn friction_share(&self) -> Option<f64> {
        self.torque_bias.map(|bias| 0.5 * (bias - 1.0) / (bias + 1.0))
    }
}

/// A clutch across a differential that engages by itself when one output spins much faster. It
/// releases when the vehicle drives fast enough or the driver gives no throttle, as flyweights do
/// in locking axle differentials.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AutomaticLock {
    /// Difference between the outputs' speeds at which the clutch engages, rpm.
    pub engage_rpm: f64,
    /// Mean speed of the outputs at which the clutch releases and above which it stays open, rpm.
    pub release_rpm: f64,
}

impl AutomaticLock {
    /// Whether the clutch is engaged next.
    ///
    /// `difference` and `mean` are those of the outputs' speeds, rad/s. `driven` is whether the
    /// driver gives throttle.
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
    /// Differential between the left and the right wheel.
    pub differential: Differential,
    /// Inertia of the shaft from the center differential to this axle, kg m².
    pub shaft_inertia: f64,
    /// Inertia of each half-shaft with its brake, kg m².
    pub half_shaft_inertia: f64,
}

/// Driveline parts that the driven axles share.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Driveline {
    /// Choice of the driven axles.
    pub layout: Layout,
    /// Inertia of the shaft behind the gearbox, kg m².
    pub driveshaft_inertia: f64,
    /// Number of driven axles, counted from the front, on the front output of the center
    /// differential. Where absent, it is half of the driven axles, rounded down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub front_axles: Option<usize>,
    /// Share of the torque that the center differential sends to its front output, 0 to 1. Where
    /// absent, all axles receive equal torque.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub front_torque: Option<f64>,
    /// Center differential between the front and the rear axles, used when more than one axle is
    /// driven.
    #[serde(alias = "centre")]
    pub center: Differential,
    /// Differentials between axles on the same output of the center differential. Where absent,
    /// they are open and have no inertia.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inter_axle: Option<Differential>,
}

impl Driveline {
    /// Returns the number of driven axles on the front output, and the torque share of each front
    /// and each rear axle.
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

    /// Returns the switch that locks the differential of the driven axle `index` of `driven`,
    /// counted from the front.
    pub fn lock_of(&self, index: usize, driven: usize) -> Lock {
        let (front, _) = self.split(driven);
        let before = self.layout == Layout::Fwd || index < front;
        if before { Lock::FrontAxles } else { Lock::RearAxles }
    }
}

impl VehicleSpec {
    /// Returns the locks that a driver can engage.
    pub fn locks(&self) -> Locks {
        let Some(driveline) = &self.driveline else { return Locks::OPEN };
        let driven = || (0..self.axles.len()).filter(|&axle| self.is_driven(axle));
        let count = driven().count();
        let mut locks = Locks {
            center: count > 1 && driveline.center.commanded,
            inter_axle: driveline.inter_axle.is_some_and(|own| own.commanded),
            ..Locks::OPEN
        };
        for (index, axle) in driven().enumerate() {
            if self.axles[axle].final_drive.is_some_and(|drive| drive.differential.commanded) {
                locks = locks.with_lock(driveline.lock_of(index, count), true);
            }
        }
        locks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_automatic_lock_engages_at_slip_and_releases_at_speed_or_without_throttle() {
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
