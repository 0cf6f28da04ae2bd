//! Independent suspensions that hold each upright with one arm: single wishbone and MacPherson
//! strut.

use super::{MassProperties, Point};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One arm on each side, with the kingpin of the upright on it. The camber changes by the angle of
/// the arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SingleWishbone {
    /// Hard points and centers of mass.
    pub points: SingleWishbonePoints,
    /// The arm. Its inertia is given with x along the pivot axis and z normal to the arm.
    pub arm: MassProperties,
    /// Upright, with its inertia in the axes of the axle.
    pub upright: MassProperties,
    /// Spindle, which turns with the wheel about y.
    pub spindle: MassProperties,
}

/// Hard points of a single wishbone on the left side, in the axle's frame, m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SingleWishbonePoints {
    /// Center of the wheel and center of mass of the spindle.
    pub spindle: Point,
    /// Center of mass of the upright.
    pub upright: Point,
    /// Arm: front pivot on the chassis.
    pub arm_front: Point,
    /// Arm: rear pivot on the chassis.
    pub arm_back: Point,
    /// Arm: center of mass.
    pub arm_com: Point,
    /// Kingpin on the arm: upper point.
    pub kingpin_upper: Point,
    /// Kingpin on the arm: lower point.
    pub kingpin_lower: Point,
    /// Damper: end on the chassis.
    pub damper_chassis: Point,
    /// Damper: end on the arm.
    pub damper_arm: Point,
    /// Spring: end on the chassis.
    pub spring_chassis: Point,
    /// Spring: end on the arm.
    pub spring_arm: Point,
    /// Tie rod: end on the steering link, or on the chassis for an unsteered axle.
    pub tie_rod_chassis: Point,
    /// Tie rod: end on the upright.
    pub tie_rod_upright: Point,
}

/// A lower arm on each side, and an upright that slides along a strut below a ball joint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MacphersonStrut {
    /// Hard points and centers of mass.
    pub points: MacphersonStrutPoints,
    /// Lower arm. Its inertia is given with x along the pivot axis and z normal to the arm.
    pub arm: MassProperties,
    /// Upright with the strut's tube, with its inertia in the axes of the axle.
    pub upright: MassProperties,
    /// Rod of the strut, attached to the upper mount. Its inertia is given with z along the strut.
    pub rod: MassProperties,
    /// Spindle, which turns with the wheel about y.
    pub spindle: MassProperties,
}

/// Hard points of a MacPherson strut on the left side, in the axle's frame, m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MacphersonStrutPoints {
    /// Center of the wheel and center of mass of the spindle.
    pub spindle: Point,
    /// Center of mass of the upright.
    pub upright: Point,
    /// Lower arm: front pivot on the chassis.
    pub arm_front: Point,
    /// Lower arm: rear pivot on the chassis.
    pub arm_back: Point,
    /// Lower arm: ball joint on the upright.
    pub arm_outer: Point,
    /// Lower arm: center of mass.
    pub arm_com: Point,
    /// Strut: upper mount on the chassis.
    pub strut_chassis: Point,
    /// Strut: a point of its axis on the upright.
    pub strut_upright: Point,
    /// Damper: end on the chassis.
    pub damper_chassis: Point,
    /// Damper: end on the upright.
    pub damper_upright: Point,
    /// Spring: end on the chassis.
    pub spring_chassis: Point,
    /// Spring: end on the upright.
    pub spring_upright: Point,
    /// Tie rod: end on the steering link, or on the chassis for an unsteered axle.
    pub tie_rod_chassis: Point,
    /// Tie rod: end on the upright.
    pub tie_rod_upright: Point,
}
