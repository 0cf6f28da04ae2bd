//! The reproducibility key: everything that affects results, as lines `key = value`.
//!
//! Two runs with equal lines give bitwise equal results.

use super::SoilTable;
use crate::config::{OutputConfig, Scenario};
use crate::inputs::{map_paths, sha256};
use crate::{Input, SOURCE, ScenarioFile};
use bekker_vehicle::AnySpec;
use erased_serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// Length from which a value is replaced by its hash, characters.
const LONG: usize = 120;

/// Lists the program, the scenario, soils, vehicles and file hashes, one value per line.
///
/// The duration and keys that affect only reports are left out. File paths are replaced by the hashes of the contents.
pub fn decisive(file: &ScenarioFile, soils: &SoilTable, specs: &[Arc<AnySpec>]) -> String {
    let mut inputs = file.inputs.list();
    inputs.retain(|input| input.decides);
    let mut scenario = Scenario {
        name: String::new(),
        description: String::new(),
        output: OutputConfig::default(),
        ..file.scenario.clone()
    };
    scenario.time.duration = 0.0;
    let hash_of = |path: &std::path::Path| -> Option<&Input> {
        let path = file.folder.join(path);
        inputs.iter().find(|input| input.path == path)
    };
    map_paths(&mut scenario, |path| match hash_of(path) {
        Some(input) => PathBuf::from(&input.sha256),
        None => path.to_owned(),
    });
    let version = format!("{}, source {SOURCE}", env!("CARGO_PKG_VERSION"));
    let mut lines = vec![("program".to_owned(), version)];
    let value = serde_json::to_value(&scenario as &dyn Serialize).unwrap_or_default();
    flatten("", &value, &mut |key, value| lines.push((key, value)));
    let of = |value: Option<Vec<u8>>| sha256(&value.unwrap_or_default());
    for soil in soils.soils() {
        lines.push((
            format!("parameters of soil {}", soil.name),
            of(serde_json::to_vec(soil as &dyn Serialize).ok()),
        ));
    }
    let mut hashed: BTreeMap<*const AnySpec, String> = BTreeMap::new();
    for (index, spec) in specs.iter().enumerate() {
        let key = format!("parameters of vehicle[{index}].model");
        let hash = hashed
            .entry(Arc::as_ptr(spec))
            .or_insert_with(|| of(serde_json::to_vec(&**spec as &dyn Serialize).ok()));
        lines.push((key, hash.clone()));
    }
    // files that other files reference, such as the textures of a mesh
    let named: Vec<String> = lines.iter().map(|(_, value)| value.replace('"', "")).collect();
    let others = inputs.iter().filter(|input| !named.contains(&input.sha256));
    for (index, input) in others.enumerate() {
        lines.push((format!("file {index}"), input.sha256.clone()));
    }
    let mut text = String::new();
    for (key, value) in lines {
        let _ = writeln!(text, "{key} = {value}");
    }
    text
}

/// Passes every value with its key to `take`; a list of plain values is one value.
fn flatten(key: &str, value: &Value, take: &mut impl FnMut(String, String)) {
    match value {
        Value::Object(entries) => {
            let dot = if key.is_empty() { "" } else { "." };
            entries.iter().for_each(|(name, value)| {
                flatten(&format!("{key}{dot}{name}"), value, take);
            });
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            let items = items.iter().enumerate();
            items.for_each(|(index, value)| flatten(&format!("{key}[{index}]"), value, take));
        }
        value => {
            let text = value.to_string();
            let long = text.len() > LONG;
            take(key.to_owned(), if long { sha256(text.as_bytes()) } else { text });
        }
    }
}
