//! A recorded run, read from its folder to be driven or displayed again.

use super::Failure;
use crate::report::commands::{COMMANDS, CommandLog};
use crate::report::input_copies;
use crate::report::manifest::{self, FileHash, Manifest};
use crate::report::recorded_run::keys;
use crate::scenario::{Input, Inputs, RecordedInput, Scenario, ScenarioFile, input};
use crate::simulation::World;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Reads the external commands of an ended run, checked against its manifest.
///
/// # Errors
/// [`Failure::Run`] if the file is missing, altered or from another run: the drive would differ.
pub fn commands(run: &Path, manifest: &Manifest, world: &World) -> Result<CommandLog, Failure> {
    let path = run.join(COMMANDS);
    let subject = || path.display().to_string();
    let listed: Vec<FileHash> =
        manifest.outputs.iter().filter(|own| own.path == COMMANDS).cloned().collect();
    if let Some(differences) = manifest::differences(run, &listed) {
        let cause = format!("{differences}; the run cannot be replayed without this file");
        return Err(Failure::Run { subject: subject(), cause });
    }
    if listed.is_empty() && path.symlink_metadata().is_ok() {
        let cause = "belongs to another run (manifest.json does not list it); remove it".into();
        return Err(Failure::Run { subject: subject(), cause });
    }
    Ok(CommandLog::of_run(run, world)?)
}

/// Reads the manifest of a run, and its scenario with changes applied.
///
/// Input files are searched in the folder first, then at their original paths.
pub fn read(run: &Path, sets: &[String]) -> Result<(Manifest, ScenarioFile), Failure> {
    let path = run.join("manifest.json");
    let manifest = manifest::of_run(run)?;
    let mut recorded = serde_json::from_value::<Scenario>(manifest.config.clone())
        .map_err(|error| Failure::input(&path, &error))?;
    let asked = recorded.output.folder.take();
    // faults refer to lines of the scenario file in the run's folder
    let told = run.join(input_copies::SCENARIO);
    let text = input_copies::text(&told, &recorded)?;
    let Some((scenario, inputs)) = manifest.inputs.split_first() else {
        let cause = "lists no scenario".into();
        return Err(Failure::Input { subject: path.display().to_string(), cause });
    };
    let folder = Path::new(&scenario.path).parent().unwrap_or(Path::new(""));
    let mut file = ScenarioFile::parse(&told.display().to_string(), &text, folder, sets)?;
    file.scenario.output.folder = file.scenario.output.folder.or(asked);
    file.inputs = Inputs::from_recorded(inputs.iter().map(|input| kept(run, input)));
    Ok((manifest, file))
}

/// The differences by key between the scenario file in a run's folder and the manifest.
///
/// `None` if they are equal. The manifest has priority.
pub fn edits(run: &Path, manifest: &Manifest, file: &ScenarioFile) -> Option<String> {
    let path = run.join(input_copies::SCENARIO);
    // a missing file counts as equal
    path.symlink_metadata().ok()?;
    let text = match input::read_text(&path, input::LARGEST_TEXT) {
        Ok(text) => text,
        Err(error) => return Some(error.to_string()),
    };
    let found = match ScenarioFile::parse(&path.display().to_string(), &text, run, &[]) {
        Ok(found) => found.scenario,
        Err(faults) => return Some(faults.to_string()),
    };
    let base = &file.folder;
    let (_, inputs) = manifest.inputs.split_first()?;
    let written = |scenario: &Scenario| -> Option<BTreeMap<String, String>> {
        Some(keys(&serde_json::to_value(input_copies::with_copies(scenario, base, inputs)).ok()?))
    };
    let mut recorded = serde_json::from_value::<Scenario>(manifest.config.clone()).ok()?;
    recorded.output.folder = None;
    let found = keys(&serde_json::to_value(&found).ok()?);
    // a resumed run that was killed may have written its changed scenario already
    let now = written(&file.scenario)?;
    let before = written(&recorded)?;
    if found == before || found == now {
        return None;
    }
    let all: BTreeSet<&String> = found.keys().chain(before.keys()).collect();
    let value = |keys: &BTreeMap<String, String>, key: &String| {
        keys.get(key).cloned().unwrap_or_else(|| "absent".into())
    };
    let differing = all.into_iter().filter(|key| found.get(*key) != before.get(*key));
    let mut told: Vec<String> = differing
        .map(|key| format!("{key} = {}, not {}", value(&found, key), value(&before, key)))
        .collect();
    let more = told.len().saturating_sub(MOST_EDITS);
    told.truncate(MOST_EDITS);
    if more > 0 {
        told.push(format!("{more} more"));
    }
    Some(told.join("; "))
}

/// Warns if the scenario in a run's folder differs from its manifest.
pub fn warn_of_edits(run: &Path, manifest: &Manifest, file: &ScenarioFile) {
    if let Some(edits) = edits(run, manifest, file) {
        let path = run.join(input_copies::SCENARIO);
        eprintln!(
            "warning: {} was changed since the run ({edits}); the recorded version is used",
            path.display()
        );
    }
}

/// Maximum number of differing keys that are listed.
const MOST_EDITS: usize = 5;

fn kept(run: &Path, FileHash { path, bytes, sha256, copy }: &FileHash) -> RecordedInput {
    let path = PathBuf::from(path);
    let beside = || Path::new("inputs").join(path.file_name().unwrap_or_default());
    let copy = run.join(copy.as_ref().map_or_else(beside, PathBuf::from));
    let input = Input { path, bytes: *bytes, sha256: sha256.clone(), decides: true };
    RecordedInput { input, copy }
}
