//! `bekker export-fmu`

use super::{Failure, destination, stdout};
use crate::fmu::archive::{ArchiveEntry, archive};
use crate::fmu::{
    Causality, Interface, ModelDescription, SCENARIO, Variable, binary, external_vehicles,
    library_file, model_identifier, variables,
};
use crate::report::{input_copies, write_file};
use crate::scenario::build::{BuiltWorld, world};
use crate::scenario::{SOURCE, ScenarioFile};
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Environment variable with the path of the library, which the Python package sets to its own.
const LIBRARY: &str = "BEKKER_FMI_LIBRARY";

/// The command that builds the library.
const BUILD: &str = "cargo build --release -p bekker-fmi";

/// Export a scenario as a functional mock-up unit (FMU, FMI 3.0 or 2.0 for co-simulation)
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cargo build --release -p bekker-fmi\n  \
    bekker export-fmu examples/outside.toml -o car.fmu\n\n\
    Vehicles with driver = { kind = \"outside\" } have throttle, brake, steering and selector as\n\
    inputs. The states of all vehicles and their wheels are outputs. The FMU is self-contained and\n\
    runs on machines with the same operating system and processor type.")]
pub struct ExportFmu {
    /// Scenario file (.toml)
    file: PathBuf,
    /// Override a value of the scenario; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// FMU file to write (default: NAME.fmu, after the scenario)
    #[arg(short, long, value_name = "FILE.fmu", value_parser = destination::fmu)]
    out: Option<PathBuf>,
    /// Library to include in the FMU (default: that of the Python package, or the one next to this
    /// program)
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
    /// FMI version: 3.0, or 2.0, which more tools import
    #[arg(long, value_enum, default_value = "3.0", value_name = "VERSION")]
    fmi: Version,
    /// Print the variables with their value references as JSON
    #[arg(long)]
    json: bool,
}

/// FMI version on the command line.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Version {
    #[value(name = "2.0")]
    Fmi2,
    #[value(name = "3.0")]
    Fmi3,
}

impl From<Version> for Interface {
    fn from(version: Version) -> Interface {
        match version {
            Version::Fmi2 => Interface::Fmi2,
            Version::Fmi3 => Interface::Fmi3,
        }
    }
}

impl ExportFmu {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let file = ScenarioFile::read(&self.file, &self.sets)?;
        let built = world(&file)?;
        for warning in built.warnings.iter().filter(|_| !quiet) {
            eprintln!("warning: {warning}");
        }
        let (library, interface) = (self.library()?, self.fmi.into());
        let variables = variables(&built.world, &external_vehicles(&file.scenario));
        let identifier = model_identifier(&file.scenario.name);
        let clock = &built.world.clock;
        let heartbeat = clock.reported_time(clock.steps_per_heartbeat());
        let description = ModelDescription {
            name: &file.scenario.name,
            description: &file.scenario.description,
            token: &built.fingerprint,
            heartbeat,
            duration: file.scenario.time.duration,
            variables: &variables,
        };
        let mut entries = vec![
            ("modelDescription.xml".to_owned(), description.to_xml(interface)),
            (binary(interface, &identifier), library),
        ];
        entries.extend(resources(&file)?);
        let out = self.out.unwrap_or_else(|| PathBuf::from(format!("{identifier}.fmu")));
        let bytes = archive(&entries)
            .map_err(|cause| Failure::Output { subject: out.display().to_string(), cause })?;
        write_file(&out, &bytes)?;
        if self.json {
            stdout::print_json(&summary(&out, bytes.len(), &built, &variables))
        } else if quiet {
            Ok(())
        } else {
            let count = |causality| variables.iter().filter(|v| v.causality == causality).count();
            let (inputs, outputs) = (count(Causality::Input), count(Causality::Output));
            stdout::print(&format!(
                "{}: {inputs} inputs, {outputs} outputs; communication steps must be multiples of \
                 {heartbeat} s (heartbeat)",
                out.display()
            ))
        }
    }

    /// The library, of the same source as this program.
    fn library(&self) -> Result<Vec<u8>, Failure> {
        let name = library_file();
        let packaged = || std::env::var_os(LIBRARY).map(PathBuf::from);
        let path = self.library.clone().or_else(packaged).unwrap_or_else(|| {
            let program = std::env::current_exe().unwrap_or_default();
            program.with_file_name(&name)
        });
        let wrong = |cause: String| Failure::Input { subject: path.display().to_string(), cause };
        let bytes = std::fs::read(&path).map_err(|error| {
            wrong(format!("{error}; build it with `{BUILD}`, or give its path with --library"))
        })?;
        // the reproducibility key contains the source hash, so that the library must contain it too
        let same = bytes.windows(SOURCE.len()).any(|window| window == SOURCE.as_bytes());
        let other = || {
            wrong(format!(
                "is not a {name} built from the same source as this bekker; \
            build it with `{BUILD}`"
            ))
        };
        same.then_some(bytes).ok_or_else(other)
    }
}

/// The scenario and all files that it is built from.
fn resources(file: &ScenarioFile) -> Result<Vec<ArchiveEntry>, Failure> {
    let (kept, contents): (Vec<_>, Vec<_>) =
        input_copies::copies(&file.inputs)?.into_iter().unzip();
    let mut scenario = input_copies::with_copies(&file.scenario, &file.folder, &kept);
    scenario.output.folder = None;
    let text = scenario.to_toml().map_err(|error| Failure::input(Path::new(SCENARIO), &error))?;
    let places = kept.iter().map(|own| own.copy.clone().unwrap_or_default().replace('\\', "/"));
    let copies = places.zip(contents);
    let all = std::iter::once((SCENARIO.to_owned(), text.into_bytes())).chain(copies);
    Ok(all.map(|(place, content)| (format!("resources/{place}"), content)).collect())
}

fn summary(
    out: &Path,
    bytes: usize,
    built: &BuiltWorld,
    variables: &[Variable],
) -> serde_json::Value {
    let variable = |(reference, own): (usize, &Variable)| {
        json!({ "name": own.name, "value_reference": reference, "causality": own.causality.name(),
                "type": own.kind.name(), "description": own.description })
    };
    json!({
        "file": out.display().to_string(),
        "bytes": bytes,
        "instantiation_token": built.fingerprint,
        "heartbeat": built.world.clock.reported_time(built.world.clock.steps_per_heartbeat()),
        "variables": variables.iter().enumerate().map(variable).collect::<Vec<_>>(),
    })
}
