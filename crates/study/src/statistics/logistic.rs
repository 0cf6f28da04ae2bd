//! Logistic regression: the odds of yes over no as a function of numbers.

use bekker_math::numeric::{exp, ln};
use bekker_rig::ParameterEstimate;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};
use std::collections::BTreeMap;

/// Greatest number of Newton steps; with separable classes they would not converge.
const STEPS: usize = 40;
/// Smallest pivot of the scaled information below which columns are collinear.
const MIN_PIVOT: f64 = 1e-7;

/// Fit of ln(p / (1 - p)) = β₀ + β₁ x₁ + β₂ x₂ ...
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LogisticFit {
    /// β₀ and a coefficient per column, with standard errors and 95 % Wald intervals.
    pub coefficients: Vec<ParameterEstimate>,
    /// -2 ln of the likelihood.
    pub deviance: f64,
    /// -2 ln of the likelihood with β₀ alone.
    pub null_deviance: f64,
    /// Number of observations.
    pub count: usize,
}

/// Reasons why a fit fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LogisticError {
    /// Too few observations.
    #[error("{count} observations are too few for {coefficients} coefficients")]
    TooFew {
        /// Number of observations.
        count: usize,
        /// Number of coefficients.
        coefficients: usize,
    },
    /// All observations are yes, or all are no.
    #[error("all {count} observations are {}", if *.yes { "yes" } else { "no" })]
    OneOutcome {
        /// Number of observations.
        count: usize,
        /// Common outcome.
        yes: bool,
    },
    /// The design matrix is rank deficient: a column is constant or depends on others.
    #[error("the design matrix is rank deficient: a column is constant or depends on others")]
    Undetermined,
    /// The classes are linearly separable, so the maximum-likelihood fit diverges.
    #[error("the classes are (nearly) linearly separable, so the maximum-likelihood fit diverges")]
    Separated,
}

/// Fits by maximum likelihood with Newton's method.
///
/// This is iteratively reweighted least squares (D. Cox, J. R. Stat. Soc. B 20, 1958). `rows` holds
/// a number per column for each observation.
///
/// # Errors
/// [`LogisticError`] if the likelihood has no maximum, or a flat one.
pub fn logistic_regression(rows: &[Vec<f64>], yes: &[bool]) -> Result<LogisticFit, LogisticError> {
    logistic_regression_clustered(rows, yes, &[])
}

/// Fits observations that are independent only between clusters.
///
/// Each standard error is the greatest of that of independent observations and, for each of
/// `clusterings`, that of the clusters' scores (K.-Y. Liang and S. Zeger, Biometrika 73, 1986).
/// Intervals use Student's t for the smallest number of clusters. A clustering with fewer clusters
/// than coefficients is ignored.
///
/// # Errors
/// As of [`logistic_regression`].
pub fn logistic_regression_clustered(
    rows: &[Vec<f64>],
    yes: &[bool],
    clusterings: &[Vec<u64>],
) -> Result<LogisticFit, LogisticError> {
    let (count, columns) = (rows.len().min(yes.len()), rows.first().map_or(0, Vec::len));
    if count <= columns + 1 {
        return Err(LogisticError::TooFew { count, coefficients: columns + 1 });
    }
    let total = yes[..count].iter().filter(|is| **is).count();
    if total == 0 || total == count {
        return Err(LogisticError::OneOutcome { count, yes: total > 0 });
    }
    let scaling =
        Standardization::new(&rows[..count], columns).ok_or(LogisticError::Undetermined)?;
    let design = DMatrix::from_fn(count, columns + 1, |i, j| match j {
        0 => 1.0,
        j => (rows[i][j - 1] - scaling.centers[j - 1]) / scaling.widths[j - 1],
    });
    let share = total as f64 / count as f64;
    let mut at = DVector::zeros(columns + 1);
    at[0] = ln(share / (1.0 - share));
    for step in 0..STEPS {
        let (gradient, information) = score(&design, yes, &at);
        let Some(cholesky) = pivoted(information) else {
            let flat = step == 0;
            return Err(if flat { LogisticError::Undetermined } else { LogisticError::Separated });
        };
        let change = cholesky.solve(&gradient);
        at += &change;
        // quadratic convergence: the remaining error is the square of this
        if change.amax() < 1e-9 {
            let covariance = cholesky.inverse();
            let null_deviance =
                -2.0 * (total as f64 * ln(share) + (count - total) as f64 * ln(1.0 - share));
            let deviance = deviance(&design, yes, &at);
            let robust: Vec<_> = clusterings
                .iter()
                .filter_map(|own| clustered_covariance(&design, yes, &at, &covariance, own))
                .collect();
            let coefficients = scaling.estimates(&at, &covariance, &robust);
            return Ok(LogisticFit { coefficients, deviance, null_deviance, count });
        }
    }
    Err(LogisticError::Separated)
}

