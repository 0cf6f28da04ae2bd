//! Which laws the ground obeys.

use serde::{Deserialize, Serialize};

/// Options of the soil model, the same for the whole ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Laws {
    /// Whether soils that can heap up beside a wheel do so.
    pub bulldozing: bool,
}

impl Laws {
    /// The laws of the Soil Contact Model as Project Chrono states them:
    /// pressure along the initial normal of the ground, a scalar shear
    /// displacement that only grows, patch width from the convex hull of the
    /// loaded nodes, bulldozing by geometry alone where a soil asks for it.
    ///
    /// What is a bug there is not reproduced here:
    /// - damping that pulls: the total pressure is clamped at zero;
    /// - shear force at rest, in the direction of rounding noise: the direction
    ///   fades out below a small speed and the vehicle's implicit step ends at
    ///   zero speed;
    /// - erosion that loses soil: heights move in integer quanta, so volume
    ///   balances exactly;
    /// - nodes that lose their history when another machine hears of them;
    /// - results that depend on the order of a hash map or of threads;
    /// - plastic sinkage below zero, where an exponent under 1 starts steeper
    ///   than the elastic line;
    /// - an area that jumps by a row of nodes as a wheel moves sideways: a node
    ///   at the edge counts by the part of its cell that is covered;
    /// - a full step of shear for a node that was reached during the step: it
    ///   shears from when it was reached.
    pub fn reference() -> Laws {
        Laws { bulldozing: true }
    }
}

impl Default for Laws {
    fn default() -> Self {
        Laws::reference()
    }
}
