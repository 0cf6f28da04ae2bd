//! Bound on the growth of ruts with repeated passes: n^(1/a).
//!
//! Repeated passes of a wheel deepen a rut as z_n = z_1 n^(1/a), where a is 2 to 3 in loose soil, 3
//! to 4 in medium, 4 to 5 in firm (M. Saarilahti 1991, after Abebe, as in a forestry code).
//!
//! Bekker's columns reproduce that by themselves where pressure grows with depth: a rut bears only
//! the part of the wheel that reaches beyond its floor, so every pass sinks a little. Where
//! pressure hardly grows (n of 0.1 to 0.3: wet clay), each pass sinks nearly as far as the first.
//! Soil that wheels have passed over then yields at a higher pressure: that at which Bekker's towed
//! wheel, for small angles, would be in equilibrium at z_1 n^(1/a).
//!
//! Bekker's wheel is rigid. A tire that flattens stays near the range by itself (n^0.17 to n^0.56
//! over ten wheels, docs/soil_laws.md).

use super::DeformableSoil;
use bekker_math::numeric::{cos, pow, sin};
use std::f64::consts::FRAC_PI_2;

/// Number of passes after which soil hardens no further.
const PASSES: usize = 128;
/// a of the loosest soils, used where a soil does not specify it.
const LOOSEST: f64 = 2.0;

/// Factors on a soil's virgin pressure, by the number of passes over a spot.
#[derive(Clone, Debug, PartialEq)]
pub struct MultiPass {
    factors: Vec<f64>,
}

impl MultiPass {
    /// Returns the factors of a soil, with a from its `multi_pass` or 2.
    pub fn from_soil(soil: &DeformableSoil) -> MultiPass {
        let growth = 1.0 / soil.details.multi_pass.unwrap_or(LOOSEST);
        let factors = (0..=PASSES).map(|passes| hardening(soil.n, growth, passes).max(1.0));
        MultiPass { factors: factors.collect() }
    }

    /// Returns the factor after a number of passes.
    #[inline(always)]
    pub fn factor(&self, passes: u16) -> f64 {
        self.factors[usize::from(passes).min(PASSES)]
    }
}

/// Returns the factor for which the rut of a towed wheel grows as n^`growth` in a soil of exponent
/// `n`, after a number of `passes`.
///
/// The load b k √(2R) z^n √δ ∫ (1 - δ/z u²)^n du must remain that of the first pass, where δ = z.
/// Here δ is the increase of the depth z in a pass.
fn hardening(n: f64, growth: f64, passes: usize) -> f64 {
    let [before, now] = [passes, passes + 1].map(|k| pow(k as f64, growth));
    carried(n, 1.0, 1.0) / carried(n, now, now - before)
}

/// Returns √δ ∫ (z - δ u²)^n du from 0 to 1, by Simpson's rule over u = sin t, which removes the
/// root at the end of the interval.
fn carried(n: f64, depth: f64, added: f64) -> f64 {
    let count = 64;
    let step = FRAC_PI_2 / count as f64;
    let at = |k: usize| {
        let t = k as f64 * step;
        let u = sin(t);
        pow((depth - added * u * u).max(0.0), n) * cos(t).max(0.0)
    };
    let weight = |k: usize| match k {
        k if k == 0 || k == count => 1.0,
        k if k % 2 == 1 => 4.0,
        _ => 2.0,
    };
    let sum: f64 = (0..=count).map(|k| weight(k) * at(k)).sum();
    added.sqrt() * sum * step / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    // ∫ (1 - u²) du = 2/3, ∫ (1 - u²)² du = 8/15
    #[test]
    fn the_integral_is_that_of_the_parabola() {
        assert!((carried(1.0, 1.0, 1.0) / (2.0 / 3.0) - 1.0).abs() < 1e-6);
        assert!((carried(2.0, 1.0, 1.0) / (8.0 / 15.0) - 1.0).abs() < 1e-6);
        // 0.5 (2 - 0.25/3) for z = 2, δ = 1/4, n = 1
        assert!((carried(1.0, 2.0, 0.25) / (0.5 * (2.0 - 0.25 / 3.0)) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn the_first_pass_is_bekker_s_and_plastic_soil_hardens_as_worked_by_hand() {
        for n in [0.1, 0.5, 1.1] {
            assert_eq!(hardening(n, 0.5, 0), 1.0);
        }
        // n = 0: the second pass adds δ = √2 - 1, and its pressure is that of the first over √δ
        let by_hand = 1.0 / (2_f64.sqrt() - 1.0).sqrt();
        assert!((hardening(0.0, 0.5, 1) / by_hand - 1.0).abs() < 1e-9);
        // pressure that grows with depth needs no factor: columns grow more slowly than n^(1/2)
        assert!(hardening(1.1, 0.5, 1) < 1.0 && hardening(1.1, 0.5, 9) < 1.0);
    }
}
