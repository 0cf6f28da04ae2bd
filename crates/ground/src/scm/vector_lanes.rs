//! Vectors in four lanes.

use bekker_math::numeric::{Lanes, Simd};
use bekker_math::spatial::{Twist, Vec3};
use std::ops::{Add, AddAssign, Mul, Sub};

/// A vector in each lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct VectorLanes<S: Simd> {
    pub x: Lanes<S>,
    pub y: Lanes<S>,
    pub z: Lanes<S>,
}

impl<S: Simd> VectorLanes<S> {
    /// Returns one vector in all lanes.
    #[inline(always)]
    pub fn splat(simd: S, v: &Vec3) -> VectorLanes<S> {
        let all = |number: f64| Lanes::new(simd, number);
        VectorLanes { x: all(v.x), y: all(v.y), z: all(v.z) }
    }

    /// Returns vectors from the lanes of their components.
    #[inline(always)]
    pub fn from_arrays(simd: S, [x, y, z]: &[[f64; 4]; 3]) -> VectorLanes<S> {
        VectorLanes { x: Lanes::new(simd, *x), y: Lanes::new(simd, *y), z: Lanes::new(simd, *z) }
    }

    /// Returns the lanes of the components.
    #[inline(always)]
    pub fn to_arrays(self) -> [[f64; 4]; 3] {
        [self.x.to_array(), self.y.to_array(), self.z.to_array()]
    }

    /// Returns the velocities at the offsets `r`.
    #[inline(always)]
    pub fn velocity(twist: &Twist, r: &VectorLanes<S>) -> VectorLanes<S> {
        let (v, w) = (&twist.linear, &twist.angular);
        VectorLanes {
            x: v.x + (w.y * r.z - w.z * r.y),
            y: v.y + (w.z * r.x - w.x * r.z),
            z: v.z + (w.x * r.y - w.y * r.x),
        }
    }

    #[inline(always)]
    pub fn dot(&self, other: &VectorLanes<S>) -> Lanes<S> {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    #[inline(always)]
    pub fn cross(&self, other: &VectorLanes<S>) -> VectorLanes<S> {
        VectorLanes {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }

    #[inline(always)]
    pub fn norm(&self) -> Lanes<S> {
        self.dot(self).sqrt()
    }

    /// Returns the components across the unit vectors `n`.
    #[inline(always)]
    pub fn perpendicular_to(self, n: &VectorLanes<S>) -> VectorLanes<S> {
        self - *n * n.dot(&self)
    }

    /// Returns the sum of the vectors in the lanes.
    #[inline(always)]
    pub fn sum(&self) -> Vec3 {
        Vec3::new(self.x.sum(), self.y.sum(), self.z.sum())
    }
}

impl<S: Simd> Add for VectorLanes<S> {
    type Output = VectorLanes<S>;
    #[inline(always)]
    fn add(self, other: VectorLanes<S>) -> VectorLanes<S> {
        VectorLanes { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl<S: Simd> AddAssign for VectorLanes<S> {
    #[inline(always)]
    fn add_assign(&mut self, other: VectorLanes<S>) {
        *self = *self + other;
    }
}

impl<S: Simd> Sub for VectorLanes<S> {
    type Output = VectorLanes<S>;
    #[inline(always)]
    fn sub(self, other: VectorLanes<S>) -> VectorLanes<S> {
        VectorLanes { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl<S: Simd> Mul<Lanes<S>> for VectorLanes<S> {
    type Output = VectorLanes<S>;
    #[inline(always)]
    fn mul(self, size: Lanes<S>) -> VectorLanes<S> {
        VectorLanes { x: self.x * size, y: self.y * size, z: self.z * size }
    }
}
