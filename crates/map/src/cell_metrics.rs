//! Metrics of a cell: probabilities, speeds and the limiting factor, from speeds by draw and
//! direction.

use super::closure::CellClosure;
use bekker_study::statistics::wilson;

/// Confidence level of intervals.
const CONFIDENCE: f64 = 0.95;
/// Fraction of the driver's speed above which the driver's speed is the limiting factor.
const LIMIT_SHARE: f64 = 0.98;

/// Factor that limits a vehicle most in a cell.
///
/// It applies to the slowest direction, at the median strength and without errors of slope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Reason {
    /// Speed limit of the driver.
    SpeedLimit = 0,
    /// Soil, on level ground too, with its roughness.
    Soil = 1,
    /// Slope along the direction of travel.
    Slope = 2,
    /// Slope across the direction of travel.
    SideSlope = 3,
    /// Ride over rough ground.
    Ride = 4,
    /// An obstacle.
    Obstacle = 5,
    /// Water.
    Water = 6,
    /// Stems that have to be overridden.
    Stems = 7,
    /// Engine, gearbox and air drag: the speed is no higher on firm level ground.
    Powertrain = 8,
    /// No elevation data: the cell has no metrics.
    NoData = 255,
}

impl Reason {
    /// All reasons that limit a vehicle, by code.
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

    /// Returns the name in a word or two.
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

/// Metrics of a cell; speeds are m/s, 0 where it is impassable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellMetrics {
    /// Fraction of draws in which the cell is passable in every direction.
    pub p_go: f32,
    /// Lower end of Wilson's 95 % interval of `p_go`.
    pub p_go_low: f32,
    /// Upper end of Wilson's 95 % interval of `p_go`.
    pub p_go_high: f32,
    /// Fraction of draws and directions in which the cell is passable.
    pub p_go_direction: f32,
    /// 10th percentile of speed over draws and directions.
    pub v_p10: f32,
    /// Median of speed over draws and directions.
    pub v_p50: f32,
    /// 90th percentile of speed over draws and directions.
    pub v_p90: f32,
    /// Smallest median speed of any direction.
    pub v_worst_direction: f32,
    /// Median over draws of the harmonic mean of speed over directions.
    ///
    /// It is the distance over the time of equal distances in all directions.
    pub v_omnidirectional: f32,
    /// Median over draws and directions of the speed through the cell, if it is evaluated.
    pub v_through: Option<f32>,
    /// Fraction of the variance of speed due to the soil's strength.
    ///
    /// It is 1 where nothing else is uncertain, and not finite where speed does not vary.
    pub soil_share: f32,
    /// Limiting factor.
    pub reason: Reason,
}

impl CellMetrics {
    /// Returns the metrics of a closed cell; without elevation data all of them are NaN.
    pub(super) fn closed(closure: CellClosure) -> CellMetrics {
        let value = match closure {
            CellClosure::Barrier(_) => 0.0,
            CellClosure::NoData => f32::NAN,
        };
        CellMetrics {
            p_go: value,
            p_go_low: value,
            p_go_high: value,
            p_go_direction: value,
            v_p10: value,
            v_p50: value,
            v_p90: value,
            v_worst_direction: value,
            v_omnidirectional: value,
            v_through: Some(value),
            soil_share: f32::NAN,
            reason: closure.reason(),
        }
    }

    /// Returns whether there is elevation data, so that the metrics are numbers.
    pub fn has_data(&self) -> bool {
        self.reason != Reason::NoData
    }
}

/// Going of a cell in each direction, from east counterclockwise.
#[derive(Clone, Debug, PartialEq)]
pub struct CellTrafficability {
    /// Fraction of draws in which the cell is passable.
    pub p_go: Vec<f32>,
    /// Median speed, m/s.
    pub v_p50: Vec<f32>,
}

impl CellTrafficability {
    /// Returns the going of a closed cell.
    pub(super) fn closed(directions: usize) -> CellTrafficability {
        CellTrafficability { p_go: vec![0.0; directions], v_p50: vec![0.0; directions] }
    }
}

/// Uncertain inputs of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum UncertainInputs {
    /// The soil's strength, if anything.
    #[default]
    Strength,
    /// The heights.
    Heights,
    /// Both.
    Both,
}

/// Speeds of a cell by draw and direction, m/s, in a reusable buffer.
#[derive(Debug, Default)]
pub(super) struct SpeedBuffer {
    /// Speeds, direction by direction.
    pub by_direction: Vec<f32>,
    /// Speeds through the cell, direction by direction; empty if they are not evaluated.
    pub through: Vec<f32>,
    /// Number of draws.
    pub draws: usize,
    /// Inputs that the draws vary.
    pub uncertain_inputs: UncertainInputs,
    /// If both are uncertain, the mean over directions for the strength of each draw with new
    /// heights.
    pub resampled_means: Vec<f64>,
    means: Vec<f64>,
    harmonic: Vec<f32>,
}

