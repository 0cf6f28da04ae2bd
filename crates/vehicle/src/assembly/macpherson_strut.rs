//! MacPherson strut: a hinged lower arm, an upright that slides along a tilting strut, a tie rod.
//!
//! The tree is chassis, rod, upright, wheel; the arm's ball joint and the tie rod are closures. On
//! each side, six coordinates, of which the arm has one, less four closures leave the wheel's
//! travel and spin; the link determines the steer. Rod and upright turn together about the strut.

use super::{Side, VehicleBuilder, turned};
use crate::multibody::{Body, BodyId, Closure, Inertia, Joint};
use crate::spec::{MacphersonStrut, Point};
use bekker_math::spatial::Vec3;

impl VehicleBuilder<'_> {
    /// Adds both sides; the tie rods' inner ends are on `link`.
    pub(super) fn macpherson_strut(&mut self, axle: usize, s: &MacphersonStrut, link: BodyId) {
        let on = self.sprung(axle);
        let p = &s.points;
        let arms = Side::BOTH.map(|side| {
            let spec = &self.spec.axles[axle];
            let at = |local: Point| self.point(spec, side, local);
            let pivots = [at(p.arm_front), at(p.arm_back)];
            let (outer, arm_com, upright_com) = (at(p.arm_outer), at(p.arm_com), at(p.upright));
            let (mount, foot) = (at(p.strut_chassis), at(p.strut_upright));
            let (rod_inner, rod_outer) = (at(p.tie_rod_chassis), at(p.tie_rod_upright));
            let spring = [at(p.spring_chassis), at(p.spring_upright)];
            let damper = [at(p.damper_chassis), at(p.damper_upright)];
            let name = |part: &str| format!("{} {side:?} {part}", spec.name);
            let names = [name("lower arm"), name("strut rod"), name("upright")];
            let [arm_name, rod_name, upright_name] = names;
            let com = (mount + foot) * 0.5;
            let [across, other, along] = s.rod.inertia;
            let tensor = turned([along, across, other], mount - foot, Vec3::x());
            let rod = self.builder.body(Body {
                name: rod_name,
                parent: on,
                joint: Joint::Spherical,
                anchor: mount,
                origin: com,
                inertia: Inertia { mass: s.rod.mass, com, tensor },
            });
            let upright = self.builder.body(Body {
                name: upright_name,
                parent: rod,
                joint: Joint::Prismatic(mount - foot),
                anchor: foot,
                origin: upright_com,
                inertia: Inertia::principal(s.upright.mass, upright_com, s.upright.inertia),
            });
            self.wheel(axle, side, upright, on, s.spindle);
            let arm = self.arm(arm_name, on, s.arm, pivots, outer, arm_com);
            self.builder.closure(Closure::Point { a: upright, b: arm, point: outer });
            let (a, b) = (upright, link);
            self.builder.closure(Closure::Distance {
                a,
                point_a: rod_outer,
                b,
                point_b: rod_inner,
            });
            self.strut(axle, side, upright, spring, damper);
            arm
        });
        self.bar_between_arms(axle, arms, [p.arm_back, p.arm_front]);
    }
}
