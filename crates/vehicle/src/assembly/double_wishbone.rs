//! Double wishbone: two hinged arms, an upright between their ball joints, a tie rod.
//!
//! The tree is chassis, lower arm, upright, wheel; the upper arm's ball joint and the tie rod are
//! closures. On each side, six coordinates, of which the upper arm has one, less four closures
//! leave the wheel's travel and spin; the link determines the steer.

use super::{Side, VehicleBuilder, turned, vec3};
use crate::multibody::{Body, BodyId, Closure, Inertia, Joint};
use crate::spec::{DoubleWishbone, MassProperties, Point};
use bekker_math::spatial::Vec3;

impl VehicleBuilder<'_> {
    /// Adds both sides; the tie rods' inner ends are on `link`.
    pub(super) fn double_wishbone(&mut self, axle: usize, s: &DoubleWishbone, link: BodyId) {
        let mut arms = Vec::with_capacity(2);
        for side in Side::BOTH {
            let spec = &self.spec.axles[axle];
            let at = |local: Point| self.point(spec, side, local);
            let p = &s.points;
            let lower_pivots = [at(p.lower_arm_front), at(p.lower_arm_back)];
            let upper_pivots = [at(p.upper_arm_front), at(p.upper_arm_back)];
            let (lower_outer, upper_outer) = (at(p.lower_arm_outer), at(p.upper_arm_outer));
            let (lower_com, upper_com) = (at(p.lower_arm_com), at(p.upper_arm_com));
            let upright_com = at(p.upright);
            let (rod_inner, rod_outer) = (at(p.tie_rod_chassis), at(p.tie_rod_upright));
            let spring = [at(p.spring_chassis), at(p.spring_arm)];
            let damper = [at(p.damper_chassis), at(p.damper_arm)];
            let name = |part: &str| format!("{} {side:?} {part}", spec.name);
            let names = [name("lower arm"), name("upright"), name("upper arm"), name("tie rod")];
            let [lower_name, upright_name, upper_name, rod_name] = names;

            let on = self.sprung(axle);
            let lower = self.arm(lower_name, on, s.lower_arm, lower_pivots, lower_outer, lower_com);
            let upright = self.builder.body(Body {
                name: upright_name,
                parent: lower,
                joint: Joint::Spherical,
                anchor: lower_outer,
                origin: upright_com,
                inertia: Inertia::principal(s.upright.mass, upright_com, s.upright.inertia),
            });
            self.wheel(axle, side, upright, on, s.spindle);
            let upper = self.arm(upper_name, on, s.upper_arm, upper_pivots, upper_outer, upper_com);
            self.builder.closure(Closure::Point { a: upright, b: upper, point: upper_outer });
            match s.tie_rod {
                None => {
                    self.builder.closure(Closure::Distance {
                        a: upright,
                        point_a: rod_outer,
                        b: link,
                        point_b: rod_inner,
                    });
                }
                Some(part) => self.tie_rod(rod_name, part, upright, rod_outer, link, rod_inner),
            }
            self.strut(axle, side, lower, spring, damper);
            arms.push(lower);
        }
        let hinge = [s.points.lower_arm_back, s.points.lower_arm_front];
        self.bar_between_arms(axle, [arms[0], arms[1]], hinge);
    }

    /// Adds an anti-roll bar between arms whose hinge axes point from the back to the front.
    ///
    /// In roll one wheel rises and the other falls by the same rotation of the arms.
    pub(super) fn bar_between_arms(&mut self, axle: usize, arms: [BodyId; 2], hinge: [Point; 2]) {
        let hinge = hinge.map(|end| self.point(&self.spec.axles[axle], Side::Left, end));
        self.anti_roll_bar(axle, arms, hinge, true);
    }

    /// Adds an arm hinged to the body `on` through two pivots.
    pub(super) fn arm(
        &mut self,
        name: String,
        on: BodyId,
        part: MassProperties,
        pivots: [Vec3; 2],
        outer: Vec3,
        com: Vec3,
    ) -> BodyId {
        let [front, back] = pivots;
        let tensor = turned(part.inertia, front - back, outer - back);
        self.builder.body(Body {
            name,
            parent: on,
            joint: Joint::Revolute(front - back),
            anchor: (front + back) * 0.5,
            origin: com,
            inertia: Inertia { mass: part.mass, com, tensor },
        })
    }

    /// Adds a tie rod with mass: a ball joint on the upright, and its inner end on the link.
    ///
    /// Its spin about its own axis is free and never excited.
    fn tie_rod(
        &mut self,
        name: String,
        part: MassProperties,
        upright: BodyId,
        outer: Vec3,
        link: BodyId,
        inner: Vec3,
    ) {
        let com = (outer + inner) * 0.5;
        let [across, other, along] = part.inertia;
        let tensor = turned([along, across, other], outer - inner, vec3([0.0, 0.0, 1.0]));
        let rod = self.builder.body(Body {
            name,
            parent: upright,
            joint: Joint::Spherical,
            anchor: outer,
            origin: com,
            inertia: Inertia { mass: part.mass, com, tensor },
        });
        self.builder.closure(Closure::Point { a: rod, b: link, point: inner });
    }
}
