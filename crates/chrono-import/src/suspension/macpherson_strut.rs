//! MacPherson struts: a lower arm on each side, and a strut that guides the upright.

use super::super::part::{BodyParams, part};
use super::super::strut::StrutParams;
use super::double_wishbone::{TieRod, WishboneArm};
use super::{
    Conversion, ConvertedSuspension, HalfShaft, SharedParts, SteeringLinkage, SuspensionFile,
};
use bekker_vehicle::spec::{MacphersonStrut, MacphersonStrutPoints, Point, Suspension};
use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct MacphersonStrutFile {
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
    #[serde(rename = "Control Arm")]
    arm: WishboneArm,
    #[serde(rename = "Strut")]
    rod: StrutRod,
    #[serde(rename = "Tierod")]
    tie_rod: TieRod,
    #[serde(rename = "Spring")]
    spring: StrutParams,
    #[serde(rename = "Shock")]
    shock: StrutParams,
    #[serde(rename = "Axle")]
    axle: HalfShaft,
}

/// Strut, with the z axis of its moments along it.
#[derive(Deserialize)]
struct StrutRod {
    #[serde(rename = "Mass")]
    mass: f64,
    #[serde(rename = "Inertia", alias = "Moments of Inertia")]
    inertia: Point,
}

impl SuspensionFile for MacphersonStrutFile {
    const KEY: &'static str = "macpherson_strut";

    fn shared(&self) -> SharedParts<'_> {
        let angles = [self.camber, self.toe];
        SharedParts { angles, spring: &self.spring, shock: &self.shock, half_shaft: self.axle }
    }

    /// Converts the suspension; the strut is attached to the shock's end on the chassis, and slides
    /// along the shock.
    fn convert(&self, conversion: &mut Conversion<'_>) -> ConvertedSuspension {
        self.tie_rod.omit_mass(conversion);
        let points = MacphersonStrutPoints {
            spindle: self.spindle.com(),
            upright: self.upright.com(),
            arm_front: self.arm.front,
            arm_back: self.arm.back,
            arm_outer: self.arm.outer,
            arm_com: self.arm.com,
            strut_chassis: self.shock.chassis,
            strut_upright: self.shock.moving,
            damper_chassis: self.shock.chassis,
            damper_upright: self.shock.moving,
            spring_chassis: self.spring.chassis,
            spring_upright: self.spring.moving,
            tie_rod_chassis: self.tie_rod.chassis,
            tie_rod_upright: self.tie_rod.upright,
        };
        let arm_key = conversion.key("arm");
        let rod_key = conversion.key("rod");
        let suspension = MacphersonStrut {
            points,
            arm: self.arm.part(&arm_key, self.along_vehicle, conversion.log),
            upright: conversion.part("upright", &self.upright),
            rod: part(&rod_key, self.rod.mass, self.rod.inertia, conversion.log),
            spindle: conversion.part("spindle", &self.spindle),
        };
        Ok((Suspension::MacphersonStrut(suspension), SteeringLinkage::TieRods))
    }
}
