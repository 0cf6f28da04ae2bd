//! Shallow snow over ground that does not deform.

use super::{Details, SubLayer};
use bekker_math::numeric::pow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Shallow snow over ground that does not deform. Under a wheel it packs to a final density and
/// then bears like the frozen ground below it. For snow that stays in the track, the sinkage by
/// packing is h (1 - ρ/ρ_f) (CRREL report 95-7, equation 1). A share f of the snow leaves the
/// track: it is thrown, sheared off at the wheel's edges or carried away. The sinkage is then h (1
/// - (1 - f) ρ/ρ_f).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SnowCover {
    /// Depth h of the undisturbed snow, m.
    #[schemars(range(max = 10.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
    pub depth: f64,
    /// Density ρ of the undisturbed snow, kg/m³.
    #[schemars(range(max = 900.0), extend("exclusiveMinimum" = 0.0, "unit" = "kg/m3"))]
    pub density: f64,
    /// Density ρ_f to which the snow packs, kg/m³: 500 under up to 210 kPa, 550 above that, 600
    /// above 350 kPa, 650 above 700 kPa (CRREL report 95-7).
    #[schemars(range(max = 917.0), extend("exclusiveMinimum" = 0.0, "unit" = "kg/m3"))]
    #[serde(default = "packed")]
    pub packed_density: f64,
    /// Share f of the snow that leaves the track; none by default. A value of 0.42 reproduces the
    /// 27 rows of CRREL TR-01-16, table 11 (a wheel 0.235 m wide in 13 to 22 cm of snow), to which
    /// it was fitted.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[serde(default)]
    pub share_leaving: f64,
    /// Crushing pressure, Pa. Where absent, it is 22 kPa (ρ/200 kg/m³)^1.26. It replaces `k_phi`,
    /// `k_c` and `n` of `based_on`. A soil that sets one of these itself keeps its own value.
    #[schemars(range(max = 1e6), extend("exclusiveMinimum" = 0.0, "unit" = "Pa"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crushing_pressure: Option<f64>,
    /// Motion resistance over its load of the second wheel in a rut, from snow that falls back.
    /// Later wheels have 0.52 of it. In snow deeper than 0.22 m it grows with the depth. The default
    /// is that of CRREL report 95-7, equation 8, 0.0475, less the compaction of packed snow.
    #[schemars(range(min = 0.0, max = 0.5))]
    #[serde(default = "trailing")]
    pub trailing_resistance: f64,
}

fn packed() -> f64 {
    550.0
}

fn trailing() -> f64 {
    TRAILING
}

/// Resistance of the second wheel in a rut over its load, without that of compaction.
///
/// CRREL's total is 0.0475, and 0.0246 for the third (report 95-7, equation 8, 0.0475 h_r L2 +
/// 0.0246 h_r L3 with h_r = 1, or h/0.22 m in deeper snow). The packed snow of a rut takes 0.008 to
/// 0.021 of the load of a rigid wheel, in 13 to 20 cm of snow of 160 to 220 kg/m³.
const TRAILING: f64 = 0.035;
/// Depth of snow up to which h_r is 1, m.
const SHALLOW: f64 = 0.22;

/// Crushing pressure of snow of 200 kg/m³, Pa.
///
/// It was fitted, with the rigid wheel of the rig, to CRREL's resistance of a leading wheel in 13
/// to 22 cm of snow of 110 to 400 kg/m³, 13.6 (ρ w a)^1.26 N (report 95-7, equation 8).
const CRUSHING: f64 = 22e3;
/// Density of that snow, kg/m³.
const REFERENCE_DENSITY: f64 = 200.0;
/// Power of the density in that equation.
const GROWTH: f64 = 1.26;
/// Exponent n of the pressure's growth with sinkage: almost zero, but it gives the solver a slope.
const EXPONENT: f64 = 0.05;

impl SnowCover {
    /// Crushing pressure, Pa.
    pub fn crushing(&self) -> f64 {
        let by_density = || CRUSHING * pow(self.density / REFERENCE_DENSITY, GROWTH);
        self.crushing_pressure.unwrap_or_else(by_density)
    }

    /// Bekker's k_phi, k_c and n of the snow above the ground: p (z / 1 m)^0.05, where p is the
    /// crushing pressure.
    pub fn pressure_sinkage(&self) -> [f64; 3] {
        [self.crushing(), 0.0, EXPONENT]
    }

    /// Ground below the snow, from the depth on at which the snow is packed.
    pub fn ground_below(&self) -> SubLayer {
        let depth = self.depth * (1.0 - self.packed_share().unwrap_or(1.0));
        SubLayer { depth, ..SubLayer::FROZEN }
    }

    /// Share of its depth that remains of the snow when packed; `None` if it packs no further.
    pub fn packed_share(&self) -> Option<f64> {
        let left = (1.0 - self.share_leaving) * self.density / self.packed_density;
        Some(left).filter(|left| *left < 1.0)
    }

    /// Adds the snow over frozen ground to a soil's details.
    pub fn apply_to(&self, details: &mut Details) {
        details.below = Some(self.ground_below());
        details.packs_to = self.packed_share().unwrap_or(0.0);
        // packed snow over frozen ground rebounds little: by the elastic stiffness
        (details.reload_stiffness, details.reload_growth) = (None, None);
        let deep = (self.depth / SHALLOW).max(1.0);
        details.trailing_resistance = Some(self.trailing_resistance * deep);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // CRREL 95-1, table A5: the rut of an M113 in 15 cm of 200 kg/m³ is 9 cm, by 500 kg/m³.
    #[test]
    fn snow_that_stays_packs_as_crrel_has_it() {
        let cover = SnowCover {
            depth: 0.15,
            density: 200.0,
            packed_density: 500.0,
            share_leaving: 0.0,
            crushing_pressure: None,
            trailing_resistance: TRAILING,
        };
        assert!((cover.ground_below().depth - 0.09).abs() < 1e-12);
        let all = SnowCover { share_leaving: 1.0, ..cover };
        assert_eq!(all.ground_below().depth, 0.15);
        let dense = SnowCover { density: 800.0, ..cover };
        assert_eq!(dense.ground_below().depth, 0.0);
    }

    #[test]
    fn denser_snow_crushes_at_a_higher_pressure() {
        let at = |density: f64, crushing_pressure: Option<f64>| {
            let (depth, packed_density, share_leaving) = (0.2, 550.0, 0.0);
            SnowCover {
                depth,
                density,
                packed_density,
                share_leaving,
                crushing_pressure,
                trailing_resistance: TRAILING,
            }
        };
        assert_eq!(at(200.0, None).pressure_sinkage(), [22e3, 0.0, 0.05]);
        let ratio = at(400.0, None).crushing() / at(100.0, None).crushing();
        assert!((ratio / 4.0_f64.powf(1.26) - 1.0).abs() < 1e-12, "{ratio}");
        assert_eq!(at(400.0, Some(21e3)).crushing(), 21e3);
    }
}
