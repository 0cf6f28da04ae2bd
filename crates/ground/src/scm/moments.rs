//! Sums of the tangents of many nodes, as moments.

use super::vector_lanes::VectorLanes;
use bekker_math::numeric::{Lanes, Simd};
use bekker_math::spatial::{Load, Mat3, Mat6, Vec3};

/// Products of a point's coordinates: 1, x, y, z, xx, xy, xz, yy, yz, zz.
type Monomials = [f64; 10];

/// Sum of weights with their first and second moments about the reference point: ten numbers
/// replace a 6 x 6 matrix for each node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moments(Monomials);

impl Moments {
    fn weight(&self) -> f64 {
        self.0[0]
    }

    fn first(&self) -> Vec3 {
        Vec3::new(self.0[1], self.0[2], self.0[3])
    }

    fn second(&self) -> Mat3 {
        let [_, _, _, _, xx, xy, xz, yy, yz, zz] = self.0;
        Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
    }

    /// Returns Σ k w wᵀ with w = (r x n, n): tangents along the one direction `n`.
    pub(super) fn tangent_along(&self, n: &Vec3) -> Tangent {
        let cross = n.cross_matrix();
        Tangent {
            angular: cross * self.second() * cross.transpose(),
            coupling: self.first().cross(n) * n.transpose(),
            linear: n * n.transpose() * self.weight(),
        }
    }

    /// Returns Σ c Wᵀ (I - n nᵀ) W, where W maps a twist to the velocity at r: tangents across the
    /// one direction `n`.
    pub(super) fn tangent_across(&self, n: &Vec3) -> Tangent {
        let (second, along) = (self.second(), self.tangent_along(n));
        Tangent {
            angular: Mat3::identity() * second.trace() - second - along.angular,
            coupling: self.first().cross_matrix() - along.coupling,
            linear: Mat3::identity() * self.weight() - along.linear,
        }
    }
}

/// [`Moments`] summed per lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct MomentLanes<S: Simd>([Lanes<S>; 10]);

impl<S: Simd> MomentLanes<S> {
    #[inline(always)]
    pub(super) fn new(simd: S) -> MomentLanes<S> {
        MomentLanes([Lanes::zero(simd); 10])
    }

    /// Adds four weights at four points.
    #[inline(always)]
    pub(super) fn add(&mut self, weight: Lanes<S>, r: &VectorLanes<S>) {
        let VectorLanes { x, y, z } = *r;
        let (wx, wy, wz) = (weight * x, weight * y, weight * z);
        let sums = &mut self.0;
        sums[0] += weight;
        sums[1] += wx;
        sums[2] += wy;
        sums[3] += wz;
        sums[4] += wx * x;
        sums[5] += wx * y;
        sums[6] += wx * z;
        sums[7] += wy * y;
        sums[8] += wy * z;
        sums[9] += wz * z;
    }

    /// Returns the sums over all lanes.
    #[inline(always)]
    pub(super) fn summed(&self) -> Moments {
        let mut moments = [0.0; 10];
        for (moment, lanes) in moments.iter_mut().zip(&self.0) {
            *moment = lanes.sum();
        }
        Moments(moments)
    }
}

/// A symmetric 6 x 6 matrix in blocks, angular part first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tangent {
    angular: Mat3,
    coupling: Mat3,
    linear: Mat3,
}

impl Tangent {
    /// Returns the full matrix.
    pub(super) fn matrix(&self) -> Mat6 {
        Mat6::from_fn(|row, column| match (row < 3, column < 3) {
            (true, true) => self.angular[(row, column)],
            (true, false) => self.coupling[(row, column - 3)],
            (false, true) => self.coupling[(column, row - 3)],
            (false, false) => self.linear[(row - 3, column - 3)],
        })
    }

    /// Returns the tangent without turns about `axis`, which do not change the shape.
    fn without_spin(&self, axis: &Vec3) -> Tangent {
        // (I - a aᵀ) A (I - a aᵀ) written with vectors, A being symmetric
        let pushed = self.angular * axis;
        let straight = axis * pushed.transpose();
        Tangent {
            angular: self.angular - straight - straight.transpose()
                + axis * axis.transpose() * axis.dot(&pushed),
            coupling: self.coupling - axis * (axis.transpose() * self.coupling),
            linear: self.linear,
        }
    }
}

impl std::ops::Add for Tangent {
    type Output = Tangent;
    fn add(self, other: Tangent) -> Tangent {
        Tangent {
            angular: self.angular + other.angular,
            coupling: self.coupling + other.coupling,
            linear: self.linear + other.linear,
        }
    }
}

/// Sets a load's tangent from the moments of its nodes about `n`.
pub(super) fn tangent(
    load: &mut Load,
    n: &Vec3,
    spring: &Moments,
    damper: &Moments,
    shear: &Moments,
    spin_axis: Option<Vec3>,
) {
    let stiffness = spring.tangent_along(n);
    load.stiffness = spin_axis.map_or(stiffness, |axis| stiffness.without_spin(&axis)).matrix();
    load.damping = (damper.tangent_along(n) + shear.tangent_across(n)).matrix();
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::numeric::{Level, dispatch};
    use bekker_math::spatial::Vec6;

    fn moments(nodes: &[(f64, Vec3)]) -> Moments {
        dispatch!(Level::baseline(), simd => {
            let mut sums = MomentLanes::new(simd);
            for (weight, r) in nodes {
                sums.add(Lanes::new(simd, [0.0, *weight, 0.0, 0.0]), &VectorLanes::splat(simd, r));
            }
            sums.summed()
        })
    }

    #[test]
    fn moments_stand_for_the_sum_of_outer_products() {
        let n = Vec3::new(0.1, -0.2, 1.0).normalize();
        let nodes = [(3.0, Vec3::new(0.2, 0.1, -0.4)), (5.0, Vec3::new(-0.1, 0.3, -0.3))];
        let moments = moments(&nodes);
        let mut along = Load::default();
        let mut across = Mat6::zeros();
        for (weight, r) in nodes {
            along.add_tangent(&n, &r, weight, 0.0);
            for column in 0..6 {
                let mut unit = Vec6::zeros();
                unit[column] = 1.0;
                let (turn, shift) = (unit.fixed_rows::<3>(0), unit.fixed_rows::<3>(3));
                let v = shift + Vec3::from(turn).cross(&r);
                let force = (v - n * n.dot(&v)) * weight;
                let torque = r.cross(&force);
                let wrench = Vec6::new(torque.x, torque.y, torque.z, force.x, force.y, force.z);
                across.set_column(column, &(across.column(column) + wrench));
            }
        }
        assert!((moments.tangent_along(&n).matrix() - along.stiffness).norm() < 1e-12);
        assert!((moments.tangent_across(&n).matrix() - across).norm() < 1e-12);
    }

    #[test]
    fn a_spin_meets_no_stiffness() {
        let (n, axis) =
            (Vec3::new(0.1, -0.2, 1.0).normalize(), Vec3::new(0.3, 0.9, 0.1).normalize());
        let moments = moments(&[(3.0, Vec3::new(0.2, 0.1, -0.4))]);
        let whole = moments.tangent_along(&n).matrix();
        let spun = moments.tangent_along(&n).without_spin(&axis).matrix();
        let mut keep = Mat6::identity();
        let turn = Mat3::identity() - axis * axis.transpose();
        keep.fixed_view_mut::<3, 3>(0, 0).copy_from(&turn);
        assert!((keep * whole * keep - spun).norm() < 1e-12);
    }
}
