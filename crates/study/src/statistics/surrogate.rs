//! Gaussian-process surrogate of a response: its prediction between the trials.

use super::kriging::{Kriging, KrigingError};
use bekker_math::numeric::exp;
use nalgebra::{DMatrix, DVector};
use serde::Serialize;

/// Greatest number of points, as the cost of a fit grows with its cube.
const MAX_POINTS: usize = 200;
/// Initial correlation length, in fractions of a factor's range, and initial fraction of noise.
const START: [f64; 2] = [0.5, 1e-2];
/// Bounds of a correlation length and of the fraction of noise.
const BOUNDS: [[f64; 2]; 2] = [[0.02, 50.0], [1e-8, 10.0]];
/// Step factors of the search.
const FACTORS: [f64; 4] = [8.0, 2.5, 1.5, 1.15];

/// Accuracy and hyperparameters of a surrogate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SurrogateFit {
    /// Number of points.
    pub points: usize,
    /// Root mean square of the leave-one-out errors.
    pub error: f64,
    /// Fraction of the variance explained in leave-one-out predictions.
    ///
    /// Below 0 the surrogate is worse than the mean.
    pub explained: f64,
    /// Correlation length of each factor, in fractions of its range.
    ///
    /// It is short where the response changes fast, and reaches the limit of 50 for a factor
    /// without effect.
    pub lengths: Vec<f64>,
    /// Fraction of the variance that is noise.
    pub noise: f64,
}

/// A Gaussian process with Matérn 5/2 covariance and noise, fitted to a response.
#[derive(Clone, Debug)]
pub struct Surrogate {
    /// Accuracy and hyperparameters.
    pub fit: SurrogateFit,
    points: Vec<Vec<f64>>,
    lows: Vec<f64>,
    widths: Vec<f64>,
    kriging: Kriging,
    /// Variance of the process.
    sill: f64,
}

impl Surrogate {
    /// Fits values at points, with lengths and noise of maximum likelihood (C. Rasmussen and C.
    /// Williams, *Gaussian Processes for Machine Learning*, 2006, chapter 5).
    ///
    /// The search multiplies each in turn by fixed factors. Its result is the same on every
    /// machine, but not always the global maximum. The leave-one-out error uses these lengths and
    /// noise.
    ///
    /// # Errors
    /// [`KrigingError`] if there are too few points.
    pub fn fit(points: &[Vec<f64>], values: &[f64]) -> Result<Surrogate, KrigingError> {
        let (points, values) =
            (&points[..points.len().min(MAX_POINTS)], &values[..values.len().min(MAX_POINTS)]);
        let factors = points.first().map_or(0, Vec::len);
        let column = |j: usize| points.iter().map(move |point| point[j]);
        let lows: Vec<f64> =
            (0..factors).map(|j| column(j).fold(f64::INFINITY, f64::min)).collect();
        let high = |j| column(j).fold(f64::NEG_INFINITY, f64::max);
        let widths: Vec<f64> =
            (0..factors).map(|j| (high(j) - lows[j]).max(f64::MIN_POSITIVE)).collect();
        let own: Vec<Vec<f64>> = points.iter().map(|p| scaled(p, &lows, &widths)).collect();
        let kriging = |at: &[f64]| Kriging::new(covariances(&own, at), values);
        let at = search(factors, |at| kriging(at).map_or(f64::NEG_INFINITY, |k| k.likelihood()[0]));
        let kriging = kriging(&at)?;
        let count = values.len() as f64;
        let squares = |of: &[f64]| of.iter().map(|x| x * x).sum::<f64>();
        let lost = squares(&kriging.left_out());
        let mean = values.iter().sum::<f64>() / count;
        let spread = squares(&values.iter().map(|x| x - mean).collect::<Vec<_>>());
        let sill = kriging.likelihood()[1];
        let noise = at[factors] / (1.0 + at[factors]);
        let fit = SurrogateFit {
            points: values.len(),
            error: (lost / count).sqrt(),
            explained: if spread > 0.0 { 1.0 - lost / spread } else { 0.0 },
            lengths: at[..factors].to_vec(),
            noise,
        };
        Ok(Surrogate { fit, points: own, lows, widths, kriging, sill })
    }

    /// Returns the prediction at a point and its standard deviation, without noise.
    pub fn predict(&self, point: &[f64]) -> [f64; 2] {
        let covariances = self.covariances(point);
        let variance = self.sill * self.kriging.variance(&covariances, 1.0);
        [self.kriging.value(&covariances), variance.max(0.0).sqrt()]
    }

