//! Steering: what moves the inner ends of the tie rods.

use super::{AssemblyError, Frame, vec3};
use crate::multibody::{Body, BodyId, Closure, Coordinate, Inertia, Joint};
use crate::spatial::{Mat3, Quat, Vec3};
use crate::vehicle::spec::{PitmanArm, Point, RackPinion, Steering, Suspension};

/// Inertia of the massless bodies of a linkage, kg m²: a ten-thousandth of the
/// arm's, so that their coordinates have a pivot.
const TRACE_INERTIA: f64 = 1e-6;

/// The steering as the step reaches it.
#[derive(Clone, Copy, Debug)]
pub(in crate::vehicle) struct SteeringDrive {
    /// The body that carries the tie rods' inner ends.
    pub link: BodyId,
    /// Index of the drive's target in the workspace.
    pub drive: usize,
    /// The driven coordinate.
    #[allow(dead_code)] // for the record of the steering's position
    pub coordinate: Coordinate,
    /// Target at steering 1 (full left): an angle, rad, or a travel, m.
    pub full_left: f64,
}

impl Frame<'_> {
    /// Adds the steering mechanism, if the vehicle has one.
    pub(super) fn steering(&mut self) -> Result<Option<SteeringDrive>, AssemblyError> {
        match &self.spec.steering {
            None => Ok(None),
            Some(Steering::PitmanArm(s)) => Ok(Some(self.pitman_arm(s))),
            Some(Steering::RackPinion(s)) => Ok(Some(self.rack_pinion(s))),
            Some(Steering::Direct(_)) => Err(AssemblyError::Steering {
                axle: self.spec.axles.first().map_or(String::new(), |axle| axle.name.clone()),
                what: "steering 'direct' has no mechanism to assemble: use rack_pinion or pitman_arm",
            }),
        }
    }

    /// +1 if moving the tie rods to the left steers to the left: they then meet
    /// the uprights ahead of the kingpin.
    fn sense(&self) -> f64 {
        let steered = self.spec.axles.iter().find(|axle| axle.steered);
        let ahead = steered.is_none_or(|axle| match &axle.suspension {
            Suspension::DoubleWishbone(s) => {
                let p = &s.points;
                p.tie_rod_upright[0] > 0.5 * (p.lower_arm_outer[0] + p.upper_arm_outer[0])
            }
            Suspension::SolidAxle(s) => s.knuckle.is_none_or(|k| {
                k.tie_rod_knuckle[0] > 0.5 * (k.kingpin_lower[0] + k.kingpin_upper[0])
            }),
            Suspension::TrailingArm(_) => true,
        });
        if ahead { 1.0 } else { -1.0 }
    }

    fn pitman_arm(&mut self, s: &PitmanArm) -> SteeringDrive {
        let tilt = Quat::from_axis_angle(&Vec3::y_axis(), s.pitch_deg.to_radians());
        let turn: Mat3 = tilt.to_rotation_matrix().into_inner();
        let at = |local: Point| vec3(s.position) + turn * vec3(local);
        let tensor = |moments: Point| turn * Mat3::from_diagonal(&vec3(moments)) * turn.transpose();
        let trace =
            Inertia { mass: 0.0, com: Vec3::zeros(), tensor: Mat3::identity() * TRACE_INERTIA };
        let p = &s.points;
        let (x, z) = (turn * Vec3::x(), turn * Vec3::z());
        let chassis = self.chassis;
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
        self.builder.closure(Closure::Drive { coordinate });
        let lever = (p.arm_link[0] - p.arm_chassis[0]).signum();
        let full_left = self.sense() * lever * s.max_angle_deg.to_radians();
        SteeringDrive { link, drive: 0, coordinate, full_left }
    }

    fn rack_pinion(&mut self, s: &RackPinion) -> SteeringDrive {
        let origin = vec3(s.position);
        let link = self.builder.body(Body {
            name: "rack".into(),
            parent: self.chassis,
            joint: Joint::Prismatic(Vec3::y()),
            anchor: origin,
            origin,
            inertia: Inertia::principal(s.rack.mass, origin, s.rack.inertia),
        });
        let coordinate = self.builder.coordinate(link);
        self.builder.closure(Closure::Drive { coordinate });
        let full_left = self.sense() * s.pinion_radius * s.max_angle_deg.to_radians();
        SteeringDrive { link, drive: 0, coordinate, full_left }
    }
}
