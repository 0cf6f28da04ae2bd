//! Suspensions that are converted to one swinging arm on each side.

use super::super::ImportError;
use super::super::log::ImportLog;
use super::super::part::{BodyParams, part, vec3};
use super::super::source::JsonSource;
use super::super::strut::StrutParams;
use super::{
    Conversion, ConvertedSuspension, HalfShaft, ImportedSuspension, SharedParts, SteeringLinkage,
    SuspensionFile,
};
use bekker_math::curve::Curve;
use bekker_math::spatial::Vec3;
use bekker_vehicle::spec::{Damper, Point, Spring, Suspension, TrailingArm, TrailingArmPoints};
use serde::Deserialize;

/// Assumed half length of a hinge with one known point, m.
const HALF_HINGE: f64 = 0.15;

#[derive(Deserialize)]
pub(super) struct SemiTrailingArmFile {
    #[serde(rename = "Camber Angle (deg)", default)]
    camber: f64,
    #[serde(rename = "Toe Angle (deg)", default)]
    toe: f64,
    #[serde(rename = "Spindle")]
    spindle: BodyParams,
    #[serde(rename = "Trailing Arm")]
    arm: SemiTrailingArm,
    #[serde(rename = "Spring")]
    spring: StrutParams,
    #[serde(rename = "Shock")]
    shock: StrutParams,
    #[serde(rename = "Axle")]
    axle: HalfShaft,
}

#[derive(Deserialize)]
struct SemiTrailingArm {
    #[serde(rename = "Mass")]
    mass: f64,
    #[serde(rename = "COM")]
    com: Point,
    #[serde(rename = "Inertia", alias = "Moments of Inertia")]
    inertia: Point,
    #[serde(rename = "Products of Inertia", default)]
    products: Point,
    #[serde(rename = "Location Chassis Inner")]
    inner: Point,
    #[serde(rename = "Location Chassis Outer")]
    outer: Point,
}

/// Converts an arm that swings about the axis through an inner and an outer pivot.
fn trailing_arm(
    [pivot_inner, pivot_outer]: [Point; 2],
    arm: &BodyParams,
    spindle: &BodyParams,
    SharedParts { spring, shock, .. }: SharedParts<'_>,
    conversion: &mut Conversion<'_>,
) -> Suspension {
    Suspension::TrailingArm(TrailingArm {
        points: TrailingArmPoints {
            spindle: spindle.com(),
            pivot_inner,
            pivot_outer,
            arm_com: arm.com(),
            damper_chassis: shock.chassis,
            damper_arm: shock.moving,
            spring_chassis: spring.chassis,
            spring_arm: spring.moving,
        },
        arm: conversion.part("arm", arm),
        spindle: conversion.part("spindle", spindle),
    })
}

impl SuspensionFile for SemiTrailingArmFile {
    const KEY: &'static str = "trailing_arm";

    fn shared(&self) -> SharedParts<'_> {
        let angles = [self.camber, self.toe];
        SharedParts { angles, spring: &self.spring, shock: &self.shock, half_shaft: self.axle }
    }

    fn convert(&self, conversion: &mut Conversion<'_>) -> ConvertedSuspension {
        let arm = &self.arm;
        let body = BodyParams::new(arm.mass, arm.com, arm.inertia, arm.products);
        let pivots = [arm.inner, arm.outer];
        let suspension = trailing_arm(pivots, &body, &self.spindle, self.shared(), conversion);
        Ok((suspension, SteeringLinkage::Other))
    }
}

#[derive(Deserialize)]
pub(super) struct LinkedArmFile {
    #[serde(rename = "Camber Angle (deg)", default)]
    camber: f64,
    #[serde(rename = "Toe Angle (deg)", default)]
    toe: f64,
    #[serde(rename = "Spindle")]
    spindle: BodyParams,
    #[serde(rename = "Trailing Arm")]
    arm: BallJointedArm,
    #[serde(rename = "Upper Link")]
    upper: ArmLink,
    #[serde(rename = "Lower Link")]
    lower: ArmLink,
    #[serde(rename = "Spring")]
    spring: StrutParams,
    #[serde(rename = "Shock")]
    shock: StrutParams,
    #[serde(rename = "Axle")]
    axle: HalfShaft,
}

#[derive(Deserialize)]
struct BallJointedArm {
    #[serde(rename = "Mass")]
    mass: f64,
    #[serde(rename = "COM")]
    com: Point,
    #[serde(rename = "Inertia", alias = "Moments of Inertia")]
    inertia: Point,
    #[serde(rename = "Products of Inertia", default)]
    products: Point,
    #[serde(rename = "Location Chassis")]
    chassis: Point,
}

#[derive(Deserialize)]
struct ArmLink {
    #[serde(rename = "Mass")]
    mass: f64,
    #[serde(rename = "Location Chassis")]
    chassis: Point,
    #[serde(rename = "Location Arm")]
    arm: Point,
}

