//! Weighted least squares with confidence bounds.
//!
//! The steps are those of Levenberg and Marquardt (D. Marquardt, J. SIAM 11, 1963) on columns
//! scaled to unit length. Identifiability is judged by the singular values of the scaled Jacobian
//! (D. Belsley, E. Kuh and R. Welsch, *Regression Diagnostics*, 1980).

use nalgebra::{DMatrix, SMatrix, SVector};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Condition of the scaled Jacobian above which parameters are collinear.
pub const ILL_CONDITIONED: f64 = 30.0;
const STEPS: usize = 300;

/// One observation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitObservation {
    /// Observed value.
    pub value: f64,
    /// Standard deviation, or any common value if it is unknown.
    pub deviation: f64,
    /// Trial of the observation; errors are correlated within a trial.
    pub trial: u32,
}

/// A parameter with its bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct ParameterEstimate {
    /// Best estimate.
    pub value: f64,
    /// Standard error.
    pub error: f64,
    /// Lower 95 % confidence bound.
    pub low: f64,
    /// Upper 95 % confidence bound.
    pub high: f64,
}

/// A fit of `P` parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit<const P: usize> {
    /// Estimates of the parameters.
    pub parameters: [ParameterEstimate; P],
    /// Root mean square of the residuals, in the unit of the observations.
    pub residual: f64,
    /// Fraction of the observations' variance that the curve explains.
    pub explained: f64,
    /// Condition of the scaled Jacobian.
    ///
    /// It is 1 if the parameters are independent; from about 30 up they are collinear.
    pub condition: f64,
    /// Number of observations.
    pub points: usize,
    /// Number of trials used for the standard errors.
    pub trials: usize,
}

/// Reasons why a fit fails.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// Too few observations.
    #[error("{points} points are too few for {parameters} parameters and their bounds")]
    TooFew {
        /// Number of observations.
        points: usize,
        /// Number of parameters.
        parameters: usize,
    },
    /// The observations do not determine a parameter.
    #[error("the points do not determine the parameters (condition {condition:.1e})")]
    Undetermined {
        /// Condition of the scaled Jacobian.
        condition: f64,
    },
}

/// Fits `model` from `start`; it returns the value of observation `i` and its derivatives.
///
/// With more trials than parameters, the bounds come from the scatter between trials: the sandwich
/// estimator for clusters, with one degree of freedom less than trials. Otherwise they come from
/// the scatter of the points.
///
/// # Errors
/// Too few points, or points that do not determine a parameter.
pub fn fit<const P: usize>(
    start: [f64; P],
    observed: &[FitObservation],
    model: impl Fn(&[f64; P], usize) -> (f64, [f64; P]),
) -> Result<Fit<P>, FitError> {
    let points = observed.len();
    if points <= P {
        return Err(FitError::TooFew { points, parameters: P });
    }
    let rows = |at: &[f64; P]| -> Vec<(f64, SVector<f64, P>)> {
        let row = |(i, o): (usize, &FitObservation)| {
            let (value, slope) = model(at, i);
            ((o.value - value) / o.deviation, SVector::from(slope) / o.deviation)
        };
        observed.iter().enumerate().map(row).collect()
    };
    let cost = |rows: &[(f64, SVector<f64, P>)]| rows.iter().map(|(r, _)| r * r).sum::<f64>();
    let mut at = start;
    let mut now = rows(&at);
    let mut damping = 1e-3;
    for _ in 0..STEPS {
        let (scale, normal, pull) = normal_equations(&now);
        let damped = normal + SMatrix::identity() * damping;
        let Some(step) = damped.cholesky().map(|c| c.solve(&pull).component_div(&scale)) else {
            damping *= 10.0;
            continue;
        };
        let next: [f64; P] = std::array::from_fn(|k| at[k] + step[k]);
        let tried = rows(&next);
        let (before, after) = (cost(&now), cost(&tried));
        if after <= before {
            let small = (0..P).all(|k| step[k].abs() <= 1e-12 * at[k].abs().max(1e-300));
            (at, now) = (next, tried);
            damping = (damping * 0.1_f64).max(1e-15);
            if small || before - after <= 1e-15 * before {
                break;
            }
        } else {
            damping *= 10.0;
            if damping > 1e12 {
                break;
            }
        }
    }
    summarize(at, observed, &now)
}

/// Returns the norms of the Jacobian's columns, and the normal equations scaled by them.
fn normal_equations<const P: usize>(
    rows: &[(f64, SVector<f64, P>)],
) -> (SVector<f64, P>, SMatrix<f64, P, P>, SVector<f64, P>) {
    let mut squares = SVector::<f64, P>::zeros();
    rows.iter().for_each(|(_, j)| squares += j.component_mul(j));
    let scale = squares.map(|s| s.sqrt().max(1e-300));
    let mut normal = SMatrix::<f64, P, P>::zeros();
    let mut pull = SVector::<f64, P>::zeros();
    for (residual, slope) in rows {
        let j = slope.component_div(&scale);
        normal += j * j.transpose();
        pull += j * *residual;
    }
    (scale, normal, pull)
}

