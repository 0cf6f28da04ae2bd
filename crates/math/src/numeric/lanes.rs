//! SIMD arithmetic on four numbers.

use fearless_simd::prelude::*;
use fearless_simd::{f64x4, mask64x4, u64x4};
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

pub use super::instructions::dispatch;
pub use fearless_simd::{Level, Simd};

/// Number of numbers in [`Lanes`].
pub const WIDTH: usize = 4;

/// [`WIDTH`] numbers, on which the processor operates simultaneously where it can.
///
/// `S` is the instruction set: [`dispatch`] runs a generic function with the widest available. Only
/// IEEE 754 operations are provided, none of them fused. So a lane holds the same bits as the same
/// operations on an `f64`, on every machine.
#[derive(Clone, Copy, Debug)]
pub struct Lanes<S: Simd>(f64x4<S>);

/// A truth value in each of [`WIDTH`] lanes.
#[derive(Clone, Copy, Debug)]
pub struct LaneMask<S: Simd>(mask64x4<S>);

/// Returns one value for each lane. Unlike `std::array::from_fn` it is always inlined.
#[inline(always)]
pub fn per_lane<T>(mut value: impl FnMut(usize) -> T) -> [T; WIDTH] {
    [value(0), value(1), value(2), value(3)]
}

/// Second operand of an operation on [`Lanes`]: other lanes, or one number for all lanes.
pub trait Operand<S: Simd> {
    /// Returns the operand in lanes.
    fn to_lanes(self, simd: S) -> Lanes<S>;
}

impl<S: Simd> Operand<S> for Lanes<S> {
    #[inline(always)]
    fn to_lanes(self, _simd: S) -> Lanes<S> {
        self
    }
}

impl<S: Simd> Operand<S> for f64 {
    #[inline(always)]
    fn to_lanes(self, simd: S) -> Lanes<S> {
        Lanes(f64x4::splat(simd, self))
    }
}

impl<S: Simd> Operand<S> for [f64; WIDTH] {
    #[inline(always)]
    fn to_lanes(self, simd: S) -> Lanes<S> {
        Lanes(f64x4::simd_from(simd, self))
    }
}

impl<S: Simd> Lanes<S> {
    /// Returns lanes from one number for all, or from a number for each.
    #[inline(always)]
    pub fn new(simd: S, numbers: impl Operand<S>) -> Lanes<S> {
        numbers.to_lanes(simd)
    }

    /// Returns zero in all lanes.
    #[inline(always)]
    pub fn zero(simd: S) -> Lanes<S> {
        0.0.to_lanes(simd)
    }

    /// Returns lanes with `number(k)` in lane k.
    #[inline(always)]
    pub fn from_fn(simd: S, number: impl FnMut(usize) -> f64) -> Lanes<S> {
        per_lane(number).to_lanes(simd)
    }

    /// Returns the instruction set of these lanes.
    #[inline(always)]
    pub fn simd(self) -> S {
        self.0.simd
    }

    /// Returns the numbers by lane.
    #[inline(always)]
    pub fn to_array(self) -> [f64; WIDTH] {
        self.0.into()
    }

    /// Returns the square root.
    #[inline(always)]
    pub fn sqrt(self) -> Lanes<S> {
        Lanes(self.0.sqrt())
    }

    /// Returns the greatest integers that are not above the numbers.
    #[inline(always)]
    pub fn floor(self) -> Lanes<S> {
        Lanes(self.0.floor())
    }

    /// Returns the absolute value.
    #[inline(always)]
    pub fn abs(self) -> Lanes<S> {
        Lanes(self.0.abs())
    }

    /// Returns the lesser of two numbers; `other` where either is NaN.
    #[inline(always)]
    pub fn min(self, other: impl Operand<S>) -> Lanes<S> {
        let other = other.to_lanes(self.simd());
        if X86 { Lanes(self.0.min(other.0)) } else { self.lt(other).select(self, other) }
    }

    /// Returns the greater of two numbers; `other` where either is NaN.
    #[inline(always)]
    pub fn max(self, other: impl Operand<S>) -> Lanes<S> {
        let other = other.to_lanes(self.simd());
        if X86 { Lanes(self.0.max(other.0)) } else { self.gt(other).select(self, other) }
    }

