//! Suspensions: the guidance of an axle's wheels, its springs and dampers.

mod arms;
mod double_wishbone;
mod macpherson_strut;
mod single_wishbone;
mod solid;
mod three_link;

use super::ImportError;
use super::log::ImportLog;
use super::part::BodyParams;
use super::source::JsonSource;
use super::strut::StrutParams;
use arms::{LinkedArmFile, SemiTrailingArmFile};
use bekker_vehicle::spec::{Damper, MassProperties, Point, Spring, Suspension};
use double_wishbone::DoubleWishboneFile;
use macpherson_strut::MacphersonStrutFile;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use single_wishbone::SingleWishboneFile;
use solid::FourLinkAxleFile;
use three_link::ThreeLinkAxleFile;

/// Reads the suspension of a file.
///
/// The arguments are the file, the key of the axle in the vehicle file, whether the axle is
/// steered, and the log.
type SuspensionReader =
    fn(&JsonSource, &str, bool, &mut ImportLog) -> Result<ImportedSuspension, ImportError>;

/// Supported templates, with the reader of each.
const TEMPLATES: [(&str, SuspensionReader); 19] = [
    ("DoubleWishbone", read::<DoubleWishboneFile>),
    ("SingleWishbone", read::<SingleWishboneFile>),
    ("MacPhersonStrut", read::<MacphersonStrutFile>),
    ("SemiTrailingArm", read::<SemiTrailingArmFile>),
    ("ThreeLinkIRS", read::<LinkedArmFile>),
    ("RigidSuspension", arms::read_rigid),
    ("LeafspringAxle", solid::read_on_leaves),
    ("ToeBarLeafspringAxle", solid::read_on_leaves),
    ("SAELeafspringAxle", solid::read_on_leaves),
    ("SAEToeBarLeafspringAxle", solid::read_on_leaves),
    ("DeDionAxle", solid::read_on_leaves),
    ("ToeBarDeDionAxle", solid::read_on_leaves),
    ("PushPipeAxle", solid::read_on_leaves),
    ("ToeBarPushPipeAxle", solid::read_on_leaves),
    ("RigidPanhardAxle", solid::read_on_leaves),
    ("ToeBarRigidPanhardAxle", solid::read_on_leaves),
    ("SolidAxle", read::<FourLinkAxleFile>),
    ("SolidThreeLinkAxle", read::<ThreeLinkAxleFile>),
    ("SolidBellcrankThreeLinkAxle", read::<ThreeLinkAxleFile>),
];

/// Suspension as read from a file.
pub(super) struct ImportedSuspension {
    pub suspension: Suspension,
    pub spring: Spring,
    pub damper: Damper,
    /// Inertia of each half-shaft, kg m².
    pub half_shaft_inertia: f64,
    /// Steering linkage of its wheels.
    pub steered_by: SteeringLinkage,
}

/// Steering linkage of a suspension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum SteeringLinkage {
    /// Tie rods to a link that moves sideways.
    TieRods,
    /// Drag link to this point of the knuckle, axle frame; y < 0 is the right knuckle.
    DragLink(Point),
    /// Linkage without counterpart in bekker.
    Other,
}

/// Suspension with the steering linkage of its wheels.
type ConvertedSuspension = Result<(Suspension, SteeringLinkage), ImportError>;

/// File of a template whose springs and shock absorbers are read in the same way.
trait SuspensionFile: DeserializeOwned {
    /// Key of the suspension below `suspension` in the vehicle file.
    const KEY: &'static str;
    /// Key of the part with the spring in the file.
    const SPRING: &'static str = "Spring";

    /// Returns the parts that all these templates have.
    fn shared(&self) -> SharedParts<'_>;

    /// Converts the parts of this template.
    fn convert(&self, conversion: &mut Conversion<'_>) -> ConvertedSuspension;
}

/// Parts that several templates have.
#[derive(Clone, Copy)]
struct SharedParts<'a> {
    /// Static camber and toe, degrees.
    angles: [f64; 2],
    spring: &'a StrutParams,
    shock: &'a StrutParams,
    half_shaft: HalfShaft,
}

/// Conversion of one file.
struct Conversion<'a> {
    source: &'a JsonSource,
    /// Key of the suspension in the vehicle file.
    key: String,
    steered: bool,
    log: &'a mut ImportLog,
}

impl Conversion<'_> {
    /// Returns the key of a part in the vehicle file.
    fn key(&self, part: &str) -> String {
        format!("{}.{part}", self.key)
    }

    fn part(&mut self, name: &str, body: &BodyParams) -> MassProperties {
        body.part(&self.key(name), self.log)
    }
}

fn read<F: SuspensionFile>(
    source: &JsonSource,
    axle: &str,
    steered: bool,
    log: &mut ImportLog,
) -> Result<ImportedSuspension, ImportError> {
    let file: F = source.params(log)?;
    let SharedParts { angles, spring, shock, half_shaft } = file.shared();
    omit_static_angles(source, angles, log);
    let key = format!("{axle}.suspension.{}", F::KEY);
    let (suspension, steered_by) =
        file.convert(&mut Conversion { source, key, steered, log: &mut *log })?;
    Ok(ImportedSuspension {
        suspension,
        spring: spring.spring(source, F::SPRING, &format!("{axle}.spring"), log)?,
        damper: shock.damper(source, "Shock", &format!("{axle}.damper"), log)?,
        half_shaft_inertia: half_shaft.inertia,
        steered_by,
    })
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct HalfShaft {
    #[serde(rename = "Inertia")]
    inertia: f64,
}

/// Reads the suspension of a file; `axle` is the key of its axle in the vehicle file.
pub(super) fn suspension(
    source: &JsonSource,
    axle: &str,
    steered: bool,
    log: &mut ImportLog,
) -> Result<ImportedSuspension, ImportError> {
    let template = source.template()?;
    match TEMPLATES.iter().find(|(name, _)| *name == template) {
        Some((_, read)) => read(source, axle, steered, log),
        None => {
            let known = TEMPLATES.map(|(name, _)| name).join(", ");
            Err(source.refused("Template", template, &known))
        }
    }
}

/// Records nonzero static angles, camber and toe in degrees, which have no counterpart.
fn omit_static_angles(source: &JsonSource, [camber, toe]: [f64; 2], log: &mut ImportLog) {
    for (key, angle) in [("Camber Angle (deg)", camber), ("Toe Angle (deg)", toe)] {
        if angle != 0.0 {
            log.omit(source, key, "wheels are upright and straight as built in bekker");
        }
    }
}
