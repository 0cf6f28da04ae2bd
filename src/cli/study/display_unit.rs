//! Units in tables and pages that people read: kJ for J, cm for the m of a sinkage.

use crate::study::design::Figure;

/// The unit in which a response is displayed.
#[derive(Clone, Copy)]
pub struct DisplayUnit<'a> {
    /// Factor from the SI unit.
    pub scale: f64,
    /// The display unit; empty for a response without one.
    pub unit: &'a str,
}

impl<'a> DisplayUnit<'a> {
    /// The display unit of a response, given with its SI unit.
    pub fn of([name, unit]: &'a [String; 2]) -> DisplayUnit<'a> {
        match (unit.as_str(), Figure::of_response(name)) {
            ("J", _) => DisplayUnit { scale: 1e-3, unit: "kJ" },
            ("B", _) => DisplayUnit { scale: 1e-3, unit: "kB" },
            ("m", Some(Figure::MaxSinkage)) => DisplayUnit { scale: 100.0, unit: "cm" },
            (unit, _) => DisplayUnit { scale: 1.0, unit },
        }
    }
}

/// The name of a response with the unit in which it is shown.
pub fn labelled(response: &[String; 2]) -> String {
    match DisplayUnit::of(response).unit {
        "" => response[0].clone(),
        unit => format!("{}, {unit}", response[0]),
    }
}
