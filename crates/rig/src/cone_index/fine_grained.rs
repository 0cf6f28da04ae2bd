//! Drawbar pull and motion resistance on fine-grained soil by NRMM.
//!
//! Both depend on the excess of the soil's rating cone index over the vehicle's cone index, and on
//! the kind of running gear. Forces are divided by the weight.
//!
//! Source: NRMM II, R. B. Ahlvin and P. W. Haley, WES TR GL-92-19, 1992. The report was not
//! available: the coefficients are from memory, so not verified. Tests check their limits: no
//! pull without an excess, and the greatest pull on strong soil.

use super::units::PSI;
use super::vehicle::{ConeIndexGear, ConeIndexVehicle};
use bekker_math::numeric::{atan, cos, sin};

/// Contact pressure, psi, that separates the two sets of coefficients.
const LOW_PRESSURE: f64 = 4.0;
/// Greatest excess that is searched, Pa.
const LARGEST_EXCESS: f64 = 1e8;

/// NRMM's relations of a vehicle on fine-grained soil.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FineGrainedSoil {
    /// Cone index that the vehicle needs for the asked number of passes, Pa.
    pub vehicle_cone_index: f64,
    /// a, b and c of the drawbar pull a + b x - √((a + b x)² - c x), with the excess x in psi.
    drawbar: [f64; 3],
    /// a, b and c of the motion resistance a + b/(x + c).
    resistance: [f64; 3],
    driven_share: f64,
}

impl FineGrainedSoil {
    /// Creates the relations of a vehicle for one pass.
    pub fn new(vehicle: &ConeIndexVehicle) -> FineGrainedSoil {
        let is_low = vehicle.nominal_ground_pressure() < LOW_PRESSURE * PSI;
        let drawbar = match (vehicle.gear, is_low) {
            (ConeIndexGear::Tracks(_), true) => [0.544, 0.0463, 0.0702],
            (ConeIndexGear::Tracks(_), false) => [0.4554, 0.0392, 0.0526],
            (ConeIndexGear::Wheels(_), true) => [0.3885, 0.0265, 0.0358],
            (ConeIndexGear::Wheels(_), false) => [0.379, 0.0219, 0.0257],
        };
        let resistance = if is_low { [0.035, 0.861, 3.249] } else { [0.045, 2.3075, 6.5] };
        FineGrainedSoil {
            vehicle_cone_index: vehicle.one_pass(),
            drawbar,
            resistance,
            driven_share: vehicle.driven_share,
        }
    }

    /// Returns the excess of a rating cone index, Pa, over the vehicle's, in Pa.
    pub fn excess(&self, rating_cone_index: f64) -> f64 {
        rating_cone_index - self.vehicle_cone_index
    }

    /// Returns whether the vehicle passes level soil.
    pub fn is_go(&self, rating_cone_index: f64) -> bool {
        self.excess(rating_cone_index) > 0.0
    }

    /// Returns the greatest drawbar pull over the weight, near a slip of 20 %, at a rating cone
    /// index, Pa.
    ///
    /// It is 0 without an excess. Axles that are not driven add their resistance only.
    pub fn drawbar_pull(&self, rating_cone_index: f64) -> f64 {
        let excess = self.excess(rating_cone_index).max(0.0) / PSI;
        let [a, b, c] = self.drawbar;
        let sum = a + b * excess;
        let driven = sum - (sum * sum - c * excess).max(0.0).sqrt();
        let resistance = self.motion_resistance(rating_cone_index);
        (self.driven_share * (driven + resistance) - resistance).max(0.0)
    }

    /// Returns the motion resistance over the weight at a rating cone index, Pa.
    ///
    /// Without an excess it is that of an immobilized vehicle.
    pub fn motion_resistance(&self, rating_cone_index: f64) -> f64 {
        let [a, b, c] = self.resistance;
        a + b / (self.excess(rating_cone_index).max(0.0) / PSI + c)
    }

