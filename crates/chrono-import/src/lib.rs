//! Importer of Project Chrono's JSON vehicles: converts them to vehicle files of bekker.
//!
//! A Chrono vehicle is a tree of JSON files. The vehicle refers to its chassis, axles, steering and
//! driveline, each a template with its parameters. Engine, transmission and tires are not part of
//! it. The importer takes those given in the call, else those that a file of a whole vehicle refers
//! to, else the preferred ones in the vehicle's folder.
//!
//! Chrono and bekker share the templates of most parts, so parameters are copied and rearranged.
//! Both use SI units, x forward, y left, z up, points of the left side, and ratios of output over
//! input speed. Keys without a counterpart are listed one by one ([`Omitted`]). So are the
//! parameters that bekker requires and no file specifies ([`Assumed`]).
//!
//! This crate is a layer of the crate `bekker`, whose documentation opens with examples;
//! `ARCHITECTURE.md` lists all layers.

mod chassis;
mod driveline;
mod error;
mod file_kind;
mod kind;
mod library;
mod log;
mod params;
mod part;
mod powertrain;
mod source;
mod steering;
mod strut;
mod suspension;
mod tire;
mod tracked;
mod vehicle_file;
mod wheel;
mod wheeled;

pub use error::ImportError;
pub use log::{Assumed, Omitted};

use bekker_agent::AnyVehicle;
use bekker_vehicle::AnySpec;
use library::Library;
use log::ImportLog;
use source::JsonSource;
use std::path::{Path, PathBuf};

/// Files that a Chrono vehicle does not refer to; absent ones are taken from its folder.
#[derive(Clone, Debug, Default)]
pub struct CompanionFiles {
    /// Engine.
    pub engine: Option<PathBuf>,
    /// Transmission.
    pub transmission: Option<PathBuf>,
    /// Engine and transmission in one file, used for the one that is not given separately.
    pub powertrain: Option<PathBuf>,
    /// Tires: one for all axles, or one for each.
    pub tires: Vec<PathBuf>,
}

/// Imported vehicle.
#[derive(Clone, Debug)]
pub struct ImportedVehicle {
    /// Vehicle.
    pub spec: AnySpec,
    /// Vehicle file, with comments.
    pub text: String,
    /// Files that were read, relative to Chrono's data folder.
    pub sources: Vec<String>,
    /// Parameters that no file specifies.
    pub assumed: Vec<Assumed>,
    /// Keys without a counterpart.
    pub omitted: Vec<Omitted>,
}

/// Reads the vehicle of a Chrono JSON file.
///
/// `data` is Chrono's folder `data/vehicle`; where absent, it is searched for above the file.
///
/// # Errors
/// [`ImportError`] with file, key, value and the allowed values.
pub fn import(
    path: &Path,
    data: Option<&Path>,
    companions: &CompanionFiles,
) -> Result<ImportedVehicle, ImportError> {
    let (library, source) = Library::open_vehicle(path, data)?;
    let mut log = ImportLog::default();
    let (source, companions) = resolve_vehicle(&library, source, companions.clone(), &mut log)?;
    let spec = match source.text("Template") {
        Some("WheeledVehicle") => wheeled::vehicle(&library, &source, &companions, &mut log)?,
        Some("TrackedVehicle") => tracked::vehicle(&library, &source, &companions, &mut log)?,
        _ => return Err(kind::not_a_vehicle(&library, &source)),
    };
    let text = vehicle_file::text(&spec, &log);
    // the output must be readable and assemble to a vehicle
    let spec = AnySpec::from_toml(&text).map_err(|error| log.refused(&source, error))?;
    AnyVehicle::new(&spec)
        .map_err(|error| ImportError::Assembly { file: source.display_name.clone(), error })?;
    let ImportLog { sources, assumed, omitted, .. } = log;
    Ok(ImportedVehicle { spec, text, sources, assumed, omitted })
}

/// Maximum length of a chain of references to a vehicle: an agent, a whole vehicle, the vehicle
/// without engine and tires.
const LONGEST_CHAIN: usize = 4;

/// Resolves a file to the vehicle that it is or refers to, and to its other files.
///
/// Files given in the call take precedence over those found on the way.
fn resolve_vehicle(
    library: &Library,
    source: JsonSource,
    mut companions: CompanionFiles,
    log: &mut ImportLog,
) -> Result<(JsonSource, CompanionFiles), ImportError> {
    let mut source = source;
    for _ in 0..LONGEST_CHAIN {
        let Some(entry) = file_kind::entry(source.json()) else { return Ok((source, companions)) };
        log.read(&source.name);
        let named = |key: &str, reference: &Option<String>| {
            reference.as_ref().map(|own| library.find(&source, key, own)).transpose()
        };
        let engine = named("Engine / Input File", &entry.engine)?;
        let transmission = named("Transmission / Input File", &entry.transmission)?;
        let powertrain = named("Powertrain / Input File", &entry.powertrain)?;
        companions.engine = companions.engine.or(engine);
        companions.transmission = companions.transmission.or(transmission);
        companions.powertrain = companions.powertrain.or(powertrain);
        if companions.tires.is_empty() {
            let tires = entry.tires.iter();
            let tires = tires.map(|own| library.find(&source, "Tire / Input File", own));
            companions.tires = tires.collect::<Result<_, _>>()?;
        }
        let (key, vehicle) = &entry.vehicle;
        source = library.read(&source, key, vehicle, log)?;
    }
    let chain = format!("referred to by a chain of more than {LONGEST_CHAIN} files");
    Err(ImportError::Kind {
        file: source.display_name,
        found: chain,
        expected: file_kind::VEHICLE.into(),
    })
}

/// Returns the line of a vehicle file that names its source.
fn source_line(vehicle: &JsonSource) -> String {
    format!(
        "imported from the JSON files of a Project Chrono vehicle, {}, and the files that it \
         refers to; the head of this file lists assumed and omitted values",
        vehicle.name
    )
}
