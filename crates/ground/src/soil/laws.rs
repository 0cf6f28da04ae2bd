//! Selection of the soil laws.

use bekker_math::numeric::GRAVITY;
use serde::{Deserialize, Serialize};

/// Options of the soil model, which apply to the whole ground.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Laws {
    /// Heaps of displaced soil next to a contact, for soils with bulldozing parameters.
    pub bulldozing: bool,
    /// Reaction along the contact surface, not along the initial normal of the ground.
    ///
    /// Pressure acts along the body's own normal at the node, so that compaction resistance is a
    /// force (M. G. Bekker, 1956; J. Y. Wong and A. R. Reece, 1967).
    pub surface_reaction: bool,
    /// Shear mobilized as a vector that turns and unloads with the sliding.
    ///
    /// It follows the rate form of the Janosi–Hanamoto curve: K dm/dt = v - |v| m, where the shear
    /// is m times the strength (P. R. Dahl, 1968, in the plane). It starts from zero at each new
    /// contact, and persists at rest.
    pub vector_shear: bool,
    /// Slip sinkage, node by node: see [`slip_sinkage`](super::slip_sinkage).
    ///
    /// M. Lyasko, J. Terramech. 47, 2010: (1 + i)/(1 - i/2) times the static sinkage at slip i, up
    /// to a slip of one half.
    pub slip_sinkage: bool,
    /// Bearing under an inclined load (G. G. Meyerhof, 1953).
    ///
    /// The virgin pressure is (1 - α/90°)² of that under a normal load. α is the inclination of the
    /// contact's force from the normal of the ground. It is due to shear and, as far as shear is
    /// mobilized, to the pressure on soil that is pushed ahead.
    pub inclined_bearing: bool,
    /// Passive earth pressure on fronts and side walls, as far as they move horizontally through
    /// the ground: [`PassiveWedge`](super::PassiveWedge).
    pub passive_pressure: bool,
    /// Plowing: soil that wheels push ahead or aside is not compacted.
    ///
    /// It bears as it does at the depth to which it was pushed away, and heaps in front of the
    /// pushing face. For soils with a density: [`DeepFooting`](super::DeepFooting).
    pub plowing: bool,
    /// Bound on the growth of ruts of rigid wheels with the number of passes:
    /// [`MultiPass`](super::MultiPass).
    pub multi_pass: bool,
    /// Reload stiffness that grows with depth, k₀ + A_u z_u (J. Y. Wong, *Terramechanics and
    /// Off-Road Vehicle Engineering*, 2010, ch. 4), for soils with A_u.
    pub reload_stiffening: bool,
    /// Reece's form of the pressure instead of Bekker's (A. R. Reece, 1965), for soils with its
    /// moduli.
    pub reece: bool,
    /// Layers, for soils that have them: a stiffer one at depth, a crust on top.
    pub layers: bool,
    /// Shear that peaks and falls to a residual (J. Y. Wong and J. Preston-Thomas, 1983), for soils
    /// with that parameter.
    pub peak_shear: bool,
    /// Pressure that grows with the sinking speed (C. Grahn, 1991), for soils with that parameter.
    pub rate_dependence: bool,
    /// Acceleration of gravity, m/s², which gives soil its weight.
    pub gravity: f64,
}

impl Laws {
    /// Returns the laws of the Soil Contact Model as Project Chrono states them.
    ///
    /// Pressure acts along the initial normal of the ground, and shear displacement is a scalar
    /// that only grows. The patch width is that of the convex hull of the loaded nodes, and
    /// bulldozing is purely geometric.
    ///
    /// Bugs of that implementation are not reproduced:
    /// - damping that pulls: the total pressure is clamped at zero;
    /// - shear force at rest, in the direction of rounding noise: the direction fades out below a
    ///   small speed, and the vehicle's implicit step reaches zero speed;
    /// - erosion that loses soil: heights move in integer quanta, so volume balances exactly;
    /// - nodes that lose their history when they are sent to another rank;
    /// - results that depend on the order of a hash map or of threads;
    /// - plastic sinkage below zero, where an exponent under 1 starts steeper than the elastic
    ///   line;
    /// - an area that jumps by a row of nodes as a wheel moves sideways: a node at the edge counts
    ///   by the covered part of its cell;
    /// - a full step of shear for a node that was reached during the step: it shears only from the
    ///   time of first contact.
    pub const fn reference() -> Laws {
        Laws {
            bulldozing: true,
            surface_reaction: false,
            vector_shear: false,
            slip_sinkage: false,
            inclined_bearing: false,
            passive_pressure: false,
            plowing: false,
            multi_pass: false,
            reload_stiffening: false,
            reece: false,
            layers: false,
            peak_shear: false,
            rate_dependence: false,
            gravity: GRAVITY,
        }
    }

    /// Returns the laws with every refinement enabled.
    pub const fn refined() -> Laws {
        Laws {
            bulldozing: true,
            surface_reaction: true,
            vector_shear: true,
            slip_sinkage: true,
            inclined_bearing: true,
            passive_pressure: true,
            plowing: true,
            multi_pass: true,
            reload_stiffening: true,
            reece: true,
            layers: true,
            peak_shear: true,
            rate_dependence: true,
            gravity: GRAVITY,
        }
    }

    /// Returns whether any refinement of the reference is enabled.
    pub fn refines(&self) -> bool {
        let Laws { bulldozing, gravity, .. } = *self;
        *self != Laws { bulldozing, gravity, ..Laws::reference() }
    }
}

impl Default for Laws {
    fn default() -> Self {
        Laws::reference()
    }
}
