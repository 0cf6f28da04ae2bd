//! Counter-based random numbers.
//!
//! A draw depends only on seed, agent, sensor, frame, element and lane. It is independent of
//! evaluation order, threads, ranks, and of CPU or GPU.
//!
//! The bits are those of Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as
//! easy as 1, 2, 3", SC 2011). It has ten rounds of two 32-bit multiplications, which a shader
//! computes identically in `u32` arithmetic. Normal draws are quantiles of uniform draws by a
//! rational function. Four words thus give four draws, and a shader needs no pairs.

use serde::{Deserialize, Serialize};

const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
const ROUNDS: usize = 10;

/// Returns four random words of a counter under a key (Philox4x32-10).
#[inline]
pub fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..ROUNDS {
        let [a, b] = [0, 1].map(|k| u64::from(MULTIPLIERS[k]) * u64::from(counter[2 * k]));
        counter = [
            (b >> 32) as u32 ^ counter[1] ^ key[0],
            b as u32,
            (a >> 32) as u32 ^ counter[3] ^ key[1],
            a as u32,
        ];
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    counter
}

/// Maps 32 random bits to a uniform draw in (0, 1), both ends excluded.
#[inline]
pub fn uniform(word: u32) -> f64 {
    (f64::from(word) + 0.5) / 4_294_967_296.0
}

/// Maps 32 random bits to a standard normal draw of magnitude at most 6.4.
#[inline]
pub fn normal(word: u32) -> f64 {
    quantile(uniform(word))
}

/// Returns the quantile of the standard normal distribution at `p` in (0, 1).
///
/// The relative error is 1e-7: algorithm AS 241, PPND7 (Wichura, Applied Statistics 37, 1988). In
/// the middle 85 % it takes one division and no elementary function.
#[inline]
pub fn quantile(p: f64) -> f64 {
    let cubic = |c: [f64; 4], r: f64| ((c[3] * r + c[2]) * r + c[1]) * r + c[0];
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180625 - q * q;
        return q * cubic([3.3871327179, 50.434271938, 159.29113202, 59.109374720], r)
            / cubic([1.0, 17.895169469, 78.757757664, 67.187563600], r);
    }
    let r = (-bekker_math::numeric::ln(p.min(1.0 - p))).sqrt();
    let size = if r <= 5.0 {
        let r = r - 1.6;
        cubic([1.4234372777, 2.7568153900, 1.3067284816, 0.17023821103], r)
            / ((0.12021132975 * r + 0.73700164250) * r + 1.0)
    } else {
        let r = r - 5.0;
        cubic([6.6579051150, 3.0812263860, 0.42868294337, 0.017337203997], r)
            / ((0.012258202635 * r + 0.24197894225) * r + 1.0)
    };
    size.copysign(q)
}

/// Random number generator of one sensor of one agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Noise {
    /// Key of the generator, for shaders that continue it.
    pub key: [u32; 2],
}

impl Noise {
    /// Creates the generator of the sensor with these indices in the scenario of this seed.
    pub fn new(seed: u64, agent: u32, sensor: u32) -> Noise {
        let [a, b, ..] = philox([agent, sensor, 0, 0], [seed as u32, (seed >> 32) as u32]);
        Noise { key: [a, b] }
    }

    /// Returns four random words for a frame (measurement), an element (pixel, beam, axis) and a
    /// lane.
    ///
    /// The lane separates draws of different purposes.
    #[inline]
    pub fn words(&self, frame: u32, element: u32, lane: u32) -> [u32; 4] {
        philox([element, lane, frame, 0], self.key)
    }

    /// Returns four draws uniform in (0, 1).
    #[inline]
    pub fn uniforms(&self, frame: u32, element: u32, lane: u32) -> [f64; 4] {
        self.words(frame, element, lane).map(uniform)
    }

