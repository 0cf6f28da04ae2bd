//! Plain data between Rust and Python, by way of JSON.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
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
    let text = in_json(value).ok();
    let plain = text.as_deref().and_then(|text| serde_json::from_str(text).ok());
    plain.and_then(|plain| serde_json::from_value(without_nothing(plain)).ok()).ok_or_else(|| {
        let allowed = "finite numbers, text, truth values, lists and dicts of these";
        let words = value.repr().map_or_else(|_| "?".into(), |repr| repr.to_string());
        let text = text.unwrap_or(words);
        crate::error::input(py, "value", &text, allowed, format!("{text}: must be {allowed}"))
    })
}

/// Numbers and arrays of numpy are numbers and lists.
fn in_json(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let py = value.py();
    let options = PyDict::new(py);
    let plain = py.import("operator")?.call_method1("methodcaller", ("tolist",))?;
    options.set_item("default", plain)?;
    py.import("json")?.call_method("dumps", (value,), Some(&options))?.extract()
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
