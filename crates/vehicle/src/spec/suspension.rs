//! Suspension templates, given by their hard points on the left side in the axle's frame.

use super::{MacphersonStrut, MassProperties, Point, SingleWishbone};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Suspension that guides the two wheels of an axle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(clippy::large_enum_variant)] // read once, never in a hot array
pub enum Suspension {
    /// Two triangular arms on each side.
    DoubleWishbone(DoubleWishbone),
    /// One arm on each side, with the kingpin of the upright on it.
    SingleWishbone(SingleWishbone),
    /// A lower arm on each side and a strut that guides the upright.
    MacphersonStrut(MacphersonStrut),
    /// One arm on each side that swings about an axis ahead of the wheel.
    TrailingArm(TrailingArm),
    /// One rigid beam that carries both wheels.
    SolidAxle(SolidAxle),
    /// Wheels without springs, fixed to the chassis or to a link of `rocker_bogie`.
    Rigid(RigidMount),
}

/// Two triangular arms and an upright on each side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DoubleWishbone {
    /// Hard points and centers of mass.
    pub points: DoubleWishbonePoints,
    /// Upper arm. Its inertia is given with x along the pivot axis and z normal to the arm.
    pub upper_arm: MassProperties,
    /// Lower arm. Its inertia is given with x along the pivot axis and z normal to the arm.
    pub lower_arm: MassProperties,
    /// Upright, with its inertia in the axes of the axle.
    pub upright: MassProperties,
    /// Spindle, which turns with the wheel about y.
    pub spindle: MassProperties,
    /// Tie rod as a body (x and y across the rod, z along it). Where absent, the tie rod is
    /// massless.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tie_rod: Option<MassProperties>,
}

/// Hard points of a double wishbone on the left side, in the axle's frame, m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DoubleWishbonePoints {
    /// Center of the wheel and center of mass of the spindle.
    pub spindle: Point,
    /// Center of mass of the upright.
    pub upright: Point,
    /// Upper arm: front pivot on the chassis.
    pub upper_arm_front: Point,
    /// Upper arm: rear pivot on the chassis.
    pub upper_arm_back: Point,
    /// Upper arm: ball joint on the upright.
    pub upper_arm_outer: Point,
    /// Upper arm: center of mass.
    pub upper_arm_com: Point,
    /// Lower arm: front pivot on the chassis.
    pub lower_arm_front: Point,
    /// Lower arm: rear pivot on the chassis.
    pub lower_arm_back: Point,
    /// Lower arm: ball joint on the upright.
    pub lower_arm_outer: Point,
    /// Lower arm: center of mass.
    pub lower_arm_com: Point,
    /// Damper: end on the chassis.
    pub damper_chassis: Point,
    /// Damper: end on the lower arm.
    pub damper_arm: Point,
    /// Spring: end on the chassis.
    pub spring_chassis: Point,
    /// Spring: end on the lower arm.
    pub spring_arm: Point,
    /// Tie rod: end on the steering link, or on the chassis for an unsteered axle.
    pub tie_rod_chassis: Point,
    /// Tie rod: end on the upright.
    pub tie_rod_upright: Point,
}

/// One swinging arm on each side. With an oblique axis it is a semi-trailing arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrailingArm {
    /// Hard points and centers of mass.
    pub points: TrailingArmPoints,
    /// The arm, with its inertia in the axes of the axle.
    pub arm: MassProperties,
    /// Spindle, which turns with the wheel about y.
    pub spindle: MassProperties,
}

/// Hard points of a trailing arm on the left side, in the axle's frame, m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrailingArmPoints {
    /// Center of the wheel and center of mass of the spindle.
    pub spindle: Point,
    /// Inner point of the pivot axis, on the chassis.
    pub pivot_inner: Point,
    /// Outer point of the pivot axis, on the chassis.
    pub pivot_outer: Point,
    /// Center of mass of the arm.
    pub arm_com: Point,
    /// Damper: end on the chassis.
    pub damper_chassis: Point,
    /// Damper: end on the arm.
    pub damper_arm: Point,
    /// Spring: end on the chassis.
    pub spring_chassis: Point,
    /// Spring: end on the arm.
    pub spring_arm: Point,
}

