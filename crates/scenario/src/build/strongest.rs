//! Maximum strength factor of a soil, limited by the friction angle that the laws support.

use bekker_ground::soil::DeformableSoil;
use bekker_math::numeric::tan;

/// Friction angle up to which a soil is strengthened, rad (59 degrees); the laws end at 60 degrees.
const STEEPEST_FRICTION: f64 = 1.0297;

/// Largest strength factor of a soil, as for [`DeformableSoil::with_strength`].
///
/// It is 1 for a soil that already has a friction angle of 59 degrees or more.
pub fn strongest(soil: &DeformableSoil) -> f64 {
    (tan(STEEPEST_FRICTION) / tan(soil.friction_angle).max(1e-9)).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_ground::soil::SoilKind;
    use bekker_ground::soil::catalog::catalog;

    #[test]
    fn the_strongest_is_within_the_laws_and_little_stronger_is_not() {
        let sand = catalog().find("dry_sand_lll").unwrap().to_soil();
        let SoilKind::Deformable(own) = &sand.kind else { unreachable!() };
        let most = strongest(own);
        assert!(own.with_strength(most).check().is_ok(), "{most}");
        // tan 60° is 1.041 times tan 59°
        assert!(own.with_strength(1.05 * most).check().is_err(), "{most}");
        let steep = DeformableSoil { friction_angle: 59.5_f64.to_radians(), ..own.clone() };
        assert_eq!(strongest(&steep), 1.0);
    }
}
