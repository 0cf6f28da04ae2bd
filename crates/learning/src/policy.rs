//! Drivers of the episodes of a dataset.

use super::Action;
use bekker_math::numeric::exp;
use bekker_math::random::RandomStream;

/// Selection of drivers for a dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The rule of the task.
    Expert,
    /// Random actions, correlated in time.
    Random,
    /// One of the three [`EpisodeDriver`]s per episode, with equal probability.
    Mixed,
}

/// Driver of an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EpisodeDriver {
    /// The rule of the task.
    Expert,
    /// Random actions, correlated in time.
    Random,
    /// The rule of the task with smaller random changes of steering and drive.
    NoisyExpert,
}

impl Policy {
    /// Returns the driver of the episode of a seed.
    pub fn driver(self, seed: u64) -> EpisodeDriver {
        match self {
            Policy::Expert => EpisodeDriver::Expert,
            Policy::Random => EpisodeDriver::Random,
            Policy::Mixed => {
                let drivers =
                    [EpisodeDriver::Expert, EpisodeDriver::Random, EpisodeDriver::NoisyExpert];
                drivers[(RandomStream::new(seed, "driver").bits(0) % 3) as usize]
            }
        }
    }
}

impl EpisodeDriver {
    /// Name of the driver.
    pub fn name(self) -> &'static str {
        match self {
            EpisodeDriver::Expert => "expert",
            EpisodeDriver::Random => "random",
            EpisodeDriver::NoisyExpert => "noisy_expert",
        }
    }
}

/// Correlation times of steering, drive and direction, s.
const CORRELATION: [f64; 3] = [1.0, 1.0, 4.0];
/// Standard deviation of random actions, and of the noise on the actions of the rule.
const SPREAD: f64 = 0.5;
const NOISE: f64 = 0.3;
/// Mean drive of random actions; with less, most vehicles do not move.
const DRIVE: f64 = 0.4;

/// Ornstein–Uhlenbeck processes of unit variance, one for each number of an action.
///
/// They are stationary from the start: x' = e^(-Δt/τ) x + √(1 - e^(-2Δt/τ)) ξ.
#[derive(Clone, Debug)]
pub(super) struct RandomWalk {
    stream: RandomStream,
    decay: [f64; 3],
    values: [f64; 3],
    /// Index of the next draw, and of the first.
    next: u64,
    first: u64,
}

impl RandomWalk {
    /// Creates the processes of a vehicle in an episode of a seed, sampled every `period`, s.
    pub fn new(seed: u64, vehicle: usize, period: f64) -> RandomWalk {
        let decay = CORRELATION.map(|time| exp(-period / time));
        let stream = RandomStream::new(seed, "wandering");
        let first = (vehicle as u64) << 32;
        RandomWalk { stream, decay, values: [0.0; 3], next: first, first }
    }

    fn advance(&mut self) -> [f64; 3] {
        let first = self.next == self.first;
        for (value, decay) in self.values.iter_mut().zip(self.decay) {
            let decay = if first { 0.0 } else { decay };
            let drawn = self.stream.normal(self.next);
            *value = decay * *value + (1.0 - decay * decay).sqrt() * drawn;
            self.next += 1;
        }
        self.values
    }

    /// Returns the next action of a driver; `expert` is the action of the rule.
    pub fn action(&mut self, driver: EpisodeDriver, expert: Action) -> Action {
        let [steering, drive, direction] = self.advance();
        let action = match driver {
            EpisodeDriver::Expert => expert,
            EpisodeDriver::Random => {
                [SPREAD * steering, DRIVE + SPREAD * drive, SPREAD * direction]
                    .map(|value| value as f32)
            }
            EpisodeDriver::NoisyExpert => [
                expert[0] + (NOISE * steering) as f32,
                expert[1] + (NOISE * drive) as f32,
                expert[2],
            ],
        };
        action.map(|value| value.clamp(-1.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_actions_have_the_variance_and_correlation_of_their_process() {
        let (period, steps) = (0.1, 40_000);
        let mut random_walk = RandomWalk::new(5, 0, period);
        let values: Vec<f64> = (0..steps).map(|_| random_walk.advance()[0]).collect();
        let product = |lag: usize| {
            let pairs = values.iter().zip(&values[lag..]);
            pairs.map(|(a, b)| a * b).sum::<f64>() / (steps - lag) as f64
        };
        // 40000 steps of 0.1 s contain 2000 independent values, two correlation times apart. Four
        // standard errors of a variance of 1 are 4 √(2/2000) = 0.13.
        assert!((product(0) - 1.0).abs() < 0.13, "{}", product(0));
        assert!((product(10) - exp(-1.0)).abs() < 0.13, "{}", product(10));
        let mut again = RandomWalk::new(5, 0, period);
        assert_eq!(again.advance()[0].to_bits(), values[0].to_bits());
        assert_ne!(RandomWalk::new(5, 1, period).advance()[0].to_bits(), values[0].to_bits());
    }

    #[test]
    fn a_mixture_has_all_its_drivers_and_a_seed_the_same_one() {
        let drivers: Vec<EpisodeDriver> = (0..60).map(|seed| Policy::Mixed.driver(seed)).collect();
        for driver in [EpisodeDriver::Expert, EpisodeDriver::Random, EpisodeDriver::NoisyExpert] {
            // fewer than 8 of 60 draws with probability 1/3 occur about once in 10^4
            assert!(drivers.iter().filter(|d| **d == driver).count() >= 8, "{driver:?}");
        }
        assert_eq!(Policy::Mixed.driver(7), Policy::Mixed.driver(7));
        assert_eq!(Policy::Expert.driver(7), EpisodeDriver::Expert);
    }
}
