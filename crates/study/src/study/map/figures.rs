//! Every cell of a map: draws of strength and slope, all directions, and what comes of them.
//!
//! A draw takes the soil's strength and the error of the cell's slope from normal distributions,
//! the strength from as many equally likely strata as there are draws, one in each: shares are
//! then nearer to their probabilities than Wilson's interval, which is of independent draws, says.
//! Heights are in error by a field that is correlated; what a cell feels of it is the error of
//! its slope, whose deviation is known in closed form ([`slope_deviation`]), so no field is ever
//! made and every cell's draws have the right distribution by themselves. How the errors of two
//! cells go together is not kept: nothing here asks for two.
//!
//! [`slope_deviation`]: super::slope_deviation

use super::config::BarrierKind;
use super::relief::Cells;
use super::table::Table;
use crate::numeric::sin_cos;
use crate::random::Stream;
use crate::sensor::noise::quantile;
use crate::study::statistics::wilson;
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Equally likely values that stand for a normal distribution, a power of two.
const LEVELS: usize = 4096;
const LEVEL_BITS: u32 = LEVELS.trailing_zeros();
/// Classes of strength, equally likely, between which its share of the variance is taken.
const CLASSES: usize = 8;
/// Confidence of intervals.
const CONFIDENCE: f64 = 0.95;
/// Share of the driver's speed from which on nothing else is said to limit it.
const AT_THE_LIMIT: f64 = 0.98;
/// Cells that a thread takes at a time.
const BATCH: usize = 512;

/// What limits a vehicle most in a cell, in the direction in which it is slowest, at the median
/// strength and on the slope as it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Reason {
    /// The driver's own limit.
    SpeedLimit = 0,
    /// The soil, on the level too.
    Soil = 1,
    /// The slope along the way.
    Slope = 2,
    /// The slope across the way.
    SideSlope = 3,
    /// The ride over rough ground.
    Ride = 4,
    /// An obstacle.
    Obstacle = 5,
    /// Water.
    Water = 6,
}

impl Reason {
    /// All of them, by their codes.
    pub const ALL: [Reason; 7] = [
        Reason::SpeedLimit,
        Reason::Soil,
        Reason::Slope,
        Reason::SideSlope,
        Reason::Ride,
        Reason::Obstacle,
        Reason::Water,
    ];

    /// In a word or two.
    pub fn name(self) -> &'static str {
        match self {
            Reason::SpeedLimit => "speed limit",
            Reason::Soil => "soil",
            Reason::Slope => "slope",
            Reason::SideSlope => "side slope",
            Reason::Ride => "ride",
            Reason::Obstacle => "obstacle",
            Reason::Water => "water",
        }
    }
}

/// A cell in figures. Speeds are m/s, 0 where it does not go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellFigures {
    /// Share of draws in which it goes in every direction.
    pub p_go: f32,
    /// Lower end of Wilson's interval of that, 95 %.
    pub p_go_low: f32,
    /// Its upper end.
    pub p_go_high: f32,
    /// Share of draws and directions in which it goes.
    pub p_go_direction: f32,
    /// Speed that 10 of 100 draws and directions do not exceed.
    pub v_p10: f32,
    /// Their median speed.
    pub v_p50: f32,
    /// Speed that 90 of 100 do not exceed.
    pub v_p90: f32,
    /// Median speed in the direction in which that is least.
    pub v_worst_direction: f32,
    /// Median of the harmonic mean over directions: distance over time of one that goes as far
    /// in each.
    pub v_omnidirectional: f32,
    /// Share of the variance of speed that is the soil's strength's; not finite where speed
    /// does not vary.
    pub soil_share: f32,
    /// What limits it.
    pub reason: Reason,
}

impl CellFigures {
    /// A cell that nothing crosses.
    fn barred(reason: Reason) -> CellFigures {
        CellFigures {
            p_go: 0.0,
            p_go_low: 0.0,
            p_go_high: 0.0,
            p_go_direction: 0.0,
            v_p10: 0.0,
            v_p50: 0.0,
            v_p90: 0.0,
            v_worst_direction: 0.0,
            v_omnidirectional: 0.0,
            soil_share: f32::NAN,
            reason,
        }
    }
}

/// A cell's going in each direction, from east counter-clockwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Going {
    /// Share of draws in which it goes.
    pub p_go: Vec<f32>,
    /// Median speed, m/s.
    pub v_p50: Vec<f32>,
}

/// What cells are asked about.
#[derive(Clone, Debug)]
pub struct Ground<'a> {
    /// The cells.
    pub cells: Cells,
    /// Slope of each.
    pub slopes: &'a [[f32; 2]],
    /// Soil of each, by its index among the tables.
    pub soils: &'a [u16],
    /// What bars the way in each.
    pub barriers: &'a [Option<BarrierKind>],
    /// The table of each soil.
    pub tables: &'a [Table],
}

