//! Suspensions that are converted to one swinging arm on each side.

use super::super::ImportError;
use super::super::log::Log;
use super::super::part::{Body, part, vec3};
use super::super::source::Source;
use super::super::strut::Strut;
use super::{HalfShaft, Read, Springing, SteeredBy, static_angles};
use bekker_math::curve::Curve;
use bekker_math::spatial::Vec3;
use bekker_vehicle::spec::{Damper, Point, Spring, Suspension, TrailingArm, TrailingArmPoints};
use serde::Deserialize;

/// Assumed half length of a hinge of which one point is known, m.
const HALF_HINGE: f64 = 0.15;

#[derive(Deserialize)]
struct SemiTrailing {
    #[serde(rename = "Camber Angle (deg)", default)]
    camber: f64,
    #[serde(rename = "Toe Angle (deg)", default)]
    toe: f64,
    #[serde(rename = "Spindle")]
    spindle: Body,
    #[serde(rename = "Trailing Arm")]
    arm: SemiTrailingArm,
    #[serde(rename = "Spring")]
    spring: Strut,
    #[serde(rename = "Shock")]
    shock: Strut,
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

/// Arm that swings about the axis through an inner and an outer point.
struct Swinging<'a> {
    pivots: [Point; 2],
    arm: &'a Body,
    spindle: &'a Body,
    spring: &'a Strut,
    shock: &'a Strut,
    half_shaft_inertia: f64,
}

impl Swinging<'_> {
    fn read(
        self,
        source: &Source,
        axle: &str,
        key: &str,
        log: &mut Log,
    ) -> Result<Read, ImportError> {
        let [pivot_inner, pivot_outer] = self.pivots;
        let suspension = TrailingArm {
            points: TrailingArmPoints {
                spindle: self.spindle.com(),
                pivot_inner,
                pivot_outer,
                arm_com: self.arm.com(),
                damper_chassis: self.shock.chassis,
                damper_arm: self.shock.moving,
                spring_chassis: self.spring.chassis,
                spring_arm: self.spring.moving,
            },
            arm: self.arm.part(&format!("{key}.arm"), log),
            spindle: self.spindle.part(&format!("{key}.spindle"), log),
        };
        let springing = Springing::of(source, axle, self.spring, self.shock, log)?;
        let suspension = Suspension::TrailingArm(suspension);
        Ok(springing.under(suspension, self.half_shaft_inertia, SteeredBy::Other))
    }
}

pub(super) fn semi_trailing(
    source: &Source,
    axle: &str,
    key: &str,
    log: &mut Log,
) -> Result<Read, ImportError> {
    let own: SemiTrailing = source.figures(log)?;
    let key = format!("{key}.trailing_arm");
    let angles = [("Camber Angle (deg)", own.camber), ("Toe Angle (deg)", own.toe)];
    static_angles(source, angles, log);
    let arm = Body::new(own.arm.mass, own.arm.com, own.arm.inertia, own.arm.products);
    let swinging = Swinging {
        pivots: [own.arm.inner, own.arm.outer],
        arm: &arm,
        spindle: &own.spindle,
        spring: &own.spring,
        shock: &own.shock,
        half_shaft_inertia: own.axle.inertia,
    };
    swinging.read(source, axle, &key, log)
}

#[derive(Deserialize)]
struct ThreeLink {
    #[serde(rename = "Camber Angle (deg)", default)]
    camber: f64,
    #[serde(rename = "Toe Angle (deg)", default)]
    toe: f64,
    #[serde(rename = "Spindle")]
    spindle: Body,
    #[serde(rename = "Trailing Arm")]
    arm: BallJointedArm,
    #[serde(rename = "Upper Link")]
    upper: Link,
    #[serde(rename = "Lower Link")]
    lower: Link,
    #[serde(rename = "Spring")]
    spring: Strut,
    #[serde(rename = "Shock")]
    shock: Strut,
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
struct Link {
    #[serde(rename = "Mass")]
    mass: f64,
    #[serde(rename = "Location Chassis")]
    chassis: Point,
    #[serde(rename = "Location Arm")]
    arm: Point,
}

/// Reads an arm on a ball joint that is guided by two links.
///
/// It is converted to a hinge through the joint, along the arm's rotation axis in the design
/// position. A rotation by ω must not move the arm's end of a link along the link's direction d.
/// With r the position of that end relative to the joint, ω · (r × d) = 0 for both links.
pub(super) fn three_link(
    source: &Source,
    axle: &str,
    key: &str,
    log: &mut Log,
) -> Result<Read, ImportError> {
    let own: ThreeLink = source.figures(log)?;
    let key = format!("{key}.trailing_arm");
    let angles = [("Camber Angle (deg)", own.camber), ("Toe Angle (deg)", own.toe)];
    static_angles(source, angles, log);
    let ball = vec3(own.arm.chassis);
    let holds = |link: &Link| {
        let end = vec3(link.arm);
        (end - ball).cross(&(vec3(link.chassis) - end))
    };
    let axis = holds(&own.upper).cross(&holds(&own.lower));
    if axis.norm() < 1e-9 || axis.y == 0.0 {
        let allowed = "links that guide the arm in two directions";
        return Err(source.refused(
            "Upper Link / Location Arm",
            "parallel to the lower link",
            allowed,
        ));
    }
    let along = axis.normalize() * axis.y.signum() * HALF_HINGE;
    let what = "the axis about which arm and links turn in the design position";
    log.assume(format!("{key}.points.pivot_outer"), what);
    for name in ["Upper Link", "Lower Link"] {
        let why = "its mass is added to the arm, and the arm's hinge replaces its guidance";
        log.omit(source, name, why);
    }
    let mass = own.arm.mass + own.upper.mass + own.lower.mass;
    let inertia = own.arm.inertia.map(|moment| moment * mass / own.arm.mass);
    let arm = Body::new(mass, own.arm.com, inertia, own.arm.products);
    let point = |place: Vec3| [place.x, place.y, place.z];
    let swinging = Swinging {
        pivots: [point(ball - along), point(ball + along)],
        arm: &arm,
        spindle: &own.spindle,
        spring: &own.spring,
        shock: &own.shock,
        half_shaft_inertia: own.axle.inertia,
    };
    swinging.read(source, axle, &key, log)
}

#[derive(Deserialize)]
struct Rigid {
    #[serde(rename = "Spindle")]
    spindle: Body,
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
pub(super) fn rigid(source: &Source, key: &str, log: &mut Log) -> Result<Read, ImportError> {
    let own: Rigid = source.figures(log)?;
    let key = format!("{key}.trailing_arm");
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
    Ok(Read {
        suspension: Suspension::TrailingArm(suspension),
        spring: Spring { free_length: SPRING, tension, stops: None },
        damper: Damper { compression: DAMPING, rebound: DAMPING, window: None, tension: None },
        half_shaft_inertia: own.axle.inertia,
        steered_by: SteeredBy::Other,
    })
}
