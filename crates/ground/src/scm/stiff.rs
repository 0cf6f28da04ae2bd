//! Tangents of soil that is too stiff to be summed along and across one mean normal.
//!
//! # Theory
//!
//! A contact sums the tangents of its nodes as moments, along and across the mean normal of its
//! pressure. A node whose normal is inclined from that by θ has a fraction sin²θ of its stiffness
//! in a direction where the sum has none. The step treats that part explicitly, which is stable
//! while k h² sin²θ is small compared with the mass of a wheel or shoe.
//!
//! So each node contributes to the moments no more than the limits below. The remaining stiffness
//! is summed node by node, along each node's own normal and with the arms by which its velocity was
//! found. The step is then implicit in the full stiffness of its law.
//!
//! No soil of the catalog is near the limits, whatever the step: they bound stiffness, not
//! stiffness times step.

use super::scratch::LaneArray;
use super::vector_lanes::VectorLanes;
use crate::soil::DeformableSoil;
use bekker_math::numeric::{Lanes, Simd};
use bekker_math::spatial::{Mat6, Vec3};

/// Greatest slope of shear stress over displacement in the moments, Pa/m: twice that of the
/// strongest soil of the catalog under 300 kPa.
pub(super) const SHEAR_SLOPE: f64 = 1e8;
/// Shear stress of a scalar law up to which the damping of slow sliding is limited by a rolling
/// wheel's own speed, Pa.
pub(super) const SHEAR_STRESS: f64 = 1e6;
/// Greatest damping in the moments, Pa s/m: thirty times that of the catalog.
pub(super) const DAMPING: f64 = 1e6;
/// Slope of pressure over sinkage from which a body that loads the soil may rebound within the
/// step, Pa/m: 2.5 times the stiffest unloading of the catalog. The step then receives the slope of
/// the elastic line, along which yielding soil unloads.
pub(super) const PRESSURE_SLOPE: f64 = 1e9;

/// Returns the damping beyond [`DAMPING`], Pa s/m; zero for soils that damp less.
#[inline(always)]
pub(super) fn excess_damping<S: Simd>(soil: &DeformableSoil, damping: Lanes<S>) -> Lanes<S> {
    if soil.damping <= DAMPING {
        return Lanes::zero(damping.simd());
    }
    (damping - DAMPING).max(0.0)
}

/// Tangents summed node by node about the body's center, angular before linear.
#[derive(Clone, Copy, Debug)]
pub(super) struct StiffTangents {
    /// Derivative by velocity, N s/m.
    pub damping: Mat6,
    /// Derivative by displacement, N/m.
    pub stiffness: Mat6,
    /// Whether any tangent was added.
    pub any: bool,
}

/// Four nodes whose tangents are summed individually.
pub(super) struct StiffNodes<'a, S: Simd> {
    /// Positions from the body's center, m.
    pub r: &'a VectorLanes<S>,
    /// Arms of the body's spin, m.
    pub arm: &'a VectorLanes<S>,
    /// Normals of the surface that slides.
    pub n: &'a VectorLanes<S>,
    /// Axis of the spin; without one the arms equal `r`.
    pub axis: Option<Vec3>,
}

/// Direction in which a node resists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ResistDirection {
    Along,
    Across,
}

impl StiffTangents {
    pub fn none() -> StiffTangents {
        StiffTangents { damping: Mat6::zeros(), stiffness: Mat6::zeros(), any: false }
    }

    /// Adds dampers along the normals, N s/m.
    #[inline(never)]
    pub fn damp_along<S: Simd>(&mut self, nodes: &StiffNodes<'_, S>, weights: Lanes<S>) {
        self.any = true;
        sum(&mut self.damping, nodes, weights, ResistDirection::Along);
    }

    /// Adds dampers across the normals, N s/m.
    #[inline(never)]
    pub fn damp_across<S: Simd>(&mut self, nodes: &StiffNodes<'_, S>, weights: Lanes<S>) {
        self.any = true;
        sum(&mut self.damping, nodes, weights, ResistDirection::Across);
    }

    /// Adds springs across the normals, N/m.
    #[inline(never)]
    pub fn spring_across<S: Simd>(&mut self, nodes: &StiffNodes<'_, S>, weights: Lanes<S>) {
        self.any = true;
        sum(&mut self.stiffness, nodes, weights, ResistDirection::Across);
    }
}

