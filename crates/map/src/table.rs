//! Table of the steady speeds of a vehicle on planes of one soil, by strength, grade and side
//! slope.
//!
//! Each column of the table is for one strength and side slope. The range of passable grades of a
//! column is found by a scan and by bisection. Grades within it are driven no farther apart than
//! [`MAX_GRADE_GAP`], and no farther apart than a step where the speed jumps, as at a gear change.
//!
//! A column keeps speed as a curve over the relative grade, which is 0 at the lower and 1 at the
//! upper bound. The points of the curve are at equal arc lengths. Between columns, points of equal
//! index are interpolated, so bounds are interpolated with bounds and jumps with jumps, wherever
//! they are. The limit of passable grades, or of a gear, is then a continuous line and not a
//! staircase.

use super::config::TableConfig;
use super::crossing::Crossing;
use bekker_math::numeric::{exp, ln};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Resolution of driven grades, rise over run; bisection ends here.
const STEP: f64 = 0.0125;
/// Steps of the scan.
const SCAN_STEPS: i32 = 16;
/// Greatest number of steps between two passable grades of a column.
const MAX_GRADE_GAP: i32 = 8;
/// Difference of speeds, m/s, above which grades are driven between neighbors.
const MAX_SPEED_STEP: f64 = 0.6;
/// Number of points of a column's curve, and number of intervals of its index.
const KNOTS: usize = 65;
const INTERVALS: usize = 256;
/// Range of strengths, in standard deviations.
const STRENGTH_RANGE: f64 = 2.5;

/// Column of the table: one strength and side slope.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableColumn {
    /// All crossings driven, by grade in steps of 0.0125.
    pub driven: BTreeMap<i32, Crossing>,
    /// Steepest passable grades, down and up; equal if no grade is passable.
    pub bounds: [f64; 2],
}

impl TableColumn {
    /// Drives a column; `cross` is called for grades up to `steepest`.
    pub fn drive(steepest: f64, mut cross: impl FnMut(f64) -> Crossing) -> TableColumn {
        let last = ((steepest / STEP) as i32).max(SCAN_STEPS);
        let mut driven = BTreeMap::new();
        let mut is_passable = |driven: &mut BTreeMap<i32, Crossing>, step: i32| {
            let known = driven.entry(step);
            known.or_insert_with(|| cross(f64::from(step) * STEP)).is_passable()
        };
        // level ground, or else the least passable descent
        let mut scan = (0..=last / SCAN_STEPS).map(|n| -n * SCAN_STEPS).chain([-last]);
        let Some(start) = scan.find(|step| is_passable(&mut driven, *step)) else {
            let never = -f64::from(last) * STEP;
            return TableColumn { driven, bounds: [never; 2] };
        };
        let bounds = [-1, 1].map(|sign: i32| {
            let end = sign * last;
            let mut inside = start;
            let mut outside = None;
            while inside != end && outside.is_none() {
                let next = if (end - inside).abs() < SCAN_STEPS {
                    end
                } else {
                    inside + sign * SCAN_STEPS
                };
                if is_passable(&mut driven, next) {
                    inside = next;
                } else {
                    outside = Some(next);
                }
            }
            let Some(mut outside) = outside else { return f64::from(inside) * STEP };
            while (outside - inside).abs() > 1 {
                let middle = (inside + outside) / 2;
                if is_passable(&mut driven, middle) {
                    inside = middle;
                } else {
                    outside = middle;
                }
            }
            0.5 * f64::from(inside + outside) * STEP
        });
        let within = |driven: &BTreeMap<i32, Crossing>| -> Vec<i32> {
            driven.iter().filter(|(_, own)| own.is_passable()).map(|(step, _)| *step).collect()
        };
        loop {
            let steps = within(&driven);
            let is_too_far = |[low, high]: [i32; 2]| {
                high - low > 1 && (driven[&low].speed - driven[&high].speed).abs() > MAX_SPEED_STEP
            };
            let mut pairs = steps.windows(2).map(|pair| [pair[0], pair[1]]);
            let gap =
                pairs.find(|&[low, high]| high - low > MAX_GRADE_GAP || is_too_far([low, high]));
            let Some([low, high]) = gap else { break };
            // an impassable grade between two passable ones ends the search; its crossing is kept
            if !is_passable(&mut driven, (low + high).div_euclid(2)) {
                break;
            }
        }
        TableColumn { driven, bounds }
    }

