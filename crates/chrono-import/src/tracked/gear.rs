//! Sprockets, idlers, road arms and road wheels.

use super::super::ImportError;
use super::super::library::Library;
use super::super::log::ImportLog;
use super::super::part::part;
use super::super::source::JsonSource;
use bekker_math::numeric::sin;
use bekker_vehicle::spec::{Idler, Point, ReturnRoller, RoadArm, RoadWheel, Shoe, Sprocket, Tooth};
use serde::Deserialize;
use std::f64::consts::PI;

/// Assumed teeth, as for the M113: flank angle, degrees, backlash, m, and stiffness, N/m.
const FLANK_DEG: f64 = 20.0;
const BACKLASH: f64 = 0.003;
const TOOTH_STIFFNESS: f64 = 3.5e7;
/// Minimum height of a tooth beyond the pitch circle, m.
const MIN_TOOTH: f64 = 0.005;
/// Assumed stops of road arms, degrees and N m/rad, and rims of road wheels, N/m and N s/m.
///
/// They are those assumed for the M113.
const BUMP_DEG: f64 = 30.0;
const REBOUND_DEG: f64 = 35.0;
const STOP_STIFFNESS: f64 = 2e5;
const RIM: [f64; 2] = [4e6, 3800.0];

#[derive(Deserialize)]
struct SprocketParams {
    #[serde(rename = "Number Teeth")]
    teeth: u32,
    #[serde(rename = "Gear Mass")]
    mass: f64,
    #[serde(rename = "Gear Inertia")]
    inertia: Point,
    #[serde(rename = "Axle Inertia")]
    axle_inertia: f64,
    #[serde(rename = "Profile")]
    profile: Option<ToothProfile>,
}

#[derive(Deserialize)]
struct ToothProfile {
    #[serde(rename = "Addendum Radius")]
    addendum: Option<f64>,
}

pub(super) fn sprocket(
    source: &JsonSource,
    position: Point,
    shoe: &Shoe,
    brake_inertia: f64,
    log: &mut ImportLog,
) -> Result<Sprocket, ImportError> {
    let own: SprocketParams = source.params(log)?;
    log.origin("sprocket", source);
    if own.teeth < 3 {
        return Err(source.refused("Number Teeth", &own.teeth.to_string(), "at least 3"));
    }
    let pitch_radius = 0.5 * shoe.pitch / sin(PI / f64::from(own.teeth));
    let addendum = own.profile.and_then(|profile| profile.addendum).unwrap_or(pitch_radius);
    log.assume("sprocket.tooth", "flanks, backlash and stiffness of the M113");
    Ok(Sprocket {
        position,
        teeth: own.teeth,
        mass: own.mass,
        spin_inertia: own.inertia[1] + own.axle_inertia + brake_inertia,
        tooth: Tooth {
            height: (addendum - pitch_radius).max(MIN_TOOTH),
            flank_deg: FLANK_DEG,
            backlash: BACKLASH,
            stiffness: TOOTH_STIFFNESS,
        },
    })
}

#[derive(Deserialize)]
struct BrakeParams {
    #[serde(rename = "Shaft Inertia", default)]
    inertia: f64,
    #[serde(rename = "Maximum Torque")]
    torque: f64,
}

/// Returns the maximum torque of a brake, N m, and the inertia of its shaft, kg m², 0 without one.
pub(super) fn brake(source: &JsonSource, log: &mut ImportLog) -> Result<(f64, f64), ImportError> {
    let own: BrakeParams = source.params(log)?;
    Ok((own.torque, own.inertia))
}

#[derive(Deserialize)]
struct IdlerParams {
    #[serde(rename = "Carrier")]
    carrier: Carrier,
    #[serde(rename = "Tensioner")]
    tensioner: Tensioner,
    #[serde(rename = "Idler Wheel Input File")]
    wheel: String,
}

#[derive(Deserialize)]
struct Carrier {
    #[serde(rename = "Mass")]
    mass: f64,
    #[serde(rename = "Inertia")]
    inertia: Point,
}

#[derive(Deserialize)]
struct Tensioner {
    #[serde(rename = "Location Carrier")]
    carrier: Point,
    #[serde(rename = "Location Chassis")]
    chassis: Point,
    #[serde(rename = "Preload")]
    preload: f64,
    #[serde(rename = "Free Length")]
    free_length: f64,
    #[serde(rename = "Spring Coefficient")]
    stiffness: f64,
    #[serde(rename = "Damping Coefficient")]
    damping: f64,
}

#[derive(Deserialize)]
struct WheelFile {
    #[serde(rename = "Wheel")]
    wheel: Wheel,
}

#[derive(Deserialize)]
struct Wheel {
    #[serde(rename = "Radius")]
    radius: f64,
    #[serde(rename = "Mass")]
    mass: f64,
    #[serde(rename = "Inertia")]
    inertia: Point,
}

