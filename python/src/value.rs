//! Plain data between Rust and Python, by way of JSON.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde::Serialize;

/// Plain data as dicts, lists and numbers.
pub fn to_python<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(value);
    let text = text.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    py.import("json")?.call_method1("loads", (text,))
}

/// A value as TOML has it; what is `None` in a dict is not there.
///
/// # Errors
/// `InputError` for what TOML has no form for.
pub fn to_toml(value: &Bound<'_, PyAny>) -> PyResult<toml::Value> {
    let py = value.py();
    let text: String = py.import("json")?.call_method1("dumps", (value,))?.extract()?;
    let plain: Option<serde_json::Value> = serde_json::from_str(&text).ok();
    plain.and_then(|plain| serde_json::from_value(without_nothing(plain)).ok()).ok_or_else(|| {
        let allowed = "finite numbers, text, truth values, lists and dicts of these";
        crate::error::input(py, "value", &text, allowed, format!("{text}: must be {allowed}"))
    })
}

fn without_nothing(value: serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::Object(entries) => {
            let kept = entries.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(kept.map(|(key, value)| (key, without_nothing(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(without_nothing).collect()),
        value => value,
    }
}
