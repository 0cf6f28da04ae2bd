//! Mean of a lognormal sample.

use super::Interval;
use bekker_math::numeric::exp;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// Returns the mean of a lognormal sample with D. Cox's interval (in C. Land, Technometrics 14,
/// 1972).
///
/// The arguments are mean and variance (with divisor `count` - 1) of the natural logarithms. The
/// mean is exp(m + s²/2); its logarithm has the variance s²/n + s⁴/(2 (n - 1)). `None` for fewer
/// than two values.
pub fn lognormal_mean(
    mean_log: f64,
    variance_log: f64,
    count: usize,
    confidence: f64,
) -> Option<Interval> {
    let z = Normal::standard().inverse_cdf(0.5 + 0.5 * confidence);
    mean_within(mean_log, variance_log, count, z)
}

/// Returns the mean with an interval for small samples.
///
/// Student's t with `count` - 1 degrees of freedom replaces the normal quantile (U. Olsson, J.
/// Stat. Educ. 13(1), 2005, "modified Cox").
pub fn lognormal_mean_of_few(
    mean_log: f64,
    variance_log: f64,
    count: usize,
    confidence: f64,
) -> Option<Interval> {
    let student = StudentsT::new(0.0, 1.0, count.checked_sub(1)? as f64).ok()?;
    mean_within(mean_log, variance_log, count, student.inverse_cdf(0.5 + 0.5 * confidence))
}

/// Returns the mean with an interval of `errors` standard errors to either side.
fn mean_within(mean_log: f64, variance_log: f64, count: usize, errors: f64) -> Option<Interval> {
    if count < 2 {
        return None;
    }
    let n = count as f64;
    let center = mean_log + 0.5 * variance_log;
    let half = errors * (variance_log / n + variance_log * variance_log / (2.0 * (n - 1.0))).sqrt();
    Some(Interval { value: exp(center), low: exp(center - half), high: exp(center + half) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Carbon monoxide near a refinery, as in U. Olsson (J. Stat. Educ. 13(1), 2005).
    #[test]
    fn gives_the_published_result() {
        let found = lognormal_mean(5.127, 1.010, 40, 0.95).unwrap();
        // to the printed digits
        for (found, known) in [(found.value, 279.2), (found.low, 190.2), (found.high, 409.8)] {
            assert!((found - known).abs() <= 0.05, "{found}, not {known}");
        }
        assert_eq!(lognormal_mean(5.0, 1.0, 1, 0.95), None);
        // t with 39 degrees of freedom is 2.0227
        let few = lognormal_mean_of_few(5.127, 1.010, 40, 0.95).unwrap();
        let wider = (few.high / few.value).ln() / (found.high / found.value).ln();
        assert!((wider - 2.0227 / 1.95996).abs() < 1e-4, "{wider}");
        assert_eq!(lognormal_mean_of_few(5.0, 1.0, 1, 0.95), None);
    }
}
