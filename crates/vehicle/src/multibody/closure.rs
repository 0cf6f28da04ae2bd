//! Closures: constraints between bodies in addition to the joints of the tree.

use super::model::{BodyId, Coordinate};
use bekker_math::spatial::Vec3;

/// A constraint between bodies and coordinates.
///
/// Points and axes are given in the assembly configuration, in the model's axes.
#[derive(Clone, Debug, PartialEq)]
pub enum Closure {
    /// Keeps a point of `a` on a point of `b`: a ball joint (3 rows).
    Point {
        /// One body.
        a: BodyId,
        /// The other body.
        b: BodyId,
        /// The common point.
        point: Vec3,
    },
    /// Keeps the distance of a point of `a` from a point of `b` constant: a rod (1 row).
    Distance {
        /// One body.
        a: BodyId,
        /// Point of `a`.
        point_a: Vec3,
        /// The other body.
        b: BodyId,
        /// Point of `b`.
        point_b: Vec3,
    },
    /// Keeps the angle of an axis of `a` to an axis of `b` constant (1 row).
    Angle {
        /// One body.
        a: BodyId,
        /// Axis of `a`.
        axis_a: Vec3,
        /// The other body.
        b: BodyId,
        /// Axis of `b`.
        axis_b: Vec3,
    },
    /// Keeps a weighted sum of rates at zero: a gear or a differential (1 row).
    ///
    /// The weights may change from step to step. The constraint holds velocities, not positions.
    Gear {
        /// Coordinates with their weights.
        rates: Vec<(Coordinate, f64)>,
        /// Spins of one body relative to another about an axis fixed in the first, with a scale
        /// factor.
        ///
        /// The torques act on these two bodies only: a half-shaft drives a wheel, and its reaction
        /// acts on the chassis.
        spins: Vec<(BodyId, BodyId, Vec3, f64)>,
    },
    /// Makes a coordinate follow a target: a motor or a lock (1 row).
    Drive {
        /// Coordinate of a revolute or prismatic joint, or of a shaft.
        coordinate: Coordinate,
    },
}

impl Closure {
    /// Returns the number of scalar rows of this closure.
    pub fn rows(&self) -> usize {
        match self {
            Closure::Point { .. } => 3,
            _ => 1,
        }
    }
}
