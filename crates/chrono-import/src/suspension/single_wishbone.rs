//! Single wishbones: one arm on each side that carries the kingpin.

use super::super::part::BodyParams;
use super::super::strut::StrutParams;
use super::double_wishbone::TieRod;
use super::{
    Conversion, ConvertedSuspension, HalfShaft, SharedParts, SteeringLinkage, SuspensionFile,
};
use bekker_vehicle::spec::{Point, SingleWishbone, SingleWishbonePoints, Suspension};
use serde::Deserialize;

/// Assumed half distance of an arm's pivots where a file specifies the midpoint of its axis, m.
///
/// Any value yields the same axis.
const HALF_BASE: f64 = 0.1;
/// Assumed half length of the kingpin, m; any value yields the same axis.
const HALF_KINGPIN: f64 = 0.05;

#[derive(Deserialize)]
pub(super) struct SingleWishboneFile {
    #[serde(rename = "Vehicle-Frame Inertia", default)]
    #[allow(dead_code)] // the moments that are used do not depend on it
    along_vehicle: bool,
    #[serde(rename = "Camber Angle (deg)", default)]
    camber: f64,
    #[serde(rename = "Toe Angle (deg)", default)]
    toe: f64,
    #[serde(rename = "Spindle")]
    spindle: BodyParams,
    #[serde(rename = "Upright")]
    upright: BodyParams,
    #[serde(rename = "Control Arm")]
    arm: SingleArm,
    #[serde(rename = "Tierod")]
    tie_rod: TieRod,
    #[serde(rename = "Shock")]
    shock: StrutParams,
    #[serde(rename = "Axle")]
    axle: HalfShaft,
}

#[derive(Deserialize)]
struct SingleArm {
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

impl SuspensionFile for SingleWishboneFile {
    const KEY: &'static str = "single_wishbone";
    const SPRING: &'static str = "Shock";

    fn shared(&self) -> SharedParts<'_> {
        let angles = [self.camber, self.toe];
        SharedParts { angles, spring: &self.shock, shock: &self.shock, half_shaft: self.axle }
    }

    /// Converts the suspension; the arm swings about the chassis' x axis, the upright turns about
    /// the arm's z axis.
    fn convert(&self, conversion: &mut Conversion<'_>) -> ConvertedSuspension {
        self.tie_rod.omit_mass(conversion);
        let at = |point: Point, x: f64, z: f64| [point[0] + x, point[1], point[2] + z];
        let arm = &self.arm;
        let points = SingleWishbonePoints {
            spindle: self.spindle.com(),
            upright: self.upright.com(),
            arm_front: at(arm.chassis, HALF_BASE, 0.0),
            arm_back: at(arm.chassis, -HALF_BASE, 0.0),
            arm_com: arm.com,
            kingpin_upper: at(arm.outer, 0.0, HALF_KINGPIN),
            kingpin_lower: at(arm.outer, 0.0, -HALF_KINGPIN),
            damper_chassis: self.shock.chassis,
            damper_arm: self.shock.moving,
            spring_chassis: self.shock.chassis,
            spring_arm: self.shock.moving,
            tie_rod_chassis: self.tie_rod.chassis,
            tie_rod_upright: self.tie_rod.upright,
        };
        let arm = BodyParams::new(arm.mass, arm.com, arm.moments, arm.products);
        let suspension = SingleWishbone {
            points,
            arm: conversion.part("arm", &arm),
            upright: conversion.part("upright", &self.upright),
            spindle: conversion.part("spindle", &self.spindle),
        };
        Ok((Suspension::SingleWishbone(suspension), SteeringLinkage::TieRods))
    }
}