    /// Returns the prediction at a point.
    pub fn value(&self, point: &[f64]) -> f64 {
        self.kriging.value(&self.covariances(point))
    }

    fn covariances(&self, point: &[f64]) -> DVector<f64> {
        let point = scaled(point, &self.lows, &self.widths);
        let own = self.points.iter().map(|other| matern(&point, other, &self.fit.lengths));
        DVector::from_iterator(self.points.len(), own)
    }
}

fn scaled(point: &[f64], lows: &[f64], widths: &[f64]) -> Vec<f64> {
    point.iter().zip(lows).zip(widths).map(|((x, low), width)| (x - low) / width).collect()
}

/// Returns the covariances of points, given the lengths and, last, the fraction of noise.
fn covariances(points: &[Vec<f64>], at: &[f64]) -> DMatrix<f64> {
    let (count, noise) = (points.len(), at.last().copied().unwrap_or_default());
    DMatrix::from_fn(count, count, |i, j| {
        matern(&points[i], &points[j], at) + if i == j { noise } else { 0.0 }
    })
}

/// Returns B. Matérn's correlation with smoothness 5/2 (*Spatial Variation*, 1960).
fn matern(a: &[f64], b: &[f64], lengths: &[f64]) -> f64 {
    let parts = a.iter().zip(b).zip(lengths).map(|((a, b), length)| (a - b) / length);
    let square: f64 = parts.map(|part| part * part).sum();
    let r = (5.0 * square).sqrt();
    (1.0 + r + r * r / 3.0) * exp(-r)
}

/// Maximizes `value` over lengths and noise by increasing and decreasing each in turn.
///
/// It stops when no change improves the value.
fn search(factors: usize, value: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    let mut at = vec![START[0]; factors];
    at.push(START[1]);
    let mut best = value(&at);
    for factor in FACTORS {
        // far more sweeps than any search has needed
        for _ in 0..30 {
            let before = best;
            for n in 0..=factors {
                let [low, high] = BOUNDS[usize::from(n == factors)];
                for by in [factor, 1.0 / factor] {
                    let tried = (at[n] * by).clamp(low, high);
                    let mut next = at.clone();
                    next[n] = tried;
                    let found = value(&next);
                    if found > best {
                        (at, best) = (next, found);
                        break;
                    }
                }
            }
            if best <= before {
                break;
            }
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::numeric::sin;
    use bekker_math::random::RandomStream;

    fn points(count: u64, seed: u64) -> Vec<Vec<f64>> {
        let stream = RandomStream::new(seed, "points");
        (0..count).map(|n| (0..3).map(|j| stream.uniform(3 * n + j)).collect()).collect()
    }

    /// Smooth in two factors, independent of the third.
    fn response(x: &[f64]) -> f64 {
        sin(4.0 * x[0]) + 2.0 * x[1] * x[1]
    }

    #[test]
    fn its_error_left_out_is_its_error_elsewhere() {
        let known = points(60, 1);
        let values: Vec<f64> = known.iter().map(|x| response(x)).collect();
        let surrogate = Surrogate::fit(&known, &values).unwrap();
        let fit = &surrogate.fit;
        assert!(fit.explained > 0.995, "{fit:?}");
        assert!(fit.lengths[2] > 4.0 * fit.lengths[0].max(fit.lengths[1]), "{fit:?}");
        let unseen = points(500, 2);
        let squares =
            unseen.iter().map(|x| (surrogate.value(x) - response(x)).powi(2)).sum::<f64>();
        let error = (squares / 500.0).sqrt();
        // the one is an estimate of the other, from sixty values
        assert!((0.4..2.5).contains(&(error / fit.error)), "{error}, {fit:?}");
        assert!(unseen.iter().all(|x| surrogate.predict(x)[1] < 0.5));
    }

    #[test]
    fn noise_is_known_as_such() {
        let (known, stream) = (points(120, 3), RandomStream::new(4, "noise"));
        let noisy = |(n, x): (usize, &Vec<f64>)| response(x) + 0.5 * stream.normal(n as u64);
        let values: Vec<f64> = known.iter().enumerate().map(noisy).collect();
        let fit = Surrogate::fit(&known, &values).unwrap().fit;
        // no prediction is better than the noise's deviation of 0.5, within its own error
        assert!((0.4..0.75).contains(&fit.error) && fit.noise > 0.05, "{fit:?}");
    }
}
