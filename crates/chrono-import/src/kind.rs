//! Checks of the kind of a file given for a vehicle or part.

use super::ImportError;
use super::file_kind::VEHICLE;
use super::library::Library;
use super::log::ImportLog;
use super::source::JsonSource;
use bekker_vehicle::powertrain::RPM;
use serde_json::Value as Json;

/// Returns the error for a file that is not a vehicle, with its kind and vehicles of its folder.
pub(super) fn not_a_vehicle(library: &Library, source: &JsonSource) -> ImportError {
    let vehicles = library.files_beside(source, "Vehicle", &["WheeledVehicle", "TrackedVehicle"]);
    let names: Vec<String> =
        vehicles.iter().take(3).map(|path| library.display_path(path)).collect();
    let hint =
        if names.is_empty() { String::new() } else { format!(", such as {}", names.join(", ")) };
    source.wrong_kind(&format!("{VEHICLE}{hint}"))
}

/// Checks that a part has a given Chrono Type.
///
/// # Errors
/// Found and expected type.
pub(super) fn check_type(
    source: &JsonSource,
    kind: &str,
    known: &[&str],
) -> Result<(), ImportError> {
    if source.text("Type").is_none_or(|own| own == kind) {
        return Ok(());
    }
    let what = format!("of Type {kind}, Template {}", known.join(", "));
    Err(source.wrong_kind(&what))
}

/// Splits a combined powertrain into an engine and a transmission of current templates.
///
/// # Errors
/// Unsupported template.
pub(super) fn split_powertrain(
    source: &JsonSource,
    log: &mut ImportLog,
) -> Result<[JsonSource; 2], ImportError> {
    let template = source.template()?.to_owned();
    let part = |key: &str| {
        source.json().get(key).cloned().unwrap_or_else(|| Json::Object(Default::default()))
    };
    let number = |key: &str| source.json().get(key).and_then(Json::as_f64);
    let (mut engine, mut transmission) = (part("Engine"), part("Transmission"));
    let templates = match template.as_str() {
        "ShaftsPowertrain" => {
            rename_key(&mut engine, "Crankshaft Inertia", "Motorshaft Inertia");
            let converter = part("Torque Converter");
            let mut shafts = serde_json::json!({
                "Torque Converter": converter,
                "Motorshaft Inertia": engine.get("Motorshaft Inertia"),
            });
            for (key, now) in [
                ("Input Shaft Inertia", "Input Shaft Inertia"),
                ("Output Shaft Inertia", "Driveshaft Inertia"),
            ] {
                let taken = transmission.as_object_mut().and_then(|own| own.remove(key));
                if let Some(value) = taken {
                    shafts[now] = value;
                }
            }
            shafts["Gear Box"] = transmission;
            transmission = shafts;
            ["EngineShafts", "AutomaticTransmissionShafts"]
        }
        "SimpleMapPowertrain" => {
            transmission = serde_json::json!({ "Gear Box": transmission });
            ["EngineSimpleMap", "AutomaticTransmissionSimpleMap"]
        }
        "SimplePowertrain" => {
            let most = number("Maximum Engine Speed").unwrap_or_default() / RPM;
            let torque = number("Maximum Engine Torque").unwrap_or_default();
            let engine_template = if number("Maximum Engine Power").is_some() {
                engine = source.json().clone();
                "EngineSimple"
            } else {
                engine = serde_json::json!({
                    "Maximal Engine Speed RPM": most,
                    "Map Full Throttle": [[0.0, torque], [most, 0.0]],
                    "Map Zero Throttle": [[0.0, 0.0], [most, 0.0]],
                });
                "EngineSimpleMap"
            };
            transmission = serde_json::json!({ "Gear Box": {
                "Forward Gear Ratios": [source.json().get("Forward Gear Ratio")],
                "Reverse Gear Ratio": source.json().get("Reverse Gear Ratio"),
                "Upshift RPM": TOP_OF_ONE_GEAR * most, "Downshift RPM": 1.0,
            }});
            log.assume("powertrain.gearbox", "a single gear, as in the source");
            [engine_template, "AutomaticTransmissionSimpleMap"]
        }
        other => {
            let allowed =
                format!("{}; or give --engine and --transmission", POWERTRAINS.join(", "));
            return Err(source.refused("Template", other, &allowed));
        }
    };
    let [engine_template, transmission_template] = templates;
    Ok([
        source.part(engine, "Engine", engine_template),
        source.part(transmission, "Transmission", transmission_template),
    ])
}

/// Supported templates of combined powertrains, in order of preference.
pub(super) const POWERTRAINS: [&str; 3] =
    ["ShaftsPowertrain", "SimpleMapPowertrain", "SimplePowertrain"];
/// Upshift speed of a single gear as a fraction of the maximum speed.
const TOP_OF_ONE_GEAR: f64 = 0.95;

fn rename_key(json: &mut Json, key: &str, now: &str) {
    if let Some(entries) = json.as_object_mut()
        && let Some(value) = entries.remove(key)
    {
        entries.insert(now.to_owned(), value);
    }
}
