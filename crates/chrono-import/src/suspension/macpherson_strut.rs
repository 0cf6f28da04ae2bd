//! MacPherson struts: a lower arm on each side, and a strut that guides the upright.

use super::super::ImportError;
use super::super::log::Log;
use super::super::part::{Body, part};
use super::super::source::Source;
use super::super::strut::Strut;
use super::double_wishbone::{Arm, TieRod};
use super::{HalfShaft, Read, Springing, SteeredBy, static_angles};
use bekker_vehicle::spec::{MacphersonStrut, MacphersonStrutPoints, Point, Suspension};
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
    #[serde(rename = "Control Arm")]
    arm: Arm,
    #[serde(rename = "Strut")]
    rod: Rod,
    #[serde(rename = "Tierod")]
    tie_rod: TieRod,
    #[serde(rename = "Spring")]
    spring: Strut,
    #[serde(rename = "Shock")]
    shock: Strut,
    #[serde(rename = "Axle")]
    axle: HalfShaft,
}

/// Strut, with the z axis of its moments along it.
#[derive(Deserialize)]
struct Rod {
    #[serde(rename = "Mass")]
    mass: f64,
    #[serde(rename = "Inertia", alias = "Moments of Inertia")]
    inertia: Point,
}

/// Reads the suspension; the strut is attached to the shock's end on the chassis, and slides along
/// the shock.
pub(super) fn read(
    source: &Source,
    axle: &str,
    key: &str,
    log: &mut Log,
) -> Result<Read, ImportError> {
    let own: Figures = source.figures(log)?;
    let key = format!("{key}.macpherson_strut");
    let angles = [("Camber Angle (deg)", own.camber), ("Toe Angle (deg)", own.toe)];
    static_angles(source, angles, log);
    if own.tie_rod.part(&key, log).is_some() {
        log.omit(source, "Tierod / Mass", "this tie rod is massless in bekker");
    }
    let points = MacphersonStrutPoints {
        spindle: own.spindle.com(),
        upright: own.upright.com(),
        arm_front: own.arm.front,
        arm_back: own.arm.back,
        arm_outer: own.arm.outer,
        arm_com: own.arm.com,
        strut_chassis: own.shock.chassis,
        strut_upright: own.shock.moving,
        damper_chassis: own.shock.chassis,
        damper_upright: own.shock.moving,
        spring_chassis: own.spring.chassis,
        spring_upright: own.spring.moving,
        tie_rod_chassis: own.tie_rod.chassis,
        tie_rod_upright: own.tie_rod.upright,
    };
    let suspension = MacphersonStrut {
        points,
        arm: own.arm.part(&format!("{key}.arm"), own.along_vehicle, log),
        upright: own.upright.part(&format!("{key}.upright"), log),
        rod: part(&format!("{key}.rod"), own.rod.mass, own.rod.inertia, log),
        spindle: own.spindle.part(&format!("{key}.spindle"), log),
    };
    let springing = Springing::of(source, axle, &own.spring, &own.shock, log)?;
    let suspension = Suspension::MacphersonStrut(suspension);
    Ok(springing.under(suspension, own.axle.inertia, SteeredBy::TieRods))
}
