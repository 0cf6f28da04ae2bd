//! Units in tables and pages: kJ instead of J, cm instead of m for sinkage, percent for shares.

use crate::study::design::RunMetric;

/// Unit in which a response is displayed.
#[derive(Clone, Copy)]
pub struct DisplayUnit<'a> {
    /// Factor from the SI unit.
    pub scale: f64,
    /// The display unit; empty for a response without one.
    pub unit: &'a str,
}

impl<'a> DisplayUnit<'a> {
    /// Returns the display unit of a response, given with its SI unit.
    pub fn new([name, unit]: &'a [String; 2]) -> DisplayUnit<'a> {
        match (unit.as_str(), RunMetric::from_response(name)) {
            ("J", _) => DisplayUnit { scale: 1e-3, unit: "kJ" },
            ("B", _) => DisplayUnit { scale: 1e-3, unit: "kB" },
            ("m", Some(RunMetric::MaxSinkage)) => DisplayUnit { scale: 100.0, unit: "cm" },
            (
                _,
                Some(
                    RunMetric::MeanSlip
                    | RunMetric::Sensitive
                    | RunMetric::Detected
                    | RunMetric::Explored,
                ),
            ) => DisplayUnit { scale: 100.0, unit: "%" },
            (unit, _) => DisplayUnit { scale: 1.0, unit },
        }
    }
}

/// Formats shares in percent, with a decimal if they are close together.
pub fn percents<const N: usize>(shares: [f64; N]) -> [String; N] {
    let low = shares.into_iter().fold(f64::INFINITY, f64::min);
    let spread = shares.into_iter().fold(f64::NEG_INFINITY, f64::max) - low;
    let decimals = usize::from(spread > 0.0 && spread < 0.05);
    shares.map(|share| format!("{:.decimals$}", 100.0 * share))
}

/// Returns the name of a response with its display unit.
pub fn label_with_unit(response: &[String; 2]) -> String {
    match DisplayUnit::new(response).unit {
        "" => response[0].clone(),
        unit => format!("{}, {unit}", response[0]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_sensible_digits() {
        assert_eq!(percents([1.0 / 9.0, 8.0 / 9.0]), ["11", "89"]);
        assert_eq!(percents([0.9962, 0.9991]), ["99.6", "99.9"]);
        assert_eq!(percents([1.0, 1.0]), ["100", "100"]);
        let unit =
            |name: &str, unit: &str| DisplayUnit::new(&[name.into(), unit.into()]).unit.to_owned();
        assert_eq!([unit("mean_slip", ""), unit("tail.drive_energy", "J")], ["%", "kJ"]);
        assert_eq!([unit("go", ""), unit("distance", "m")], ["", "m"]);
    }
}