    /// Returns the sum of the lanes, added in pairs.
    #[inline(always)]
    pub fn sum(self) -> f64 {
        let [a, b, c, d] = self.to_array();
        (a + c) + (b + d)
    }

    /// Returns the greatest of the lanes.
    #[inline(always)]
    pub fn max_lane(self) -> f64 {
        let [a, b, c, d] = self.to_array();
        a.max(c).max(b.max(d))
    }

    /// Returns where it equals `other`.
    #[inline(always)]
    pub fn eq(self, other: impl Operand<S>) -> LaneMask<S> {
        LaneMask(self.0.simd_eq(other.to_lanes(self.simd()).0))
    }

    /// Returns where it is less than `other`.
    #[inline(always)]
    pub fn lt(self, other: impl Operand<S>) -> LaneMask<S> {
        LaneMask(self.0.simd_lt(other.to_lanes(self.simd()).0))
    }

    /// Returns where it is less than or equal to `other`.
    #[inline(always)]
    pub fn le(self, other: impl Operand<S>) -> LaneMask<S> {
        LaneMask(self.0.simd_le(other.to_lanes(self.simd()).0))
    }

    /// Returns where it is greater than `other`.
    #[inline(always)]
    pub fn gt(self, other: impl Operand<S>) -> LaneMask<S> {
        LaneMask(self.0.simd_gt(other.to_lanes(self.simd()).0))
    }

    /// Returns where it is greater than or equal to `other`.
    #[inline(always)]
    pub fn ge(self, other: impl Operand<S>) -> LaneMask<S> {
        LaneMask(self.0.simd_ge(other.to_lanes(self.simd()).0))
    }

    /// Returns the bits of the numbers.
    #[inline(always)]
    pub(super) fn bits(self) -> u64x4<S> {
        self.0.bitcast()
    }

    /// Returns the numbers with these bits.
    #[inline(always)]
    pub(super) fn from_bits(bits: u64x4<S>) -> Lanes<S> {
        Lanes(bits.bitcast())
    }
}

/// Whether the processor's minimum and maximum have the definition used here, as on x86, where they
/// take one instruction; other architectures treat NaN differently.
const X86: bool = cfg!(any(target_arch = "x86", target_arch = "x86_64"));

impl<S: Simd> LaneMask<S> {
    /// Returns a mask with all lanes set or none.
    #[inline(always)]
    pub fn splat(simd: S, all: bool) -> LaneMask<S> {
        LaneMask(mask64x4::splat(simd, all))
    }

    /// Returns a mask with lane k set where bit k is set.
    #[inline(always)]
    pub fn from_bits(simd: S, bits: u32) -> LaneMask<S> {
        LaneMask(mask64x4::from_bitmask(simd, u64::from(bits)))
    }

    /// Returns bit k for lane k.
    #[inline(always)]
    pub fn to_bits(self) -> u32 {
        self.0.to_bitmask() as u32
    }

    /// Returns whether any lane is set.
    #[inline(always)]
    pub fn any(self) -> bool {
        self.to_bits() != 0
    }

    /// Returns whether all lanes are set.
    #[inline(always)]
    pub fn all(self) -> bool {
        self.to_bits() == (1 << WIDTH) - 1
    }

    /// Returns `yes` where the lane is set, `no` elsewhere.
    #[inline(always)]
    pub fn select(self, yes: impl Operand<S>, no: impl Operand<S>) -> Lanes<S> {
        let simd = self.0.token();
        Lanes(self.0.select(yes.to_lanes(simd).0, no.to_lanes(simd).0))
    }
}

impl<S: Simd> BitAnd for LaneMask<S> {
    type Output = LaneMask<S>;
    #[inline(always)]
    fn bitand(self, other: LaneMask<S>) -> LaneMask<S> {
        LaneMask(self.0 & other.0)
    }
}

impl<S: Simd> BitOr for LaneMask<S> {
    type Output = LaneMask<S>;
    #[inline(always)]
    fn bitor(self, other: LaneMask<S>) -> LaneMask<S> {
        LaneMask(self.0 | other.0)
    }
}

impl<S: Simd> Not for LaneMask<S> {
    type Output = LaneMask<S>;
    #[inline(always)]
    fn not(self) -> LaneMask<S> {
        LaneMask(!self.0)
    }
}

