//! Response surface of a simulated observation, on its leading components.

use super::soil_prior::{PARAMETERS, Whitened};
use bekker_math::numeric::{exp, ln};
use nalgebra::{DMatrix, DVector};

/// Number of monomials up to the second degree.
pub(super) const COEFFICIENTS: usize = (PARAMETERS + 1) * (PARAMETERS + 2) / 2;
/// Largest number of components.
const MOST_COMPONENTS: usize = 12;
/// Deviation of a component, in units of its noise, below which it has no information.
const LEAST_DEVIATION: f64 = 0.1;
/// Correlation lengths in deviations of the points, and variances of the noise, that are tried.
const LENGTHS: [f64; 4] = [0.7, 1.5, 3.0, 6.0];
const NOISES: [f64; 4] = [1e-4, 1e-3, 1e-2, 1e-1];
/// Number of simulations that count for the error.
const RELEVANT: usize = 150;
/// Number of magnitudes of the errors that represent their distribution.
const MAGNITUDES: usize = 8;
/// Variance of a coefficient of the trend.
const TREND: f64 = 100.0;

/// A simulated observation in units of the noise, minus the measured one.
#[derive(Clone, Debug)]
pub(super) struct SimulatedMisfit {
    /// Whitened soil parameters.
    pub whitened: Whitened,
    /// Simulated minus measured values over their noise.
    pub misfit: DVector<f64>,
}

/// A Gaussian process with a quadratic trend for the leading components of the misfit.
///
/// The covariance of components i and j at x and y is S_ij (τ f(x)·f(y) + 1/(1 + |x - y|²/(2 ℓ²)) +
/// λ [x = y]) with the monomials f (C. Rasmussen and C. Williams, *Gaussian Processes for Machine
/// Learning*, 2006, sections 2.7, 4.2 and 9.1). The ℓ and λ are those, from a few candidates, whose
/// leave-one-out predictions have the largest density; S is the covariance of the leave-one-out errors
/// over their predicted variances. Predicted errors therefore grow with the distance from the simulations.
///
/// Leave-one-out errors have heavier tails than a normal distribution, as the response is rough where
/// wheels dig. The error of a prediction is therefore a mixture of normal distributions whose covariances
/// are multiples of the predicted one; the multiples are those of the simulations.
#[derive(Clone, Debug)]
pub(super) struct ResponseSurface {
    /// Center and scale of the coordinates.
    center: Whitened,
    scale: Whitened,
    /// Scaled coordinates of the simulations.
    points: Vec<Whitened>,
    /// Directions with independent errors in the space of observations, in columns.
    components: DMatrix<f64>,
    /// Monomials of the simulations, in rows.
    features: DMatrix<f64>,
    /// Eigenvalue of S of each component.
    variances: DVector<f64>,
    process: ComponentProcess,
    /// Multiples of the predicted covariance, with equal probabilities.
    magnitudes: [f64; MAGNITUDES],
    /// Root mean square leave-one-out error in units of the noise.
    pub error: f64,
}

/// Process of all components.
#[derive(Clone, Debug)]
struct ComponentProcess {
    /// 1/(2 ℓ²).
    decay: f64,
    /// λ.
    noise: f64,
    /// Lower Cholesky factor of the covariance of the simulations.
    factor: DMatrix<f64>,
    /// Coefficients of the monomials, one column a component.
    trend: DMatrix<f64>,
    /// Weights of the simulations, one column a component.
    weights: DMatrix<f64>,
}

impl ResponseSurface {
    /// Fits a surface to simulations, the most relevant first; `None` if they do not determine it.
    ///
    /// The error is that of the first simulations, as it grows away from the posterior.
    pub fn fit(points: &[&SimulatedMisfit]) -> Option<ResponseSurface> {
        let count = points.len();
        if count <= COEFFICIENTS {
            return None;
        }
        let center = points.iter().map(|own| own.whitened).sum::<Whitened>() / count as f64;
        let squares = points.iter().map(|own| (own.whitened - center).map(|x| x * x));
        let scale = (squares.sum::<Whitened>() / count as f64).map(|own| own.sqrt().max(1e-6));
        let components = components(points);
        let places: Vec<Whitened> =
            points.iter().map(|own| scaled(&own.whitened, &center, &scale)).collect();
        let features =
            DMatrix::from_row_iterator(count, COEFFICIENTS, places.iter().flat_map(monomials));
        let rows: Vec<_> = points.iter().map(|own| own.misfit.transpose() * &components).collect();
        let values = DMatrix::from_rows(&rows);
        let mut best: Option<(f64, ComponentProcess, LeaveOneOutErrors)> = None;
        for length in LENGTHS {
            let decay = 0.5 / (length * length);
            let smooth = &features * features.transpose() * TREND
                + DMatrix::from_fn(count, count, |i, j| correlation(&places[i], &places[j], decay));
            for noise in NOISES {
                let covariance = &smooth + DMatrix::identity(count, count) * noise;
                let Some(factor) = covariance.cholesky() else { continue };
                let inverse = factor.inverse();
                let weights = &inverse * &values;
                let Some(left) = LeaveOneOutErrors::new(&weights, &inverse) else { continue };
                if best.as_ref().is_none_or(|(most, ..)| left.log_density > *most) {
                    let trend = features.transpose() * &weights * TREND;
                    let factor = factor.unpack();
                    let process = ComponentProcess { decay, noise, factor, trend, weights };
                    best = Some((left.log_density, process, left));
                }
            }
        }
        let (_, mut process, left) = best?;
        let eigen = left.covariance.symmetric_eigen();
        process.trend *= &eigen.eigenvectors;
        process.weights *= &eigen.eigenvectors;
        Some(ResponseSurface {
            center,
            scale,
            points: places,
            features,
            components: components * eigen.eigenvectors,
            variances: eigen.eigenvalues.map(|own| own.max(0.0)),
            process,
            magnitudes: left.magnitudes,
            error: left.error,
        })
    }

