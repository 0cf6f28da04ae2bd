//! Slopes along the vehicle on which it tips over, and the grade on which its brakes hold it.

use super::{AxleSheet, Roll};
use crate::straight::road_friction;
use bekker_math::numeric::{GRAVITY, asin, atan, tan};
use bekker_vehicle::AnySpec;
use bekker_vehicle::spec::{TrackedSpec, VehicleSpec};
use serde::Serialize;

/// Slopes along the vehicle on which it tips over, with rigid springs.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Tipping {
    /// Slope on which it tips over its rear wheels while facing uphill, degrees.
    pub backward_deg: f64,
    /// Slope on which it tips over its front wheels while facing downhill, degrees.
    pub forward_deg: f64,
}

/// Grade on which the service brakes hold a vehicle on a road.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct BrakeHolding {
    /// Steepest grade, rise over run, facing uphill and downhill.
    pub grade: f64,
    /// Cause of the limit.
    pub limit: HoldingLimit,
    /// Coefficient of friction of the road.
    pub friction: f64,
}

/// Limit of the grade on which brakes hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HoldingLimit {
    /// Torque of the brakes.
    Torque,
    /// Friction under the braked wheels.
    Friction,
    /// Tipping over.
    Tipping,
}

impl HoldingLimit {
    /// Returns the name for a report.
    pub fn name(self) -> &'static str {
        match self {
            HoldingLimit::Torque => "brake torque",
            HoldingLimit::Friction => "friction",
            HoldingLimit::Tipping => "tipping over",
        }
    }
}

impl Tipping {
    /// Computes the slopes from the center of mass and the outermost contacts.
    ///
    /// A trailer is left out, but its load on the axles is included.
    pub(super) fn new(spec: &AnySpec, axles: &[AxleSheet], roll: &Roll) -> Tipping {
        let [rear, middle, front] = match spec {
            AnySpec::Wheeled(own) => contacts(own, axles),
            AnySpec::Tracked(own) => track_contacts(own),
        };
        Tipping {
            backward_deg: atan((middle - rear) / roll.height).to_degrees(),
            forward_deg: atan((front - middle) / roll.height).to_degrees(),
        }
    }

    fn steepest(&self) -> f64 {
        tan(self.backward_deg.min(self.forward_deg).to_radians())
    }
}

/// Returns the positions along the vehicle of the last axle, the center of mass and the first axle.
///
/// The center of mass is that of the loads on the axles at rest.
fn contacts(own: &VehicleSpec, axles: &[AxleSheet]) -> [f64; 3] {
    let places = || own.tractor_axles().iter().map(|axle| axle.wheel_x());
    let loads = || axles.iter().map(|axle| axle.load);
    let moment: f64 = places().zip(loads()).map(|(x, load)| x * load).sum();
    let weight: f64 = places().zip(loads()).map(|(_, load)| load).sum();
    let rear = places().fold(f64::INFINITY, f64::min);
    [rear, moment / weight, places().fold(f64::NEG_INFINITY, f64::max)]
}

/// Returns the positions of the last road wheel, the center of mass and the first road wheel.
///
/// Positions of road wheels are means over both tracks. The center of mass of the running gear is
/// assumed midway between them.
fn track_contacts(own: &TrackedSpec) -> [f64; 3] {
    let mean = |outermost: fn(f64, f64) -> f64| {
        let ends = own.tracks().map(|track| track.stations.iter().copied().reduce(outermost));
        0.5 * ends.into_iter().flatten().sum::<f64>()
    };
    let [rear, front] = [mean(f64::min), mean(f64::max)];
    let sprung = own.chassis.mass / own.total_mass();
    [rear, sprung * own.chassis.com[0] + (1.0 - sprung) * 0.5 * (rear + front), front]
}

/// Returns the grade that the friction of some axles holds.
///
/// They carry the `share` of the weight on the level, and less by `lever` times the grade: the height
/// of the center of mass over the wheelbase.
fn partial_grip(friction: f64, share: f64, lever: f64) -> f64 {
    friction * share / (1.0 + friction * lever)
}

impl BrakeHolding {
    /// Computes the grade by torque, friction and tipping over, whichever is least.
    ///
    /// Axles without brakes gain load in one of both headings; the worse one counts: tan θ = μ s/(1 +
    /// μ h/L), with the share s of the weight on braked axles. `None` without brakes.
    pub(super) fn new(
        spec: &AnySpec,
        axles: &[AxleSheet],
        roll: &Roll,
        tipping: &Tipping,
    ) -> Option<BrakeHolding> {
        let friction = road_friction();
        let weight = spec.total_mass() * GRAVITY;
        let (force, grip) = match spec {
            AnySpec::Wheeled(own) => {
                let braked = |index: &usize| own.axles[*index].brake_torque > 0.0;
                let force = |index: usize| {
                    2.0 * own.axles[index].brake_torque / own.tire_of(index).rigid.radius()
                };
                let all = 0..own.axles.len();
                let share: f64 = all.clone().filter(braked).map(|index| axles[index].share).sum();
                let [rear, _, front] = contacts(own, axles);
                let lever = roll.height / (front - rear);
                let grip = match all.clone().all(|index| braked(&index)) {
                    true => friction,
                    false => partial_grip(friction, share, lever),
                };
                (all.map(force).sum::<f64>(), grip)
            }
            AnySpec::Tracked(own) => (2.0 * own.drive.brake_torque / own.drive_radius(), friction),
        };
        let torque = tan(asin((force / weight).min(0.999)));
        let limits = [
            (grip, HoldingLimit::Friction),
            (torque, HoldingLimit::Torque),
            (tipping.steepest(), HoldingLimit::Tipping),
        ];
        let (grade, limit) = limits.into_iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
        (force > 0.0).then_some(BrakeHolding { grade, limit, friction })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_vehicle::find_vehicle;

    /// On the grade found, friction on the braked axles balances the downhill force.
    #[test]
    fn friction_of_braked_axles_balances_the_weight() {
        let (friction, share, lever) = (0.8, 0.55, 0.3);
        let slope = partial_grip(friction, share, lever).atan();
        let load = share * slope.cos() - lever * slope.sin();
        assert!((friction * load - slope.sin()).abs() < 1e-12);
    }

    /// A tracked vehicle tips over the ends of its contact; both brakes hold it by friction.
    #[test]
    fn tracks_tip_over_their_last_road_wheels() {
        let spec = find_vehicle("m113").unwrap();
        let own = spec.tracked().unwrap();
        let roll = Roll { height: 0.8, left: 0.5, stability_factor: 1.0, side_slope_deg: 45.0 };
        let tipping = Tipping::new(&spec, &[], &roll);
        let [back, ahead] =
            [tipping.backward_deg, tipping.forward_deg].map(|angle| 0.8 * angle.to_radians().tan());
        assert!((back + ahead - own.contact_length()).abs() < 1e-9, "{tipping:?}");
        let held = BrakeHolding::new(&spec, &[], &roll, &tipping).unwrap();
        assert_eq!(held.limit, HoldingLimit::Friction);
        assert_eq!(held.grade, held.friction);
    }
}
