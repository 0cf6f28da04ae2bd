//! `bekker validate`

use super::{Failure, stdout};
use crate::scenario::{Diagnostic, Diagnostics, ScenarioFile, SourceLocation, build};
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Check a scenario without running it
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker validate examples/convoy_mud.toml\n  \
    bekker validate examples/convoy_mud.toml --set time.duration=10 --set vehicle[0].driver.speed=3\n\n\
    With --json, prints the scenario with every default filled in, or the list of errors.")]
pub struct Validate {
    /// Scenario file (.toml)
    file: PathBuf,
    /// Override a value of the scenario; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Validate {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let checked = check(&self.file, &self.sets);
        if self.json {
            stdout::print_json(&match &checked {
                Ok((file, warnings)) => json!({
                    "valid": true,
                    "scenario": file.scenario,
                    "warnings": warnings.iter().map(as_json).collect::<Vec<_>>(),
                }),
                Err(Diagnostics(faults)) => {
                    json!({ "valid": false, "faults": faults.iter().map(as_json).collect::<Vec<_>>() })
                }
            })?;
        }
        let (file, warnings) = checked?;
        for warning in &warnings {
            eprintln!("warning: {warning}");
        }
        if !self.json && !quiet {
            stdout::print(&summary(&self.file, &file))?;
        }
        Ok(())
    }
}

/// Checks everything that can be checked without a simulation step.
fn check(path: &Path, sets: &[String]) -> Result<(ScenarioFile, Vec<Diagnostic>), Diagnostics> {
    let file = ScenarioFile::read(path, sets)?;
    let warnings = build::world(&file)?.warnings;
    Ok((file, warnings))
}

fn summary(path: &Path, file: &ScenarioFile) -> String {
    let scenario = &file.scenario;
    let vehicles = match scenario.vehicle.len() {
        1 => "1 vehicle".to_string(),
        several => format!("{several} vehicles"),
    };
    format!(
        "{}: valid: {vehicles} for {} s, soil spacing {} m, step {} s",
        path.display(),
        scenario.time.duration,
        scenario.ground.spacing,
        scenario.time.step
    )
}

fn as_json(fault: &Diagnostic) -> serde_json::Value {
    let (place, line) = match &fault.location {
        SourceLocation::Line(file, line) => (file.to_string(), Some(*line)),
        other => (other.to_string(), None),
    };
    json!({
        "place": place,
        "line": line,
        "key": fault.key,
        "value": fault.value,
        "vehicle": fault.vehicle_ref.as_ref().map(|vehicle_ref| &vehicle_ref.name),
        "problem": fault.kind.to_string(),
    })
}
