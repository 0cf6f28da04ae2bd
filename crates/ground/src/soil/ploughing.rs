//! Soil that a wheel pushes ahead or aside instead of pressing it down.
//!
//! Bekker's curve says what soil bears that has been pressed from its surface on. What a side
//! wall meets, or the front of a wheel that skids, goes ahead and heaps before the face: of the
//! depth at which the wheel then stands that part was never pressed. So the curve counts from
//! the depth to which soil was pushed away; where that bears less than a footing at that depth
//! (K. Terzaghi, *Theoretical Soil Mechanics*, Wiley 1943: c N_c + γ z N_q, with the factors of
//! Prandtl 1921 and Reissner 1924), the footing counts; and never more than soil that was
//! pressed all the way. A layer below stays where it is: what it bears is added. That the parts are so divided is ours; no figure in it was fitted.

use super::Yielding;
use bekker_math::numeric::{GRAVITY, Lanes, Simd, exp, tan};
use std::f64::consts::{FRAC_PI_4, PI};

/// What bears a footing at a depth below the surface: c N_c + γ z N_q.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeepFooting {
    /// c N_c, Pa.
    cohesive: f64,
    /// γ N_q, Pa/m.
    overburden: f64,
}

impl DeepFooting {
    /// In a soil that states its density; without it nobody knows what lies on the soil.
    pub fn of_soil(soil: &Yielding) -> Option<DeepFooting> {
        let weight = soil.details.density? * GRAVITY;
        let friction = tan(soil.friction_angle);
        let passive = tan(FRAC_PI_4 + 0.5 * soil.friction_angle);
        let n_q = exp(PI * friction) * passive * passive;
        // Prandtl's 2 + π is the limit without friction
        let n_c = if friction > 1e-6 { (n_q - 1.0) / friction } else { 2.0 + PI };
        Some(DeepFooting { cohesive: soil.cohesion * n_c, overburden: weight * n_q })
    }

    /// Pressure at `depth` m, Pa.
    #[inline(always)]
    pub fn pressure<S: Simd>(&self, depth: Lanes<S>) -> Lanes<S> {
        self.cohesive + self.overburden * depth
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soil::Details;
    use bekker_math::numeric::{Level, dispatch};

    fn soil(friction_angle_deg: f64, cohesion: f64, density: Option<f64>) -> Yielding {
        Yielding {
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

    fn pressure(soil: &Yielding, depth: f64) -> f64 {
        let footing = DeepFooting::of_soil(soil).unwrap();
        dispatch!(Level::baseline(), simd => footing.pressure(Lanes::of(simd, depth)).numbers()[0])
    }

    // The table of bearing capacity factors in any textbook, to its three figures:
    // N_q 18.4 and N_c 30.1 at 30 degrees, 6.40 and 14.8 at 20, 1 and 5.14 at 0.
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
        assert_eq!(DeepFooting::of_soil(&soil(30.0, 0.0, None)), None);
    }
}
