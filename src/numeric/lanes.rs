//! Four numbers at a time.

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};
use wide::bytemuck::cast;
use wide::{f64x4, u64x4};

/// Numbers in [`Lanes`].
pub const WIDTH: usize = 4;

/// [`WIDTH`] numbers, on which the processor works at once where it can.
///
/// Only the operations of IEEE 754 are offered, none of them fused: a lane holds
/// the bits that the same operations give on an `f64`, on every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lanes(f64x4);

/// A truth value in each of [`WIDTH`] lanes.
#[derive(Clone, Copy, Debug)]
pub struct Where(f64x4);

impl From<f64> for Lanes {
    #[inline(always)]
    fn from(number: f64) -> Lanes {
        Lanes(f64x4::splat(number))
    }
}

impl From<[f64; WIDTH]> for Lanes {
    #[inline(always)]
    fn from(numbers: [f64; WIDTH]) -> Lanes {
        Lanes(f64x4::new(numbers))
    }
}

impl Lanes {
    /// One number per lane.
    #[inline(always)]
    pub fn gather(number: impl FnMut(usize) -> f64) -> Lanes {
        Lanes::from(std::array::from_fn(number))
    }

    /// The numbers, lane by lane.
    #[inline(always)]
    pub fn numbers(self) -> [f64; WIDTH] {
        self.0.to_array()
    }

    /// Square root.
    #[inline(always)]
    pub fn sqrt(self) -> Lanes {
        Lanes(self.0.sqrt())
    }

    /// Size without sign.
    #[inline(always)]
    pub fn abs(self) -> Lanes {
        Lanes(self.0.abs())
    }

    /// The lesser of two; the other where this is not a number.
    #[inline(always)]
    pub fn min(self, other: impl Into<Lanes>) -> Lanes {
        let other = other.into();
        self.lt(other).pick(self, other)
    }

    /// The greater of two; the other where this is not a number.
    #[inline(always)]
    pub fn max(self, other: impl Into<Lanes>) -> Lanes {
        let other = other.into();
        self.gt(other).pick(self, other)
    }

    /// Sum of the lanes, in pairs.
    #[inline(always)]
    pub fn sum(self) -> f64 {
        let [a, b, c, d] = self.numbers();
        (a + c) + (b + d)
    }

    /// Greatest of the lanes.
    #[inline(always)]
    pub fn greatest(self) -> f64 {
        let [a, b, c, d] = self.numbers();
        a.max(c).max(b.max(d))
    }

    /// Where it is less.
    #[inline(always)]
    pub fn lt(self, other: impl Into<Lanes>) -> Where {
        Where(self.0.simd_lt(other.into().0))
    }

    /// Where it is less or equal.
    #[inline(always)]
    pub fn le(self, other: impl Into<Lanes>) -> Where {
        Where(self.0.simd_le(other.into().0))
    }

    /// Where it is greater.
    #[inline(always)]
    pub fn gt(self, other: impl Into<Lanes>) -> Where {
        Where(self.0.simd_gt(other.into().0))
    }

    /// Where it is greater or equal.
    #[inline(always)]
    pub fn ge(self, other: impl Into<Lanes>) -> Where {
        Where(self.0.simd_ge(other.into().0))
    }

    /// The bits of the numbers.
    #[inline(always)]
    pub(super) fn bits(self) -> u64x4 {
        cast(self.0)
    }

    /// Numbers of these bits.
    #[inline(always)]
    pub(super) fn of_bits(bits: u64x4) -> Lanes {
        Lanes(cast(bits))
    }
}

impl Where {
    /// Everywhere or nowhere.
    #[inline(always)]
    pub fn all_or_none(all: bool) -> Where {
        Where(cast(u64x4::splat(if all { u64::MAX } else { 0 })))
    }

    /// Lane k where bit k is set.
    #[inline(always)]
    pub fn of_bits(bits: u32) -> Where {
        let lane = |k: u32| u64::from(bits >> k & 1).wrapping_neg();
        Where(cast([lane(0), lane(1), lane(2), lane(3)]))
    }

