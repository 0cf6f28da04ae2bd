//! Audit of the table: comparison of cells by the table with cells that are driven.

use super::cover::GroundCover;
use super::crossing::Crossing;
use super::crossing_driver::{CrossingDriver, DriveThreads, DrivingError};
use super::evaluation::{EvaluationParams, MapGround};
use bekker_math::numeric::sin_cos;
use bekker_math::random::RandomStream;
use bekker_sensor::noise::quantile;
use serde::Serialize;
use std::f64::consts::TAU;

/// Confidence level of the band about the table's speeds.
pub const CONFIDENCE: f64 = 0.9;

/// A driven cell, in one direction at one strength.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AuditedDrive {
    /// Center of the cell, m.
    pub center: [f64; 2],
    /// Direction, rad from east toward north.
    pub direction: f64,
    /// Strength, in standard deviations of its logarithm above the median.
    pub deviations: f64,
    /// Grade along the direction and slope across it by the map, rise over run.
    pub slope: [f64; 2],
    /// Speed by the table, m/s; 0 if impassable.
    pub table: f64,
    /// Speed as driven, m/s; 0 if impassable.
    pub driven: f64,
}

/// Comparison of the table with drives.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Audit {
    /// Number of cells driven.
    pub cells: usize,
    /// Passable by both.
    pub go_go: usize,
    /// Passable by the table, impassable as driven.
    pub go_no: usize,
    /// Impassable by the table, passable as driven.
    pub no_go: usize,
    /// Impassable by both.
    pub no_no: usize,
    /// Fraction of cells in which both agree.
    pub agreement: f64,
    /// Root mean square of the difference of speeds where both are passable, m/s.
    pub speed_error: Option<f64>,
    /// Mean of the table's speed minus the driven speed where both are passable, m/s.
    pub speed_bias: Option<f64>,
    /// Half width of the 90 % band about the table's speed, m/s.
    ///
    /// It is computed from every second cell (split conformal prediction).
    pub band: Option<f64>,
    /// Fraction of the other cells within the band.
    pub band_holds: Option<f64>,
}

/// Drives `count` random cells in full physics over the actual ground.
///
/// Cells, directions and strengths are drawn independently.
///
/// # Errors
/// [`DrivingError`].
pub fn audit(
    driver: &CrossingDriver<'_>,
    covers: &[GroundCover],
    ground: &MapGround<'_>,
    params: &EvaluationParams,
    count: usize,
    threads: &DriveThreads<'_>,
    done: impl Fn() + Sync,
) -> Result<Vec<AuditedDrive>, DrivingError> {
    let cells = sample_cells(ground, params.seed, count);
    let stream = RandomStream::new(params.seed, "directions and strengths of an audit");
    threads.run_all(cells.len(), |n| {
        let cell = cells[n];
        let part = stream.uniform(2 * n as u64);
        let direction = TAU * (part * params.directions as f64).floor() / params.directions as f64;
        let deviations = if params.strength_varies {
            // limit of the table
            quantile(stream.uniform(2 * n as u64 + 1).clamp(1e-6, 1.0 - 1e-6)).clamp(-2.5, 2.5)
        } else {
            0.0
        };
        let (sin, cos) = sin_cos(direction);
        let center = ground.cells.center(cell);
        let (cover, strength) = (ground.covers[cell], ground.strength(cell, deviations));
        let (cover, held) = (&covers[usize::from(cover)], ground.cover_data_of(cell).ridges);
        let drive = driver.on_ground(cover, held, strength, center, [cos, sin]);
        done();
        AuditedDrive::new(ground, params, (cell, [direction, deviations]), &drive)
    })
}

impl AuditedDrive {
    /// Compares a cell by its table with its crossing, in a direction at a strength.
    ///
    /// Both are limited by the speed limit of the map and by the ride.
    pub(super) fn new(
        ground: &MapGround<'_>,
        params: &EvaluationParams,
        (cell, [direction, deviations]): (usize, [f64; 2]),
        crossing: &Crossing,
    ) -> AuditedDrive {
        let (sin, cos) = sin_cos(direction);
        let slope = ground.shapes[cell].slopes([cos, sin]);
        let limit = params.speed.min(ground.cover_data_of(cell).ride);
        let table = ground.table(cell).speed(ground.strength(cell, deviations), slope);
        AuditedDrive {
            center: ground.cells.center(cell),
            direction,
            deviations,
            slope,
            table: table.min(limit),
            driven: crossing.speed.min(limit),
        }
    }
}

