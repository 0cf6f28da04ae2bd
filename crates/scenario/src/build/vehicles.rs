//! The vehicles that a scenario names, from the catalog or from files, with the scenario's changes.

use super::asset_cache::{AssetCache, SpecCache};
use crate::config::{self, TireModel};
use crate::diagnostic::{Diagnostic, DiagnosticKind, SourceLocation, nearest_word};
use crate::document::{Document, DocumentNode};
use crate::input::LARGEST_TEXT;
use crate::inputs::is_vehicle_file;
use crate::{Diagnostics, FileKind, Inputs, ScenarioFile, conform};
use bekker_vehicle::{
    AnySpec, CatalogEntry, Locks, SetupError, SpecError, TrackedSpec, VehicleCatalogError,
    VehicleSetup, VehicleSpec, catalog, find_vehicle, trailers,
};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use std::path::Path;
use std::sync::{Arc, LazyLock};

/// Reads the model of every vehicle, in the scenario's order.
///
/// Vehicles with equal settings share one spec.
///
/// # Errors
/// Unknown models, and all faults of a vehicle file or of the changes to it.
pub fn vehicle_specs(file: &ScenarioFile) -> Result<Vec<Arc<AnySpec>>, Diagnostics> {
    vehicle_specs_with_assets(file, &AssetCache::default())
}

/// The settings of a vehicle's entry that determine its spec.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SpecRequest {
    model: String,
    setup: VehicleSetup,
    overrides: serde_json::Map<String, Json>,
}

impl SpecRequest {
    fn new(entry: &config::VehicleConfig) -> SpecRequest {
        let (model, overrides) = (entry.model.clone(), entry.overrides.clone());
        SpecRequest { model, setup: entry.setup(), overrides }
    }
}

/// Reads the models with a cache of the catalog specs of earlier scenarios.
pub(super) fn vehicle_specs_with_assets(
    file: &ScenarioFile,
    assets: &AssetCache,
) -> Result<Vec<Arc<AnySpec>>, Diagnostics> {
    let mut specs: Vec<Arc<AnySpec>> = Vec::new();
    let mut diagnostics = Vec::new();
    let mut known = SpecCache::default();
    for (index, vehicle) in file.scenario.vehicle.iter().enumerate() {
        let request = SpecRequest::new(vehicle);
        // a file may have changed since it was cached
        let is_file = is_vehicle_file(&vehicle.model);
        let cached = || assets.spec(&request).filter(|_| !is_file);
        let spec = match known.get(&request).or_else(cached) {
            Some(spec) => Ok(spec),
            None => entry_spec(file, index).map(|spec| {
                let spec = Arc::new(spec);
                if !is_file {
                    assets.insert_spec(request.clone(), spec.clone());
                }
                known.insert(request, spec.clone());
                spec
            }),
        };
        let checked = spec.and_then(|spec| {
            check_driver(&spec, vehicle).map_err(|unfit| unfit.into_diagnostics(file, index))?;
            Ok(spec)
        });
        match checked {
            Ok(spec) => specs.push(spec),
            Err(Diagnostics(found)) => diagnostics.extend(found),
        }
    }
    Diagnostics::into_result(diagnostics)?;
    Ok(specs)
}

/// A value of a vehicle's entry that does not fit its model.
struct UnfitValue {
    /// The key, relative to the entry.
    key: String,
    /// Requirement on the value, with its reason.
    cause: String,
}

impl UnfitValue {
    fn new(key: &str, cause: String) -> UnfitValue {
        UnfitValue { key: key.to_owned(), cause }
    }

    /// The fault in the entry with this index.
    fn into_diagnostics(self, file: &ScenarioFile, index: usize) -> Diagnostics {
        let UnfitValue { key, cause } = self;
        file.document
            .diagnostic(&format!("vehicle[{index}].{key}"), DiagnosticKind::Refused { cause })
            .into()
    }
}

/// Reads the model of the entry with this index, with its overrides and its setup.
fn entry_spec(file: &ScenarioFile, index: usize) -> Result<AnySpec, Diagnostics> {
    let entry = &file.scenario.vehicle[index];
    let (folder, inputs) = (&file.folder, &file.inputs);
    let at_model = |problem| {
        Diagnostics::from(file.document.diagnostic(&format!("vehicle[{index}].model"), problem))
    };
    let key = format!("vehicle[{index}].overrides");
    let spec = match file.document.get(&key) {
        Some(changes) => {
            let model = model_document(&entry.model, folder, inputs).map_err(at_model)??;
            overridden(&model, &file.document, &key, changes)?
        }
        None => model_spec(&entry.model, folder, inputs).map_err(at_model)??,
    };
    spec.with_setup(&entry.setup()).map_err(|error| {
        let unfit = match error {
            SetupError::Value { key, cause } => UnfitValue::new(key, cause),
            other => UnfitValue::new("model", other.to_string()),
        };
        unfit.into_diagnostics(file, index)
    })
}

