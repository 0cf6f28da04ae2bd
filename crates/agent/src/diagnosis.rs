//! Diagnosis of immobilized vehicles from measured wheel data.
//!
//! A vehicle is stuck if the ground's forces along its heading balance the grade and the motion
//! resistance. If the drive turns no wheel, torque is short, or the driver requests none. If wheels
//! spin, traction is short.
//!
//! The cause of short traction follows from what unloads the wheels, from the other resistances,
//! and from which wheels spin (M. G. Bekker, *Introduction to Terrain-Vehicle Systems*, 1969; J. Y.
//! Wong, *Theory of Ground Vehicles*, 4th ed. 2008, ch. 2: the thrust of a patch is at most A c + W
//! tan φ).

use super::collision::CollisionTarget;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Absolute slip above which a wheel counts as spinning.
const SPINNING_SLIP: f64 = 0.5;
/// Fraction of the weight on the belly above which a vehicle is high-centered.
const BELLY_FRACTION: f64 = 0.1;
/// Fraction of the thrust limit that the grade force must reach to be the cause.
const GRADE_FRACTION: f64 = 0.5;
/// Fraction of the thrust limit that must remain at gripping wheels for spinning wheels to be the
/// cause.
const RESERVE_FRACTION: f64 = 0.2;
/// Side slope from which it can be the cause, rad (10 degrees), if steeper than the grade.
const SIDE_SLOPE: f64 = 0.175;
/// Fraction of the ground clearance from which ruts are too deep.
const DEEP_RUT: f64 = 0.5;
/// Fractions of traction and of weight that the obstacle force must both reach to be the cause.
const OBSTACLE_FRACTIONS: [f64; 2] = [0.5, 0.01];
/// Throttle at or below which the driver requests no drive, as when it holds the vehicle.
const NO_THROTTLE: f64 = 0.05;
/// Grade above which the message states it, rad (2 degrees).
const REPORTED_GRADE: f64 = 0.035;

/// Data of a wheel, or of a road wheel with the track under it, averaged over about the last
/// second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WheelMean {
    /// Slip, -1 to 1.
    pub slip: f64,
    /// Vertical ground force, N; in a diagnosis perpendicular to the grade.
    pub load: f64,
    /// Horizontal ground force along the heading, N; in a diagnosis along the grade, positive in
    /// the requested direction of travel.
    pub traction: f64,
    /// Torque of driveline and brake divided by the radius of the wheel or road wheel, N.
    pub rim_force: f64,
    /// Depth below the undisturbed ground, m.
    pub sinkage: f64,
    /// Contact area with deformable ground, m².
    pub area: f64,
}

/// Cause of an immobilization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The driver does not press the throttle although it requests motion.
    NoThrottle,
    /// An obstacle or another vehicle blocks the vehicle.
    Obstacle,
    /// The drive cannot turn the wheels against grade and resistance.
    Torque,
    /// Some wheels spin, so that the others, which still grip, receive too little drive.
    WheelSpin,
    /// The belly rests on the ground and unloads the wheels.
    HungUp,
    /// The grade takes most of the thrust limit of the ground.
    Grade,
    /// The vehicle slides down sideways.
    SideSlope,
    /// Rolling resistance in deep ruts takes the thrust.
    Rut,
    /// The shear strength or friction of the ground is exhausted.
    Soil,
    /// The battery of the motors is empty.
    Battery,
}

/// Wheels or tracks that spin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spinning {
    /// No wheel or track.
    None,
    /// All wheels or tracks.
    All,
    /// Wheels of the first axle only.
    FrontAxle,
    /// Wheels of the last axle only.
    RearAxle,
    /// Wheels or track on the left only.
    LeftSide,
    /// Wheels or track on the right only.
    RightSide,
    /// Any other combination.
    Some,
}

