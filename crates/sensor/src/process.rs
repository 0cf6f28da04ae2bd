//! Stochastic processes of sensor errors.

use bekker_math::numeric::exp;
use bekker_math::spatial::Vec3;

/// First-order Gauss–Markov process in three axes.
///
/// It is stationary, with standard deviation σ and autocorrelation σ² exp(-t/τ).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GaussMarkov {
    /// Standard deviation of each axis.
    pub sigma: Vec3,
    /// Correlation time τ, s.
    pub time: f64,
}

impl GaussMarkov {
    /// Returns a value of the stationary distribution from standard normal draws.
    pub fn start(&self, draws: Vec3) -> Vec3 {
        self.sigma.component_mul(&draws)
    }

    /// Returns the value `dt` seconds after `value`.
    ///
    /// The step is exact for any dt: b' = e^(-dt/τ) b + σ √(1 - e^(-2 dt/τ)) n.
    pub fn step(&self, value: &Vec3, dt: f64, draws: Vec3) -> Vec3 {
        let keep = exp(-dt / self.time);
        value * keep + self.sigma.component_mul(&draws) * (1.0 - keep * keep).sqrt()
    }
}

/// Returns the first three of four draws as a vector.
pub fn axes([x, y, z, _]: [f64; 4]) -> Vec3 {
    Vec3::new(x, y, z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Noise;

    /// Checks variance and autocorrelation at lags up to two correlation times.
    ///
    /// N = 200 000 samples at 100 per correlation time give 2000 / 2 = 1000 effectively independent
    /// values. The standard error of a correlation is √(1/1000) = 0.03. For the mean over three
    /// axes it is 0.018; the tolerance is four times this.
    #[test]
    fn has_its_variance_and_correlation() {
        let process = GaussMarkov { sigma: Vec3::new(2.0, 2.0, 2.0), time: 10.0 };
        let noise = Noise::new(11, 0, 0);
        let dt = 0.1;
        let mut value = process.start(axes(noise.normals(0, 0, 0)));
        let values: Vec<Vec3> = (1..200_000)
            .map(|k| {
                value = process.step(&value, dt, axes(noise.normals(k, 0, 0)));
                value
            })
            .collect();
        for lag in [0usize, 50, 100, 200] {
            let pairs = values.iter().zip(&values[lag..]);
            let mean =
                pairs.map(|(a, b)| a.dot(b) / 3.0).sum::<f64>() / (values.len() - lag) as f64;
            let expected = 4.0 * (-(lag as f64) * dt / 10.0).exp();
            assert!((mean - expected).abs() < 4.0 * 4.0 * 0.018, "lag {lag}: {mean} {expected}");
        }
    }

    /// One long step has the distribution of many short ones: both keep e^(-T/τ).
    #[test]
    fn steps_of_any_length_agree() {
        let process = GaussMarkov { sigma: Vec3::new(1.0, 2.0, 3.0), time: 5.0 };
        let start = Vec3::new(1.0, 1.0, 1.0);
        let once = process.step(&start, 2.0, Vec3::zeros());
        let many = (0..20).fold(start, |v, _| process.step(&v, 0.1, Vec3::zeros()));
        assert!((once - many).norm() < 1e-14);
    }
}