    /// Returns the curve of speed, m/s, over the relative grade.
    ///
    /// Its points are at equal arc lengths: a length is half the relative grade plus half the
    /// fraction of all changes of speed.
    fn curve(&self) -> SpeedCurve {
        let [low, high] = self.bounds;
        let width = (high - low).max(STEP);
        let inner = self.driven.iter().filter(|(_, own)| own.is_passable()).map(|(step, own)| {
            let share = (f64::from(*step) * STEP - low) / width;
            [share.clamp(0.0, 1.0), own.speed]
        });
        let mut points: Vec<[f64; 2]> = inner.collect();
        let [first, last] =
            [points.first(), points.last()].map(|end| end.map_or(0.0, |own| own[1]));
        points.insert(0, [0.0, first]);
        points.push([1.0, last]);
        resample(&points)
    }

    /// Returns all crossings driven, each with its grade, rise over run.
    pub fn crossings(&self) -> impl Iterator<Item = (f64, &Crossing)> {
        self.driven.iter().map(|(step, own)| (f64::from(*step) * STEP, own))
    }
}

/// Speeds of a column over the relative grade between its bounds.
#[derive(Clone, Debug, PartialEq)]
struct SpeedCurve {
    /// Relative grade and speed, m/s, of each point.
    knots: [[f64; 2]; KNOTS],
    /// For each interval of the relative grade, the last point not beyond its start.
    reached: [u8; INTERVALS + 1],
}

impl SpeedCurve {
    fn new(knots: [[f64; 2]; KNOTS]) -> SpeedCurve {
        let reached = |part: usize| {
            let begin = part as f64 / INTERVALS as f64;
            let farther = knots.partition_point(|[share, _]| *share <= begin);
            farther.saturating_sub(1).min(KNOTS - 2) as u8
        };
        SpeedCurve { knots, reached: std::array::from_fn(reached) }
    }
}

/// Resamples a polyline of relative grade and speed at equal arc lengths.
///
/// An arc length is half the relative grade plus half the fraction of all changes of speed.
fn resample(points: &[[f64; 2]]) -> SpeedCurve {
    let change = |pair: &[[f64; 2]]| (pair[1][1] - pair[0][1]).abs();
    let changes: f64 = points.windows(2).map(change).sum();
    let mut lengths = vec![0.0];
    for pair in points.windows(2) {
        let share = pair[1][0] - pair[0][0];
        let part = if changes > 0.0 { change(pair) / changes } else { share };
        lengths.push(lengths[lengths.len() - 1] + 0.5 * (share + part));
    }
    let place = |n: usize| {
        let length = lengths[lengths.len() - 1] * n as f64 / (KNOTS - 1) as f64;
        let after = lengths.partition_point(|own| *own <= length).clamp(1, points.len() - 1);
        let [begin, end] = [lengths[after - 1], lengths[after]];
        let part = if end > begin { ((length - begin) / (end - begin)).min(1.0) } else { 1.0 };
        let between =
            |k: usize| points[after - 1][k] + part * (points[after][k] - points[after - 1][k]);
        [between(0), between(1)]
    };
    SpeedCurve::new(std::array::from_fn(place))
}

/// Strengths and side slopes of a table's columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableAxes {
    /// Logarithms of the least and the greatest strength.
    pub range: [f64; 2],
    /// Strengths as multiples of the soil's nominal strength, in a geometric sequence.
    pub strengths: Vec<f64>,
    /// Side slopes, rise over run, evenly spaced from level.
    pub side_slopes: Vec<f64>,
}

