//! Two arms on each side; and one arm, in whose place two parallel ones stand.

use super::super::ImportError;
use super::super::library::Source;
use super::super::log::Log;
use super::super::part::{Body, vec3};
use super::super::strut::Strut;
use super::{HalfShaft, Read, SteeredBy, static_angles};
use crate::spatial::Mat3;
use crate::vehicle::spec::{DoubleWishbone, DoubleWishbonePoints, Part, Point, Suspension};
use serde::Deserialize;

#[derive(Deserialize)]
struct Figures {
    #[serde(rename = "Vehicle-Frame Inertia", default)]
    along_vehicle: bool,
    #[serde(rename = "Camber Angle (deg)", default)]
    camber: f64,
    #[serde(rename = "Toe Angle (deg)", default)]
    toe: f64,
    #[serde(rename = "Spindle")]
    spindle: Body,
    #[serde(rename = "Upright")]
    upright: Body,
    #[serde(rename = "Upper Control Arm")]
    upper: Arm,
    #[serde(rename = "Lower Control Arm")]
    lower: Arm,
    #[serde(rename = "Tierod")]
    tie_rod: TieRod,
    #[serde(rename = "Spring")]
    spring: Strut,
    #[serde(rename = "Shock")]
    shock: Strut,
    #[serde(rename = "Axle")]
    axle: HalfShaft,
}

#[derive(Deserialize)]
struct Arm {
    #[serde(rename = "Mass")]
    mass: f64,
    #[serde(rename = "COM")]
    com: Point,
    #[serde(rename = "Moments of Inertia", alias = "Inertia")]
    moments: Point,
    #[serde(rename = "Products of Inertia", default)]
    products: Point,
    #[serde(rename = "Location Chassis Front")]
    front: Point,
    #[serde(rename = "Location Chassis Back")]
    back: Point,
    #[serde(rename = "Location Upright")]
    outer: Point,
}

#[derive(Deserialize)]
struct TieRod {
    #[serde(rename = "Location Chassis")]
    chassis: Point,
    #[serde(rename = "Location Upright")]
    upright: Point,
    #[serde(rename = "Mass")]
    mass: Option<f64>,
    #[serde(rename = "Inertia")]
    inertia: Option<Point>,
}

impl TieRod {
    fn part(&self, key: &str, log: &mut Log) -> Option<Part> {
        let (mass, inertia) = self.mass.zip(self.inertia)?;
        Some(super::super::part::part(key, mass, inertia, log))
    }
}

impl Arm {
    /// The arm; x along its pivots and z normal to it, as both have it unless the file says that
    /// the moments are along the vehicle's axes.
    fn part(&self, key: &str, along_vehicle: bool, log: &mut Log) -> Part {
        let body = Body::new(self.mass, self.com, self.moments, self.products);
        if !along_vehicle {
            return body.part(key, log);
        }
        let [front, back, outer] = [self.front, self.back, self.outer].map(vec3);
        let x = (front - back).normalize();
        let z = x.cross(&(outer - back)).normalize();
        body.turned(key, &Mat3::from_columns(&[x, z.cross(&x), z]), log)
    }
}

pub(super) fn read(
    source: &Source,
    axle: &str,
    key: &str,
    log: &mut Log,
) -> Result<Read, ImportError> {
    let own: Figures = source.figures(log)?;
    let key = format!("{key}.double_wishbone");
    let angles = [("Camber Angle (deg)", own.camber), ("Toe Angle (deg)", own.toe)];
    static_angles(source, angles, log);
    let points = DoubleWishbonePoints {
        spindle: own.spindle.com(),
        upright: own.upright.com(),
        upper_arm_front: own.upper.front,
        upper_arm_back: own.upper.back,
        upper_arm_outer: own.upper.outer,
        upper_arm_com: own.upper.com,
        lower_arm_front: own.lower.front,
        lower_arm_back: own.lower.back,
        lower_arm_outer: own.lower.outer,
        lower_arm_com: own.lower.com,
        damper_chassis: own.shock.chassis,
        damper_arm: own.shock.moving,
        spring_chassis: own.spring.chassis,
        spring_arm: own.spring.moving,
        tie_rod_chassis: own.tie_rod.chassis,
        tie_rod_upright: own.tie_rod.upright,
    };
    let arm = |arm: &Arm, name: &str, log: &mut Log| {
        arm.part(&format!("{key}.{name}"), own.along_vehicle, log)
    };
    let suspension = DoubleWishbone {
        points,
        upper_arm: arm(&own.upper, "upper_arm", log),
        lower_arm: arm(&own.lower, "lower_arm", log),
        upright: own.upright.part(&format!("{key}.upright"), log),
        spindle: own.spindle.part(&format!("{key}.spindle"), log),
        tie_rod: own.tie_rod.part(&format!("{key}.tie_rod"), log),
    };
    Ok(Read {
        suspension: Suspension::DoubleWishbone(suspension),
        spring: own.spring.spring(source, "Spring", &format!("{axle}.spring"), log)?,
        damper: own.shock.damper(source, "Shock", &format!("{axle}.damper"), log)?,
        half_shaft_inertia: own.axle.inertia,
        steered_by: SteeredBy::TieRods,
    })
}

