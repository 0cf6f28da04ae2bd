//! Heights of trees.
//!
//! Height over diameter at breast height has the form of Curtis and Arney, H = 4.5 + P2 exp(-P3
//! D^P4) (ft, in). The coefficients are those of loblolly pine and white oak in the Southern
//! variant of the US Forest Service's Forest Vegetation Simulator, fitted to trees in stands.
//! Source: Keyser 2008, revised 2018, equation 4.1.1 and its table.
//!
//! Assumptions: pecan and magnolia use the coefficients of white oak, because theirs were not
//! available. Heights scatter by ±15 % around the curve. Crowns have the width of the drawn models,
//! 2.6 to 5 m at a height of 20 m, without an allometric law.

use crate::config::Species;
use bekker_agent::PropKind;
use bekker_math::numeric::{exp, pow};

/// Height of the drawn tree models at scale 1, m.
pub(super) const DRAWN: f64 = 20.0;
const FOOT: f64 = 0.3048;
const INCH: f64 = 0.0254;

/// Height of a tree, m, from its diameter at breast height, m.
pub(super) fn height(species: Species, diameter: f64) -> f64 {
    let [p2, p3, p4] = match species {
        Species::Pine => [243.860_648, 4.284_605_66, -0.471_301_85],
        Species::Oak | Species::Pecan | Species::Magnolia => {
            [170.133_078_7, 3.278_158_66, -0.487_442_14]
        }
    };
    FOOT * (4.5 + p2 * exp(-p3 * pow(diameter / INCH, p4)))
}

/// Ratio of a tree's height to the curve, from a random number from 0 to 1.
pub(super) fn scatter(uniform: f64) -> f64 {
    0.85 + 0.3 * uniform
}

/// The drawn model of a species.
pub(super) fn kind(species: Species) -> PropKind {
    match species {
        Species::Oak => PropKind::WhiteOak,
        Species::Pine => PropKind::Pine,
        Species::Pecan => PropKind::Pecan,
        Species::Magnolia => PropKind::Magnolia,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_are_those_of_the_curve_by_hand() {
        // 12 in: 12^-0.48744214 = 0.297825, 170.133 exp(-3.27816 x 0.297825) = 64.09, + 4.5 ft
        assert!((height(Species::Oak, 12.0 * INCH) - 68.59 * FOOT).abs() < 0.005);
        // 12^-0.47130185 = 0.310013, 243.861 exp(-4.28461 x 0.310013) = 64.61, + 4.5 ft
        assert!((height(Species::Pine, 12.0 * INCH) - 69.11 * FOOT).abs() < 0.005);
    }
}
