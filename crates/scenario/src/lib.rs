//! Scenarios: TOML that is validated and built into a simulation.
//!
//! Errors name file, line, key, value and the allowed values. Reading has four stages, each of
//! which reports all its faults together:
//!
//! 1. [`Document`]: TOML text becomes a tree in which every value has its source line; `--set`
//!    arguments are merged into it;
//! 2. [`conform()`]: the tree is checked against the JSON Schema of the [`config`] types; then
//!    positions on a grid, in geographic coordinates or in files are converted to the local frame,
//!    and rows and columns are expanded into vehicles;
//! 3. the cross-checks of names, references and ratios;
//! 4. building: files are opened, soils and vehicles looked up.
//!
//! This is a layer of the crate `bekker`, whose documentation has examples; `ARCHITECTURE.md` is
//! the overview.

mod budget;
pub mod build;
pub mod config;
mod conform;
mod consistency;
mod convoys;
mod diagnostic;
mod diagnostic_sink;
mod document;
mod expanded_vehicles;
mod file_kind;
pub mod input;
mod inputs;
mod locations;
mod mesh_part_path;
mod names;
mod path_file;
mod radio_checks;
pub mod random_world;
mod row_expansion;
mod search_area;
mod vehicle_points;

pub use config::Scenario;
pub use conform::{KEYWORDS, conform};
pub use consistency::whole_heartbeats;
pub use diagnostic::{
    Diagnostic, DiagnosticKind, Diagnostics, SourceLocation, VehicleRef, nearest_word, shortened,
};
pub use document::{Document, DocumentNode, TomlValue};
pub use file_kind::FileKind;
pub use inputs::{Input, Inputs, OpenedInput, RecordedInput, is_vehicle_file, map_paths};

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Hash of the source code that affects results (`build.rs`).
pub const SOURCE: &str = env!("BEKKER_SOURCE");

/// Name in messages of a scenario that was not read from a file.
const GENERATED_NAME: &str = "scenario";

/// A validated scenario with its source document.
#[derive(Clone, Debug)]
pub struct ScenarioFile {
    /// The configuration.
    pub scenario: Scenario,
    /// The document with the source location of each value.
    pub document: Document,
    /// The folder to which its relative paths refer.
    pub folder: PathBuf,
    /// The files from which it is built.
    pub inputs: Inputs,
    /// Assumptions made about path files, as warnings.
    pub assumed: Vec<Diagnostic>,
}

impl ScenarioFile {
    /// Reads a scenario file and applies `--set` arguments.
    ///
    /// # Errors
    /// All faults up to the cross-checks.
    pub fn read(path: &Path, sets: &[String]) -> Result<ScenarioFile, Diagnostics> {
        ScenarioFile::read_with_inputs(path, sets, Inputs::default())
    }

    /// Reads a scenario file as [`ScenarioFile::read`] does, with given `inputs`.
    ///
    /// `inputs` reads the files that the scenario names, and records them.
    ///
    /// # Errors
    /// All faults up to the cross-checks.
    pub fn read_with_inputs(
        path: &Path,
        sets: &[String],
        inputs: Inputs,
    ) -> Result<ScenarioFile, Diagnostics> {
        let file = path.display().to_string();
        let text = input::read_text(path, input::LARGEST_TEXT).map_err(|e| {
            let problem = DiagnosticKind::Unreadable { cause: e.to_string() };
            Diagnostic::new(SourceLocation::File(file.as_str().into()), "", None, problem)
        })?;
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        ScenarioFile::parse_with_inputs(&file, &text, &folder, sets, inputs)
    }

    /// Checks a scenario that a program created in the same way as one in a file.
    ///
    /// Its relative paths refer to `folder`. Messages locate its values by their keys.
    ///
    /// # Errors
    /// All faults up to the cross-checks.
    pub fn from_scenario(scenario: &Scenario, folder: &Path) -> Result<ScenarioFile, Diagnostics> {
        // the schema's ranges are checked on the tree of values
        let document = Document::from_values(GENERATED_NAME, scenario)?;
        ScenarioFile::from_document(document, folder)
    }

    /// Parses a scenario from text; `file` names it in messages.
    ///
    /// # Errors
    /// All faults up to the cross-checks.
    pub fn parse(
        file: &str,
        text: &str,
        folder: &Path,
        sets: &[String],
    ) -> Result<ScenarioFile, Diagnostics> {
        ScenarioFile::parse_with_inputs(file, text, folder, sets, Inputs::default())
    }

