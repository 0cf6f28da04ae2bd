//! Solid axles on leaf springs and on four links.

use super::super::ImportError;
use super::super::library::Source;
use super::super::log::Log;
use super::super::part::{Body, part};
use super::super::strut::Strut;
use super::{HalfShaft, Read, SteeredBy, static_angles};
use crate::vehicle::spec::{
    AxleLocation, FourLinkPoints, Knuckle, LeafSpringMount, Panhard, Part, Point, SolidAxle,
    SolidAxlePoints, Suspension,
};
use serde::Deserialize;

/// Stiffnesses of a leaf over the rate of its spring, assumed: along, aside, 1 each, and against wind-up,
/// m²; those that the FMTV has here.
const LEAF: [f64; 3] = [9.3, 3.5, 0.58];
/// Damping of a leaf over its stiffness, s.
const LEAF_DAMPING: f64 = 0.005;

#[derive(Deserialize)]
struct Leaves {
    #[serde(rename = "Camber Angle (deg)", default)]
    camber: f64,
    #[serde(rename = "Toe Angle (deg)", default)]
    toe: f64,
    #[serde(rename = "Spindle")]
    spindle: Body,
    #[serde(rename = "Axle Tube")]
    tube: Body,
    #[serde(rename = "Knuckle")]
    knuckle: Option<KnuckleFigures>,
    #[serde(rename = "Tierod")]
    tie_rod: Option<TieRod>,
    #[serde(rename = "Draglink")]
    drag_link: Option<Rod>,
    #[serde(rename = "Spring")]
    spring: Strut,
    #[serde(rename = "Shock")]
    shock: Strut,
    #[serde(rename = "Axle")]
    axle: HalfShaft,
}

