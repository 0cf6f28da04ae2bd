//! The MAVS swarm study's questions to many trials of a team: how often it fails, how long it
//! takes, what it burns, what it finds, and what another vehicle is worth.
//!
//! After C. Goodin et al., on teams of autonomous ground vehicles that look for negative
//! obstacles. The publication's equations and fitted figures could not be read; the models here
//! are stand-ins by the kind that its words describe, and say so.

mod detection;
mod fuel;

pub use detection::DetectionModel;
pub use fuel::FuelModel;

use super::statistics::{
    Interval, Moments, NormalOrLognormal, clopper_pearson, lognormal_mean_of_few,
    normal_or_lognormal, wilson,
};
use bekker_math::numeric::{exp, ln};
use serde::Serialize;

/// Confidence of all intervals.
pub const CONFIDENCE: f64 = 0.95;
/// Least trials to fit a law: with fewer it explains nearly all variance, whatever is true.
pub const LEAST_TRIALS: usize = 10;
/// Least times to compare the normal and the lognormal distribution: Vuong's statistic is normal only
/// for large samples.
pub const LEAST_TIMES: usize = 20;

/// One trial of a team.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Trial {
    /// How many vehicles.
    pub robots: u32,
    /// Side of the square terrain, m.
    pub side: f64,
    /// Holes in it.
    pub holes: u64,
    /// Of these, those detected.
    pub detected: u64,
    /// Whether all vehicles reached their goals in time.
    pub completed: bool,
    /// When the last arrived, s, if all did.
    pub time: Option<f64>,
    /// Time integral of the throttle of all, s.
    pub throttle: f64,
    /// Fuel of all, kg, where the engine says how much it burns.
    pub fuel: Option<f64>,
    /// Share of the terrain explored.
    pub explored: f64,
}

/// All trials of one number of vehicles on one size of terrain.
#[derive(Clone, Debug, Serialize)]
pub struct TeamFigures {
    /// How many vehicles.
    pub robots: u32,
    /// Side of the terrain, m.
    pub side: f64,
    /// How many trials.
    pub trials: usize,
    /// Of these, those in which some did not arrive in time.
    pub failures: u64,
    /// Failure rate: Wilson's interval, Clopper's and Pearson's where none or all failed.
    pub failure_rate: Interval,
    /// Mean time to complete, s: Cox's interval of a lognormal mean, modified for few; of at least two that did.
    pub time: Option<Interval>,
    /// Times to complete.
    pub times: usize,
    /// Whether the times are rather normal or lognormal; none of fewer than 20.
    pub time_shape: Option<NormalOrLognormal>,
    /// Mean cumulative throttle, s, likewise.
    pub throttle: Option<Interval>,
    /// Mean fuel, kg, likewise.
    pub fuel: Option<Interval>,
    /// Share of holes detected: Wilson's interval over all holes of all trials, as the study
    /// has it: it takes holes of one trial for independent.
    pub detection: Interval,
    /// The same by the mean and its error over trials, which does not.
    pub detection_by_trials: Interval,
    /// Mean share explored.
    pub explored: Interval,
}

/// What many trials say.
#[derive(Clone, Debug, Serialize)]
pub struct SwarmFigures {
    /// By size of terrain and number of vehicles, in order.
    pub teams: Vec<TeamFigures>,
    /// Detection over vehicles by area.
    pub detection: Option<DetectionModel>,
    /// Fuel, as cumulative throttle, over vehicles and way.
    pub fuel: Option<FuelModel>,
    /// The reasons why the laws of detection and of fuel are not fitted, if they are not.
    pub refused: [Option<String>; 2],
}

