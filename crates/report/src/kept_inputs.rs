//! What a run was driven from, in its folder: so that it can be driven again anywhere.

use super::manifest::FileHash;
use super::{ReportError, file};
use bekker_scenario::input::LARGEST_BINARY;
use bekker_scenario::{Input, Inputs, Scenario, map_paths};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Folder of the copies.
pub(super) const FOLDER: &str = "inputs";
/// Name of the scenario with every default and change written out.
pub const SCENARIO: &str = "scenario.toml";
/// Length up to which a file is copied, bytes.
pub(super) const COPIED: u64 = 64 << 20;

/// Copies small inputs into a run's folder, placed to each other as they were, and lists
/// all; those that are too large are only listed.
///
/// # Errors
/// [`ReportError`] when a copy cannot be written, or the file has changed meanwhile.
pub fn keep(folder: &Path, files: &Inputs) -> Result<Vec<FileHash>, ReportError> {
    let inputs = files.list();
    let places = places(&inputs);
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

/// All inputs, however large, placed to each other as they were, with what each holds.
///
/// # Errors
/// [`ReportError`] when one has changed since it was read.
pub fn copies(files: &Inputs) -> Result<Vec<(FileHash, Vec<u8>)>, ReportError> {
    let inputs = files.list();
    let places = places(&inputs);
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

/// The scenario with its paths leading to the copies. `base` is the folder that its own paths
/// start from.
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

/// Writes the scenario as it was resolved, its paths leading to the copies. `base` is
/// the folder that its own paths start from.
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

/// A scenario without a folder for its output as `path`, a file of that name, holds it. Paths of
/// other length change no line.
///
/// # Errors
/// [`ReportError`] when it is none that TOML can hold.
pub fn text(path: &Path, scenario: &Scenario) -> Result<String, ReportError> {
    let text = scenario.to_toml().map_err(ReportError::encode(path))?;
    Ok(format!("# What this run drove, every default and --set written out.\n{text}"))
}

/// Places below the run's folder: the inputs' own below the folder that they share.
fn places(inputs: &[Input]) -> Vec<PathBuf> {
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
