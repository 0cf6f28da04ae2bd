//! Shear stress over shear displacement: Janosi–Hanamoto below the Mohr–Coulomb limit.
//!
//! τ = (c + σ tan φ) (1 - exp(-j / K)) (Z. Janosi and B. Hanamoto, 1961).

use super::DeformableSoil;
use bekker_math::numeric::{Lanes, Simd, atan2, fast_exp, tan};
use serde::{Deserialize, Serialize};

/// Angle of friction of metal on soil over that of the soil itself, as for the faces of the passive
/// wedges.
const METAL_FRICTION: f64 = 2.0 / 3.0;

/// Shear strength of a surface that slides in or on soil, and the displacement that mobilizes it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShearStrength {
    /// Cohesion or adhesion, Pa.
    pub cohesion: f64,
    /// Tangent of the angle of friction.
    pub friction: f64,
    /// Janosi's modulus K, m.
    pub modulus: f64,
}

impl ShearStrength {
    /// Returns the internal strength of the soil.
    pub fn from_soil(soil: &DeformableSoil) -> ShearStrength {
        ShearStrength {
            cohesion: soil.cohesion,
            friction: tan(soil.friction_angle),
            modulus: soil.shear_modulus,
        }
    }

    /// Returns the strength between the soil and metal, which has no adhesion.
    pub fn of_metal_on(soil: &DeformableSoil) -> ShearStrength {
        ShearStrength {
            cohesion: 0.0,
            friction: tan(METAL_FRICTION * soil.friction_angle),
            modulus: soil.shear_modulus,
        }
    }

    /// Returns the shear stress at `pressure` Pa after `displacement` m, Pa.
    #[inline]
    pub fn stress(&self, pressure: f64, displacement: f64) -> f64 {
        let mobilized = 1.0 - fast_exp(displacement * (-1.0 / self.modulus));
        (self.cohesion + pressure * self.friction) * mobilized
    }

    /// Returns [`ShearStrength::stress`] at four spots, bit-identical.
    #[inline(always)]
    pub fn stress_lanes<S: Simd>(&self, pressure: Lanes<S>, displacement: Lanes<S>) -> Lanes<S> {
        let mobilized = 1.0 - (displacement * (-1.0 / self.modulus)).fast_exp();
        (self.cohesion + pressure * self.friction) * mobilized
    }
}

/// Interface of a tread with soil: part of its area shears soil against soil, the rest slides
/// rubber on soil.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tread {
    /// Fraction of the area on which rubber slides on soil, 0..1.
    pub rubber_share: f64,
    /// Strength between rubber and soil.
    pub rubber: ShearStrength,
    /// Whether metal slides on the soil instead of rubber.
    #[serde(default)]
    pub is_metal: bool,
    /// Shear on the sides of soil that lugs hold, over that on its base: of cohesion, of friction.
    #[serde(default)]
    pub side_shear: [f64; 2],
}

impl Tread {
    /// Returns a tread that shears soil against soil everywhere.
    pub fn rough() -> Tread {
        Tread {
            rubber_share: 0.0,
            rubber: ShearStrength { cohesion: 0.0, friction: 0.0, modulus: 1.0 },
            is_metal: false,
            side_shear: [0.0; 2],
        }
    }

    /// Returns a rim of metal that slides on soil everywhere.
    pub fn metal() -> Tread {
        Tread { rubber_share: 1.0, is_metal: true, ..Tread::rough() }
    }

    /// Returns the tread on a soil that has this strength against metal.
    #[inline(always)]
    pub(crate) fn on_soil(&self, metal: &ShearStrength) -> Tread {
        Tread { rubber: if self.is_metal { *metal } else { self.rubber }, ..*self }
    }

    /// Returns the tread with lugs `height` m high across a wheel `width` m wide, which hold the
    /// soil between them on the fraction `held` of the tread.
    ///
    /// It shears on other soil at the tips and at both ends of the lugs. The shear at the ends adds
    /// 2 h/b of the cohesion and 0.64 (h/b) acot(h/b) of the friction to that at the tips (M. G.
    /// Bekker, *Theory of Land Locomotion*, 1956, for spuds of height h on a track of width b; J. Y.
    /// Wong, *Theory of Ground Vehicles*, 2008, ch. 2).
    pub fn with_lugs(self, height: f64, width: f64, held: f64) -> Tread {
        let slender = height / width;
        let side_shear = [2.0 * slender * held, 0.64 * slender * atan2(1.0, slender) * held];
        Tread { rubber_share: self.rubber_share * (1.0 - held), side_shear, ..self }
    }

    /// Returns the strength of soil under the tread, with that at the ends of the lugs.
    #[inline(always)]
    pub(super) fn with_sides(&self, soil: &ShearStrength) -> ShearStrength {
        let [cohesion, friction] = self.side_shear;
        ShearStrength {
            cohesion: soil.cohesion * (1.0 + cohesion),
            friction: soil.friction * (1.0 + friction),
            modulus: soil.modulus,
        }
    }

