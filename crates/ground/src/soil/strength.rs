//! Scaling of a soil's strength by one factor.

use super::step_limit::STIFFEST;
use super::{DeformableSoil, Soil, SoilKind};
use bekker_math::numeric::{atan, pow, tan};

/// Exponent of bearing over shear strength: Wong's pairs of one soil at two moistures (WES heavy
/// and lean clay, Hanamoto's loam) have 1.8 to 2.0.
const BEARING_OVER_SHEAR: f64 = 1.9;

impl DeformableSoil {
    /// Returns the soil with its shear strength scaled by a factor ρ.
    ///
    /// c and tan φ are multiplied by ρ, k_c and k_φ by ρ^1.9. Reece's moduli are scaled so that
    /// their products with c and γ follow the same power, and so is a crust. The stiffness of
    /// unloading grows with the moduli, so that a stronger soil does not rebound further than it
    /// was pressed; it is unchanged where the moduli decrease. ρ = 1 changes no bit.
    ///
    /// The rule is bekker's, from three pairs of moistures. It does not cover n and K, which are
    /// unchanged.
    pub fn with_strength(&self, strength: f64) -> DeformableSoil {
        if strength == 1.0 {
            return self.clone();
        }
        let bearing = pow(strength, BEARING_OVER_SHEAR);
        let mut soil = DeformableSoil {
            k_phi: self.k_phi * bearing,
            k_c: self.k_c * bearing,
            cohesion: self.cohesion * strength,
            friction_angle: atan(tan(self.friction_angle) * strength),
            elastic_stiffness: (self.elastic_stiffness * bearing.max(1.0))
                .min(self.elastic_stiffness.max(STIFFEST)),
            ..self.clone()
        };
        if let Some(reece) = &mut soil.details.reece {
            reece.cohesive *= bearing / strength;
            reece.frictional *= bearing;
        }
        if let Some(crust) = &mut soil.details.crust {
            crust.strength *= bearing;
        }
        soil
    }
}

impl Soil {
    /// Returns [`DeformableSoil::with_strength`]; firm ground is unchanged.
    pub fn with_strength(&self, strength: f64) -> Soil {
        let kind = match &self.kind {
            SoilKind::Firm { friction } => SoilKind::Firm { friction: *friction },
            SoilKind::Deformable(yielding) => {
                SoilKind::Deformable(yielding.with_strength(strength))
            }
        };
        Soil { kind, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soil::catalog;

    #[test]
    fn shear_and_bearing_follow_their_powers() {
        let soil = catalog().find("lean_clay_22_wes").unwrap().to_soil();
        let SoilKind::Deformable(own) = &soil.kind else { unreachable!() };
        let half = own.with_strength(0.5);
        assert_eq!(half.cohesion, 0.5 * own.cohesion);
        assert!((half.friction_angle.tan() / own.friction_angle.tan() - 0.5).abs() < 1e-14);
        // 0.5^1.9
        assert!((half.k_phi / own.k_phi - 0.267_943_365_634).abs() < 1e-12);
        assert_eq!(half.elastic_stiffness, own.elastic_stiffness);
        assert!(own.with_strength(2.0).elastic_stiffness > 3.7 * own.elastic_stiffness);
        assert_eq!(&own.with_strength(1.0), own);
    }
}
