//! Conversion of plain data between Rust and Python, through JSON.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyList, PyString};
use serde::Serialize;

/// Converts plain data to dicts, lists and numbers.
pub fn to_python<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(value);
    let text = text.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    py.import("json")?.call_method1("loads", (text,))
}

/// Converts the value of a `key` to TOML. Entries of a dict that are `None` are omitted.
///
/// # Errors
/// `InputError` with the full key, for a value that TOML cannot represent.
pub fn to_toml(key: &str, value: &Bound<'_, PyAny>) -> PyResult<toml::Value> {
    match in_plain(value) {
        Ok(plain) => in_toml(key, &plain),
        Err(_) => Err(refused(key, value, PLAIN)),
    }
}

const PLAIN: &str = "finite numbers, text, Booleans, lists and dicts of these";

/// Converts scalars and arrays of NumPy to numbers and lists, and soils, vehicles and paths to names.
pub fn in_plain<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    let json = py.import("json")?;
    let options = PyDict::new(py);
    options.set_item("default", py.import("bekker.catalog")?.getattr("plain")?)?;
    json.call_method1("loads", (json.call_method("dumps", (value,), Some(&options))?,))
}

fn in_toml(key: &str, plain: &Bound<'_, PyAny>) -> PyResult<toml::Value> {
    if let Ok(entries) = plain.cast::<PyDict>() {
        let mut table = toml::Table::new();
        for (name, value) in entries.iter().filter(|(_, value)| !value.is_none()) {
            let name: String = name.extract()?;
            let value = in_toml(&format!("{key}.{name}"), &value)?;
            table.insert(name, value);
        }
        return Ok(table.into());
    }
    if let Ok(items) = plain.cast::<PyList>() {
        let item = |(place, item)| in_toml(&format!("{key}[{place}]"), &item);
        return Ok(toml::Value::Array(
            items.iter().enumerate().map(item).collect::<PyResult<_>>()?,
        ));
    }
    if let Ok(truth) = plain.cast::<PyBool>() {
        return Ok(truth.is_true().into());
    }
    if plain.is_instance_of::<PyInt>() {
        let number = plain.extract::<i64>().map(Into::into);
        return number.map_err(|_| refused(key, plain, "a whole number from -2^63 to 2^63 - 1"));
    }
    if let Ok(text) = plain.cast::<PyString>() {
        return Ok(text.to_cow()?.into_owned().into());
    }
    match plain.extract::<f64>() {
        Ok(number) if number.is_finite() => Ok(number.into()),
        Ok(_) => Err(refused(key, plain, "finite")),
        Err(_) => Err(refused(key, plain, PLAIN)),
    }
}

/// Creates the error for a value. Keys at the top level of a dict begin with a dot, which is
/// removed.
fn refused(key: &str, value: &Bound<'_, PyAny>, allowed: &str) -> PyErr {
    let key = key.strip_prefix('.').unwrap_or(key);
    let (py, repr) = (value.py(), value.repr());
    let value = repr.map_or_else(|_| "?".into(), |repr| repr.to_string());
    let equals = if key.is_empty() { "" } else { " = " };
    let told = format!("{key}{equals}{value}: must be {allowed}");
    crate::error::input(py, key, &value, allowed, told)
}