/// Applies changes to a valid model.
///
/// If the changes make lines of the model invalid, the fault is reported at the changes, which are
/// at `key` of the scenario. The lines of the model are valid by themselves.
fn overridden(
    model: &Document,
    scenario: &Document,
    key: &str,
    changes: &DocumentNode,
) -> Result<AnySpec, Diagnostics> {
    let mut changed = model.clone();
    changed.merge(changes);
    spec(&changed).map_err(|Diagnostics(found)| {
        let is_sound = spec(model).is_ok();
        let of_model =
            |diagnostic: &Diagnostic| diagnostic.location.file() == model.root.location.file();
        let attribute = |diagnostic: Diagnostic| match is_sound && of_model(&diagnostic) {
            true => {
                let cause = format!("must leave the vehicle model valid: {diagnostic}");
                scenario.diagnostic(key, DiagnosticKind::Refused { cause })
            }
            false if of_model(&diagnostic) => diagnostic,
            false => scenario.at_original_key(Diagnostic {
                key: format!("{key}.{}", diagnostic.key),
                ..diagnostic
            }),
        };
        Diagnostics(found.into_iter().map(attribute).collect())
    })
}

/// Checks that the vehicle can follow its driver's commands.
fn check_driver(spec: &AnySpec, entry: &config::VehicleConfig) -> Result<(), UnfitValue> {
    let driver = &entry.driver;
    let key = match driver {
        config::DriverConfig::Follow { .. } => "driver.adapt.inflation_kpa",
        _ => "driver.rows",
    };
    match spec {
        AnySpec::Tracked(own) if driver.sets_inflation() => {
            let cause = format!("must set no inflation_kpa: {} is a tracked vehicle", own.name);
            return Err(UnfitValue::new(key, cause));
        }
        AnySpec::Wheeled(_) if driver.sets_inflation() && entry.tire == Some(TireModel::Rigid) => {
            let cause = "must set no inflation_kpa with tire = \"rigid\"";
            return Err(UnfitValue::new(key, cause.into()));
        }
        AnySpec::Wheeled(own) => check_inflations(own, driver, key)?,
        AnySpec::Tracked(_) => {}
    }
    check_locks(spec, driver)
}

/// Checks that central tire inflation covers the driver's pressures. `whole` is the key of all.
fn check_inflations(
    spec: &VehicleSpec,
    driver: &config::DriverConfig,
    whole: &str,
) -> Result<(), UnfitValue> {
    let tires = (0..spec.axles.len()).filter_map(|axle| spec.tire_of(axle).flexible.as_ref());
    let ranges: Vec<_> = tires.filter_map(|tire| tire.central_inflation).map(|c| c.range).collect();
    let name = &spec.name;
    for (key, asked) in driver.inflations() {
        if ranges.is_empty() {
            let cause = format!("must set no inflation_kpa: {name} has no central tire inflation");
            return Err(UnfitValue::new(whole, cause));
        }
        let outside = ranges.iter().find(|[least, most]| !(*least..=*most).contains(&asked));
        if let Some([least, most]) = outside {
            let cause = format!(
                "must be from {least} to {most} kPa, the range of the central tire inflation of \
                 {name}"
            );
            return Err(UnfitValue::new(&key, cause));
        }
    }
    Ok(())
}

/// Checks that the vehicle has the locks that its driver engages.
fn check_locks(spec: &AnySpec, driver: &config::DriverConfig) -> Result<(), UnfitValue> {
    let known = match spec {
        AnySpec::Wheeled(own) => own.locks(),
        AnySpec::Tracked(_) => Locks::OPEN,
    };
    match driver.locks().iter().find(|lock| !known.contains(*lock)) {
        Some(lock) => {
            let (name, lock) = (spec.name(), lock.name());
            let cause = format!(
                "must not lock {lock}: no such differential of {name} has commanded = true"
            );
            Err(UnfitValue::new("driver.rows", cause))
        }
        None => Ok(()),
    }
}