/// Cause of an immobilization, with the values from which it was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// The cause.
    pub cause: Cause,
    /// Which wheels or tracks spin.
    pub spinning: Spinning,
    /// Whether the vehicle runs on tracks.
    pub tracked: bool,
    /// Throttle, 0 to 1.
    pub throttle: f64,
    /// Grade of the undisturbed ground in the requested direction of travel, rad; positive uphill.
    pub grade: f64,
    /// Slope across the direction of travel, rad; positive when falling to the right.
    pub side_slope: f64,
    /// Weight, N.
    pub weight: f64,
    /// Weight times the sine of the grade, N.
    pub grade_force: f64,
    /// Force of driveline and brakes at the rims, N.
    pub drive_force: f64,
    /// Force of the ground on the wheels along the grade, N.
    pub traction: f64,
    /// Upper limit of the thrust of the ground under the wheel loads, N: A c + W tan φ; on firm
    /// ground μ W.
    pub thrust_limit: f64,
    /// Additional thrust that the wheels that do not spin could transmit, N.
    pub reserve: f64,
    /// Obstacle with the largest opposing force, if there is one.
    pub obstacle: Option<CollisionTarget>,
    /// Force of all obstacles against the requested direction of travel, N.
    #[serde(default)]
    pub obstacle_force: f64,
    /// Fraction of the weight on the belly.
    pub belly_share: f64,
    /// Largest sinkage of a wheel, m.
    pub sinkage: f64,
    /// Ground clearance on firm ground, m, if the vehicle file specifies a belly.
    pub clearance: Option<f64>,
    /// Wheels or road wheels, front to rear, left before right.
    pub wheels: Vec<WheelMean>,
}

/// Measured data of a vehicle that does not advance.
#[derive(Clone, Debug)]
pub(super) struct Evidence {
    pub tracked: bool,
    pub throttle: f64,
    pub grade: f64,
    pub side_slope: f64,
    pub weight: f64,
    pub belly_force: f64,
    pub clearance: Option<f64>,
    pub wheels: Vec<WheelMean>,
    /// Thrust limit of each wheel, N.
    pub limits: Vec<f64>,
    /// Obstacle with the largest opposing force, and the opposing force of all obstacles, N.
    pub obstacle: Option<(CollisionTarget, f64)>,
    pub is_battery_empty: bool,
}

impl Diagnosis {
    /// Finds the cause from the evidence.
    pub(super) fn from_evidence(evidence: Evidence) -> Diagnosis {
        let Evidence { tracked, throttle, grade, side_slope, weight, clearance, .. } = evidence;
        let wheels = evidence.wheels;
        let sum = |of: fn(&WheelMean) -> f64| wheels.iter().map(of).sum::<f64>();
        let spare = |(wheel, limit): (&WheelMean, &f64)| {
            if wheel.slip.abs() > SPINNING_SLIP { 0.0 } else { (limit - wheel.rim_force).max(0.0) }
        };
        let reserve = wheels.iter().zip(&evidence.limits).map(spare).sum();
        let mut found = Diagnosis {
            cause: Cause::Torque,
            spinning: spinning(&wheels),
            tracked,
            throttle,
            grade,
            side_slope,
            weight,
            grade_force: weight * bekker_math::numeric::sin(grade),
            drive_force: sum(|wheel| wheel.rim_force),
            traction: sum(|wheel| wheel.traction),
            thrust_limit: evidence.limits.iter().sum(),
            reserve,
            obstacle: evidence.obstacle.map(|(with, _)| with),
            obstacle_force: evidence.obstacle.map_or(0.0, |(_, force)| force),
            belly_share: (evidence.belly_force / weight).max(0.0),
            sinkage: wheels.iter().map(|wheel| wheel.sinkage).fold(0.0, f64::max),
            clearance,
            wheels,
        };
        let is_driven = found.throttle > NO_THROTTLE;
        let is_dead = evidence.is_battery_empty && is_driven;
        found.cause = if is_dead { Cause::Battery } else { found.find_cause() };
        found
    }

    fn find_cause(&self) -> Cause {
        let [of_traction, of_weight] = OBSTACLE_FRACTIONS;
        let turns = self.spinning != Spinning::None;
        if !turns && self.throttle <= NO_THROTTLE {
            return Cause::NoThrottle;
        }
        if self.obstacle_force >= (of_traction * self.traction).max(of_weight * self.weight) {
            return Cause::Obstacle;
        }
        if !turns {
            return Cause::Torque;
        }
        if self.belly_share >= BELLY_FRACTION {
            return Cause::HungUp;
        }
        if self.side_slope.abs() >= SIDE_SLOPE && self.side_slope.abs() > self.grade.abs() {
            return Cause::SideSlope;
        }
        if self.grade_force < self.thrust_limit
            && self.reserve >= RESERVE_FRACTION * self.thrust_limit
        {
            return Cause::WheelSpin;
        }
        if self.grade_force >= GRADE_FRACTION * self.thrust_limit {
            return Cause::Grade;
        }
        if self.clearance.is_some_and(|clearance| self.sinkage >= DEEP_RUT * clearance) {
            return Cause::Rut;
        }
        Cause::Soil
    }

