//! Evaluation of many trials of a team, after the MAVS swarm study.
//!
//! It covers the failure rate, time, fuel, detection, and the benefit of another vehicle. The study
//! by C. Goodin et al. concerns teams of autonomous ground vehicles that search for negative
//! obstacles. Its equations and fitted parameters were not available. The models here are
//! substitutes of the kind that its text describes, and their documentation states this.

mod detection;
mod fuel;

pub use detection::DetectionModel;
pub use fuel::FuelModel;

use super::statistics::{
    Interval, NormalOrLognormal, SampleMoments, clopper_pearson, lognormal_mean_of_few,
    normal_or_lognormal, wilson,
};
use bekker_math::numeric::{exp, ln};
use serde::Serialize;

/// Confidence level of all intervals.
pub const CONFIDENCE: f64 = 0.95;
/// Smallest number of trials for fitting a law; with fewer any law explains nearly all variance.
pub const MIN_TRIALS: usize = 10;
/// Smallest number of times for comparing the normal and the lognormal distribution.
///
/// Vuong's statistic is normal only for large samples.
pub const MIN_TIMES: usize = 20;

/// One trial of a team.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SwarmTrial {
    /// Number of vehicles.
    pub robots: u32,
    /// Side of the square terrain, m.
    pub side: f64,
    /// Number of holes in the terrain.
    pub holes: u64,
    /// Number of holes detected.
    pub detected: u64,
    /// Whether all vehicles reached their goals in time.
    pub completed: bool,
    /// Time of the last arrival, s, if all arrived.
    pub time: Option<f64>,
    /// Time integral of the throttle of all vehicles, s.
    pub throttle: f64,
    /// Fuel of all vehicles, kg, if the engine has a consumption model.
    pub fuel: Option<f64>,
    /// Fraction of the terrain explored.
    pub explored: f64,
}

/// Metrics of all trials with one number of vehicles and one size of terrain.
#[derive(Clone, Debug, Serialize)]
pub struct TeamStatistics {
    /// Number of vehicles.
    pub robots: u32,
    /// Side of the terrain, m.
    pub side: f64,
    /// Number of trials.
    pub trials: usize,
    /// Number of trials in which not all vehicles arrived in time.
    pub failures: u64,
    /// Failure rate with Wilson's interval, or Clopper's and Pearson's if none or all failed.
    pub failure_rate: Interval,
    /// Mean time to complete, s, from at least two completed trials.
    ///
    /// The interval is Cox's for a lognormal mean, modified for small samples.
    pub time: Option<Interval>,
    /// Number of times to complete.
    pub times: usize,
    /// Comparison of the normal and lognormal distribution of the times; `None` for fewer than 20.
    pub time_shape: Option<NormalOrLognormal>,
    /// Mean cumulative throttle, s, with the same interval.
    pub throttle: Option<Interval>,
    /// Mean fuel, kg, with the same interval.
    pub fuel: Option<Interval>,
    /// Fraction of holes detected, with Wilson's interval over all holes of all trials.
    ///
    /// As in the published study, holes of one trial are treated as independent.
    pub detection: Interval,
    /// Fraction of holes detected by its mean and error over trials, without that assumption.
    pub detection_by_trials: Interval,
    /// Mean fraction explored.
    pub explored: Interval,
}

/// Metrics of a set of trials.
#[derive(Clone, Debug, Serialize)]
pub struct SwarmStatistics {
    /// Metrics by size of terrain and number of vehicles, in order.
    pub teams: Vec<TeamStatistics>,
    /// Detection as a function of vehicle density.
    pub detection: Option<DetectionModel>,
    /// Cumulative throttle as a function of vehicles and terrain size.
    pub fuel: Option<FuelModel>,
    /// Reasons why the laws of detection and of fuel could not be fitted.
    pub refused: [Option<String>; 2],
}

/// Computes all metrics of a set of trials.
pub fn statistics(trials: &[SwarmTrial]) -> SwarmStatistics {
    let mut keys: Vec<(f64, u32)> = trials.iter().map(|own| (own.side, own.robots)).collect();
    keys.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    keys.dedup();
    let of = |&(side, robots): &(f64, u32)| {
        let own = trials.iter().filter(|own| own.side == side && own.robots == robots);
        team(&own.copied().collect::<Vec<_>>())
    };
    let (detection, fuel) = (DetectionModel::fit(trials), FuelModel::fit(trials));
    SwarmStatistics {
        teams: keys.iter().map(of).collect(),
        refused: [detection.as_ref().err().cloned(), fuel.as_ref().err().cloned()],
        detection: detection.ok(),
        fuel: fuel.ok(),
    }
}

