//! `bekker vehicles import`

use super::super::{Failure, stdout};
use crate::chrono_import::{CompanionFiles, ImportError, ImportedVehicle, import};
use crate::cli::shell_word::shell_word;
use crate::mobility::vehicle_sheet::VehicleSheet;
use crate::report::text_table;
use crate::report::write_file;
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Import a vehicle from the JSON files of Project Chrono and write a vehicle file
///
/// Reports keys without a counterpart in bekker, and assumed values that no file specifies.
/// Chrono's vehicle files do not name engine, transmission and tires. The import takes those given
/// as options, or those named in a whole-vehicle file of SynChrono. Otherwise it selects the
/// best-known files in the vehicle's folder.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  \
    bekker vehicles import data/vehicle/hmmwv/vehicle/HMMWV_Vehicle_4WD.json -o my_hmmwv.toml\n  \
    bekker vehicles check my_hmmwv.toml")]
pub struct Import {
    /// Vehicle file of Chrono (.json)
    vehicle: PathBuf,
    /// File to write (default: name of the input file, with .toml)
    #[arg(short, long, value_name = "FILE.toml")]
    out: Option<PathBuf>,
    /// Chrono's folder data/vehicle (default: found in the parents of the vehicle file)
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Engine file
    #[arg(long, value_name = "FILE.json")]
    engine: Option<PathBuf>,
    /// Transmission file
    #[arg(long, value_name = "FILE.json")]
    transmission: Option<PathBuf>,
    /// File with both engine and transmission
    #[arg(long, value_name = "FILE.json")]
    powertrain: Option<PathBuf>,
    /// Tire file for all axles; repeat for each axle from the front
    #[arg(long, alias = "tyre", value_name = "FILE.json")]
    tire: Vec<PathBuf>,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Report of an import.
#[derive(Serialize)]
struct ImportReport<'a> {
    file: String,
    name: &'a str,
    mass: f64,
    sources: &'a [String],
    assumed: &'a [crate::chrono_import::Assumed],
    omitted: &'a [crate::chrono_import::Omitted],
    /// Unusual properties of the vehicle, as reported by `check`.
    unusual: &'a [String],
}

impl Import {
    pub fn execute(self) -> Result<(), Failure> {
        let beside = CompanionFiles {
            engine: self.engine.clone(),
            transmission: self.transmission.clone(),
            powertrain: self.powertrain.clone(),
            tires: self.tire.clone(),
        };
        let read = import(&self.vehicle, self.data.as_deref(), &beside).map_err(failed)?;
        let path = self.out.unwrap_or_else(|| default_path(&self.vehicle));
        if path.symlink_metadata().is_ok() && !self.force {
            let subject = path.display().to_string();
            let cause = "already exists; overwrite it with --force".to_owned();
            return Err(Failure::Input { subject, cause });
        }
        // checked before the file is written: the vehicle must stand on ground
        let sheet = VehicleSheet::new(&self.vehicle.display().to_string(), &read.spec)?;
        write_file(&path, read.text.as_bytes())?;
        if !self.json {
            return stdout::print(&page(&path, &read, &sheet.warnings));
        }
        stdout::print_json(&ImportReport {
            file: path.display().to_string(),
            name: read.spec.name(),
            mass: read.spec.total_mass(),
            sources: &read.sources,
            assumed: &read.assumed,
            omitted: &read.omitted,
            unusual: &sheet.warnings,
        })
    }
}

/// Returns the default path of the imported vehicle file in this folder.
fn default_path(vehicle: &Path) -> PathBuf {
    let stem = vehicle.file_stem().unwrap_or(vehicle.as_os_str());
    Path::new(stem).with_extension("toml")
}

fn failed(error: ImportError) -> Failure {
    Failure::Input { subject: "import".into(), cause: error.to_string() }
}

fn page(path: &Path, read: &ImportedVehicle, unusual: &[String]) -> String {
    let (path, word) = (path.display(), shell_word(&path.to_string_lossy()));
    // values can be long; --json has them
    let rows = read.omitted.iter().map(|own| [&own.file, &own.key, &own.why]);
    let omitted = text_table::plain(["file", "key", "reason omitted"], rows, ..0);
    let rows = read.assumed.iter().map(|own| [&own.key, &own.what]);
    let assumed = text_table::plain(["key", "assumed"], rows, ..0);
    let mut parts = vec![format!(
        "{path}: {}, {:.1} kg, from {} files",
        read.spec.name(),
        read.spec.total_mass(),
        read.sources.len()
    )];
    if !read.omitted.is_empty() {
        parts.push(omitted.trim_fmt());
    }
    if !read.assumed.is_empty() {
        parts.push(assumed.trim_fmt());
    }
    if !unusual.is_empty() {
        let line = |warning: &String| text_table::wrapped(&format!("unusual: {warning}"), 2);
        let unusual = unusual.iter().map(line);
        parts.push(unusual.collect::<Vec<_>>().join("\n"));
    }
    parts.push(format!("`bekker vehicles check {word}`"));
    parts.join("\n\n")
}
