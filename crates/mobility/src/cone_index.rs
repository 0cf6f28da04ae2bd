//! Vehicle cone index of one pass by the mobility index: an order of vehicles on fine-grained soil, to be compared
//! with the order of their strength ratios. The model has no cone; only a vehicle's mass is the model's.
//!
//! Where each coefficient was read; no scan of an original report was at hand but the first:
//!
//! - One-pass index of wheels, its form beyond a mobility index of 115, and the correction for deflection:
//!   J. D. Priddy and W. E. Willoughby, Clarification of vehicle cone index with reference to mean maximum
//!   pressure, J. Terramech. 43 (2006) 85, in the text of the accepted article. A public transcription of
//!   J. D. Priddy, Stochastic vehicle mobility forecasts, ERDC TR GL-99-8, 1999, p. 43, has 2.14 in the place
//!   of 3.74. With 3.74 the index of a weightless vehicle is 1.0 psi, with 2.14 it is -6.8 psi.
//! - Mobility index of wheels: two public transcriptions, of GL-99-8, p. 42, and of FM 5-430-00-1 (1994). They
//!   differ in one number: 0.533 for the 0.553 of axles below 2000 lb, which alone meets the next piece.
//! - Mobility index of tracks and their one-pass index: one public transcription of FM 5-430-00-1 alone, so
//!   not verified. They meet the 17 psi that is listed for the M113.
//!
//! All vehicles here have automatic gearboxes and more than 10 hp a ton, whose factors are 1; no tire has
//! chains, and no grouser is higher than 1.5 in.

use bekker_math::numeric::pow;

const POUNDS: f64 = 2.204_62;
const INCH: f64 = 0.0254;
/// Greatest mobility index of wheels for which the first form of their one-pass index holds.
const FIRST_FORM: f64 = 115.0;

/// A vehicle with all wheels driven, two on each end of an axle.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Wheels {
    axles: f64,
    /// Width and outer radius of a tire, m.
    width: f64,
    radius: f64,
    /// Deflection over the height of the section.
    deflection: f64,
    /// Clearance of the ground, m.
    clearance: f64,
}

/// A vehicle on two tracks.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Tracks {
    /// Length on the ground, width and pitch of a track, m.
    length: f64,
    width: f64,
    pitch: f64,
    /// Road wheels on the ground.
    wheels: f64,
    clearance: f64,
}

impl Wheels {
    fn mobility_index(&self, mass: f64) -> f64 {
        let weight = mass * POUNDS;
        let (width, radius) = (self.width / INCH, self.radius / INCH);
        let on_axle = 1e-3 * weight / self.axles;
        let weight_factor = weight_factor(on_axle);
        let pressure = weight / (width * radius * 2.0 * self.axles);
        let tire_factor = 0.01 * (10.0 + width);
        pressure * weight_factor / tire_factor + 0.5 * on_axle - 0.1 * self.clearance / INCH
    }

    /// In psi.
    fn one_pass(&self, mass: f64) -> f64 {
        let index = self.mobility_index(mass);
        let correction = pow(0.15 / self.deflection, 0.25);
        wheeled_one_pass(index) * correction
    }
}

/// Factor of the weight on an axle, 1000 lb.
fn weight_factor(on_axle: f64) -> f64 {
    match on_axle {
        w if w < 2.0 => 0.553 * w,
        w if w < 13.5 => 0.033 * w + 1.05,
        w if w < 20.0 => 0.142 * w - 0.42,
        w => 0.278 * w - 3.115,
    }
}

/// One-pass index of wheels by their mobility index at a deflection of 0.15, psi.
fn wheeled_one_pass(index: f64) -> f64 {
    if index > FIRST_FORM {
        return 4.1 * pow(index, 0.446);
    }
    11.48 + 0.2 * index - 39.2 / (index + 3.74)
}

/// One-pass index of tracks by their mobility index, psi.
fn tracked_one_pass(index: f64) -> f64 {
    7.0 + 0.2 * index - 39.2 / (index + 5.6)
}

impl Tracks {
    fn mobility_index(&self, mass: f64) -> f64 {
        let weight = mass * POUNDS;
        let area = |length: f64| length * self.width / (INCH * INCH);
        // of less than 50 000 lb, with grousers below 1.5 in
        let pressure = weight / (2.0 * area(self.length));
        let bogies = 0.1 * weight / (self.wheels * area(self.pitch));
        pressure / (0.01 * self.width / INCH) + bogies - 0.1 * self.clearance / INCH
    }

    /// In psi.
    fn one_pass(&self, mass: f64) -> f64 {
        tracked_one_pass(self.mobility_index(mass))
    }
}

/// 37x12.5R16.5: 3.5 and 2.5 cm of its section of 26 cm under the model's axles at 138 and 207 kPa.
const HMMWV: Wheels =
    Wheels { axles: 2.0, width: 0.3175, radius: 0.4699, deflection: 0.115, clearance: 0.41 };
/// 395/85R20 at the pressure of roads, by the stiffness of its file.
const FMTV: Wheels =
    Wheels { axles: 2.0, width: 0.395, radius: 0.5898, deflection: 0.07, clearance: 0.5 };
/// T130E1.
const M113: Tracks =
    Tracks { length: 2.667, width: 0.381, pitch: 0.1524, wheels: 10.0, clearance: 0.41 };

/// Vehicle cone index of one pass of a vehicle of the catalogue at a mass, kg, in psi.
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
    use bekker_vehicle::find_any;

    /// The table of docs/mobility.md; figures by hand from the same formulas.
    #[test]
    fn cone_indices_of_the_catalogue() {
        for (model, by_hand) in [("hmmwv", 17.68), ("m113", 17.16), ("fmtv_4x4", 29.18)] {
            let mass = find_any(model).unwrap().total_mass();
            let found = one_pass_cone_index(model, mass).unwrap();
            println!("{model}: {found:.2} psi");
            assert!((found / by_hand - 1.0).abs() < 1e-3, "{model}: {found} psi");
        }
        assert_eq!(one_pass_cone_index("marder", 29e3), None);
    }

    /// The pieces of the formulas meet: a coefficient that was copied wrong leaves a step. A weightless vehicle
    /// asks for nearly nothing.
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

    /// The formula meets the 17 psi listed for the M113; a heavier vehicle asks for stronger soil.
    #[test]
    fn the_formula_meets_what_is_listed() {
        assert!((M113.one_pass(11_250.0) / 17.0 - 1.0).abs() < 0.02);
        for model in ["hmmwv", "fmtv_4x4", "m113"] {
            let at = |mass| one_pass_cone_index(model, mass).unwrap();
            assert!(at(9e3) > at(8e3), "{model}");
        }
    }
}
