//! Bearing of soil that a wheel pushes ahead or aside instead of compacting it.
//!
//! Bekker's curve gives the bearing of soil that was compacted from its surface. Soil in front of a
//! side wall or of a skidding wheel moves ahead and heaps before the face. So a part of the depth
//! at which the wheel then rests was never compacted. Three rules follow:
//!
//! - The curve starts at the depth to which soil was pushed away.
//! - Where a footing at that depth bears more, the footing counts (K. Terzaghi, *Theoretical Soil
//!   Mechanics*, Wiley 1943: c N_c + γ z N_q, with the factors of Prandtl 1921 and Reissner 1924).
//! - The result never exceeds the bearing of soil that was compacted all the way.
//!
//! A layer below stays in place, and its bearing is added. This combination is bekker's; no
//! parameter in it was fitted.

use super::DeformableSoil;
use bekker_math::numeric::{Lanes, Simd, exp, tan};
use std::f64::consts::{FRAC_PI_4, PI};

/// Bearing capacity of a footing at a depth below the surface: c N_c + γ z N_q.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeepFooting {
    /// c N_c, Pa.
    cohesive: f64,
    /// γ N_q, Pa/m.
    overburden: f64,
}

impl DeepFooting {
    /// Returns the footing in a soil under `gravity`, m/s²; `None` without a density, because the overburden is then
    /// unknown.
    pub fn from_soil(soil: &DeformableSoil, gravity: f64) -> Option<DeepFooting> {
        let weight = soil.details.density? * gravity;
        let friction = tan(soil.friction_angle);
        let passive = tan(FRAC_PI_4 + 0.5 * soil.friction_angle);
        let n_q = exp(PI * friction) * passive * passive;
        // Prandtl's 2 + π is the limit without friction
        let n_c = if friction > 1e-6 { (n_q - 1.0) / friction } else { 2.0 + PI };
        Some(DeepFooting { cohesive: soil.cohesion * n_c, overburden: weight * n_q })
    }

    /// Returns the pressure at `depth` m, Pa.
    #[inline(always)]
    pub fn pressure<S: Simd>(&self, depth: Lanes<S>) -> Lanes<S> {
        self.cohesive + self.overburden * depth
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soil::Details;
    use bekker_math::numeric::{GRAVITY, Level, dispatch};

    fn soil(friction_angle_deg: f64, cohesion: f64, density: Option<f64>) -> DeformableSoil {
        DeformableSoil {
            k_phi: 1e6,
            k_c: 0.0,
            n: 1.0,
            cohesion,
            friction_angle: f64::to_radians(friction_angle_deg),
            shear_modulus: 0.02,
            elastic_stiffness: 1e8,
            damping: 0.0,
            bulldozing: None,
            details: Details { density, ..Details::default() },
        }
    }

    fn pressure(soil: &DeformableSoil, depth: f64) -> f64 {
        let footing = DeepFooting::from_soil(soil, GRAVITY).unwrap();
        dispatch!(Level::baseline(), simd => footing.pressure(Lanes::new(simd, depth)).to_array()[0])
    }

    // Textbook table of bearing capacity factors, to its three digits: N_q 18.4 and N_c 30.1 at 30
    // degrees, 6.40 and 14.8 at 20, 1 and 5.14 at 0.
    #[test]
    fn factors_are_those_of_the_table() {
        for (angle, n_q, n_c) in [(30.0, 18.4, 30.1), (20.0, 6.40, 14.8), (0.0, 1.0, 5.14)] {
            let weightless = pressure(&soil(angle, 1e3, Some(1600.0)), 0.0);
            assert!((weightless / (1e3 * n_c) - 1.0).abs() < 4e-3, "{angle}: {weightless}");
            let loose = pressure(&soil(angle, 0.0, Some(1600.0)), 0.1);
            assert!(
                (loose / (1600.0 * GRAVITY * 0.1 * n_q) - 1.0).abs() < 4e-3,
                "{angle}: {loose}"
            );
        }
        assert_eq!(DeepFooting::from_soil(&soil(30.0, 0.0, None), GRAVITY), None);
    }
}