impl TableAxes {
    /// Creates the axes for a median strength.
    ///
    /// The logarithm of strength has the standard deviation `sigma`, and an offset per cell within
    /// `shifts`. The spacing of strengths does not depend on the shifts. A certain soil of uniform
    /// strength has one strength.
    pub fn new(
        config: &TableConfig,
        [median, sigma]: [f64; 2],
        [least, greatest]: [f64; 2],
    ) -> TableAxes {
        let (middle, reach) = (ln(median), STRENGTH_RANGE * sigma);
        let range = [middle + least - reach, middle + greatest + reach];
        let width = range[1] - range[0];
        let count = if width <= 1e-9 {
            1
        } else if sigma > 0.0 {
            // the tolerance keeps rounding from adding a strength
            1 + ((config.strengths - 1) as f64 * width / (2.0 * reach) - 1e-9).ceil() as usize
        } else {
            config.strengths
        };
        let strength = |n: usize| {
            let share = if count > 1 { n as f64 / (count - 1) as f64 } else { 0.5 };
            exp(range[0] + width * share)
        };
        let side = |n: usize| config.steepest * n as f64 / (config.side_slopes - 1) as f64;
        TableAxes {
            range,
            strengths: (0..count).map(strength).collect(),
            side_slopes: (0..config.side_slopes).map(side).collect(),
        }
    }

    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        self.strengths.len() * self.side_slopes.len()
    }

    /// Returns the strength and side slope of a column; side slopes vary fastest.
    pub fn column_values(&self, column: usize) -> [f64; 2] {
        let sides = self.side_slopes.len();
        [self.strengths[column / sides], self.side_slopes[column % sides]]
    }
}

/// Table of one soil, for evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct SpeedTable {
    sides: usize,
    strengths: usize,
    side_step: f64,
    /// Logarithms of the least strength, and of the ratio of two adjacent strengths.
    logarithms: [f64; 2],
    bounds: Vec<[f64; 2]>,
    curves: Vec<SpeedCurve>,
}

/// Position between two strengths.
#[derive(Clone, Copy, Debug)]
pub struct InterpolationIndex {
    low: usize,
    share: f64,
}

/// Interpolation between four columns at a strength and side slope.
#[derive(Clone, Copy, Debug)]
pub struct InterpolatedCurve<'a> {
    curves: [&'a SpeedCurve; 4],
    weights: [f64; 4],
    bounds: [f64; 2],
}

impl InterpolatedCurve<'_> {
    /// Returns the speed at a grade, m/s; 0 if impassable.
    #[inline]
    pub fn speed(&self, grade: f64) -> f64 {
        let [low, high] = self.bounds;
        if !(low < high && grade >= low && grade <= high) {
            return 0.0;
        }
        let share = (grade - low) / (high - low);
        // finds the two points that enclose the relative grade, from the smallest index of all
        // columns on
        let part = (share * INTERVALS as f64) as usize;
        let mut number = KNOTS - 2;
        for curve in self.curves {
            number = number.min(usize::from(curve.reached[part]));
        }
        let (mut before, mut after) = (self.knot(number), self.knot(number + 1));
        while after[0] <= share && number < KNOTS - 2 {
            number += 1;
            (before, after) = (after, self.knot(number + 1));
        }
        let ([begin, a], [end, b]) = (before, after);
        let between =
            if end > begin { ((share - begin) / (end - begin)).clamp(0.0, 1.0) } else { 0.5 };
        a + between * (b - a)
    }

    /// Returns grades, rise over run, from the steepest descent on, with their speeds, m/s.
    pub(super) fn points(&self) -> [[f64; 2]; KNOTS] {
        let [low, high] = self.bounds;
        std::array::from_fn(|number| {
            let [share, speed] = self.knot(number);
            [low + share * (high - low), speed]
        })
    }

    /// Returns the relative grade and speed, m/s, of an interpolated point.
    #[inline(always)]
    fn knot(&self, number: usize) -> [f64; 2] {
        let mut place = [0.0; 2];
        for n in 0..4 {
            let [share, speed] = self.curves[n].knots[number];
            place[0] += self.weights[n] * share;
            place[1] += self.weights[n] * speed;
        }
        place
    }
}

impl SpeedTable {
    /// Creates a table from columns in the order of their axes.
    pub fn new(axes: &TableAxes, columns: &[TableColumn]) -> SpeedTable {
        let side_step = axes.side_slopes.get(1).copied().unwrap_or(1.0);
        let strengths = axes.strengths.len();
        let mut table = SpeedTable {
            sides: axes.side_slopes.len(),
            strengths,
            side_step,
            logarithms: [
                axes.range[0],
                (axes.range[1] - axes.range[0]) / (strengths.max(2) - 1) as f64,
            ],
            bounds: columns.iter().map(|own| own.bounds).collect(),
            curves: columns.iter().map(TableColumn::curve).collect(),
        };
        table.close();
        table
    }

