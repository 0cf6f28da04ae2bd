//! Procedural hills from noise.

use noise::{NoiseFn, SuperSimplex};

use super::error::{TerrainError, finite};

/// A smooth scalar field of order 1 over the plane, a pure function of position.
///
/// Only this type uses the crate `noise`.
#[derive(Clone, Debug)]
struct NoiseField(SuperSimplex);

impl NoiseField {
    fn new(seed: u32) -> NoiseField {
        NoiseField(SuperSimplex::new(seed))
    }

    /// Returns its value; NaN where the lattice indices overflow. A diverged state can request such
    /// positions before it is detected, and the crate panics there.
    fn value(&self, x: f64, y: f64) -> f64 {
        const FARTHEST: f64 = 1e15;
        if !(x.abs() <= FARTHEST && y.abs() <= FARTHEST) {
            return f64::NAN;
        }
        self.0.get([x, y])
    }
}

/// Hills of fractal noise: octaves with successively halved wavelength and amplitude.
///
/// Each octave has its own seed and is rotated and shifted against the others, so that their
/// lattices are not aligned.
#[derive(Clone, Debug)]
pub struct Procedural {
    elevation: f64,
    amplitude: f64,
    wavelength: f64,
    octaves: Vec<NoiseField>,
}

impl Procedural {
    /// Creates hills around `elevation` (m), of `amplitude` (m) and `wavelength` (m) in the first
    /// of `octaves` octaves, from `seed`.
    pub fn new(
        elevation: f64,
        amplitude: f64,
        wavelength: f64,
        octaves: u32,
        seed: u64,
    ) -> Result<Procedural, TerrainError> {
        finite("octaves", f64::from(octaves), "1 to 12", |v| (1.0..=12.0).contains(&v))?;
        let stream = bekker_math::random::RandomStream::new(seed, "terrain procedural");
        let octaves = (0..octaves).map(|k| NoiseField::new(stream.bits(k.into()) as u32)).collect();
        let procedural = Procedural { elevation, amplitude, wavelength, octaves };
        procedural.check()?;
        Ok(procedural)
    }

    pub(crate) fn check(&self) -> Result<(), TerrainError> {
        finite("elevation, m", self.elevation, "a finite number", |_| true)?;
        finite("amplitude, m", self.amplitude, "0 or above", |v| v >= 0.0)?;
        finite("wavelength, m", self.wavelength, "above 0", |v| v > 0.0)
    }

    pub(crate) fn height(&self, x: f64, y: f64) -> f64 {
        // rotation by the angle of the triangle 3-4-5: it needs no sine and is no symmetry of the
        // lattice
        const TURN: [f64; 2] = [0.8, 0.6];
        let (mut u, mut v) = (x / self.wavelength, y / self.wavelength);
        let (mut sum, mut amplitude) = (self.elevation, self.amplitude);
        for field in &self.octaves {
            sum += amplitude * field.value(u, v);
            amplitude *= 0.5;
            (u, v) =
                (2.0 * (TURN[0] * u - TURN[1] * v) + 17.3, 2.0 * (TURN[1] * u + TURN[0] * v) - 5.9);
        }
        sum
    }

    /// Returns the central difference over a thousandth of the shortest wavelength, because the
    /// noise has no analytic derivative. Its error is below 1e-5 of the slope.
    pub(crate) fn gradient(&self, x: f64, y: f64) -> [f64; 2] {
        let h = 1e-3 * self.wavelength / f64::from(1u32 << (self.octaves.len() - 1));
        [
            (self.height(x + h, y) - self.height(x - h, y)) / (2.0 * h),
            (self.height(x, y + h) - self.height(x, y - h)) / (2.0 * h),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hills_are_continuous_bounded_and_follow_their_seed() {
        let hills = Procedural::new(100.0, 5.0, 80.0, 4, 7).unwrap();
        let other = Procedural::new(100.0, 5.0, 80.0, 4, 8).unwrap();
        let mut steepest = 0.0_f64;
        let mut differs = false;
        let step = 1e-4;
        for k in 0..20_000 {
            let (x, y) = (0.37 * f64::from(k) - 3000.0, 0.11 * f64::from(k));
            let height = hills.height(x, y);
            steepest = steepest.max((hills.height(x + step, y) - height).abs() / step);
            // four octaves of at most 1: 5 (1 + 1/2 + 1/4 + 1/8)
            assert!((height - 100.0).abs() <= 9.375);
            differs |= height != other.height(x, y);
        }
        // A jump would appear as a slope of its height / step = 1e4. Noise of order 1 per
        // wavelength, with equal slopes in four octaves, stays below 2.
        assert!(steepest < 2.0 && differs, "{steepest}");
        assert_eq!(
            hills.height(3.0, 4.0),
            Procedural::new(100.0, 5.0, 80.0, 4, 7).unwrap().height(3.0, 4.0)
        );
    }

    #[test]
    fn places_beyond_all_numbers_have_no_height() {
        let hills = Procedural::new(0.0, 1.0, 20.0, 3, 0).unwrap();
        for far in [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e300, -1e20] {
            assert!(hills.height(far, 0.0).is_nan() && hills.height(0.0, far).is_nan(), "{far}");
            assert!(hills.gradient(far, 0.0)[0].is_nan());
        }
        assert!(hills.height(1e12, -1e12).is_finite());
    }

    #[test]
    fn figures_are_checked() {
        let message = |a, w, o| Procedural::new(0.0, a, w, o, 0).unwrap_err().to_string();
        assert_eq!(message(1.0, 0.0, 1), "wavelength, m is 0; allowed: above 0");
        assert_eq!(message(1.0, 1.0, 0), "octaves is 0; allowed: 1 to 12");
        assert_eq!(message(-1.0, 1.0, 1), "amplitude, m is -1; allowed: 0 or above");
    }
}
