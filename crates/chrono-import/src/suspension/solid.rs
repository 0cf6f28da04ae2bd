//! Solid axles on leaf springs and on four links.

use super::super::ImportError;
use super::super::log::ImportLog;
use super::super::part::{BodyParams, part, vec3};
use super::super::source::JsonSource;
use super::super::strut::{StrutParams, curve};
use super::{
    Conversion, ConvertedSuspension, HalfShaft, ImportedSuspension, SharedParts, SteeringLinkage,
    SuspensionFile, omit_static_angles,
};
use bekker_vehicle::spec::{
    AxleLocation, FourLinkPoints, Knuckle, LeafSpringMount, MassProperties, Panhard, Point,
    SolidAxle, SolidAxlePoints, Spring, Suspension,
};
use serde::Deserialize;

/// Assumed ratios of a leaf's stiffnesses to the rate of its spring: the FMTV's.
///
/// They are longitudinal and lateral, dimensionless, and against wind-up, m².
const LEAF: [f64; 3] = [9.3, 3.5, 0.58];
/// Ratio of a leaf's damping to its stiffness, s.
const LEAF_DAMPING: f64 = 0.005;

/// Parameters common to all solid axles on springs.
#[derive(Deserialize)]
struct LeafSprungAxle {
    #[serde(rename = "Camber Angle (deg)", default)]
    camber: f64,
    #[serde(rename = "Toe Angle (deg)", default)]
    toe: f64,
    #[serde(rename = "Spindle")]
    spindle: BodyParams,
    #[serde(rename = "Axle Tube")]
    tube: BodyParams,
    #[serde(rename = "Knuckle")]
    knuckle: Option<KnuckleParams>,
    #[serde(rename = "Tierod")]
    tie_rod: Option<SolidTieRod>,
    #[serde(rename = "Draglink")]
    drag_link: Option<AxleRod>,
    #[serde(rename = "Panhard Rod")]
    panhard: Option<AxleRod>,
    #[serde(rename = "Spring", alias = "Auxiliary Spring")]
    spring: StrutParams,
    #[serde(rename = "Leafspring")]
    leaf: Option<JointedLeaf>,
    #[serde(rename = "Shock")]
    shock: StrutParams,
    #[serde(rename = "Axle")]
    axle: HalfShaft,
}

/// Leaf spring of two halves on a shackle, as modeled in the SAE's handbook.
#[derive(Deserialize)]
struct JointedLeaf {
    #[serde(rename = "Vertical Stiffness")]
    vertical: f64,
    #[serde(rename = "Vertical Preload Force", default)]
    preload: f64,
    #[serde(rename = "Lateral Stiffness")]
    lateral: Option<f64>,
    #[serde(rename = "Frontleaf")]
    front: Option<AxleRod>,
    #[serde(rename = "Rearleaf")]
    rear: Option<AxleRod>,
    #[serde(rename = "Half Clamp")]
    clamp: Option<AxleRod>,
}

impl JointedLeaf {
    /// Returns the mass of the leaves of both sides, without shackles, kg.
    fn mass(&self) -> f64 {
        2.0 * (mass(&self.front) + mass(&self.rear) + 2.0 * mass(&self.clamp))
    }
}

#[derive(Clone, Deserialize)]
pub(super) struct KnuckleParams {
    #[serde(rename = "Mass")]
    pub mass: f64,
    #[serde(rename = "COM")]
    pub com: Point,
    #[serde(rename = "Inertia", alias = "Moments of Inertia")]
    pub inertia: Point,
    #[serde(rename = "Location Lower")]
    pub lower: Point,
    #[serde(rename = "Location Upper")]
    pub upper: Point,
    #[serde(rename = "Location Draglink")]
    pub drag_link: Option<Point>,
    #[serde(rename = "Location Tierod")]
    pub tie_rod: Option<Point>,
}

#[derive(Deserialize)]
struct SolidTieRod {
    #[serde(rename = "Mass", default)]
    mass: f64,
    #[serde(rename = "Location Knuckle")]
    knuckle: Point,
}

/// Rod; only its mass is used.
#[derive(Deserialize)]
pub(super) struct AxleRod {
    #[serde(rename = "Mass", default)]
    pub mass: f64,
}

/// Returns the mass of a rod, kg; 0 without one.
pub(super) fn mass(rod: &Option<AxleRod>) -> f64 {
    rod.as_ref().map_or(0.0, |rod| rod.mass)
}