    /// Returns four standard normal draws.
    #[inline]
    pub fn normals(&self, frame: u32, element: u32, lane: u32) -> [f64; 4] {
        self.words(frame, element, lane).map(normal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known answers published with Random123 (kat_vectors, philox4x32 10).
    #[test]
    fn gives_the_published_words() {
        assert_eq!(philox([0; 4], [0; 2]), [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
        assert_eq!(
            philox([u32::MAX; 4], [u32::MAX; 2]),
            [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]
        );
        let digits_of_pi = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344];
        assert_eq!(
            philox(digits_of_pi, [0xa4093822, 0x299f31d0]),
            [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]
        );
    }

    /// The three values printed with AS 241; its PPND7 has about seven digits.
    #[test]
    fn gives_the_published_quantiles() {
        for (p, expected) in [
            (0.25, -0.674_489_750_196_081_7),
            (0.001, -3.090_232_306_167_814),
            (1e-20, -9.262_340_089_798_408),
        ] {
            assert!((quantile(p) / expected - 1.0).abs() < 2e-7, "{p} {}", quantile(p));
        }
        assert!((quantile(0.975) - 1.959_963_985).abs() < 2e-7);
        assert_eq!(quantile(0.5), 0.0);
    }

    #[test]
    fn every_part_of_the_key_matters() {
        let base = Noise::new(1, 2, 3).words(4, 5, 6);
        for other in [
            Noise::new(0, 2, 3).words(4, 5, 6),
            Noise::new(1 << 32 | 1, 2, 3).words(4, 5, 6),
            Noise::new(1, 0, 3).words(4, 5, 6),
            Noise::new(1, 2, 0).words(4, 5, 6),
            Noise::new(1, 2, 3).words(0, 5, 6),
            Noise::new(1, 2, 3).words(4, 0, 6),
            Noise::new(1, 2, 3).words(4, 5, 0),
        ] {
            assert_ne!(base, other);
        }
        assert_eq!(base, Noise::new(1, 2, 3).words(4, 5, 6));
    }

    /// Moments of a million draws match within four standard errors.
    ///
    /// They are 4 √(1/n), 4 √(2/n), 4 √(6/n) and 4 √(24/n) for mean, variance, skewness and excess
    /// kurtosis.
    #[test]
    fn normals_have_their_moments() {
        let noise = Noise::new(7, 0, 0);
        let draws: Vec<f64> =
            (0..250_000).flat_map(|k| noise.normals(k / 500, k % 500, 0)).collect();
        let n = draws.len() as f64;
        let moment = |power: i32| draws.iter().map(|x| x.powi(power)).sum::<f64>() / n;
        assert!(moment(1).abs() < 4.0 / n.sqrt());
        assert!((moment(2) - 1.0).abs() < 4.0 * (2.0 / n).sqrt());
        assert!(moment(3).abs() < 4.0 * (15.0 / n).sqrt());
        assert!((moment(4) - 3.0).abs() < 4.0 * (96.0 / n).sqrt());
        assert!(draws.iter().all(|x| x.abs() < 6.4));
    }

    /// Adjacent elements, frames and lanes are uncorrelated: |r| < 4/√n.
    #[test]
    fn neighbors_are_uncorrelated() {
        let n = 100_000;
        let a = Noise::new(7, 0, 0);
        let draw = |noise: Noise, k: u32, lane| noise.normals(k / 300, k % 300, lane)[0];
        for other in [
            (0..n).map(|k| draw(a, k, 1)).collect::<Vec<_>>(),
            (0..n).map(|k| draw(a, k + 1, 0)).collect(),
            (0..n).map(|k| draw(a, k + 300, 0)).collect(),
            (0..n).map(|k| draw(Noise::new(7, 1, 0), k, 0)).collect(),
            (0..n).map(|k| draw(Noise::new(7, 0, 1), k, 0)).collect(),
        ] {
            let r = (0..n).zip(&other).map(|(k, y)| draw(a, k, 0) * y).sum::<f64>() / f64::from(n);
            assert!(r.abs() < 4.0 / f64::from(n).sqrt(), "{r}");
        }
    }
}
