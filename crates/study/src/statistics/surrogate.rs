//! A Gaussian process in the place of a response: what it would be between the trials.

use super::kriging::{Kriging, KrigingError};
use bekker_math::numeric::exp;
use nalgebra::{DMatrix, DVector};
use serde::Serialize;

/// Points at most: the cost of a fit grows with their cube.
const MOST_POINTS: usize = 200;
/// Lengths of correlation in parts of a factor's range, and parts of noise, from where the
/// search starts.
const START: [f64; 2] = [0.5, 1e-2];
/// Bounds of a length and of the part of noise.
const BOUNDS: [[f64; 2]; 2] = [[0.02, 50.0], [1e-8, 10.0]];
/// Factors by which the search tries to change each.
const FACTORS: [f64; 4] = [8.0, 2.5, 1.5, 1.15];

/// How well a surrogate guesses, and what it is made of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SurrogateFit {
    /// Points that it is from.
    pub points: usize,
    /// Root mean square of its error at each point, guessed from all others.
    pub error: f64,
    /// Part of the variance that it explains so; below 0 it guesses worse than the mean.
    pub explained: f64,
    /// Length of correlation of each factor, in parts of its range: short where the response
    /// changes fast, the greatest of 50 where it does not hang on the factor.
    pub lengths: Vec<f64>,
    /// Part of the variance that is noise to it.
    pub noise: f64,
}

/// A Gaussian process with Matérn's covariance of 5/2 and noise, through a response.
#[derive(Clone, Debug)]
pub struct Surrogate {
    /// How well it guesses.
    pub fit: SurrogateFit,
    points: Vec<Vec<f64>>,
    lows: Vec<f64>,
    widths: Vec<f64>,
    kriging: Kriging,
    /// Variance of the process.
    sill: f64,
}

impl Surrogate {
    /// Of values at points, its lengths and noise by the greatest likelihood (C. Rasmussen and
    /// C. Williams, *Gaussian Processes for Machine Learning*, 2006, chapter 5), found by trying
    /// factors on each in turn: the same on every machine, if not always the very greatest. The
    /// error is left-one-out with these lengths and noise held.
    ///
    /// # Errors
    /// [`KrigingError`] where there are too few points.
    pub fn of(points: &[Vec<f64>], values: &[f64]) -> Result<Surrogate, KrigingError> {
        let (points, values) =
            (&points[..points.len().min(MOST_POINTS)], &values[..values.len().min(MOST_POINTS)]);
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

    /// The response at a point, and the standard deviation of the guess, noise left out.
    pub fn guess(&self, point: &[f64]) -> [f64; 2] {
        let covariances = self.covariances(point);
        let variance = self.sill * self.kriging.variance(&covariances, 1.0);
        [self.kriging.value(&covariances), variance.max(0.0).sqrt()]
    }

    /// The response at a point.
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

/// Covariances of points by lengths and, last, the part of noise.
fn covariances(points: &[Vec<f64>], at: &[f64]) -> DMatrix<f64> {
    let (count, noise) = (points.len(), at.last().copied().unwrap_or_default());
    DMatrix::from_fn(count, count, |i, j| {
        matern(&points[i], &points[j], at) + if i == j { noise } else { 0.0 }
    })
}

/// B. Matérn's correlation of smoothness 5/2 (*Spatial Variation*, 1960).
fn matern(a: &[f64], b: &[f64], lengths: &[f64]) -> f64 {
    let parts = a.iter().zip(b).zip(lengths).map(|((a, b), length)| (a - b) / length);
    let square: f64 = parts.map(|part| part * part).sum();
    let r = (5.0 * square).sqrt();
    (1.0 + r + r * r / 3.0) * exp(-r)
}

/// Lengths and noise of the greatest value, each in turn tried greater and smaller until no
/// change is for the better.
fn search(factors: usize, value: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    let mut at = vec![START[0]; factors];
    at.push(START[1]);
    let mut best = value(&at);
    for factor in FACTORS {
        // far more sweeps than any search has taken
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
    use bekker_math::random::Stream;

    fn points(count: u64, seed: u64) -> Vec<Vec<f64>> {
        let stream = Stream::new(seed, "points");
        (0..count).map(|n| (0..3).map(|j| stream.uniform(3 * n + j)).collect()).collect()
    }

    /// Smooth in two factors, blind to the third.
    fn response(x: &[f64]) -> f64 {
        sin(4.0 * x[0]) + 2.0 * x[1] * x[1]
    }

    #[test]
    fn its_error_left_out_is_its_error_elsewhere() {
        let known = points(60, 1);
        let values: Vec<f64> = known.iter().map(|x| response(x)).collect();
        let surrogate = Surrogate::of(&known, &values).unwrap();
        let fit = &surrogate.fit;
        assert!(fit.explained > 0.995, "{fit:?}");
        assert!(fit.lengths[2] > 4.0 * fit.lengths[0].max(fit.lengths[1]), "{fit:?}");
        let unseen = points(500, 2);
        let squares =
            unseen.iter().map(|x| (surrogate.value(x) - response(x)).powi(2)).sum::<f64>();
        let error = (squares / 500.0).sqrt();
        // the one is an estimate of the other, from sixty values
        assert!((0.4..2.5).contains(&(error / fit.error)), "{error}, {fit:?}");
        assert!(unseen.iter().all(|x| surrogate.guess(x)[1] < 0.5));
    }

    #[test]
    fn noise_is_known_as_such() {
        let (known, stream) = (points(120, 3), Stream::new(4, "noise"));
        let noisy = |(n, x): (usize, &Vec<f64>)| response(x) + 0.5 * stream.normal(n as u64);
        let values: Vec<f64> = known.iter().enumerate().map(noisy).collect();
        let fit = Surrogate::of(&known, &values).unwrap().fit;
        // nothing guesses better than the noise's deviation of 0.5, within its own error
        assert!((0.4..0.75).contains(&fit.error) && fit.noise > 0.05, "{fit:?}");
    }
}
