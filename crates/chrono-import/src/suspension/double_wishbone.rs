//! Double wishbones: two arms on each side.

use super::super::log::ImportLog;
use super::super::part::{BodyParams, part, vec3};
use super::super::strut::StrutParams;
use super::{
    Conversion, ConvertedSuspension, HalfShaft, SharedParts, SteeringLinkage, SuspensionFile,
};
use bekker_math::spatial::Mat3;
use bekker_vehicle::spec::{
    DoubleWishbone, DoubleWishbonePoints, MassProperties, Point, Suspension,
};
use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct DoubleWishboneFile {
    #[serde(rename = "Vehicle-Frame Inertia", default)]
    along_vehicle: bool,
    #[serde(rename = "Camber Angle (deg)", default)]
    camber: f64,
    #[serde(rename = "Toe Angle (deg)", default)]
    toe: f64,
    #[serde(rename = "Spindle")]
    spindle: BodyParams,
    #[serde(rename = "Upright")]
    upright: BodyParams,
    #[serde(rename = "Upper Control Arm")]
    upper: WishboneArm,
    #[serde(rename = "Lower Control Arm")]
    lower: WishboneArm,
    #[serde(rename = "Tierod")]
    tie_rod: TieRod,
    #[serde(rename = "Spring")]
    spring: StrutParams,
    #[serde(rename = "Shock")]
    shock: StrutParams,
    #[serde(rename = "Axle")]
    axle: HalfShaft,
}

#[derive(Deserialize)]
pub(super) struct WishboneArm {
    #[serde(rename = "Mass")]
    mass: f64,
    #[serde(rename = "COM")]
    pub com: Point,
    #[serde(rename = "Moments of Inertia", alias = "Inertia")]
    moments: Point,
    #[serde(rename = "Products of Inertia", default)]
    products: Point,
    #[serde(rename = "Location Chassis Front")]
    pub front: Point,
    #[serde(rename = "Location Chassis Back")]
    pub back: Point,
    #[serde(rename = "Location Upright")]
    pub outer: Point,
}

#[derive(Deserialize)]
pub(super) struct TieRod {
    #[serde(rename = "Location Chassis")]
    pub chassis: Point,
    #[serde(rename = "Location Upright")]
    pub upright: Point,
    #[serde(rename = "Mass")]
    mass: Option<f64>,
    #[serde(rename = "Inertia")]
    inertia: Option<Point>,
}

impl TieRod {
    pub fn part(&self, key: &str, log: &mut ImportLog) -> Option<MassProperties> {
        let (mass, inertia) = self.mass.zip(self.inertia)?;
        Some(part(key, mass, inertia, log))
    }

    /// Records that the mass of the rod, if specified, has no counterpart.
    pub fn omit_mass(&self, conversion: &mut Conversion<'_>) {
        if self.part(&conversion.key, conversion.log).is_some() {
            let why = "this tie rod is massless in bekker";
            conversion.log.omit(conversion.source, "Tierod / Mass", why);
        }
    }
}

impl WishboneArm {
    /// Returns the part of an arm with its moments; x is along its pivots, z is normal to its
    /// plane.
    ///
    /// Chrono and bekker share these axes. With `along_vehicle`, the file's moments are along the
    /// vehicle's axes and are rotated.
    pub fn part(&self, key: &str, along_vehicle: bool, log: &mut ImportLog) -> MassProperties {
        let body = BodyParams::new(self.mass, self.com, self.moments, self.products);
        if !along_vehicle {
            return body.part(key, log);
        }
        let [front, back, outer] = [self.front, self.back, self.outer].map(vec3);
        let x = (front - back).normalize();
        let z = x.cross(&(outer - back)).normalize();
        body.rotated_part(key, &Mat3::from_columns(&[x, z.cross(&x), z]), log)
    }
}

impl SuspensionFile for DoubleWishboneFile {
    const KEY: &'static str = "double_wishbone";

    fn shared(&self) -> SharedParts<'_> {
        let angles = [self.camber, self.toe];
        SharedParts { angles, spring: &self.spring, shock: &self.shock, half_shaft: self.axle }
    }

    fn convert(&self, conversion: &mut Conversion<'_>) -> ConvertedSuspension {
        let arm = |arm: &WishboneArm, name: &str, conversion: &mut Conversion<'_>| {
            arm.part(&conversion.key(name), self.along_vehicle, conversion.log)
        };
        let suspension = DoubleWishbone {
            points: self.points(),
            upper_arm: arm(&self.upper, "upper_arm", conversion),
            lower_arm: arm(&self.lower, "lower_arm", conversion),
            upright: conversion.part("upright", &self.upright),
            spindle: conversion.part("spindle", &self.spindle),
            tie_rod: self.tie_rod.part(&conversion.key("tie_rod"), conversion.log),
        };
        Ok((Suspension::DoubleWishbone(suspension), SteeringLinkage::TieRods))
    }
}

impl DoubleWishboneFile {
    fn points(&self) -> DoubleWishbonePoints {
        DoubleWishbonePoints {
            spindle: self.spindle.com(),
            upright: self.upright.com(),
            upper_arm_front: self.upper.front,
            upper_arm_back: self.upper.back,
            upper_arm_outer: self.upper.outer,
            upper_arm_com: self.upper.com,
            lower_arm_front: self.lower.front,
            lower_arm_back: self.lower.back,
            lower_arm_outer: self.lower.outer,
            lower_arm_com: self.lower.com,
            damper_chassis: self.shock.chassis,
            damper_arm: self.shock.moving,
            spring_chassis: self.spring.chassis,
            spring_arm: self.spring.moving,
            tie_rod_chassis: self.tie_rod.chassis,
            tie_rod_upright: self.tie_rod.upright,
        }
    }
}
