//! Trailer: a second sprung body, connected to the first by its coupling.
//!
//! A coupling consists of springs and dampers that hold a point of the trailer to a point of the
//! vehicle. A ball has three of them and transmits no moment. A fifth wheel bears at two points
//! left and right, so it transmits roll moments; yaw and pitch are free. [`crate::trailer`] holds the
//! stops that limit both angles.

use super::{Mount, VehicleBuilder, sprung_inertia, vec3};
use crate::multibody::{Body, BodyId, Element, Joint};
use crate::spec::HitchKind;
use bekker_math::spatial::Vec3;

/// Body and coupling of a trailer, as assembled.
#[derive(Clone, Debug)]
pub(crate) struct TrailerParts {
    /// Sprung body of the trailer; its frame has its origin at the coupling.
    pub body: BodyId,
    /// Springs of the coupling along the chassis axes: index among the mounts, and axis.
    pub springs: Vec<(usize, Vec3)>,
}

impl VehicleBuilder<'_> {
    /// Adds the trailer's body and its coupling, if there is a trailer.
    pub(super) fn trailer(&mut self) {
        let spec = self.spec;
        let Some(trailer) = &spec.trailer else { return };
        let origin = vec3(trailer.coupling);
        let body = self.builder.body(Body {
            name: "trailer".into(),
            parent: BodyId::WORLD,
            joint: Joint::Free,
            anchor: origin,
            origin,
            inertia: sprung_inertia(&trailer.chassis, origin),
        });
        let hitch = &trailer.hitch;
        let mut places = vec![(origin, Vec3::x(), 1.0), (origin, Vec3::y(), 1.0)];
        match hitch.kind {
            HitchKind::Ball => places.push((origin, Vec3::z(), 1.0)),
            HitchKind::FifthWheel => {
                let aside = Vec3::y() * (0.5 * hitch.plate_width.unwrap_or_default());
                places.extend([aside, -aside].map(|aside| (origin + aside, Vec3::z(), 0.5)));
            }
        }
        let mut springs = Vec::with_capacity(places.len());
        for (point, axis, share) in places {
            let drawn_by = self.rear_frame.unwrap_or(self.chassis);
            let (a, point_a, b, point_b) = (body, point, drawn_by, point);
            let element = self.builder.element(Element::Axial { a, point_a, b, point_b, axis });
            let stiffness = hitch.stiffness * share;
            springs.push((self.mounts.len(), axis));
            self.mounts.push(Mount { element, stiffness, damping: stiffness * hitch.damping_time });
        }
        for (index, axle) in spec.axles.iter().enumerate() {
            if axle.trailed {
                self.seats[index] = [body; 2];
            }
        }
        self.trailer = Some(TrailerParts { body, springs });
    }
}
