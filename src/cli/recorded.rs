//! A run in its folder, as far as it can be driven or shown again.

use super::Failure;
use crate::report::kept_inputs;
use crate::report::manifest::{self, FileHash, Manifest};
use crate::scenario::{Input, Inputs, Kept, Scenario, ScenarioFile};
use std::path::{Path, PathBuf};

/// The manifest of a run, and its scenario with changes laid over it. Its files are
/// looked for in the folder, then where they were.
pub fn read(run: &Path, sets: &[String]) -> Result<(Manifest, ScenarioFile), Failure> {
    let path = run.join("manifest.json");
    let manifest = manifest::of_run(run)?;
    let mut recorded = serde_json::from_value::<Scenario>(manifest.config.clone())
        .map_err(|error| Failure::input(&path, &error))?;
    let asked = recorded.output.folder.take();
    // faults name the lines of the scenario that lies there
    let told = run.join(kept_inputs::SCENARIO);
    let text = kept_inputs::text(&told, &recorded)?;
    let Some((scenario, inputs)) = manifest.inputs.split_first() else {
        let cause = "names no scenario".into();
        return Err(Failure::Input { subject: path.display().to_string(), cause });
    };
    let folder = Path::new(&scenario.path).parent().unwrap_or(Path::new(""));
    let mut file = ScenarioFile::parse(&told.display().to_string(), &text, folder, sets)?;
    file.scenario.output.folder = file.scenario.output.folder.or(asked);
    file.inputs = Inputs::of_run(inputs.iter().map(|input| kept(run, input)));
    Ok((manifest, file))
}

fn kept(run: &Path, FileHash { path, bytes, sha256, copy }: &FileHash) -> Kept {
    let path = PathBuf::from(path);
    let beside = || Path::new("inputs").join(path.file_name().unwrap_or_default());
    let copy = run.join(copy.as_ref().map_or_else(beside, PathBuf::from));
    let input = Input { path, bytes: *bytes, sha256: sha256.clone(), decides: true };
    Kept { input, copy }
}
