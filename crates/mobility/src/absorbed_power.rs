//! What a ride asks of a seated person: the power that the body absorbs.
//!
//! The vertical weighting of R. Pradko, R. Lee and V. Kaluza (*Theory of Human Vibration
//! Response*, ASME 66-WA/BHF-15, 1966) as a filter over time, in the form that Project Chrono
//! uses (`chrono/utils/ChFilters.cpp`): H(s) = 14.5 s (s + 44) / ((s + 63) (s² + 24 s + 750)) of
//! the acceleration in ft/s², and the power is the mean square of what it lets through. NRMM takes
//! 6 W for what a driver puts up with.

/// Feet in a metre.
const FEET: f64 = 1.0 / 0.3048;

/// Mean absorbed power of vertical accelerations without gravity, m/s², at `rate` samples a
/// second, W; none of no samples or of a rate that is not positive. The filter is at rest before
/// the first sample. The bilinear transformation squeezes its frequencies: at 5 Hz by 0.8 %
/// where there are 100 samples a second, by 0.01 % where there are 1000.
pub fn absorbed_power(accelerations: &[f64], rate: f64) -> Option<f64> {
    if accelerations.is_empty() || rate.is_nan() || rate <= 0.0 {
        return None;
    }
    // s = k (1 - z) / (1 + z), z a delay of one sample
    let k = 2.0 * rate;
    let mut lead =
        Section::new([14.5 * (k + 44.0), 14.5 * (44.0 - k), 0.0], [k + 63.0, 63.0 - k, 0.0]);
    let oscillator = [k * k + 24.0 * k + 750.0, 2.0 * (750.0 - k * k), k * k - 24.0 * k + 750.0];
    let mut body = Section::new([k, 0.0, -k], oscillator);
    let squares: f64 = accelerations
        .iter()
        .map(|own| body.passes(lead.passes(own * FEET)))
        .map(|felt| felt * felt)
        .sum();
    Some(squares / accelerations.len() as f64)
}

/// A filter of the second order in its transposed direct form.
struct Section {
    /// Weights of the sample and the two before.
    ahead: [f64; 3],
    /// Weights of the two results before.
    back: [f64; 2],
    held: [f64; 2],
}

impl Section {
    fn new(ahead: [f64; 3], back: [f64; 3]) -> Section {
        let by = back[0];
        let back = [back[1] / by, back[2] / by];
        Section { ahead: ahead.map(|weight| weight / by), back, held: [0.0; 2] }
    }

    fn passes(&mut self, sample: f64) -> f64 {
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

    /// Power of a sine, of this root mean square, over whole seconds.
    fn of_sine(frequency: f64, rms: f64, rate: f64, seconds: f64) -> f64 {
        let sample = |n: u32| sin(TAU * frequency * f64::from(n) / rate) * rms * 2.0_f64.sqrt();
        let samples: Vec<f64> = (0..(rate * seconds) as u32).map(sample).collect();
        absorbed_power(&samples, rate).unwrap()
    }

    /// |H|² of the acceleration in m/s².
    fn weight(frequency: f64) -> f64 {
        let w2 = (TAU * frequency).powi(2);
        let lead = 14.5_f64.powi(2) * w2 * (w2 + 44.0 * 44.0) / (w2 + 63.0 * 63.0);
        lead / ((750.0 - w2).powi(2) + 24.0 * 24.0 * w2) * FEET * FEET
    }

    #[test]
    fn a_sine_of_five_hertz_gives_the_known_powers() {
        // 2.11 W at 1 m/s², 6 W at 1.69 m/s²: to the digits given
        assert!((of_sine(5.0, 1.0, 1000.0, 60.0) - 2.11).abs() < 0.005);
        assert!((of_sine(5.0, 1.69, 1000.0, 60.0) - 6.0).abs() < 0.04);
    }

    #[test]
    fn sines_are_weighted_as_the_transfer_function_says() {
        for frequency in [0.5, 1.0, 2.0, 4.5, 8.0, 15.0, 30.0] {
            let (found, known) = (of_sine(frequency, 1.0, 2000.0, 100.0), weight(frequency));
            // the start is forgotten in 0.1 s of 100 s; frequencies are squeezed by 0.1 % at 30 Hz
            assert!((found / known - 1.0).abs() < 3e-3, "{frequency} Hz: {found} W, not {known}");
        }
    }

    #[test]
    fn nothing_is_said_of_nothing_and_rest_costs_nothing() {
        assert_eq!(absorbed_power(&[], 100.0), None);
        assert_eq!(absorbed_power(&[1.0], 0.0), None);
        assert_eq!(absorbed_power(&[1.0], f64::NAN), None);
        assert_eq!(absorbed_power(&[0.0; 100], 100.0), Some(0.0));
        // a constant is not felt once it has been there for a while
        assert!(absorbed_power(&vec![9.81; 1_000_000], 100.0).unwrap() < 1e-2);
    }
}