impl KnuckleParams {
    /// Converts to a knuckle; unless specified otherwise, its tie rod reaches to the center.
    pub fn knuckle(&self, key: &str, tie_rod: Point, log: &mut ImportLog) -> Knuckle {
        Knuckle {
            part: part(&format!("{key}.part"), self.mass, self.inertia, log),
            com: self.com,
            kingpin_upper: self.upper,
            kingpin_lower: self.lower,
            tie_rod_knuckle: tie_rod,
            tie_rod_chassis: [tie_rod[0], 0.0, tie_rod[2]],
        }
    }
}

/// Returns the beam with the added mass of rods that are massless in bekker.
pub(super) fn beam(tube: &BodyParams, rods: f64, key: &str, log: &mut ImportLog) -> MassProperties {
    let mut beam = tube.part(key, log);
    if rods > 0.0 {
        log.assume(
            format!("{key}.mass"),
            format!("including {rods} kg of rods, which are massless in bekker"),
        );
        beam.mass += rods;
    }
    beam
}

/// Reads a beam on springs whose guide is ideal or has no counterpart; leaf stiffnesses replace the
/// guide.
pub(super) fn read_on_leaves(
    source: &JsonSource,
    axle: &str,
    steered: bool,
    log: &mut ImportLog,
) -> Result<ImportedSuspension, ImportError> {
    let own: LeafSprungAxle = source.params(log)?;
    let key = format!("{axle}.suspension.solid_axle");
    omit_static_angles(source, [own.camber, own.toe], log);
    let spring = match &own.leaf {
        None => own.spring.spring(source, "Spring", &format!("{axle}.spring"), log)?,
        Some(leaf) => two_part_spring(source, &own.spring, leaf, &format!("{axle}.spring"), log)?,
    };
    let rate = spring.tension.value_and_slope(0.0).1;
    let [along, aside, wind_up] = LEAF.map(|share| share * rate);
    let what = "about 10 and 4 times the spring's rate, because the source's guide of the beam has \
        no counterpart";
    log.assume(format!("{key}.location.leaf"), what);
    let location = AxleLocation::Leaf(LeafSpringMount {
        clamp: own.spring.moving,
        longitudinal_stiffness: along,
        lateral_stiffness: own.leaf.as_ref().and_then(|leaf| leaf.lateral).unwrap_or(aside),
        windup_stiffness: wind_up,
        damping_time: LEAF_DAMPING,
    });
    let tie_rod = own.tie_rod.as_ref().map_or(0.0, |rod| rod.mass);
    let leaves = own.leaf.as_ref().map_or(0.0, JointedLeaf::mass);
    let mut rods = tie_rod + mass(&own.drag_link) + mass(&own.panhard) + leaves;
    let knuckle = match (&own.knuckle, &own.tie_rod) {
        (Some(knuckle), Some(rod)) if steered => {
            Some(knuckle.knuckle(&format!("{key}.knuckle"), rod.knuckle, log))
        }
        (knuckle, _) if steered => {
            let absent = if knuckle.is_none() { "Knuckle" } else { "Tierod" };
            return Err(source.refused(absent, "absent", "given, because the axle is steered"));
        }
        (Some(knuckle), _) => {
            rods += 2.0 * knuckle.mass;
            None
        }
        _ => None,
    };
    let drag_link = own.knuckle.as_ref().and_then(|knuckle| knuckle.drag_link);
    let suspension = SolidAxle {
        points: points(&own.spindle, &own.tube, &own.spring, &own.shock),
        location,
        beam: beam(&own.tube, rods, &format!("{key}.beam"), log),
        spindle: own.spindle.part(&format!("{key}.spindle"), log),
        knuckle,
    };
    Ok(ImportedSuspension {
        suspension: Suspension::SolidAxle(suspension),
        spring,
        damper: own.shock.damper(source, "Shock", &format!("{axle}.damper"), log)?,
        half_shaft_inertia: own.axle.inertia,
        steered_by: drag_link.map_or(SteeringLinkage::Other, SteeringLinkage::DragLink),
    })
}

