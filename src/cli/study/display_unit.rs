//! Units in tables and pages: kJ instead of J, cm instead of m for sinkage.

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
            (unit, _) => DisplayUnit { scale: 1.0, unit },
        }
    }
}

/// Returns the name of a response with its display unit.
pub fn label_with_unit(response: &[String; 2]) -> String {
    match DisplayUnit::new(response).unit {
        "" => response[0].clone(),
        unit => format!("{}, {unit}", response[0]),
    }
}