    /// Returns the predicted components, and their variance over that of S.
    fn predict(&self, whitened: &Whitened) -> (DVector<f64>, f64) {
        let ComponentProcess { decay, noise, factor, trend, weights } = &self.process;
        let at = scaled(whitened, &self.center, &self.scale);
        let monomials = DVector::from_row_slice(&monomials(&at));
        let correlations = self.points.iter().map(|own| correlation(own, &at, *decay));
        let correlations = DVector::from_iterator(self.points.len(), correlations);
        let value = trend.tr_mul(&monomials) + weights.tr_mul(&correlations);
        let covariances = &self.features * &monomials * TREND + correlations;
        let explained =
            factor.solve_lower_triangular(&covariances).map_or(0.0, |own| own.norm_squared());
        let total = TREND * monomials.norm_squared() + 1.0;
        (value, (total - explained).max(0.0) + noise)
    }

    /// Returns the logarithm of the likelihood, without its constant.
    pub fn log_likelihood(&self, whitened: &Whitened) -> f64 {
        let (value, variance) = self.predict(whitened);
        let logarithms = self.magnitudes.map(|magnitude| {
            let term = |(value, own): (&f64, &f64)| {
                let variance = 1.0 + magnitude * variance * own;
                value * value / variance + ln(variance)
            };
            -0.5 * value.iter().zip(&self.variances).map(term).sum::<f64>()
        });
        let most = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = logarithms.iter().map(|own| exp(own - most)).sum();
        most + ln(sum / MAGNITUDES as f64)
    }

    /// Returns the root mean square difference from simulations, in units of the noise.
    pub fn difference(&self, points: &[SimulatedMisfit]) -> f64 {
        let square = |own: &SimulatedMisfit| {
            let (value, _) = self.predict(&own.whitened);
            (self.components.tr_mul(&own.misfit) - value).norm_squared()
        };
        let count = points.len() * self.variances.len();
        (points.iter().map(square).sum::<f64>() / count.max(1) as f64).sqrt()
    }
}

/// Leave-one-out errors of a process.
struct LeaveOneOutErrors {
    /// Covariance of the errors over their predicted variances.
    covariance: DMatrix<f64>,
    /// Squared Mahalanobis norms of the errors over their mean, at equal steps of probability.
    magnitudes: [f64; MAGNITUDES],
    /// Logarithm of the density of the simulations, without its constant.
    log_density: f64,
    /// Root mean square error.
    error: f64,
}

impl LeaveOneOutErrors {
    /// Returns the errors of the first simulations; `None` if their covariance is singular.
    ///
    /// The error of simulation i is w_i/q_i and its predicted variance 1/q_i, with the weights w and the
    /// diagonal q of the inverse covariance (Rasmussen and Williams, section 5.4.2).
    fn new(weights: &DMatrix<f64>, inverse: &DMatrix<f64>) -> Option<LeaveOneOutErrors> {
        let count = weights.nrows().min(RELEVANT);
        let width = weights.ncols();
        let mut covariance = DMatrix::identity(width, width) * 1e-12;
        let (mut squares, mut logarithms) = (0.0, 0.0);
        for i in 0..count {
            let (row, precision) = (weights.row(i).transpose(), inverse[(i, i)]);
            covariance.ger(1.0 / (precision * count as f64), &row, &row, 1.0);
            squares += row.norm_squared() / (precision * precision);
            logarithms += ln(precision);
        }
        let factor = covariance.clone().cholesky()?;
        let diagonal = factor.l_dirty().diagonal();
        let determinant: f64 = diagonal.iter().map(|own| 2.0 * ln(*own)).sum();
        let log_density = 0.5 * (width as f64 * logarithms - count as f64 * determinant);
        let mut norms: Vec<f64> = (0..count)
            .map(|i| {
                let row = weights.row(i).transpose();
                row.dot(&factor.solve(&row)) / (inverse[(i, i)] * width as f64)
            })
            .collect();
        norms.sort_by(f64::total_cmp);
        let magnitudes = std::array::from_fn(|k| norms[(2 * k + 1) * count / (2 * MAGNITUDES)]);
        let error = (squares / (count * width) as f64).sqrt();
        Some(LeaveOneOutErrors { covariance, magnitudes, log_density, error })
    }
}

