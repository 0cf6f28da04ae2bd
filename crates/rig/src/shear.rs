//! Shear rig: shear stress against displacement.

use super::convergence::Rig;
use super::plate::{PlateRig, PlateTest};
use super::wheel::{RigError, require, require_carried};
use bekker_ground::soil::{Laws, SoilKind, Tread};
use bekker_math::spatial::{Twist, Vec3};
use serde::{Deserialize, Serialize};

/// A plate under constant pressure that shears the soil under it, like the ring of a bevameter.
///
/// It slides without leaving its position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShearRig {
    /// The plate and its pressure.
    pub plate: PlateRig,
    /// Interaction of the plate's surface with the soil.
    pub tread: Tread,
    /// Sliding distance, m.
    pub displacement: f64,
    /// Distance of sliding back afterwards, m.
    #[serde(default)]
    pub reversal: f64,
    /// Sliding speed, m/s.
    pub speed: f64,
    /// Time step, s.
    pub step: f64,
}

impl ShearRig {
    /// Creates a rig with a rough plate that slides 10 cm at 1 cm/s.
    ///
    /// The plate is held at its height. The laws of further sinkage of a sliding plate would only
    /// reduce its pressure, so they are disabled.
    pub fn new(plate: PlateRig) -> ShearRig {
        let laws = Laws { slip_sinkage: false, inclined_bearing: false, ..plate.laws };
        let plate = PlateRig { laws, ..plate };
        let tread = Tread::rough();
        ShearRig { plate, tread, displacement: 0.1, reversal: 0.0, speed: 0.01, step: 0.01 }
    }

    /// Extends the sliding distance to at least eight times the soil's shear modulus.
    ///
    /// There the stress is within 1/3000 of the full strength.
    pub fn to_full_strength(self) -> ShearRig {
        let modulus = match &self.plate.soil.kind {
            SoilKind::Deformable(law) => law.shear_modulus,
            SoilKind::Firm { .. } => 0.0,
        };
        ShearRig { displacement: self.displacement.max(8.0 * modulus), ..self }
    }
}

/// One point of a shear curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShearPoint {
    /// Shear displacement, m.
    pub displacement: f64,
    /// Mean shear stress over the plate's area, Pa.
    pub stress: f64,
}

/// Result of a shear test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShearResult {
    /// Stress over displacement.
    pub curve: Vec<ShearPoint>,
    /// Mean normal pressure while sliding, Pa.
    pub pressure: f64,
    /// Greatest shear stress, Pa.
    pub strength: f64,
}

impl Rig for ShearRig {
    type Outcome = ShearResult;

    fn run(&self) -> Result<ShearResult, RigError> {
        require("displacement", self.displacement, self.displacement > 0.0, "positive")?;
        require("speed", self.speed, self.speed > 0.0, "positive")?;
        require("step", self.step, self.step > 0.0, "positive")?;
        let mut press = PlateTest::new(&self.plate)?;
        self.plate.press(&mut press)?;
        let area = press.area();
        let way = self.speed * self.step;
        let count = |length: f64| (length / way + 0.5).floor() as u64;
        let (forth, back) = (count(self.displacement), count(self.reversal));
        let mut result = ShearResult { curve: Vec::new(), pressure: 0.0, strength: 0.0 };
        let mut displacement = 0.0;
        for count in 0..forth + back {
            let speed = if count < forth { self.speed } else { -self.speed };
            let twist = Twist { linear: Vec3::new(speed, 0.0, 0.0), angular: Vec3::zeros() };
            let found = press.contact(&self.tread, &twist, self.step);
            let stress = -found.load.wrench.force.x / area;
            displacement += speed * self.step;
            result.curve.push(ShearPoint { displacement, stress });
            result.strength = result.strength.max(stress);
            result.pressure += found.load.wrench.force.z / area / (forth + back) as f64;
        }
        require_carried(result.pressure * area, self.plate.pressure * area, press.sinkage())?;
        Ok(result)
    }

    fn spacing_mut(&mut self) -> &mut f64 {
        &mut self.plate.spacing
    }

    fn step_mut(&mut self) -> &mut f64 {
        &mut self.step
    }

    fn extend(&mut self) {
        self.displacement *= 2.0;
    }

    fn metrics(&self, outcome: &ShearResult) -> Vec<(&'static str, f64)> {
        vec![("pressure", outcome.pressure), ("strength", outcome.strength)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_ground::scm::PlateOutline;
    use bekker_ground::soil::catalog::catalog;

    /// The stress of a plate at fixed height also rises to c + p tan φ under the refined laws.
    ///
    /// Under those laws a sliding plate sinks further. The tolerance covers the 1/3000 that is
    /// missing after eight moduli and the discretization of the grid.
    #[test]
    fn a_plate_held_at_its_height_shears_under_the_refined_laws() {
        for name in ["mud", "chrono_mid", "lean_clay_32_wes"] {
            let soil = catalog().find(name).unwrap().to_soil();
            let outline = PlateOutline::Rectangle { length: 0.6, width: 0.2 };
            let plate = PlateRig::new(soil.clone(), outline, 1e4);
            let plate = PlateRig { laws: Laws::refined(), spacing: 0.01, ..plate };
            let SoilKind::Deformable(law) = &soil.kind else { panic!("{name}") };
            let rig = ShearRig::new(plate).to_full_strength();
            assert!(rig.displacement >= 8.0 * law.shear_modulus, "{name}");
            let found = rig.run().unwrap();
            let strength = law.cohesion + 1e4 * law.friction_angle.tan();
            assert!((found.pressure / 1e4 - 1.0).abs() < 0.01, "{name}: {} Pa", found.pressure);
            assert!(
                (found.strength / strength - 1.0).abs() < 0.01,
                "{name}: {} Pa",
                found.strength
            );
        }
    }
}
