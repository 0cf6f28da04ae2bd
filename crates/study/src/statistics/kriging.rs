//! Ordinary kriging: the best linear prediction between points, with its variance.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// Reasons why an interpolation fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KrigingError {
    /// Fewer than two points, or the number of values differs from that of the points.
    #[error("cannot interpolate {points} points with {values} values")]
    TooFew {
        /// Number of points.
        points: usize,
        /// Number of values.
        values: usize,
    },
    /// The covariance matrix is singular: a point is duplicated, or points are too close.
    #[error("the covariance matrix of {points} points is singular; remove duplicate points")]
    Singular {
        /// Number of points.
        points: usize,
    },
}

/// Interpolation of values of a field with an unknown constant mean.
///
/// G. Matheron, Econ. Geol. 58, 1963; E. Isaaks and R. Srivastava, *An Introduction to Applied
/// Geostatistics*, 1989, chapter 12.
#[derive(Clone, Debug)]
pub struct Kriging {
    covariance: Cholesky<f64, Dyn>,
    /// K⁻¹ 1.
    ones: DVector<f64>,
    /// 1ᵀ K⁻¹ 1.
    precision: f64,
    /// Estimated mean.
    mean: f64,
    /// K⁻¹ (values - mean).
    weights: DVector<f64>,
    /// Values minus the mean.
    left: DVector<f64>,
}

impl Kriging {
    /// Fits the values, given the covariance of each pair of points with noise on the diagonal.
    ///
    /// # Errors
    /// [`KrigingError`] if there are too few points, or the covariances are singular.
    pub fn new(covariance: DMatrix<f64>, values: &[f64]) -> Result<Kriging, KrigingError> {
        let (points, values) = (covariance.nrows(), DVector::from_column_slice(values));
        if points < 2 || values.len() != points {
            return Err(KrigingError::TooFew { points, values: values.len() });
        }
        let covariance = covariance.cholesky().ok_or(KrigingError::Singular { points })?;
        let ones = covariance.solve(&DVector::from_element(points, 1.0));
        let precision = ones.sum();
        let mean = ones.dot(&values) / precision;
        let left = values.add_scalar(-mean);
        let weights = covariance.solve(&left);
        Ok(Kriging { covariance, ones, precision, mean, weights, left })
    }

    /// Returns the prediction at a position, given its covariances with the points.
    pub fn value(&self, covariances: &DVector<f64>) -> f64 {
        self.mean + covariances.dot(&self.weights)
    }

    /// Returns the variance of the prediction error for a field with variance `sill`.
    ///
    /// It includes the error of the mean.
    pub fn variance(&self, covariances: &DVector<f64>, sill: f64) -> f64 {
        let solved = self.covariance.solve(covariances);
        let open = 1.0 - self.ones.dot(covariances);
        sill - covariances.dot(&solved) + open * open / self.precision
    }

    /// Returns the leave-one-out error of each point (O. Dubrule, Math. Geol. 15, 1983).
    ///
    /// It requires no second factorization.
    pub fn left_out(&self) -> Vec<f64> {
        let inverse = self.covariance.inverse();
        let error = |i: usize| {
            let own = inverse[(i, i)] - self.ones[i] * self.ones[i] / self.precision;
            self.weights[i] / own
        };
        (0..self.left.len()).map(error).collect()
    }

    /// Returns the log-likelihood without constants, and the common factor that maximizes it.
    ///
    /// The covariances are those of the field up to this factor.
    pub fn likelihood(&self) -> [f64; 2] {
        let count = self.left.len() as f64;
        let factor = self.left.dot(&self.weights) / count;
        let ln = bekker_math::numeric::ln;
        let determinant: f64 =
            self.covariance.l_dirty().diagonal().iter().map(|pivot| 2.0 * ln(*pivot)).sum();
        [-0.5 * (count * ln(factor.max(f64::MIN_POSITIVE)) + determinant), factor]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::numeric::{exp, hypot};

    /// Example of Isaaks and Srivastava: east, north, value; predicted at (65, 137) with the
    /// covariance 10 e^(-0.3 h).
    const SAMPLES: [[f64; 3]; 7] = [
        [61.0, 139.0, 477.0],
        [63.0, 140.0, 696.0],
        [64.0, 129.0, 227.0],
        [68.0, 128.0, 646.0],
        [71.0, 140.0, 606.0],
        [73.0, 141.0, 791.0],
        [75.0, 128.0, 783.0],
    ];

    fn covariance(a: [f64; 2], b: [f64; 2]) -> f64 {
        10.0 * exp(-0.3 * hypot(a[0] - b[0], a[1] - b[1]))
    }

    fn kriging(samples: &[[f64; 3]]) -> Kriging {
        let place = |n: usize| [samples[n][0], samples[n][1]];
        let count = samples.len();
        let pairs = DMatrix::from_fn(count, count, |i, j| covariance(place(i), place(j)));
        Kriging::new(pairs, &samples.iter().map(|own| own[2]).collect::<Vec<_>>()).unwrap()
    }

    fn to(samples: &[[f64; 3]], at: [f64; 2]) -> DVector<f64> {
        DVector::from_iterator(
            samples.len(),
            samples.iter().map(|own| covariance([own[0], own[1]], at)),
        )
    }

    #[test]
    fn gives_the_published_result_of_isaaks_and_srivastava() {
        let (kriging, at) = (kriging(&SAMPLES), to(&SAMPLES, [65.0, 137.0]));
        // to the printed digits
        assert!((kriging.value(&at) - 592.7).abs() <= 0.05, "{}", kriging.value(&at));
        let variance = kriging.variance(&at, 10.0);
        assert!((variance - 8.96).abs() <= 0.005, "{variance}");
        // at a sample point its value, without variance
        let at = to(&SAMPLES, [63.0, 140.0]);
        assert!((kriging.value(&at) - 696.0).abs() < 1e-9 && kriging.variance(&at, 10.0) < 1e-9);
    }

    #[test]
    fn leave_one_out_equals_refitting() {
        let errors = kriging(&SAMPLES).left_out();
        for (n, error) in errors.into_iter().enumerate() {
            let mut others = SAMPLES.to_vec();
            let own = others.remove(n);
            let found = own[2] - kriging(&others).value(&to(&others, [own[0], own[1]]));
            assert!((found - error).abs() < 1e-8 * found.abs(), "{n}: {found}, {error}");
        }
    }

    #[test]
    fn a_point_that_is_there_twice_is_refused() {
        let twice = DMatrix::from_element(2, 2, 1.0);
        assert_eq!(
            Kriging::new(twice, &[1.0, 2.0]).unwrap_err(),
            KrigingError::Singular { points: 2 }
        );
        let one = DMatrix::from_element(1, 1, 1.0);
        assert!(Kriging::new(one, &[1.0]).is_err());
    }
}