    /// Bit k for lane k.
    #[inline(always)]
    pub fn to_bits(self) -> u32 {
        self.0.to_bitmask()
    }

    /// Whether it holds in any lane.
    #[inline(always)]
    pub fn any(self) -> bool {
        self.to_bits() != 0
    }

    /// `yes` where it holds, `no` elsewhere.
    #[inline(always)]
    pub fn pick(self, yes: impl Into<Lanes>, no: impl Into<Lanes>) -> Lanes {
        let (yes, no) = (yes.into().0, no.into().0);
        Lanes((yes & self.0) | (no & !self.0))
    }
}

impl BitAnd for Where {
    type Output = Where;
    #[inline(always)]
    fn bitand(self, other: Where) -> Where {
        Where(self.0 & other.0)
    }
}

impl BitOr for Where {
    type Output = Where;
    #[inline(always)]
    fn bitor(self, other: Where) -> Where {
        Where(self.0 | other.0)
    }
}

impl Not for Where {
    type Output = Where;
    #[inline(always)]
    fn not(self) -> Where {
        Where(!self.0)
    }
}

impl Neg for Lanes {
    type Output = Lanes;
    #[inline(always)]
    fn neg(self) -> Lanes {
        Lanes(self.0 ^ f64x4::splat(-0.0))
    }
}

/// An operation lane by lane, with lanes or with one number for all.
macro_rules! operation {
    ($name:ident, $method:ident) => {
        impl<T: Into<Lanes>> $name<T> for Lanes {
            type Output = Lanes;
            #[inline(always)]
            fn $method(self, other: T) -> Lanes {
                Lanes(self.0.$method(other.into().0))
            }
        }

        impl $name<Lanes> for f64 {
            type Output = Lanes;
            #[inline(always)]
            fn $method(self, other: Lanes) -> Lanes {
                Lanes(f64x4::splat(self).$method(other.0))
            }
        }
    };
}

operation!(Add, add);
operation!(Sub, sub);
operation!(Mul, mul);
operation!(Div, div);

impl<T: Into<Lanes>> std::ops::AddAssign<T> for Lanes {
    #[inline(always)]
    fn add_assign(&mut self, other: T) {
        *self = *self + other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lanes_hold_the_bits_of_single_numbers(
            a in prop::array::uniform4(-1e3..1e3), b in prop::array::uniform4(-1e3..1e3),
        ) {
            let (x, y) = (Lanes::from(a), Lanes::from(b));
            let each = |f: fn(f64, f64) -> f64| -> [f64; WIDTH] {
                std::array::from_fn(|k| f(a[k], b[k]))
            };
            prop_assert_eq!((x + y).numbers(), each(|a, b| a + b));
            prop_assert_eq!((x - y).numbers(), each(|a, b| a - b));
            prop_assert_eq!((x * y).numbers(), each(|a, b| a * b));
            prop_assert_eq!((x / y).numbers(), each(|a, b| a / b));
            prop_assert_eq!(x.abs().sqrt().numbers(), each(|a, _| a.abs().sqrt()));
            prop_assert_eq!(x.min(y).numbers(), each(f64::min));
            prop_assert_eq!(x.max(y).numbers(), each(f64::max));
            prop_assert_eq!((-x).numbers(), each(|a, _| -a));
            prop_assert_eq!(x.lt(y).pick(1.0, 2.0).numbers(), each(|a, b| if a < b { 1.0 } else { 2.0 }));
            prop_assert_eq!(Where::of_bits(x.gt(y).to_bits()).to_bits(), x.gt(y).to_bits());
        }
    }

    #[test]
    fn sums_in_pairs() {
        let lanes = Lanes::from([1.0, 1e16, -1.0, -1e16]);
        assert_eq!(lanes.sum(), 0.0);
        assert_eq!(lanes.greatest(), 1e16);
    }
}
