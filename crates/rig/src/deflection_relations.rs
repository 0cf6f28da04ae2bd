//! Cone-index relations for a tire's pull and towed resistance as functions of its deflection.
//!
//! They are for comparison with the wheel rig. None of the papers was available. The formulas are
//! quoted by public code or come from memory; each item states which. Cone indices are in Pa,
//! deflections are those on a hard plate.

use bekker_math::numeric::{exp, ln, pow};

/// Slip at which pulls are compared.
pub const SLIP: f64 = 0.2;

/// A tire under a load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadedTire {
    /// Diameter without load, m.
    pub diameter: f64,
    /// Width of the section, m.
    pub width: f64,
    /// Height of the section, m.
    pub section_height: f64,
    /// Load, N.
    pub load: f64,
    /// Deflection on a hard plate over the section height.
    pub deflection: f64,
}

/// A relation between a tire's size, load and deflection, a cone index, and the tire's forces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeflectionRelation {
    /// Sand: the sand numeric of the Waterways Experiment Station (WES).
    ///
    /// The pull is that of NRMM (from memory), the towed resistance that of G. Williams 2017
    /// (quoted by public code).
    Sand,
    /// Clay: the relations of WES's database for the vehicle-terrain interface (VTI).
    ///
    /// G. W. Turnage 1995 and D. Detwiller 2018 (quoted by public code).
    Vti,
    /// Clay and loam: D. Gee-Clough, M. McAllister, G. Pearson and D. W. Evernden 1978, with
    /// Turnage's numeric (from memory).
    GeeClough,
    /// Soil with cohesion and friction: W. W. Brixius 1987 for radial tires.
    ///
    /// Quoted by public code; the coefficient 9.5 is from memory of ASABE D497.
    Brixius,
    /// R. D. Wismer and H. J. Luth 1974 (from memory), independent of deflection.
    WismerLuth,
}

impl LoadedTire {
    /// Ratio of the cone index of sand over 0 to 15 cm to its gradient: 3.47 in, m.
    ///
    /// Quoted by public code; the gradient is that of the penetration resistance.
    pub const INDEX_DEPTH: f64 = 3.47 * 0.0254;

    /// Returns cone index times width times diameter over load.
    fn mobility(&self, cone_index: f64) -> f64 {
        cone_index * self.width * self.diameter / self.load
    }

    /// Returns the sand numeric of WES: G (b d)^1.5 / W δ/h, G being the gradient of penetration
    /// resistance.
    pub fn sand_numeric(&self, cone_index: f64) -> f64 {
        let gradient = cone_index / LoadedTire::INDEX_DEPTH;
        gradient * pow(self.width * self.diameter, 1.5) * self.deflection / self.load
    }

    /// Returns Turnage's clay numeric: CI b d / W (δ/h)^0.5 / (1 + b/2d).
    pub fn clay_numeric(&self, cone_index: f64) -> f64 {
        let slender = 1.0 + 0.5 * self.width / self.diameter;
        self.mobility(cone_index) * self.deflection.sqrt() / slender
    }

    /// Returns the clay numeric of the VTI: CI b d / (W (1 - δ/h)^1.5 (1 + b/d)^0.75).
    pub fn vti_numeric(&self, cone_index: f64) -> f64 {
        let slender = pow(1.0 + self.width / self.diameter, 0.75);
        self.mobility(cone_index) / (pow(1.0 - self.deflection, 1.5) * slender)
    }

    /// Returns Brixius's mobility number: CI b d / W (1 + 5 δ/h) / (1 + 3 b/d).
    pub fn brixius_number(&self, cone_index: f64) -> f64 {
        let slender = 1.0 + 3.0 * self.width / self.diameter;
        self.mobility(cone_index) * (1.0 + 5.0 * self.deflection) / slender
    }

    /// Returns the mean pressure of Williams's contact, Pa: W / (2 b (d a - a²)^0.5 (b/h)^0.52),
    /// with a = δ + 0.026 d.
    fn contact_pressure(&self) -> f64 {
        let LoadedTire { diameter, width, section_height, load, deflection } = *self;
        let depth = deflection * section_height + 0.026 * diameter;
        let half = (diameter * depth - depth * depth).sqrt();
        load / (2.0 * width * half * pow(width / section_height, 0.52))
    }
}

impl DeflectionRelation {
    /// Returns drawbar pull over load at a slip of 20 %; negative for an immobilized tire.
    pub fn drawbar_pull(self, tire: &LoadedTire, cone_index: f64) -> f64 {
        self.pull(tire, cone_index, SLIP)
    }

