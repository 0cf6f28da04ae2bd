//! Which laws the ground obeys.

use serde::{Deserialize, Serialize};

/// Options of the soil model, the same for the whole ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Laws {
    /// Whether soils that can heap up beside a wheel do so.
    pub bulldozing: bool,
    /// Reaction along the contact surface, not along the initial normal of the
    /// ground: pressure acts along the body's own normal at the node, so that
    /// compaction resistance is a force (M. G. Bekker, 1956; J. Y. Wong and
    /// A. R. Reece, 1967).
    pub surface_reaction: bool,
    /// Shear mobilised as a vector that turns and unloads with the sliding, in
    /// the rate form of the Janosi–Hanamoto curve: K dm/dt = v - |v| m, the
    /// shear being m times the strength (P. R. Dahl, 1968, in the plane). It
    /// starts afresh whenever a body comes into contact, and holds at rest.
    pub vector_shear: bool,
    /// Slip sinkage (M. Lyasko, J. Terramech. 47, 2010: (1 + i)/(1 - i/2) times
    /// the static sinkage at slip i), node by node:
    /// see [`slip_sinkage`](super::slip_sinkage).
    pub slip_sinkage: bool,
    /// Bearing under an inclined load (G. G. Meyerhof, 1953): the virgin
    /// pressure is (1 - α/90°)² of that under a normal load, α being the angle by
    /// which shear leans the contact's force from the normal of the ground, and
    /// with it, as far as it is mobilised, the pressure on what it pushes ahead.
    pub inclined_bearing: bool,
    /// Passive earth pressure on fronts and side walls as far as they go ahead
    /// through the ground, not down: [`PassiveWedge`](super::PassiveWedge).
    pub passive_pressure: bool,
    /// Soil that wheels push ahead or aside is not pressed: it bears as it does at the
    /// depth to which it was pushed away, and heaps before the face that pushes. For soils
    /// that state their density: [`DeepFooting`](super::DeepFooting).
    pub ploughing: bool,
    /// Ruts of rigid wheels grow no faster with their passes than
    /// [`MultiPass`](super::MultiPass) lets them.
    pub multi_pass: bool,
    /// Reload stiffness that grows with depth, k₀ + A_u z_u (J. Y. Wong,
    /// *Terramechanics and Off-Road Vehicle Engineering*, 2010, ch. 4), for
    /// soils that state A_u.
    pub reload_stiffening: bool,
    /// Reece's form of the pressure instead of Bekker's (A. R. Reece, 1965), for
    /// soils that state its moduli.
    pub reece: bool,
    /// Layers: a stiffer one at depth, a crust on top, for soils that state them.
    pub layers: bool,
    /// Shear that peaks and falls to a residual (J. Y. Wong and J.
    /// Preston-Thomas, 1983), for soils that state it.
    pub peak_shear: bool,
    /// Pressure that grows with the speed of sinking (C. Grahn, 1991), for
    /// soils that state it.
    pub rate_dependence: bool,
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
    pub const fn reference() -> Laws {
        Laws {
            bulldozing: true,
            surface_reaction: false,
            vector_shear: false,
            slip_sinkage: false,
            inclined_bearing: false,
            passive_pressure: false,
            ploughing: false,
            multi_pass: false,
            reload_stiffening: false,
            reece: false,
            layers: false,
            peak_shear: false,
            rate_dependence: false,
        }
    }

    /// Every refinement on.
    pub const fn refined() -> Laws {
        Laws {
            bulldozing: true,
            surface_reaction: true,
            vector_shear: true,
            slip_sinkage: true,
            inclined_bearing: true,
            passive_pressure: true,
            ploughing: true,
            multi_pass: true,
            reload_stiffening: true,
            reece: true,
            layers: true,
            peak_shear: true,
            rate_dependence: true,
        }
    }

    /// Whether any refinement of the reference is on.
    pub fn refines(&self) -> bool {
        *self != Laws { bulldozing: self.bulldozing, ..Laws::reference() }
    }
}

impl Default for Laws {
    fn default() -> Self {
        Laws::reference()
    }
}
