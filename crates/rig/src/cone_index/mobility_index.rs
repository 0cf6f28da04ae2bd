//! Vehicle cone index by the mobility index: the weakest fine-grained soil that is passed.
//!
//! Sources of the coefficients (of the original reports only the first was available):
//!
//! - One-pass index of wheels, its form beyond a mobility index of 115, and the correction for
//!   deflection: J. D. Priddy and W. E. Willoughby, Clarification of vehicle cone index with
//!   reference to mean maximum pressure, J. Terramech. 43 (2006) 85, in the text of the accepted
//!   article. A public transcription of J. D. Priddy, Stochastic vehicle mobility forecasts, ERDC
//!   TR GL-99-8, 1999, p. 43, has 2.14 instead of 3.74. With 3.74 the index of a weightless vehicle
//!   is 1.0 psi, with 2.14 it is -6.8 psi.
//! - Fifty-pass index of wheels: a public transcription by T. Ciobotaru, Leonardo El. J. Pract.
//!   Technol. 8 (2009). The correction for deflection was published for one pass only.
//! - Mobility index of wheels: two public transcriptions, of GL-99-8, p. 42, and of FM 5-430-00-1
//!   (1994). They differ in one number: 0.533 instead of 0.553 for axles below 2000 lb. Only 0.553
//!   is continuous with the next range.
//! - Mobility index of tracks and their indices of one and fifty passes: a single public
//!   transcription of FM 5-430-00-1 and memory, so not verified. They reproduce the 17 and 40 psi
//!   listed for the M113.
//!
//! Gearboxes here shift by themselves: the factor is that of automatic gearboxes, 1. No tire has
//! chains. Grousers higher than 1.5 in have no factor: they are among the limits.

use super::units::{INCH, POUNDS, PSI};
use super::vehicle::{ConeIndexGear, ConeIndexVehicle, TrackDimensions, WheelDimensions};
use bekker_math::numeric::pow;

/// Greatest mobility index of wheels for the first form of their one-pass index.
const FIRST_FORM: f64 = 115.0;
/// Watts per newton of weight that are 10 hp per short ton, below which the factor is 1.05.
const TEN_HORSEPOWER_PER_TON: f64 = 10.0 * 745.7 * POUNDS / 2000.0;

impl ConeIndexVehicle {
    /// Returns the mobility index.
    pub fn mobility_index(&self) -> f64 {
        let clearance = self.clearance.unwrap_or(match self.gear {
            ConeIndexGear::Wheels(own) => own.radius,
            ConeIndexGear::Tracks(own) => 0.5 * own.wheel_diameter,
        });
        let index = match self.gear {
            ConeIndexGear::Wheels(own) => own.mobility_index(self.weight, clearance),
            ConeIndexGear::Tracks(own) => own.mobility_index(self.weight, clearance),
        };
        let weak = self.power < TEN_HORSEPOWER_PER_TON * self.weight;
        if weak { 1.05 * index } else { index }
    }

    /// Returns the vehicle cone index of one pass, Pa.
    pub fn one_pass(&self) -> f64 {
        let index = self.mobility_index();
        PSI * match self.gear {
            ConeIndexGear::Wheels(own) => {
                wheeled_one_pass(index) * crate::vehicle_cone_index_factor(own.deflection)
            }
            ConeIndexGear::Tracks(_) => tracked_one_pass(index),
        }
    }

    /// Returns the vehicle cone index of fifty passes, Pa.
    pub fn fifty_passes(&self) -> f64 {
        let index = self.mobility_index();
        PSI * match self.gear {
            ConeIndexGear::Wheels(_) => 28.23 + 0.43 * index - 92.67 / (index + 3.67),
            ConeIndexGear::Tracks(_) => 19.27 + 0.43 * index - 125.79 / (index + 7.08),
        }
    }
}

impl WheelDimensions {
    /// Returns the mobility index at a weight, N, and a clearance, m.
    fn mobility_index(&self, weight: f64, clearance: f64) -> f64 {
        let weight = weight * POUNDS;
        let (width, radius) = (self.width / INCH, self.radius / INCH);
        let on_axle = 1e-3 * weight / self.axles as f64;
        let pressure = weight / (width * radius * self.tires as f64);
        let tire_factor = 0.01 * (10.0 + width);
        pressure * weight_factor(on_axle) / tire_factor + 0.5 * on_axle - 0.1 * clearance / INCH
    }
}

impl TrackDimensions {
    /// Returns the mobility index at a weight, N, and a clearance, m.
    fn mobility_index(&self, weight: f64, clearance: f64) -> f64 {
        let weight = weight * POUNDS;
        let area = |length: f64| length * self.width / (INCH * INCH);
        let pressure = weight / (2.0 * area(self.length));
        let bogies = 0.1 * weight / (2.0 * self.wheels * area(self.pitch));
        let weight_factor = match weight {
            w if w < 50e3 => 1.0,
            w if w < 70e3 => 1.2,
            w if w < 100e3 => 1.4,
            _ => 1.8,
        };
        pressure * weight_factor / (0.01 * self.width / INCH) + bogies - 0.1 * clearance / INCH
    }
}

/// Returns the weight factor for the weight on an axle, 1000 lb.
fn weight_factor(on_axle: f64) -> f64 {
    match on_axle {
        w if w < 2.0 => 0.553 * w,
        w if w < 13.5 => 0.033 * w + 1.05,
        w if w < 20.0 => 0.142 * w - 0.42,
        w => 0.278 * w - 3.115,
    }
}