    /// Parses a scenario as [`ScenarioFile::parse`] does, with given `inputs`.
    ///
    /// `inputs` reads the files that the scenario names, and records them.
    ///
    /// # Errors
    /// All faults up to the cross-checks.
    pub fn parse_with_inputs(
        file: &str,
        text: &str,
        folder: &Path,
        sets: &[String],
        inputs: Inputs,
    ) -> Result<ScenarioFile, Diagnostics> {
        let mut document = Document::parse(file, text)?;
        FileKind::Scenario.check(&document)?;
        let refused: Vec<Diagnostic> =
            sets.iter().filter_map(|set| document.set(set).err()).collect();
        Diagnostics::into_result(refused)?;
        ScenarioFile::checked(document, folder, inputs)
    }

    /// Checks a scenario given as a document with source locations.
    ///
    /// # Errors
    /// All faults up to the cross-checks.
    pub fn from_document(document: Document, folder: &Path) -> Result<ScenarioFile, Diagnostics> {
        ScenarioFile::from_document_with_inputs(document, folder, Inputs::default())
    }

    /// Checks a document as [`ScenarioFile::from_document`] does, with given `inputs`.
    ///
    /// # Errors
    /// All faults up to the cross-checks.
    pub fn from_document_with_inputs(
        document: Document,
        folder: &Path,
        inputs: Inputs,
    ) -> Result<ScenarioFile, Diagnostics> {
        ScenarioFile::checked(document, folder, inputs)
    }

    fn checked(
        mut document: Document,
        folder: &Path,
        inputs: Inputs,
    ) -> Result<ScenarioFile, Diagnostics> {
        Diagnostics::into_result(conform(&document, &SCHEMA))?;
        let assumed = locations::resolve(&mut document, folder, &inputs)?;
        row_expansion::expand(&mut document)?;
        let scenario: Scenario =
            serde_json::from_value(document.root.value.to_json()).map_err(|e| {
                document.diagnostic("", DiagnosticKind::Refused { cause: e.to_string() })
            })?;
        Diagnostics::into_result(consistency::check(&scenario, &document))?;
        let folder = folder.to_path_buf();
        Ok(ScenarioFile { scenario, document, folder, inputs, assumed })
    }
}

/// The schema of all scenarios, cached: generating it takes longer than reading a scenario.
static SCHEMA: LazyLock<serde_json::Value> = LazyLock::new(schema);

/// Returns the JSON Schema of the scenario format.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Scenario).to_value()
}

