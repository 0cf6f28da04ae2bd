//! The vehicles that a scenario names, from the catalog or from files, with the scenario's changes.

use super::parts::Parts;
use crate::config::{self, TyreModel};
use crate::document::{Document, Node};
use crate::fault::{Fault, Place, Problem, nearest_word};
use crate::input::LARGEST_TEXT;
use crate::inputs::is_vehicle_file;
use crate::{Faults, Inputs, ScenarioFile, conform};
use bekker_vehicle::spec::Inflation;
use bekker_vehicle::{
    AnySpec, CatalogueError, Entry, Locks, SpecError, TrackedSpec, VehicleSpec, catalogue,
    find_any, trailers,
};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, LazyLock};

/// Reads the model of every vehicle, in the scenario's order.
///
/// Vehicles with equal settings share one spec.
///
/// # Errors
/// Unknown models, and all faults of a vehicle file or of the changes to it.
pub fn vehicle_specs(file: &ScenarioFile) -> Result<Vec<Arc<AnySpec>>, Faults> {
    vehicle_specs_of(file, &Parts::default())
}

/// Reads the models with a cache of the catalog specs of earlier scenarios.
pub(super) fn vehicle_specs_of(
    file: &ScenarioFile,
    parts: &Parts,
) -> Result<Vec<Arc<AnySpec>>, Faults> {
    let mut specs: Vec<Arc<AnySpec>> = Vec::new();
    let mut faults = Vec::new();
    let mut known: BTreeMap<String, Arc<AnySpec>> = BTreeMap::new();
    for (index, vehicle) in file.scenario.vehicle.iter().enumerate() {
        let asked = asked(vehicle);
        // a file may have changed since it was cached
        let is_file = is_vehicle_file(&vehicle.model);
        let known_before = || parts.spec(&asked).filter(|_| !is_file);
        if let Some(spec) = known.get(&asked).cloned().or_else(known_before) {
            specs.push(spec);
            continue;
        }
        let read = model_document(&vehicle.model, &file.folder, &file.inputs).map_err(|problem| {
            Faults::from(file.document.fault(&format!("vehicle[{index}].model"), problem))
        });
        let spec = read.flatten().and_then(|model| {
            let key = format!("vehicle[{index}].overrides");
            match file.document.get(&key) {
                Some(changes) => overridden(&model, &file.document, (&key, changes)),
                None => spec(&model),
            }
        });
        let spec = spec.and_then(|spec| {
            let fitted = with_tyres(spec, vehicle).and_then(|spec| with_locks(spec, vehicle));
            let laden = fitted.and_then(|spec| with_payload(spec, vehicle));
            laden.map_err(|(key, cause)| {
                let key = format!("vehicle[{index}].{key}");
                Faults::from(file.document.fault(&key, Problem::Refused { cause }))
            })
        });
        match spec {
            Ok(spec) => {
                let spec = Arc::new(spec);
                if !is_file {
                    parts.keep_spec(asked.clone(), spec.clone());
                }
                known.insert(asked, spec.clone());
                specs.push(spec);
            }
            Err(Faults(found)) => faults.extend(found),
        }
    }
    Faults::into_result(faults)?;
    Ok(specs)
}

/// Applies changes to a valid model.
///
/// If the changes make lines of the model invalid, the fault is reported at the changes, which are
/// at `key` of the scenario. The lines of the model are valid by themselves.
fn overridden(
    model: &Document,
    scenario: &Document,
    (key, changes): (&str, &Node),
) -> Result<AnySpec, Faults> {
    let mut changed = model.clone();
    changed.lay_over(changes);
    spec(&changed).map_err(|Faults(found)| {
        let is_sound = spec(model).is_ok();
        let of_model = |fault: &Fault| fault.place.file() == model.root.place.file();
        let blame = |fault: Fault| match is_sound && of_model(&fault) {
            true => {
                let cause = format!("must leave the vehicle model valid: {fault}");
                scenario.fault(key, Problem::Refused { cause })
            }
            false if of_model(&fault) => fault,
            false => scenario.as_given(Fault { key: format!("{key}.{}", fault.key), ..fault }),
        };
        Faults(found.into_iter().map(blame).collect())
    })
}

/// All settings of a vehicle's entry that affect its spec, as a cache key.
fn asked(entry: &config::Vehicle) -> String {
    let config::Vehicle { model, tyre, inflation, payload, overrides, driver, .. } = entry;
    let asked = (model, tyre, inflation, payload, overrides, driver.inflations(), driver.locks());
    serde_json::to_string(&asked).unwrap_or_default()
}