    /// Prepares impassable columns for interpolation with passable ones.
    ///
    /// An impassable column takes the curve of the next column that is less steep, or else
    /// stronger. Its bounds collapse to the middle of that column's range.
    fn close(&mut self) {
        for column in (0..self.strengths).rev().flat_map(|n| n * self.sides..(n + 1) * self.sides) {
            let [low, high] = self.bounds[column];
            let next = if column % self.sides > 0 {
                column.checked_sub(1)
            } else {
                Some(column + self.sides)
            };
            let next = next.filter(|next| low == high && *next < self.bounds.len());
            if let Some(next) = next {
                let middle = 0.5 * (self.bounds[next][0] + self.bounds[next][1]);
                self.bounds[column] = [middle; 2];
                self.curves[column] = self.curves[next].clone();
            }
        }
    }

    /// Returns the position of a strength by its logarithm, clamped to the table.
    pub fn strength(&self, logarithm: f64) -> InterpolationIndex {
        if self.strengths == 1 {
            return InterpolationIndex { low: 0, share: 0.0 };
        }
        let place = (logarithm - self.logarithms[0]) / self.logarithms[1];
        let place = place.clamp(0.0, (self.strengths - 1) as f64);
        let low = (place as usize).min(self.strengths - 2);
        InterpolationIndex { low, share: place - low as f64 }
    }

    /// Interpolates at a strength and a side slope to either side; `None` beyond the steepest.
    #[inline]
    pub fn interpolate(
        &self,
        strength: InterpolationIndex,
        side_slope: f64,
    ) -> Option<InterpolatedCurve<'_>> {
        let place = side_slope.abs() / self.side_step;
        let last = self.sides - 1;
        if place > last as f64 {
            return None;
        }
        let side = (place as usize).min(last - 1);
        let (s, t) = (strength.share, place - side as f64);
        let below = strength.low * self.sides + side;
        let above = if self.strengths > 1 { below + self.sides } else { below };
        let columns = [below, below + 1, above, above + 1];
        let weights = [(1.0 - s) * (1.0 - t), (1.0 - s) * t, s * (1.0 - t), s * t];
        let curve = |n: usize| &self.curves[columns[n]];
        let curves = [curve(0), curve(1), curve(2), curve(3)];
        let mut bounds = [0.0; 2];
        for n in 0..4 {
            let [low, high] = self.bounds[columns[n]];
            bounds[0] += weights[n] * low;
            bounds[1] += weights[n] * high;
        }
        Some(InterpolatedCurve { curves, weights, bounds })
    }

    /// Returns the speed on a plane at a strength, m/s; 0 if impassable.
    ///
    /// The strength is a multiple of the soil's nominal strength.
    pub fn speed(&self, strength: f64, [along, across]: [f64; 2]) -> f64 {
        let curve = self.interpolate(self.strength(ln(strength)), across);
        curve.map_or(0.0, |curve| curve.speed(along))
    }
}

#[cfg(test)]
mod tests {
    use super::super::CrossingEnd;
    use super::*;

    fn crossed(speed: f64) -> Crossing {
        Crossing { end: CrossingEnd::Crossed, speed, slip: 0.1, energy: 1.0 }
    }

    fn stuck() -> Crossing {
        Crossing { end: CrossingEnd::Stuck, speed: 0.0, slip: 1.0, energy: 1.0 }
    }

    /// Passable from -0.55 to 0.3, with a speed that falls with the grade.
    fn hill(grade: f64) -> Crossing {
        if (-0.55..=0.3).contains(&grade) { crossed(4.0 - 10.0 * grade) } else { stuck() }
    }

    #[test]
    fn a_column_finds_its_bounds_to_half_a_step() {
        let column = TableColumn::drive(0.8, hill);
        let [low, high] = column.bounds;
        assert!((low + 0.55).abs() <= 0.5 * STEP + 1e-9 && (high - 0.3).abs() <= 0.5 * STEP + 1e-9);
        let grades: Vec<i32> =
            column.driven.iter().filter(|own| own.1.is_passable()).map(|o| *o.0).collect();
        assert!(grades.windows(2).all(|pair| pair[1] - pair[0] <= MAX_GRADE_GAP));
        assert!(column.driven.len() < 30, "{}", column.driven.len());
    }

