//! Evaluation of all cells of a map with the tables: draws of strength and slope, in all
//! directions.
//!
//! A draw takes the soil's strength and the error of the cell's slope from normal distributions.
//! The strength is stratified, with one draw in each of as many equally likely strata as there are
//! draws. Shares are therefore nearer to their probabilities than Wilson's interval for independent
//! draws.
//!
//! Errors of height form a correlated field. Only the error of the slope matters to a cell, and its
//! deviation is known in closed form ([`slope_deviation`]). So no field is generated, and the draws
//! of each cell alone have the right distribution. Correlations between cells are lost, but nothing
//! here uses two cells at once.
//!
//! [`slope_deviation`]: super::slope_deviation

use super::cell_metrics::{
    CellMetrics, CellTrafficability, Intervals, Reason, SpeedBuffer, SpeedLimits, UncertainInputs,
};
use super::cell_passage::CellPassage;
use super::cells::{Cells, Quadric};
use super::closure::CellClosure;
use super::table::{InterpolatedCurve, InterpolationIndex, SpeedTable};
use bekker_math::numeric::{exp, ln, sin_cos};
use bekker_math::random::RandomStream;
use bekker_sensor::noise::quantile;
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Number of equally likely values that represent a normal distribution, a power of two.
const LEVELS: usize = 4096;
const LEVEL_BITS: u32 = LEVELS.trailing_zeros();
/// Number of cells in a work item of a thread.
const BATCH: usize = 512;

/// Ground data of all cells.
#[derive(Clone, Debug)]
pub struct MapGround<'a> {
    /// The cells.
    pub cells: Cells,
    /// Shape of the ground in each cell.
    pub shapes: &'a [Quadric],
    /// Index of the cover of each cell.
    pub covers: &'a [u16],
    /// Logarithm of the soil's strength in each cell, relative to the cover's median.
    pub shifts: &'a [f32],
    /// Closure of each cell that no vehicle crosses.
    pub closures: &'a [Option<CellClosure>],
    /// Drive-independent properties of each cover.
    pub cover_data: &'a [CoverData],
    /// Table of each cover; empty where all cells are driven.
    pub tables: &'a [SpeedTable],
}

/// Properties of a cover known before its table is driven.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoverData {
    /// Median strength of the soil as a multiple of its nominal strength, and the deviation of its
    /// logarithm.
    pub strength: [f64; 2],
    /// Speed that the ride over the cover's roughness allows, m/s.
    pub ride: f64,
    /// Speed at which ridges expose the driver to 2.5 g, m/s.
    ///
    /// All drives over them are limited to it. It is 0 where no speed is slow enough, infinite
    /// without ridges.
    pub ridges: f64,
    /// Speed on firm level ground of the same roughness without obstacles, m/s; infinite where
    /// unknown.
    pub firm: f64,
    /// Cause of a limit on level ground other than the soil: obstacles, or on firm ground the
    /// engine.
    pub level_cause: Option<Reason>,
}

impl CoverData {
    /// Returns the limits of a cell with this cover.
    ///
    /// Speeds are m/s: the `driver`'s limit, the speed on `level` ground, and the speeds over the
    /// cell without side slope and in its slowest direction.
    pub(super) fn limits(
        &self,
        driver: f64,
        level: f64,
        [straight, slowest]: [f64; 2],
    ) -> SpeedLimits {
        SpeedLimits {
            driver,
            ride: self.ride,
            firm: self.firm,
            level,
            without_side_slope: straight,
            slowest: slowest.min(driver.min(self.ride)),
            level_cause: self.level_cause,
        }
    }
}

impl MapGround<'_> {
    /// Returns the properties of a cell's cover.
    pub(super) fn cover_data_of(&self, cell: usize) -> &CoverData {
        &self.cover_data[usize::from(self.covers[cell])]
    }

    /// Returns the strength of a cell's soil as a multiple of its nominal strength.
    ///
    /// `deviations` is the number of standard deviations of its logarithm above the median.
    pub(super) fn strength(&self, cell: usize, deviations: f64) -> f64 {
        let [median, sigma] = self.cover_data_of(cell).strength;
        median * exp(f64::from(self.shifts[cell]) + sigma * deviations)
    }

    /// Returns the table of a cell's cover.
    pub(super) fn table(&self, cell: usize) -> &SpeedTable {
        &self.tables[usize::from(self.covers[cell])]
    }
}

