//! Torsion joint: the rear frame turns about the x axis relative to the chassis, against a spring
//! and a damper. In an articulated vehicle a vertical pin is ahead of this joint.

use super::{Mount, VehicleBuilder, vec3};
use crate::multibody::{Body, BodyId, Element, Inertia, Joint};
use crate::spec::{Chassis, RearFrame, SprungPart};
use bekker_math::spatial::Vec3;

/// Inertia of the chassis ahead of the torsion joint; of the whole chassis if there is no joint.
pub(super) fn ahead(chassis: &Chassis, rear: Option<&RearFrame>) -> Inertia {
    match rear {
        Some(rear) => inertia(rear.front_part(chassis)),
        None => super::sprung_inertia(chassis, Vec3::zeros()),
    }
}

fn inertia(part: SprungPart) -> Inertia {
    Inertia { mass: part.mass, com: part.com, tensor: part.tensor }
}

impl VehicleBuilder<'_> {
    /// Adds the frame behind the torsion joint, if there is one, and attaches the springs behind
    /// it.
    pub(super) fn rear_frame(&mut self) -> Option<BodyId> {
        let spec = self.spec;
        let rear = spec.rear_frame.as_ref()?;
        let body = match spec.articulation() {
            Some((rear, steering)) => self.articulated_frame(rear, steering),
            None => self.rolling_frame(rear, self.chassis),
        };
        for axle in (0..spec.axles.len()).filter(|&axle| spec.is_behind_joint(axle)) {
            self.seats[axle] = [body; 2];
        }
        Some(body)
    }

    /// Adds the rear frame on a joint about x of `parent`, with its torsion spring and damper.
    pub(super) fn rolling_frame(&mut self, rear: &RearFrame, parent: BodyId) -> BodyId {
        let body = self.frame_body(rear, parent, Vec3::x());
        let rates = vec![(self.builder.coordinate(body), 1.0)];
        let element = self.builder.element(Element::Rates { rates });
        self.mounts.push(Mount { element, stiffness: rear.stiffness, damping: rear.damping });
        body
    }

    /// Adds the rear frame as a body that turns about an axis of `parent` through the joint.
    pub(super) fn frame_body(&mut self, rear: &RearFrame, parent: BodyId, axis: Vec3) -> BodyId {
        let joint = vec3(rear.joint);
        self.builder.body(Body {
            name: "rear frame".into(),
            parent,
            joint: Joint::Revolute(axis),
            anchor: joint,
            origin: joint,
            inertia: inertia(rear.rear_part()),
        })
    }
}