    /// Returns the largest absolute slip of a wheel.
    fn slip(&self) -> f64 {
        self.wheels.iter().map(|wheel| wheel.slip.abs()).fold(0.0, f64::max)
    }
}

/// Classifies the wheels that spin; each axle has two wheels.
fn spinning(wheels: &[WheelMean]) -> Spinning {
    let spins = |wheel: usize| wheels[wheel].slip.abs() > SPINNING_SLIP;
    let count = wheels.len();
    // whether the wheels that spin are exactly those that `own` selects
    let just = |own: &dyn Fn(usize) -> bool| (0..count).all(|wheel| spins(wheel) == own(wheel));
    if just(&|_| false) {
        Spinning::None
    } else if just(&|_| true) {
        Spinning::All
    } else if just(&|wheel| wheel < 2) {
        Spinning::FrontAxle
    } else if just(&|wheel| wheel + 2 >= count) {
        Spinning::RearAxle
    } else if just(&|wheel| wheel % 2 == 0) {
        Spinning::LeftSide
    } else if just(&|wheel| wheel % 2 == 1) {
        Spinning::RightSide
    } else {
        Spinning::Some
    }
}

impl fmt::Display for Diagnosis {
    /// Writes the cause as text, with the values that show it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kilo = |force: f64| format!("{:.1} kN", force / 1e3);
        let part = if self.tracked { "track" } else { "wheel" };
        let who = match self.spinning {
            Spinning::None => format!("no {part}"),
            Spinning::All if self.tracked => "both tracks".to_owned(),
            Spinning::All => "all wheels".to_owned(),
            Spinning::FrontAxle => "the front wheels".to_owned(),
            Spinning::RearAxle => "the rear wheels".to_owned(),
            Spinning::LeftSide if self.tracked => "the left track".to_owned(),
            Spinning::RightSide if self.tracked => "the right track".to_owned(),
            Spinning::LeftSide => "the left wheels".to_owned(),
            Spinning::RightSide => "the right wheels".to_owned(),
            Spinning::Some => {
                let spin =
                    self.wheels.iter().filter(|wheel| wheel.slip.abs() > SPINNING_SLIP).count();
                format!("{spin} of {} wheels", self.wheels.len())
            }
        };
        let spin = if who.ends_with('s') { "spin" } else { "spins" };
        let slip = 100.0 * self.slip();
        let depth = 100.0 * self.sinkage;
        let grade = || {
            let (percent, force) =
                (100.0 * bekker_math::numeric::tan(self.grade), self.grade_force);
            format!("the grade of {percent:.0} % requires {}", kilo(force))
        };
        let (limit, traction) = (kilo(self.thrust_limit), kilo(self.traction));
        match self.cause {
            Cause::NoThrottle => {
                let throttle = 100.0 * self.throttle;
                write!(f, "driver requests no drive: at {throttle:.0} % throttle, {who} {spin}")?;
            }
            Cause::Obstacle => {
                let force = kilo(self.obstacle_force);
                write!(f, "an obstacle resists with {force} of the {traction}")?;
                write!(f, " that the {part}s develop; {who} {spin} at {slip:.0} % slip")?;
            }
            Cause::Battery => {
                write!(f, "the battery is empty: the motors develop no torque")?;
            }
            Cause::Torque => {
                let (throttle, force) = (100.0 * self.throttle, kilo(self.drive_force));
                write!(
                    f,
                    "not enough torque: at {throttle:.0} % throttle, the drive develops {force}"
                )?;
                write!(f, " at the {part}s, which do not spin")?;
                if depth >= 1.0 {
                    write!(f, ", sinkage up to {depth:.0} cm")?;
                }
            }
            Cause::WheelSpin => {
                write!(f, "lost traction: {who} spinning at {slip:.0} % slip")?;
                write!(f, "; the others could develop {} more", kilo(self.reserve))?;
            }
            Cause::HungUp => {
                let share = 100.0 * self.belly_share;
                write!(f, "high-centered, with {share:.0} % of the weight on the belly; ")?;
                write!(f, "{who} spinning at {slip:.0} % slip, sinkage up to {depth:.0} cm")?;
            }
            Cause::Grade => {
                write!(f, "too steep: {} of the {limit} that the ground can provide; ", grade())?;
                return write!(f, "{who} spinning at {slip:.0} % slip");
            }
            Cause::SideSlope => {
                let percent = 100.0 * bekker_math::numeric::tan(self.side_slope.abs());
                write!(f, "side slope of {percent:.0} %: {who} spinning at {slip:.0} % slip")?;
                write!(f, ", the ground can provide {limit}")?;
            }
            Cause::Rut => {
                let clearance = 100.0 * self.clearance.unwrap_or_default();
                write!(
                    f,
                    "ruts too deep: sinkage up to {depth:.0} cm at {clearance:.0} cm clearance"
                )?;
                write!(
                    f,
                    "; {who} spinning at {slip:.0} % slip, developing {traction} of {limit}"
                )?;
            }
            Cause::Soil => {
                write!(f, "soil strength exhausted: {who} spinning at {slip:.0} % slip")?;
                write!(f, ", developing {traction} of {limit}, sinkage up to {depth:.0} cm")?;
            }
        }
        if self.grade.abs() > REPORTED_GRADE { write!(f, "; {}", grade()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Evidence with four wheels of 6 kN each, these slips and a friction of 0.8.
    fn evidence(slips: [f64; 4]) -> Evidence {
        let wheels = slips.map(|slip| WheelMean { slip, load: 6e3, ..WheelMean::default() });
        Evidence {
            tracked: false,
            throttle: 1.0,
            grade: 0.0,
            side_slope: 0.0,
            weight: 24e3,
            belly_force: 0.0,
            clearance: Some(0.4),
            wheels: wheels.to_vec(),
            limits: vec![4.8e3; 4],
            obstacle: None,
            is_battery_empty: false,
        }
    }

    #[test]
    fn each_cause_has_its_evidence() {
        let spin = || evidence([1.0; 4]);
        let sunk = |sinkage: f64| {
            let mut sunk = spin();
            sunk.wheels[3].sinkage = sinkage;
            sunk
        };
        let blocked = |force: f64, slips: [f64; 4]| {
            let mut blocked = evidence(slips);
            blocked.wheels.iter_mut().for_each(|wheel| wheel.traction = 3e3);
            Evidence { obstacle: Some((CollisionTarget::Obstacle(0), force)), ..blocked }
        };
        // 24 kN sin(0.6) is 13.6 kN, more than half of 19.2 kN
        for (evidence, cause) in [
            (evidence([0.0; 4]), Cause::Torque),
            (Evidence { throttle: 0.04, ..evidence([0.0; 4]) }, Cause::NoThrottle),
            (Evidence { throttle: 0.06, ..evidence([0.0; 4]) }, Cause::Torque),
            // spinning wheels are the cause at any throttle
            (Evidence { throttle: 0.0, ..sunk(0.1) }, Cause::Soil),
            (evidence([1.0, 1.0, 0.02, 0.02]), Cause::WheelSpin),
            // 7 kN of 12 kN, whether wheels spin or not; a weak contact is not the cause
            (blocked(7e3, [0.0; 4]), Cause::Obstacle),
            (blocked(7e3, [1.0; 4]), Cause::Obstacle),
            (blocked(5e3, [0.0; 4]), Cause::Torque),
            (Evidence { throttle: 0.0, ..blocked(7e3, [0.0; 4]) }, Cause::NoThrottle),
            (Evidence { belly_force: 3e3, ..spin() }, Cause::HungUp),
            (Evidence { grade: 0.6, ..spin() }, Cause::Grade),
            (Evidence { side_slope: -0.5, grade: 0.1, ..spin() }, Cause::SideSlope),
            (sunk(0.25), Cause::Rut),
            (sunk(0.1), Cause::Soil),
            (Evidence { is_battery_empty: true, ..evidence([0.0; 4]) }, Cause::Battery),
        ] {
            let found = Diagnosis::from_evidence(evidence);
            assert_eq!(found.cause, cause, "{found}");
        }
    }

    #[test]
    fn names_the_wheels_that_spin_either_way() {
        let of = |slips| Diagnosis::from_evidence(evidence(slips)).spinning;
        assert_eq!(of([-1.0, -1.0, 0.0, 0.0]), Spinning::FrontAxle);
        assert_eq!(of([0.1, 0.1, 0.9, 0.9]), Spinning::RearAxle);
        assert_eq!(of([1.0, 0.0, 1.0, 0.0]), Spinning::LeftSide);
        assert_eq!(of([0.0, 0.0, 1.0, 0.0]), Spinning::Some);
    }
}