/// All figures of some trials.
pub fn figures(trials: &[Trial]) -> SwarmFigures {
    let mut keys: Vec<(f64, u32)> = trials.iter().map(|own| (own.side, own.robots)).collect();
    keys.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    keys.dedup();
    let of = |&(side, robots): &(f64, u32)| {
        let own = trials.iter().filter(|own| own.side == side && own.robots == robots);
        team(&own.copied().collect::<Vec<_>>())
    };
    let (detection, fuel) = (DetectionModel::of(trials), FuelModel::of(trials));
    SwarmFigures {
        teams: keys.iter().map(of).collect(),
        refused: [detection.as_ref().err().cloned(), fuel.as_ref().err().cloned()],
        detection: detection.ok(),
        fuel: fuel.ok(),
    }
}

/// How many of some numbers differ.
fn distinct(numbers: impl Iterator<Item = f64>) -> usize {
    let mut all: Vec<f64> = numbers.collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all.len()
}

fn team(trials: &[Trial]) -> TeamFigures {
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
    TeamFigures {
        robots: trials[0].robots,
        side: trials[0].side,
        trials: trials.len(),
        failures,
        failure_rate: proportion(failures, trials.len() as u64),
        time: lognormal(&times),
        times: times.len(),
        time_shape: normal_or_lognormal(&times).filter(|_| times.len() >= LEAST_TIMES),
        throttle: lognormal(&throttle),
        fuel: lognormal(&fuel),
        detection: proportion(found, holes),
        detection_by_trials: mean_share(&shares),
        explored: mean_share(&explored),
    }
}

/// A proportion with its interval.
fn proportion(successes: u64, trials: u64) -> Interval {
    let interval = if successes == 0 || successes == trials { clopper_pearson } else { wilson };
    let [low, high] = interval(successes, trials, CONFIDENCE);
    let value = if trials == 0 { f64::NAN } else { successes as f64 / trials as f64 };
    Interval { value, low, high }
}

/// Mean of a lognormal sample, of at least two positive numbers.
fn lognormal(sample: &[f64]) -> Option<Interval> {
    let logs: Vec<f64> = sample.iter().filter(|x| **x > 0.0).map(|&x| ln(x)).collect();
    let Moments { count, mean, deviation } = Moments::of(&logs)?;
    let deviation = deviation?;
    lognormal_mean_of_few(mean, deviation * deviation, count, CONFIDENCE)
}

/// Mean of shares with Student's interval, as far as shares go.
fn mean_share(sample: &[f64]) -> Interval {
    let moments = Moments::of(sample);
    let value = moments.as_ref().map_or(f64::NAN, |own| own.mean);
    // a bound that is not known stays so
    let [low, high] = match moments.and_then(|own| own.estimate()) {
        Some(own) => [own.low, own.high].map(|bound| bound.clamp(0.0, 1.0)),
        None => [f64::NAN; 2],
    };
    Interval { value, low, high }
}

