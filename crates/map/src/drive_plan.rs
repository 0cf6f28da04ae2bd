//! Drives of every cell of a map in full physics, in all directions at several strengths.
//!
//! Strengths are the medians of equally likely classes of the lognormal distribution; a single
//! strength is its median. Nothing is random, and the elevation model is assumed to be exact.

use super::audit::AuditedDrive;
use super::cell_metrics::{CellMetrics, CellTrafficability, Intervals, Reason, SpeedBuffer};
use super::cells::Quadric;
use super::closure::CellClosure;
use super::config::BarrierKind;
use super::cover::GroundCover;
use super::crossing::{Crossing, CrossingEnd};
use super::crossing_driver::CrossingDriver;
use super::evaluation::{CoverData, EvaluationParams, MapGround};
use bekker_math::numeric::sin_cos;
use bekker_sensor::noise::quantile;
use std::f64::consts::TAU;

/// Plan of the drives of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrivePlan {
    /// Number of equally likely strengths.
    pub strengths: usize,
    /// Number of directions, evenly spaced from east.
    pub directions: usize,
}

impl DrivePlan {
    /// Creates the plan for the parameters of a map; soil of certain strength has one strength.
    pub fn new(params: &EvaluationParams, strengths: usize) -> DrivePlan {
        let strengths = if params.strength_varies { strengths.max(1) } else { 1 };
        DrivePlan { strengths, directions: params.directions }
    }

    /// Returns the number of crossings per cell.
    pub fn crossings_per_cell(&self) -> usize {
        self.strengths * self.directions
    }

    /// Returns the direction (rad from east toward north) and strength of a crossing.
    ///
    /// The strength is in standard deviations of its logarithm above the median.
    pub fn crossing(&self, crossing: usize) -> [f64; 2] {
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
        driver: &CrossingDriver<'_>,
        covers: &[GroundCover],
        ground: &MapGround<'_>,
        cell: usize,
    ) -> Vec<Crossing> {
        let (cover, center) =
            (&covers[usize::from(ground.covers[cell])], ground.cells.center(cell));
        let held = ground.cover_data_of(cell).ridges;
        let crossing = |n: usize| {
            let [direction, deviations] = self.crossing(n);
            let (sin, cos) = sin_cos(direction);
            let strength = ground.strength(cell, deviations);
            driver.on_ground(cover, held, strength, center, [cos, sin])
        };
        (0..self.crossings_per_cell()).map(crossing).collect()
    }

    /// Computes the metrics of every cell from its crossings, `None` for a closed cell.
    ///
    /// `levels` are the speeds on level ground of each cover at its median strength, m/s.
    pub fn cell_metrics(
        &self,
        ground: &MapGround<'_>,
        params: &EvaluationParams,
        levels: &[f64],
        crossings: &[Option<Vec<Crossing>>],
    ) -> Vec<CellMetrics> {
        let intervals = Intervals::new(self.strengths, !params.strength_varies);
        let mut speeds = SpeedBuffer::default();
        let cells = crossings.iter().enumerate().map(|(cell, crossings)| {
            match (ground.closures[cell], crossings) {
                (None, Some(crossings)) => {
                    let cover_data = ground.cover_data_of(cell);
                    self.fill_speeds(params.speed.min(cover_data.ride), crossings, &mut speeds);
                    let level = levels[usize::from(ground.covers[cell])];
                    let (shape, driver) = (&ground.shapes[cell], params.speed);
                    let reason = self.reason(driver, cover_data, shape, level, crossings);
                    speeds.cell_metrics(&intervals, reason)
                }
                (closure, _) => CellMetrics::closed(
                    closure.unwrap_or(CellClosure::Barrier(BarrierKind::Obstacle)),
                ),
            }
        });
        cells.collect()
    }

