//! Fast powers and exponentials with the same bits everywhere, of one number or of [`Lanes`].
//!
//! The logarithm is an even polynomial in t = (m - 1)/(m + 1), the exponential one of the seventh
//! degree. Each is the best approximation (Chebyshev) over its range among polynomials that are
//! exact at zero. Both use plain IEEE operations. One number takes the same operations as a lane,
//! so that both have the same bits.

use super::lanes::{Lanes, Simd};
use std::f64::consts::{LN_2, LOG2_E, SQRT_2};

const MANTISSA: u64 = (1 << 52) - 1;
const ONE: u64 = 1023 << 52;
/// Adding and subtracting 1.5 x 2^52 rounds to the nearest integer.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// Bound of the exponential's argument, well within the normal numbers.
const LARGEST: f64 = 700.0;

/// Coefficients of (atanh t / t - 1) / t² by powers of t² for |t| up to 3 - 2√2; total error 2e-11.
const ATANH: [f64; 4] =
    [0.33333333277225823, 0.20000060938486, 0.14275408299855774, 0.1166529096912095];
/// Coefficients of (eʳ - 1 - r) / r² by powers of r for |r| up to ln 2 / 2; total error 1.1e-10.
const EXP: [f64; 6] = [
    0.5000000080848782,
    0.16666666756455065,
    0.04166624054209443,
    0.008333286007318842,
    0.0013948592779495662,
    0.0001990758485640314,
];

/// Returns `x` to the power `y` for positive normal `x` and results far from overflow; zero for `x
/// <= 0` and for subnormal `x`.
///
/// The relative error is below 2e-10 (1 + |y|) for x from 1e-9 to 10 (tested), four orders below
/// the uncertainty of a soil parameter. It takes a third of the time of [`pow`](super::pow).
#[inline]
pub fn power(x: f64, y: f64) -> f64 {
    if x < f64::MIN_POSITIVE {
        return 0.0;
    }
    let bits = x.to_bits();
    let mut exponent = (bits >> 52) as i64 - 1023;
    let mut m = f64::from_bits(bits & MANTISSA | ONE);
    if m > SQRT_2 {
        m *= 0.5;
        exponent += 1;
    }
    // ln m = 2 atanh t
    let t = (m - 1.0) / (m + 1.0);
    let (s, s2) = (t * t, t * t * (t * t));
    let series = (1.0 + s * ATANH[0]) + s2 * ((ATANH[1] + s * ATANH[2]) + s2 * ATANH[3]);
    let ln = exponent as f64 * LN_2 + 2.0 * t * series;
    fast_exp(y * ln)
}

/// Returns the natural exponential, with a relative error below 2e-10 (tested). Its argument is
/// clamped to ±700.
#[inline]
pub fn fast_exp(x: f64) -> f64 {
    let x = if x < LARGEST { x } else { LARGEST };
    let x = if x > -LARGEST { x } else { -LARGEST };
    // e^x = 2^whole e^r
    let rounded = x * LOG2_E + ROUND;
    let r = x - (rounded - ROUND) * LN_2;
    let (r2, r4) = (r * r, r * r * (r * r));
    let low = (1.0 + r) + r2 * (EXP[0] + r * EXP[1]);
    let high = (EXP[2] + r * EXP[3]) + r2 * (EXP[4] + r * EXP[5]);
    let scale = f64::from_bits(rounded.to_bits().wrapping_add(1023) << 52);
    scale * (low + r4 * high)
}

impl<S: Simd> Lanes<S> {
    /// Returns [`power`] lane by lane.
    #[inline(always)]
    pub fn power(self, y: f64) -> Lanes<S> {
        let bits = self.bits();
        let m = Lanes::from_bits((bits & MANTISSA) | ONE);
        // the exponent in the last bits of a number near 2^52
        const NEAR: f64 = 4_503_599_627_370_496.0;
        let biased = (bits >> 52) | NEAR.to_bits();
        let exponent = Lanes::from_bits(biased) - (NEAR + 1023.0);
        let upper = m.gt(SQRT_2);
        let m = upper.select(m * 0.5, m);
        let exponent = exponent + upper.select(1.0, 0.0);
        let t = (m - 1.0) / (m + 1.0);
        let (s, s2) = (t * t, t * t * (t * t));
        let series = (1.0 + s * ATANH[0]) + s2 * ((ATANH[1] + s * ATANH[2]) + s2 * ATANH[3]);
        let ln = exponent * LN_2 + 2.0 * t * series;
        self.ge(f64::MIN_POSITIVE).select((y * ln).fast_exp(), 0.0)
    }

    /// Returns [`fast_exp`] lane by lane.
    #[inline(always)]
    pub fn fast_exp(self) -> Lanes<S> {
        let x = self.min(LARGEST).max(-LARGEST);
        let rounded = x * LOG2_E + ROUND;
        let r = x - (rounded - ROUND) * LN_2;
        let (r2, r4) = (r * r, r * r * (r * r));
        let low = (1.0 + r) + r2 * (EXP[0] + r * EXP[1]);
        let high = (EXP[2] + r * EXP[3]) + r2 * (EXP[4] + r * EXP[5]);
        let power = (rounded.bits() + 1023) << 52;
        Lanes::from_bits(power) * (low + r4 * high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::lanes::{WIDTH, dispatch, levels};
    use proptest::prelude::*;

    fn agrees<S: Simd>(simd: S, x: [f64; WIDTH], y: f64, z: f64) {
        let lanes = Lanes::new(simd, x);
        assert_eq!(lanes.power(y).to_array(), x.map(|x| power(x, y)));
        assert_eq!((lanes + z).fast_exp().to_array(), x.map(|x| fast_exp(x + z)));
    }

    proptest! {
        #[test]
        fn agrees_with_the_general_power(exponent in -9.0..1.0, y in 0.0..3.0) {
            let x = crate::numeric::pow(10.0, exponent);
            let exact = crate::numeric::pow(x, y);
            prop_assert!((power(x, y) / exact - 1.0).abs() < 2e-10 * (1.0 + y));
        }

        #[test]
        fn a_lane_has_the_bits_of_one_number(
            x in prop::array::uniform4(-0.1..10.0_f64), y in 0.0..3.0, z in -800.0..800.0,
        ) {
            for level in levels() {
                dispatch!(level, simd => agrees(simd, x, y, z));
            }
        }
    }

    // The polynomial's own error is 1.1e-10; the argument's rounding adds 2^-53 |x|.
    #[test]
    fn the_exponential_agrees_over_its_range() {
        for step in -40_000..=40_000 {
            let x = f64::from(step) * 1e-3;
            let error = fast_exp(x) / crate::numeric::exp(x) - 1.0;
            assert!(error.abs() < 2e-10 + 2.3e-16 * x.abs(), "{x} {error}");
        }
        assert_eq!(fast_exp(0.0), 1.0);
        assert!(fast_exp(-1e9) < 1e-300);
    }

    #[test]
    fn vanishes_at_zero_and_is_exact_at_one() {
        assert_eq!(power(0.0, 1.1), 0.0);
        assert_eq!(power(-1.0, 1.1), 0.0);
        assert_eq!(power(1.0, 0.7), 1.0);
    }
}
