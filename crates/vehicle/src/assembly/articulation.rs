//! Articulated frame: a vertical pin, a roll joint behind it, and the cylinders that turn them.
//!
//! The cylinders are a stiff spring and damper about the pin between the articulation angle and a
//! set angle, which follows the steering at the rate of the pump. When their moment exceeds that of
//! the relief valve, oil escapes: the set angle then stays within the corresponding deflection.

use super::{PitchStop, VehicleBuilder, vec3};
use crate::multibody::{Body, BodyId, Element, ElementForce, Inertia, Joint};
use crate::spec::{ArticulatedSteering, RearFrame};
use bekker_math::spatial::Vec3;

/// Cylinders of an articulated frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameCylinders {
    /// Element whose measure is the articulation angle, positive to the left.
    pub element: usize,
    /// Articulation angle at steering 1, rad.
    max_angle: f64,
    /// Largest rate of the set angle, rad/s.
    max_rate: f64,
    stiffness: f64,
    damping: f64,
    max_torque: f64,
}

impl FrameCylinders {
    /// Returns the set angle after `h` s, as a share of the largest angle.
    ///
    /// It follows the command at the rate of the pump. The relief valve keeps it near the
    /// articulation `angle`, rad.
    pub fn advance(&self, set: f64, command: f64, angle: f64, h: f64) -> f64 {
        let most = self.max_rate * h / self.max_angle;
        let moved = set + (command - set).clamp(-most, most);
        let held = angle / self.max_angle;
        let deflection = self.max_torque / (self.stiffness * self.max_angle);
        moved.clamp(held - deflection, held + deflection)
    }

    /// Returns the moment against growth of the articulation angle, rad, at its rate, rad/s.
    ///
    /// The set angle, as a share of the largest angle, has moved between two values in `h` s.
    pub fn moment(&self, [angle, rate]: [f64; 2], [from, to]: [f64; 2], h: f64) -> ElementForce {
        let FrameCylinders { max_angle, stiffness, damping, max_torque, .. } = *self;
        let set_rate = (to - from) * max_angle / h;
        let force = stiffness * (angle - to * max_angle) + damping * (rate - set_rate);
        if force.abs() >= max_torque {
            let force = max_torque.copysign(force);
            return ElementForce { force, stiffness: 0.0, damping: 0.0 };
        }
        ElementForce { force, stiffness, damping }
    }
}

impl VehicleBuilder<'_> {
    /// Adds pin, cylinders, roll joint and rear frame.
    pub(super) fn articulated_frame(
        &mut self,
        rear: &RearFrame,
        steering: &ArticulatedSteering,
    ) -> BodyId {
        let max_roll_deg = steering.max_roll_deg;
        let (pin, body) = if max_roll_deg == 0.0 {
            let body = self.frame_body(rear, self.chassis, Vec3::z());
            (body, body)
        } else {
            let joint = vec3(rear.joint);
            let pin = self.builder.body(Body {
                name: "articulation pin".into(),
                parent: self.chassis,
                joint: Joint::Revolute(Vec3::z()),
                anchor: joint,
                origin: joint,
                inertia: Inertia::none(),
            });
            let body = self.rolling_frame(rear, pin);
            let rates = vec![(self.builder.coordinate(body), 1.0)];
            let element = self.builder.element(Element::Rates { rates });
            self.pitch_stops.push(PitchStop::new(element, max_roll_deg));
            (pin, body)
        };
        // the rear frame turns to the right of the front as the vehicle bends to the left
        let rates = vec![(self.builder.coordinate(pin), -1.0)];
        self.cylinders = Some(FrameCylinders {
            element: self.builder.element(Element::Rates { rates }),
            max_angle: steering.max_angle_deg.to_radians(),
            max_rate: steering.max_rate_deg.to_radians(),
            stiffness: steering.stiffness,
            damping: steering.damping,
            max_torque: steering.max_torque,
        });
        body
    }
}