/// Sets the tires and the inflation that the entry requests; on error returns the key and the
/// reason.
fn with_tyres(mut spec: AnySpec, entry: &config::Vehicle) -> Result<AnySpec, (String, String)> {
    let name = spec.name().to_owned();
    let refused = |key: &str, cause: String| Err((key.to_owned(), cause));
    let AnySpec::Wheeled(own) = &mut spec else {
        let asked = [
            ("tyre", "be absent", entry.tyre.is_some()),
            ("inflation", "be absent", entry.inflation.is_some()),
            ("driver.rows", "set no inflation", entry.driver.inflates()),
        ];
        return match asked.into_iter().find(|(.., asked)| *asked) {
            Some((key, must, _)) => {
                refused(key, format!("must {must}: {name} is a tracked vehicle"))
            }
            None => Ok(spec),
        };
    };
    if entry.tyre == Some(TyreModel::Rigid) {
        own.tyres_mut().for_each(|tyre| tyre.flexible = None);
    }
    let says_how = "defines flexible tires ([tyre.flexible])";
    let flexible = own.tyres_mut().any(|tyre| tyre.flexible.is_some());
    match entry.tyre {
        Some(TyreModel::Flexible) if own.tyre.flexible.is_none() => {
            return refused("tyre", format!("must be \"rigid\": no file of {name} {says_how}"));
        }
        Some(TyreModel::Rigid) if entry.inflation.is_some() => {
            return refused("inflation", "must be absent with tyre = \"rigid\"".into());
        }
        None if entry.inflation.is_some() && !flexible => {
            return refused("inflation", format!("must be absent: no file of {name} {says_how}"));
        }
        _ => {}
    }
    if let Some(inflation) = &entry.inflation {
        inflate(own, inflation).map_err(|cause| ("inflation".to_owned(), cause))?;
    }
    if entry.driver.inflates() && entry.tyre == Some(TyreModel::Rigid) {
        return refused("driver.rows", "must set no inflation with tyre = \"rigid\"".into());
    }
    sets_inflation(own, &entry.driver)?;
    Ok(spec)
}

/// Sets the inflation of flexible tires.
///
/// A single value applies to all, including those of a trailer. A list applies to the vehicle's own
/// tires only.
fn inflate(spec: &mut VehicleSpec, inflation: &Inflation) -> Result<(), String> {
    let one = matches!(inflation, Inflation::All(_));
    if !one && spec.tyre.flexible.is_none() {
        let name = &spec.name;
        return Err(format!(
            "must be a single value: of {name}, only axles with their own tires have flexible ones"
        ));
    }
    let tyres = if one { usize::MAX } else { 1 };
    for flexible in spec.tyres_mut().filter_map(|tyre| tyre.flexible.as_mut()).take(tyres) {
        flexible.inflate(inflation);
    }
    spec.check().map_err(|error| match error {
        SpecError::Value { allowed, .. } => format!("must be {allowed}"),
        other => other.to_string(),
    })
}

/// Checks that central tire inflation covers the pressures in the driver's rows.
fn sets_inflation(spec: &VehicleSpec, driver: &config::Driver) -> Result<(), (String, String)> {
    let tyres = (0..spec.axles.len()).filter_map(|axle| spec.tyre_of(axle).flexible.as_ref());
    let ranges: Vec<_> = tyres.filter_map(|tyre| tyre.central_inflation).map(|c| c.range).collect();
    let name = &spec.name;
    for (row, asked) in driver.inflations() {
        if ranges.is_empty() {
            let cause = format!("must set no inflation: {name} has no central tire inflation");
            return Err(("driver.rows".into(), cause));
        }
        let outside = ranges.iter().find(|[least, most]| !(*least..=*most).contains(&asked));
        if let Some([least, most]) = outside {
            let cause = format!(
                "must be from {least} to {most} kPa, the range of the central tire inflation of \
                 {name}"
            );
            return Err((format!("driver.rows[{row}].inflation"), cause));
        }
    }
    Ok(())
}

/// Adds the payload of the entry; on error returns the key and the reason.
///
/// The loaded vehicle must satisfy the rules for vehicle files: it stands on its wheels, and these
/// can carry it.
fn with_payload(mut spec: AnySpec, entry: &config::Vehicle) -> Result<AnySpec, (String, String)> {
    for payload in &entry.payload {
        spec.load(payload.mass, &payload.position, &payload.size);
    }
    let refused = |error: SpecError| {
        let name = spec.name();
        ("payload".to_owned(), format!("must leave {name} valid: with the whole payload, {error}"))
    };
    match entry.payload.is_empty() {
        true => Ok(spec),
        false => spec.check().map_err(refused).map(|()| spec),
    }
}

/// Checks that the vehicle has the locks that its driver engages; on error returns the key and the
/// reason.
fn with_locks(spec: AnySpec, entry: &config::Vehicle) -> Result<AnySpec, (String, String)> {
    let known = match &spec {
        AnySpec::Wheeled(own) => own.locks(),
        AnySpec::Tracked(_) => Locks::OPEN,
    };
    match entry.driver.locks().iter().find(|lock| !known.contains(*lock)) {
        Some(lock) => {
            let (name, lock) = (spec.name(), lock.name());
            let cause = format!(
                "must not lock {lock}: no such differential of {name} has commanded = true"
            );
            Err(("driver.rows".into(), cause))
        }
        None => Ok(spec),
    }
}