/// Returns the gradient of the log-likelihood and the information matrix.
fn score(design: &DMatrix<f64>, yes: &[bool], at: &DVector<f64>) -> (DVector<f64>, DMatrix<f64>) {
    let columns = design.ncols();
    let (mut gradient, mut information) =
        (DVector::zeros(columns), DMatrix::zeros(columns, columns));
    for (row, yes) in design.row_iter().zip(yes) {
        let p = probability((row * at)[0]);
        let (left, weight) = (f64::from(u8::from(*yes)) - p, p * (1.0 - p));
        for j in 0..columns {
            gradient[j] += left * row[j];
            for k in 0..columns {
                information[(j, k)] += weight * row[j] * row[k];
            }
        }
    }
    (gradient, information)
}

/// Returns the covariance by the clusters' scores, and the number of clusters.
///
/// `None` unless that number exceeds the number of coefficients.
fn clustered_covariance(
    design: &DMatrix<f64>,
    yes: &[bool],
    at: &DVector<f64>,
    covariance: &DMatrix<f64>,
    clusters: &[u64],
) -> Option<(DMatrix<f64>, usize)> {
    let columns = design.ncols();
    let mut scores: BTreeMap<u64, DVector<f64>> = BTreeMap::new();
    for ((row, yes), cluster) in design.row_iter().zip(yes).zip(clusters) {
        let left = f64::from(u8::from(*yes)) - probability((row * at)[0]);
        *scores.entry(*cluster).or_insert_with(|| DVector::zeros(columns)) +=
            left * row.transpose();
    }
    let count = scores.len();
    if count <= columns {
        return None;
    }
    let zero = DMatrix::zeros(columns, columns);
    let middle = scores.values().fold(zero, |sum, score| sum + score * score.transpose());
    let scale = count as f64 / (count - 1) as f64;
    Some((covariance * middle * covariance * scale, count))
}

fn probability(logit: f64) -> f64 {
    1.0 / (1.0 + exp(-logit))
}

fn deviance(design: &DMatrix<f64>, yes: &[bool], at: &DVector<f64>) -> f64 {
    let of_row = |logit: f64, yes: bool| {
        // ln(1 + exp(x)), with x the logit against the observed outcome
        let against = if yes { -logit } else { logit };
        2.0 * (against.max(0.0) + ln(1.0 + exp(-against.abs())))
    };
    design.row_iter().zip(yes).map(|(row, yes)| of_row((row * at)[0], *yes)).sum()
}

/// Factorizes an information matrix; `None` if it is nearly singular.
fn pivoted(information: DMatrix<f64>) -> Option<Cholesky<f64, Dyn>> {
    let greatest = information.diagonal().max();
    let cholesky = information.cholesky()?;
    let least = cholesky.l_dirty().diagonal().min();
    (least * least > MIN_PIVOT * greatest && greatest > 1e-12).then_some(cholesky)
}