pub(super) fn idler(
    library: &Library,
    source: &JsonSource,
    position: Point,
    log: &mut ImportLog,
) -> Result<Idler, ImportError> {
    if source.template()? != "TranslationalIdler" {
        return Err(source.refused("Template", source.template()?, "TranslationalIdler"));
    }
    let own: IdlerParams = source.params(log)?;
    log.origin("idler", source);
    let wheel = library.read(source, "Idler Wheel Input File", &own.wheel, log)?;
    let Wheel { radius, mass, inertia } = wheel.params::<WheelFile>(log)?.wheel;
    let tensioner = &own.tensioner;
    let span = |k: usize| tensioner.chassis[k] - tensioner.carrier[k];
    let length = (span(0) * span(0) + span(1) * span(1) + span(2) * span(2)).sqrt();
    Ok(Idler {
        position,
        radius,
        wheel: part("idler.wheel", mass, inertia, log),
        carrier: part("idler.carrier", own.carrier.mass, own.carrier.inertia, log),
        preload: tensioner.preload,
        stiffness: tensioner.stiffness,
        damping: tensioner.damping,
        compression: tensioner.free_length - length,
    })
}

/// Reads a return roller whose center is at this height, m.
pub(super) fn return_roller(
    source: &JsonSource,
    height: f64,
    log: &mut ImportLog,
) -> Result<ReturnRoller, ImportError> {
    let Wheel { radius, mass, inertia } = source.params::<WheelFile>(log)?.wheel;
    log.origin("return_roller", source);
    Ok(ReturnRoller { wheel: part("return_roller.wheel", mass, inertia, log), radius, height })
}

#[derive(Deserialize)]
struct ArmParams {
    #[serde(rename = "Suspension Arm")]
    arm: RoadArmBody,
    #[serde(rename = "Torsional Spring")]
    spring: TorsionSpring,
    #[serde(rename = "Damper")]
    damper: Option<Damper>,
    #[serde(rename = "Road Wheel Input File")]
    wheel: String,
}

#[derive(Deserialize)]
struct RoadArmBody {
    #[serde(rename = "Mass")]
    mass: f64,
    #[serde(rename = "COM")]
    com: Point,
    #[serde(rename = "Inertia")]
    inertia: Point,
    #[serde(rename = "Location Chassis")]
    chassis: Point,
}

#[derive(Deserialize)]
struct TorsionSpring {
    #[serde(rename = "Free Angle", default)]
    free_angle: f64,
    #[serde(rename = "Spring Constant", alias = "Spring Coefficient")]
    stiffness: f64,
    #[serde(rename = "Damping Coefficient", default)]
    damping: f64,
    #[serde(rename = "Preload", default)]
    preload: f64,
}

#[derive(Deserialize)]
struct Damper {
    #[serde(rename = "Location Chassis")]
    chassis: Point,
    #[serde(rename = "Location Arm")]
    arm: Point,
    #[serde(rename = "Damping Coefficient")]
    damping: Option<f64>,
}

/// Reads a road arm and its wheel.
pub(super) fn arm(
    library: &Library,
    source: &JsonSource,
    log: &mut ImportLog,
) -> Result<(RoadArm, RoadWheel), ImportError> {
    let known = ["TranslationalDamperSuspension", "RotationalDamperSuspension"];
    if !known.contains(&source.template()?) {
        return Err(source.refused("Template", source.template()?, &known.join(", ")));
    }
    let own: ArmParams = source.params(log)?;
    log.origin("road_arm", source);
    if own.spring.free_angle != 0.0 {
        let why = "preload derived from the torque in the design position";
        log.omit(source, "Torsional Spring / Free Angle", why);
    }
    if own.damper.as_ref().is_some_and(|damper| damper.damping.is_none()) {
        log.assume(
            "road_arm.damper",
            "0, because dampers of road arms have one coefficient in bekker",
        );
    }
    log.assume("road_arm", "stops at 30 degrees up and 35 degrees down, as for the M113");
    log.assume("road_wheel", "rim stiffness and damping of the M113");
    let wheel = library.read(source, "Road Wheel Input File", &own.wheel, log)?;
    log.origin("road_wheel", &wheel);
    let Wheel { radius, mass, inertia } = wheel.params::<WheelFile>(log)?.wheel;
    let ends =
        own.damper.as_ref().map_or((own.arm.com, own.arm.chassis), |own| (own.arm, own.chassis));
    let road_arm = RoadArm {
        arm: part("road_arm.arm", own.arm.mass, own.arm.inertia, log),
        com: own.arm.com,
        pivot: own.arm.chassis,
        torque: own.spring.preload.abs(),
        stiffness: own.spring.stiffness,
        damping: own.spring.damping,
        damper: own.damper.and_then(|damper| damper.damping).unwrap_or(0.0),
        damper_arm: ends.0,
        damper_chassis: ends.1,
        bump_deg: BUMP_DEG,
        rebound_deg: REBOUND_DEG,
        stop_stiffness: STOP_STIFFNESS,
    };
    let [rim_stiffness, rim_damping] = RIM;
    let inertia = part("road_wheel", mass, inertia, log).inertia;
    Ok((road_arm, RoadWheel { mass, inertia, radius, rim_stiffness, rim_damping }))
}
