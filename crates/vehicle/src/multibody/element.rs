//! Force elements between bodies.
//!
//! The model computes the measure of an element; the caller computes the force from it.

use super::model::{BodyId, Coordinate};
use bekker_math::spatial::Vec3;

/// A scalar measure at which a force acts.
///
/// Points and axes are given in the assembly configuration, in the model's axes.
#[derive(Clone, Debug, PartialEq)]
pub enum Element {
    /// The line between a point of `a` and a point of `b`.
    ///
    /// The measure is its length, m; the force is tension, N.
    Line {
        /// One body.
        a: BodyId,
        /// Point of `a`.
        point_a: Vec3,
        /// The other body.
        b: BodyId,
        /// Point of `b`.
        point_b: Vec3,
    },
    /// The displacement of a point of `a` from a point of `b` along an axis fixed in `b`.
    ///
    /// It is one row of a bushing. The measure is the displacement of `a`, m; the force opposes it.
    Axial {
        /// The moving body.
        a: BodyId,
        /// Point of `a`.
        point_a: Vec3,
        /// The body that carries the axis.
        b: BodyId,
        /// Point of `b`.
        point_b: Vec3,
        /// Axis fixed in `b`.
        axis: Vec3,
    },
    /// The line between a point of `a` and a point of `b`, along which a band is fed in or drawn
    /// out.
    ///
    /// The measure is the length of the line plus a weighted sum of coordinates, m: the length less
    /// the band that has been fed in. The force is tension, N.
    Band {
        /// One body.
        a: BodyId,
        /// Point of `a`.
        point_a: Vec3,
        /// The other body.
        b: BodyId,
        /// Point of `b`.
        point_b: Vec3,
        /// Coordinates that move the band, with weights: negative feeds in, positive draws out.
        rates: Vec<(Coordinate, f64)>,
    },
    /// A weighted sum of coordinates.
    ///
    /// The measure is the sum of the scalar positions, and its rate the sum of the velocities. The
    /// force opposes growth of the measure.
    Rates {
        /// Coordinates with their weights.
        rates: Vec<(Coordinate, f64)>,
    },
}

/// Force of an element, computed by the caller.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ElementForce {
    /// Force against growth of the measure, N or N m.
    pub force: f64,
    /// Derivative of the force with respect to the measure, not negative.
    pub stiffness: f64,
    /// Derivative of the force with respect to the rate, not negative.
    pub damping: f64,
}
