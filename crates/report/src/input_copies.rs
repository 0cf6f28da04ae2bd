//! Inputs of a run, copied to its folder so that the run can be repeated anywhere.

use super::manifest::FileHash;
use super::{ReportError, file};
use bekker_scenario::input::LARGEST_BINARY;
use bekker_scenario::{Input, Inputs, Scenario, map_paths};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Folder of the copies.
pub(super) const FOLDER: &str = "inputs";
/// Name of the scenario file in which every default and change is explicit.
pub const SCENARIO: &str = "scenario.toml";
/// Maximum length of a file that is copied, bytes.
pub(super) const COPIED: u64 = 64 << 20;

/// Copies small inputs into a run's folder and lists all inputs.
///
/// The copies have the same relative paths to each other. Larger files are only listed.
///
/// # Errors
/// [`ReportError`] if a copy cannot be written, or an input has changed in the meantime.
pub fn copy_inputs(folder: &Path, files: &Inputs) -> Result<Vec<FileHash>, ReportError> {
    let inputs = files.list();
    let places = copy_paths(&inputs);
    let keep = |(input, place): (&Input, &PathBuf)| {
        let copies = input.bytes <= COPIED;
        if copies {
            let path = folder.join(place);
            let parent = path.parent().unwrap_or(folder);
            fs::create_dir_all(parent).map_err(ReportError::file("create folder", parent))?;
            let read = files.read(&input.path, LARGEST_BINARY);
            let bytes = read.map_err(ReportError::file("read", &input.path))?;
            file::write(&path, &bytes)?;
        }
        Ok(FileHash {
            path: input.path.display().to_string(),
            bytes: input.bytes,
            sha256: input.sha256.clone(),
            copy: copies.then(|| place.display().to_string()),
        })
    };
    inputs.iter().zip(&places).map(keep).collect()
}

/// Returns all inputs of any size with their content, with the same relative paths to each other.
///
/// # Errors
/// [`ReportError`] if an input has changed since it was read.
pub fn copies(files: &Inputs) -> Result<Vec<(FileHash, Vec<u8>)>, ReportError> {
    let inputs = files.list();
    let places = copy_paths(&inputs);
    let copy = |(input, place): (&Input, &PathBuf)| {
        let read = files.read(&input.path, LARGEST_BINARY);
        let about = FileHash {
            path: input.path.display().to_string(),
            bytes: input.bytes,
            sha256: input.sha256.clone(),
            copy: Some(place.display().to_string()),
        };
        Ok((about, read.map_err(ReportError::file("read", &input.path))?))
    };
    inputs.iter().zip(&places).map(copy).collect()
}

/// Returns the scenario with its paths replaced by those of the copies.
///
/// `base` is the folder to which its original paths are relative.
pub fn with_copies(scenario: &Scenario, base: &Path, inputs: &[FileHash]) -> Scenario {
    let mut resolved = scenario.clone();
    resolved.output.folder = None;
    map_paths(&mut resolved, |path| {
        let path = base.join(path);
        let kept = inputs.iter().find(|input| Path::new(&input.path) == path);
        match kept.and_then(|input| input.copy.as_ref()) {
            Some(copy) => PathBuf::from(copy),
            None => std::path::absolute(&path).unwrap_or(path),
        }
    });
    resolved
}

/// Writes the resolved scenario with its paths replaced by those of the copies.
///
/// `base` is the folder to which its original paths are relative.
pub fn write_scenario(
    folder: &Path,
    scenario: &Scenario,
    base: &Path,
    inputs: &[FileHash],
) -> Result<(), ReportError> {
    let resolved = with_copies(scenario, base, inputs);
    let path = folder.join(SCENARIO);
    file::write(&path, text(&path, &resolved)?.as_bytes())
}

/// Returns the content of a scenario file for a scenario without an output folder.
///
/// `path` is only for error messages. The lengths of paths in the scenario do not change line
/// breaks.
///
/// # Errors
/// [`ReportError`] if TOML cannot represent the scenario.
pub fn text(path: &Path, scenario: &Scenario) -> Result<String, ReportError> {
    let text = scenario.to_toml().map_err(ReportError::encode(path))?;
    Ok(format!("# Scenario of this run, with all defaults and --set values.\n{text}"))
}

/// Returns paths in the run's folder; they keep the structure below the folder common to all
/// inputs.
fn copy_paths(inputs: &[Input]) -> Vec<PathBuf> {
    let whole = |input: &Input| {
        let path = std::path::absolute(&input.path).unwrap_or_else(|_| input.path.clone());
        let mut parts: Vec<String> = Vec::new();
        for part in path.components() {
            match part {
                Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
                Component::ParentDir => drop(parts.pop()),
                _ => {}
            }
        }
        parts
    };
    let all: Vec<Vec<String>> = inputs.iter().map(whole).collect();
    let folders = all.iter().map(|parts| parts.len().saturating_sub(1));
    let mut shared = folders.min().unwrap_or(0);
    while all.iter().any(|parts| parts[..shared] != all[0][..shared]) {
        shared -= 1;
    }
    let place = |parts: &Vec<String>| Path::new(FOLDER).join(parts[shared..].join("/"));
    all.iter().map(place).collect()
}
