//! Tandem: walking beams on the chassis. Each beam carries the springs of two axles.
//!
//! A beam turns freely about its pin, so the moments of both springs about the pin balance. With
//! the pin midway, both axles carry equal loads.

use super::{AssemblyError, Side, VehicleBuilder, vec3};
use crate::multibody::{Body, Element, ElementForce, Inertia, Joint};
use bekker_math::spatial::Vec3;

/// Stiffness of the stop of a walking beam, N m/rad.
///
/// It deflects by half a degree under the moment of 20 kN on a lever of 1 m.
const STOP_STIFFNESS: f64 = 2e6;
/// Damping of the stop over its stiffness, s.
const STOP_DAMPING_TIME: f64 = 0.01;

/// The stop that limits the pitch of a beam, rocker or bogie, or the roll of an articulated frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PitchStop {
    /// Element at which the stop acts.
    pub element: usize,
    /// Angle to either side at which the stop begins to act, rad.
    most: f64,
}

impl PitchStop {
    /// Returns a stop that acts on `element` from an angle to either side, degrees.
    pub fn new(element: usize, most_deg: f64) -> PitchStop {
        PitchStop { element, most: most_deg.to_radians() }
    }

    /// Returns the moment of the stop at an angle, rad, and a rate, rad/s.
    pub fn force(&self, angle: f64, rate: f64) -> ElementForce {
        let beyond = angle - angle.clamp(-self.most, self.most);
        if beyond == 0.0 {
            return ElementForce::default();
        }
        let damping = STOP_STIFFNESS * STOP_DAMPING_TIME;
        let force = STOP_STIFFNESS * beyond + damping * rate;
        ElementForce { force, stiffness: STOP_STIFFNESS, damping }
    }
}

impl VehicleBuilder<'_> {
    /// Adds the beams and attaches the springs of their axles to them.
    pub(super) fn tandems(&mut self) -> Result<(), AssemblyError> {
        for tandem in &self.spec.tandems {
            let axles = self.spec.axles_of(tandem)?;
            for side in Side::BOTH {
                let pin = vec3(tandem.pin);
                let pin = Vec3::new(pin.x, side.mirror() * pin.y, pin.z);
                let beam = self.builder.body(Body {
                    name: format!("{} {side:?} walking beam", tandem.axles.join(" and ")),
                    parent: self.sprung(axles[0]),
                    joint: Joint::Revolute(Vec3::y()),
                    anchor: pin,
                    origin: pin,
                    inertia: Inertia::principal(tandem.beam.mass, pin, tandem.beam.inertia),
                });
                for axle in axles {
                    self.seats[axle][side as usize] = beam;
                }
                let rates = vec![(self.builder.coordinate(beam), 1.0)];
                let element = self.builder.element(Element::Rates { rates });
                self.pitch_stops.push(PitchStop::new(element, tandem.max_pitch_deg));
            }
        }
        Ok(())
    }
}