    /// Returns the strengths under the tread at `pressure` Pa, Pa.
    #[inline(always)]
    pub fn strength_lanes<S: Simd>(&self, soil: &ShearStrength, pressure: Lanes<S>) -> Lanes<S> {
        let soil = self.with_sides(soil);
        self.strength_on(soil.cohesion + pressure * soil.friction, pressure)
    }

    /// Returns the strengths under the tread at `pressure` Pa, given the soil's own strengths
    /// `soil`, Pa.
    #[inline(always)]
    pub(super) fn strength_on<S: Simd>(&self, soil: Lanes<S>, pressure: Lanes<S>) -> Lanes<S> {
        let rubber = self.rubber.cohesion + pressure * self.rubber.friction;
        (1.0 - self.rubber_share) * soil + self.rubber_share * rubber
    }

    /// Returns the displacement that mobilizes the strength, m: the mean of soil and rubber by
    /// area, for laws with one shear displacement for both.
    #[inline]
    pub fn modulus(&self, soil: &ShearStrength) -> f64 {
        (1.0 - self.rubber_share) * soil.modulus + self.rubber_share * self.rubber.modulus
    }

    /// Returns the shear stress under the tread, Pa.
    #[inline]
    pub fn stress(&self, soil: &ShearStrength, pressure: f64, displacement: f64) -> f64 {
        let soil_stress = self.with_sides(soil).stress(pressure, displacement);
        if self.rubber_share == 0.0 {
            return soil_stress;
        }
        let rubber = self.rubber.stress(pressure, displacement);
        (1.0 - self.rubber_share) * soil_stress + self.rubber_share * rubber
    }

    /// Returns [`Tread::stress`] at four spots, bit-identical.
    #[inline(always)]
    pub fn stress_lanes<S: Simd>(
        &self,
        soil: &ShearStrength,
        pressure: Lanes<S>,
        displacement: Lanes<S>,
    ) -> Lanes<S> {
        let soil_stress = self.with_sides(soil).stress_lanes(pressure, displacement);
        if self.rubber_share == 0.0 {
            return soil_stress;
        }
        let rubber = self.rubber.stress_lanes(pressure, displacement);
        (1.0 - self.rubber_share) * soil_stress + self.rubber_share * rubber
    }
}

#[cfg(test)]
mod tests {
    use super::super::SoilKind;
    use super::super::catalog::catalog;
    use super::*;

    #[test]
    fn metal_has_two_thirds_of_the_soils_angle_of_friction() {
        let soil = catalog().find("dry_sand_lll").unwrap().to_soil().kind;
        let SoilKind::Deformable(soil) = soil else { panic!() };
        let soil = DeformableSoil { friction_angle: 30_f64.to_radians(), cohesion: 2e3, ..soil };
        let metal = ShearStrength::of_metal_on(&soil);
        let stress = |tread: Tread| {
            tread.on_soil(&metal).stress(&ShearStrength::from_soil(&soil), 50e3, 1e3)
        };
        assert!((stress(Tread::metal()) / (50e3 * 20_f64.to_radians().tan()) - 1.0).abs() < 1e-12);
        assert_eq!(Tread::rough().on_soil(&metal), Tread::rough());
        // soil that lugs hold on half of the rim shears on soil
        let half = Tread::metal().with_lugs(1e-9, 1.0, 0.5);
        let mean = 0.5 * (stress(Tread::metal()) + stress(Tread::rough()));
        assert!((stress(half) / mean - 1.0).abs() < 1e-6, "{} {mean}", stress(half));
    }

    // Closed form at 50 kPa: LETE sand, c 1.3 kPa, φ 31.1°, K 12 mm.
    #[test]
    fn follows_the_janosi_curve() {
        let lete = ShearStrength {
            cohesion: 1300.0,
            friction: tan(31.1_f64.to_radians()),
            modulus: 0.012,
        };
        let table = [
            (0.001, 2515.6),
            (0.002, 4830.0),
            (0.005, 10721.0),
            (0.01, 17789.0),
            (0.02, 25520.0),
            (0.05, 30974.0),
            (0.1, 31454.0),
        ];
        for (j, tau) in table {
            // the table has five digits
            assert!((lete.stress(5e4, j) / tau - 1.0).abs() < 3e-5, "at {j}");
        }
    }

    #[test]
    fn mixes_rubber_and_soil_by_area() {
        let soil = ShearStrength { cohesion: 0.0, friction: 0.5, modulus: 0.01 };
        let rubber = ShearStrength { cohesion: 0.0, friction: 0.9, modulus: 0.005 };
        let tread = Tread { rubber_share: 0.25, rubber, ..Tread::rough() };
        let expected = 0.75 * soil.stress(1e4, 1.0) + 0.25 * rubber.stress(1e4, 1.0);
        assert!((tread.stress(&soil, 1e4, 1.0) - expected).abs() < 1e-9);
        assert_eq!(Tread::rough().stress(&soil, 1e4, 0.02), soil.stress(1e4, 0.02));
    }
}
