//! Comparison of the normal and the lognormal distribution for positive numbers, such as times.

use bekker_math::numeric::{exp, ln};
use statrs::distribution::{ContinuousCDF, Normal};
use std::f64::consts::TAU;

/// Maximum-likelihood fit of a normal distribution to a sample or to its logarithms.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct NormalFit {
    /// Mean of the numbers or of their logarithms.
    pub mean: f64,
    /// Standard deviation of the numbers or of their logarithms, with divisor n.
    pub deviation: f64,
    /// Maximum log-likelihood of the sample itself.
    pub log_likelihood: f64,
}

/// Comparison of both distributions for a sample.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct NormalOrLognormal {
    /// Number of values.
    pub count: usize,
    /// Fit of the normal distribution.
    pub normal: NormalFit,
    /// Fit of the lognormal distribution.
    pub lognormal: NormalFit,
    /// Vuong's statistic of two models with equally many parameters (Q. Vuong, Econometrica 57,
    /// 1989).
    ///
    /// It is standard normal if both models are equally close to the truth, and positive in favor
    /// of the lognormal.
    pub vuong: f64,
    /// Probability of a statistic at least as far from zero.
    pub p_value: f64,
}

/// One point of a probability plot.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Quantile {
    /// Value.
    pub value: f64,
    /// Share of the sample, (i - 3/8) / (n + 1/4) for the i-th smallest (G. Blom 1958).
    pub share: f64,
    /// Quantile of the standard normal distribution for that share.
    pub score: f64,
}

/// Fits both distributions.
///
/// `None` for fewer than three numbers, for a number that is not positive, or if all are equal.
pub fn normal_or_lognormal(sample: &[f64]) -> Option<NormalOrLognormal> {
    let count = sample.len();
    let usable = count >= 3 && sample.iter().all(|x| x.is_finite() && *x > 0.0);
    if !usable || sample.iter().all(|x| *x == sample[0]) {
        return None;
    }
    let logs: Vec<f64> = sample.iter().map(|&x| ln(x)).collect();
    let (normal, each) = fit_normal(sample, |_| 0.0);
    // the density of x is that of ln x divided by x
    let (lognormal, each_log) = fit_normal(&logs, |log| log);
    let differences: Vec<f64> =
        each_log.iter().zip(&each).map(|(log, plain)| log - plain).collect();
    let n = count as f64;
    let mean = differences.iter().sum::<f64>() / n;
    let variance = differences.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / n;
    let vuong = if variance > 0.0 { n.sqrt() * mean / variance.sqrt() } else { 0.0 };
    let p_value = 2.0 * (1.0 - Normal::standard().cdf(vuong.abs()));
    Some(NormalOrLognormal { count, normal, lognormal, vuong, p_value })
}

/// Fits a normal distribution; returns also the log-likelihood of each value, less `jacobian`.
fn fit_normal(values: &[f64], jacobian: impl Fn(f64) -> f64) -> (NormalFit, Vec<f64>) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
    let deviation = variance.sqrt();
    let of = |&x: &f64| {
        let z = (x - mean) / deviation;
        -0.5 * z * z - ln(deviation) - 0.5 * ln(TAU) - jacobian(x)
    };
    let each: Vec<f64> = values.iter().map(of).collect();
    (NormalFit { mean, deviation, log_likelihood: each.iter().sum() }, each)
}

/// Returns the sorted sample for a probability plot.
pub fn probability_plot(sample: &[f64]) -> Vec<Quantile> {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let normal = Normal::standard();
    let place = |(index, &value): (usize, &f64)| {
        let share = (index as f64 + 1.0 - 0.375) / (n + 0.25);
        Quantile { value, share, score: normal.inverse_cdf(share) }
    };
    sorted.iter().enumerate().map(place).collect()
}

impl NormalOrLognormal {
    /// Returns the quantiles of the normal and the lognormal fit at a standard normal score.
    pub fn quantiles_at(&self, score: f64) -> [f64; 2] {
        let NormalFit { mean, deviation, .. } = self.normal;
        let logs = self.lognormal;
        [mean + score * deviation, exp(logs.mean + score * logs.deviation)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::random::RandomStream;

    /// By hand: the logarithms of 1, 2, 4 are 0, a, 2a with a = ln 2.
    #[test]
    fn likelihoods_are_those_of_the_densities() {
        let found = normal_or_lognormal(&[1.0, 2.0, 4.0]).unwrap();
        let a = 2f64.ln();
        assert!((found.lognormal.mean - a).abs() < 1e-15);
        let variance = 2.0 * a * a / 3.0;
        assert!((found.lognormal.deviation - variance.sqrt()).abs() < 1e-15);
        let expected = -1.5 - 1.5 * (TAU * variance).ln() - 3.0 * a;
        assert!((found.lognormal.log_likelihood - expected).abs() < 1e-12);
        let variance: f64 = 14.0 / 9.0;
        let expected = -1.5 - 1.5 * (TAU * variance).ln();
        assert!((found.normal.log_likelihood - expected).abs() < 1e-12);
    }

    #[test]
    fn distinguishes_two_models() {
        let stream = RandomStream::new(5, "likelihood");
        let logs: Vec<f64> = (0..400).map(|k| exp(4.0 + 0.5 * stream.normal(k))).collect();
        let plain: Vec<f64> = (400..800).map(|k| 50.0 + 10.0 * stream.normal(k)).collect();
        let [logs, plain] = [logs, plain].map(|sample| normal_or_lognormal(&sample).unwrap());
        assert!(logs.vuong > 2.0 && logs.p_value < 0.05, "{logs:?}");
        assert!(plain.vuong < 0.0, "{plain:?}");
        assert_eq!(normal_or_lognormal(&[1.0, 2.0]), None);
        assert_eq!(normal_or_lognormal(&[1.0, 0.0, 2.0]), None);
        assert_eq!(normal_or_lognormal(&[2.0; 5]), None);
    }

    #[test]
    fn a_probability_plot_is_straight_where_the_distribution_is_right() {
        let normal = Normal::standard();
        let n = 101;
        let sample: Vec<f64> = (1..=n)
            .map(|i| 3.0 + 2.0 * normal.inverse_cdf((f64::from(i) - 0.375) / (f64::from(n) + 0.25)))
            .rev()
            .collect();
        for point in probability_plot(&sample) {
            assert!((point.value - 3.0 - 2.0 * point.score).abs() < 1e-9);
        }
    }
}