/// How cells are asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Question {
    /// Root of all draws.
    pub seed: u64,
    /// Draws a cell.
    pub draws: usize,
    /// Directions, a multiple of 4.
    pub directions: usize,
    /// The driver's limit, m/s.
    pub speed: f64,
    /// What the ride allows, m/s.
    pub ride_speed: Option<f64>,
    /// Whether the strength of the soil is uncertain.
    pub strength_varies: bool,
    /// Standard deviation of either component of a slope, rise over run.
    pub slope_deviation: f64,
}

/// Asks every cell.
pub fn figures(
    ground: &Ground<'_>,
    question: &Question,
    done: impl Fn(usize) + Sync,
) -> Vec<CellFigures> {
    let asker = Asker::new(ground, question);
    let count = ground.cells.count();
    let batches = (0..count.div_ceil(BATCH)).into_par_iter();
    let batches = batches.flat_map_iter(|batch| {
        let mut room = Room::default();
        let cells = batch * BATCH..((batch + 1) * BATCH).min(count);
        let own: Vec<CellFigures> = cells.map(|cell| asker.figures(cell, &mut room)).collect();
        done(own.len());
        own
    });
    batches.collect()
}

/// Asks every cell for its going by direction.
pub fn going(ground: &Ground<'_>, question: &Question) -> Vec<Going> {
    let asker = Asker::new(ground, question);
    let one = |cell: usize| asker.going(cell);
    (0..ground.cells.count()).into_par_iter().with_min_len(BATCH).map(one).collect()
}

/// Room of a thread.
#[derive(Default)]
struct Room {
    /// Speeds, direction by direction.
    speeds: Vec<f32>,
    /// Mean over directions of each draw, and its class of strength.
    means: Vec<(f64, usize)>,
    harmonic: Vec<f32>,
}

struct Asker<'a> {
    ground: &'a Ground<'a>,
    question: &'a Question,
    stream: Stream,
    normal: Vec<f64>,
    /// Axes, each with its opposite: cosine and sine.
    axes: Vec<[f64; 2]>,
    /// Wilson's interval by the number of draws that go.
    intervals: Vec<[f32; 2]>,
    draws: usize,
}

