//! Suspensions: the guidance of an axle's wheels, its springs and dampers.

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

/// Supported templates.
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

/// Suspension as read from a file.
pub(super) struct Read {
    pub suspension: Suspension,
    pub spring: Spring,
    pub damper: Damper,
    /// Inertia of each half-shaft, kg m².
    pub half_shaft_inertia: f64,
    /// Steering linkage of its wheels.
    pub steered_by: SteeredBy,
}

/// Steering linkage of a suspension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum SteeredBy {
    /// Tie rods to a link that moves sideways.
    TieRods,
    /// Drag link to this point of the knuckle, axle frame; y < 0 is the right knuckle.
    DragLink(Point),
    /// Linkage without counterpart in bekker.
    Other,
}

/// Spring and damper of an axle as read from a file.
struct Springing {
    spring: Spring,
    damper: Damper,
}

impl Springing {
    /// Reads a separate spring and shock absorber.
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

    /// Reads a shock absorber that includes the spring.
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

    /// Combines them with a suspension, the inertia of each half-shaft, kg m², and the steering
    /// linkage.
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

/// Reads the suspension of a file; `axle` is the key of its axle in the vehicle file.
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

/// Records nonzero static angles, which have no counterpart.
fn static_angles(source: &Source, angles: [(&str, f64); 2], log: &mut Log) {
    for (key, angle) in angles {
        if angle != 0.0 {
            log.omit(source, key, "wheels are upright and straight as built in bekker");
        }
    }
}
