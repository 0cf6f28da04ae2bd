//! Shallow snow over ground that does not give way.

use super::{Details, SubLayer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Shallow snow: under a wheel it packs to a final density and then bears as the frozen ground
/// below it. Sinkage by packing is h (1 - ρ/ρ_f) (CRREL report 95-7, its equation 1), for snow that stays in
/// the track; a part of it leaves (is thrown, sheared off at the wheel's edges, carried away), and the layer that
/// is left is h (1 - (1 - f) ρ/ρ_f) deep.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SnowCover {
    /// Depth h of the undisturbed snow, m.
    #[schemars(range(max = 10.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
    pub depth: f64,
    /// Its density ρ, kg/m³.
    #[schemars(range(max = 900.0), extend("exclusiveMinimum" = 0.0, "unit" = "kg/m3"))]
    pub density: f64,
    /// Density ρ_f to which it packs, kg/m³: 500 under up to 210 kPa, 550 above, 600 above
    /// 350, 650 above 700 (CRREL report 95-7).
    #[schemars(range(max = 917.0), extend("exclusiveMinimum" = 0.0, "unit" = "kg/m3"))]
    #[serde(default = "packed")]
    pub packed_density: f64,
    /// Share f of the snow that leaves the track; nothing, unless given. 0.42 meets the 27 rows of
    /// CRREL TR-01-16, table 11 (a wheel 0.235 m wide in 13 to 22 cm), to which it was fitted.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[serde(default)]
    pub share_leaving: f64,
}

fn packed() -> f64 {
    550.0
}

impl SnowCover {
    /// The ground below it, from the depth on at which the snow is packed.
    pub fn ground_below(&self) -> SubLayer {
        let depth = self.depth * (1.0 - self.packs_to().unwrap_or(1.0));
        SubLayer { depth, ..SubLayer::FROZEN }
    }

    /// Part of its depth that is left of it when packed; none where it packs no further.
    pub fn packs_to(&self) -> Option<f64> {
        let left = (1.0 - self.share_leaving) * self.density / self.packed_density;
        Some(left).filter(|left| *left < 1.0)
    }

    /// Lays it on frozen ground, as far as soils know of it.
    pub fn lay(&self, details: &mut Details) {
        details.below = Some(self.ground_below());
        details.packs_to = self.packs_to().unwrap_or(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // CRREL 95-1, table A5: the rut of an M113 in 15 cm of 200 kg/m³ is 9 cm, by 500 kg/m³.
    #[test]
    fn snow_that_stays_packs_as_crrel_has_it() {
        let cover =
            SnowCover { depth: 0.15, density: 200.0, packed_density: 500.0, share_leaving: 0.0 };
        assert!((cover.ground_below().depth - 0.09).abs() < 1e-12);
        let all = SnowCover { share_leaving: 1.0, ..cover };
        assert_eq!(all.ground_below().depth, 0.15);
        let dense = SnowCover { density: 800.0, ..cover };
        assert_eq!(dense.ground_below().depth, 0.0);
    }
}
