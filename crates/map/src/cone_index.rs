//! NRMM's relations for each cell of a map, to be compared with the drives.
//!
//! A cell goes by NRMM if the drawbar pull at its rating cone index (RCI) is at least the steepest
//! grade of its directions. RCI is lognormal, so the probability to go has a closed form: that of an
//! RCI above the one that the grade requires. The speed is that at which the tractive effort
//! equals the resistance of soil and grade, without slip.
//!
//! The relations depend on soil and grade only. Cells under snow and on frost have no values.

use super::cells::Quadric;
use super::config::MapConfig;
use super::layers::Layers;
use bekker_math::curve::Curve;
use bekker_math::numeric::{ln, sin_cos};
use bekker_rig::{ConeIndexVehicle, FineGrainedSoil};
use bekker_sensor::noise::quantile;
use std::f64::consts::TAU;

/// Standard deviation of ln RCI by SMSP II: half of ln 3.
const SMSP_SIGMA: f64 = 0.55;

/// Source of the rating cone index of a map, and its uncertainty.
#[derive(Clone, Copy, Debug)]
pub struct ConeIndexLayer<'a> {
    layers: &'a Layers,
    sigma_ln: f64,
}

impl<'a> ConeIndexLayer<'a> {
    /// Creates the layer of a map; `None` if its file gives no cone index.
    pub(super) fn new(config: &MapConfig, layers: &'a Layers) -> Option<ConeIndexLayer<'a>> {
        let given = config.cone_index.as_ref()?;
        let sigma = if given.uscs.is_some() { SMSP_SIGMA } else { 0.0 };
        Some(ConeIndexLayer { layers, sigma_ln: given.sigma_ln.unwrap_or(sigma) })
    }

    /// Returns the median rating cone index at a point, Pa.
    pub fn rating_cone_index(&self, point: [f64; 2]) -> Option<f64> {
        self.layers.rating_cone_index(point)
    }
}

/// NRMM's relations of a map's vehicle.
#[derive(Clone, Debug)]
pub struct NrmmVehicle {
    /// Dimensions.
    pub vehicle: ConeIndexVehicle,
    soil: FineGrainedSoil,
    /// Speed, m/s, over the resistance of soil and grade over the weight.
    speed: Curve,
}

/// Values of a cell by NRMM; speeds are m/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NrmmCell {
    /// Median rating cone index, Pa.
    pub rating_cone_index: f32,
    /// Steepest grade of the directions, rise over run.
    pub grade: f32,
    /// Probability to go in every direction.
    pub p_go: f32,
    /// Speed in the steepest direction at the median; 0 is no go.
    pub speed: f32,
    /// Drawbar pull over the weight at the median.
    pub drawbar_pull: f32,
    /// Motion resistance over the weight at the median.
    pub motion_resistance: f32,
}

impl NrmmVehicle {
    /// Creates the relations of a vehicle.
    ///
    /// `speed` is its speed, m/s, over resistance over the weight.
    pub fn new(vehicle: ConeIndexVehicle, speed: Curve) -> NrmmVehicle {
        let soil = FineGrainedSoil::new(&vehicle);
        NrmmVehicle { vehicle, soil, speed }
    }

    /// Computes the values of a cell whose ground has this shape.
    ///
    /// `limit` is the speed limit by driver and ride, m/s.
    pub fn cell(
        &self,
        layer: &ConeIndexLayer<'_>,
        point: [f64; 2],
        shape: &Quadric,
        directions: usize,
        limit: f64,
    ) -> Option<NrmmCell> {
        let index = layer.rating_cone_index(point)?;
        let grade = steepest_grade(shape, directions);
        let p_go = match self.soil.required_cone_index(grade) {
            None => 0.0,
            Some(required) => probability_above(index, layer.sigma_ln, required),
        };
        let goes = self.soil.drawbar_pull(index) > grade;
        let resistance = self.soil.total_resistance(index, grade);
        let speed = if goes { self.speed.value(resistance).clamp(0.0, limit) } else { 0.0 };
        Some(NrmmCell {
            rating_cone_index: index as f32,
            grade: grade as f32,
            p_go: p_go as f32,
            speed: speed as f32,
            drawbar_pull: self.soil.drawbar_pull(index) as f32,
            motion_resistance: self.soil.motion_resistance(index) as f32,
        })
    }
}

/// Returns the steepest grade in any of evenly spaced directions from east.
fn steepest_grade(shape: &Quadric, directions: usize) -> f64 {
    let grade = |k: usize| {
        let (sin, cos) = sin_cos(TAU * k as f64 / directions as f64);
        shape.slopes([cos, sin])[0]
    };
    (0..directions).map(grade).fold(0.0, f64::max)
}

/// Returns the probability that a lognormal value with this median exceeds a bound.
fn probability_above(median: f64, sigma_ln: f64, bound: f64) -> f64 {
    if sigma_ln == 0.0 {
        return if median > bound { 1.0 } else { 0.0 };
    }
    normal_probability(ln(median / bound) / sigma_ln)
}

/// Returns the probability that a standard normal value is below `deviations`.
///
/// It is the inverse of [`quantile`] by bisection, to less than an f32 resolves.
fn normal_probability(deviations: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if quantile(middle) < deviations { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables of the normal distribution.
    #[test]
    fn probabilities_are_those_of_tables() {
        for (deviations, known) in
            [(0.0, 0.5), (1.0, 0.841_344_75), (-1.959_964, 0.025), (2.326_348, 0.99)]
        {
            assert!((normal_probability(deviations) - known).abs() < 1e-7, "{deviations}");
        }
        // half of ln 3 above the median, with the deviation of SMSP II
        let factor = 3.0_f64.sqrt();
        assert!((probability_above(factor, 0.5 * 3.0_f64.ln(), 1.0) - 0.841_344_75).abs() < 1e-7);
        assert_eq!([1.1, 0.9].map(|median| probability_above(median, 0.0, 1.0)), [1.0, 0.0]);
    }

    #[test]
    fn the_steepest_of_eight_directions_is_within_a_sixteenth_of_a_turn() {
        let shape = Quadric { slope: [0.3, 0.0] };
        assert!((steepest_grade(&shape, 8) - 0.3).abs() < 1e-7);
        let between = Quadric { slope: [0.3, 0.124_264_07] };
        let steepest = 0.3 / (TAU / 16.0).cos();
        let found = steepest_grade(&between, 8);
        assert!((found - steepest * (TAU / 16.0).cos()).abs() < 1e-6, "{found}");
    }
}
