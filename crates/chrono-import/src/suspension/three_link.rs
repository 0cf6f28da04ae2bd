//! Solid axles on two lower rods and a triangle, which is converted to two splayed rods that meet.

use super::super::ImportError;
use super::super::log::Log;
use super::super::part::Body;
use super::super::source::Source;
use super::super::strut::Strut;
use super::solid::{KnuckleFigures, Link, Rod, beam, points};
use super::{HalfShaft, Read, Springing, SteeredBy};
use bekker_vehicle::spec::{AxleLocation, FourLinkPoints, SolidAxle, Suspension};
use serde::Deserialize;

#[derive(Deserialize)]
struct Figures {
    #[serde(rename = "Spindle")]
    spindle: Body,
    #[serde(rename = "Axle Tube")]
    tube: Body,
    #[serde(rename = "Knuckle")]
    knuckle: Option<KnuckleFigures>,
    #[serde(rename = "Triangular Link")]
    triangle: Link,
    #[serde(rename = "Longitudinal Link")]
    rod: Link,
    #[serde(rename = "Tierod")]
    tie_rod: Option<Rod>,
    #[serde(rename = "Draglink")]
    drag_link: Option<Rod>,
    #[serde(rename = "Bellcrank")]
    bell_crank: Option<Rod>,
    #[serde(rename = "Spring")]
    spring: Strut,
    #[serde(rename = "Shock")]
    shock: Strut,
    #[serde(rename = "Axle")]
    axle: HalfShaft,
}

pub(super) fn read(
    source: &Source,
    axle: &str,
    key: &str,
    steered: bool,
    log: &mut Log,
) -> Result<Read, ImportError> {
    let own: Figures = source.figures(log)?;
    let key = format!("{key}.solid_axle");
    let of = |rod: &Option<Rod>| rod.as_ref().map_or(0.0, |rod| rod.mass);
    let steering = 2.0 * of(&own.tie_rod) + of(&own.drag_link) + of(&own.bell_crank);
    let mut rods = own.triangle.mass + 2.0 * own.rod.mass + steering;
    let knuckle = match &own.knuckle {
        Some(knuckle) if steered => {
            let tie_rod = knuckle.tie_rod.unwrap_or(knuckle.com);
            Some(knuckle.knuckle(&format!("{key}.knuckle"), tie_rod, log))
        }
        Some(knuckle) => {
            rods += 2.0 * knuckle.mass;
            None
        }
        None => None,
    };
    let suspension = SolidAxle {
        points: points(&own.spindle, &own.tube, &own.spring, &own.shock),
        location: AxleLocation::Links(FourLinkPoints {
            upper_chassis: own.triangle.chassis,
            upper_beam: own.triangle.axle,
            lower_chassis: own.rod.chassis,
            lower_beam: own.rod.axle,
            panhard: None,
        }),
        beam: beam(&own.tube, rods, &format!("{key}.beam"), log),
        spindle: own.spindle.part(&format!("{key}.spindle"), log),
        knuckle,
    };
    let springing = Springing::of(source, axle, &own.spring, &own.shock, log)?;
    let suspension = Suspension::SolidAxle(suspension);
    Ok(springing.under(suspension, own.axle.inertia, SteeredBy::Other))
}
