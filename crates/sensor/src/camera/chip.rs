//! Image sensor: electrons, their noise, and quantization by the converter.

use super::{ChipNoise, Image};
use crate::noise::Noise;

impl ChipNoise {
    /// Converts the radiance of an image to the sensor's output after `exposure` seconds.
    ///
    /// The model is EMVA 1288, release 4, linear model: shot noise of signal and dark current, read
    /// noise, saturation at the full well, and quantization. The variance is that of the electrons
    /// and of the readout, plus a twelfth of a step squared.
    ///
    /// The Poisson distribution of electrons is approximated as normal, with an error below one
    /// hundredth from some tens of electrons on.
    pub fn expose(&self, image: &mut Image, exposure: f64, noise: &Noise, frame: u32) {
        let steps = ((1_u64 << self.bits.clamp(1, 32)) - 1) as f64;
        let dark = self.dark * exposure;
        for (index, color) in image.color.iter_mut().enumerate() {
            let draws = noise.normals(frame, index as u32, 0);
            for (channel, draw) in color.iter_mut().zip(draws) {
                let electrons = f64::from(*channel) * self.full_well;
                let variance = electrons + dark + self.read * self.read;
                let read = electrons + variance.max(0.0).sqrt() * draw;
                let share = (read / self.full_well).clamp(0.0, 1.0);
                *channel = ((share * steps + 0.5).floor() / steps) as f32;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variance_is_that_of_the_formula() {
        let chip = ChipNoise { full_well: 10_000.0, read: 5.0, dark: 100.0, bits: 12 };
        for level in [0.02_f32, 0.2, 0.7] {
            let pixels = 40_000;
            let mut image = Image { color: vec![[level; 3]; pixels], ..Image::default() };
            chip.expose(&mut image, 0.1, &Noise::new(1, 2, 3), 4);
            let values: Vec<f64> =
                image.color.iter().flatten().map(|v| 1e4 * f64::from(*v)).collect();
            let count = values.len() as f64;
            let mean = values.iter().sum::<f64>() / count;
            let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / count;
            let electrons = 1e4 * f64::from(level);
            let step = 1e4 / 4095.0;
            let expected = electrons + 10.0 + 25.0 + step * step / 12.0;
            // four standard errors of the variance of 120 000 normal draws
            assert!((variance / expected - 1.0).abs() < 4.0 * (2.0 / count).sqrt(), "{variance}");
            assert!((mean - electrons).abs() < 4.0 * (expected / count).sqrt());
        }
    }

    #[test]
    fn saturates() {
        let chip = ChipNoise { full_well: 10_000.0, read: 2.0, dark: 0.0, bits: 8 };
        let mut image = Image { color: vec![[3.0, 0.0, 0.5]; 1], ..Image::default() };
        chip.expose(&mut image, 0.01, &Noise::new(1, 2, 3), 4);
        assert_eq!(image.color[0][0], 1.0);
        assert!(image.color[0][1] < 0.01 && (image.color[0][2] - 0.5).abs() < 0.05);
    }
}
