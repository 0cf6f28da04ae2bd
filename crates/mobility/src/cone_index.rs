//! One-pass vehicle cone index by the mobility index.
//!
//! It ranks vehicles on fine-grained soil, for comparison with the ranking by their strength
//! ratios. The model has no cone; only the vehicle's mass comes from the model.
//!
//! Sources of the coefficients (of the original reports only the first was available):
//!
//! - One-pass index of wheels, its form beyond a mobility index of 115, and the correction for
//!   deflection: J. D. Priddy and W. E. Willoughby, Clarification of vehicle cone index with
//!   reference to mean maximum pressure, J. Terramech. 43 (2006) 85, in the text of the accepted
//!   article. A public transcription of J. D. Priddy, Stochastic vehicle mobility forecasts, ERDC
//!   TR GL-99-8, 1999, p. 43, has 2.14 instead of 3.74. With 3.74 the index of a weightless vehicle
//!   is 1.0 psi, with 2.14 it is -6.8 psi.
//! - Mobility index of wheels: two public transcriptions, of GL-99-8, p. 42, and of FM 5-430-00-1
//!   (1994). They differ in one number: 0.533 instead of 0.553 for axles below 2000 lb. Only 0.553
//!   is continuous with the next range.
//! - Mobility index of tracks and their one-pass index: a single public transcription of FM
//!   5-430-00-1, so not verified. They reproduce the 17 psi listed for the M113.
//!
//! All vehicles here have automatic gearboxes and more than 10 hp per ton, whose factors are 1. No
//! tire has chains, and no grouser is higher than 1.5 in.

use bekker_math::numeric::pow;

const POUNDS: f64 = 2.204_62;
const INCH: f64 = 0.0254;
/// Greatest mobility index of wheels for the first form of their one-pass index.
const FIRST_FORM: f64 = 115.0;

/// A vehicle with all wheels driven and two wheels per axle.
#[derive(Clone, Copy, Debug, PartialEq)]
struct WheelDimensions {
    axles: f64,
    /// Width and outer radius of a tire, m.
    width: f64,
    radius: f64,
    /// Deflection over the section height.
    deflection: f64,
    /// Ground clearance, m.
    clearance: f64,
}

/// A tracked vehicle with two tracks.
#[derive(Clone, Copy, Debug, PartialEq)]
struct TrackDimensions {
    /// Contact length, width and pitch of a track, m.
    length: f64,
    width: f64,
    pitch: f64,
    /// Number of road wheels on the ground.
    wheels: f64,
    clearance: f64,
}

impl WheelDimensions {
    fn mobility_index(&self, mass: f64) -> f64 {
        let weight = mass * POUNDS;
        let (width, radius) = (self.width / INCH, self.radius / INCH);
        let on_axle = 1e-3 * weight / self.axles;
        let weight_factor = weight_factor(on_axle);
        let pressure = weight / (width * radius * 2.0 * self.axles);
        let tire_factor = 0.01 * (10.0 + width);
        pressure * weight_factor / tire_factor + 0.5 * on_axle - 0.1 * self.clearance / INCH
    }

    /// Returns the one-pass index, psi.
    fn one_pass(&self, mass: f64) -> f64 {
        let index = self.mobility_index(mass);
        let correction = pow(0.15 / self.deflection, 0.25);
        wheeled_one_pass(index) * correction
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

impl TrackDimensions {
    fn mobility_index(&self, mass: f64) -> f64 {
        let weight = mass * POUNDS;
        let area = |length: f64| length * self.width / (INCH * INCH);
        // below 50 000 lb, with grousers below 1.5 in
        let pressure = weight / (2.0 * area(self.length));
        let bogies = 0.1 * weight / (self.wheels * area(self.pitch));
        pressure / (0.01 * self.width / INCH) + bogies - 0.1 * self.clearance / INCH
    }

    /// Returns the one-pass index, psi.
    fn one_pass(&self, mass: f64) -> f64 {
        tracked_one_pass(self.mobility_index(mass))
    }
}

/// 37x12.5R16.5: deflections of 3.5 and 2.5 cm of a section of 26 cm under the model's axles at 138
/// and 207 kPa.
const HMMWV: WheelDimensions = WheelDimensions {
    axles: 2.0,
    width: 0.3175,
    radius: 0.4699,
    deflection: 0.115,
    clearance: 0.41,
};
/// 395/85R20 at road pressure, with the stiffness of the vehicle file.
const FMTV: WheelDimensions =
    WheelDimensions { axles: 2.0, width: 0.395, radius: 0.5898, deflection: 0.07, clearance: 0.5 };
/// T130E1 track.
const M113: TrackDimensions =
    TrackDimensions { length: 2.667, width: 0.381, pitch: 0.1524, wheels: 10.0, clearance: 0.41 };

/// Returns the one-pass vehicle cone index of a catalog vehicle at a mass, kg, in psi.
pub fn one_pass_cone_index(model: &str, mass: f64) -> Option<f64> {
    match model {
        "hmmwv" | "hmmwv_torsen" => Some(HMMWV.one_pass(mass)),
        "fmtv_4x4" => Some(FMTV.one_pass(mass)),
        "m113" => Some(M113.one_pass(mass)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_vehicle::find_vehicle;

    /// The table of docs/mobility.md; reference values were computed by hand from the same
    /// formulas.
    #[test]
    fn cone_indices_of_the_catalog() {
        for (model, by_hand) in [("hmmwv", 17.68), ("m113", 17.16), ("fmtv_4x4", 29.18)] {
            let mass = find_vehicle(model).unwrap().total_mass();
            let found = one_pass_cone_index(model, mass).unwrap();
            println!("{model}: {found:.2} psi");
            assert!((found / by_hand - 1.0).abs() < 1e-3, "{model}: {found} psi");
        }
        assert_eq!(one_pass_cone_index("marder", 29e3), None);
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

    /// The formula gives the 17 psi listed for the M113; a heavier vehicle requires stronger soil.
    #[test]
    fn the_formula_gives_the_listed_values() {
        assert!((M113.one_pass(11_250.0) / 17.0 - 1.0).abs() < 0.02);
        for model in ["hmmwv", "fmtv_4x4", "m113"] {
            let at = |mass| one_pass_cone_index(model, mass).unwrap();
            assert!(at(9e3) > at(8e3), "{model}");
        }
    }
}