    /// Computes the going by direction from crossings.
    pub fn trafficability(
        &self,
        ground: &MapGround<'_>,
        params: &EvaluationParams,
        crossings: &[Option<Vec<Crossing>>],
    ) -> Vec<CellTrafficability> {
        let mut speeds = SpeedBuffer::default();
        let cells = crossings.iter().enumerate().map(|(cell, crossings)| match crossings {
            Some(crossings) => {
                self.fill_speeds(
                    params.speed.min(ground.cover_data_of(cell).ride),
                    crossings,
                    &mut speeds,
                );
                speeds.trafficability()
            }
            None => CellTrafficability::closed(self.directions),
        });
        cells.collect()
    }

    fn fill_speeds(&self, limit: f64, crossings: &[Crossing], speeds: &mut SpeedBuffer) {
        speeds.by_direction.clear();
        speeds.by_direction.extend(crossings.iter().map(|own| own.speed.min(limit) as f32));
        speeds.draws = self.strengths;
    }

    /// Returns the reason why a cell is impassable in a direction at the middle strength.
    ///
    /// `direction` is an index.
    pub fn bar_reason(
        &self,
        ground: &MapGround<'_>,
        params: &EvaluationParams,
        levels: &[f64],
        cell: usize,
        crossings: Option<&Vec<Crossing>>,
        direction: usize,
    ) -> Reason {
        let (None, Some(crossings)) = (ground.closures[cell], crossings) else {
            return ground.closures[cell].map_or(Reason::Obstacle, CellClosure::reason);
        };
        let crossing = crossings[direction * self.strengths + self.strengths / 2];
        let level = levels[usize::from(ground.covers[cell])];
        let is_sideways = matches!(crossing.end, CrossingEnd::Overturned | CrossingEnd::OffCourse);
        let straight = if is_sideways { level } else { 0.0 };
        ground.cover_data_of(cell).limits(params.speed, level, [straight, 0.0]).reason()
    }

    /// Returns the reason for the limit in the slowest direction at the middle strength.
    ///
    /// If the vehicle does not keep going, the outcome decides between grade and side slope.
    /// Otherwise the steeper of the two does.
    fn reason(
        &self,
        driver: f64,
        cover_data: &CoverData,
        shape: &Quadric,
        level: f64,
        crossings: &[Crossing],
    ) -> Reason {
        let crossings_by_direction = (0..self.directions).map(|n| {
            let (sin, cos) = sin_cos(self.direction(n));
            (crossings[n * self.strengths + self.strengths / 2], shape.slopes([cos, sin]))
        });
        // among several impassable directions, the steepest uphill one
        let slowest = crossings_by_direction
            .min_by(|a, b| a.0.speed.total_cmp(&b.0.speed).then(b.1[0].total_cmp(&a.1[0])));
        let Some((crossing, [along, across])) = slowest else { return Reason::SpeedLimit };
        let is_sideways = match crossing.end {
            CrossingEnd::Overturned | CrossingEnd::OffCourse => true,
            CrossingEnd::Stuck => false,
            CrossingEnd::Crossed | CrossingEnd::Failed => across.abs() > along.abs(),
        };
        let straight = if is_sideways { level } else { crossing.speed };
        cover_data.limits(driver, level, [straight, crossing.speed]).reason()
    }

    /// Compares all crossings with the results of the tables.
    pub fn audited_drives(
        &self,
        ground: &MapGround<'_>,
        params: &EvaluationParams,
        crossings: &[Option<Vec<Crossing>>],
    ) -> Vec<AuditedDrive> {
        let driven = crossings.iter().enumerate();
        let driven = driven.filter_map(|(cell, own)| Some((cell, own.as_ref()?)));
        let of_cell = |(cell, crossings): (usize, &Vec<Crossing>)| {
            let audited = crossings.iter().enumerate().map(|(n, crossing)| {
                AuditedDrive::new(ground, params, (cell, self.crossing(n)), crossing)
            });
            audited.collect::<Vec<_>>()
        };
        driven.flat_map(of_cell).collect()
    }
}