/// Returns the spring of a two-part leaf with the auxiliary spring above it.
///
/// The rates add, and so do the forces in the design position.
fn two_part_spring(
    source: &JsonSource,
    auxiliary: &StrutParams,
    leaf: &JointedLeaf,
    key: &str,
    log: &mut ImportLog,
) -> Result<Spring, ImportError> {
    let length = (vec3(auxiliary.chassis) - vec3(auxiliary.moving)).norm();
    let (rate, push) = auxiliary.linear(length);
    let (rate, push) = (rate + leaf.vertical, push + leaf.preload);
    log.assume(
        key,
        "the sum of the leaf's and the auxiliary spring's vertical stiffness and preload",
    );
    let line = vec![[-0.5, -0.5 * rate], [0.5, 0.5 * rate]];
    let tension = curve(source, "Leafspring / Vertical Stiffness", line)?;
    let stops = auxiliary.stops(key, log);
    Ok(Spring { free_length: length + push / rate, tension, stops })
}

pub(super) fn points(
    spindle: &BodyParams,
    tube: &BodyParams,
    spring: &StrutParams,
    shock: &StrutParams,
) -> SolidAxlePoints {
    SolidAxlePoints {
        spindle: spindle.com(),
        beam_com: tube.com(),
        damper_chassis: shock.chassis,
        damper_beam: shock.moving,
        spring_chassis: spring.chassis,
        spring_beam: spring.moving,
    }
}

#[derive(Deserialize)]
pub(super) struct FourLinkAxleFile {
    #[serde(rename = "Camber Angle (deg)", default)]
    camber: f64,
    #[serde(rename = "Toe Angle (deg)", default)]
    toe: f64,
    #[serde(rename = "Spindle")]
    spindle: BodyParams,
    #[serde(rename = "Axle Tube")]
    tube: BodyParams,
    #[serde(rename = "Knuckle")]
    knuckle: KnuckleParams,
    #[serde(rename = "Upper Link")]
    upper: AxleLink,
    #[serde(rename = "Lower Link")]
    lower: AxleLink,
    #[serde(rename = "Trackbar")]
    track_bar: Option<AxleLink>,
    #[serde(rename = "Tierod")]
    tie_rod: SolidTieRod,
    #[serde(rename = "Draglink")]
    drag_link: Option<AxleRod>,
    #[serde(rename = "Bell Crank")]
    bell_crank: Option<AxleRod>,
    #[serde(rename = "Spring")]
    spring: StrutParams,
    #[serde(rename = "Shock")]
    shock: StrutParams,
    #[serde(rename = "Axle")]
    axle: HalfShaft,
}

#[derive(Deserialize)]
pub(super) struct AxleLink {
    #[serde(rename = "Mass", default)]
    pub mass: f64,
    #[serde(rename = "Location Axle")]
    pub axle: Point,
    #[serde(rename = "Location Chassis")]
    pub chassis: Point,
}

impl SuspensionFile for FourLinkAxleFile {
    const KEY: &'static str = "solid_axle";

    fn shared(&self) -> SharedParts<'_> {
        let angles = [self.camber, self.toe];
        SharedParts { angles, spring: &self.spring, shock: &self.shock, half_shaft: self.axle }
    }

    fn convert(&self, conversion: &mut Conversion<'_>) -> ConvertedSuspension {
        let panhard =
            self.track_bar.as_ref().map(|bar| Panhard { chassis: bar.chassis, beam: bar.axle });
        let links = 2.0 * (self.upper.mass + self.lower.mass);
        let bar = self.track_bar.as_ref().map_or(0.0, |bar| bar.mass);
        let mut rods =
            links + bar + self.tie_rod.mass + mass(&self.drag_link) + mass(&self.bell_crank);
        let knuckle = if conversion.steered {
            let key = conversion.key("knuckle");
            Some(self.knuckle.knuckle(&key, self.tie_rod.knuckle, conversion.log))
        } else {
            rods += 2.0 * self.knuckle.mass;
            None
        };
        let suspension = SolidAxle {
            points: points(&self.spindle, &self.tube, &self.spring, &self.shock),
            location: AxleLocation::Links(FourLinkPoints {
                upper_chassis: self.upper.chassis,
                upper_beam: self.upper.axle,
                lower_chassis: self.lower.chassis,
                lower_beam: self.lower.axle,
                panhard,
            }),
            beam: beam(&self.tube, rods, &conversion.key("beam"), conversion.log),
            spindle: conversion.part("spindle", &self.spindle),
            knuckle,
        };
        Ok((Suspension::SolidAxle(suspension), SteeringLinkage::Other))
    }
}
