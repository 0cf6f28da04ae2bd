//! Rating cone index of soil classes over their moisture, by soil moisture strength prediction
//! (SMSP II).

use bekker_ground::soil::SoilClass;
use bekker_math::numeric::{exp, ln};
use bekker_rig::PSI;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Fine-grained classes of the Unified Soil Classification System (USCS) with a known relation of
/// rating cone index and moisture.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub enum UscsClass {
    /// Fat clay.
    #[serde(rename = "CH")]
    Ch,
    /// Lean clay.
    #[serde(rename = "CL")]
    Cl,
    /// Silty clay.
    #[serde(rename = "CL-ML")]
    ClMl,
    /// Elastic silt.
    #[serde(rename = "MH")]
    Mh,
    /// Silt.
    #[serde(rename = "ML")]
    Ml,
    /// Organic clay or silt of high plasticity.
    #[serde(rename = "OH")]
    Oh,
    /// Organic clay or silt of low plasticity.
    #[serde(rename = "OL")]
    Ol,
    /// Clayey sand.
    #[serde(rename = "SC")]
    Sc,
    /// Silty sand.
    #[serde(rename = "SM")]
    Sm,
}

impl UscsClass {
    /// All classes with a relation.
    pub const ALL: [UscsClass; 9] = [
        UscsClass::Ch,
        UscsClass::Cl,
        UscsClass::ClMl,
        UscsClass::Mh,
        UscsClass::Ml,
        UscsClass::Oh,
        UscsClass::Ol,
        UscsClass::Sc,
        UscsClass::Sm,
    ];

    /// Returns the symbol of the class.
    pub fn symbol(self) -> &'static str {
        match self {
            UscsClass::Ch => "CH",
            UscsClass::Cl => "CL",
            UscsClass::ClMl => "CL-ML",
            UscsClass::Mh => "MH",
            UscsClass::Ml => "ML",
            UscsClass::Oh => "OH",
            UscsClass::Ol => "OL",
            UscsClass::Sc => "SC",
            UscsClass::Sm => "SM",
        }
    }

    /// Returns the median rating cone index at a moisture, a share of the dry mass, in Pa.
    ///
    /// exp(c₁ - c₂ ln w) psi for w percent. Source: P. M. Sullivan and others 1997, in CRREL SR-04-1,
    /// table 5.2.1. Soils scatter about it by a factor of 3.
    pub fn rating_cone_index(self, moisture: f64) -> f64 {
        let by = |[c1, c2]: [f64; 2]| exp(c1 - c2 * ln(100.0 * moisture));
        PSI * match self {
            UscsClass::Ch => SoilClass::Ch.rating_cone_index(moisture),
            UscsClass::Cl => SoilClass::Cl.rating_cone_index(moisture),
            UscsClass::Sc => SoilClass::Sc.rating_cone_index(moisture),
            UscsClass::Sm => SoilClass::Sm.rating_cone_index(moisture),
            UscsClass::ClMl => by([14.236, 3.137]),
            UscsClass::Mh => by([23.641, 5.191]),
            UscsClass::Ml => by([11.936, 2.407]),
            UscsClass::Oh => by([12.189, 1.942]),
            UscsClass::Ol => by([17.399, 3.584]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of CRREL SR-04-1 at 20, 25, 30 and 40 %, psi, computed independently.
    #[test]
    fn indices_are_those_of_the_table() {
        let table = [
            (UscsClass::Ch, [266.0, 145.0, 89.0, 41.0]),
            (UscsClass::Cl, [139.0, 63.0, 33.0, 12.0]),
            (UscsClass::ClMl, [126.0, 63.0, 35.0, 14.0]),
            (UscsClass::Mh, [3262.0, 1024.0, 398.0, 89.0]),
            (UscsClass::Ml, [113.0, 66.0, 42.0, 21.0]),
            (UscsClass::Oh, [585.0, 379.0, 266.0, 152.0]),
            (UscsClass::Ol, [782.0, 352.0, 183.0, 65.0]),
            (UscsClass::Sc, [40.0, 21.0, 12.0, 5.0]),
            (UscsClass::Sm, [40.0, 21.0, 12.0, 5.0]),
        ];
        assert_eq!(table.map(|own| own.0), UscsClass::ALL);
        for (class, indices) in table {
            for (moisture, index) in [0.20, 0.25, 0.30, 0.40].into_iter().zip(indices) {
                let found = class.rating_cone_index(moisture) / PSI;
                // half of the last printed digit
                assert!((found - index).abs() <= 0.5, "{class:?} {moisture}: {found}");
            }
        }
    }
}
