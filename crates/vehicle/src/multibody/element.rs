//! Elements: where forces act between bodies. The model measures, the caller
//! answers with the law.

use super::model::{BodyId, Coordinate};
use bekker_math::spatial::Vec3;

/// A scalar place of action. Points and axes are given in the assembly
/// configuration, in the model's axes.
#[derive(Clone, Debug, PartialEq)]
pub enum Element {
    /// The line between a point of `a` and a point of `b`; measured is its
    /// length, m, and its rate; the force is tension, N.
    Line {
        /// One body.
        a: BodyId,
        /// Its point.
        point_a: Vec3,
        /// The other.
        b: BodyId,
        /// Its point.
        point_b: Vec3,
    },
    /// A point of `a` against one of `b` along an axis fixed in `b`: one row of a
    /// bushing. Measured is the displacement of `a`, m; the force resists it.
    Axial {
        /// The moving body.
        a: BodyId,
        /// Its point.
        point_a: Vec3,
        /// The body that carries the axis.
        b: BodyId,
        /// Its point.
        point_b: Vec3,
        /// The axis.
        axis: Vec3,
    },
    /// The line between a point of `a` and a point of `b` along which a band is
    /// drawn; measured is its length with a weighted sum of coordinates added, m:
    /// what the band is longer than when nothing had been drawn in or out. The
    /// force is its tension, N.
    Band {
        /// One body.
        a: BodyId,
        /// Its point.
        point_a: Vec3,
        /// The other.
        b: BodyId,
        /// Its point.
        point_b: Vec3,
        /// What draws the band, with weights: below 0 feeds in, above draws out.
        rates: Vec<(Coordinate, f64)>,
    },
    /// A weighted sum of coordinates; measured is the sum of their rates (and of
    /// positions where all are scalar); the force is what resists it.
    Rates {
        /// Coordinates with their weights.
        rates: Vec<(Coordinate, f64)>,
    },
}

/// What the caller answers for an element.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ElementForce {
    /// Force against growth of the measure, N or N m.
    pub force: f64,
    /// Its derivative with respect to the measure, not negative.
    pub stiffness: f64,
    /// Its derivative with respect to the rate, not negative.
    pub damping: f64,
}