/// Adds Σ k Wᵀ P W, where W maps the body's twist to the velocity at the node and P is n nᵀ or I -
/// n nᵀ.
#[inline(always)]
fn sum<S: Simd>(
    into: &mut Mat6,
    nodes: &StiffNodes<'_, S>,
    weights: Lanes<S>,
    resists: ResistDirection,
) {
    let weights: LaneArray = weights.to_array();
    let [r, arm, n] = [nodes.r, nodes.arm, nodes.n].map(|vectors| vectors.to_arrays());
    for (lane, &weight) in weights.iter().enumerate() {
        if !(weight > 0.0 && weight.is_finite()) {
            continue;
        }
        let at = |parts: &[LaneArray; 3]| Vec3::new(parts[0][lane], parts[1][lane], parts[2][lane]);
        let (r, arm, n) = (at(&r), at(&arm), at(&n));
        let axis = nodes.axis.unwrap_or_else(Vec3::zeros);
        // velocity of the node for a unit of each component of the twist
        let velocity = |component: usize| {
            let mut unit = Vec3::zeros();
            unit[component % 3] = 1.0;
            if component >= 3 {
                return unit;
            }
            let spin = axis * axis[component];
            (unit - spin).cross(&r) + spin.cross(&arm)
        };
        let velocities: [Vec3; 6] = std::array::from_fn(velocity);
        for (row, own) in velocities.iter().enumerate() {
            for (column, other) in velocities.iter().enumerate() {
                let along = own.dot(&n) * other.dot(&n);
                let entry = match resists {
                    ResistDirection::Along => along,
                    ResistDirection::Across => own.dot(other) - along,
                };
                into[(row, column)] += weight * entry;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::numeric::{Level, dispatch};
    use bekker_math::spatial::{Load, Vec6};

    #[test]
    fn a_node_resists_along_or_across_its_own_normal() {
        let (r, n) = (Vec3::new(0.2, -0.1, -0.4), Vec3::new(0.6, 0.0, 0.8));
        let found = dispatch!(Level::baseline(), simd => {
            let [at, normal] = [r, n].map(|v| VectorLanes::splat(simd, &v));
            let nodes = StiffNodes { r: &at, arm: &at, n: &normal, axis: None };
            let mut stiff = StiffTangents::none();
            stiff.damp_along(&nodes, Lanes::new(simd, [0.0, 5.0, 0.0, 0.0]));
            stiff.spring_across(&nodes, Lanes::new(simd, [0.0, 0.0, 0.0, 7.0]));
            stiff
        });
        let mut along = Load::default();
        along.add_tangent(&n, &r, 0.0, 5.0);
        assert!((found.damping - along.damping).norm() < 1e-12);
        let mut across = Load::default();
        for t in [Vec3::y(), Vec3::new(0.8, 0.0, -0.6)] {
            across.add_tangent(&t, &r, 7.0, 0.0);
        }
        assert!((found.stiffness - across.stiffness).norm() < 1e-12);
    }

    /// The sliding of a belt that spins without moving its shape follows from its arms.
    #[test]
    fn spin_acts_by_its_arms() {
        let (r, arm) = (Vec3::new(0.1, 0.05, -0.4), Vec3::new(0.0, 0.05, -0.45));
        let found = dispatch!(Level::baseline(), simd => {
            let [at, arms, up] = [r, arm, Vec3::z()].map(|v| VectorLanes::splat(simd, &v));
            let nodes = StiffNodes { r: &at, arm: &arms, n: &up, axis: Some(Vec3::y()) };
            let mut stiff = StiffTangents::none();
            stiff.damp_across(&nodes, Lanes::new(simd, [3.0, 0.0, 0.0, 0.0]));
            stiff
        });
        let spin = Vec6::new(0.0, 1.0, 0.0, 0.0, 0.0, 0.0);
        // the belt slides at 0.45 m/s forward for 1 rad/s
        let answer = found.damping * spin;
        assert!((answer[3] + 3.0 * 0.45).abs() < 1e-12, "{answer}");
        assert!((answer[1] - 3.0 * 0.45 * 0.45).abs() < 1e-12, "{answer}");
    }
}
