//! Mechanisms that turn the steered wheels.

use super::{MassProperties, Point};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A steering mechanism.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Steering {
    /// A pitman arm that moves a link, which an idler arm supports.
    PitmanArm(PitmanArm),
    /// A pinion that moves a rack sideways.
    RackPinion(RackPinion),
    /// An arm that moves a drag link to the left knuckle of a solid axle. A toe bar turns the right
    /// knuckle with it.
    DragLink(DragLink),
    /// Prescribed knuckle angles of solid axles and rigid mounts, without a mechanism.
    Direct(Direct),
    /// No steered wheels: electric motors turn the wheels of both sides at different speeds.
    Skid(SkidSteering),
    /// No steered wheels: hydraulic cylinders turn the rear frame about a vertical pin.
    Articulated(ArticulatedSteering),
}

/// Pitman arm, steering link and idler (a massless rod).
///
/// The mechanism is in the x-y plane of its own frame. That frame is at `position` in the chassis
/// frame and pitched about y by `pitch_deg`. The inner ends of the tie rods are on the link, at the
/// suspension's `tie_rod_chassis`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PitmanArm {
    /// Origin of the mechanism's frame in the chassis frame, m.
    pub position: Point,
    /// Rotation of the mechanism about +y, degrees; a positive value tilts x downward.
    pub pitch_deg: f64,
    /// Rotation of the pitman arm at steering 1, degrees, in the direction that turns the wheels
    /// left.
    pub max_angle_deg: f64,
    /// Mean steering angle of the wheels at steering 1, degrees; drivers use it.
    pub max_wheel_angle_deg: f64,
    /// The link, with y along it.
    pub link: MassProperties,
    /// The pitman arm, with its inertia in the mechanism's axes.
    pub arm: MassProperties,
    /// Hard points of the mechanism.
    pub points: PitmanArmPoints,
}

/// Hard points of a pitman-arm steering in the mechanism's frame, m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PitmanArmPoints {
    /// Center of mass of the link.
    pub link_com: Point,
    /// Center of mass of the pitman arm.
    pub arm_com: Point,
    /// Joint of the pitman arm with the chassis (revolute about z).
    pub arm_chassis: Point,
    /// Joint of the pitman arm with the link (universal joint).
    pub arm_link: Point,
    /// Joint of the idler with the chassis (revolute about z).
    pub idler_chassis: Point,
    /// Joint of the idler with the link (ball joint).
    pub idler_link: Point,
}

/// A rack that slides along y, with the inner end of a tie rod at each of its ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RackPinion {
    /// Center of the rack in the chassis frame, m.
    pub position: Point,
    /// Rotation of the mechanism about +y, degrees.
    #[serde(default)]
    pub pitch_deg: f64,
    /// Rotation of the pinion at steering 1, degrees, in the direction that turns the wheels left.
    pub max_angle_deg: f64,
    /// Mean steering angle of the wheels at steering 1, degrees; drivers use it.
    pub max_wheel_angle_deg: f64,
    /// Radius of the pinion, m. The rack travels by radius times angle.
    pub pinion_radius: f64,
    /// The rack.
    pub rack: MassProperties,
}

/// A pitman arm on the chassis and a drag link to the left knuckle of a solid axle, as massless
/// rods. The toe bar joins the `tie_rod_knuckle` points of both knuckles.
///
/// When the beam moves relative to the chassis, the drag link turns the wheels (bump steer). Points
/// are in the chassis frame and apply to the first steered axle. Other steered axles have the same
/// mechanism, shifted back with the axle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DragLink {
    /// Rotation of the arm at steering 1, degrees, in the direction that turns the wheels left.
    pub max_angle_deg: f64,
    /// Mean steering angle of the wheels at steering 1, degrees; drivers use it.
    pub max_wheel_angle_deg: f64,
    /// The arm, with its inertia in the axes of the chassis.
    pub arm: MassProperties,
    /// Hard points of the mechanism.
    pub points: DragLinkPoints,
}

/// Hard points of a drag link in the chassis frame, m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DragLinkPoints {
    /// Joint of the arm with the chassis.
    pub arm_chassis: Point,
    /// Direction of the axis about which the arm turns.
    pub axis: Point,
    /// Drag link: end on the arm.
    pub arm_link: Point,
    /// Drag link: end on the left knuckle.
    pub knuckle: Point,
}

/// Steering without a mechanism. The wheels of solid axles and rigid mounts turn about one center
/// (Ackermann geometry), and each knuckle has its own drive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Direct {
    /// Mean steering angle of the wheels at steering 1, degrees.
    pub max_wheel_angle_deg: f64,
}

/// Steering by the difference of the wheel speeds on both sides, with `motor_drive`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SkidSteering {
    /// Yaw rate that steering 1 commands, rad/s, to the left both forward and backward. The
    /// difference of the rim speeds is this rate times B (1 + (L/B)²), for the tread B and axles L
    /// apart. On ground with equal friction in all directions, the vehicle then turns at this rate.
    #[schemars(range(max = 20.0), extend("exclusiveMinimum" = 0.0, "unit" = "rad/s"))]
    pub max_yaw_rate: f64,
}

/// Articulated frame steering, as of wheel loaders and forwarders: a vertical pin at
/// `rear_frame.joint` connects the chassis ahead of it with the rear frame, and hydraulic cylinders
/// turn the two about it. A roll joint at the same point lets the rear frame follow twisted ground.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArticulatedSteering {
    /// Articulation angle at steering 1, with the front turned to the left of the rear frame.
    #[schemars(range(min = 1.0, max = 60.0), extend("unit" = "deg"))]
    pub max_angle_deg: f64,
    /// Largest rate of the articulation angle, by the flow of the pump.
    #[schemars(range(min = 0.1, max = 180.0), extend("unit" = "deg/s"))]
    pub max_rate_deg: f64,
    /// Stiffness of the cylinders with their oil about the pin, N m/rad.
    pub stiffness: f64,
    /// Damping of the cylinders about the pin, N m s/rad.
    pub damping: f64,
    /// Largest moment of the cylinders about the pin, N m, at which their relief valve opens.
    pub max_torque: f64,
    /// Roll of the rear frame to either side at which the stops of the roll joint begin to act. Up
    /// to it only `rear_frame.stiffness` and `rear_frame.damping` resist the roll. At 0, the joint
    /// is locked and both must be 0.
    #[schemars(range(min = 0.0, max = 45.0), extend("unit" = "deg"))]
    pub max_roll_deg: f64,
}

impl Steering {
    /// Mass of the mechanism's parts, kg.
    pub fn mass(&self) -> f64 {
        match self {
            Steering::PitmanArm(s) => s.link.mass + s.arm.mass,
            Steering::RackPinion(s) => s.rack.mass,
            Steering::DragLink(s) => s.arm.mass,
            Steering::Direct(_) | Steering::Skid(_) | Steering::Articulated(_) => 0.0,
        }
    }

    /// Mean steering angle of the wheels at steering 1, or the articulation angle of an articulated
    /// vehicle, rad.
    pub fn max_wheel_angle(&self) -> f64 {
        let degrees = match self {
            Steering::PitmanArm(s) => s.max_wheel_angle_deg,
            Steering::RackPinion(s) => s.max_wheel_angle_deg,
            Steering::DragLink(s) => s.max_wheel_angle_deg,
            Steering::Direct(s) => s.max_wheel_angle_deg,
            Steering::Skid(_) => 0.0,
            Steering::Articulated(s) => s.max_angle_deg,
        };
        degrees.to_radians()
    }
}