/// Wilson's interval by the number of passable draws.
#[derive(Clone, Debug)]
pub(super) struct Intervals(Vec<[f32; 2]>);

impl Intervals {
    /// Computes the intervals for `draws` draws; without uncertainty an interval is its share
    /// itself.
    pub fn new(draws: usize, certain: bool) -> Intervals {
        let interval = |count: usize| {
            if certain {
                return [count as f32 / draws as f32; 2];
            }
            wilson(count as u64, draws as u64, CONFIDENCE).map(|end| end as f32)
        };
        Intervals((0..=draws).map(interval).collect())
    }
}

impl SpeedBuffer {
    /// Computes the metrics of a cell with the given limiting factor; reorders the speeds.
    pub fn cell_metrics(&mut self, intervals: &Intervals, reason: Reason) -> CellMetrics {
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
                // an impassable direction takes infinite time
                times += 1.0 / speed;
            }
            self.means.push(sum / directions as f64);
            self.harmonic.push(directions as f32 / times);
        }
        let passable_draws = self.harmonic.iter().filter(|speed| **speed > 0.0).count();
        let any = speeds.iter().filter(|speed| **speed > 0.0).count();
        let soil_share =
            share_of_strength(self.uncertain_inputs, &self.means, &self.resampled_means) as f32;
        let medians = speeds.chunks_exact_mut(draws).map(|own| percentile(own, 0.5));
        let v_worst_direction = medians.fold(f32::INFINITY, f32::min);
        let [p_go_low, p_go_high] = intervals.0[passable_draws];
        CellMetrics {
            p_go: passable_draws as f32 / draws as f32,
            p_go_low,
            p_go_high,
            p_go_direction: any as f32 / speeds.len() as f32,
            v_p10: percentile(speeds, 0.1),
            v_p50: percentile(speeds, 0.5),
            v_p90: percentile(speeds, 0.9),
            v_worst_direction,
            v_omnidirectional: percentile(&mut self.harmonic, 0.5),
            v_through: (!self.through.is_empty()).then(|| percentile(&mut self.through, 0.5)),
            soil_share,
            reason,
        }
    }

    /// Returns the going of the cell in each direction.
    pub fn trafficability(&self) -> CellTrafficability {
        let each = || self.by_direction.chunks_exact(self.draws);
        let share = |own: &[f32]| {
            own.iter().filter(|speed| **speed > 0.0).count() as f32 / own.len() as f32
        };
        let p_go = each().map(share).collect();
        let v_p50 = each().map(|own| percentile(&mut own.to_vec(), 0.5)).collect();
        CellTrafficability { p_go, v_p50 }
    }
}

/// Speeds that determine the limiting factor of a cell, m/s; 0 if impassable.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpeedLimits {
    /// Speed limit of the driver.
    pub driver: f64,
    /// Speed that the ride allows.
    pub ride: f64,
    /// Speed on firm level ground without obstacles.
    pub firm: f64,
    /// Speed on level ground.
    pub level: f64,
    /// Speed on the grade of the slowest direction without its side slope.
    pub without_side_slope: f64,
    /// Speed in the slowest direction.
    pub slowest: f64,
    /// Cause of a limit on level ground other than the soil; it replaces the soil as the reason.
    pub level_cause: Option<Reason>,
}

impl SpeedLimits {
    /// Returns the limiting factor: the greatest loss of speed.
    ///
    /// Losses are those on firm level ground, those to soft ground or obstacles, and those to the
    /// slope.
    pub fn reason(self) -> Reason {
        let SpeedLimits { driver, ride, firm, level, without_side_slope, slowest, level_cause } =
            self;
        let on_the_level = level_cause.unwrap_or(Reason::Soil);
        let limit = driver.min(ride);
        let powertrain = (limit - firm).max(0.0);
        let ground = (limit.min(firm) - level).max(0.0);
        let slope = level - slowest;
        if level == 0.0 && (firm == 0.0 || on_the_level == Reason::Powertrain) {
            // firm ground of this roughness is not crossed either, whatever the engine's power
            Reason::Ride
        } else if level == 0.0 {
            on_the_level
        } else if slowest == 0.0 {
            if without_side_slope > 0.0 { Reason::SideSlope } else { Reason::Slope }
        } else if slowest >= LIMIT_SHARE * limit {
            if limit < driver { Reason::Ride } else { Reason::SpeedLimit }
        } else if powertrain >= ground.max(slope) {
            Reason::Powertrain
        } else if ground >= slope {
            on_the_level
        } else if level - without_side_slope >= without_side_slope - slowest {
            Reason::Slope
        } else {
            Reason::SideSlope
        }
    }
}

