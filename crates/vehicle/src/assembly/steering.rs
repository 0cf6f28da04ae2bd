//! Steering mechanisms: they move the inner ends of tie rods, push drag links, or turn knuckles.

use super::{Side, VehicleBuilder, vec3};
use crate::multibody::{Body, BodyId, Closure, Coordinate, Inertia, Joint};
use crate::spec::{DragLink, PitmanArm, Point, RackPinion, SolidAxle, Steering, Suspension};
use bekker_math::numeric::{atan, tan};
use bekker_math::spatial::{Mat3, Quat, Vec3};

/// Inertia of the massless bodies of a linkage, kg m².
///
/// A ten-thousandth of the arm's inertia, which keeps the pivots of their coordinates nonzero.
const TRACE_INERTIA: f64 = 1e-6;

/// Indices of a driven part of the steering, for a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SteeringDrive {
    /// Index of the drive's target in the workspace.
    pub drive: usize,
    /// Target position of the drive.
    target: SteeringTarget,
}

/// Target of a driven part of the steering.
#[derive(Clone, Copy, Debug)]
enum SteeringTarget {
    /// Proportional to the steering: an angle, rad, or a travel, m, at steering 1 (full left).
    Mechanism { full_left: f64 },
    /// The angle of one wheel about the common turning center (Ackermann).
    Ackermann {
        /// Tangent of the mean angle of the first steered axle at steering 1.
        tangent: f64,
        /// Ratio of this axle's tangent to the first steered axle's.
        ratio: f64,
        /// Offset of the kingpin to the left of the midline, divided by the distance of the first
        /// steered axle from the turning line.
        aside: f64,
    },
}

impl SteeringDrive {
    /// Returns the target at a steering from -1 (right) to 1 (left): an angle, rad, or a travel, m.
    pub fn target(&self, steering: f64) -> f64 {
        match self.target {
            SteeringTarget::Mechanism { full_left } => full_left * steering,
            SteeringTarget::Ackermann { tangent, ratio, aside } => {
                let mean = tangent * steering;
                // the turning center is 1/curvature to the left: tan δ = x/(1/curvature - y)
                atan(ratio * mean / (1.0 - aside * mean))
            }
        }
    }
}

/// Mechanism that steers the wheels of an axle.
#[derive(Clone, Copy, Debug)]
pub(super) enum SteeredBy {
    /// None: tie rods end on the body that carries the suspension.
    Nothing,
    /// A link that carries the inner ends of the tie rods.
    Link(BodyId),
    /// An arm that pushes a drag link to the left knuckle, with both ends of the link.
    DragLink { arm: BodyId, at_arm: Vec3, at_knuckle: Vec3 },
    /// The knuckles are driven directly.
    Knuckles,
}