#[derive(Clone, Deserialize)]
pub(super) struct KnuckleFigures {
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
struct TieRod {
    #[serde(rename = "Mass", default)]
    mass: f64,
    #[serde(rename = "Location Knuckle")]
    knuckle: Point,
}

/// A rod of which the mass counts.
#[derive(Deserialize)]
pub(super) struct Rod {
    #[serde(rename = "Mass", default)]
    pub mass: f64,
}

impl KnuckleFigures {
    /// The knuckle; its tie rod goes across to the middle, where nothing else says.
    pub fn knuckle(&self, key: &str, tie_rod: Point, log: &mut Log) -> Knuckle {
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

/// The beam with the mass of rods that have none here.
pub(super) fn beam(tube: &Body, rods: f64, key: &str, log: &mut Log) -> Part {
    let mut beam = tube.part(key, log);
    if rods > 0.0 {
        log.assume(
            format!("{key}.mass"),
            format!("with {rods} kg of rods, which are massless here"),
        );
        beam.mass += rods;
    }
    beam
}

pub(super) fn on_leaves(
    source: &Source,
    axle: &str,
    key: &str,
    steered: bool,
    log: &mut Log,
) -> Result<Read, ImportError> {
    let own: Leaves = source.figures(log)?;
    let key = format!("{key}.solid_axle");
    let angles = [("Camber Angle (deg)", own.camber), ("Toe Angle (deg)", own.toe)];
    static_angles(source, angles, log);
    let spring = own.spring.spring(source, "Spring", &format!("{axle}.spring"), log)?;
    let rate = spring.tension.value_and_slope(0.0).1;
    let what = "10 and 4 times the spring's rate, which the source's ideal guide does not give";
    log.assume(format!("{key}.location.leaf"), what);
    let location = AxleLocation::Leaf(LeafSpringMount {
        clamp: own.spring.moving,
        longitudinal_stiffness: LEAF[0] * rate,
        lateral_stiffness: LEAF[1] * rate,
        windup_stiffness: LEAF[2] * rate,
        damping_time: LEAF_DAMPING,
    });
    let tie_rod = own.tie_rod.as_ref().map_or(0.0, |rod| rod.mass);
    let mut rods = tie_rod + own.drag_link.as_ref().map_or(0.0, |rod| rod.mass);
    let knuckle = match (&own.knuckle, &own.tie_rod) {
        (Some(knuckle), Some(rod)) if steered => {
            Some(knuckle.knuckle(&format!("{key}.knuckle"), rod.knuckle, log))
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
    Ok(Read {
        suspension: Suspension::SolidAxle(suspension),
        spring,
        damper: own.shock.damper(source, "Shock", &format!("{axle}.damper"), log)?,
        half_shaft_inertia: own.axle.inertia,
        steered_by: drag_link.map_or(SteeredBy::Other, SteeredBy::DragLink),
    })
}

pub(super) fn points(
    spindle: &Body,
    tube: &Body,
    spring: &Strut,
    shock: &Strut,
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
struct Links {
    #[serde(rename = "Camber Angle (deg)", default)]
    camber: f64,
    #[serde(rename = "Toe Angle (deg)", default)]
    toe: f64,
    #[serde(rename = "Spindle")]
    spindle: Body,
    #[serde(rename = "Axle Tube")]
    tube: Body,
    #[serde(rename = "Knuckle")]
    knuckle: KnuckleFigures,
    #[serde(rename = "Upper Link")]
    upper: Link,
    #[serde(rename = "Lower Link")]
    lower: Link,
    #[serde(rename = "Trackbar")]
    track_bar: Option<Link>,
    #[serde(rename = "Tierod")]
    tie_rod: TieRod,
    #[serde(rename = "Draglink")]
    drag_link: Option<Rod>,
    #[serde(rename = "Bell Crank")]
    bell_crank: Option<Rod>,
    #[serde(rename = "Spring")]
    spring: Strut,
    #[serde(rename = "Shock")]
    shock: Strut,
    #[serde(rename = "Axle")]
    axle: HalfShaft,
}

#[derive(Deserialize)]
pub(super) struct Link {
    #[serde(rename = "Mass", default)]
    pub mass: f64,
    #[serde(rename = "Location Axle")]
    pub axle: Point,
    #[serde(rename = "Location Chassis")]
    pub chassis: Point,
}

pub(super) fn on_links(
    source: &Source,
    axle: &str,
    key: &str,
    steered: bool,
    log: &mut Log,
) -> Result<Read, ImportError> {
    let own: Links = source.figures(log)?;
    let key = format!("{key}.solid_axle");
    let angles = [("Camber Angle (deg)", own.camber), ("Toe Angle (deg)", own.toe)];
    static_angles(source, angles, log);
    let panhard =
        own.track_bar.as_ref().map(|bar| Panhard { chassis: bar.chassis, beam: bar.axle });
    let of = |rod: &Option<Rod>| rod.as_ref().map_or(0.0, |rod| rod.mass);
    let links = 2.0 * (own.upper.mass + own.lower.mass);
    let bar = own.track_bar.as_ref().map_or(0.0, |bar| bar.mass);
    let mut rods = links + bar + own.tie_rod.mass + of(&own.drag_link) + of(&own.bell_crank);
    let knuckle = if steered {
        Some(own.knuckle.knuckle(&format!("{key}.knuckle"), own.tie_rod.knuckle, log))
    } else {
        rods += 2.0 * own.knuckle.mass;
        None
    };
    let suspension = SolidAxle {
        points: points(&own.spindle, &own.tube, &own.spring, &own.shock),
        location: AxleLocation::Links(FourLinkPoints {
            upper_chassis: own.upper.chassis,
            upper_beam: own.upper.axle,
            lower_chassis: own.lower.chassis,
            lower_beam: own.lower.axle,
            panhard,
        }),
        beam: beam(&own.tube, rods, &format!("{key}.beam"), log),
        spindle: own.spindle.part(&format!("{key}.spindle"), log),
        knuckle,
    };
    Ok(Read {
        suspension: Suspension::SolidAxle(suspension),
        spring: own.spring.spring(source, "Spring", &format!("{axle}.spring"), log)?,
        damper: own.shock.damper(source, "Shock", &format!("{axle}.damper"), log)?,
        half_shaft_inertia: own.axle.inertia,
        steered_by: SteeredBy::Other,
    })
}