/// Draws open cells without repetition.
fn sample_cells(ground: &MapGround<'_>, seed: u64, count: usize) -> Vec<usize> {
    let stream = RandomStream::new(seed, "cells of an audit");
    let open = (0..ground.cells.count()).filter(|cell| ground.closures[*cell].is_none());
    let mut order: Vec<(u64, usize)> = open.map(|cell| (stream.bits(cell as u64), cell)).collect();
    order.sort_unstable();
    order.into_iter().take(count).map(|(_, cell)| cell).collect()
}

impl Audit {
    /// Summarizes driven cells.
    pub fn from_drives(audited: &[AuditedDrive]) -> Audit {
        let count = |table: bool, driven: bool| {
            let same =
                |own: &&AuditedDrive| (own.table > 0.0) == table && (own.driven > 0.0) == driven;
            audited.iter().filter(same).count()
        };
        let (go_go, no_no) = (count(true, true), count(false, false));
        let both = || audited.iter().filter(|own| own.table > 0.0 && own.driven > 0.0);
        let mean = |of: fn(f64) -> f64| {
            let sum: f64 = both().map(|own| of(own.table - own.driven)).sum();
            (go_go > 0).then(|| sum / go_go as f64)
        };
        let [band, band_holds] = band(audited);
        Audit {
            cells: audited.len(),
            go_go,
            go_no: count(true, false),
            no_go: count(false, true),
            no_no,
            agreement: (go_go + no_no) as f64 / audited.len().max(1) as f64,
            speed_error: mean(|difference| difference * difference).map(f64::sqrt),
            speed_bias: mean(|difference| difference),
            band,
            band_holds,
        }
    }
}

/// Returns the half width of the band from every second cell, and the fraction of the others within
/// it (V. Vovk, A. Gammerman and G. Shafer, Algorithmic Learning in a Random World, 2005).
fn band(audited: &[AuditedDrive]) -> [Option<f64>; 2] {
    let error = |own: &AuditedDrive| (own.table - own.driven).abs();
    let mut calibration_errors: Vec<f64> = audited.iter().step_by(2).map(error).collect();
    calibration_errors.sort_unstable_by(f64::total_cmp);
    let rank = ((calibration_errors.len() + 1) as f64 * CONFIDENCE).ceil() as usize;
    let Some(width) = rank.checked_sub(1).and_then(|n| calibration_errors.get(n)).copied() else {
        return [None, None];
    };
    let validation_errors: Vec<f64> = audited.iter().skip(1).step_by(2).map(error).collect();
    let holds = validation_errors.iter().filter(|error| **error <= width).count() as f64
        / validation_errors.len() as f64;
    [Some(width), (!validation_errors.is_empty()).then_some(holds)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn audited(table: f64, driven: f64) -> AuditedDrive {
        let (center, slope) = ([0.0; 2], [0.0; 2]);
        AuditedDrive { center, direction: 0.0, deviations: 0.0, slope, table, driven }
    }

    #[test]
    fn counts_errors_and_band_are_those_of_the_cells() {
        let cells: Vec<AuditedDrive> = (0..100)
            .map(|n| match n % 10 {
                0 => audited(3.0, 0.0),
                1 => audited(0.0, 2.0),
                2 => audited(0.0, 0.0),
                _ => audited(5.0, 4.5),
            })
            .collect();
        let audit = Audit::from_drives(&cells);
        assert_eq!((audit.go_go, audit.go_no, audit.no_go, audit.no_no), (70, 10, 10, 10));
        assert_eq!((audit.agreement, audit.speed_error), (0.8, Some(0.5)));
        assert_eq!(audit.speed_bias, Some(0.5));
        // of the even cells a fifth is off by 3, so 46 of 51 lie within that
        assert_eq!((audit.band, audit.band_holds), (Some(3.0), Some(1.0)));
        assert_eq!(Audit::from_drives(&cells[..3]).band, None);
    }
}
