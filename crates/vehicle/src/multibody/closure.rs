//! Closures: what must hold between bodies beyond the tree of joints.

use super::model::{BodyId, Coordinate};
use bekker_math::spatial::Vec3;

/// A condition between bodies and coordinates. Points and axes are given in the
/// assembly configuration, in the model's axes.
#[derive(Clone, Debug, PartialEq)]
pub enum Closure {
    /// A point of `a` stays on a point of `b`: a ball joint (3 rows).
    Point {
        /// One body.
        a: BodyId,
        /// The other.
        b: BodyId,
        /// The common point.
        point: Vec3,
    },
    /// The distance of a point of `a` to a point of `b` stays: a rod (1 row).
    Distance {
        /// One body.
        a: BodyId,
        /// Its point.
        point_a: Vec3,
        /// The other.
        b: BodyId,
        /// Its point.
        point_b: Vec3,
    },
    /// An axis of `a` and one of `b` stay at their angle (1 row).
    Angle {
        /// One body.
        a: BodyId,
        /// Its axis.
        axis_a: Vec3,
        /// The other.
        b: BodyId,
        /// Its axis.
        axis_b: Vec3,
    },
    /// A weighted sum of rates vanishes: a gear or a differential (1 row). The
    /// weights may be changed from step to step; positions are not held.
    Gear {
        /// Coordinates with their weights.
        rates: Vec<(Coordinate, f64)>,
        /// Spins of one body against another about an axis fixed in the first,
        /// scaled by the last number. The torques act on just these two bodies:
        /// a half-shaft drives a wheel and its reaction is the chassis's.
        spins: Vec<(BodyId, BodyId, Vec3, f64)>,
    },
    /// A coordinate follows a target: a motor or a lock (1 row).
    Drive {
        /// The coordinate; a revolute or prismatic joint's, or a shaft's.
        coordinate: Coordinate,
    },
}

impl Closure {
    /// Scalar rows of this closure.
    pub fn rows(&self) -> usize {
        match self {
            Closure::Point { .. } => 3,
            _ => 1,
        }
    }
}