/// Reads one vehicle of the catalog, or a file whose name ends in `.toml`.
///
/// # Errors
/// All faults of the file; for an unknown name, a fault that is located at the model's name.
pub fn vehicle_spec(model: &str, folder: &Path) -> Result<AnySpec, Diagnostics> {
    let unknown = |problem| {
        // the location already names the file
        let path = format!("{}: ", folder.join(model).display());
        let problem = match problem {
            DiagnosticKind::Unreadable { cause } => DiagnosticKind::Unreadable {
                cause: cause.strip_prefix(&path).unwrap_or(&cause).to_owned(),
            },
            other => other,
        };
        Diagnostic::new(SourceLocation::File(model.into()), "", None, problem)
    };
    model_spec(model, folder, &Inputs::default()).map_err(unknown)?
}

/// The spec of a model; a problem if there is no such model.
fn model_spec(
    model: &str,
    folder: &Path,
    inputs: &Inputs,
) -> Result<Result<AnySpec, Diagnostics>, DiagnosticKind> {
    match is_vehicle_file(model) {
        true => Ok(file_document(model, folder, inputs)?.and_then(|document| spec(&document))),
        false => catalog_spec(model).map(Ok),
    }
}

/// The document of a model, to which overrides can be applied; a problem if there is no such model.
fn model_document(
    model: &str,
    folder: &Path,
    inputs: &Inputs,
) -> Result<Result<Document, Diagnostics>, DiagnosticKind> {
    if is_vehicle_file(model) {
        return file_document(model, folder, inputs);
    }
    let own = catalog().iter().find(|entry| entry.key.eq_ignore_ascii_case(model));
    let document = match own {
        Some(entry) => Document::parse(&format!("{} (catalog)", entry.key), entry.text),
        None => Document::from_values(&format!("{model} (catalog)"), &catalog_spec(model)?),
    };
    Ok(document.map_err(Diagnostics::from))
}

/// The document of a vehicle file; a problem if it cannot be read.
fn file_document(
    model: &str,
    folder: &Path,
    inputs: &Inputs,
) -> Result<Result<Document, Diagnostics>, DiagnosticKind> {
    let path = folder.join(model);
    let unreadable = |cause: &dyn std::fmt::Display| DiagnosticKind::Unreadable {
        cause: format!("{}: {cause}", path.display()),
    };
    let bytes = inputs.read(&path, LARGEST_TEXT).map_err(|error| unreadable(&error))?;
    let text = String::from_utf8(bytes).map_err(|error| unreadable(&error))?;
    let document = Document::parse(&path.display().to_string(), &text).and_then(|document| {
        FileKind::Vehicle.check(&document)?;
        Ok(document)
    });
    Ok(document.map_err(Diagnostics::from))
}

/// A vehicle of the catalog, if the name requests it with a trailer of the catalog.
fn catalog_spec(model: &str) -> Result<AnySpec, DiagnosticKind> {
    let unknown = |name: &str, entries: &[CatalogEntry]| DiagnosticKind::UnknownVehicle {
        suggestion: nearest_word(&name.to_lowercase(), entries.iter().map(|entry| entry.key)),
        known: entries.iter().map(|entry| entry.key.into()).collect(),
    };
    find_vehicle(model).map_err(|error| match error {
        VehicleCatalogError::Unknown { name } => unknown(&name, catalog()),
        VehicleCatalogError::UnknownTrailer { name } => unknown(&name, trailers()),
        other => DiagnosticKind::Refused {
            cause: format!("must be a vehicle that can draw trailers: {other}"),
        },
    })
}

/// The vehicle that a document specifies.
fn spec(document: &Document) -> Result<AnySpec, Diagnostics> {
    if document.get(AnySpec::RUNNING_GEAR).is_some() {
        let spec = checked(document, &TRACKED, TrackedSpec::check)?;
        return Ok(AnySpec::Tracked(Box::new(spec)));
    }
    Ok(AnySpec::Wheeled(Box::new(checked(document, &WHEELED, VehicleSpec::check)?)))
}

/// Returns the JSON Schema of wheeled vehicle files.
pub fn wheeled_schema() -> Json {
    WHEELED.clone()
}

/// Returns the JSON Schema of tracked vehicle files.
pub fn tracked_schema() -> Json {
    TRACKED.clone()
}

static WHEELED: LazyLock<Json> = LazyLock::new(|| schemars::schema_for!(VehicleSpec).to_value());
static TRACKED: LazyLock<Json> = LazyLock::new(|| schemars::schema_for!(TrackedSpec).to_value());

