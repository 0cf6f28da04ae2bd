//! Single wishbones: one arm on each side that carries the kingpin.

use super::super::ImportError;
use super::super::log::Log;
use super::super::part::Body;
use super::super::source::Source;
use super::super::strut::Strut;
use super::double_wishbone::TieRod;
use super::{HalfShaft, Read, Springing, SteeredBy, static_angles};
use bekker_vehicle::spec::{Point, SingleWishbone, SingleWishbonePoints, Suspension};
use serde::Deserialize;

/// Assumed half distance of an arm's pivots where a file specifies the midpoint of its axis, m.
///
/// Any value yields the same axis.
const HALF_BASE: f64 = 0.1;
/// Assumed half length of the kingpin, m; any value yields the same axis.
const HALF_KINGPIN: f64 = 0.05;

#[derive(Deserialize)]
struct Figures {
    #[serde(rename = "Vehicle-Frame Inertia", default)]
    #[allow(dead_code)] // the moments that are used do not depend on it
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
    arm: Arm,
    #[serde(rename = "Tierod")]
    tie_rod: TieRod,
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
    #[serde(rename = "Location Chassis")]
    chassis: Point,
    #[serde(rename = "Location Upright")]
    outer: Point,
}

/// Reads the suspension; the arm swings about the chassis' x axis, the upright turns about the
/// arm's z axis.
pub(super) fn read(
    source: &Source,
    axle: &str,
    key: &str,
    log: &mut Log,
) -> Result<Read, ImportError> {
    let own: Figures = source.figures(log)?;
    let key = format!("{key}.single_wishbone");
    let angles = [("Camber Angle (deg)", own.camber), ("Toe Angle (deg)", own.toe)];
    static_angles(source, angles, log);
    if own.tie_rod.part(&key, log).is_some() {
        log.omit(source, "Tierod / Mass", "this tie rod is massless in bekker");
    }
    let at = |point: Point, x: f64, z: f64| [point[0] + x, point[1], point[2] + z];
    let arm = &own.arm;
    let points = SingleWishbonePoints {
        spindle: own.spindle.com(),
        upright: own.upright.com(),
        arm_front: at(arm.chassis, HALF_BASE, 0.0),
        arm_back: at(arm.chassis, -HALF_BASE, 0.0),
        arm_com: arm.com,
        kingpin_upper: at(arm.outer, 0.0, HALF_KINGPIN),
        kingpin_lower: at(arm.outer, 0.0, -HALF_KINGPIN),
        damper_chassis: own.shock.chassis,
        damper_arm: own.shock.moving,
        spring_chassis: own.shock.chassis,
        spring_arm: own.shock.moving,
        tie_rod_chassis: own.tie_rod.chassis,
        tie_rod_upright: own.tie_rod.upright,
    };
    let body = Body::new(arm.mass, arm.com, arm.moments, arm.products);
    let suspension = SingleWishbone {
        points,
        arm: body.part(&format!("{key}.arm"), log),
        upright: own.upright.part(&format!("{key}.upright"), log),
        spindle: own.spindle.part(&format!("{key}.spindle"), log),
    };
    let springing = Springing::of_one(source, axle, &own.shock, log)?;
    let suspension = Suspension::SingleWishbone(suspension);
    Ok(springing.under(suspension, own.axle.inertia, SteeredBy::TieRods))
}