/// A torsion bar across the vehicle, joined by drop links to both arms of an axle. It resists only
/// relative motion of the two arms, and it is massless.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AntiRollBar {
    /// Torsional stiffness, as torque over the twist between both ends, N m/rad.
    pub stiffness: f64,
    /// Torsional damping, as torque over the rate of twist, N m s/rad.
    #[serde(default)]
    pub damping: f64,
    /// Lever arm of each end, from the bar's axis to the drop link, m.
    pub lever: f64,
    /// Drop link: end on the lower or trailing arm, left side, in the axle's frame, m.
    pub drop_link: Point,
}

/// A rigid beam with a wheel at each end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SolidAxle {
    /// Hard points and centers of mass.
    pub points: SolidAxlePoints,
    /// Links or leaf springs that locate the beam longitudinally and laterally.
    pub location: AxleLocation,
    /// The beam with its differential, with its inertia in the axes of the axle.
    pub beam: MassProperties,
    /// Spindle, which turns with the wheel about y.
    pub spindle: MassProperties,
    /// Steering knuckle. Where absent, the wheels keep the direction of the beam.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knuckle: Option<Knuckle>,
}

/// Hard points of a solid axle on the left side, in the axle's frame, m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SolidAxlePoints {
    /// Center of the wheel and center of mass of the spindle.
    pub spindle: Point,
    /// Center of mass of the beam, with y = 0.
    pub beam_com: Point,
    /// Damper: end on the chassis.
    pub damper_chassis: Point,
    /// Damper: end on the beam.
    pub damper_beam: Point,
    /// Spring: end on the chassis.
    pub spring_chassis: Point,
    /// Spring: end on the beam.
    pub spring_beam: Point,
}

/// A wheel on each side without a spring.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RigidMount {
    /// Center of the left wheel and center of mass of its spindle, in the axle's frame, m.
    pub center: Point,
    /// Spindle, which turns with the wheel about y.
    pub spindle: MassProperties,
    /// Part that turns the left wheel, for a steered axle with `steering.direct`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knuckle: Option<MountKnuckle>,
}

/// Part of a rigid mount on the left side that carries the wheel and turns about a kingpin parallel
/// to z, in the axle's frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MountKnuckle {
    /// The knuckle without spindle and wheel, with its inertia in the axes of the axle.
    pub part: MassProperties,
    /// Center of mass of the knuckle, m.
    pub com: Point,
    /// A point of the kingpin, m.
    pub kingpin: Point,
}

/// Links or leaf springs that locate a solid axle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AxleLocation {
    /// An upper and a lower rod on each side, with a Panhard rod or splayed upper rods.
    Links(FourLinkPoints),
    /// Leaf springs. Their vertical force is that of the axle's `spring`.
    Leaf(LeafSpringMount),
}

/// Massless, ball-jointed rods of a four-link axle on the left side, in the axle's frame, m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FourLinkPoints {
    /// Upper rod: end on the chassis.
    pub upper_chassis: Point,
    /// Upper rod: end on the beam.
    pub upper_beam: Point,
    /// Lower rod: end on the chassis.
    pub lower_chassis: Point,
    /// Lower rod: end on the beam.
    pub lower_beam: Point,
    /// Panhard rod, one for the axle. Where absent, the upper rods must be splayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub panhard: Option<Panhard>,
}

/// A lateral rod from the chassis to the beam, in the axle's frame, m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Panhard {
    /// End of the rod on the chassis.
    pub chassis: Point,
    /// End of the rod on the beam.
    pub beam: Point,
}

/// A leaf spring as a compliant mount of the beam.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LeafSpringMount {
    /// Clamp of the leaf on the beam, left side, in the axle's frame, m.
    pub clamp: Point,
    /// Longitudinal stiffness of each leaf, N/m.
    pub longitudinal_stiffness: f64,
    /// Lateral stiffness of each leaf, N/m.
    pub lateral_stiffness: f64,
    /// Wind-up stiffness of each leaf about y, N m/rad.
    pub windup_stiffness: f64,
    /// Damping of these three stiffnesses, as damping over stiffness, s.
    pub damping_time: f64,
}

