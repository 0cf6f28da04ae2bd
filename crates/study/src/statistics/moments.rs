//! Means, deviations and paired differences.

use bekker_rig::ParameterEstimate;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Mean and standard deviation of a sample.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct SampleMoments {
    /// Number of values.
    pub count: usize,
    /// Mean.
    pub mean: f64,
    /// Standard deviation, with divisor `count` - 1; `None` for a single value.
    pub deviation: Option<f64>,
}

impl SampleMoments {
    /// Computes the moments in two passes, with squared differences to the mean; `None` without
    /// values.
    pub fn new(values: &[f64]) -> Option<SampleMoments> {
        let count = values.len();
        if count == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        let deviation = (count > 1).then(|| (squares / (count - 1) as f64).sqrt());
        Some(SampleMoments { count, mean, deviation })
    }

    /// Returns the mean with its standard error and Student's 95 % interval; `None` for a single
    /// value.
    pub fn estimate(&self) -> Option<ParameterEstimate> {
        let error = self.deviation? / (self.count as f64).sqrt();
        let student = StudentsT::new(0.0, 1.0, (self.count - 1) as f64).ok()?;
        let half = student.inverse_cdf(0.975) * error;
        Some(ParameterEstimate {
            value: self.mean,
            error,
            low: self.mean - half,
            high: self.mean + half,
        })
    }
}

/// Returns the mean of paired differences with its standard error and Student's 95 % interval.
///
/// With common random numbers it is the difference of two designs. `None` for fewer than two pairs.
pub fn paired_difference(differences: &[f64]) -> Option<ParameterEstimate> {
    SampleMoments::new(differences)?.estimate()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Extra hours of sleep of ten patients with two drugs (Student, Biometrika 6, 1908).
    ///
    /// The differences have a mean of 1.58 and a standard deviation of 1.230; t with 9 degrees of
    /// freedom is 2.262.
    const SLEEP: [f64; 10] = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4];

    #[test]
    fn students_pairs_give_their_interval() {
        let ParameterEstimate { value, error, low, high } = paired_difference(&SLEEP).unwrap();
        // to the digits of the tables: 1.58, 1.230 / sqrt(10), 1.58 -+ 2.262 x 0.389
        assert!((value - 1.58).abs() < 1e-12 && (error - 0.38896).abs() < 1e-5);
        assert!((low - 0.70011).abs() < 1e-4 && (high - 2.45989).abs() < 1e-4);
    }

    #[test]
    fn few_values_give_wider_intervals() {
        assert_eq!(SampleMoments::new(&[]), None);
        assert_eq!(
            SampleMoments::new(&[3.0]),
            Some(SampleMoments { count: 1, mean: 3.0, deviation: None })
        );
        assert!(paired_difference(&[3.0]).is_none());
        let same = paired_difference(&[2.0; 4]).unwrap();
        assert_eq!([same.value, same.low, same.high], [2.0; 3]);
    }
}
