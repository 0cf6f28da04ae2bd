//! Torsion joint: the rear frame turns about the x axis relative to the chassis, against a spring
//! and a damper.

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
        let joint = vec3(rear.joint);
        let body = self.builder.body(Body {
            name: "rear frame".into(),
            parent: self.chassis,
            joint: Joint::Revolute(Vec3::x()),
            anchor: joint,
            origin: joint,
            inertia: inertia(rear.rear_part()),
        });
        let rates = vec![(self.builder.coordinate(body), 1.0)];
        let element = self.builder.element(Element::Rates { rates });
        self.mounts.push(Mount { element, stiffness: rear.stiffness, damping: rear.damping });
        for axle in (0..spec.axles.len()).filter(|&axle| spec.is_behind_joint(axle)) {
            self.seats[axle] = [body; 2];
        }
        Some(body)
    }
}
