//! A soil weaker or stronger than its figures.

use crate::numeric::{atan, pow, tan};
use crate::scenario::config::CustomSoil;
use crate::soil::{Soil, SoilKind, Yielding};

/// Exponent by which the moduli of sinkage go with the strength in shear: 1.8 to 2.0 in three
/// soils that were measured at two moistures each (docs/maps.md).
const BEARING: f64 = 1.9;
/// Largest angle of internal friction of a soil that is made stronger, rad (50 degrees).
const STEEPEST_FRICTION: f64 = 0.873;

/// Parameters at a strength ρ: cohesion and tan φ times ρ, the moduli of sinkage times ρ^1.9.
pub fn at_strength(figures: &Yielding, strength: f64) -> Yielding {
    let bearing = pow(strength, BEARING);
    let steepest = figures.friction_angle.max(STEEPEST_FRICTION);
    Yielding {
        k_c: figures.k_c * bearing,
        k_phi: figures.k_phi * bearing,
        cohesion: figures.cohesion * strength,
        friction_angle: atan(tan(figures.friction_angle) * strength).min(steepest),
        ..figures.clone()
    }
}

/// A soil of a scenario at a strength, under another name: `given` are its keys where the
/// scenario has it as one of its own. Firm ground has no strength: it stays as it is.
pub(super) fn soil_at_strength(
    soil: &Soil,
    given: Option<&CustomSoil>,
    strength: f64,
    name: &str,
) -> CustomSoil {
    let catalogued =
        || CustomSoil { based_on: Some(soil.name.clone()), ..CustomSoil::default() };
    let keys = CustomSoil { name: name.into(), ..given.cloned().unwrap_or_else(catalogued) };
    let SoilKind::Yielding(figures) = &soil.kind else {
        return match &soil.kind {
            SoilKind::Firm { friction } if given.is_none() => {
                CustomSoil { friction: Some(*friction), based_on: None, ..keys }
            }
            _ => keys,
        };
    };
    if strength == 1.0 {
        return keys;
    }
    let Yielding { k_c, k_phi, cohesion, friction_angle, .. } = at_strength(figures, strength);
    CustomSoil {
        k_c: Some(k_c),
        k_phi: Some(k_phi),
        cohesion: Some(cohesion),
        friction_angle_deg: Some(friction_angle.to_degrees()),
        ..keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soil::catalogue::catalogue;

    #[test]
    fn strength_scales_shear_and_bearing_and_nothing_else() {
        let soil = catalogue().find("lean_clay_22_wes").unwrap().to_soil();
        let SoilKind::Yielding(figures) = soil.kind else { panic!("it yields") };
        let half = at_strength(&figures, 0.5);
        assert_eq!(half.cohesion, 0.5 * figures.cohesion);
        // rounding of tangent and arc tangent
        let tangents = [&half, &figures].map(|own| tan(own.friction_angle));
        assert!((tangents[0] / tangents[1] - 0.5).abs() < 1e-12);
        assert!((half.k_phi / figures.k_phi - pow(0.5, 1.9)).abs() < 1e-12);
        assert_eq!((half.n, half.shear_modulus), (figures.n, figures.shear_modulus));
        assert_eq!(at_strength(&figures, 1.0).k_c, figures.k_c);
    }
}