/// Steering knuckle of a solid axle on the left side, in the axle's frame, m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Knuckle {
    /// The knuckle, with its inertia in the axes of the axle.
    pub part: MassProperties,
    /// Center of mass of the knuckle.
    pub com: Point,
    /// Kingpin: upper point.
    pub kingpin_upper: Point,
    /// Kingpin: lower point.
    pub kingpin_lower: Point,
    /// Tie rod: end on the knuckle.
    pub tie_rod_knuckle: Point,
    /// Tie rod: end on the steering link.
    pub tie_rod_chassis: Point,
}

impl Suspension {
    /// Mass of the parts of both sides without wheels and tires, kg.
    pub fn mass(&self) -> f64 {
        match self {
            Suspension::DoubleWishbone(s) => {
                let tie_rod = s.tie_rod.map_or(0.0, |part| part.mass);
                let side = s.upper_arm.mass + s.lower_arm.mass + s.upright.mass + s.spindle.mass;
                2.0 * (side + tie_rod)
            }
            Suspension::SingleWishbone(s) => 2.0 * (s.arm.mass + s.upright.mass + s.spindle.mass),
            Suspension::MacphersonStrut(s) => {
                2.0 * (s.arm.mass + s.upright.mass + s.rod.mass + s.spindle.mass)
            }
            Suspension::TrailingArm(s) => 2.0 * (s.arm.mass + s.spindle.mass),
            Suspension::SolidAxle(s) => {
                let knuckle = s.knuckle.map_or(0.0, |knuckle| knuckle.part.mass);
                s.beam.mass + 2.0 * (s.spindle.mass + knuckle)
            }
            Suspension::Rigid(s) => {
                2.0 * (s.spindle.mass + s.knuckle.map_or(0.0, |knuckle| knuckle.part.mass))
            }
        }
    }

    /// Center of the left wheel in the design position, in the axle's frame, m.
    pub fn spindle(&self) -> Point {
        match self {
            Suspension::DoubleWishbone(s) => s.points.spindle,
            Suspension::SingleWishbone(s) => s.points.spindle,
            Suspension::MacphersonStrut(s) => s.points.spindle,
            Suspension::TrailingArm(s) => s.points.spindle,
            Suspension::SolidAxle(s) => s.points.spindle,
            Suspension::Rigid(s) => s.center,
        }
    }

    /// Lower and upper end of the kingpin of the left wheel, in the axle's frame, m.
    ///
    /// It is `None` for trailing arms, for beams without knuckles and for rigid mounts.
    pub fn kingpin(&self) -> Option<[Point; 2]> {
        match self {
            Suspension::DoubleWishbone(s) => {
                Some([s.points.lower_arm_outer, s.points.upper_arm_outer])
            }
            Suspension::SingleWishbone(s) => Some([s.points.kingpin_lower, s.points.kingpin_upper]),
            Suspension::MacphersonStrut(s) => Some([s.points.arm_outer, s.points.strut_chassis]),
            Suspension::TrailingArm(_) | Suspension::Rigid(_) => None,
            Suspension::SolidAxle(s) => s.knuckle.map(|own| [own.kingpin_lower, own.kingpin_upper]),
        }
    }

    /// Outer end of the left tie rod, on the upright or knuckle, in the axle's frame, m.
    pub fn steering_arm(&self) -> Option<Point> {
        match self {
            Suspension::DoubleWishbone(s) => Some(s.points.tie_rod_upright),
            Suspension::SingleWishbone(s) => Some(s.points.tie_rod_upright),
            Suspension::MacphersonStrut(s) => Some(s.points.tie_rod_upright),
            Suspension::TrailingArm(_) | Suspension::Rigid(_) => None,
            Suspension::SolidAxle(s) => s.knuckle.map(|own| own.tie_rod_knuckle),
        }
    }
}
