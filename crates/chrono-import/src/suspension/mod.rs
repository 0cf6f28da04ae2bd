//! Suspensions: what guides the wheels of an axle, its springs and dampers.

mod arms;
mod double_wishbone;
mod macpherson_strut;
mod single_wishbone;
mod solid;
mod three_link;

use super::ImportError;
use super::log::Log;
use super::source::Source;
use super::strut::Strut;
use bekker_vehicle::spec::{Damper, Point, Spring, Suspension};
use serde::Deserialize;

/// Templates that are known.
const KNOWN: [&str; 19] = [
    "DoubleWishbone",
    "SingleWishbone",
    "MacPhersonStrut",
    "SemiTrailingArm",
    "ThreeLinkIRS",
    "RigidSuspension",
    "LeafspringAxle",
    "ToeBarLeafspringAxle",
    "SAELeafspringAxle",
    "SAEToeBarLeafspringAxle",
    "DeDionAxle",
    "ToeBarDeDionAxle",
    "PushPipeAxle",
    "ToeBarPushPipeAxle",
    "RigidPanhardAxle",
    "ToeBarRigidPanhardAxle",
    "SolidAxle",
    "SolidThreeLinkAxle",
    "SolidBellcrankThreeLinkAxle",
];

/// A suspension as it was read.
pub(super) struct Read {
    pub suspension: Suspension,
    pub spring: Spring,
    pub damper: Damper,
    /// Inertia of each half-shaft, kg m².
    pub half_shaft_inertia: f64,
    /// What turns its wheels.
    pub steered_by: SteeredBy,
}

/// What turns the wheels of a suspension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum SteeredBy {
    /// Tie rods to a link that moves sideways.
    TieRods,
    /// A drag link to this place of the knuckle, axle frame; with y below 0 that on the right.
    DragLink(Point),
    /// A linkage that ours does not know.
    Other,
}

/// Spring and damper of an axle as they were read.
struct Springing {
    spring: Spring,
    damper: Damper,
}

impl Springing {
    /// Of a file with a spring and a shock absorber.
    fn of(
        source: &Source,
        axle: &str,
        spring: &Strut,
        shock: &Strut,
        log: &mut Log,
    ) -> Result<Springing, ImportError> {
        let spring = spring.spring(source, "Spring", &format!("{axle}.spring"), log)?;
        let damper = shock.damper(source, "Shock", &format!("{axle}.damper"), log)?;
        Ok(Springing { spring, damper })
    }

    /// Of a file whose shock absorber is the spring too.
    fn of_one(
        source: &Source,
        axle: &str,
        shock: &Strut,
        log: &mut Log,
    ) -> Result<Springing, ImportError> {
        let spring = shock.spring(source, "Shock", &format!("{axle}.spring"), log)?;
        let damper = shock.damper(source, "Shock", &format!("{axle}.damper"), log)?;
        Ok(Springing { spring, damper })
    }

    /// With what guides the wheels, the inertia of each half-shaft, kg m², and what steers.
    fn under(self, suspension: Suspension, half_shaft_inertia: f64, steered_by: SteeredBy) -> Read {
        let Springing { spring, damper } = self;
        Read { suspension, spring, damper, half_shaft_inertia, steered_by }
    }
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct HalfShaft {
    #[serde(rename = "Inertia")]
    inertia: f64,
}

/// The suspension of a file; `axle` is our key of its axle.
pub(super) fn suspension(
    source: &Source,
    axle: &str,
    steered: bool,
    log: &mut Log,
) -> Result<Read, ImportError> {
    let key = format!("{axle}.suspension");
    match source.template()? {
        "DoubleWishbone" => double_wishbone::read(source, axle, &key, log),
        "SingleWishbone" => single_wishbone::read(source, axle, &key, log),
        "MacPhersonStrut" => macpherson_strut::read(source, axle, &key, log),
        "SemiTrailingArm" => arms::semi_trailing(source, axle, &key, log),
        "ThreeLinkIRS" => arms::three_link(source, axle, &key, log),
        "RigidSuspension" => arms::rigid(source, &key, log),
        "LeafspringAxle"
        | "ToeBarLeafspringAxle"
        | "SAELeafspringAxle"
        | "SAEToeBarLeafspringAxle"
        | "DeDionAxle"
        | "ToeBarDeDionAxle"
        | "PushPipeAxle"
        | "ToeBarPushPipeAxle"
        | "RigidPanhardAxle"
        | "ToeBarRigidPanhardAxle" => solid::on_leaves(source, axle, &key, steered, log),
        "SolidAxle" => solid::on_links(source, axle, &key, steered, log),
        "SolidThreeLinkAxle" | "SolidBellcrankThreeLinkAxle" => {
            three_link::read(source, axle, &key, steered, log)
        }
        other => Err(source.refused("Template", other, &KNOWN.join(", "))),
    }
}

/// Says of angles that ours does not know, where they are not 0.
fn static_angles(source: &Source, angles: [(&str, f64); 2], log: &mut Log) {
    for (key, angle) in angles {
        if angle != 0.0 {
            log.omit(source, key, "wheels stand upright and straight here as built");
        }
    }
}
