//! Sequential Monte Carlo with a tempered likelihood.

use super::soil_prior::{PARAMETERS, SoilPrior, Whitened};
use crate::InParallel;
use bekker_math::numeric::{exp, ln};
use bekker_math::random::RandomStream;
use nalgebra::SMatrix;

/// Metropolis moves of each particle at each temperature.
const MOVES: usize = 12;
/// Random numbers of these moves: a vector and a threshold each.
const DRAWS_OF_MOVES: u64 = (MOVES * (PARAMETERS + 1)) as u64;
/// Effective share of the particles that a step of the temperature leaves.
const EFFECTIVE: f64 = 0.5;
/// Scale of proposals for normal targets (G. Roberts, A. Gelman and W. Gilks, Ann. Appl. Probab. 7,
/// 1997).
const PROPOSAL: f64 = 2.38;
/// Bisections of a step of the temperature.
const BISECTIONS: usize = 40;

/// Counter of a stream of random numbers.
struct Draws {
    stream: RandomStream,
    count: u64,
}

impl Draws {
    fn uniform(&mut self) -> f64 {
        self.count += 1;
        // even and odd counters of `normal` are different streams
        self.stream.uniform(2 * self.count)
    }

    fn normal(&mut self) -> f64 {
        self.count += 1;
        self.stream.normal(self.count)
    }

    fn vector(&mut self) -> Whitened {
        Whitened::from_fn(|_, _| self.normal())
    }
}

/// Draws whitened parameters from the prior.
pub(super) fn draw_prior(prior: &SoilPrior, seed: u64, name: &str, count: usize) -> Vec<Whitened> {
    let mut draws = Draws { stream: RandomStream::new(seed, name), count: 0 };
    let endless = std::iter::repeat_with(|| draws.vector());
    endless.filter(|own| prior.has_density(own)).take(count).collect()
}

/// Draws `count` equally weighted particles from prior times likelihood.
pub(super) fn sample_posterior(
    prior: &SoilPrior,
    log_likelihood: impl Fn(&Whitened) -> f64 + Sync,
    count: usize,
    seed: u64,
) -> Vec<Whitened> {
    let mut resampling = Draws { stream: RandomStream::new(seed, "resampling"), count: 0 };
    let stream = RandomStream::new(seed, "moves");
    let mut moved = 0;
    let mut particles = draw_prior(prior, seed, "particles", count);
    let mut likelihoods: Vec<f64> = particles.iter().map(&log_likelihood).collect();
    let mut temperature = 0.0;
    while temperature < 1.0 {
        let step = temperature_step(&likelihoods, 1.0 - temperature);
        temperature = if step >= 1.0 - temperature { 1.0 } else { temperature + step };
        let weights = weights(&likelihoods, step);
        let chosen = systematic_resampling(&weights, resampling.uniform());
        particles = chosen.iter().map(|index| particles[*index]).collect();
        likelihoods = chosen.iter().map(|index| likelihoods[*index]).collect();
        let spread = covariance(&particles) * (PROPOSAL * PROPOSAL / PARAMETERS as f64)
            + SMatrix::identity() * 1e-12;
        let Some(factor) = spread.cholesky().map(|own| own.l()) else { continue };
        let target = TemperedTarget { prior, log_likelihood: &log_likelihood, temperature, factor };
        // each particle has its own numbers, so that the order of threads does not matter
        let starts: Vec<(u64, Whitened, f64)> = particles
            .iter()
            .zip(&likelihoods)
            .enumerate()
            .map(|(index, (own, likelihood))| (moved + index as u64, *own, *likelihood))
            .collect();
        moved += count as u64;
        let ends = starts.in_parallel(|(index, own, likelihood)| {
            let draws = Draws { stream, count: index * DRAWS_OF_MOVES };
            target.move_particle(*own, *likelihood, draws)
        });
        (particles, likelihoods) = ends.unzip();
    }
    particles
}

/// Prior times a power of the likelihood, with the proposals of its moves.
struct TemperedTarget<'a, L> {
    prior: &'a SoilPrior,
    log_likelihood: &'a L,
    temperature: f64,
    /// Lower Cholesky factor of the covariance of the proposals.
    factor: SMatrix<f64, PARAMETERS, PARAMETERS>,
}