    #[test]
    fn curves_that_pass_only_downhill_or_never_are_recognized() {
        let down = TableColumn::drive(0.8, |g| if g < -0.3 { crossed(2.0) } else { stuck() });
        assert_eq!(down.bounds[0], -0.8);
        assert!((down.bounds[1] + 0.3).abs() <= STEP);
        let never = TableColumn::drive(0.8, |_| stuck());
        assert_eq!(never.bounds[0], never.bounds[1]);
        let always = TableColumn::drive(0.8, |_| crossed(5.0));
        assert_eq!(always.bounds, [-0.8, 0.8]);
    }

    /// The vehicle climbs 0.3 ρ^½ on ground without side slope, less with one, and its speed falls
    /// linearly to the bound.
    ///
    /// Between columns the table is compared with the formula.
    #[test]
    fn between_columns_bounds_and_speeds_are_near_the_formula() {
        let config = TableConfig { strengths: 7, side_slopes: 7, steepest: 0.8 };
        let sigma = 0.5;
        let axes = TableAxes::new(&config, [1.0, sigma], [0.0; 2]);
        let top = |strength: f64, side: f64| 0.3 * strength.sqrt() - 0.2 * side;
        let truth = |strength: f64, [grade, side]: [f64; 2]| {
            let share = (grade + 0.8) / (top(strength, side) + 0.8);
            if share <= 1.0 { 8.0 - 6.0 * share } else { 0.0 }
        };
        let columns: Vec<TableColumn> = (0..axes.columns())
            .map(|n| {
                let [strength, side] = axes.column_values(n);
                TableColumn::drive(0.8, |grade| {
                    let speed = truth(strength, [grade, side]);
                    if speed > 0.0 { crossed(speed) } else { stuck() }
                })
            })
            .collect();
        let table = SpeedTable::new(&axes, &columns);
        for n in 0..2000 {
            let part = |k: u32| f64::from((n * 7919 + k * 104_729) % 1000) / 1000.0;
            let (z, grade, side) = (5.0 * part(1) - 2.5, 1.6 * part(2) - 0.8, 0.8 * part(3));
            let strength = (sigma * z).exp();
            let bound = top(strength, side);
            // half a step of the bounds, and the curvature of the root between two strengths
            if (grade - bound).abs() < 0.02 {
                continue;
            }
            let (found, known) =
                (table.speed(strength, [grade, side]), truth(strength, [grade, side]));
            assert!((found - known).abs() < 0.15, "{z} {grade} {side}: {found}, not {known}");
        }
        assert_eq!(table.speed(1.0, [0.0, 0.81]), 0.0);
    }

    #[test]
    fn a_certain_soil_has_one_strength() {
        let axes = TableAxes::new(&TableConfig::default(), [0.8, 0.0], [0.0; 2]);
        assert!(axes.strengths.len() == 1 && (axes.strengths[0] - 0.8).abs() < 1e-12);
        let columns: Vec<TableColumn> = (0..9).map(|_| TableColumn::drive(0.8, hill)).collect();
        let table = SpeedTable::new(&axes, &columns);
        assert!((table.speed(3.0, [0.1, 0.33]) - 3.0).abs() < 1e-6);
    }

    #[test]
    fn strengths_lie_as_close_where_they_differ_from_cell_to_cell() {
        let config = TableConfig { strengths: 5, ..TableConfig::default() };
        let alike = TableAxes::new(&config, [1.0, 0.4], [0.0; 2]);
        assert_eq!(alike.strengths.len(), 5);
        // from 2.5 deviations below the weakest to 2.5 above the strongest
        let apart = TableAxes::new(&config, [1.0, 0.4], [-1.0, 0.0]);
        assert_eq!(apart.strengths.len(), 7);
        assert!((apart.strengths[0] - (-2.0_f64).exp()).abs() < 1e-12);
        assert_eq!(apart.strengths[6], alike.strengths[4]);
        assert_eq!(TableAxes::new(&config, [1.0, 0.0], [-1.0, 0.0]).strengths.len(), 5);
    }
}