    /// Returns drawbar pull over load at a slip; negative if the resistance is larger.
    ///
    /// `None` at a slip of zero or less, and for [`DeflectionRelation::Sand`], which holds at 20 %.
    pub fn drawbar_pull_at_slip(
        self,
        tire: &LoadedTire,
        cone_index: f64,
        slip: f64,
    ) -> Option<f64> {
        let holds = slip > 0.0 && self != DeflectionRelation::Sand;
        holds.then(|| self.pull(tire, cone_index, slip))
    }

    fn pull(self, tire: &LoadedTire, cone_index: f64, slip: f64) -> f64 {
        match self {
            DeflectionRelation::Sand => 0.53 - 4.5 / (tire.sand_numeric(cone_index) + 3.7),
            DeflectionRelation::Vti => {
                let own = 21.0 / pow(tire.vti_numeric(cone_index), 2.5) + 0.005;
                0.5 * ln(slip / own) / std::f64::consts::LN_10
            }
            DeflectionRelation::GeeClough => {
                let numeric = tire.clay_numeric(cone_index);
                let most = 0.796 - 0.92 / numeric;
                // an immobilized tire has no pull; the rate has a pole there
                if most <= 0.0 {
                    return most;
                }
                let rate = (4.838 + 0.061 * numeric) / most;
                most * (1.0 - exp(-rate * slip))
            }
            DeflectionRelation::Brixius => {
                let number = tire.brixius_number(cone_index);
                let gross = 0.88 * (1.0 - exp(-0.1 * number)) * (1.0 - exp(-9.5 * slip));
                gross - 0.9 / number - 0.5 * slip / number.sqrt()
            }
            DeflectionRelation::WismerLuth => {
                let number = tire.mobility(cone_index);
                0.75 * (1.0 - exp(-0.3 * number * slip)) - (1.2 / number + 0.04)
            }
        }
    }

    /// Returns towed motion resistance over load.
    pub fn towed_resistance(self, tire: &LoadedTire, cone_index: f64) -> f64 {
        match self {
            DeflectionRelation::Sand => 0.21 * tire.contact_pressure() / cone_index + 0.04,
            DeflectionRelation::Vti => 5.07 / pow(tire.vti_numeric(cone_index), 1.71) + 0.011,
            DeflectionRelation::GeeClough => 0.049 + 0.287 / tire.clay_numeric(cone_index),
            DeflectionRelation::Brixius => 0.9 / tire.brixius_number(cone_index) + 0.0325,
            DeflectionRelation::WismerLuth => 1.2 / tire.mobility(cone_index) + 0.04,
        }
    }

    /// Returns the cone index, Pa, at which the relation gives `pull` over load.
    ///
    /// `None` if it is not between 10 kPa and 10 MPa.
    pub fn cone_index(self, tire: &LoadedTire, pull: f64) -> Option<f64> {
        let (mut low, mut high) = (1e4, 1e7);
        if pull > self.drawbar_pull(tire, high) {
            return None;
        }
        for _ in 0..60 {
            let middle = (low * high).sqrt();
            if self.drawbar_pull(tire, middle) >= pull { high = middle } else { low = middle }
        }
        Some(high).filter(|found| *found > 1.001e4)
    }
}