/// Returns the number of distinct values.
fn distinct(numbers: impl Iterator<Item = f64>) -> usize {
    let mut all: Vec<f64> = numbers.collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all.len()
}

fn team(trials: &[SwarmTrial]) -> TeamStatistics {
    let failures = trials.iter().filter(|own| !own.completed).count() as u64;
    let times: Vec<f64> = trials.iter().filter_map(|own| own.time).collect();
    let throttle: Vec<f64> = trials.iter().map(|own| own.throttle).collect();
    let fuel: Vec<f64> = trials.iter().filter_map(|own| own.fuel).collect();
    let (found, holes) =
        trials.iter().fold([0, 0], |[a, b], own| [a + own.detected, b + own.holes]).into();
    let shares: Vec<f64> = trials
        .iter()
        .filter(|own| own.holes > 0)
        .map(|own| own.detected as f64 / own.holes as f64)
        .collect();
    let explored: Vec<f64> = trials.iter().map(|own| own.explored).collect();
    TeamStatistics {
        robots: trials[0].robots,
        side: trials[0].side,
        trials: trials.len(),
        failures,
        failure_rate: proportion(failures, trials.len() as u64),
        time: lognormal(&times),
        times: times.len(),
        time_shape: normal_or_lognormal(&times).filter(|_| times.len() >= MIN_TIMES),
        throttle: lognormal(&throttle),
        fuel: lognormal(&fuel),
        detection: proportion(found, holes),
        detection_by_trials: mean_share(&shares),
        explored: mean_share(&explored),
    }
}

/// Returns a proportion with its interval.
fn proportion(successes: u64, trials: u64) -> Interval {
    let interval = if successes == 0 || successes == trials { clopper_pearson } else { wilson };
    let [low, high] = interval(successes, trials, CONFIDENCE);
    let value = if trials == 0 { f64::NAN } else { successes as f64 / trials as f64 };
    Interval { value, low, high }
}

/// Returns the mean of a lognormal sample of at least two positive numbers.
fn lognormal(sample: &[f64]) -> Option<Interval> {
    let logs: Vec<f64> = sample.iter().filter(|x| **x > 0.0).map(|&x| ln(x)).collect();
    let SampleMoments { count, mean, deviation } = SampleMoments::new(&logs)?;
    let deviation = deviation?;
    lognormal_mean_of_few(mean, deviation * deviation, count, CONFIDENCE)
}

/// Returns the mean of fractions with Student's interval, clipped to 0 and 1.
fn mean_share(sample: &[f64]) -> Interval {
    let moments = SampleMoments::new(sample);
    let value = moments.as_ref().map_or(f64::NAN, |own| own.mean);
    // unknown bounds stay NaN
    let [low, high] = match moments.and_then(|own| own.estimate()) {
        Some(own) => [own.low, own.high].map(|bound| bound.clamp(0.0, 1.0)),
        None => [f64::NAN; 2],
    };
    Interval { value, low, high }
}