/// Parameters of the evaluation of cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EvaluationParams {
    /// Root seed of all draws.
    pub seed: u64,
    /// Draws per cell.
    pub draws: usize,
    /// Number of directions, a multiple of 4.
    pub directions: usize,
    /// Speed limit of the driver, m/s.
    pub speed: f64,
    /// Speed at which cells are entered, m/s, if the speed through them is evaluated.
    pub cell_entry_speed: Option<f64>,
    /// Whether the strength of the soil is uncertain.
    pub strength_varies: bool,
    /// Standard deviation of each component of a slope, rise over run.
    pub slope_deviation: f64,
}

/// Evaluates every cell.
pub fn evaluate(
    ground: &MapGround<'_>,
    params: &EvaluationParams,
    done: impl Fn(usize) + Sync,
) -> Vec<CellMetrics> {
    let evaluator = CellEvaluator::new(ground, params);
    let count = ground.cells.count();
    let batches = (0..count.div_ceil(BATCH)).into_par_iter();
    let batches = batches.flat_map_iter(|batch| {
        let mut buffer = SpeedBuffer::default();
        let cells = batch * BATCH..((batch + 1) * BATCH).min(count);
        let own: Vec<CellMetrics> =
            cells.map(|cell| evaluator.cell_metrics(cell, &mut buffer)).collect();
        done(own.len());
        own
    });
    batches.collect()
}

/// Evaluates the going of every cell by direction.
pub fn evaluate_directions(
    ground: &MapGround<'_>,
    params: &EvaluationParams,
) -> Vec<CellTrafficability> {
    let evaluator = CellEvaluator::new(ground, params);
    let one = |cell: usize| evaluator.trafficability(cell);
    (0..ground.cells.count()).into_par_iter().with_min_len(BATCH).map(one).collect()
}

/// Returns the reason why a cell is impassable in a direction at the median strength.
///
/// `direction` is an index.
pub fn bar_reason(
    ground: &MapGround<'_>,
    params: &EvaluationParams,
    cell: usize,
    direction: usize,
) -> Reason {
    if let Some(closure) = ground.closures[cell] {
        return closure.reason();
    }
    let (table, cover_data, strength) =
        (ground.table(cell), ground.cover_data_of(cell), ground.strength(cell, 0.0));
    let (sin, cos) = sin_cos(TAU * direction as f64 / params.directions as f64);
    let [along, across] = ground.shapes[cell].slopes([cos, sin]);
    // if the cell is passable at the median, the steeper of its two slopes is the reason
    let straight = match table.speed(strength, [along, across]) > 0.0 && across.abs() <= along.abs()
    {
        true => 0.0,
        false => table.speed(strength, [along, 0.0]),
    };
    let level = table.speed(strength, [0.0; 2]);
    cover_data.limits(params.speed, level, [straight, 0.0]).reason()
}

struct CellEvaluator<'a> {
    ground: &'a MapGround<'a>,
    params: &'a EvaluationParams,
    stream: RandomStream,
    normal: Vec<f64>,
    /// Cosine and sine of each axis; an axis stands for a direction and its opposite.
    axes: Vec<[f64; 2]>,
    intervals: Intervals,
    draws: usize,
}