impl VehicleBuilder<'_> {
    /// Adds a steering mechanism for each steered axle.
    ///
    /// The first steered axle uses the mechanism of the file; each further one uses the same
    /// mechanism, moved with its axle.
    pub(super) fn mechanisms(&mut self) -> Vec<SteeredBy> {
        let spec = self.spec;
        let Some(steering) = &spec.steering else {
            return vec![SteeredBy::Nothing; spec.axles.len()];
        };
        let first = spec.axles.iter().find(|axle| axle.steered);
        let first = first.map_or(Vec3::zeros(), |axle| vec3(axle.position));
        (0..spec.axles.len())
            .map(|index| {
                let axle = &spec.axles[index];
                if !axle.steered {
                    return SteeredBy::Nothing;
                }
                let moved = vec3(axle.position) - first;
                match steering {
                    Steering::PitmanArm(s) => self.pitman_arm(s, index, moved),
                    Steering::RackPinion(s) => self.rack_pinion(s, index, moved),
                    Steering::DragLink(s) => self.drag_link(s, index, moved),
                    Steering::Direct(_) => SteeredBy::Knuckles,
                    Steering::Skid(_) | Steering::Articulated(_) => SteeredBy::Nothing,
                }
            })
            .collect()
    }

    /// Adds a drive of `coordinate` towards `target`.
    fn driven(&mut self, coordinate: Coordinate, target: SteeringTarget) {
        self.builder.closure(Closure::Drive { coordinate });
        let drive = self.steering.len();
        self.steering.push(SteeringDrive { drive, target });
    }

    /// Steers the knuckles of an axle, left and right: bodies, ends of their tie rods, and
    /// midpoints of their kingpins.
    pub(super) fn turn_knuckles(
        &mut self,
        axle: usize,
        by: SteeredBy,
        knuckles: &[(BodyId, Vec3, Vec3)],
    ) {
        let &[(left, left_end, _), (right, right_end, _)] = knuckles else { return };
        match by {
            SteeredBy::Nothing | SteeredBy::Link(_) => {}
            SteeredBy::DragLink { arm, at_arm, at_knuckle } => {
                let rods = [(left, at_knuckle, arm, at_arm), (left, left_end, right, right_end)];
                for (a, point_a, b, point_b) in rods {
                    self.builder.closure(Closure::Distance { a, point_a, b, point_b });
                }
            }
            SteeredBy::Knuckles => {
                let spec = self.spec;
                let first = spec.axles.iter().find(|axle| axle.steered);
                let lever = first.map_or(1.0, |axle| axle.wheel_x() - spec.turning_line());
                for &(knuckle, _, kingpin) in knuckles {
                    let target = SteeringTarget::Ackermann {
                        tangent: tan(spec.max_steer()),
                        ratio: spec.steer_ratio(axle),
                        aside: kingpin.y / lever,
                    };
                    let coordinate = self.builder.coordinate(knuckle);
                    self.driven(coordinate, target);
                }
            }
        }
    }

    /// +1 if tie rods that move to the left steer to the left, else -1.
    ///
    /// They do so if they join the uprights ahead of the kingpin.
    fn sense(&self, axle: usize) -> f64 {
        let own = &self.spec.axles[axle].suspension;
        let (Some([lower, upper]), Some(arm)) = (own.kingpin(), own.steering_arm()) else {
            return 1.0;
        };
        if arm[0] > 0.5 * (lower[0] + upper[0]) { 1.0 } else { -1.0 }
    }

    /// Travel of the mechanism of an axle at steering 1, scaled from the first axle's.
    fn travel(&self, axle: usize, of_first: f64) -> SteeringTarget {
        SteeringTarget::Mechanism { full_left: of_first * self.spec.steer_ratio(axle) }
    }

    fn drag_link(&mut self, s: &DragLink, axle: usize, moved: Vec3) -> SteeredBy {
        let at = |local: Point| vec3(local) + moved;
        let (hinge, at_arm, at_knuckle) =
            (at(s.points.arm_chassis), at(s.points.arm_link), at(s.points.knuckle));
        let axis = vec3(s.points.axis).normalize();
        let middle = (hinge + at_arm) * 0.5;
        let arm = self.builder.body(Body {
            name: format!("{} pitman arm", self.spec.axles[axle].name),
            parent: self.sprung(axle),
            joint: Joint::Revolute(axis),
            anchor: hinge,
            origin: middle,
            inertia: Inertia::principal(s.arm.mass, middle, s.arm.inertia),
        });
        // The rod transmits the velocity along it, from the arm's end about the arm's axis to the
        // knuckle's end about the kingpin. Rotation about the upward axis is to the left.
        let along = at_arm - at_knuckle;
        let own = &self.spec.axles[axle];
        let kingpin = match &own.suspension {
            Suspension::SolidAxle(SolidAxle { knuckle: Some(knuckle), .. }) => {
                self.point(own, Side::Left, knuckle.kingpin_lower)
            }
            _ => self.point(own, Side::Left, own.suspension.spindle()),
        };
        let of_arm = axis.cross(&(at_arm - hinge)).dot(&along);
        let of_knuckle = Vec3::z().cross(&(at_knuckle - kingpin)).dot(&along);
        let sense = if of_arm * of_knuckle < 0.0 { -1.0 } else { 1.0 };
        let coordinate = self.builder.coordinate(arm);
        let target = self.travel(axle, sense * s.max_angle_deg.to_radians());
        self.driven(coordinate, target);
        SteeredBy::DragLink { arm, at_arm, at_knuckle }
    }

    fn pitman_arm(&mut self, s: &PitmanArm, axle: usize, moved: Vec3) -> SteeredBy {
        let tilt = Quat::from_axis_angle(&Vec3::y_axis(), s.pitch_deg.to_radians());
        let turn: Mat3 = tilt.to_rotation_matrix().into_inner();
        let origin = vec3(s.position) + moved;
        let at = |local: Point| origin + turn * vec3(local);
        let tensor = |moments: Point| turn * Mat3::from_diagonal(&vec3(moments)) * turn.transpose();
        let trace =
            Inertia { mass: 0.0, com: Vec3::zeros(), tensor: Mat3::identity() * TRACE_INERTIA };
        let p = &s.points;
        let (x, z) = (turn * Vec3::x(), turn * Vec3::z());
        let chassis = self.sprung(axle);
        let mut body = |name: &str, parent, joint, anchor, origin, inertia: Inertia| {
            let name = name.into();
            let inertia = Inertia { com: origin, ..inertia };
            self.builder.body(Body { name, parent, joint, anchor, origin, inertia })
        };
        let part = |mass, moments| Inertia { mass, com: Vec3::zeros(), tensor: tensor(moments) };
        let about_z = Joint::Revolute(z);
        let arm_inertia = part(s.arm.mass, s.arm.inertia);
        let link_inertia = part(s.link.mass, s.link.inertia);
        let (hinge, joint) = (at(p.arm_chassis), at(p.arm_link));
        let arm = body("pitman arm", chassis, about_z, hinge, at(p.arm_com), arm_inertia);
        let cross = body("pitman cross", arm, about_z, joint, joint, trace);
        let about_x = Joint::Revolute(x);
        let link = body("steering link", cross, about_x, joint, at(p.link_com), link_inertia);
        let (hinge, end) = (at(p.idler_chassis), at(p.idler_link));
        let idler = body("idler", chassis, about_z, hinge, (hinge + end) * 0.5, trace);
        self.builder.closure(Closure::Point { a: link, b: idler, point: end });
        let coordinate = self.builder.coordinate(arm);
        let lever = (p.arm_link[0] - p.arm_chassis[0]).signum();
        let full_left = self.sense(axle) * lever * s.max_angle_deg.to_radians();
        let target = self.travel(axle, full_left);
        self.driven(coordinate, target);
        SteeredBy::Link(link)
    }

    fn rack_pinion(&mut self, s: &RackPinion, axle: usize, moved: Vec3) -> SteeredBy {
        let origin = vec3(s.position) + moved;
        let link = self.builder.body(Body {
            name: "rack".into(),
            parent: self.sprung(axle),
            joint: Joint::Prismatic(Vec3::y()),
            anchor: origin,
            origin,
            inertia: Inertia::principal(s.rack.mass, origin, s.rack.inertia),
        });
        let coordinate = self.builder.coordinate(link);
        let full_left = self.sense(axle) * s.pinion_radius * s.max_angle_deg.to_radians();
        let target = self.travel(axle, full_left);
        self.driven(coordinate, target);
        SteeredBy::Link(link)
    }
}
