//! Single wishbone: a hinged arm, an upright on the arm's kingpin, a tie rod.
//!
//! The tree is chassis, arm, upright, wheel; the tie rod is a closure. On each side, three
//! coordinates less one closure leave the wheel's travel and spin; the link determines the steer.
//! The wheel tilts with the arm, so that camber changes by the arm's angle.

use super::{Side, VehicleBuilder};
use crate::multibody::{Body, BodyId, Closure, Inertia, Joint};
use crate::spec::{Point, SingleWishbone};

impl VehicleBuilder<'_> {
    /// Adds both sides; the tie rods' inner ends are on `link`.
    pub(super) fn single_wishbone(&mut self, axle: usize, s: &SingleWishbone, link: BodyId) {
        let on = self.sprung(axle);
        let p = &s.points;
        let arms = Side::BOTH.map(|side| {
            let spec = &self.spec.axles[axle];
            let at = |local: Point| self.point(spec, side, local);
            let pivots = [at(p.arm_front), at(p.arm_back)];
            let (upper, lower, arm_com) = (at(p.kingpin_upper), at(p.kingpin_lower), at(p.arm_com));
            let (upright_com, middle) = (at(p.upright), (upper + lower) * 0.5);
            let (rod_inner, rod_outer) = (at(p.tie_rod_chassis), at(p.tie_rod_upright));
            let spring = [at(p.spring_chassis), at(p.spring_arm)];
            let damper = [at(p.damper_chassis), at(p.damper_arm)];
            let name = |part: &str| format!("{} {side:?} {part}", spec.name);
            let [arm_name, upright_name] = [name("arm"), name("upright")];
            let arm = self.arm(arm_name, on, s.arm, pivots, middle, arm_com);
            let upright = self.builder.body(Body {
                name: upright_name,
                parent: arm,
                joint: Joint::Revolute(upper - lower),
                anchor: middle,
                origin: upright_com,
                inertia: Inertia::principal(s.upright.mass, upright_com, s.upright.inertia),
            });
            self.wheel(axle, side, upright, on, s.spindle);
            let (a, b) = (upright, link);
            self.builder.closure(Closure::Distance {
                a,
                point_a: rod_outer,
                b,
                point_b: rod_inner,
            });
            self.strut(axle, side, arm, spring, damper);
            arm
        });
        self.bar_between_arms(axle, arms, [p.arm_back, p.arm_front]);
    }
}