impl<S: Simd> Neg for Lanes<S> {
    type Output = Lanes<S>;
    #[inline(always)]
    fn neg(self) -> Lanes<S> {
        Lanes(-self.0)
    }
}

/// Implements an operation lane by lane, with lanes or with one number for all.
macro_rules! operation {
    ($name:ident, $method:ident) => {
        impl<S: Simd, T: Operand<S>> $name<T> for Lanes<S> {
            type Output = Lanes<S>;
            #[inline(always)]
            fn $method(self, other: T) -> Lanes<S> {
                Lanes(self.0.$method(other.to_lanes(self.simd()).0))
            }
        }

        impl<S: Simd> $name<Lanes<S>> for f64 {
            type Output = Lanes<S>;
            #[inline(always)]
            fn $method(self, other: Lanes<S>) -> Lanes<S> {
                Lanes(self.to_lanes(other.simd()).0.$method(other.0))
            }
        }
    };
}

operation!(Add, add);
operation!(Sub, sub);
operation!(Mul, mul);
operation!(Div, div);

impl<S: Simd, T: Operand<S>> std::ops::AddAssign<T> for Lanes<S> {
    #[inline(always)]
    fn add_assign(&mut self, other: T) {
        *self = *self + other;
    }
}

/// Returns the instruction sets of this machine, from the narrowest to the widest.
#[cfg(test)]
pub(super) fn levels() -> Vec<Level> {
    let mut levels = vec![Level::baseline(), Level::new()];
    #[cfg(target_arch = "x86_64")]
    levels.extend(Level::new().as_sse4_2().map(Simd::level));
    #[cfg(target_arch = "x86_64")]
    levels.extend(Level::new().as_avx2().map(Simd::level));
    levels
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn agrees<S: Simd>(simd: S, a: [f64; WIDTH], b: [f64; WIDTH]) {
        let (x, y) = (Lanes::new(simd, a), Lanes::new(simd, b));
        let per_lane =
            |f: fn(f64, f64) -> f64| -> [f64; WIDTH] { std::array::from_fn(|k| f(a[k], b[k])) };
        assert_eq!((x + y).to_array(), per_lane(|a, b| a + b));
        assert_eq!((x - y).to_array(), per_lane(|a, b| a - b));
        assert_eq!((x * y).to_array(), per_lane(|a, b| a * b));
        assert_eq!((x / y).to_array(), per_lane(|a, b| a / b));
        assert_eq!(x.abs().sqrt().to_array(), per_lane(|a, _| a.abs().sqrt()));
        assert_eq!(x.floor().to_array(), per_lane(|a, _| a.floor()));
        assert_eq!(x.min(y).to_array(), per_lane(f64::min));
        assert_eq!(x.max(y).to_array(), per_lane(f64::max));
        assert_eq!((-x).to_array(), per_lane(|a, _| -a));
        let lesser = per_lane(|a, b| if a < b { 1.0 } else { 2.0 });
        assert_eq!(x.lt(y).select(1.0, 2.0).to_array(), lesser);
        let bits = x.gt(y).to_bits();
        assert_eq!(LaneMask::from_bits(simd, bits).to_bits(), bits);
        let nan = Lanes::new(simd, f64::NAN);
        assert_eq!(nan.min(x).to_array(), a);
        assert_eq!(nan.max(x).to_array(), a);
        assert!(x.min(nan).max(nan).to_array().into_iter().all(f64::is_nan));
        let zeros = (Lanes::new(simd, 0.0), Lanes::new(simd, -0.0));
        assert!(zeros.0.min(zeros.1).to_array()[0].is_sign_negative());
        assert!(zeros.0.max(zeros.1).to_array()[0].is_sign_negative());
    }

    proptest! {
        #[test]
        fn lanes_hold_the_bits_of_single_numbers(
            a in prop::array::uniform4(-1e3..1e3), b in prop::array::uniform4(-1e3..1e3),
        ) {
            for level in levels() {
                dispatch!(level, simd => agrees(simd, a, b));
            }
        }
    }

    #[test]
    fn sums_in_pairs() {
        dispatch!(Level::new(), simd => {
            let lanes = Lanes::new(simd, [1.0, 1e16, -1.0, -1e16]);
            assert_eq!(lanes.sum(), 0.0);
            assert_eq!(lanes.max_lane(), 1e16);
        });
    }
}
