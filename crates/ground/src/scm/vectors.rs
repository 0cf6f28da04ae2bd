//! Vectors in four lanes.

use bekker_math::numeric::{Lanes, Simd};
use bekker_math::spatial::{Twist, Vec3};
use std::ops::{Add, AddAssign, Mul, Sub};

/// A vector in each lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vectors<S: Simd> {
    pub x: Lanes<S>,
    pub y: Lanes<S>,
    pub z: Lanes<S>,
}

impl<S: Simd> Vectors<S> {
    /// Returns one vector in all lanes.
    #[inline(always)]
    pub fn of(simd: S, v: &Vec3) -> Vectors<S> {
        let all = |number: f64| Lanes::of(simd, number);
        Vectors { x: all(v.x), y: all(v.y), z: all(v.z) }
    }

    /// Returns vectors from the lanes of their components.
    #[inline(always)]
    pub fn from_parts(simd: S, [x, y, z]: &[[f64; 4]; 3]) -> Vectors<S> {
        Vectors { x: Lanes::of(simd, *x), y: Lanes::of(simd, *y), z: Lanes::of(simd, *z) }
    }

    /// Returns the lanes of the components.
    #[inline(always)]
    pub fn parts(self) -> [[f64; 4]; 3] {
        [self.x.numbers(), self.y.numbers(), self.z.numbers()]
    }

    /// Returns the velocities at the offsets `r`.
    #[inline(always)]
    pub fn velocity(twist: &Twist, r: &Vectors<S>) -> Vectors<S> {
        let (v, w) = (&twist.linear, &twist.angular);
        Vectors {
            x: v.x + (w.y * r.z - w.z * r.y),
            y: v.y + (w.z * r.x - w.x * r.z),
            z: v.z + (w.x * r.y - w.y * r.x),
        }
    }

    #[inline(always)]
    pub fn dot(&self, other: &Vectors<S>) -> Lanes<S> {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    #[inline(always)]
    pub fn cross(&self, other: &Vectors<S>) -> Vectors<S> {
        Vectors {
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
    pub fn across(self, n: &Vectors<S>) -> Vectors<S> {
        self - *n * n.dot(&self)
    }

    /// Returns the sum of the vectors in the lanes.
    #[inline(always)]
    pub fn sum(&self) -> Vec3 {
        Vec3::new(self.x.sum(), self.y.sum(), self.z.sum())
    }
}

impl<S: Simd> Add for Vectors<S> {
    type Output = Vectors<S>;
    #[inline(always)]
    fn add(self, other: Vectors<S>) -> Vectors<S> {
        Vectors { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl<S: Simd> AddAssign for Vectors<S> {
    #[inline(always)]
    fn add_assign(&mut self, other: Vectors<S>) {
        *self = *self + other;
    }
}

impl<S: Simd> Sub for Vectors<S> {
    type Output = Vectors<S>;
    #[inline(always)]
    fn sub(self, other: Vectors<S>) -> Vectors<S> {
        Vectors { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl<S: Simd> Mul<Lanes<S>> for Vectors<S> {
    type Output = Vectors<S>;
    #[inline(always)]
    fn mul(self, size: Lanes<S>) -> Vectors<S> {
        Vectors { x: self.x * size, y: self.y * size, z: self.z * size }
    }
}
