//! Detection of the kind of a file by its content.

use serde_json::Value as Json;

/// Expected kind of a vehicle file.
pub(super) const VEHICLE: &str = "a vehicle (Type Vehicle, Template WheeledVehicle or \
    TrackedVehicle) or a file that refers to one";

/// Extensions and line prefixes of files that are not JSON, with descriptions.
const FOREIGN: [(&str, &str, &str); 5] = [
    ("tir", "[MDI_HEADER]", "an Adams or Magic Formula tire property file (.tir)"),
    ("toml", "format = ", "a bekker vehicle file (.toml)"),
    ("yaml", "%YAML", "YAML"),
    ("xml", "<?xml", "XML"),
    ("obj", "mtllib ", "a mesh (.obj)"),
];

/// Returns the kind of content that is not JSON, if it is recognized.
pub(super) fn foreign_kind(ending: &str, bytes: &[u8]) -> Option<&'static str> {
    let text = String::from_utf8_lossy(bytes);
    let ending = if ending.eq_ignore_ascii_case("yml") { "yaml" } else { ending };
    let known = FOREIGN.iter().find(|(own, begins, _)| {
        let begins = || text.lines().any(|line| line.trim_start().starts_with(begins));
        own.eq_ignore_ascii_case(ending) || begins()
    });
    known.map(|(_, _, what)| *what)
}

/// Describes a Chrono file by its Type and Template.
pub(super) fn describe(json: &Json) -> String {
    let text = |key: &str| json.get(key).and_then(Json::as_str);
    match (text("Type"), text("Template")) {
        (Some(kind), Some(template)) => format!("of Type {kind}, Template {template}"),
        (Some(kind), None) => format!("of Type {kind}, without a Template"),
        (None, Some(template)) => format!("of Template {template}, without a Type"),
        (None, None) => "JSON without Type and Template".into(),
    }
}

/// References of a file of a whole vehicle.
#[derive(Debug, Default, PartialEq)]
pub(super) struct VehicleReferences {
    /// Key and path of the vehicle without engine, transmission and tires.
    pub vehicle: (String, String),
    /// Engine.
    pub engine: Option<String>,
    /// Transmission.
    pub transmission: Option<String>,
    /// Engine and transmission in one file.
    pub powertrain: Option<String>,
    /// Tires: one for all axles, or one for each.
    pub tires: Vec<String>,
}

/// Returns the references of a file of a whole vehicle; `None` for another kind of file.
///
/// Such files are part of SynChrono (`data/synchrono/vehicle`), as are agents that refer to them
/// (`synchrono/agent`).
pub(super) fn entry(json: &Json) -> Option<VehicleReferences> {
    let named = |key: &str| json.get(key).and_then(reference);
    let vehicle =
        [("Vehicle", "Vehicle / Input File"), ("Vehicle Input File", "Vehicle Input File")]
            .into_iter()
            .find_map(|(key, told)| Some((told.to_owned(), named(key)?)))?;
    let all = |key: &str| match json.get(key) {
        Some(Json::Array(items)) => items.iter().filter_map(reference).collect(),
        Some(one) => reference(one).into_iter().collect(),
        None => Vec::new(),
    };
    let tires: Vec<String> =
        ["Tire", "Tires", "Tire Input File"].into_iter().flat_map(all).collect();
    let either = |key: &str| named(key).or_else(|| named(&format!("{key} Input File")));
    let [engine, transmission, powertrain] = ["Engine", "Transmission", "Powertrain"].map(either);
    Some(VehicleReferences { vehicle, engine, transmission, powertrain, tires })
}

/// Returns a reference, given as a string or in an object with the key `Input File`.
fn reference(json: &Json) -> Option<String> {
    let text = json.as_str().or_else(|| json.get("Input File").and_then(Json::as_str));
    text.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn non_json_files_are_recognized_by_extension_or_content() {
        let tir = b"[MDI_HEADER]\nFILE_TYPE ='tir'\n$ 20 \xb0C\n";
        for (ending, bytes, what) in [
            ("tir", &b""[..], Some("tire property")),
            ("txt", &tir[..], Some("tire property")),
            ("toml", b"format = 1\n", Some("bekker vehicle file")),
            ("yml", b"a: 1\n", Some("YAML")),
            ("json", b"{ \"a\": ", None),
        ] {
            let found = foreign_kind(ending, bytes);
            assert_eq!(found.is_some(), what.is_some(), "{ending}: {found:?}");
            assert!(found.is_none_or(|found| what.is_some_and(|what| found.contains(what))));
        }
    }

    #[test]
    fn an_entry_names_its_parts_in_any_usual_form() {
        let expected = |tires: &[&str]| VehicleReferences {
            vehicle: ("Vehicle / Input File".into(), "a/vehicle.json".into()),
            engine: Some("a/engine.json".into()),
            transmission: Some("a/gears.json".into()),
            powertrain: None,
            tires: tires.iter().map(|own| (*own).to_owned()).collect(),
        };
        let vehicle =
            json!({ "Input File": "a/vehicle.json", "Chassis Visualization Type": "Mesh" });
        let own = json!({
            "Vehicle": vehicle, "Engine": { "Input File": "a/engine.json" },
            "Transmission": "a/gears.json", "Tire": { "Input File": "a/tire.json" },
        });
        assert_eq!(entry(&own), Some(expected(&["a/tire.json"])));
        let listed = json!({
            "Vehicle": vehicle, "Engine Input File": "a/engine.json",
            "Transmission Input File": "a/gears.json",
            "Tires": [{ "Input File": "a/front.json" }, "a/rear.json"],
        });
        assert_eq!(entry(&listed), Some(expected(&["a/front.json", "a/rear.json"])));
        assert_eq!(entry(&json!({ "Chassis": { "Input File": "a/chassis.json" } })), None);
    }
}