impl SuspensionFile for LinkedArmFile {
    const KEY: &'static str = "trailing_arm";

    fn shared(&self) -> SharedParts<'_> {
        let angles = [self.camber, self.toe];
        SharedParts { angles, spring: &self.spring, shock: &self.shock, half_shaft: self.axle }
    }

    /// Converts an arm on a ball joint that is guided by two links.
    ///
    /// It becomes a hinge through the joint, along the arm's rotation axis in the design position. A
    /// rotation by ω must not move the arm's end of a link along the link's direction d. With r the
    /// position of that end relative to the joint, ω · (r × d) = 0 for both links.
    fn convert(&self, conversion: &mut Conversion<'_>) -> ConvertedSuspension {
        let ball = vec3(self.arm.chassis);
        let normal = |link: &ArmLink| {
            let end = vec3(link.arm);
            (end - ball).cross(&(vec3(link.chassis) - end))
        };
        let axis = normal(&self.upper).cross(&normal(&self.lower));
        if axis.norm() < 1e-9 || axis.y == 0.0 {
            let allowed = "links that guide the arm in two directions";
            let key = "Upper Link / Location Arm";
            return Err(conversion.source.refused(key, "parallel to the lower link", allowed));
        }
        let along = axis.normalize() * axis.y.signum() * HALF_HINGE;
        let what = "the axis about which arm and links turn in the design position";
        conversion.log.assume(conversion.key("points.pivot_outer"), what);
        for name in ["Upper Link", "Lower Link"] {
            let why = "its mass is added to the arm, and the arm's hinge replaces its guidance";
            conversion.log.omit(conversion.source, name, why);
        }
        let mass = self.arm.mass + self.upper.mass + self.lower.mass;
        let inertia = self.arm.inertia.map(|moment| moment * mass / self.arm.mass);
        let arm = BodyParams::new(mass, self.arm.com, inertia, self.arm.products);
        let point = |place: Vec3| [place.x, place.y, place.z];
        let pivots = [point(ball - along), point(ball + along)];
        let suspension = trailing_arm(pivots, &arm, &self.spindle, self.shared(), conversion);
        Ok((suspension, SteeringLinkage::Other))
    }
}

#[derive(Deserialize)]
struct RigidSuspension {
    #[serde(rename = "Spindle")]
    spindle: BodyParams,
    #[serde(rename = "Axle")]
    axle: HalfShaft,
}

/// Arm that represents a wheel fixed to the chassis.
///
/// The constants are its lever, m, its mass, kg, and the rate, N/m, damping, N s/m, and length, m,
/// of the spring above its wheel.
const LEVER: f64 = 0.4;
const ARM_MASS: f64 = 4.0;
const RATE: f64 = 3e5;
const DAMPING: f64 = 1.2e4;
const SPRING: f64 = 0.35;

/// Reads wheels fixed to the chassis: short arms on stiff springs.
pub(super) fn read_rigid(
    source: &JsonSource,
    axle: &str,
    _steered: bool,
    log: &mut ImportLog,
) -> Result<ImportedSuspension, ImportError> {
    let own: RigidSuspension = source.params(log)?;
    let key = format!("{axle}.suspension.trailing_arm");
    let what = format!(
        "wheels fixed to the chassis get arms of {LEVER} m and {ARM_MASS} kg with springs of \
         {RATE} N/m"
    );
    log.assume(&key, what);
    let [x, y, z] = own.spindle.com();
    let arm_y = 0.7 * y;
    let top = [x, arm_y, z + SPRING];
    let foot = [x, arm_y, z];
    let tension = Curve::new(vec![[-0.1, -0.1 * RATE], [0.1, 0.1 * RATE]])
        .map_err(|error| source.refused("Template", "RigidSuspension", &error.to_string()))?;
    let suspension = TrailingArm {
        points: TrailingArmPoints {
            spindle: [x, y, z],
            pivot_inner: [x + LEVER, 0.5 * y, z],
            pivot_outer: [x + LEVER, 0.8 * y, z],
            arm_com: [x + 0.5 * LEVER, arm_y, z],
            damper_chassis: top,
            damper_arm: foot,
            spring_chassis: top,
            spring_arm: foot,
        },
        arm: part(&format!("{key}.arm"), ARM_MASS, [0.05; 3], log),
        spindle: own.spindle.part(&format!("{key}.spindle"), log),
    };
    Ok(ImportedSuspension {
        suspension: Suspension::TrailingArm(suspension),
        spring: Spring { free_length: SPRING, tension, stops: None },
        damper: Damper { compression: DAMPING, rebound: DAMPING, window: None, tension: None },
        half_shaft_inertia: own.axle.inertia,
        steered_by: SteeringLinkage::Other,
    })
}
