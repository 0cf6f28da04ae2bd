//! Solid axles on two lower rods and a triangle, which is converted to two splayed rods that meet.

use super::super::part::BodyParams;
use super::super::strut::StrutParams;
use super::solid::{AxleLink, AxleRod, KnuckleParams, beam, mass, points};
use super::{
    Conversion, ConvertedSuspension, HalfShaft, SharedParts, SteeringLinkage, SuspensionFile,
};
use bekker_vehicle::spec::{AxleLocation, FourLinkPoints, SolidAxle, Suspension};
use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct ThreeLinkAxleFile {
    #[serde(rename = "Spindle")]
    spindle: BodyParams,
    #[serde(rename = "Axle Tube")]
    tube: BodyParams,
    #[serde(rename = "Knuckle")]
    knuckle: Option<KnuckleParams>,
    #[serde(rename = "Triangular Link")]
    triangle: AxleLink,
    #[serde(rename = "Longitudinal Link")]
    rod: AxleLink,
    #[serde(rename = "Tierod")]
    tie_rod: Option<AxleRod>,
    #[serde(rename = "Draglink")]
    drag_link: Option<AxleRod>,
    #[serde(rename = "Bellcrank")]
    bell_crank: Option<AxleRod>,
    #[serde(rename = "Spring")]
    spring: StrutParams,
    #[serde(rename = "Shock")]
    shock: StrutParams,
    #[serde(rename = "Axle")]
    axle: HalfShaft,
}

impl SuspensionFile for ThreeLinkAxleFile {
    const KEY: &'static str = "solid_axle";

    fn shared(&self) -> SharedParts<'_> {
        let angles = [0.0; 2];
        SharedParts { angles, spring: &self.spring, shock: &self.shock, half_shaft: self.axle }
    }

    fn convert(&self, conversion: &mut Conversion<'_>) -> ConvertedSuspension {
        let steering = 2.0 * mass(&self.tie_rod) + mass(&self.drag_link) + mass(&self.bell_crank);
        let mut rods = self.triangle.mass + 2.0 * self.rod.mass + steering;
        let knuckle = match &self.knuckle {
            Some(knuckle) if conversion.steered => {
                let tie_rod = knuckle.tie_rod.unwrap_or(knuckle.com);
                Some(knuckle.knuckle(&conversion.key("knuckle"), tie_rod, conversion.log))
            }
            Some(knuckle) => {
                rods += 2.0 * knuckle.mass;
                None
            }
            None => None,
        };
        let suspension = SolidAxle {
            points: points(&self.spindle, &self.tube, &self.spring, &self.shock),
            location: AxleLocation::Links(FourLinkPoints {
                upper_chassis: self.triangle.chassis,
                upper_beam: self.triangle.axle,
                lower_chassis: self.rod.chassis,
                lower_beam: self.rod.axle,
                panhard: None,
            }),
            beam: beam(&self.tube, rods, &conversion.key("beam"), conversion.log),
            spindle: conversion.part("spindle", &self.spindle),
            knuckle,
        };
        Ok((Suspension::SolidAxle(suspension), SteeringLinkage::Other))
    }
}
