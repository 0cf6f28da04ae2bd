//! Counter-based random numbers, keyed by purpose.
//!
//! A number is a pure function of (seed, stream, counter), without hidden state and independent of
//! order. So threads, ranks and resumed runs draw the same numbers. The mixing function is the
//! finalizer of SplitMix64 (Steele, Lea and Flood 2014).

use serde::{Deserialize, Serialize};

fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A named stream of random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RandomStream {
    key: u64,
}

impl RandomStream {
    /// Returns the stream `name` of `seed`.
    pub fn new(seed: u64, name: &str) -> RandomStream {
        let mut key = mix(seed);
        for byte in name.bytes() {
            key = mix(key ^ u64::from(byte));
        }
        RandomStream { key }
    }

    /// Returns 64 random bits for `counter`.
    pub fn bits(&self, counter: u64) -> u64 {
        mix(self.key ^ mix(counter))
    }

    /// Returns a number uniform in [0, 1) for `counter`.
    pub fn uniform(&self, counter: u64) -> f64 {
        (self.bits(counter) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a standard normal number for `counter` (Box–Muller, from the uniform numbers of
    /// counters 2 k and 2 k + 1).
    pub fn normal(&self, counter: u64) -> f64 {
        let u = self.uniform(counter.wrapping_mul(2)).max(f64::MIN_POSITIVE);
        let v = self.uniform(counter.wrapping_mul(2).wrapping_add(1));
        (-2.0 * crate::numeric::ln(u)).sqrt() * crate::numeric::cos(std::f64::consts::TAU * v)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_and_repeat() {
        let a = RandomStream::new(1, "a");
        assert_eq!(a.bits(7), RandomStream::new(1, "a").bits(7));
        assert_ne!(a.bits(7), RandomStream::new(1, "b").bits(7));
        assert_ne!(a.bits(7), RandomStream::new(2, "a").bits(7));
    }

    #[test]
    fn normal_has_its_moments() {
        let stream = RandomStream::new(3, "moments");
        let n = 20_000;
        let draws: Vec<f64> = (0..n).map(|k| stream.normal(k)).collect();
        let mean = draws.iter().sum::<f64>() / n as f64;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
        // Four standard errors: 4/sqrt(n) for the mean, 4 sqrt(2/n) for the variance.
        assert!(mean.abs() < 0.029 && (variance - 1.0).abs() < 0.04);
    }
}
