//! A bump stop that is compressed to metal-on-metal contact.

use super::{Side, VehicleBuilder};
use crate::multibody::{BodyId, Element, ElementForce};
use bekker_math::spatial::Vec3;

/// Unilateral stop of a beam along the spring's direction in the design position.
///
/// It keeps the beam below the spring's seat. The bump stop's own force acts along the line between
/// the spring's ends; since a leaf spring is compliant sideways, that line can tilt and let the
/// beam pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlatStop {
    /// Element at which the stop acts.
    pub element: usize,
    /// Distance of the spring's ends along that direction at which the stop begins, m.
    flat: f64,
    /// Slope of the bump stop's end, N/m.
    stiffness: f64,
}

impl FlatStop {
    /// Returns the force with the lower end `above` the upper one by this distance, m.
    pub fn force(&self, above: f64) -> ElementForce {
        let pressed = above + self.flat;
        if pressed <= 0.0 {
            return ElementForce::default();
        }
        let stiffness = self.stiffness;
        ElementForce { force: stiffness * pressed, stiffness, damping: 0.0 }
    }
}

impl VehicleBuilder<'_> {
    /// Adds the stop of a beam's spring between these ends, the upper before the lower.
    pub(super) fn flat_stop(
        &mut self,
        axle: usize,
        side: Side,
        beam: BodyId,
        [top, bottom]: [Vec3; 2],
    ) {
        let spring = self.spec.axles[axle].spring.as_ref();
        let Some(stops) = spring.and_then(|own| own.stops.as_ref()) else { return };
        let Some(axis) = (top - bottom).try_normalize(1e-9) else { return };
        let (compressed, stiffness) = stops.bump.end_slope();
        let b = self.seats[axle][side as usize];
        let along = Element::Axial { a: beam, point_a: bottom, b, point_b: top, axis };
        let element = self.builder.element(along);
        self.flat_stops.push(FlatStop { element, flat: stops.min_length - compressed, stiffness });
    }
}