/// Standardization of columns to mean 0 and deviation 1, and its inverse for the estimates.
struct Standardization {
    centers: Vec<f64>,
    widths: Vec<f64>,
}

impl Standardization {
    fn new(rows: &[Vec<f64>], columns: usize) -> Option<Standardization> {
        let column = |j: usize| rows.iter().map(move |row| row[j]);
        let count = rows.len() as f64;
        let centers: Vec<f64> = (0..columns).map(|j| column(j).sum::<f64>() / count).collect();
        let squares =
            |j: usize| column(j).map(|x| (x - centers[j]) * (x - centers[j])).sum::<f64>();
        let widths: Vec<f64> = (0..columns).map(|j| (squares(j) / count).sqrt()).collect();
        widths.iter().all(|width| *width > 0.0).then_some(Standardization { centers, widths })
    }

    /// Returns estimates in the original units.
    ///
    /// `robust` has, for each clustering, the covariance by clusters and their number.
    fn estimates(
        &self,
        at: &DVector<f64>,
        covariance: &DMatrix<f64>,
        robust: &[(DMatrix<f64>, usize)],
    ) -> Vec<ParameterEstimate> {
        let size = at.len();
        let back = DMatrix::from_fn(size, size, |i, j| match (i, j) {
            (0, 0) => 1.0,
            (0, j) => -self.centers[j - 1] / self.widths[j - 1],
            (i, j) if i == j => 1.0 / self.widths[j - 1],
            _ => 0.0,
        });
        let (values, covariance) = (&back * at, &back * covariance * back.transpose());
        let robust_covariances: Vec<DMatrix<f64>> =
            robust.iter().map(|(own, _)| &back * own * back.transpose()).collect();
        let fewest = robust.iter().map(|own| own.1).min();
        let student = fewest.and_then(|count| StudentsT::new(0.0, 1.0, (count - 1) as f64).ok());
        let z = match student {
            Some(student) => student.inverse_cdf(0.975),
            None => Normal::standard().inverse_cdf(0.975),
        };
        let estimate = |j: usize| {
            let greatest = robust_covariances.iter().map(|own| own[(j, j)]).fold(0.0, f64::max);
            let (value, error) = (values[j], covariance[(j, j)].max(greatest).sqrt());
            ParameterEstimate { value, error, low: value - z * error, high: value + z * error }
        };
        (0..size).map(estimate).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Temperature at launch, °F, and whether any O-ring was damaged, for the 23 flights before the
    /// Challenger's last (S. Dalal, E. Fowlkes and B. Hoadley, J. Am. Stat. Assoc. 84, 1989).
    const FLIGHTS: [(f64, bool); 23] = [
        (66.0, false),
        (70.0, true),
        (69.0, false),
        (68.0, false),
        (67.0, false),
        (72.0, false),
        (73.0, false),
        (70.0, false),
        (57.0, true),
        (63.0, true),
        (70.0, true),
        (78.0, false),
        (67.0, false),
        (53.0, true),
        (67.0, false),
        (75.0, false),
        (70.0, false),
        (81.0, false),
        (76.0, false),
        (79.0, false),
        (75.0, true),
        (76.0, false),
        (58.0, true),
    ];

    fn flights() -> (Vec<Vec<f64>>, Vec<bool>) {
        FLIGHTS.iter().map(|(temperature, damaged)| (vec![*temperature], *damaged)).unzip()
    }

    #[test]
    fn gives_the_published_result_of_the_challenger_data() {
        let (rows, yes) = flights();
        let fit = logistic_regression(&rows, &yes).unwrap();
        for (found, [value, error]) in
            fit.coefficients.iter().zip([[15.0429, 7.3786], [-0.2322, 0.1082]])
        {
            // to the printed digits
            assert!((found.value - value).abs() <= 0.5e-4, "{found:?}");
            assert!((found.error - error).abs() <= 0.5e-4, "{found:?}");
        }
        // deviances printed by R: 28.267 on 22 degrees of freedom, 20.315 on 21
        assert!((fit.null_deviance - 28.267).abs() <= 0.5e-3, "{fit:?}");
        assert!((fit.deviance - 20.315).abs() <= 0.5e-3, "{fit:?}");
    }

    /// With two levels of one column the fit reproduces both observed odds.
    #[test]
    fn two_levels_give_their_own_odds() {
        let rows: Vec<Vec<f64>> = (0..40).map(|n| vec![f64::from(n / 20) * 1000.0]).collect();
        let yes: Vec<bool> = (0..40).map(|n| n % 20 < if n < 20 { 5 } else { 15 }).collect();
        let fit = logistic_regression(&rows, &yes).unwrap();
        let odds = ln(5.0 / 15.0);
        assert!((fit.coefficients[0].value - odds).abs() < 1e-9);
        assert!((fit.coefficients[1].value + 2.0 * odds / 1000.0).abs() < 1e-12);
        // variance of a logit: 1 / yes + 1 / no
        assert!((fit.coefficients[0].error - (1.0 / 5.0 + 1.0 / 15.0_f64).sqrt()).abs() < 1e-9);
    }

    /// Four copies of each observation give the errors of a single copy.
    #[test]
    fn repeated_observations_add_no_information() {
        let (rows, yes) = flights();
        let repeat = |n: usize| (0..4).map(move |_| n);
        let many: Vec<usize> = (0..rows.len()).flat_map(repeat).collect();
        let (all_rows, all_yes): (Vec<Vec<f64>>, Vec<bool>) =
            many.iter().map(|n| (rows[*n].clone(), yes[*n])).unzip();
        let clusters: Vec<u64> = many.iter().map(|n| *n as u64).collect();
        let singles: Vec<u64> = (0..23).collect();
        let once = logistic_regression_clustered(&rows, &yes, &[singles]).unwrap();
        let halves: Vec<u64> = clusters.iter().map(|n| n % 2).collect();
        let clusterings = [clusters, halves.clone()];
        let clustered = logistic_regression_clustered(&all_rows, &all_yes, &clusterings).unwrap();
        let naive = logistic_regression(&all_rows, &all_yes).unwrap();
        for ((own, one), naive) in
            clustered.coefficients.iter().zip(&once.coefficients).zip(&naive.coefficients)
        {
            assert!((own.value - one.value).abs() < 1e-8, "{own:?} {one:?}");
            assert!(own.error > 1.5 * naive.error && own.error < 1.01 * one.error, "{own:?}");
        }
        // two clusters are too few
        assert_eq!(logistic_regression_clustered(&all_rows, &all_yes, &[halves]), Ok(naive));
    }

    #[test]
    fn undefined_fits_have_a_reason() {
        let (rows, yes) = flights();
        let fit = |rows: &[Vec<f64>], yes: &[bool]| logistic_regression(rows, yes).unwrap_err();
        let parted: Vec<bool> = FLIGHTS.iter().map(|(x, _)| *x < 66.5).collect();
        assert_eq!(fit(&rows, &parted), LogisticError::Separated);
        // separable except for one temperature with both outcomes
        let nearly: Vec<bool> =
            FLIGHTS.iter().enumerate().map(|(n, (x, _))| *x < 70.0 || n == 1).collect();
        assert_eq!(fit(&rows, &nearly), LogisticError::Separated);
        let twice: Vec<Vec<f64>> = rows.iter().map(|row| vec![row[0], 2.0 * row[0]]).collect();
        assert_eq!(fit(&twice, &yes), LogisticError::Undetermined);
        let constant = vec![vec![1.0]; 23];
        assert_eq!(fit(&constant, &yes), LogisticError::Undetermined);
        assert_eq!(fit(&rows, &[true; 23]), LogisticError::OneOutcome { count: 23, yes: true });
        assert_eq!(fit(&rows[..2], &yes[..2]), LogisticError::TooFew { count: 2, coefficients: 2 });
    }
}