/// Returns the fraction of holes detected by a team with a cumulative throttle, by both models.
///
/// This is the trade-off of the study.
pub fn trade_off(figures: &SwarmStatistics, side: f64, throttle: f64) -> Option<f64> {
    let (detection, fuel) = (figures.detection.as_ref()?, figures.fuel.as_ref()?);
    let robots = fuel.robots(side, throttle);
    Some(1.0 - exp(-detection.rate.value * robots / (side * side)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::random::RandomStream;

    /// Draws trials from the models, whose parameters the fit must recover.
    fn drawn(rate: f64, per_meter: f64) -> Vec<SwarmTrial> {
        let stream = RandomStream::new(11, "swarm");
        let mut trials = Vec::new();
        for side in [250.0, 500.0] {
            let holes = (4e-4 * side * side) as u64;
            for robots in [1, 2, 4, 8] {
                for trial in 0..60_u64 {
                    let key = (side as u64) << 32 | u64::from(robots) << 16 | trial;
                    let own = RandomStream::new(stream.bits(key), "trial");
                    let share = 1.0 - exp(-rate * f64::from(robots) / (side * side));
                    let found = (0..holes).filter(|&hole| own.uniform(100 + hole) < share).count();
                    let mean = per_meter * side * f64::from(robots);
                    let time = exp(ln(side / 5.0) + 0.2 * own.normal(1));
                    let completed = own.uniform(7) < 0.9;
                    trials.push(SwarmTrial {
                        robots,
                        side,
                        holes,
                        detected: found as u64,
                        completed,
                        time: completed.then_some(time),
                        throttle: mean * exp(0.1 * own.normal(2)),
                        fuel: None,
                        explored: 0.5,
                    });
                }
            }
        }
        trials
    }

    #[test]
    fn the_models_recover_the_parameters_of_drawn_trials() {
        let (rate, per_meter) = (9000.0, 0.05);
        let found = statistics(&drawn(rate, per_meter));
        assert_eq!(found.teams.len(), 8);
        let detection = found.detection.as_ref().unwrap();
        // four standard errors of a binomial rate from about 20,000 holes: below 4 %
        assert!((detection.rate.value / rate - 1.0).abs() < 0.04, "{detection:?}");
        assert!(detection.rate.low < rate && rate < detection.rate.high, "{detection:?}");
        assert!(detection.explained.unwrap() > 0.95, "{detection:?}");
        let fuel = found.fuel.as_ref().unwrap();
        // 480 logarithms with deviation 0.1: four errors of the exponents are below 0.03
        assert!(
            (fuel.of_robots - 1.0).abs() < 0.03 && (fuel.of_side.unwrap() - 1.0).abs() < 0.06,
            "{fuel:?}"
        );
        let burned = per_meter * 250.0 * 4.0;
        let traded = trade_off(&found, 250.0, burned).unwrap();
        assert!((traded - (1.0 - exp(-rate * 4.0 / 62_500.0))).abs() < 0.03, "{traded}");
        let team = &found.teams[2];
        assert!(team.time_shape.as_ref().unwrap().vuong > 0.0);
        assert!(team.failure_rate.low < 0.1 && team.failure_rate.high > 0.1, "{team:?}");
    }

    #[test]
    fn shares_lie_between_none_and_all() {
        let bounds = |sample: &[f64]| {
            let Interval { low, high, .. } = mean_share(sample);
            [low, high]
        };
        // 0.5 ± 12.7 standard errors of 0.5; t with 2 degrees of freedom is 4.303
        assert_eq!(bounds(&[0.0, 1.0]), [0.0, 1.0]);
        let [low, high] = bounds(&[0.9, 1.0, 1.0]);
        assert!(high == 1.0 && (low - (0.966_667 - 4.303 / 30.0)).abs() < 1e-4, "{low} {high}");
        assert!(bounds(&[0.3]).iter().all(|bound| bound.is_nan()));
    }

    #[test]
    fn one_terrain_size_does_not_determine_the_growth_of_fuel() {
        let mut trials = drawn(9000.0, 0.05);
        trials.retain(|own| own.side == 250.0);
        let fuel = statistics(&trials).fuel.unwrap();
        assert_eq!(fuel.of_side, None);
        assert!((fuel.throttle(4.0, 250.0) / (0.05 * 4.0 * 250.0) - 1.0).abs() < 0.05, "{fuel:?}");
    }

    /// Any law fits three trials, so none is fitted and the reason is reported.
    #[test]
    fn laws_are_not_fitted_to_a_few_trials() {
        let mut trials = drawn(9000.0, 0.05);
        trials.retain(|own| own.side == 250.0 && own.completed);
        let teams = |of: &[u32], each: usize| {
            let own = |robots: &u32| {
                let all = trials.iter().filter(|own| own.robots == *robots).take(each);
                all.copied().collect::<Vec<_>>()
            };
            statistics(&of.iter().flat_map(own).collect::<Vec<_>>())
        };
        let few = teams(&[1, 2, 4], 1);
        assert!(few.detection.is_none() && few.fuel.is_none());
        assert_eq!(
            few.refused[0].as_deref(),
            Some("only 3 trials have holes; at least 10 are needed")
        );
        assert_eq!(
            few.refused[1].as_deref(),
            Some("only 3 trials used throttle; at least 10 are needed")
        );
        assert!(few.teams.iter().all(|team| team.time_shape.is_none()));
        let two = teams(&[1, 8], 10);
        assert_eq!(two.refused[1].as_deref(), Some("only 2 team sizes; at least 3 are needed"));
        assert_eq!(two.detection.unwrap().explained, None);
        let three = teams(&[1, 2, 4], 19);
        assert!(three.fuel.is_some() && three.teams.iter().all(|own| own.time_shape.is_none()));
        assert!(teams(&[1, 2, 4, 8], 20).teams.iter().all(|own| own.time_shape.is_some()));
    }

    #[test]
    fn nothing_is_said_of_nothing() {
        let found = statistics(&[]);
        assert!(found.teams.is_empty() && found.detection.is_none() && found.fuel.is_none());
    }
}