/// Keywords of a schema that [`conform()`] does not support, except names of properties.
#[cfg(test)]
fn unknown_keywords(schema: &serde_json::Value) -> Vec<String> {
    use serde_json::Value as Json;
    fn collect(schema: &Json, found: &mut std::collections::BTreeSet<String>) {
        match schema {
            Json::Object(entries) => {
                for (key, value) in entries {
                    found.insert(key.clone());
                    match key.as_str() {
                        "properties" | "$defs" => {
                            value.as_object().unwrap().values().for_each(|v| collect(v, found));
                        }
                        "default" | "const" | "enum" | "examples" => {}
                        _ => collect(value, found),
                    }
                }
            }
            Json::Array(items) => items.iter().for_each(|item| collect(item, found)),
            _ => {}
        }
    }
    let mut found = std::collections::BTreeSet::new();
    collect(schema, &mut found);
    found.into_iter().filter(|key| !KEYWORDS.contains(&key.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value as Json;

    const MINIMAL: &str = "\
format = 1
name = 'x'
time = { duration = 1 }
soil = { default = 'mud' }
[[vehicle]]
name = 'a'
model = 'hmmwv'
position = [0, 0]
";

    fn diagnostics(text: &str, sets: &[&str]) -> String {
        let sets: Vec<String> = sets.iter().map(|s| s.to_string()).collect();
        match ScenarioFile::parse("x.toml", text, Path::new(""), &sets) {
            Ok(_) => String::new(),
            Err(diagnostics) => diagnostics.to_string(),
        }
    }

    #[test]
    fn the_schema_uses_only_keywords_that_are_checked() {
        assert_eq!(unknown_keywords(&schema()), Vec::<String>::new());
    }

    /// Every table of the format refuses unknown keys, except tables whose keys are chosen by the
    /// user.
    #[test]
    fn unknown_keys_are_refused_at_every_level() {
        fn open_tables(schema: &Json, path: &str, open: &mut Vec<String>) {
            if let Some(properties) = schema["properties"].as_object()
                && schema["additionalProperties"] != Json::Bool(false)
            {
                open.push(format!("{path}: {:?}", properties.keys().collect::<Vec<_>>()));
            }
            match schema {
                Json::Object(entries) => {
                    entries.iter().for_each(|(k, v)| open_tables(v, &format!("{path}/{k}"), open));
                }
                Json::Array(items) => items.iter().for_each(|v| open_tables(v, path, open)),
                _ => {}
            }
        }
        let mut open = Vec::new();
        open_tables(&schema(), "", &mut open);
        assert!(open.is_empty(), "tables without additionalProperties = false: {open:#?}");
    }

    #[test]
    fn a_minimal_scenario_takes_every_default() {
        let file = ScenarioFile::parse("x.toml", MINIMAL, Path::new(""), &[]).unwrap();
        assert_eq!(file.scenario.ground.spacing, 0.05);
        assert_eq!(file.scenario.time.steps_per_heartbeat(), Some(5));
        assert_eq!(file.scenario.time.heartbeats(), Some(100));
    }

    #[test]
    fn constructors_take_the_defaults_of_the_format() {
        let read = ScenarioFile::parse("x.toml", MINIMAL, Path::new(""), &[]).unwrap().scenario;
        let mut made = Scenario::new("x", "mud", config::TimeConfig::with_duration(1.0));
        made.vehicle.push(config::VehicleConfig::new(
            "a",
            "hmmwv",
            config::DriverConfig::default(),
        ));
        assert_eq!(made, read);
    }

    #[test]
    fn the_resolved_scenario_reads_back_as_itself() {
        let file = ScenarioFile::parse("x.toml", MINIMAL, Path::new(""), &[]).unwrap();
        let again = ScenarioFile::from_scenario(&file.scenario, Path::new("")).unwrap();
        assert_eq!(again.scenario, file.scenario);
    }

    #[test]
    fn a_scenario_from_a_program_is_held_to_the_same() {
        let mut scenario =
            ScenarioFile::parse("x.toml", MINIMAL, Path::new(""), &[]).unwrap().scenario;
        scenario.time.duration = -1.0;
        scenario.vehicle[0].heading_deg = f64::NAN;
        let report = ScenarioFile::from_scenario(&scenario, Path::new("")).unwrap_err().to_string();
        assert!(report.contains("time.duration = -1.0: must be > 0 and <= 604800 s"), "{report}");
        assert!(report.contains("vehicle[0].heading_deg = NaN: must be finite"), "{report}");
        assert!(report.starts_with("scenario: "), "{report}");
    }

    #[test]
    fn faults_name_file_line_key_value_and_allowed_range() {
        let text = MINIMAL.replace("duration = 1", "duration = -1");
        assert_eq!(
            diagnostics(&text, &[]),
            "x.toml:3: time.duration = -1: must be > 0 and <= 604800 s"
        );
        assert_eq!(
            diagnostics(MINIMAL, &["vehicle[0].heading_deg=720"]),
            "--set vehicle[0].heading_deg=720: vehicle[0].heading_deg = 720: \
             must be from -360 to 360 deg"
        );
    }

    #[test]
    fn keys_in_british_spelling_are_read() {
        let keys = "tire = 'rigid'\n[[vehicle.sensor]]\nname = 'eye'\n\
                    model = { kind = 'camera', width = 8, height = 8, fov_deg = 60, \
                    channels = ['color'] }\n\
                    [endings]\nimmobilized_after = 3\nimmobilized_distance = 0.3\n\
                    [ground.refine]\nplowing = false\n";
        let british = keys
            .replace("tire", "tyre")
            .replace("color", "colour")
            .replace("immobilized_distance", "immobilised_way")
            .replace("immobilized", "immobilised")
            .replace("plowing", "ploughing");
        let [first, second] = [keys, &british].map(|keys| {
            let text = format!("{MINIMAL}{keys}");
            ScenarioFile::parse("x.toml", &text, Path::new(""), &[]).unwrap().scenario
        });
        assert_eq!(first, second);
        assert_eq!(first.endings.immobilized_distance, 0.3);
    }

    #[test]
    fn faults_are_reported_together_in_the_order_of_lines() {
        let text =
            MINIMAL.replace("duration = 1", "duration = 'long'").replace("position", "positoin");
        let report = diagnostics(&text, &[]);
        let lines: Vec<&str> = report.lines().collect();
        assert!(lines[0].starts_with("x.toml:3: time.duration"), "{report}");
        assert!(lines[1].starts_with("x.toml:5: vehicle[0].position: missing"), "{report}");
        assert!(lines[2].contains("(did you mean `position`?)"), "{report}");
    }
}