impl<'a> CellEvaluator<'a> {
    fn new(ground: &'a MapGround<'a>, params: &'a EvaluationParams) -> CellEvaluator<'a> {
        let certain = !params.strength_varies && params.slope_deviation == 0.0;
        let draws = if certain { 1 } else { params.draws };
        let axis = |k: usize| {
            let (sin, cos) = sin_cos(TAU * k as f64 / params.directions as f64);
            [cos, sin]
        };
        CellEvaluator {
            ground,
            params,
            stream: RandomStream::new(params.seed, "cells of a map"),
            normal: (0..LEVELS).map(|n| quantile((n as f64 + 0.5) / LEVELS as f64)).collect(),
            axes: (0..params.directions / 2).map(axis).collect(),
            intervals: Intervals::new(draws, certain),
            draws,
        }
    }

    /// Draws the speeds of a cell, direction by direction.
    ///
    /// With `resample`, also makes the draws that separate the strength's part of their variance.
    fn draw(&self, cell: usize, buffer: &mut SpeedBuffer, resample: bool) {
        let draws = self.draws;
        let table = self.ground.table(cell);
        let [east, north] = self.ground.shapes[cell].slope.map(f64::from);
        let [median, sigma] = self.ground.cover_data_of(cell).strength;
        let middle = ln(median) + f64::from(self.ground.shifts[cell]);
        let (strength_varies, error) =
            (self.params.strength_varies && sigma > 0.0, self.params.slope_deviation);
        buffer.uncertain_inputs = match (strength_varies, error > 0.0) {
            (true, true) => UncertainInputs::Both,
            (false, true) => UncertainInputs::Heights,
            (_, false) => UncertainInputs::Strength,
        };
        buffer.by_direction.resize(draws * self.params.directions, 0.0);
        let passages = if self.params.cell_entry_speed.is_some() { draws } else { 0 };
        buffer.through.resize(passages * self.params.directions, 0.0);
        buffer.draws = draws;
        buffer.resampled_means.clear();
        let limit = self.params.speed.min(self.ground.cover_data_of(cell).ride);
        for draw in 0..draws {
            let bits = self.stream.bits(cell as u64 * self.params.draws as u64 + draw as u64);
            let level = |n: u32| (bits >> (n * LEVEL_BITS)) as usize & (LEVELS - 1);
            // stratum of this draw, and a position within it
            let stratified = (draw * LEVELS + level(0)) / draws;
            let deviations = if strength_varies { self.normal[stratified] } else { 0.0 };
            let strength = table.strength(middle + sigma * deviations);
            let slope = |n: u32| {
                [east + error * self.normal[level(n)], north + error * self.normal[level(n + 1)]]
            };
            let steady = |curve: &InterpolatedCurve<'_>, grade: f64| curve.speed(grade).min(limit);
            self.cross(cell, strength, slope(1), steady, |direction, speed| {
                buffer.by_direction[direction * draws + draw] = speed;
            });
            if let Some(entry) = self.params.cell_entry_speed {
                let passage = CellPassage { entry, limit, length: self.ground.cells.side };
                let through = |curve: &InterpolatedCurve<'_>, grade| passage.speed(curve, grade);
                self.cross(cell, strength, slope(1), through, |direction, speed| {
                    buffer.through[direction * draws + draw] = speed;
                });
            }
            if resample && buffer.uncertain_inputs == UncertainInputs::Both {
                let mut sum = 0.0;
                self.cross(cell, strength, slope(3), steady, |_, speed| sum += f64::from(speed));
                buffer.resampled_means.push(sum / self.params.directions as f64);
            }
        }
    }

    /// Computes the speeds of a cell in all directions at a strength on a slope.
    ///
    /// `speed` returns a speed, m/s, from the curve of a side slope and the grade.
    fn cross(
        &self,
        cell: usize,
        strength: InterpolationIndex,
        slope: [f64; 2],
        speed: impl Fn(&InterpolatedCurve<'_>, f64) -> f64,
        mut put: impl FnMut(usize, f32),
    ) {
        let table = self.ground.table(cell);
        for (axis, [cos, sin]) in self.axes.iter().enumerate() {
            let along = slope[0] * cos + slope[1] * sin;
            let across = slope[1] * cos - slope[0] * sin;
            let curve = table.interpolate(strength, across);
            let opposite = axis + self.axes.len();
            let mut speeds = [0.0; 2];
            if let Some(curve) = &curve {
                speeds = [speed(curve, along), speed(curve, -along)];
            }
            put(axis, speeds[0] as f32);
            put(opposite, speeds[1] as f32);
        }
    }

    fn cell_metrics(&self, cell: usize, buffer: &mut SpeedBuffer) -> CellMetrics {
        if let Some(closure) = self.ground.closures[cell] {
            return CellMetrics::closed(closure);
        }
        self.draw(cell, buffer, true);
        buffer.cell_metrics(&self.intervals, self.reason(cell))
    }

    fn trafficability(&self, cell: usize) -> CellTrafficability {
        if self.ground.closures[cell].is_some() {
            return CellTrafficability::closed(self.params.directions);
        }
        let mut buffer = SpeedBuffer::default();
        self.draw(cell, &mut buffer, false);
        buffer.trafficability()
    }

    /// Returns the reason for the limit where nothing is uncertain.
    fn reason(&self, cell: usize) -> Reason {
        let table = self.ground.table(cell);
        let (cover_data, strength) =
            (self.ground.cover_data_of(cell), self.ground.strength(cell, 0.0));
        let slopes_by_direction = self.axes.iter().flat_map(|direction| {
            let [along, across] = self.ground.shapes[cell].slopes(*direction);
            [[along, across], [-along, across]]
        });
        // among several impassable directions, the steepest uphill one
        let slowest = slopes_by_direction
            .map(|way| (table.speed(strength, way), way))
            .min_by(|a, b| a.0.total_cmp(&b.0).then(b.1[0].total_cmp(&a.1[0])));
        let Some((slowest, [along, _])) = slowest else { return Reason::SpeedLimit };
        let [level, straight] = [0.0, along].map(|grade| table.speed(strength, [grade, 0.0]));
        cover_data.limits(self.params.speed, level, [straight, slowest]).reason()
    }
}

#[cfg(test)]
mod tests {
    use super::super::config::TableConfig;
    use super::super::{Crossing, CrossingEnd, TableAxes, TableColumn};
    use super::*;

    /// Climbs slopes up to 0.3 ρ, ρ being the strength, at 6 m/s; any side slope is passable.
    fn table(sigma: f64) -> SpeedTable {
        let config = TableConfig { strengths: 33, side_slopes: 2, steepest: 1.5 };
        let axes = TableAxes::new(&config, [1.0, sigma], [0.0; 2]);
        let column = |n: usize| {
            let [strength, _] = axes.column_values(n);
            TableColumn::drive(1.5, |grade| {
                let is_passable = grade <= 0.3 * strength;
                let (end, speed) = if is_passable {
                    (CrossingEnd::Crossed, 6.0)
                } else {
                    (CrossingEnd::Stuck, 0.0)
                };
                Crossing { end, speed, slip: 0.0, energy: 0.0 }
            })
        };
        SpeedTable::new(&axes, &(0..axes.columns()).map(column).collect::<Vec<_>>())
    }

    fn evaluated_cell(slope: [f32; 2], sigma: f64, deviation: f64) -> CellMetrics {
        let cells = Cells { columns: 1, rows: 1, side: 10.0, north_west: [0.0; 2] };
        let tables = [table(sigma)];
        let ground = MapGround {
            cells,
            shapes: &[Quadric { slope }],
            covers: &[0],
            shifts: &[0.0],
            closures: &[None],
            cover_data: &[CoverData {
                strength: [1.0, sigma],
                ride: f64::INFINITY,
                ridges: f64::INFINITY,
                firm: f64::INFINITY,
                level_cause: None,
            }],
            tables: &tables,
        };
        let params = EvaluationParams {
            seed: 3,
            draws: 400,
            directions: 8,
            speed: 10.0,
            cell_entry_speed: None,
            strength_varies: sigma > 0.0,
            slope_deviation: deviation,
        };
        evaluate(&ground, &params, |_| ())[0]
    }

    #[test]
    fn without_error_it_goes_or_it_does_not() {
        for (slope, p_go, directions) in [(0.28, 1.0, 1.0), (0.32, 0.0, 0.875)] {
            let cell = evaluated_cell([slope, 0.0], 0.0, 0.0);
            assert_eq!([cell.p_go, cell.p_go_low, cell.p_go_high], [p_go; 3]);
            assert_eq!(cell.p_go_direction, directions);
            assert!(cell.soil_share.is_nan());
        }
        assert_eq!(evaluated_cell([0.32, 0.0], 0.0, 0.0).reason, Reason::Slope);
        assert_eq!(evaluated_cell([0.32, 0.0], 0.0, 0.0).v_p50, 6.0);
    }

    /// With a lognormal strength, half of the draws climb the slope of the median, and Φ(-ln 2 / σ)
    /// climb twice that slope.
    #[test]
    fn the_probability_to_go_is_that_of_the_strength() {
        // a stratum of 400, and half a step of the table's bounds
        let near =
            |cell: CellMetrics, expected: f64| (f64::from(cell.p_go) - expected).abs() < 0.03;
        assert!(near(evaluated_cell([0.3, 0.0], 0.5, 0.0), 0.5));
        let twice = evaluated_cell([0.6, 0.0], 0.5, 0.0);
        assert!(near(twice, 0.0828), "{twice:?}");
        assert!(twice.p_go_low < twice.p_go && twice.p_go < twice.p_go_high);
        // all variation is that of the soil, also at the limit of the climb
        for slope in [0.2, 0.3, 0.6] {
            assert_eq!(evaluated_cell([slope, 0.0], 0.5, 0.0).soil_share, 1.0);
        }
        assert!(evaluated_cell([0.3, 0.0], 0.05, 0.2).soil_share < 0.3);
        assert!(evaluated_cell([0.3, 0.0], 0.5, 0.01).soil_share > 0.85);
        assert_eq!(evaluated_cell([0.3, 0.0], 0.0, 0.1).soil_share, 0.0);
    }

    #[test]
    fn errors_of_slope_blur_the_bound_alike() {
        let cell = evaluated_cell([0.3, 0.0], 0.0, 0.05);
        // with a random error the steepest direction is steeper than the slope itself: where the
        // error is lateral, a neighboring direction takes over
        assert!((0.35..=0.53).contains(&cell.p_go), "{cell:?}");
    }
}