/// Deserializes a vehicle of one kind, checked against that kind's schema.
fn checked<S: DeserializeOwned>(
    document: &Document,
    schema: &Json,
    check: impl Fn(&S) -> Result<(), SpecError>,
) -> Result<S, Diagnostics> {
    Diagnostics::into_result(conform(document, schema))?;
    let refused = |cause| document.diagnostic("", DiagnosticKind::Refused { cause });
    let spec: S = serde_json::from_value(document.root.value.to_json())
        .map_err(|error| refused(error.to_string()))?;
    check(&spec).map_err(|error| match error {
        SpecError::Value { key, value, allowed } => {
            let problem = DiagnosticKind::OutOfRange { bounds: allowed };
            Diagnostic::new(
                document.diagnostic(&key, problem.clone()).location,
                &key,
                Some(value),
                problem,
            )
        }
        other => refused(other.to_string()),
    })?;
    Ok(spec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalog_reads_as_its_own_reader_reads_it() {
        for entry in catalog() {
            let document = model_document(entry.key, Path::new(""), &Inputs::default());
            let own = spec(&document.unwrap().unwrap()).unwrap();
            assert_eq!(vehicle_spec(entry.key, Path::new("")).unwrap(), own);
        }
    }

    /// Overrides of a vehicle with a trailer apply to both, and faults are located at them.
    #[test]
    fn overrides_reach_a_coupled_trailer() {
        let read = |overrides: &str| {
            let text = format!(
                "format = 1\nname = \"own\"\nsoil = {{ default = \"firm\" }}\n\
                 time = {{ duration = 1, step = 0.002, heartbeat = 0.01 }}\n[[vehicle]]\nname = \"own\"\n\
                 model = \"HMMWV+cargo_trailer\"\nposition = [0, 0]\noverrides = {overrides}\n"
            );
            let file = ScenarioFile::parse("own.toml", &text, Path::new(""), &[]).unwrap();
            vehicle_specs(&file).map_err(|diagnostics| diagnostics.to_string())
        };
        let spec = read("{ trailer.chassis.mass = 1400, axles.2.trailed = true }").unwrap();
        let plain = find_vehicle("hmmwv+cargo_trailer").unwrap();
        let mass = |spec: &AnySpec| spec.wheeled().unwrap().trailer.as_ref().unwrap().chassis.mass;
        assert_eq!(mass(&spec[0]), 1400.0);
        let more = 1400.0 - mass(&plain);
        assert!((spec[0].total_mass() - plain.total_mass() - more).abs() < 1e-9);
        let diagnostic = read("{ trailer.chassis.mass = -5 }").unwrap_err();
        let key = "own.toml:9: vehicle[0].overrides.trailer.chassis.mass = -5: must be ";
        assert!(diagnostic.starts_with(key), "{diagnostic}");
        let diagnostic = read("{ chassis.mass = 100 }").unwrap_err();
        let key = "own.toml:9: vehicle[0].overrides: must leave the vehicle model valid: \
                   HMMWV+cargo_trailer (catalog): chassis.inertia = [";
        assert!(diagnostic.starts_with(key), "{diagnostic}");
    }

    /// Equal requests for catalog vehicles are read once for all scenarios; others are not mixed up
    /// with them.
    #[test]
    fn parts_give_the_requested_values() {
        let assets = AssetCache::default();
        let read = |keys: &str| {
            let text = format!(
                "format = 1\nname = \"own\"\nsoil = {{ default = \"firm\" }}\n\
                 time = {{ duration = 1, step = 0.002, heartbeat = 0.01 }}\n[[vehicle]]\nname = \"own\"\n\
                 model = \"hmmwv\"\nposition = [0, 0]\n{keys}\n"
            );
            let file = ScenarioFile::parse("own.toml", &text, Path::new(""), &[]).unwrap();
            let specs = vehicle_specs_with_assets(&file, &assets).unwrap();
            assert_eq!(specs, vehicle_specs(&file).unwrap(), "{keys}");
            specs[0].clone()
        };
        let keys = [
            "",
            "tire = \"rigid\"",
            "inflation_kpa = 150",
            "overrides = { chassis = { mass = 2500 } }",
        ];
        let first = keys.map(read);
        let again = keys.map(read);
        for (n, spec) in first.iter().enumerate() {
            assert!(Arc::ptr_eq(spec, &again[n]), "{}", keys[n]);
            assert!(first[..n].iter().all(|other| other != spec), "{}", keys[n]);
        }
    }

    #[test]
    fn the_vehicle_schema_uses_only_keywords_that_are_checked() {
        for schema in [&*WHEELED, &*TRACKED] {
            let unknown = crate::unknown_keywords(schema);
            assert_eq!(unknown, Vec::<String>::new());
        }
    }
}
