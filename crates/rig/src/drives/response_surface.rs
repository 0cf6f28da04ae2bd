//! Response surface of a simulated observation, on its leading components.

use super::soil_prior::{PARAMETERS, Whitened};
use nalgebra::{DMatrix, DVector};

/// Number of monomials up to the second degree.
pub(super) const COEFFICIENTS: usize = (PARAMETERS + 1) * (PARAMETERS + 2) / 2;
/// Largest number of components.
const MOST_COMPONENTS: usize = 12;
/// Deviation of a component, in units of its noise, below which it has no information.
const LEAST_DEVIATION: f64 = 0.1;
/// Correlation lengths in deviations of the points, and variances of the noise, that are tried.
const LENGTHS: [f64; 2] = [1.5, 5.0];
const NOISES: [f64; 2] = [1e-4, 3e-2];
/// Number of simulations that count for the error.
const RELEVANT: usize = 150;
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

/// Gaussian processes with a quadratic trend for the leading components of the misfit.
///
/// The covariance is τ f(x)·f(y) + 1/(1 + |x - y|²/(2 ℓ²)) + λ [x = y] with the monomials f (C.
/// Rasmussen and C. Williams, *Gaussian Processes for Machine Learning*, 2006, sections 2.7 and 4.2).
/// Each component uses the ℓ and λ, from a few candidates, with the least leave-one-out error.
#[derive(Clone, Debug)]
pub(super) struct ResponseSurface {
    /// Center and scale of the coordinates.
    center: Whitened,
    scale: Whitened,
    /// Scaled coordinates of the simulations.
    points: Vec<Whitened>,
    /// Directions of the components in the space of observations, in columns.
    components: DMatrix<f64>,
    /// The process of each component.
    processes: Vec<ComponentProcess>,
    /// Lower Cholesky factor of the inverse covariance of noise and error of the surface.
    whitening: DMatrix<f64>,
    /// Root mean square leave-one-out error in units of the noise.
    pub error: f64,
}

/// Prediction of a component.
#[derive(Clone, Debug)]
struct ComponentProcess {
    /// Coefficients of the monomials.
    trend: [f64; COEFFICIENTS],
    /// Weights of the simulations.
    weights: Vec<f64>,
    /// 1/(2 ℓ²).
    decay: f64,
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
        let width = components.ncols();
        let mut best: Vec<Option<(f64, ComponentProcess, DVector<f64>)>> = vec![None; width];
        for length in LENGTHS {
            let decay = 0.5 / (length * length);
            let smooth = &features * features.transpose() * TREND
                + DMatrix::from_fn(count, count, |i, j| correlation(&places[i], &places[j], decay));
            for noise in NOISES {
                let covariance = &smooth + DMatrix::identity(count, count) * noise;
                let Some(inverse) = covariance.cholesky().map(|own| own.inverse()) else {
                    continue;
                };
                let weights = &inverse * &values;
                for (component, best) in best.iter_mut().enumerate() {
                    let own = weights.column(component);
                    let left = DVector::from_fn(count, |i, _| own[i] / inverse[(i, i)]);
                    let error = left.norm_squared();
                    if best.as_ref().is_none_or(|(least, ..)| error < *least) {
                        let trend = features.transpose() * own * TREND;
                        let process = ComponentProcess {
                            trend: std::array::from_fn(|k| trend[k]),
                            weights: own.iter().copied().collect(),
                            decay,
                        };
                        *best = Some((error, process, left));
                    }
                }
            }
        }
        let best = best.into_iter().collect::<Option<Vec<_>>>()?;
        let left: Vec<_> = best.iter().map(|(_, _, left)| left.clone()).collect();
        let left = DMatrix::from_columns(&left);
        let relevant = count.min(RELEVANT);
        let left = left.rows(0, relevant);
        let error_covariance = left.transpose() * left / relevant as f64;
        let error = (error_covariance.trace() / width as f64).sqrt();
        let covariance = error_covariance + DMatrix::identity(width, width);
        let whitening = covariance.cholesky()?.inverse().cholesky()?.l();
        let processes = best.into_iter().map(|(_, process, _)| process).collect();
        Some(ResponseSurface {
            center,
            scale,
            points: places,
            components,
            processes,
            whitening,
            error,
        })
    }

    /// Returns the predicted components.
    fn predict(&self, whitened: &Whitened) -> [f64; MOST_COMPONENTS] {
        let at = scaled(whitened, &self.center, &self.scale);
        let monomials = monomials(&at);
        let distances: Vec<f64> = self.points.iter().map(|own| (own - at).norm_squared()).collect();
        let correlations = LENGTHS.map(|length| {
            let decay = 0.5 / (length * length);
            distances.iter().map(|own| 1.0 / (1.0 + own * decay)).collect::<Vec<f64>>()
        });
        let mut predicted = [0.0; MOST_COMPONENTS];
        for (predicted, process) in predicted.iter_mut().zip(&self.processes) {
            let trend: f64 = monomials.iter().zip(&process.trend).map(|(x, c)| x * c).sum();
            let length = LENGTHS.iter().position(|own| 0.5 / (own * own) == process.decay);
            let own = &correlations[length.unwrap_or_default()];
            *predicted = trend + own.iter().zip(&process.weights).map(|(k, w)| k * w).sum::<f64>();
        }
        predicted
    }

    /// Returns the logarithm of the likelihood, without its constant.
    pub fn log_likelihood(&self, whitened: &Whitened) -> f64 {
        let value = self.predict(whitened);
        let width = self.processes.len();
        // |Lᵀ u|² with the lower factor L of the inverse covariance
        let mut sum = 0.0;
        for column in 0..width {
            let part: f64 =
                (column..width).map(|row| self.whitening[(row, column)] * value[row]).sum();
            sum += part * part;
        }
        -0.5 * sum
    }

    /// Returns the root mean square difference from simulations, in units of the noise.
    pub fn difference(&self, points: &[SimulatedMisfit]) -> f64 {
        let square = |own: &SimulatedMisfit| {
            let value = self.predict(&own.whitened);
            let simulated = self.components.transpose() * &own.misfit;
            simulated.iter().zip(value).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
        };
        let count = points.len() * self.processes.len();
        (points.iter().map(square).sum::<f64>() / count.max(1) as f64).sqrt()
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
}