    /// Returns the rating cone index, Pa, above which a grade (rise over run) is climbed.
    ///
    /// The grade that is climbed is the drawbar pull. `None` if no soil is strong enough.
    pub fn required_cone_index(&self, grade: f64) -> Option<f64> {
        let (mut low, mut high) = (0.0, LARGEST_EXCESS);
        let at = |excess: f64| self.vehicle_cone_index + excess;
        if grade <= 0.0 && self.driven_share >= 1.0 {
            return Some(self.vehicle_cone_index);
        }
        if self.drawbar_pull(at(high)) <= grade {
            return None;
        }
        // 50 halvings leave less than a micropascal
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if self.drawbar_pull(at(middle)) > grade { high = middle } else { low = middle }
        }
        Some(at(high))
    }

    /// Returns the resistance of soil and grade (rise over run) over the weight.
    pub fn total_resistance(&self, rating_cone_index: f64, grade: f64) -> f64 {
        let slope = atan(grade);
        self.motion_resistance(rating_cone_index) * cos(slope) + sin(slope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_vehicle::find_vehicle;

    fn soil(model: &str) -> FineGrainedSoil {
        FineGrainedSoil::new(&ConeIndexVehicle::from_spec(&find_vehicle(model).unwrap(), None))
    }

    /// Without an excess there is no pull; on strong soil it tends to c/2b.
    #[test]
    fn pull_grows_from_nothing_to_its_limit() {
        for (model, limit) in [("hmmwv", 0.0257 / 0.0438), ("m113", 0.0526 / 0.0784)] {
            let soil = soil(model);
            let vci = soil.vehicle_cone_index;
            assert_eq!(soil.drawbar_pull(vci), 0.0);
            assert!(!soil.is_go(vci) && soil.is_go(vci + 1.0));
            assert!((soil.drawbar_pull(1e11) / limit - 1.0).abs() < 1e-4, "{model}");
            let pulls: Vec<f64> =
                (0..50).map(|n| soil.drawbar_pull(vci + 20e3 * f64::from(n))).collect();
            assert!(pulls.windows(2).all(|pair| pair[0] < pair[1]), "{model}: {pulls:?}");
        }
    }

    /// By hand for an excess of 30 psi: 1.036 - √(1.036² - 0.771) = 0.48619, and 0.045 + 2.3075/36.5
    /// = 0.10822; M113 1.6314 - √(1.6314² - 1.578) = 0.59050.
    #[test]
    fn an_excess_of_thirty_psi_gives_values_by_hand() {
        let (wheels, tracks) = (soil("hmmwv"), soil("m113"));
        let at = |soil: &FineGrainedSoil| soil.vehicle_cone_index + 30.0 * PSI;
        assert!((wheels.drawbar_pull(at(&wheels)) - 0.48619).abs() < 5e-6);
        assert!((wheels.motion_resistance(at(&wheels)) - 0.10822).abs() < 5e-6);
        assert!((tracks.drawbar_pull(at(&tracks)) - 0.59050).abs() < 5e-6);
    }

    /// The inverse of the pull in closed form: x = (2 a y - y²)/(c - 2 b y).
    #[test]
    fn the_required_index_is_the_inverse_of_the_pull() {
        let soil = soil("hmmwv");
        let [a, b, c] = soil.drawbar;
        for grade in [0.05, 0.2, 0.4, 0.55] {
            let excess = PSI * (2.0 * a * grade - grade * grade) / (c - 2.0 * b * grade);
            let found = soil.required_cone_index(grade).unwrap();
            assert!((soil.excess(found) / excess - 1.0).abs() < 1e-6, "{grade}");
        }
        assert_eq!(soil.required_cone_index(0.6), None);
        assert_eq!(soil.required_cone_index(0.0), Some(soil.vehicle_cone_index));
    }

    /// A vehicle whose axles are partly driven needs a stronger soil to move at all.
    #[test]
    fn idle_axles_pull_nothing() {
        let soil = soil("gator");
        assert!(soil.driven_share < 1.0);
        let all = FineGrainedSoil { driven_share: 1.0, ..soil };
        let least = soil.required_cone_index(0.0).unwrap();
        assert!(least > all.vehicle_cone_index && soil.drawbar_pull(least - 100.0) == 0.0);
        assert!(soil.drawbar_pull(2e6) < all.drawbar_pull(2e6));
    }
}
