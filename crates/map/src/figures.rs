//! What is told of a cell: shares, speeds and what limits it, from speeds by draw and direction.

use super::barred::Closure;
use bekker_study::statistics::wilson;

/// Confidence of intervals.
const CONFIDENCE: f64 = 0.95;
/// Share of the driver's speed from which on nothing else is said to limit it.
const AT_THE_LIMIT: f64 = 0.98;

/// What limits a vehicle most in a cell, in the direction in which it is slowest, at the median
/// strength and on the slope as it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Reason {
    /// The driver's own limit.
    SpeedLimit = 0,
    /// The soil, on the level too, rough as it is.
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
    /// Stems that have to be pushed over.
    Stems = 7,
    /// Engine, gearbox and air: faster it does not get on level firm ground either.
    Powertrain = 8,
    /// No elevation data: nothing is known of the cell.
    NoData = 255,
}

impl Reason {
    /// All of them that limit a vehicle, by their codes.
    pub const ALL: [Reason; 9] = [
        Reason::SpeedLimit,
        Reason::Soil,
        Reason::Slope,
        Reason::SideSlope,
        Reason::Ride,
        Reason::Obstacle,
        Reason::Water,
        Reason::Stems,
        Reason::Powertrain,
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
            Reason::Stems => "stems",
            Reason::Powertrain => "powertrain",
            Reason::NoData => "no data",
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
    /// Share of the variance of speed that is the soil's strength's: 1 where nothing else is
    /// uncertain; not finite where speed does not vary.
    pub soil_share: f32,
    /// What limits it.
    pub reason: Reason,
}

impl CellFigures {
    /// A cell that nothing crosses: without elevation data no figure is a number.
    pub(super) fn closed(closure: Closure) -> CellFigures {
        let figure = match closure {
            Closure::Barrier(_) => 0.0,
            Closure::NoData => f32::NAN,
        };
        CellFigures {
            p_go: figure,
            p_go_low: figure,
            p_go_high: figure,
            p_go_direction: figure,
            v_p10: figure,
            v_p50: figure,
            v_p90: figure,
            v_worst_direction: figure,
            v_omnidirectional: figure,
            soil_share: f32::NAN,
            reason: closure.reason(),
        }
    }

    /// Whether there is elevation data, so that its figures are numbers.
    pub fn has_data(&self) -> bool {
        self.reason != Reason::NoData
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

impl Going {
    /// Of a cell that nothing crosses.
    pub(super) fn closed(directions: usize) -> Going {
        Going { p_go: vec![0.0; directions], v_p50: vec![0.0; directions] }
    }
}

/// What of a cell is uncertain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Uncertain {
    /// The soil's strength, if anything.
    #[default]
    Strength,
    /// The heights.
    Heights,
    /// Both.
    Both,
}

/// Speeds of a cell by draw and direction, m/s: room that is used again.
#[derive(Debug, Default)]
pub(super) struct Speeds {
    /// Direction by direction.
    pub by_direction: Vec<f32>,
    /// Draws.
    pub draws: usize,
    /// What they are draws of.
    pub uncertain: Uncertain,
    /// Where that is both, the mean over directions of each draw's strength on heights drawn anew.
    pub again: Vec<f64>,
    means: Vec<f64>,
    harmonic: Vec<f32>,
}

/// Wilson's interval by the number of draws that go.
#[derive(Clone, Debug)]
pub(super) struct Intervals(Vec<[f32; 2]>);

impl Intervals {
    /// Of so many draws; where nothing is uncertain a share is what it is.
    pub fn of(draws: usize, certain: bool) -> Intervals {
        let interval = |count: usize| {
            if certain {
                return [count as f32 / draws as f32; 2];
            }
            wilson(count as u64, draws as u64, CONFIDENCE).map(|end| end as f32)
        };
        Intervals((0..=draws).map(interval).collect())
    }
}

impl Speeds {
    /// The cell in figures; what limits it is known to the caller. Speeds lose their order.
    pub fn figures(&mut self, intervals: &Intervals, reason: Reason) -> CellFigures {
        let draws = self.draws;
        let directions = self.by_direction.len() / draws;
        let speeds = &mut self.by_direction;
        self.means.clear();
        self.harmonic.clear();
        for draw in 0..draws {
            let (mut sum, mut times) = (0.0, 0.0);
            for direction in 0..directions {
                let speed = speeds[direction * draws + draw];
                sum += f64::from(speed);
                // where it does not go it takes for ever
                times += 1.0 / speed;
            }
            self.means.push(sum / directions as f64);
            self.harmonic.push(directions as f32 / times);
        }
        let goes = self.harmonic.iter().filter(|speed| **speed > 0.0).count();
        let any = speeds.iter().filter(|speed| **speed > 0.0).count();
        let soil_share = share_of_strength(self.uncertain, &self.means, &self.again) as f32;
        let medians = speeds.chunks_exact_mut(draws).map(|own| percentile(own, 0.5));
        let v_worst_direction = medians.fold(f32::INFINITY, f32::min);
        let [p_go_low, p_go_high] = intervals.0[goes];
        CellFigures {
            p_go: goes as f32 / draws as f32,
            p_go_low,
            p_go_high,
            p_go_direction: any as f32 / speeds.len() as f32,
            v_p10: percentile(speeds, 0.1),
            v_p50: percentile(speeds, 0.5),
            v_p90: percentile(speeds, 0.9),
            v_worst_direction,
            v_omnidirectional: percentile(&mut self.harmonic, 0.5),
            soil_share,
            reason,
        }
    }

