//! Solid axle: a beam with a wheel at each end, located by rods or leaf springs.
//!
//! The beam is a free body. Massless rods are distance closures; a leaf is a compliant mount.
//! Wind-up of a leaf is modeled by two longitudinal springs one above the other. The lever between
//! them reproduces the stated stiffness.

use super::steering::SteeredBy;
use super::{Mount, Side, VehicleBuilder};
use crate::multibody::{Body, BodyId, Closure, Element, Inertia, Joint};
use crate::spec::{AxleLocation, LeafSpringMount, Point, SolidAxle};
use bekker_math::spatial::Vec3;

impl VehicleBuilder<'_> {
    /// Adds the beam and both wheels, whose knuckles are steered by the mechanism `by`.
    pub(super) fn solid_axle(&mut self, axle: usize, s: &SolidAxle, by: SteeredBy) {
        let mut knuckles = Vec::with_capacity(2);
        let spec = &self.spec.axles[axle];
        let com = self.point(spec, Side::Left, s.points.beam_com);
        let beam = self.builder.body(Body {
            name: format!("{} beam", spec.name),
            parent: BodyId::WORLD,
            joint: Joint::Free,
            anchor: com,
            origin: com,
            inertia: Inertia::principal(s.beam.mass, com, s.beam.inertia),
        });
        for side in Side::BOTH {
            let at = |local: Point| self.point(spec, side, local);
            let p = &s.points;
            let spring = [at(p.spring_chassis), at(p.spring_beam)];
            let damper = [at(p.damper_chassis), at(p.damper_beam)];
            match &s.location {
                AxleLocation::Links(l) => {
                    let upper = (at(l.upper_beam), at(l.upper_chassis));
                    let lower = (at(l.lower_beam), at(l.lower_chassis));
                    for (point_a, point_b) in [upper, lower] {
                        let (a, b) = (beam, self.sprung(axle));
                        self.builder.closure(Closure::Distance { a, point_a, b, point_b });
                    }
                }
                AxleLocation::Leaf(leaf) => {
                    let clamp = at(leaf.clamp);
                    self.leaf(beam, self.sprung(axle), leaf, clamp);
                }
            }
            let carrier = match &s.knuckle {
                None => beam,
                Some(knuckle) => {
                    let at = |local: Point| self.point(spec, side, local);
                    let (top, bottom) = (at(knuckle.kingpin_upper), at(knuckle.kingpin_lower));
                    let com = at(knuckle.com);
                    let (outer, inner) = (at(knuckle.tie_rod_knuckle), at(knuckle.tie_rod_chassis));
                    let body = self.builder.body(Body {
                        name: format!("{} {side:?} knuckle", spec.name),
                        parent: beam,
                        joint: Joint::Revolute(top - bottom),
                        anchor: (top + bottom) * 0.5,
                        origin: com,
                        inertia: Inertia::principal(knuckle.part.mass, com, knuckle.part.inertia),
                    });
                    let held_by = match by {
                        SteeredBy::Link(link) => Some(link),
                        SteeredBy::Nothing => Some(beam),
                        SteeredBy::DragLink { .. } | SteeredBy::Knuckles => None,
                    };
                    if let Some(b) = held_by {
                        let (a, point_a, point_b) = (body, outer, inner);
                        self.builder.closure(Closure::Distance { a, point_a, b, point_b });
                    }
                    knuckles.push((body, outer, (top + bottom) * 0.5));
                    body
                }
            };
            self.wheel(axle, side, carrier, beam, s.spindle);
            self.strut(axle, side, beam, spring, damper);
            self.flat_stop(axle, side, beam, spring);
        }
        self.turn_knuckles(axle, by, &knuckles);
        if let AxleLocation::Links(l) = &s.location
            && let Some(rod) = l.panhard
        {
            let at = |local: Point| self.point(spec, Side::Left, local);
            let (point_a, point_b) = (at(rod.beam), at(rod.chassis));
            let (a, b) = (beam, self.sprung(axle));
            self.builder.closure(Closure::Distance { a, point_a, b, point_b });
        }
    }

    fn leaf(&mut self, beam: BodyId, on: BodyId, leaf: &LeafSpringMount, clamp: Vec3) {
        let lever = (leaf.windup_stiffness / leaf.longitudinal_stiffness).sqrt();
        let up = Vec3::z() * lever;
        let half = 0.5 * leaf.longitudinal_stiffness;
        let rows = [
            (clamp + up, Vec3::x(), half),
            (clamp - up, Vec3::x(), half),
            (clamp, Vec3::y(), leaf.lateral_stiffness),
        ];
        for (point, axis, stiffness) in rows {
            let (a, b) = (beam, on);
            let element =
                self.builder.element(Element::Axial { a, point_a: point, b, point_b: point, axis });
            self.mounts.push(Mount { element, stiffness, damping: stiffness * leaf.damping_time });
        }
    }
}