/// Returns the one-pass vehicle cone index relative to a deflection of 15 % of the section height.
///
/// (0.15/(δ/h))^0.25, by J. D. Priddy and W. L. Willoughby 2004, who tested it on 79 measurements.
pub fn vehicle_cone_index_factor(deflection: f64) -> f64 {
    pow(0.15 / deflection, 0.25)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a 37x12.5R16.5 tire under 6.3 kN.
    fn tire(deflection: f64) -> LoadedTire {
        LoadedTire { diameter: 0.94, width: 0.317, section_height: 0.26, load: 6300.0, deflection }
    }

    /// Compares with a reference value from independent scripts, printed to `digit`.
    fn close(value: f64, printed: f64, digit: f64) {
        // the inputs are rounded as well
        assert!((value - printed).abs() <= 0.6 * digit, "{value}, not {printed}");
    }

    #[test]
    fn sand_gives_the_worked_figures() {
        use DeflectionRelation::{Brixius, Sand};
        // G MPa/m, δ/h, N_s, pull NRMM, pull Brixius, towed Williams, towed Brixius
        let rows = [
            [1.0, 0.25, 6.5, 0.09, 0.04, 0.12, 0.23],
            [2.0, 0.10, 5.2, 0.02, 0.16, 0.09, 0.18],
            [2.0, 0.15, 7.7, 0.14, 0.23, 0.085, 0.16],
            [2.0, 0.25, 12.9, 0.26, 0.33, 0.08, 0.13],
            [2.0, 0.35, 18.1, 0.32, 0.40, 0.075, 0.11],
            [4.0, 0.15, 15.5, 0.30, 0.49, 0.063, 0.095],
            [4.0, 0.35, 36.1, 0.42, 0.61, 0.057, 0.072],
        ];
        for [gradient, deflection, numeric, nrmm, brixius, williams, rolls] in rows {
            let (tire, index) = (tire(deflection), 1e6 * gradient * LoadedTire::INDEX_DEPTH);
            close(tire.sand_numeric(index), numeric, 0.1);
            close(Sand.drawbar_pull(&tire, index), nrmm, 0.01);
            close(Brixius.drawbar_pull(&tire, index), brixius, 0.01);
            close(Sand.towed_resistance(&tire, index), williams, 0.01);
            close(Brixius.towed_resistance(&tire, index), rolls, 0.01);
        }
    }

    #[test]
    fn clay_gives_the_worked_figures() {
        use DeflectionRelation::{Brixius, GeeClough, Vti};
        // CI kPa, δ/h, pull VTI, Gee-Clough, Brixius, towed VTI, Gee-Clough, Brixius
        let rows = [
            [150.0, 0.15, 0.06, 0.37, 0.16, 0.18, 0.17, 0.18],
            [200.0, 0.10, 0.17, 0.39, 0.21, 0.13, 0.16, 0.16],
            [200.0, 0.15, 0.21, 0.44, 0.28, 0.115, 0.14, 0.14],
            [200.0, 0.25, 0.30, 0.47, 0.37, 0.086, 0.12, 0.12],
            [200.0, 0.35, 0.40, 0.49, 0.45, 0.063, 0.11, 0.10],
            [300.0, 0.25, 0.49, 0.52, 0.51, 0.049, 0.10, 0.09],
        ];
        for [index, deflection, vti, clough, brixius, by_vti, by_clough, by_brixius] in rows {
            let (tire, index) = (tire(deflection), 1e3 * index);
            close(Vti.drawbar_pull(&tire, index), vti, 0.01);
            close(GeeClough.drawbar_pull(&tire, index), clough, 0.01);
            close(Brixius.drawbar_pull(&tire, index), brixius, 0.01);
            close(Vti.towed_resistance(&tire, index), by_vti, 0.01);
            close(GeeClough.towed_resistance(&tire, index), by_clough, 0.01);
            close(Brixius.towed_resistance(&tire, index), by_brixius, 0.01);
        }
    }

    #[test]
    fn wismer_and_luth_have_no_deflection() {
        let pull = |index, deflection| {
            DeflectionRelation::WismerLuth.drawbar_pull(&tire(deflection), index)
        };
        for (index, printed) in
            [(88e3, -0.16), (176e3, 0.11), (353e3, 0.36), (200e3, 0.16), (300e3, 0.31)]
        {
            close(pull(index, 0.15), printed, 0.01);
            assert_eq!(pull(index, 0.15), pull(index, 0.35));
        }
    }

    /// VTI's pull grows by half the decimal logarithm of the slip: by 0.151 from 10 to 20 %.
    #[test]
    fn pull_over_slip_meets_the_pull_at_twenty_percent() {
        for relation in [DeflectionRelation::Vti, DeflectionRelation::Brixius] {
            let at = |slip| relation.drawbar_pull_at_slip(&tire(0.15), 3e5, slip).unwrap();
            assert_eq!(at(SLIP), relation.drawbar_pull(&tire(0.15), 3e5));
            assert!(at(0.1) < at(0.2));
        }
        let vti =
            |slip| DeflectionRelation::Vti.drawbar_pull_at_slip(&tire(0.15), 3e5, slip).unwrap();
        assert!((vti(0.2) - vti(0.1) - 0.5 * 2.0_f64.log10()).abs() < 1e-12);
        let none = DeflectionRelation::Vti.drawbar_pull_at_slip(&tire(0.15), 3e5, 0.0);
        assert_eq!(none, None);
        assert!(DeflectionRelation::Sand.drawbar_pull_at_slip(&tire(0.15), 3e5, 0.2).is_none());
    }

    #[test]
    fn deflection_lowers_the_vehicle_cone_index() {
        let rows = [(0.10, 1.107), (0.15, 1.0), (0.25, 0.880), (0.35, 0.809)];
        rows.iter().for_each(|&(deflection, factor)| {
            close(vehicle_cone_index_factor(deflection), factor, 0.001);
        });
    }

    #[test]
    fn a_cone_index_is_found_from_its_pull() {
        for relation in [
            DeflectionRelation::Sand,
            DeflectionRelation::Vti,
            DeflectionRelation::GeeClough,
            DeflectionRelation::Brixius,
            DeflectionRelation::WismerLuth,
        ] {
            let index = relation.cone_index(&tire(0.15), 0.3).unwrap();
            assert!((relation.drawbar_pull(&tire(0.15), index) - 0.3).abs() < 1e-9, "{relation:?}");
            assert_eq!(relation.cone_index(&tire(0.15), 1.0), None);
        }
    }
}
