//! Absorbed power of a seated person, a measure of ride quality.
//!
//! The vertical weighting of R. Pradko, R. Lee and V. Kaluza (*Theory of Human Vibration Response*,
//! ASME 66-WA/BHF-15, 1966) is applied as a filter in time, in the form that Project Chrono uses
//! (`chrono/utils/ChFilters.cpp`): H(s) = 14.5 s (s + 44) / ((s + 63) (s² + 24 s + 750)). Its input
//! is the acceleration in ft/s²; the power is the mean square of its output. NRMM assumes that a
//! driver tolerates 6 W.

/// Feet in a meter.
const FEET: f64 = 1.0 / 0.3048;

/// Returns the mean absorbed power of vertical accelerations, W.
///
/// Accelerations are in m/s², without gravity, at `rate` samples per second. `None` without
/// samples, or for a rate that is not positive. The filter is at rest before the first sample.
///
/// The bilinear transformation compresses the filter's frequencies. At 5 Hz the error is 0.8 % with
/// 100 samples per second and 0.01 % with 1000.
pub fn absorbed_power(accelerations: &[f64], rate: f64) -> Option<f64> {
    if accelerations.is_empty() || rate.is_nan() || rate <= 0.0 {
        return None;
    }
    // s = k (1 - z) / (1 + z), with z a delay of one sample
    let k = 2.0 * rate;
    let mut lead =
        FilterSection::new([14.5 * (k + 44.0), 14.5 * (44.0 - k), 0.0], [k + 63.0, 63.0 - k, 0.0]);
    let oscillator = [k * k + 24.0 * k + 750.0, 2.0 * (750.0 - k * k), k * k - 24.0 * k + 750.0];
    let mut body = FilterSection::new([k, 0.0, -k], oscillator);
    let squares: f64 = accelerations
        .iter()
        .map(|own| body.filter(lead.filter(own * FEET)))
        .map(|felt| felt * felt)
        .sum();
    Some(squares / accelerations.len() as f64)
}

/// A second-order filter in transposed direct form.
struct FilterSection {
    /// Weights of the current input and the two previous ones.
    ahead: [f64; 3],
    /// Weights of the two previous outputs.
    back: [f64; 2],
    held: [f64; 2],
}

impl FilterSection {
    fn new(ahead: [f64; 3], back: [f64; 3]) -> FilterSection {
        let by = back[0];
        let back = [back[1] / by, back[2] / by];
        FilterSection { ahead: ahead.map(|weight| weight / by), back, held: [0.0; 2] }
    }

    fn filter(&mut self, sample: f64) -> f64 {
        let result = self.ahead[0] * sample + self.held[0];
        self.held[0] = self.ahead[1] * sample - self.back[0] * result + self.held[1];
        self.held[1] = self.ahead[2] * sample - self.back[1] * result;
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::numeric::sin;
    use std::f64::consts::TAU;

    /// Returns the power of a sine of root mean square `rms` over whole seconds.
    fn of_sine(frequency: f64, rms: f64, rate: f64, seconds: f64) -> f64 {
        let sample = |n: u32| sin(TAU * frequency * f64::from(n) / rate) * rms * 2.0_f64.sqrt();
        let samples: Vec<f64> = (0..(rate * seconds) as u32).map(sample).collect();
        absorbed_power(&samples, rate).unwrap()
    }

    /// Returns |H|² for the acceleration in m/s².
    fn weight(frequency: f64) -> f64 {
        let w2 = (TAU * frequency).powi(2);
        let lead = 14.5_f64.powi(2) * w2 * (w2 + 44.0 * 44.0) / (w2 + 63.0 * 63.0);
        lead / ((750.0 - w2).powi(2) + 24.0 * 24.0 * w2) * FEET * FEET
    }

    #[test]
    fn a_sine_of_five_hertz_gives_the_known_powers() {
        // 2.11 W at 1 m/s² and 6 W at 1.69 m/s², to the digits given
        assert!((of_sine(5.0, 1.0, 1000.0, 60.0) - 2.11).abs() < 0.005);
        assert!((of_sine(5.0, 1.69, 1000.0, 60.0) - 6.0).abs() < 0.04);
    }

    #[test]
    fn sines_are_weighted_by_the_transfer_function() {
        for frequency in [0.5, 1.0, 2.0, 4.5, 8.0, 15.0, 30.0] {
            let (found, known) = (of_sine(frequency, 1.0, 2000.0, 100.0), weight(frequency));
            // the initial transient lasts 0.1 s of 100 s; frequencies are compressed by 0.1 % at 30
            // Hz
            assert!((found / known - 1.0).abs() < 3e-3, "{frequency} Hz: {found} W, not {known}");
        }
    }

    #[test]
    fn nothing_is_said_of_nothing_and_rest_costs_nothing() {
        assert_eq!(absorbed_power(&[], 100.0), None);
        assert_eq!(absorbed_power(&[1.0], 0.0), None);
        assert_eq!(absorbed_power(&[1.0], f64::NAN), None);
        assert_eq!(absorbed_power(&[0.0; 100], 100.0), Some(0.0));
        // a constant is filtered out after a while
        assert!(absorbed_power(&vec![9.81; 1_000_000], 100.0).unwrap() < 1e-2);
    }
}
