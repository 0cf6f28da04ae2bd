//! Trailing arm: one arm on each side swings about an axis ahead of the wheel.

use super::{Side, VehicleBuilder};
use crate::multibody::{Body, Inertia, Joint};
use crate::spec::{Point, TrailingArm};

impl VehicleBuilder<'_> {
    /// Adds both sides.
    pub(super) fn trailing_arm(&mut self, axle: usize, s: &TrailingArm) {
        let mut arms = Vec::with_capacity(2);
        for side in Side::BOTH {
            let spec = &self.spec.axles[axle];
            let at = |local: Point| self.point(spec, side, local);
            let p = &s.points;
            let (inner, outer, com) = (at(p.pivot_inner), at(p.pivot_outer), at(p.arm_com));
            let spring = [at(p.spring_chassis), at(p.spring_arm)];
            let damper = [at(p.damper_chassis), at(p.damper_arm)];
            let arm = self.builder.body(Body {
                name: format!("{} {side:?} arm", spec.name),
                parent: self.sprung(axle),
                joint: Joint::Revolute((outer - inner) * side.mirror()),
                anchor: (inner + outer) * 0.5,
                origin: com,
                inertia: Inertia::principal(s.arm.mass, com, s.arm.inertia),
            });
            self.wheel(axle, side, arm, self.sprung(axle), s.spindle);
            self.strut(axle, side, arm, spring, damper);
            arms.push(arm);
        }
        let hinge = [s.points.pivot_inner, s.points.pivot_outer];
        let hinge = hinge.map(|end| self.point(&self.spec.axles[axle], Side::Left, end));
        // both hinges point to the left: in roll the arms' angles have opposite signs
        self.anti_roll_bar(axle, [arms[0], arms[1]], hinge, false);
    }
}
