//! The value that marks cells without data in a raster.

/// Magnitude from which no value is a height. Floating-point rasters mark gaps with their greatest
/// number, which text gives with fewer digits.
const HUGE: f64 = 1e30;

/// Value of cells without data, compared at the precision of the samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NoDataValue {
    value: f64,
    tolerance: f64,
}

/// Precision of samples for comparison with the value of gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    Integer,
    Half,
    Single,
    Double,
}

impl NoDataValue {
    /// Returns `None` if no sample can have the value.
    pub fn new(value: f64, precision: Precision) -> Option<NoDataValue> {
        let share = match precision {
            Precision::Integer if value.fract() != 0.0 || !value.is_finite() => return None,
            Precision::Integer => 0.0,
            Precision::Half => 1.0 / 2048.0,
            // two units in the last place of the mean, as GDAL compares them
            Precision::Single => 4.0 * f64::from(f32::EPSILON),
            Precision::Double => 4.0 * f64::EPSILON,
        };
        Some(NoDataValue { value, tolerance: share * value.abs() })
    }

    /// Returns whether a value marks a cell without data.
    pub fn marks(&self, value: f64) -> bool {
        if self.value.abs() >= HUGE {
            return value.abs() >= HUGE && value.signum() == self.value.signum();
        }
        (value - self.value).abs() <= self.tolerance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_compared_at_the_precision_of_the_samples() {
        let marks = |gap: f64, precision, value: f64| {
            NoDataValue::new(gap, precision).is_some_and(|gap| gap.marks(value))
        };
        let largest = f64::from(f32::MAX);
        for text in ["-3.40282e+38", "-3.4028235e+38", "-3.4028234663852886e+38", "-1.79769e308"] {
            assert!(marks(text.parse().unwrap(), Precision::Single, -largest), "{text}");
        }
        assert!(!marks(-3.4e38, Precision::Single, largest));
        assert!(marks(0.1, Precision::Single, f64::from(0.1_f32)));
        assert!(!marks(0.1, Precision::Double, f64::from(0.1_f32)));
        assert!(!marks(100.0, Precision::Single, 100.001));
        assert!(marks(-9999.0, Precision::Half, -10_000.0));
        assert!(marks(-32768.0, Precision::Integer, -32768.0));
        assert!(!marks(-32768.0, Precision::Integer, -32767.0));
        // no sample can have these values
        assert_eq!(NoDataValue::new(255.5, Precision::Integer), None);
        assert_eq!(NoDataValue::new(f64::NAN, Precision::Integer), None);
        // NaN is a gap in any case
        assert!(NoDataValue::new(f64::NAN, Precision::Single).is_some());
    }
}
