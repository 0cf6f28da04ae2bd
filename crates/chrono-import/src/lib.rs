//! Importer of Project Chrono's JSON vehicles: reads them as vehicle files of bekker.
//!
//! A vehicle of Chrono's is a tree of JSON files: the vehicle names its chassis, axles, steering
//! and driveline, each a template with its figures. Engine, transmission and tyres are given
//! beside it; here they are those asked for, else those that a file of a whole vehicle names, else
//! the best known ones of the vehicle's folder.
//!
//! Both have the same templates for most parts (SI units, x forward, y left, z up, points of the
//! left side, ratios of output over input speed), so figures are carried over and rearranged.
//! What a file says that has no counterpart is listed key by key ([`Omitted`]), and so is what a
//! vehicle of ours needs that no file says ([`Assumed`]).
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

mod chassis;
mod driveline;
mod error;
mod figures;
mod file_kind;
mod kind;
mod library;
mod log;
mod part;
mod powertrain;
mod source;
mod steering;
mod strut;
mod suspension;
mod tracked;
mod tyre;
mod wheel;
mod wheeled;
mod written;

pub use error::ImportError;
pub use log::{Assumed, Omitted};

use bekker_agent::GroundVehicle;
use bekker_vehicle::AnySpec;
use library::Library;
use log::Log;
use source::Source;
use std::path::{Path, PathBuf};

/// Files that a vehicle of Chrono's does not name itself; those of its folder where absent.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    /// Engine.
    pub engine: Option<PathBuf>,
    /// Transmission.
    pub transmission: Option<PathBuf>,
    /// Engine and transmission in one file, for what of both is not given.
    pub powertrain: Option<PathBuf>,
    /// Tyres: one for all axles, or one for each.
    pub tyres: Vec<PathBuf>,
}

/// A vehicle that has been read.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The vehicle.
    pub spec: AnySpec,
    /// Its file, with comments.
    pub text: String,
    /// The files that it was read from, below Chrono's folder of data.
    pub sources: Vec<String>,
    /// What no file says.
    pub assumed: Vec<Assumed>,
    /// What has no counterpart.
    pub omitted: Vec<Omitted>,
}

/// Reads the vehicle of a JSON file of Chrono's; `data` is Chrono's folder `data/vehicle`, found
/// above the file where absent.
///
/// # Errors
/// [`ImportError`] with file, key, value and what is allowed.
pub fn import(path: &Path, data: Option<&Path>, beside: &Beside) -> Result<Imported, ImportError> {
    let (library, source) = Library::of(path, data)?;
    let mut log = Log::default();
    let (source, beside) = whole(&library, source, beside.clone(), &mut log)?;
    let spec = match source.text("Template") {
        Some("WheeledVehicle") => wheeled::vehicle(&library, &source, &beside, &mut log)?,
        Some("TrackedVehicle") => tracked::vehicle(&library, &source, &beside, &mut log)?,
        _ => return Err(kind::no_vehicle(&library, &source)),
    };
    let text = written::text(&spec, &log);
    // what is written must be read again, and drive
    let spec = AnySpec::from_toml(&text).map_err(|error| log.refused(&source, error))?;
    GroundVehicle::new(&spec)
        .map_err(|error| ImportError::Assembly { file: source.told.clone(), error })?;
    let Log { sources, assumed, omitted, .. } = log;
    Ok(Imported { spec, text, sources, assumed, omitted })
}

/// How many files a vehicle may be named by, one after the other: an agent, a whole vehicle, that
/// without engine and tires.
const LONGEST_CHAIN: usize = 4;

/// The vehicle that a file is or names, and the other files of it that are named on the way: what
/// is asked for comes first.
fn whole(
    library: &Library,
    source: Source,
    mut beside: Beside,
    log: &mut Log,
) -> Result<(Source, Beside), ImportError> {
    let mut source = source;
    for _ in 0..LONGEST_CHAIN {
        let Some(entry) = file_kind::entry(source.json()) else { return Ok((source, beside)) };
        log.read(&source.name);
        let named = |key: &str, reference: &Option<String>| {
            reference.as_ref().map(|own| library.find(&source, key, own)).transpose()
        };
        let engine = named("Engine / Input File", &entry.engine)?;
        let transmission = named("Transmission / Input File", &entry.transmission)?;
        let powertrain = named("Powertrain / Input File", &entry.powertrain)?;
        beside.engine = beside.engine.or(engine);
        beside.transmission = beside.transmission.or(transmission);
        beside.powertrain = beside.powertrain.or(powertrain);
        if beside.tyres.is_empty() {
            let tires = entry.tires.iter();
            let tires = tires.map(|own| library.find(&source, "Tire / Input File", own));
            beside.tyres = tires.collect::<Result<_, _>>()?;
        }
        let (key, vehicle) = &entry.vehicle;
        source = library.read(&source, key, vehicle, log)?;
    }
    let chain = format!("named by more than {LONGEST_CHAIN} files one after the other");
    Err(ImportError::Kind { file: source.told, found: chain, expected: file_kind::VEHICLE.into() })
}

/// What a vehicle's file says of its source.
fn source_line(vehicle: &Source) -> String {
    format!(
        "imported from the JSON files of a vehicle of Project Chrono, {}, and those that it \
         names; what was assumed or left out is at the head of this file",
        vehicle.name
    )
}