/// Reads one vehicle of the catalog, or a file whose name ends in `.toml`.
///
/// # Errors
/// All faults of the file; for an unknown name, a fault that is located at the model's name.
pub fn vehicle_spec(model: &str, folder: &Path) -> Result<AnySpec, Faults> {
    let unknown = |problem| {
        // the location already names the file
        let path = format!("{}: ", folder.join(model).display());
        let problem = match problem {
            Problem::Unreadable { cause } => Problem::Unreadable {
                cause: cause.strip_prefix(&path).unwrap_or(&cause).to_owned(),
            },
            other => other,
        };
        Fault::new(Place::File(model.into()), "", None, problem)
    };
    spec(&model_document(model, folder, &Inputs::default()).map_err(unknown)??)
}

/// The document of a model; a problem if there is no such model.
fn model_document(
    model: &str,
    folder: &Path,
    inputs: &Inputs,
) -> Result<Result<Document, Faults>, Problem> {
    if is_vehicle_file(model) {
        let path = folder.join(model);
        let unreadable = |cause: &dyn std::fmt::Display| Problem::Unreadable {
            cause: format!("{}: {cause}", path.display()),
        };
        let bytes = inputs.read(&path, LARGEST_TEXT).map_err(|error| unreadable(&error))?;
        let text = String::from_utf8(bytes).map_err(|error| unreadable(&error))?;
        return Ok(Document::parse(&path.display().to_string(), &text).map_err(Faults::from));
    }
    if let Some((tractor, trailer)) = model.split_once('+') {
        return with_trailer(tractor, trailer);
    }
    let known = || catalogue().iter().map(|entry| entry.key);
    match catalogue().iter().find(|entry| entry.key.eq_ignore_ascii_case(model)) {
        Some(entry) => {
            let name = format!("{} (catalog)", entry.key);
            Ok(Document::parse(&name, entry.text).map_err(Faults::from))
        }
        None => Err(Problem::UnknownVehicle {
            suggestion: nearest_word(&model.to_lowercase(), known()),
            known: known().map(String::from).collect(),
        }),
    }
}

/// A vehicle of the catalog with a trailer of the catalog.
fn with_trailer(tractor: &str, trailer: &str) -> Result<Result<Document, Faults>, Problem> {
    let unknown = |name: &str, known: Vec<&'static str>| Problem::UnknownVehicle {
        suggestion: nearest_word(&name.to_lowercase(), known.iter().copied()),
        known: known.into_iter().map(String::from).collect(),
    };
    let keys = |entries: &[Entry]| entries.iter().map(|entry| entry.key).collect();
    let spec = find_any(&format!("{tractor}+{trailer}")).map_err(|error| match error {
        CatalogueError::Unknown { name } => unknown(&name, keys(catalogue())),
        CatalogueError::UnknownTrailer { name } => unknown(&name, keys(trailers())),
        other => {
            Problem::Refused { cause: format!("must be a vehicle that can draw trailers: {other}") }
        }
    })?;
    let text = toml::to_string(&spec as &dyn erased_serde::Serialize)
        .map_err(|error| Problem::Refused { cause: error.to_string() })?;
    let name = format!("{tractor}+{trailer} (catalog)");
    Ok(Document::parse(&name, &text).map_err(Faults::from))
}

/// The vehicle that a document specifies.
fn spec(document: &Document) -> Result<AnySpec, Faults> {
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
) -> Result<S, Faults> {
    Faults::into_result(conform(document, schema))?;
    let refused = |cause| document.fault("", Problem::Refused { cause });
    let spec: S = serde_json::from_value(document.root.value.to_json())
        .map_err(|error| refused(error.to_string()))?;
    check(&spec).map_err(|error| match error {
        SpecError::Value { key, value, allowed } => {
            let problem = Problem::OutOfRange { bounds: allowed };
            Fault::new(document.fault(&key, problem.clone()).place, &key, Some(value), problem)
        }
        other => refused(other.to_string()),
    })?;
    Ok(spec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_reads_as_its_own_reader_reads_it() {
        for entry in catalogue() {
            let own = AnySpec::from_toml(entry.text).unwrap();
            assert_eq!(vehicle_spec(entry.key, Path::new("")).unwrap(), own);
        }
    }

    /// Equal requests for catalog vehicles are read once for all scenarios; others are not mixed up
    /// with them.
    #[test]
    fn parts_give_what_is_asked_for() {
        let parts = Parts::default();
        let read = |keys: &str| {
            let text = format!(
                "format = 1\nname = \"own\"\nsoil = {{ default = \"firm\" }}\n\
                 time = {{ duration = 1, step = 0.002, heartbeat = 0.01 }}\n[[vehicle]]\nname = \"own\"\n\
                 model = \"hmmwv\"\nposition = [0, 0]\n{keys}\n"
            );
            let file = ScenarioFile::parse("own.toml", &text, Path::new(""), &[]).unwrap();
            let specs = vehicle_specs_of(&file, &parts).unwrap();
            assert_eq!(specs, vehicle_specs(&file).unwrap(), "{keys}");
            specs[0].clone()
        };
        let keys = [
            "",
            "tyre = \"rigid\"",
            "inflation = 150",
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