    /// The cell's going in each direction.
    pub fn going(&self) -> Going {
        let each = || self.by_direction.chunks_exact(self.draws);
        let share = |own: &[f32]| {
            own.iter().filter(|speed| **speed > 0.0).count() as f32 / own.len() as f32
        };
        let p_go = each().map(share).collect();
        let v_p50 = each().map(|own| percentile(&mut own.to_vec(), 0.5)).collect();
        Going { p_go, v_p50 }
    }
}

/// Speeds that tell what limits a cell, m/s; 0 for no go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The driver's.
    pub driver: f64,
    /// What the ride allows.
    pub ride: f64,
    /// On firm level ground where nothing stands.
    pub firm: f64,
    /// On the level.
    pub level: f64,
    /// On the grade of its slowest direction alone.
    pub straight: f64,
    /// In its slowest direction.
    pub slowest: f64,
    /// What keeps it on the level, where that is not the soil: then that is told in its place.
    pub stands: Option<Reason>,
}

impl Limits {
    /// What limits it: the greatest of what is lost on firm level ground, to soft ground or what stands
    /// there, and to the slope.
    pub fn reason(self) -> Reason {
        let Limits { driver, ride, firm, level, straight, slowest, stands } = self;
        let on_the_level = stands.unwrap_or(Reason::Soil);
        let limit = driver.min(ride);
        let powertrain = (limit - firm).max(0.0);
        let ground = (limit.min(firm) - level).max(0.0);
        let slope = level - slowest;
        if level == 0.0 && (firm == 0.0 || on_the_level == Reason::Powertrain) {
            // firm ground as rough is not crossed either, whatever the engine gives
            Reason::Ride
        } else if level == 0.0 {
            on_the_level
        } else if slowest == 0.0 {
            if straight > 0.0 { Reason::SideSlope } else { Reason::Slope }
        } else if slowest >= AT_THE_LIMIT * limit {
            if limit < driver { Reason::Ride } else { Reason::SpeedLimit }
        } else if powertrain >= ground.max(slope) {
            Reason::Powertrain
        } else if ground >= slope {
            on_the_level
        } else if level - straight >= straight - slowest {
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

/// Share of the variance that is the strength's: what is left of it between two draws of one strength
/// is the heights' (M. Jansen, Comput. Phys. Commun. 117, 1999).
fn share_of_strength(uncertain: Uncertain, values: &[f64], again: &[f64]) -> f64 {
    let again = if uncertain == Uncertain::Both { again } else { &[] };
    let count = (values.len() + again.len()) as f64;
    let all = || values.iter().chain(again);
    let mean = all().sum::<f64>() / count;
    let total = all().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count;
    // rounding of a mean is no variance, and one draw has none
    if values.len() < 2 || total <= 1e-18 {
        return f64::NAN;
    }
    match uncertain {
        Uncertain::Strength => 1.0,
        Uncertain::Heights => 0.0,
        Uncertain::Both => {
            let pairs = values.iter().zip(again);
            let within = pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / count;
            (1.0 - within / total).clamp(0.0, 1.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A loss on firm ground is assigned to the powertrain, the rest of the loss on the level to the soil.
    #[test]
    fn the_greatest_loss_is_told() {
        let limits = Limits {
            driver: 12.0,
            ride: f64::INFINITY,
            firm: 4.5,
            level: 4.4,
            straight: 4.4,
            slowest: 4.4,
            stands: None,
        };
        let reason = |own: Limits| own.reason();
        assert_eq!(reason(limits), Reason::Powertrain);
        assert_eq!(reason(Limits { driver: 5.0, ..limits }), Reason::Powertrain);
        // what is too rough on firm ground is so on any
        let rough = Limits { firm: 0.0, level: 0.0, straight: 0.0, slowest: 0.0, ..limits };
        assert_eq!(reason(rough), Reason::Ride);
        let on_firm = Limits { firm: 4.5, stands: Some(Reason::Powertrain), ..rough };
        assert_eq!(reason(on_firm), Reason::Ride);
        let bog = Limits { firm: 4.5, ..rough };
        assert_eq!(reason(bog), Reason::Soil);
        let soft = Limits { driver: 5.0, level: 2.0, straight: 2.0, slowest: 2.0, ..limits };
        assert_eq!(reason(soft), Reason::Soil);
        assert_eq!(reason(Limits { stands: Some(Reason::Stems), ..soft }), Reason::Stems);
        let steep = Limits { driver: 5.0, straight: 3.0, slowest: 2.9, ..limits };
        assert_eq!(reason(steep), Reason::Slope);
        assert_eq!(reason(Limits { straight: 4.3, ..steep }), Reason::SideSlope);
        assert_eq!(reason(Limits { ride: 4.4, ..limits }), Reason::Ride);
        assert_eq!(reason(Limits { driver: 4.4, ..limits }), Reason::SpeedLimit);
        // what does not go is not the engine's
        let stuck = Limits { level: 0.0, straight: 0.0, slowest: 0.0, ..limits };
        assert_eq!(reason(stuck), Reason::Soil);
    }

    /// Of x + y, x of strength and y of heights, each of known variance.
    #[test]
    fn the_share_is_that_of_a_known_sum_and_exact_where_one_is_certain() {
        let stream = bekker_math::random::Stream::new(1, "share of strength");
        let of = |n: u64| stream.uniform(n);
        let draws = |part: u64, spread: f64| -> Vec<f64> {
            (0..4000).map(|n| of(n) + spread * of(part * 4000 + n)).collect()
        };
        // variances as 1 to the square of the spread; an error of 4000 pairs is some 0.02
        for (spread, known) in [(1.0, 0.5), (2.0, 0.2), (0.1, 1.0 / 1.01)] {
            let [values, again] = [draws(1, spread), draws(2, spread)];
            let share = share_of_strength(Uncertain::Both, &values, &again);
            assert!((share - known).abs() < 0.05, "{spread}: {share}");
        }
        let values = draws(1, 1.0);
        assert_eq!(share_of_strength(Uncertain::Strength, &values, &[]), 1.0);
        assert_eq!(share_of_strength(Uncertain::Heights, &values, &[]), 0.0);
        assert!(share_of_strength(Uncertain::Both, &[1.0; 9], &[1.0; 9]).is_nan());
    }
}
