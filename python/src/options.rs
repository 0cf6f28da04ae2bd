//! Conversion of a dict to options of environments.

use crate::error;
use crate::value::in_plain;
use bekker::learning::Options;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use serde_json::{Map, Value, json};

/// Converts options one by one, so that the error names the invalid one.
pub fn options_of(given: &Bound<'_, PyDict>) -> PyResult<Options> {
    let py = given.py();
    let known = json!(Options::default());
    let mut all = Map::new();
    for (key, value) in given {
        let key: String = key.extract()?;
        let refused = |allowed: &str| {
            let value = value.repr().unwrap_or_else(|_| PyString::new(py, "?"));
            let told = format!("{key} = {value}: must be {allowed}");
            error::input(py, &key, &value, allowed, told)
        };
        if known.get(&key).is_none() {
            let names: Vec<&str> =
                known.as_object().into_iter().flatten().map(|(n, _)| &**n).collect();
            let allowed = names.join(", ");
            let told = format!("{key}: unknown option; must be one of {allowed}");
            return Err(error::input(py, &key, &value.repr()?, &allowed, told));
        }
        let plain = plain(&value).ok_or_else(|| refused("a finite number, a Boolean or text"))?;
        let alone = json!({ key.as_str(): &plain });
        serde_json::from_value::<Options>(alone).map_err(|e| {
            let told = e.to_string();
            // a key or name within the value
            match told.split_once(", expected ").filter(|_| told.starts_with("unknown ")) {
                Some((unknown, known)) => {
                    let message = format!("{key}: {unknown}; must be {known}");
                    error::input(py, &key, &unknown, known, message)
                }
                None => refused(&expected(&told)),
            }
        })?;
        all.insert(key, plain);
    }
    let whole = serde_json::from_value(Value::Object(all));
    whole.map_err(|e| error::input(py, "options", &"all", &known.to_string(), e))
}

/// Converts a value to JSON; NumPy scalars become numbers, soils and vehicles their names.
fn plain(value: &Bound<'_, PyAny>) -> Option<Value> {
    let value = match value.call_method0("item") {
        Ok(number) => number,
        Err(_) => in_plain(value).ok()?,
    };
    let text = value.py().import("json").and_then(|json| json.call_method1("dumps", (value,)));
    serde_json::from_str(&text.ok()?.extract::<String>().ok()?).ok()
}

/// Returns what serde expected, in words for users.
fn expected(told: &str) -> String {
    match told.rsplit_once("expected ").map(|(_, expected)| expected) {
        Some("f64") => "a number".into(),
        Some("u32" | "u64") => "a whole number, 0 or more".into(),
        Some(expected) => expected.into(),
        None => told.into(),
    }
}
