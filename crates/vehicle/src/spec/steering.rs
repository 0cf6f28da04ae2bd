//! What turns the steered wheels.

use super::{Part, Point};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A steering mechanism.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Steering {
    /// A pitman arm moves a link held by an idler arm.
    PitmanArm(PitmanArm),
    /// A pinion moves a rack sideways.
    RackPinion(RackPinion),
    /// An arm pushes a drag link to the left knuckle of a solid axle, a toe bar turns the right
    /// one with it.
    DragLink(DragLink),
    /// The angles of the knuckles of solid axles are given outright, without a mechanism.
    Direct(Direct),
}

/// Pitman arm, steering link and idler (a massless rod).
///
/// The mechanism lies in the x-y plane of its own frame, which is at
/// `position` in the chassis frame and pitched about y by `pitch_deg`. The tie
/// rods' inner ends sit on the link at the suspension's `tie_rod_chassis`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PitmanArm {
    /// Origin of the mechanism in the chassis frame, m.
    pub position: Point,
    /// Rotation of the mechanism about +y, degrees (positive tilts x downwards).
    pub pitch_deg: f64,
    /// Rotation of the pitman arm at steering 1, degrees; in the sense that turns the wheels left.
    pub max_angle_deg: f64,
    /// Mean angle of the wheels at steering 1, degrees (for drivers).
    pub max_wheel_angle_deg: f64,
    /// The link, y along it.
    pub link: Part,
    /// The pitman arm, mechanism's axes.
    pub arm: Part,
    /// Hard points.
    pub points: PitmanArmPoints,
}

/// Hard points of a pitman-arm steering, mechanism's frame, m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PitmanArmPoints {
    /// Centre of mass of the link.
    pub link_com: Point,
    /// Centre of mass of the pitman arm.
    pub arm_com: Point,
    /// Pitman arm on the chassis (revolute about z).
    pub arm_chassis: Point,
    /// Pitman arm on the link (universal joint).
    pub arm_link: Point,
    /// Idler on the chassis (revolute about z).
    pub idler_chassis: Point,
    /// Idler on the link (ball joint).
    pub idler_link: Point,
}

/// A rack that slides along y, with a tie rod's inner end at each of its ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RackPinion {
    /// Centre of the rack in the chassis frame, m.
    pub position: Point,
    /// Rotation of the mechanism about +y, degrees.
    #[serde(default)]
    pub pitch_deg: f64,
    /// Rotation of the pinion at steering 1, degrees; in the sense that turns the wheels left.
    pub max_angle_deg: f64,
    /// Mean angle of the wheels at steering 1, degrees (for drivers).
    pub max_wheel_angle_deg: f64,
    /// Radius of the pinion, m; the rack travels radius times angle.
    pub pinion_radius: f64,
    /// The rack.
    pub rack: Part,
}

/// A pitman arm on the chassis and a drag link to the left knuckle of a solid axle; massless
/// rods. The toe bar runs between the `tie_rod_knuckle` of both knuckles.
///
/// As the beam moves against the chassis, the drag link turns the wheels (bump steer). Points
/// are in the chassis frame, for the first steered axle; others have the same mechanism, moved
/// back with them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DragLink {
    /// Rotation of the arm at steering 1, degrees; in the sense that turns the wheels left.
    pub max_angle_deg: f64,
    /// Mean angle of the wheels at steering 1, degrees (for drivers).
    pub max_wheel_angle_deg: f64,
    /// The arm, axes of the chassis.
    pub arm: Part,
    /// Hard points.
    pub points: DragLinkPoints,
}

/// Hard points of a drag link, chassis frame, m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DragLinkPoints {
    /// Arm on the chassis.
    pub arm_chassis: Point,
    /// Direction of the axis about which it turns.
    pub axis: Point,
    /// Drag link: end on the arm.
    pub arm_link: Point,
    /// Drag link: end on the left knuckle.
    pub knuckle: Point,
}

/// Steering without a mechanism: the wheels of solid axles turn about one centre (Ackermann's
/// geometry), each by what drives its knuckle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Direct {
    /// Mean angle of the wheels at steering 1, degrees.
    pub max_wheel_angle_deg: f64,
}

impl Steering {
    /// Mass of its parts, kg.
    pub fn mass(&self) -> f64 {
        match self {
            Steering::PitmanArm(s) => s.link.mass + s.arm.mass,
            Steering::RackPinion(s) => s.rack.mass,
            Steering::DragLink(s) => s.arm.mass,
            Steering::Direct(_) => 0.0,
        }
    }

    /// Mean angle of the wheels at steering 1, rad.
    pub fn max_wheel_angle(&self) -> f64 {
        let degrees = match self {
            Steering::PitmanArm(s) => s.max_wheel_angle_deg,
            Steering::RackPinion(s) => s.max_wheel_angle_deg,
            Steering::DragLink(s) => s.max_wheel_angle_deg,
            Steering::Direct(s) => s.max_wheel_angle_deg,
        };
        degrees.to_radians()
    }
}
