//! Double wishbones: two arms on each side.

use super::super::ImportError;
use super::super::log::Log;
use super::super::part::{Body, vec3};
use super::super::source::Source;
use super::super::strut::Strut;
use super::{HalfShaft, Read, Springing, SteeredBy, static_angles};
use bekker_math::spatial::Mat3;
use bekker_vehicle::spec::{DoubleWishbone, DoubleWishbonePoints, Part, Point, Suspension};
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
pub(super) struct Arm {
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
    pub fn part(&self, key: &str, log: &mut Log) -> Option<Part> {
        let (mass, inertia) = self.mass.zip(self.inertia)?;
        Some(super::super::part::part(key, mass, inertia, log))
    }
}

impl Arm {
    /// Returns the part of an arm with its moments; x is along its pivots, z is normal to its
    /// plane.
    ///
    /// Chrono and bekker share these axes. With `along_vehicle`, the file's moments are along the
    /// vehicle's axes and are rotated.
    pub fn part(&self, key: &str, along_vehicle: bool, log: &mut Log) -> Part {
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
    let springing = Springing::of(source, axle, &own.spring, &own.shock, log)?;
    let suspension = Suspension::DoubleWishbone(suspension);
    Ok(springing.under(suspension, own.axle.inertia, SteeredBy::TieRods))
}