/// Returns the percentile `share` of the values by nearest rank.
fn percentile(values: &mut [f32], share: f64) -> f32 {
    let rank = ((share * values.len() as f64).ceil() as usize).clamp(1, values.len());
    *values.select_nth_unstable_by(rank - 1, f32::total_cmp).1
}

/// Returns the fraction of the variance that is due to the strength.
///
/// The variance between two draws of the same strength is due to the heights (M. Jansen, Comput.
/// Phys. Commun. 117, 1999).
fn share_of_strength(
    uncertain_inputs: UncertainInputs,
    values: &[f64],
    resampled_means: &[f64],
) -> f64 {
    let resampled_means =
        if uncertain_inputs == UncertainInputs::Both { resampled_means } else { &[] };
    let count = (values.len() + resampled_means.len()) as f64;
    let all = || values.iter().chain(resampled_means);
    let mean = all().sum::<f64>() / count;
    let total = all().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count;
    // rounding of a mean is no variance, and a single draw has none
    if values.len() < 2 || total <= 1e-18 {
        return f64::NAN;
    }
    match uncertain_inputs {
        UncertainInputs::Strength => 1.0,
        UncertainInputs::Heights => 0.0,
        UncertainInputs::Both => {
            let pairs = values.iter().zip(resampled_means);
            let within = pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / count;
            (1.0 - within / total).clamp(0.0, 1.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A loss on firm ground is assigned to the powertrain, the rest of the loss on level ground to
    /// the soil.
    #[test]
    fn the_greatest_loss_is_reported() {
        let limits = SpeedLimits {
            driver: 12.0,
            ride: f64::INFINITY,
            firm: 4.5,
            level: 4.4,
            without_side_slope: 4.4,
            slowest: 4.4,
            level_cause: None,
        };
        let reason = |own: SpeedLimits| own.reason();
        assert_eq!(reason(limits), Reason::Powertrain);
        assert_eq!(reason(SpeedLimits { driver: 5.0, ..limits }), Reason::Powertrain);
        // ground too rough when firm is too rough on any soil
        let rough =
            SpeedLimits { firm: 0.0, level: 0.0, without_side_slope: 0.0, slowest: 0.0, ..limits };
        assert_eq!(reason(rough), Reason::Ride);
        let on_firm = SpeedLimits { firm: 4.5, level_cause: Some(Reason::Powertrain), ..rough };
        assert_eq!(reason(on_firm), Reason::Ride);
        let bog = SpeedLimits { firm: 4.5, ..rough };
        assert_eq!(reason(bog), Reason::Soil);
        let soft = SpeedLimits {
            driver: 5.0,
            level: 2.0,
            without_side_slope: 2.0,
            slowest: 2.0,
            ..limits
        };
        assert_eq!(reason(soft), Reason::Soil);
        assert_eq!(reason(SpeedLimits { level_cause: Some(Reason::Stems), ..soft }), Reason::Stems);
        let steep = SpeedLimits { driver: 5.0, without_side_slope: 3.0, slowest: 2.9, ..limits };
        assert_eq!(reason(steep), Reason::Slope);
        assert_eq!(reason(SpeedLimits { without_side_slope: 4.3, ..steep }), Reason::SideSlope);
        assert_eq!(reason(SpeedLimits { ride: 4.4, ..limits }), Reason::Ride);
        assert_eq!(reason(SpeedLimits { driver: 4.4, ..limits }), Reason::SpeedLimit);
        // an impassable cell is not limited by the engine
        let stuck = SpeedLimits { level: 0.0, without_side_slope: 0.0, slowest: 0.0, ..limits };
        assert_eq!(reason(stuck), Reason::Soil);
    }

    /// Uses x + y, with x for strength and y for heights, each of known variance.
    #[test]
    fn the_share_is_that_of_a_known_sum_and_exact_where_one_is_certain() {
        let stream = bekker_math::random::RandomStream::new(1, "share of strength");
        let of = |n: u64| stream.uniform(n);
        let draws = |part: u64, spread: f64| -> Vec<f64> {
            (0..4000).map(|n| of(n) + spread * of(part * 4000 + n)).collect()
        };
        // variances are as 1 to the square of the spread; the error of 4000 pairs is about 0.02
        for (spread, known) in [(1.0, 0.5), (2.0, 0.2), (0.1, 1.0 / 1.01)] {
            let [values, resampled_means] = [draws(1, spread), draws(2, spread)];
            let share = share_of_strength(UncertainInputs::Both, &values, &resampled_means);
            assert!((share - known).abs() < 0.05, "{spread}: {share}");
        }
        let values = draws(1, 1.0);
        assert_eq!(share_of_strength(UncertainInputs::Strength, &values, &[]), 1.0);
        assert_eq!(share_of_strength(UncertainInputs::Heights, &values, &[]), 0.0);
        assert!(share_of_strength(UncertainInputs::Both, &[1.0; 9], &[1.0; 9]).is_nan());
    }
}
