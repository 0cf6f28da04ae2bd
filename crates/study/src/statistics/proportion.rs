//! Two-sided intervals of a proportion: `successes` among `trials`, at a `confidence` within (0,
//! 1).
//!
//! They are compared in L. Brown, T. Cai and A. DasGupta, Statistical Science 16, 2001. Without
//! trials the interval is 0 to 1.

use statrs::distribution::{Beta, ContinuousCDF, Normal};

/// Returns Wilson's interval (E. Wilson, J. Am. Stat. Assoc. 22, 1927).
///
/// It contains the proportions p whose standard error sqrt(p (1 - p) / n) reaches the observed one.
/// Its coverage is near the nominal confidence on average.
pub fn wilson(successes: u64, trials: u64, confidence: f64) -> [f64; 2] {
    if trials == 0 {
        return [0.0, 1.0];
    }
    wilson_effective(successes as f64 / trials as f64, trials as f64, confidence)
}

/// Returns Wilson's interval of an observed share for an effective number of independent trials.
///
/// The effective number is above 0 and not necessarily an integer.
pub fn wilson_effective(share: f64, trials: f64, confidence: f64) -> [f64; 2] {
    let (n, p) = (trials, share);
    let z = Normal::standard().inverse_cdf(0.5 + 0.5 * confidence);
    let center = p + z * z / (2.0 * n);
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    // exact at the ends, where the difference of two equal numbers has rounding errors
    let low = if p <= 0.0 { 0.0 } else { (center - half) / scale };
    let high = if p >= 1.0 { 1.0 } else { (center + half) / scale };
    [low, high]
}

/// Returns the interval of Clopper and Pearson (Biometrika 26, 1934).
///
/// It contains the proportions that a test by binomial tails does not reject. It covers at least
/// the nominal confidence, often more.
pub fn clopper_pearson(successes: u64, trials: u64, confidence: f64) -> [f64; 2] {
    let (k, n) = (successes as f64, trials as f64);
    bounds(successes, trials, confidence, [[k, n - k + 1.0], [k + 1.0, n - k]])
}

/// Returns Jeffreys's interval.
///
/// Its ends are quantiles of the posterior with a beta prior of 1/2 and 1/2. Without successes it
/// starts at 0, without failures it ends at 1.
pub fn jeffreys(successes: u64, trials: u64, confidence: f64) -> [f64; 2] {
    let (k, n) = (successes as f64, trials as f64);
    bounds(successes, trials, confidence, [[k + 0.5, n - k + 0.5]; 2])
}

/// Returns quantiles of a beta distribution for each end, or 0 and 1 where it is undefined.
fn bounds(successes: u64, trials: u64, confidence: f64, shapes: [[f64; 2]; 2]) -> [f64; 2] {
    let tail = 0.5 - 0.5 * confidence;
    let quantile = |[a, b]: [f64; 2], part: f64| Beta::new(a, b).map(|beta| beta.inverse_cdf(part));
    let low = if successes == 0 { None } else { quantile(shapes[0], tail).ok() };
    let high = if successes >= trials { None } else { quantile(shapes[1], 1.0 - tail).ok() };
    [low.unwrap_or(0.0), high.unwrap_or(1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: [[u64; 2]; 4] = [[81, 263], [15, 148], [0, 20], [1, 29]];

    /// Published and recomputed values have four digits: within half of the last.
    fn holds(interval: fn(u64, u64, f64) -> [f64; 2], known: [[f64; 2]; 4]) {
        for ([k, n], known) in CASES.into_iter().zip(known) {
            let found = interval(k, n, 0.95);
            let near = (0..2).all(|end| (found[end] - known[end]).abs() <= 0.5e-4 + 1e-12);
            assert!(near, "{k}/{n}: {found:?}, not {known:?}");
        }
    }

    #[test]
    fn wilson_gives_published_intervals() {
        holds(wilson, [[0.2553, 0.3662], [0.0624, 0.1605], [0.0, 0.1611], [0.0061, 0.1718]]);
    }

    #[test]
    fn clopper_and_pearson_give_published_intervals() {
        let known = [[0.2527, 0.3676], [0.0578, 0.1617], [0.0, 0.1684], [0.0009, 0.1776]];
        holds(clopper_pearson, known);
    }

    #[test]
    fn jeffreys_gives_published_intervals() {
        holds(jeffreys, [[0.2545, 0.3656], [0.0604, 0.1576], [0.0, 0.1166], [0.0037, 0.1501]]);
    }

    #[test]
    fn failures_mirror_successes_and_no_trials_give_the_unit_interval() {
        for interval in [wilson, clopper_pearson, jeffreys] {
            assert_eq!(interval(0, 0, 0.95), [0.0, 1.0]);
            for [k, n] in CASES {
                let ([low, high], mirrored) = (interval(k, n, 0.9), interval(n - k, n, 0.9));
                // the inverse of the beta distribution is accurate to about 1e-9
                assert!((low - (1.0 - mirrored[1])).abs() < 1e-8, "{k}/{n}");
                assert!((high - (1.0 - mirrored[0])).abs() < 1e-8, "{k}/{n}");
            }
        }
    }

    /// Returns the probability that the interval contains p, summed over all outcomes of n trials.
    fn coverage(interval: fn(u64, u64, f64) -> [f64; 2], n: i32, p: f64) -> f64 {
        let (mut weight, mut covered) = ((1.0 - p).powi(n), 0.0);
        for k in 0..=n {
            let [low, high] = interval(k as u64, n as u64, 0.95);
            if (low..=high).contains(&p) {
                covered += weight;
            }
            weight *= f64::from(n - k) / f64::from(k + 1) * p / (1.0 - p);
        }
        covered
    }

    #[test]
    fn clopper_and_pearson_have_at_least_nominal_coverage() {
        for step in 1..100 {
            let p = f64::from(step) / 100.0;
            let covered = coverage(clopper_pearson, 20, p);
            assert!(covered >= 0.95, "{covered} at {p}");
        }
    }

    /// On average over all proportions, the coverage is as shown by Brown, Cai and DasGupta.
    ///
    /// Wilson's and Jeffreys's intervals cover about the nominal confidence, Clopper's and
    /// Pearson's more.
    #[test]
    fn mean_coverage_is_as_published() {
        for n in [10, 25, 50] {
            let mean = |interval| {
                let at = |step| coverage(interval, n, (f64::from(step) + 0.5) / 400.0);
                (0..400).map(at).sum::<f64>() / 400.0
            };
            // within 0.01, by their figure 5; the exact interval exceeds it by 0.01 to 0.03
            assert!((mean(wilson) - 0.95).abs() < 0.01, "{n}: {}", mean(wilson));
            assert!((mean(jeffreys) - 0.95).abs() < 0.01, "{n}: {}", mean(jeffreys));
            assert!(mean(clopper_pearson) > 0.96, "{n}: {}", mean(clopper_pearson));
        }
    }
}