impl<'a> Asker<'a> {
    fn new(ground: &'a Ground<'a>, question: &'a Question) -> Asker<'a> {
        let certain = !question.strength_varies && question.slope_deviation == 0.0;
        let draws = if certain { 1 } else { question.draws };
        let interval = |count: usize| {
            if certain {
                return [count as f32; 2];
            }
            wilson(count as u64, draws as u64, CONFIDENCE).map(|end| end as f32)
        };
        let axis = |k: usize| {
            let (sin, cos) = sin_cos(TAU * k as f64 / question.directions as f64);
            [cos, sin]
        };
        Asker {
            ground,
            question,
            stream: Stream::new(question.seed, "cells of a map"),
            normal: (0..LEVELS).map(|n| quantile((n as f64 + 0.5) / LEVELS as f64)).collect(),
            axes: (0..question.directions / 2).map(axis).collect(),
            intervals: (0..=draws).map(interval).collect(),
            draws,
        }
    }

    /// Speed that nothing but soil and slope may keep it from, m/s.
    fn limit(&self) -> f64 {
        self.question.ride_speed.map_or(self.question.speed, |ride| ride.min(self.question.speed))
    }

    /// The draws of a cell: speeds direction by direction, and each draw's class of strength.
    fn draw(&self, cell: usize, room: &mut Room) {
        let (draws, directions) = (self.draws, self.question.directions);
        let table = &self.ground.tables[usize::from(self.ground.soils[cell])];
        let [east, north] = self.ground.slopes[cell].map(f64::from);
        let limit = self.limit();
        room.speeds.resize(draws * directions, 0.0);
        room.means.clear();
        for draw in 0..draws {
            let bits = self.stream.bits(cell as u64 * self.question.draws as u64 + draw as u64);
            let level = |n: u32| (bits >> (n * LEVEL_BITS)) as usize & (LEVELS - 1);
            // the stratum of this draw, and a place within it
            let stratified = (draw * LEVELS + level(0)) / draws;
            let deviations =
                if self.question.strength_varies { self.normal[stratified] } else { 0.0 };
            let strength = table.strength(deviations);
            let error = self.question.slope_deviation;
            let slope =
                [east + error * self.normal[level(1)], north + error * self.normal[level(2)]];
            let mut sum = 0.0;
            for (axis, [cos, sin]) in self.axes.iter().enumerate() {
                let along = slope[0] * cos + slope[1] * sin;
                let across = slope[1] * cos - slope[0] * sin;
                let mixed = table.mixed(strength, across);
                for (direction, grade) in [(axis, along), (axis + directions / 2, -along)] {
                    let speed = mixed.map_or(0.0, |mixed| table.speed(&mixed, grade).min(limit));
                    room.speeds[direction * draws + draw] = speed as f32;
                    sum += speed;
                }
            }
            room.means.push((sum / directions as f64, stratified / (LEVELS / CLASSES)));
        }
    }

    fn barred(&self, cell: usize) -> Option<Reason> {
        self.ground.barriers[cell].map(|kind| match kind {
            BarrierKind::Water => Reason::Water,
            BarrierKind::Obstacle => Reason::Obstacle,
        })
    }

    fn figures(&self, cell: usize, room: &mut Room) -> CellFigures {
        if let Some(reason) = self.barred(cell) {
            return CellFigures::barred(reason);
        }
        self.draw(cell, room);
        let (draws, directions) = (self.draws, self.question.directions);
        room.harmonic.clear();
        room.harmonic.extend((0..draws).map(|draw| {
            let times = (0..directions).map(|d| 1.0 / room.speeds[d * draws + draw]);
            // where it does not go it takes for ever
            directions as f32 / times.sum::<f32>()
        }));
        let goes = room.harmonic.iter().filter(|speed| **speed > 0.0).count();
        let any = room.speeds.iter().filter(|speed| **speed > 0.0).count();
        let soil_share = share_of_classes(&room.means) as f32;
        let medians = room.speeds.chunks_exact_mut(draws).map(|own| percentile(own, 0.5));
        let v_worst_direction = medians.fold(f32::INFINITY, f32::min);
        let [p_go_low, p_go_high] = self.intervals[goes];
        CellFigures {
            p_go: goes as f32 / draws as f32,
            p_go_low,
            p_go_high,
            p_go_direction: any as f32 / room.speeds.len() as f32,
            v_p10: percentile(&mut room.speeds, 0.1),
            v_p50: percentile(&mut room.speeds, 0.5),
            v_p90: percentile(&mut room.speeds, 0.9),
            v_worst_direction,
            v_omnidirectional: percentile(&mut room.harmonic, 0.5),
            soil_share,
            reason: self.reason(cell),
        }
    }

    fn going(&self, cell: usize) -> Going {
        let directions = self.question.directions;
        if self.barred(cell).is_some() {
            return Going { p_go: vec![0.0; directions], v_p50: vec![0.0; directions] };
        }
        let mut room = Room::default();
        self.draw(cell, &mut room);
        let each = || room.speeds.chunks_exact(self.draws);
        let share = |own: &[f32]| {
            own.iter().filter(|speed| **speed > 0.0).count() as f32 / own.len() as f32
        };
        let p_go = each().map(share).collect();
        let v_p50 = each().map(|own| percentile(&mut own.to_vec(), 0.5)).collect();
        Going { p_go, v_p50 }
    }

    /// What limits it where nothing is uncertain.
    fn reason(&self, cell: usize) -> Reason {
        let table = &self.ground.tables[usize::from(self.ground.soils[cell])];
        let [east, north] = self.ground.slopes[cell].map(f64::from);
        let ways = self.axes.iter().flat_map(|[cos, sin]| {
            let (along, across) = (east * cos + north * sin, north * cos - east * sin);
            [[along, across], [-along, across]]
        });
        // of several in which it does not go, the steepest up
        let slowest = ways
            .map(|way| (table.at(0.0, way), way))
            .min_by(|a, b| a.0.total_cmp(&b.0).then(b.1[0].total_cmp(&a.1[0])));
        let Some((speed, [along, _])) = slowest else { return Reason::SpeedLimit };
        let level = table.at(0.0, [0.0; 2]);
        let straight = table.at(0.0, [along, 0.0]);
        let limit = self.limit();
        if level == 0.0 {
            Reason::Soil
        } else if speed == 0.0 {
            if straight > 0.0 { Reason::SideSlope } else { Reason::Slope }
        } else if speed >= AT_THE_LIMIT * limit {
            if limit < self.question.speed { Reason::Ride } else { Reason::SpeedLimit }
        } else if (limit - level).max(0.0) >= level - speed {
            Reason::Soil
        } else if level - straight >= straight - speed {
            Reason::Slope
        } else {
            Reason::SideSlope
        }
    }
}

/// The value that a share of all do not exceed, by nearest rank.
fn percentile(values: &mut [f32], share: f64) -> f32 {
    let rank = ((share * values.len() as f64).ceil() as usize).clamp(1, values.len());
    *values.select_nth_unstable_by(rank - 1, f32::total_cmp).1
}

/// Share of the variance that lies between classes, less what chance puts there: ε² of a
/// one-way analysis of variance (T. Kelley, Proc. Natl. Acad. Sci. 21, 1935).
fn share_of_classes(values: &[(f64, usize)]) -> f64 {
    let mut sums = [(0.0, 0_usize); CLASSES];
    for (value, class) in values {
        sums[*class].0 += value;
        sums[*class].1 += 1;
    }
    let mean = values.iter().map(|own| own.0).sum::<f64>() / values.len() as f64;
    let filled = sums.iter().filter(|own| own.1 > 0).count();
    let (mut total, mut within) = (0.0, 0.0);
    for (value, class) in values {
        let (sum, count) = sums[*class];
        let own = sum / count as f64;
        total += (value - mean) * (value - mean);
        within += (value - own) * (value - own);
    }
    // rounding of a mean is no variance
    if values.len() <= filled || total <= 1e-18 * values.len() as f64 {
        return f64::NAN;
    }
    let (total, within) =
        (total / (values.len() - 1) as f64, within / (values.len() - filled) as f64);
    (1.0 - within / total).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::super::config::TableConfig;
    use super::super::{Axes, Column, Crossing, End};
    use super::*;

    /// Climbs what its strength allows, 0.3 ρ, at 6 m/s; sideways anything.
    fn table(sigma: f64) -> Table {
        let config = TableConfig { strengths: 33, side_slopes: 2, steepest: 1.5 };
        let axes = Axes::new(&config, 1.0, sigma);
        let column = |n: usize| {
            let [strength, _] = axes.of(n);
            Column::drive(1.5, |grade| {
                let goes = grade <= 0.3 * strength;
                let (end, speed) = if goes { (End::Crossed, 6.0) } else { (End::Stuck, 0.0) };
                Crossing { end, speed, slip: 0.0, energy: 0.0 }
            })
        };
        Table::new(&axes, &(0..axes.columns()).map(column).collect::<Vec<_>>())
    }

    fn asked(slope: [f32; 2], sigma: f64, deviation: f64) -> CellFigures {
        let cells = Cells { columns: 1, rows: 1, side: 10.0, north_west: [0.0; 2] };
        let tables = [table(sigma)];
        let ground =
            Ground { cells, slopes: &[slope], soils: &[0], barriers: &[None], tables: &tables };
        let question = Question {
            seed: 3,
            draws: 400,
            directions: 8,
            speed: 10.0,
            ride_speed: None,
            strength_varies: sigma > 0.0,
            slope_deviation: deviation,
        };
        figures(&ground, &question, |_| ())[0]
    }

    #[test]
    fn without_error_it_goes_or_it_does_not() {
        for (slope, p_go, directions) in [(0.28, 1.0, 1.0), (0.32, 0.0, 0.875)] {
            let cell = asked([slope, 0.0], 0.0, 0.0);
            assert_eq!([cell.p_go, cell.p_go_low, cell.p_go_high], [p_go; 3]);
            assert_eq!(cell.p_go_direction, directions);
            assert!(cell.soil_share.is_nan());
        }
        assert_eq!(asked([0.32, 0.0], 0.0, 0.0).reason, Reason::Slope);
        assert_eq!(asked([0.32, 0.0], 0.0, 0.0).v_p50, 6.0);
    }

    /// Of a lognormal strength, half climb what the median does, and Φ(-ln 2 / σ) twice of it.
    #[test]
    fn the_probability_to_go_is_that_of_the_strength() {
        // a stratum of 400, and half a step of the table's bounds
        let near = |cell: CellFigures, known: f64| (f64::from(cell.p_go) - known).abs() < 0.03;
        assert!(near(asked([0.3, 0.0], 0.5, 0.0), 0.5));
        let twice = asked([0.6, 0.0], 0.5, 0.0);
        assert!(near(twice, 0.0828), "{twice:?}");
        assert!(twice.p_go_low < twice.p_go && twice.p_go < twice.p_go_high);
        // all that varies is the soil's: but for what varies within a class of strength
        assert!(asked([0.3, 0.0], 0.5, 0.0).soil_share > 0.8);
        assert!(asked([0.3, 0.0], 0.05, 0.2).soil_share < 0.3);
    }

    #[test]
    fn errors_of_slope_blur_the_bound_alike() {
        let cell = asked([0.3, 0.0], 0.0, 0.05);
        // the steepest way in a cell whose slope is off by chance is steeper than its slope: a
        // direction beside the first takes over where the error is to the side
        assert!((0.35..=0.53).contains(&cell.p_go), "{cell:?}");
    }
}
