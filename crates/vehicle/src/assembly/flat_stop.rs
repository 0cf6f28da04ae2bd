//! A bump stop that is pressed flat: metal on metal.

use super::{Frame, Side};
use crate::multibody::{BodyId, Element, ElementForce};
use bekker_math::spatial::Vec3;

/// What holds a beam below what its spring stands on, along the spring's direction in the design position: the
/// stop's force along the line between the spring's ends cannot, for a leaf gives aside, and the beam goes by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlatStop {
    /// Where it acts.
    pub element: usize,
    /// Distance of the spring's ends along that direction at which it begins, m.
    flat: f64,
    /// Slope of the stop's end, N/m.
    stiffness: f64,
}

impl FlatStop {
    /// What it does with the lower end so far above the upper one, m.
    pub fn force(&self, above: f64) -> ElementForce {
        let pressed = above + self.flat;
        if pressed <= 0.0 {
            return ElementForce::default();
        }
        let stiffness = self.stiffness;
        ElementForce { force: stiffness * pressed, stiffness, damping: 0.0 }
    }
}

impl Frame<'_> {
    /// Adds that of a spring between these ends, the upper before the lower, on a beam.
    pub(super) fn flat_stop(
        &mut self,
        (axle, side): (usize, Side),
        beam: BodyId,
        [top, bottom]: [Vec3; 2],
    ) {
        let Some(stops) = &self.spec.axles[axle].spring.stops else { return };
        let Some(axis) = (top - bottom).try_normalize(1e-9) else { return };
        let (compressed, stiffness) = stops.bump.end();
        let b = self.spring_seats[axle][side as usize];
        let along = Element::Axial { a: beam, point_a: bottom, b, point_b: top, axis };
        let element = self.builder.element(along);
        self.flat_stops.push(FlatStop { element, flat: stops.min_length - compressed, stiffness });
    }
}