impl<L: Fn(&Whitened) -> f64> TemperedTarget<'_, L> {
    /// Moves a particle by the Metropolis rule, and returns it with its likelihood.
    fn move_particle(
        &self,
        mut particle: Whitened,
        mut likelihood: f64,
        mut draws: Draws,
    ) -> (Whitened, f64) {
        for _ in 0..MOVES {
            let proposal = particle + self.factor * draws.vector();
            let threshold = ln(draws.uniform().max(f64::MIN_POSITIVE));
            if !self.prior.has_density(&proposal) {
                continue;
            }
            let proposed = (self.log_likelihood)(&proposal);
            let gain = self.temperature * (proposed - likelihood)
                - 0.5 * (proposal.norm_squared() - particle.norm_squared());
            if threshold < gain {
                (particle, likelihood) = (proposal, proposed);
            }
        }
        (particle, likelihood)
    }
}

/// Largest step of the temperature that leaves the effective share, at most `most`.
fn temperature_step(likelihoods: &[f64], most: f64) -> f64 {
    let effective = |step: f64| {
        let weights = weights(likelihoods, step);
        1.0 / weights.iter().map(|own| own * own).sum::<f64>() / weights.len() as f64
    };
    if effective(most) >= EFFECTIVE {
        return most;
    }
    let [mut low, mut high] = [0.0, most];
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        if effective(middle) >= EFFECTIVE {
            low = middle;
        } else {
            high = middle;
        }
    }
    // the step is above zero, so that the loop ends
    high
}

fn weights(likelihoods: &[f64], step: f64) -> Vec<f64> {
    let most = likelihoods.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = likelihoods.iter().map(|own| exp(step * (own - most))).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|own| own / sum).collect()
}

fn systematic_resampling(weights: &[f64], offset: f64) -> Vec<usize> {
    let count = weights.len();
    let (mut index, mut sum) = (0, weights[0]);
    let pointer = |n: usize| (n as f64 + offset) / count as f64;
    (0..count)
        .map(|n| {
            while sum < pointer(n) && index + 1 < count {
                index += 1;
                sum += weights[index];
            }
            index
        })
        .collect()
}

/// Returns the mean of particles.
pub(super) fn mean(particles: &[Whitened]) -> Whitened {
    particles.iter().sum::<Whitened>() / particles.len() as f64
}

/// Returns the covariance of particles.
pub(super) fn covariance(particles: &[Whitened]) -> SMatrix<f64, PARAMETERS, PARAMETERS> {
    let mean = mean(particles);
    let products = particles.iter().map(|own| (own - mean) * (own - mean).transpose());
    products.fold(SMatrix::zeros(), |sum, own| sum + own) / (particles.len() as f64 - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A linear observation of a normal prior has a normal posterior in closed form.
    #[test]
    fn a_linear_observation_has_its_closed_form() {
        let prior = SoilPrior::from_catalog(None).unwrap();
        // x + y observed as 1 with the deviation 0.1: the sum has variance 2 in the prior
        let (observed, noise) = (1.0, 0.1);
        let likelihood = |z: &Whitened| {
            let misfit = (z[0] + z[3] - observed) / noise;
            -0.5 * misfit * misfit
        };
        let particles = sample_posterior(&prior, likelihood, 2000, 3);
        let (mean, covariance) = (mean(&particles), covariance(&particles));
        let sum = mean[0] + mean[3];
        let variance = covariance[(0, 0)] + covariance[(3, 3)] + 2.0 * covariance[(0, 3)];
        let expected = 1.0 / (1.0 / 2.0 + 1.0 / (noise * noise));
        // four standard errors of 2000 draws with some correlation; the end of the prior at n = 3
        // and below 60 deg moves what is not observed, but not the sum
        assert!((sum - observed).abs() < 0.02, "{sum}");
        assert!((variance / expected - 1.0).abs() < 0.25, "{variance} {expected}");
        let difference = covariance[(0, 0)] + covariance[(3, 3)] - 2.0 * covariance[(0, 3)];
        assert!((1.2..2.4).contains(&difference), "{difference}");
    }

    #[test]
    fn equal_draws_have_equal_bits() {
        let prior = SoilPrior::from_catalog(Some("clay")).unwrap();
        let draw = || sample_posterior(&prior, |z| -z[1] * z[1], 50, 9);
        assert_eq!(draw(), draw());
    }
}