/// Returns the one-pass index of wheels by their mobility index at a deflection of 0.15, psi.
fn wheeled_one_pass(index: f64) -> f64 {
    if index > FIRST_FORM {
        return 4.1 * pow(index, 0.446);
    }
    11.48 + 0.2 * index - 39.2 / (index + 3.74)
}

/// Returns the one-pass index of tracks by their mobility index, psi.
fn tracked_one_pass(index: f64) -> f64 {
    7.0 + 0.2 * index - 39.2 / (index + 5.6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_vehicle::find_vehicle;

    /// M998 of 7700 lb on 37x12.5R16.5 at the reference deflection, with 17 in of clearance.
    const M998: ConeIndexVehicle = ConeIndexVehicle {
        weight: 7700.0 / POUNDS,
        clearance: Some(17.0 * INCH),
        power: 112e3,
        driven_share: 1.0,
        has_trailer: false,
        grouser_height: 0.0,
        gear: ConeIndexGear::Wheels(WheelDimensions {
            axles: 2,
            driven: 2,
            tires: 4,
            width: 12.5 * INCH,
            radius: 18.5 * INCH,
            section_height: 0.26,
            deflection: 0.15,
        }),
    };

    fn tracked(pounds: f64, track: [f64; 3], wheels: f64, clearance: f64) -> ConeIndexVehicle {
        let [length, width, pitch] = track.map(|inches| inches * INCH);
        let gear = TrackDimensions {
            length,
            width,
            pitch,
            face_share: 1.0,
            wheels,
            wheel_diameter: 24.0 * INCH,
        };
        ConeIndexVehicle {
            weight: pounds / POUNDS,
            clearance: Some(clearance * INCH),
            power: 1.1e6,
            driven_share: 1.0,
            has_trailer: false,
            grouser_height: 0.0,
            gear: ConeIndexGear::Tracks(gear),
        }
    }

    /// 43.8, 19.4 and 45.1 psi were computed independently from the same formulas.
    #[test]
    fn the_m998_has_its_published_indices() {
        let close = |value: f64, printed: f64| {
            // half of the last printed digit
            assert!((value - printed).abs() <= 0.05, "{value}, not {printed}");
        };
        close(M998.mobility_index(), 43.8);
        close(M998.one_pass() / PSI, 19.4);
        close(M998.fifty_passes() / PSI, 45.1);
    }

    /// Lists of vehicle cone indices have 17 and 40 psi for the M113, 25 and 58 psi for the M1.
    #[test]
    fn tracks_have_their_listed_indices() {
        let m113 = tracked(25_000.0, [105.0, 15.0, 6.0], 5.0, 16.0);
        let m1 = tracked(120_000.0, [183.0, 25.0, 7.6], 7.0, 19.0);
        for (vehicle, listed) in [(m113, [17.0, 40.0]), (m1, [25.0, 58.0])] {
            let found = [vehicle.one_pass(), vehicle.fifty_passes()].map(|index| index / PSI);
            for (value, listed) in found.into_iter().zip(listed) {
                // lists have whole psi, and masses of a model differ by several percent
                assert!((value / listed - 1.0).abs() < 0.05, "{value} psi, not {listed}");
            }
        }
    }

    /// A vehicle with less than 10 hp per short ton has an index that is 5 % higher.
    #[test]
    fn a_weak_engine_raises_the_index() {
        let hp = |power: f64| ConeIndexVehicle { power: power * 745.7, ..M998.clone() };
        let ratio = hp(38.0).mobility_index() / hp(39.0).mobility_index();
        assert!((ratio - 1.05).abs() < 1e-12, "{ratio}");
    }

    /// Computed independently from the same formulas, with clearances of 16 and 20 in.
    #[test]
    fn cone_indices_of_the_catalog() {
        for (model, clearance, expected) in
            [("m113", 0.41, 17.16), ("hmmwv", 0.41, 17.68), ("fmtv_4x4", 0.5, 29.18)]
        {
            let spec = find_vehicle(model).unwrap();
            let vehicle = ConeIndexVehicle::from_spec(&spec, Some(clearance));
            let found = vehicle.one_pass() / PSI;
            // a percent: deflections are those of the model's own tires
            assert!((found / expected - 1.0).abs() < 0.01, "{model}: {found} psi, {vehicle:?}");
        }
    }

    /// The formulas are nearly continuous where their ranges meet: a wrong coefficient would cause
    /// a jump.
    ///
    /// A weightless vehicle has an index near zero.
    #[test]
    fn the_pieces_of_the_formulas_meet() {
        for (at, most) in [(2.0, 0.011), (13.5, 0.002), (20.0, 0.026)] {
            let [below, above] = [at - 1e-9, at + 1e-9].map(weight_factor);
            assert!((above - below).abs() < most, "{at}: {below} {above}");
        }
        let [below, above] = [FIRST_FORM, FIRST_FORM + 1e-9].map(wheeled_one_pass);
        assert!((above / below - 1.0).abs() < 0.005, "{below} {above}");
        assert!((wheeled_one_pass(0.0) - 1.0).abs() < 0.01);
        assert!(tracked_one_pass(0.0).abs() < 1e-9);
    }
}
