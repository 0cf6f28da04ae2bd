//! Steering mechanisms.

use super::ImportError;
use super::library::Library;
use super::log::ImportLog;
use super::part::{BodyParams, part, pitch_deg, translated};
use super::source::JsonSource;
use super::suspension::SteeringLinkage;
use bekker_math::numeric::{asin, sin};
use bekker_vehicle::spec::{
    Axle, Direct, DragLink, DragLinkPoints, PitmanArm, PitmanArmPoints, Point, RackPinion, Steering,
};
use serde::Deserialize;

/// Supported templates.
const KNOWN: &str = "PitmanArm, RackPinion, RotaryArm";
/// Mean angle of the wheels at full lock where no file specifies it, degrees.
const LOCK: f64 = 25.0;
/// Threshold below which an angle is taken for radians, degrees.
const MIN_LOCK: f64 = 2.0;

/// Steering entry of a vehicle file.
#[derive(Deserialize)]
pub(super) struct SteeringEntry {
    #[serde(rename = "Input File")]
    file: String,
    #[serde(rename = "Location")]
    location: Point,
    #[serde(rename = "Orientation")]
    orientation: [f64; 4],
}

/// Axle with the steering linkage of its wheels.
#[derive(Clone, Copy)]
pub(super) struct SteeredAxle<'a> {
    pub axle: &'a Axle,
    pub steered_by: SteeringLinkage,
}

/// Reads the mechanism of the first steered axle, which other axles share.
pub(super) fn steering(
    library: &Library,
    vehicle: &JsonSource,
    index: usize,
    own: &SteeringEntry,
    SteeredAxle { axle, steered_by }: SteeredAxle<'_>,
    stated_deg: Option<f64>,
    log: &mut ImportLog,
) -> Result<Steering, ImportError> {
    let key = |name: &str| format!("Steering Subsystems / {index} / {name}");
    let source = library.read(vehicle, &key("Input File"), &own.file, log)?;
    let lock = stated_deg.map(|angle| in_degrees(vehicle, angle, log));
    let independent = steered_by == SteeringLinkage::TieRods && axle.suspension.kingpin().is_some();
    let (pitch, alone) = pitch_deg(own.orientation);
    if !alone {
        log.omit(vehicle, &key("Orientation"), "mechanisms can only be pitched in bekker");
    }
    let template = source.template()?.to_owned();
    let read = match (template.as_str(), steered_by) {
        ("PitmanArm", SteeringLinkage::TieRods) if independent => {
            Steering::PitmanArm(pitman_arm(&source, own.location, pitch, axle, lock, log)?)
        }
        ("RackPinion", SteeringLinkage::TieRods) if independent => {
            Steering::RackPinion(rack_pinion(&source, own.location, pitch, axle, lock, log)?)
        }
        ("RotaryArm", SteeringLinkage::DragLink(knuckle)) => Steering::DragLink(rotary_arm(
            &source,
            own.location,
            translated(knuckle, axle.position),
            lock,
            log,
        )?),
        ("PitmanArm" | "RackPinion" | "RotaryArm", _) => {
            let why = "replaced by direct steering: knuckles turn about one center";
            log.omit(vehicle, &key("Input File"), why);
            log.assume("steering.direct", "replaces a linkage that bekker does not support");
            Steering::Direct(Direct { max_wheel_angle_deg: lock_angle(lock, LOCK, "direct", log) })
        }
        (other, _) => return Err(source.refused("Template", other, KNOWN)),
    };
    log.origin("steering", &source);
    Ok(read)
}

/// Returns a stated angle in degrees; some files specify it in radians.
fn in_degrees(vehicle: &JsonSource, angle: f64, log: &mut ImportLog) -> f64 {
    if angle >= MIN_LOCK {
        return angle;
    }
    log.omit(vehicle, "Maximum Steering Angle (deg)", "interpreted as radians");
    angle.to_degrees()
}

/// Returns the stated lock angle, or a computed one, which is recorded as assumed.
fn lock_angle(lock: Option<f64>, computed: f64, kind: &str, log: &mut ImportLog) -> f64 {
    lock.unwrap_or_else(|| {
        let key = format!("steering.{kind}.max_wheel_angle_deg");
        log.assume(key, "from the mechanism's travel and the knuckle's lever, or 25");
        (10.0 * computed).round() / 10.0
    })
}

/// Returns the wheel angle of an axle, degrees, for a tie rod travel of `travel` m.
fn angle_by_travel(axle: &Axle, travel: f64) -> f64 {
    let own = &axle.suspension;
    let (Some([lower, upper]), Some(end)) = (own.kingpin(), own.steering_arm()) else {
        return LOCK;
    };
    let lever = (end[0] - 0.5 * (lower[0] + upper[0])).abs().max(1e-6);
    asin((travel / lever).clamp(0.0, 0.7)).to_degrees()
}

#[derive(Deserialize)]
struct PitmanParams {
    #[serde(rename = "Vehicle-Frame Inertia", default)]
    along_vehicle: bool,
    #[serde(rename = "Steering Link")]
    link: BodyParams,
    #[serde(rename = "Pitman Arm")]
    arm: BodyParams,
    #[serde(rename = "Revolute Joint")]
    revolute: Hinge,
    #[serde(rename = "Universal Joint")]
    universal: JointLocation,
    #[serde(rename = "Revolute-Spherical Joint")]
    idler: Idler,
}

