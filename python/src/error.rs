//! Conversion of errors to exceptions of `bekker.errors`, with key, value and allowed values.

use bekker::scenario::{Diagnostic, DiagnosticKind, Diagnostics};
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::fmt::Display;

fn exception<'py>(py: Python<'py>, class: &str, arguments: impl PyCallArgs<'py>) -> PyErr {
    let module = py.import("bekker.errors");
    let made = module.and_then(|module| module.getattr(class)?.call1(arguments));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// Creates a `ScenarioError` with all faults of a scenario.
pub fn scenario(py: Python<'_>, faults: &Diagnostics) -> PyErr {
    let told: Vec<_> = faults.0.iter().map(fault).collect();
    exception(py, "ScenarioError", (faults.to_string(), told))
}

/// Position, key, value, allowed values, and the complete message.
type FaultFields = (String, String, Option<String>, Option<String>, String);

/// Returns the fields of a fault.
pub fn fault(fault: &Diagnostic) -> FaultFields {
    let Diagnostic { location: place, key, value, kind: problem, .. } = fault;
    (place.to_string(), key.clone(), value.clone(), allowed(problem), fault.to_string())
}

/// Returns the allowed values, if the problem has a list or a range of them.
pub fn allowed(problem: &DiagnosticKind) -> Option<String> {
    match problem {
        DiagnosticKind::OutOfRange { bounds } => Some(bounds.clone()),
        DiagnosticKind::UnknownKey { allowed, .. } | DiagnosticKind::NotOneOf { allowed, .. } => {
            Some(allowed.join(", "))
        }
        DiagnosticKind::UnknownVehicle { known, .. } => Some(known.join(", ")),
        DiagnosticKind::Missing { expected }
        | DiagnosticKind::WrongType { expected, .. }
        | DiagnosticKind::WrongLength { expected, .. } => Some(expected.clone()),
        DiagnosticKind::NotFinite => Some("finite".into()),
        DiagnosticKind::NotAMultiple { nearest, .. }
        | DiagnosticKind::NotADivisor { nearest, .. } => Some(nearest.join(" or ")),
        _ => None,
    }
}

/// Creates an `InputError` for an argument: its name, its value, the allowed values and the
/// message.
pub fn input(
    py: Python<'_>,
    key: &str,
    value: &dyn Display,
    allowed: &str,
    told: impl Display,
) -> PyErr {
    exception(py, "InputError", (told.to_string(), key, value.to_string(), allowed))
}

/// Checks that a number is above zero.
pub fn positive(py: Python<'_>, key: &str, value: i64) -> PyResult<u64> {
    u64::try_from(value).ok().filter(|value| *value > 0).ok_or_else(|| {
        let allowed = "a whole number, 1 or more";
        input(py, key, &value, allowed, format!("{key} = {value}: must be {allowed}"))
    })
}

/// Creates an `EndedError` with the outcome of each vehicle.
pub fn ended(py: Python<'_>, told: impl Display, outcomes: Bound<'_, PyDict>) -> PyErr {
    exception(py, "EndedError", (told.to_string(), outcomes))
}

/// Creates a `SnapshotError`: the snapshot is damaged or belongs to something else.
pub fn snapshot(py: Python<'_>, told: impl Display) -> PyErr {
    exception(py, "SnapshotError", (told.to_string(),))
}

/// Creates a `RunError`: a computation failed.
pub fn run(py: Python<'_>, told: impl Display) -> PyErr {
    exception(py, "RunError", (told.to_string(),))
}
