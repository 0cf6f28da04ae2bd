//! Soil of a map at a strength other than its nominal strength.

use bekker_ground::soil::{Soil, SoilKind};
use bekker_scenario::build::strongest;
use bekker_scenario::config::CustomSoil;

/// Largest factor that a scenario allows.
const STRONGEST: f64 = 10.0;

/// Returns a custom soil at a strength ([`Soil::with_strength`]), under another name.
///
/// `given` are its keys if the scenario defines it as a custom soil. Firm ground has no strength
/// and stays unchanged.
pub(super) fn soil_at_strength(
    soil: &Soil,
    given: Option<&CustomSoil>,
    strength: f64,
    name: &str,
) -> CustomSoil {
    let mut keys = given.cloned().unwrap_or_default();
    keys.name = name.into();
    match &soil.kind {
        SoilKind::Firm { friction } => keys.friction = Some(*friction),
        SoilKind::Deformable(parameters) => {
            if given.is_none() {
                keys.based_on = Some(soil.name.clone());
            }
            let own = keys.strength.unwrap_or(1.0);
            keys.strength = Some((own * strength.min(strongest(parameters))).min(STRONGEST));
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_ground::soil::catalog::catalog;

    fn soil_with_strength(name: &str, given: Option<&CustomSoil>, strength: f64) -> CustomSoil {
        soil_at_strength(&catalog().find(name).unwrap().to_soil(), given, strength, "own")
    }

    #[test]
    fn strengths_multiply_and_firm_ground_has_none() {
        let clay = soil_with_strength("lean_clay_22_wes", None, 0.5);
        assert_eq!(
            (clay.based_on.as_deref(), clay.strength),
            (Some("lean_clay_22_wes"), Some(0.5))
        );
        let again = soil_with_strength("lean_clay_22_wes", Some(&clay), 0.5);
        assert_eq!(again.strength, Some(0.25));
        let firm = soil_with_strength("rigid", None, 0.5);
        assert!(firm.strength.is_none() && firm.friction.is_some() && firm.based_on.is_none());
    }

    #[test]
    fn no_soil_gets_steeper_than_the_laws_allow() {
        let sand = catalog().find("dry_sand_lll").unwrap().to_soil();
        let strength = soil_with_strength("dry_sand_lll", None, 9.0).strength.unwrap();
        assert!(strength > 3.0 && sand.with_strength(strength).check().is_ok(), "{strength}");
    }
}