#[derive(Deserialize)]
struct Hinge {
    #[serde(rename = "Location")]
    location: Point,
    #[serde(rename = "Direction")]
    direction: Option<Point>,
    #[serde(rename = "Maximum Angle (deg)")]
    most: f64,
}

#[derive(Deserialize)]
struct JointLocation {
    #[serde(rename = "Location")]
    location: Point,
}

#[derive(Deserialize)]
struct Idler {
    #[serde(rename = "Location Chassis")]
    chassis: Point,
    #[serde(rename = "Location Link")]
    link: Point,
}

fn pitman_arm(
    source: &JsonSource,
    position: Point,
    pitch_deg: f64,
    axle: &Axle,
    lock: Option<f64>,
    log: &mut ImportLog,
) -> Result<PitmanArm, ImportError> {
    let own: PitmanParams = source.params(log)?;
    if own.along_vehicle {
        let why = "moments are used along the mechanism's axes";
        log.omit(source, "Vehicle-Frame Inertia", why);
    }
    if own.revolute.direction.is_some_and(|axis| axis[0] != 0.0 || axis[1] != 0.0) {
        log.omit(source, "Revolute Joint / Direction", "arms turn about z in bekker");
    }
    let (hinge, end) = (own.revolute.location, own.universal.location);
    let length = (end[0] - hinge[0]).abs();
    let computed = angle_by_travel(axle, length * sin(own.revolute.most.to_radians()));
    Ok(PitmanArm {
        position,
        pitch_deg,
        max_angle_deg: own.revolute.most,
        max_wheel_angle_deg: lock_angle(lock, computed, "pitman_arm", log),
        link: own.link.part("steering.pitman_arm.link", log),
        arm: own.arm.part("steering.pitman_arm.arm", log),
        points: PitmanArmPoints {
            link_com: own.link.com(),
            arm_com: own.arm.com(),
            arm_chassis: hinge,
            arm_link: end,
            idler_chassis: own.idler.chassis,
            idler_link: own.idler.link,
        },
    })
}

#[derive(Deserialize)]
struct RackParams {
    #[serde(rename = "Steering Link")]
    link: Rack,
    #[serde(rename = "Pinion")]
    pinion: Pinion,
}

#[derive(Deserialize)]
struct Rack {
    #[serde(rename = "Mass")]
    mass: f64,
    #[serde(rename = "Inertia", alias = "Moments of Inertia")]
    inertia: Point,
}

#[derive(Deserialize)]
struct Pinion {
    #[serde(rename = "Radius")]
    radius: f64,
    #[serde(rename = "Maximum Angle (deg)")]
    most: f64,
}

fn rack_pinion(
    source: &JsonSource,
    position: Point,
    pitch_deg: f64,
    axle: &Axle,
    lock: Option<f64>,
    log: &mut ImportLog,
) -> Result<RackPinion, ImportError> {
    let own: RackParams = source.params(log)?;
    let travel = own.pinion.radius * own.pinion.most.to_radians();
    let computed = angle_by_travel(axle, travel);
    Ok(RackPinion {
        position,
        pitch_deg,
        max_angle_deg: own.pinion.most,
        max_wheel_angle_deg: lock_angle(lock, computed, "rack_pinion", log),
        pinion_radius: own.pinion.radius,
        rack: part("steering.rack_pinion.rack", own.link.mass, own.link.inertia, log),
    })
}

#[derive(Deserialize)]
struct RotaryParams {
    #[serde(rename = "Pitman Arm")]
    arm: RotaryArm,
}

#[derive(Deserialize)]
struct RotaryArm {
    #[serde(rename = "Mass")]
    mass: f64,
    #[serde(rename = "Inertia", alias = "Moments of Inertia")]
    inertia: Point,
    #[serde(rename = "Axis of Rotation")]
    axis: Point,
    #[serde(rename = "Point of Rotation")]
    hinge: Point,
    #[serde(rename = "Point to Draglink")]
    end: Point,
    #[serde(rename = "Maximum Angle (deg)")]
    most: f64,
}

fn rotary_arm(
    source: &JsonSource,
    location: Point,
    knuckle: Point,
    lock: Option<f64>,
    log: &mut ImportLog,
) -> Result<DragLink, ImportError> {
    let RotaryParams { arm } = source.params(log)?;
    // bekker's drag link pushes the left knuckle
    let right = knuckle[1] < 0.0;
    if right {
        let what = "mirrored to the left, because the source pushes the right knuckle";
        log.assume("steering.drag_link.points", what);
    }
    let side = |point: Point| if right { [point[0], -point[1], point[2]] } else { point };
    Ok(DragLink {
        max_angle_deg: arm.most,
        max_wheel_angle_deg: lock_angle(lock, LOCK, "drag_link", log),
        arm: part("steering.drag_link.arm", arm.mass, arm.inertia, log),
        points: DragLinkPoints {
            arm_chassis: side(translated(arm.hinge, location)),
            axis: side(arm.axis),
            arm_link: side(translated(arm.end, location)),
            knuckle: side(knuckle),
        },
    })
}
