//! Detection as a function of vehicle density: the law of random search.

use super::{CONFIDENCE, MIN_TRIALS, SwarmTrial, distinct};
use crate::statistics::Interval;
use bekker_math::numeric::{exp, ln};
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Smallest number of densities for which the explained share of variance is given.
///
/// With two or three densities any increasing law explains nearly all variance.
const MIN_DENSITIES: usize = 4;

/// Fraction of holes detected, 1 - exp(-α ρ), with ρ the number of vehicles per area.
///
/// It is the law of random search (B. Koopman, *Search and Screening*, 1946), in which α is the
/// area swept by one vehicle. The rate has maximum binomial likelihood. Its error is the greater of
/// two: by the curvature, which treats holes as independent, and by the trials' scores, which
/// treats trials as independent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DetectionModel {
    /// α, the area swept by one vehicle, m².
    pub rate: Interval,
    /// Share of the variance of -ln(1 - fraction detected) between teams that the model explains.
    ///
    /// `None` for fewer than four densities.
    pub explained: Option<f64>,
}

impl DetectionModel {
    /// Fits the law to all trials with holes.
    ///
    /// # Errors
    /// The reason if it cannot be fitted: too few trials, or none or all holes detected.
    pub fn fit(trials: &[SwarmTrial]) -> Result<DetectionModel, String> {
        let of = |own: &&SwarmTrial| own.holes > 0;
        let counted: Vec<[f64; 3]> = trials
            .iter()
            .filter(of)
            .map(|own| {
                let density = f64::from(own.robots) / (own.side * own.side);
                [density, own.detected as f64, (own.holes - own.detected) as f64]
            })
            .collect();
        if counted.len() < MIN_TRIALS {
            return Err(format!(
                "only {} trials have holes; at least {MIN_TRIALS} are needed",
                counted.len()
            ));
        }
        let sum = |part: usize| counted.iter().map(|own| own[part]).sum::<f64>();
        if sum(1) == 0.0 || sum(2) == 0.0 {
            let what = if sum(1) == 0.0 { "no hole" } else { "every hole" };
            return Err(format!("{what} was detected in all {} trials", counted.len()));
        }
        // the slope of the log-likelihood decreases with the rate: its zero is found by bisection
        let slope = |rate: f64| -> f64 {
            counted
                .iter()
                .map(|&[density, found, missed]| {
                    let left = exp(-rate * density);
                    found * density * left / (1.0 - left) - missed * density
                })
                .sum()
        };
        let densest = counted.iter().map(|own| own[0]).fold(0.0, f64::max);
        let mut bounds = [1e-12 / densest, 1e6 / densest];
        for _ in 0..200 {
            let middle = (bounds[0] * bounds[1]).sqrt();
            bounds[usize::from(slope(middle) < 0.0)] = middle;
        }
        let value = bounds[0];
        let information: f64 = counted
            .iter()
            .map(|&[density, found, missed]| {
                let left = exp(-value * density);
                (found + missed) * density * density * left / (1.0 - left)
            })
            .sum();
        let score = |&[density, found, missed]: &[f64; 3]| {
            let left = exp(-value * density);
            found * density * left / (1.0 - left) - missed * density
        };
        let count = counted.len() as f64;
        let scores: f64 = counted.iter().map(|own| score(own) * score(own)).sum();
        let by_trials = scores * count / (count - 1.0) / (information * information);
        let student = StudentsT::new(0.0, 1.0, count - 1.0).map_err(|error| error.to_string())?;
        let t = student.inverse_cdf(0.5 + 0.5 * CONFIDENCE);
        let half = t * by_trials.max(1.0 / information).sqrt();
        let rate = Interval { value, low: (value - half).max(0.0), high: value + half };
        let densities = distinct(counted.iter().map(|own| own[0]));
        let explained = explained(&counted, value).filter(|_| densities >= MIN_DENSITIES);
        Ok(DetectionModel { rate, explained })
    }

    /// Returns the fraction of holes that `robots` vehicles detect on a terrain with this side.
    pub fn share(&self, robots: f64, side: f64) -> f64 {
        1.0 - exp(-self.rate.value * robots / (side * side))
    }
}

/// Returns R² of the linear form over the densities of the trials.
fn explained(counted: &[[f64; 3]], rate: f64) -> Option<f64> {
    let mut densities: Vec<f64> = counted.iter().map(|own| own[0]).collect();
    densities.sort_by(f64::total_cmp);
    densities.dedup();
    let points: Vec<[f64; 2]> = densities
        .iter()
        .filter_map(|&density| {
            let own = || counted.iter().filter(|own| own[0] == density);
            let (found, missed): (f64, f64) =
                (own().map(|own| own[1]).sum(), own().map(|own| own[2]).sum());
            (missed > 0.0).then(|| [density, -ln(missed / (found + missed))])
        })
        .collect();
    let n = points.len() as f64;
    let mean = points.iter().map(|point| point[1]).sum::<f64>() / n;
    let total: f64 = points.iter().map(|point| (point[1] - mean) * (point[1] - mean)).sum();
    let left: f64 = points
        .iter()
        .map(|&[density, value]| (value - rate * density) * (value - rate * density))
        .sum();
    (total > 0.0).then(|| 1.0 - left / total)
}