fn summarize<const P: usize>(
    at: [f64; P],
    observed: &[FitObservation],
    rows: &[(f64, SVector<f64, P>)],
) -> Result<Fit<P>, FitError> {
    let points = rows.len();
    let (scale, normal, _) = normal_equations(rows);
    let jacobian = DMatrix::from_fn(points, P, |i, k| rows[i].1[k] / scale[k]);
    let singular = jacobian.singular_values();
    let condition = singular.max() / singular.min();
    // beyond, the normal equations have lost all digits
    let inverse = normal
        .try_inverse()
        .filter(|_| condition < 1e7)
        .ok_or(FitError::Undetermined { condition })?;

    let mut trials: Vec<u32> = observed.iter().map(|o| o.trial).collect();
    trials.sort_unstable();
    trials.dedup();
    let (n, p) = (points as f64, P as f64);
    let (covariance, freedom) = if trials.len() > P {
        let mut meat = SMatrix::<f64, P, P>::zeros();
        for trial in &trials {
            let mut sum = SVector::<f64, P>::zeros();
            for ((residual, slope), _) in
                rows.iter().zip(observed).filter(|(_, o)| o.trial == *trial)
            {
                sum += slope.component_div(&scale) * *residual;
            }
            meat += sum * sum.transpose();
        }
        let groups = trials.len() as f64;
        let correction = groups / (groups - 1.0) * (n - 1.0) / (n - p);
        (inverse * meat * inverse * correction, groups - 1.0)
    } else {
        let left: f64 = rows.iter().map(|(r, _)| r * r).sum();
        (inverse * (left / (n - p)), n - p)
    };
    let quantile = student(freedom);
    let parameters = std::array::from_fn(|k| {
        let error = covariance[(k, k)].max(0.0).sqrt() / scale[k];
        let value = at[k];
        ParameterEstimate {
            value,
            error,
            low: value - quantile * error,
            high: value + quantile * error,
        }
    });
    let mean = observed.iter().map(|o| o.value).sum::<f64>() / n;
    let left: f64 =
        rows.iter().zip(observed).map(|((r, _), o)| (r * o.deviation) * (r * o.deviation)).sum();
    let all: f64 = observed.iter().map(|o| (o.value - mean) * (o.value - mean)).sum();
    Ok(Fit {
        parameters,
        residual: (left / n).sqrt(),
        explained: 1.0 - left / all,
        condition,
        points,
        trials: trials.len(),
    })
}

/// Returns the two-sided 95 % quantile of Student's distribution; infinite without a degree of
/// freedom.
fn student(freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |student| student.inverse_cdf(0.975))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_straight_line_has_its_closed_form() {
        // y = 1 + 2 x with residuals ±0.1: textbook formulas of the errors
        let xs: Vec<f64> = (0..10).map(f64::from).collect();
        let noise = |i: usize| if i.is_multiple_of(2) { 0.1 } else { -0.1 };
        let observed: Vec<FitObservation> = xs
            .iter()
            .enumerate()
            .map(|(i, x)| FitObservation {
                value: 1.0 + 2.0 * x + noise(i),
                deviation: 1.0,
                trial: 0,
            })
            .collect();
        let line = |p: &[f64; 2], i: usize| (p[0] + p[1] * xs[i], [1.0, xs[i]]);
        let found = fit([0.0, 0.0], &observed, line).unwrap();
        let (n, mean) = (10.0, 4.5);
        let sxx: f64 = xs.iter().map(|x| (x - mean) * (x - mean)).sum();
        let sxy: f64 = xs.iter().zip(&observed).map(|(x, o)| (x - mean) * o.value).sum();
        let slope = sxy / sxx;
        assert!((found.parameters[1].value - slope).abs() < 1e-9);
        let variance = n * found.residual * found.residual / (n - 2.0);
        assert!((found.parameters[1].error / (variance / sxx).sqrt() - 1.0).abs() < 1e-9);
        // eight degrees of freedom: 2.306
        let width = (found.parameters[1].high - slope) / found.parameters[1].error;
        assert!((width - 2.306).abs() < 5e-4, "{width}");
    }

    #[test]
    fn quantiles_are_students() {
        // to all digits of printed tables (NIST/SEMATECH e-Handbook, 1.3.6.7.2)
        for (freedom, t) in
            [(1.0, 12.706), (2.0, 4.303), (3.0, 3.182), (4.0, 2.776), (30.0, 2.042), (100.0, 1.984)]
        {
            assert!((student(freedom) - t).abs() < 5e-4, "{freedom}: {}", student(freedom));
        }
        assert_eq!(student(0.0), f64::INFINITY);
    }

    #[test]
    fn undetermined_parameters_are_refused() {
        let observed = [FitObservation { value: 1.0, deviation: 1.0, trial: 0 }; 5];
        let twice = |p: &[f64; 2], _: usize| (p[0] + p[1], [1.0, 1.0]);
        assert!(matches!(fit([0.0; 2], &observed, twice), Err(FitError::Undetermined { .. })));
        assert!(matches!(fit([0.0; 2], &observed[..2], twice), Err(FitError::TooFew { .. })));
    }
}
