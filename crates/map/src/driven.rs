//! Drives of every cell of a map in full physics, in all directions at several strengths.
//!
//! Strengths are the medians of equally likely classes of the lognormal distribution; a single
//! strength is its median. Nothing is random, and the elevation model is assumed to be exact.

use super::asking::{Ground, Known, Question};
use super::audit::Audited;
use super::barred::Closure;
use super::config::BarrierKind;
use super::cover::Cover;
use super::crossing::{Crossing, End};
use super::driving::Driver;
use super::figures::{CellFigures, Going, Intervals, Reason, Speeds};
use super::relief::Quadric;
use bekker_math::numeric::sin_cos;
use bekker_sensor::noise::quantile;
use std::f64::consts::TAU;

/// Plan of the drives of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drives {
    /// Number of equally likely strengths.
    pub strengths: usize,
    /// Number of directions, evenly spaced from east.
    pub directions: usize,
}

impl Drives {
    /// Creates the plan for the parameters of a map; soil of certain strength has one strength.
    pub fn new(question: &Question, strengths: usize) -> Drives {
        let strengths = if question.strength_varies { strengths.max(1) } else { 1 };
        Drives { strengths, directions: question.directions }
    }

    /// Returns the number of crossings per cell.
    pub fn of_a_cell(&self) -> usize {
        self.strengths * self.directions
    }

    /// Returns the direction (rad from east toward north) and strength of a crossing.
    ///
    /// The strength is in standard deviations of its logarithm above the median.
    pub fn of(&self, crossing: usize) -> [f64; 2] {
        let (direction, strength) = (crossing / self.strengths, crossing % self.strengths);
        [self.direction(direction), self.deviations(strength)]
    }

    /// Returns a strength, in standard deviations of its logarithm above the median.
    fn deviations(&self, strength: usize) -> f64 {
        quantile((strength as f64 + 0.5) / self.strengths as f64)
    }

    /// Returns a direction, rad from east toward north.
    fn direction(&self, direction: usize) -> f64 {
        TAU * direction as f64 / self.directions as f64
    }

    /// Drives a cell: direction by direction, with increasing strengths.
    pub fn drive(
        &self,
        driver: &Driver<'_>,
        covers: &[Cover],
        ground: &Ground<'_>,
        cell: usize,
    ) -> Vec<Crossing> {
        let (cover, centre) =
            (&covers[usize::from(ground.covers[cell])], ground.cells.centre(cell));
        let held = ground.of(cell).ridges;
        let crossing = |n: usize| {
            let [direction, deviations] = self.of(n);
            let (sin, cos) = sin_cos(direction);
            let strength = ground.strength(cell, deviations);
            driver.on_ground(cover, held, strength, centre, [cos, sin])
        };
        (0..self.of_a_cell()).map(crossing).collect()
    }

    /// Computes the metrics of every cell from its crossings, `None` for a closed cell.
    ///
    /// `levels` are the speeds on level ground of each cover at its median strength, m/s.
    pub fn figures(
        &self,
        ground: &Ground<'_>,
        question: &Question,
        levels: &[f64],
        crossings: &[Option<Vec<Crossing>>],
    ) -> Vec<CellFigures> {
        let intervals = Intervals::of(self.strengths, !question.strength_varies);
        let mut speeds = Speeds::default();
        let cells = crossings.iter().enumerate().map(|(cell, crossings)| {
            match (ground.closures[cell], crossings) {
                (None, Some(crossings)) => {
                    let known = ground.of(cell);
                    self.take(question.speed.min(known.ride), crossings, &mut speeds);
                    let level = levels[usize::from(ground.covers[cell])];
                    let (shape, driver) = (&ground.shapes[cell], question.speed);
                    let reason = self.reason(driver, known, shape, level, crossings);
                    speeds.figures(&intervals, reason)
                }
                (closure, _) => {
                    CellFigures::closed(closure.unwrap_or(Closure::Barrier(BarrierKind::Obstacle)))
                }
            }
        });
        cells.collect()
    }

    /// Computes the going by direction from crossings.
    pub fn going(
        &self,
        ground: &Ground<'_>,
        question: &Question,
        crossings: &[Option<Vec<Crossing>>],
    ) -> Vec<Going> {
        let mut speeds = Speeds::default();
        let cells = crossings.iter().enumerate().map(|(cell, crossings)| match crossings {
            Some(crossings) => {
                self.take(question.speed.min(ground.of(cell).ride), crossings, &mut speeds);
                speeds.going()
            }
            None => Going::closed(self.directions),
        });
        cells.collect()
    }

    fn take(&self, limit: f64, crossings: &[Crossing], speeds: &mut Speeds) {
        speeds.by_direction.clear();
        speeds.by_direction.extend(crossings.iter().map(|own| own.speed.min(limit) as f32));
        speeds.draws = self.strengths;
    }

    /// Returns the reason why a cell is impassable in a direction at the middle strength.
    ///
    /// `direction` is an index.
    pub fn bar_reason(
        &self,
        ground: &Ground<'_>,
        question: &Question,
        levels: &[f64],
        cell: usize,
        crossings: Option<&Vec<Crossing>>,
        direction: usize,
    ) -> Reason {
        let (None, Some(crossings)) = (ground.closures[cell], crossings) else {
            return ground.closures[cell].map_or(Reason::Obstacle, Closure::reason);
        };
        let crossing = crossings[direction * self.strengths + self.strengths / 2];
        let level = levels[usize::from(ground.covers[cell])];
        let to_the_side = matches!(crossing.end, End::Overturned | End::OffCourse);
        let straight = if to_the_side { level } else { 0.0 };
        ground.of(cell).limits(question.speed, level, [straight, 0.0]).reason()
    }

    /// Returns the reason for the limit in the slowest direction at the middle strength.
    ///
    /// If the vehicle does not keep going, the outcome decides between grade and side slope.
    /// Otherwise the steeper of the two does.
    fn reason(
        &self,
        driver: f64,
        known: &Known,
        shape: &Quadric,
        level: f64,
        crossings: &[Crossing],
    ) -> Reason {
        let ways = (0..self.directions).map(|n| {
            let (sin, cos) = sin_cos(self.direction(n));
            (crossings[n * self.strengths + self.strengths / 2], shape.slopes([cos, sin]))
        });
        // among several impassable directions, the steepest uphill one
        let slowest =
            ways.min_by(|a, b| a.0.speed.total_cmp(&b.0.speed).then(b.1[0].total_cmp(&a.1[0])));
        let Some((crossing, [along, across])) = slowest else { return Reason::SpeedLimit };
        let to_the_side = match crossing.end {
            End::Overturned | End::OffCourse => true,
            End::Stuck => false,
            End::Crossed | End::Failed => across.abs() > along.abs(),
        };
        let straight = if to_the_side { level } else { crossing.speed };
        known.limits(driver, level, [straight, crossing.speed]).reason()
    }

    /// Compares all crossings with the results of the tables.
    pub fn audited(
        &self,
        ground: &Ground<'_>,
        question: &Question,
        crossings: &[Option<Vec<Crossing>>],
    ) -> Vec<Audited> {
        let driven = crossings.iter().enumerate();
        let driven = driven.filter_map(|(cell, own)| Some((cell, own.as_ref()?)));
        let of_cell = |(cell, crossings): (usize, &Vec<Crossing>)| {
            let audited = crossings
                .iter()
                .enumerate()
                .map(|(n, crossing)| Audited::new(ground, question, (cell, self.of(n)), crossing));
            audited.collect::<Vec<_>>()
        };
        driven.flat_map(of_cell).collect()
    }
}