/// Half the distance of the pivots of an arm that gives one, m.
const HALF_BASE: f64 = 0.1;
/// Height of the arm that stands in above the one there is, m.
const ABOVE: f64 = 0.16;
/// Share of the one arm's mass that the one that stands in takes.
const SHARE: f64 = 1.0 / 3.0;

#[derive(Deserialize)]
struct Single {
    #[serde(rename = "Vehicle-Frame Inertia", default)]
    #[allow(dead_code)] // no difference for the moments that are taken
    along_vehicle: bool,
    #[serde(rename = "Camber Angle (deg)", default)]
    camber: f64,
    #[serde(rename = "Toe Angle (deg)", default)]
    toe: f64,
    #[serde(rename = "Spindle")]
    spindle: Body,
    #[serde(rename = "Upright")]
    upright: Body,
    #[serde(rename = "Control Arm")]
    arm: OneArm,
    #[serde(rename = "Tierod")]
    tie_rod: TieRod,
    #[serde(rename = "Shock")]
    shock: Strut,
    #[serde(rename = "Axle")]
    axle: HalfShaft,
}

#[derive(Deserialize)]
struct OneArm {
    #[serde(rename = "Mass")]
    mass: f64,
    #[serde(rename = "COM")]
    com: Point,
    #[serde(rename = "Moments of Inertia", alias = "Inertia")]
    moments: Point,
    #[serde(rename = "Products of Inertia", default)]
    products: Point,
    #[serde(rename = "Location Chassis")]
    chassis: Point,
    #[serde(rename = "Location Upright")]
    outer: Point,
}

/// One arm with the kingpin on it: a second, parallel arm above it keeps the upright upright, so
/// the camber does not change over travel as it does there.
pub(super) fn single(
    source: &Source,
    axle: &str,
    key: &str,
    log: &mut Log,
) -> Result<Read, ImportError> {
    let own: Single = source.figures(log)?;
    let key = format!("{key}.double_wishbone");
    let angles = [("Camber Angle (deg)", own.camber), ("Toe Angle (deg)", own.toe)];
    static_angles(source, angles, log);
    let what = format!("a parallel arm {ABOVE} m above the one there is, of a third of its mass");
    log.assume(format!("{key}.upper_arm"), what);
    let at = |point: Point, x: f64, z: f64| [point[0] + x, point[1], point[2] + z];
    let arm = &own.arm;
    let points = DoubleWishbonePoints {
        spindle: own.spindle.com(),
        upright: own.upright.com(),
        upper_arm_front: at(arm.chassis, HALF_BASE, ABOVE),
        upper_arm_back: at(arm.chassis, -HALF_BASE, ABOVE),
        upper_arm_outer: at(arm.outer, 0.0, ABOVE),
        upper_arm_com: at(arm.com, 0.0, ABOVE),
        lower_arm_front: at(arm.chassis, HALF_BASE, 0.0),
        lower_arm_back: at(arm.chassis, -HALF_BASE, 0.0),
        lower_arm_outer: arm.outer,
        lower_arm_com: arm.com,
        damper_chassis: own.shock.chassis,
        damper_arm: own.shock.moving,
        spring_chassis: own.shock.chassis,
        spring_arm: own.shock.moving,
        tie_rod_chassis: own.tie_rod.chassis,
        tie_rod_upright: own.tie_rod.upright,
    };
    let shared = |share: f64, name: &str, log: &mut Log| {
        let moments = arm.moments.map(|moment| share * moment);
        let products = arm.products.map(|product| share * product);
        let body = Body::new(share * arm.mass, arm.com, moments, products);
        body.part(&format!("{key}.{name}"), log)
    };
    let suspension = DoubleWishbone {
        points,
        upper_arm: shared(SHARE, "upper_arm", log),
        lower_arm: shared(1.0 - SHARE, "lower_arm", log),
        upright: own.upright.part(&format!("{key}.upright"), log),
        spindle: own.spindle.part(&format!("{key}.spindle"), log),
        tie_rod: own.tie_rod.part(&format!("{key}.tie_rod"), log),
    };
    Ok(Read {
        suspension: Suspension::DoubleWishbone(suspension),
        spring: own.shock.spring(source, "Shock", &format!("{axle}.spring"), log)?,
        damper: own.shock.damper(source, "Shock", &format!("{axle}.damper"), log)?,
        half_shaft_inertia: own.axle.inertia,
        steered_by: SteeredBy::TieRods,
    })
}