/// Share of holes that a team burning so much on such a terrain detects, by both models: the
/// study's trade-off.
pub fn trade_off(figures: &SwarmFigures, side: f64, throttle: f64) -> Option<f64> {
    let (detection, fuel) = (figures.detection.as_ref()?, figures.fuel.as_ref()?);
    let robots = fuel.robots(side, throttle);
    Some(1.0 - exp(-detection.rate.value * robots / (side * side)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::random::Stream;

    /// Trials drawn from the models themselves, whose parameters must come back.
    fn drawn(rate: f64, per_metre: f64) -> Vec<Trial> {
        let stream = Stream::new(11, "swarm");
        let mut trials = Vec::new();
        for side in [250.0, 500.0] {
            let holes = (4e-4 * side * side) as u64;
            for robots in [1, 2, 4, 8] {
                for trial in 0..60_u64 {
                    let key = (side as u64) << 32 | u64::from(robots) << 16 | trial;
                    let own = Stream::new(stream.bits(key), "trial");
                    let share = 1.0 - exp(-rate * f64::from(robots) / (side * side));
                    let found = (0..holes).filter(|&hole| own.uniform(100 + hole) < share).count();
                    let mean = per_metre * side * f64::from(robots);
                    let time = exp(ln(side / 5.0) + 0.2 * own.normal(1));
                    let completed = own.uniform(7) < 0.9;
                    trials.push(Trial {
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
    fn the_models_find_what_trials_were_drawn_from() {
        let (rate, per_metre) = (9000.0, 0.05);
        let found = figures(&drawn(rate, per_metre));
        assert_eq!(found.teams.len(), 8);
        let detection = found.detection.as_ref().unwrap();
        // four standard errors of a binomial rate from some 20,000 holes: below 4 %
        assert!((detection.rate.value / rate - 1.0).abs() < 0.04, "{detection:?}");
        assert!(detection.rate.low < rate && rate < detection.rate.high, "{detection:?}");
        assert!(detection.explained.unwrap() > 0.95, "{detection:?}");
        let fuel = found.fuel.as_ref().unwrap();
        // 480 logarithms of deviation 0.1: four errors of the exponents are below 0.03
        assert!(
            (fuel.of_robots - 1.0).abs() < 0.03 && (fuel.of_side.unwrap() - 1.0).abs() < 0.06,
            "{fuel:?}"
        );
        let burned = per_metre * 250.0 * 4.0;
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
        // 0.5 and 12.7 standard errors of 0.5 more or less; t at 2 degrees is 4.303
        assert_eq!(bounds(&[0.0, 1.0]), [0.0, 1.0]);
        let [low, high] = bounds(&[0.9, 1.0, 1.0]);
        assert!(high == 1.0 && (low - (0.966_667 - 4.303 / 30.0)).abs() < 1e-4, "{low} {high}");
        assert!(bounds(&[0.3]).iter().all(|bound| bound.is_nan()));
    }

    #[test]
    fn one_size_of_terrain_does_not_tell_how_fuel_grows_with_it() {
        let mut trials = drawn(9000.0, 0.05);
        trials.retain(|own| own.side == 250.0);
        let fuel = figures(&trials).fuel.unwrap();
        assert_eq!(fuel.of_side, None);
        assert!((fuel.throttle(4.0, 250.0) / (0.05 * 4.0 * 250.0) - 1.0).abs() < 0.05, "{fuel:?}");
    }

    /// Any law fits three trials, so none is fitted and the reason is given.
    #[test]
    fn laws_are_not_fitted_to_a_few_trials() {
        let mut trials = drawn(9000.0, 0.05);
        trials.retain(|own| own.side == 250.0 && own.completed);
        let teams = |of: &[u32], each: usize| {
            let own = |robots: &u32| {
                let all = trials.iter().filter(|own| own.robots == *robots).take(each);
                all.copied().collect::<Vec<_>>()
            };
            figures(&of.iter().flat_map(own).collect::<Vec<_>>())
        };
        let few = teams(&[1, 2, 4], 1);
        assert!(few.detection.is_none() && few.fuel.is_none());
        assert_eq!(few.refused[0].as_deref(), Some("3 trials with holes; 10 are needed"));
        assert_eq!(few.refused[1].as_deref(), Some("3 trials with throttle; 10 are needed"));
        assert!(few.teams.iter().all(|team| team.time_shape.is_none()));
        let two = teams(&[1, 8], 10);
        assert_eq!(two.refused[1].as_deref(), Some("2 numbers of vehicles; 3 are needed"));
        assert_eq!(two.detection.unwrap().explained, None);
        let three = teams(&[1, 2, 4], 19);
        assert!(three.fuel.is_some() && three.teams.iter().all(|own| own.time_shape.is_none()));
        assert!(teams(&[1, 2, 4, 8], 20).teams.iter().all(|own| own.time_shape.is_some()));
    }

    #[test]
    fn nothing_is_said_of_nothing() {
        let found = figures(&[]);
        assert!(found.teams.is_empty() && found.detection.is_none() && found.fuel.is_none());
    }
}
