//! Mean maximum pressure by Rowland's formulas.
//!
//! - Tracks: D. Rowland, Tracked vehicle ground pressure and its effect on soft ground performance,
//!   4th international conference of ISTVS, 1972: 1.26 W / (2 n a b √(p d)), with n road wheels of
//!   diameter d on a track of width b and pitch p, whose shoes cover the share a of their area.
//! - Wheels, fine-grained soil: D. Rowland, A review of vehicle design for soft ground operation, 5th
//!   international conference of ISTVS, 1975: K W / (2 m b^0.85 d^1.15 √(δ/h)) on m axles.
//!
//! Neither paper was available: the formulas and the constants K are from memory of J. Y. Wong,
//! *Theory of Ground Vehicles*, section 2.5. J. C. Larminie, *J. Terramech.* 29 (1992) 239, confirms
//! that the deflection was relative to the tire's height before he changed it.

use super::vehicle::{TrackDimensions, WheelDimensions};
use bekker_math::numeric::pow;

/// Number of axles, of driven axles, and K.
const CONSTANTS: [(usize, usize, f64); 11] = [
    (2, 2, 3.65),
    (2, 1, 4.4),
    (3, 3, 3.9),
    (3, 2, 4.35),
    (3, 1, 5.25),
    (4, 4, 4.1),
    (4, 3, 4.44),
    (4, 2, 4.95),
    (4, 1, 6.05),
    (5, 5, 4.3),
    (5, 3, 4.97),
];

/// Returns Rowland's K, if it is known.
pub(super) fn axle_constant(axles: usize, driven: usize) -> Option<f64> {
    CONSTANTS.iter().find(|own| (own.0, own.1) == (axles, driven)).map(|own| own.2)
}

/// Returns the mean maximum pressure of wheels under a weight, N, in Pa.
pub(super) fn wheels_pressure(own: &WheelDimensions, weight: f64) -> Option<f64> {
    let constant = axle_constant(own.axles, own.driven)?;
    let size = pow(own.width, 0.85) * pow(2.0 * own.radius, 1.15);
    // twin tires count as tires of further axles
    Some(constant * weight / (own.tires as f64 * size * own.deflection.sqrt()))
}

impl TrackDimensions {
    /// Returns the mean maximum pressure under a weight, N, in Pa.
    pub(super) fn mean_maximum_pressure(&self, weight: f64) -> f64 {
        let width = self.face_share * self.width;
        1.26 * weight / (2.0 * self.wheels * width * (self.pitch * self.wheel_diameter).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use crate::{ConeIndexGear, ConeIndexVehicle};
    use bekker_vehicle::find_vehicle;

    fn vehicle(model: &str) -> ConeIndexVehicle {
        ConeIndexVehicle::from_spec(&find_vehicle(model).unwrap(), None)
    }

    /// Rowland lists 119 kPa for the M113A1 (from memory), whose weight differs by a few percent.
    #[test]
    fn the_m113_has_its_listed_mean_maximum_pressure() {
        let found = vehicle("m113").mean_maximum_pressure().unwrap();
        assert!((found / 119e3 - 1.0).abs() < 0.05, "{found}");
    }

    /// By hand for two axles of four 0.3175 x 0.9354 m tires at a deflection of 0.1157 under 25.24
    /// kN: 3.65 · 25.24/(4 · 0.3771 · 0.9261 · 0.3401) = 193.9 kPa.
    #[test]
    fn wheels_have_the_pressure_by_hand() {
        let hmmwv = vehicle("hmmwv");
        let found = hmmwv.mean_maximum_pressure().unwrap();
        // three digits of the deflection
        assert!((found / 193.9e3 - 1.0).abs() < 0.005, "{found}");
        let ConeIndexGear::Wheels(mut wheels) = hmmwv.gear else { unreachable!() };
        wheels.axles = 7;
        let other = ConeIndexVehicle { gear: ConeIndexGear::Wheels(wheels), ..hmmwv };
        assert_eq!(other.mean_maximum_pressure(), None);
        assert!(other.limits().iter().any(|own| own.contains("no constant for 2 of 7")));
    }
}
