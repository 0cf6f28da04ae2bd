//! Inflation where people and other programs give or read it: in kPa.
//!
//! Such a name ends in `_kpa`. Inside the program an inflation is in Pa, and its name has no unit.

/// Greatest inflation, kPa; aircraft tires have 1500.
pub const MOST_KPA: f64 = 5000.0;

/// An inflation that is out of range.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("inflation_kpa = {kpa}: must be {}", allowed(.kpa))]
pub struct InflationError {
    /// The given value, kPa.
    pub kpa: f64,
}

impl InflationError {
    /// Describes the allowed values.
    pub fn allowed(&self) -> String {
        allowed(&self.kpa)
    }
}

fn allowed(kpa: &f64) -> String {
    format!("from 0 to {MOST_KPA} kPa{}", pascal_hint(*kpa, MOST_KPA))
}

/// Converts an inflation from kPa to Pa.
///
/// # Errors
/// [`InflationError`] for a value below 0 or above [`MOST_KPA`], and for NaN.
pub fn pascals(kpa: f64) -> Result<f64, InflationError> {
    if (0.0..=MOST_KPA).contains(&kpa) { Ok(1e3 * kpa) } else { Err(InflationError { kpa }) }
}

/// Converts an inflation from Pa to kPa.
///
/// The result converts back to the same bits if any number does.
pub fn kilopascals(pascals: f64) -> f64 {
    let nearest = pascals / 1e3;
    let near = [nearest, nearest.next_up(), nearest.next_down()];
    near.into_iter().find(|kpa| 1e3 * kpa == pascals).unwrap_or(nearest)
}

/// Returns a hint for a value that must be at most `most` kPa but was given in Pa; else no text.
pub fn pascal_hint(given: f64, most: f64) -> String {
    if given > most && given <= 1e3 * most {
        format!(" ({given} Pa is {} kPa)", given / 1e3)
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pressure_in_the_other_unit_is_refused_by_name() {
        assert_eq!(pascals(170.0), Ok(170e3));
        let told = |kpa| pascals(kpa).unwrap_err().to_string();
        assert_eq!(
            told(170000.0),
            "inflation_kpa = 170000: must be from 0 to 5000 kPa (170000 Pa is 170 kPa)"
        );
        assert_eq!(told(-1.0), "inflation_kpa = -1: must be from 0 to 5000 kPa");
        assert!(pascals(f64::NAN).is_err());
    }

    #[test]
    fn kilopascals_convert_back_to_the_same_bits() {
        for kpa in (0..50_000).map(|n| 0.1 * f64::from(n)) {
            let given = pascals(kpa).unwrap();
            assert_eq!(pascals(kilopascals(given)), Ok(given), "{kpa}");
        }
    }
}