fn correlation(a: &Whitened, b: &Whitened, decay: f64) -> f64 {
    1.0 / (1.0 + (a - b).norm_squared() * decay)
}

/// Returns the principal directions along which the misfits vary by more than a share of the noise.
fn components(points: &[&SimulatedMisfit]) -> DMatrix<f64> {
    let count = points.len();
    let length = points[0].misfit.len();
    let mean =
        points.iter().fold(DVector::zeros(length), |sum, own| sum + &own.misfit) / count as f64;
    let mut covariance = DMatrix::zeros(length, length);
    for own in points {
        let difference = &own.misfit - &mean;
        covariance.ger(1.0 / count as f64, &difference, &difference, 1.0);
    }
    let eigen = covariance.symmetric_eigen();
    let mut order: Vec<usize> = (0..length).collect();
    order.sort_by(|a, b| eigen.eigenvalues[*b].total_cmp(&eigen.eigenvalues[*a]));
    let informs = |index: &usize| eigen.eigenvalues[*index] > LEAST_DEVIATION * LEAST_DEVIATION;
    let told = order.iter().filter(|index| informs(index)).count().clamp(1, MOST_COMPONENTS);
    let columns: Vec<_> =
        order.iter().take(told).map(|index| eigen.eigenvectors.column(*index)).collect();
    DMatrix::from_columns(&columns)
}

fn scaled(whitened: &Whitened, center: &Whitened, scale: &Whitened) -> Whitened {
    (whitened - center).component_div(scale)
}

/// Monomials up to the second degree.
fn monomials(x: &Whitened) -> [f64; COEFFICIENTS] {
    let mut features = [1.0; COEFFICIENTS];
    let mut at = 1;
    for i in 0..PARAMETERS {
        features[at] = x[i];
        at += 1;
    }
    for i in 0..PARAMETERS {
        for j in i..PARAMETERS {
            features[at] = x[i] * x[j];
            at += 1;
        }
    }
    features
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::numeric::sin;
    use bekker_math::random::RandomStream;

    #[test]
    fn a_quadratic_observation_is_fitted_exactly() {
        let stream = RandomStream::new(1, "points");
        let observation = |z: &Whitened| {
            let values = [z[0] + 2.0 * z[1] * z[2] - 1.0, 3.0 * z[3] * z[3] + z[4], z[5] - z[0]];
            DVector::from_row_slice(&values)
        };
        let points: Vec<SimulatedMisfit> = (0..80)
            .map(|n| Whitened::from_fn(|k, _| stream.normal(6 * n + k as u64)))
            .map(|whitened| SimulatedMisfit { whitened, misfit: observation(&whitened) })
            .collect();
        let surface = ResponseSurface::fit(&points.iter().collect::<Vec<_>>()).unwrap();
        // a variance of 1e-4 under a trend of 100 leaves this error
        assert!(surface.error < 1e-2 && surface.difference(&points) < 1e-2, "{}", surface.error);
        let z = Whitened::from([0.3, -0.2, 0.5, 0.1, 0.7, -1.0]);
        let expected = -0.5 * observation(&z).norm_squared();
        assert!((surface.log_likelihood(&z) - expected).abs() < 1e-2 * expected.abs());
        assert!(ResponseSurface::fit(&points.iter().take(20).collect::<Vec<_>>()).is_none());
    }

    /// The response is rougher than the points resolve, so that predictions between them have errors.
    #[test]
    fn predicted_errors_grow_with_the_distance_from_simulations() {
        let stream = RandomStream::new(2, "points");
        let rough = |z: &Whitened| DVector::from_fn(4, |k, _| 5.0 * sin(4.0 * z[k] + z[5]));
        let points: Vec<SimulatedMisfit> = (0..120)
            .map(|n| Whitened::from_fn(|k, _| stream.normal(6 * n + k as u64)))
            .map(|whitened| SimulatedMisfit { whitened, misfit: rough(&whitened) })
            .collect();
        let surface = ResponseSurface::fit(&points.iter().collect::<Vec<_>>()).unwrap();
        let variances = [0.0, 2.0, 4.0].map(|at| surface.predict(&Whitened::repeat(at)).1);
        assert!(variances[0] < variances[1] && variances[1] < variances[2], "{variances:?}");
        // the magnitudes are relative, about 1, and spread as those of four errors do at least
        let magnitudes = surface.magnitudes;
        assert!(magnitudes[0] < 0.7 && magnitudes[MAGNITUDES - 1] > 1.5, "{magnitudes:?}");
    }
}
