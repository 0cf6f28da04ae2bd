//! Chrono's data folder and its JSON files.

use super::file_kind::{VEHICLE, entry, foreign_kind};
use super::source::{JsonSource, SEPARATOR};
use super::{ImportError, ImportLog};
use bekker_scenario::input::{LARGEST_TEXT, read, read_text};
use serde_json::Value as Json;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// Maximum depth of folders that are searched for files near a vehicle.
const DEPTH: usize = 4;
/// Maximum number of files that are inspected in this search.
const MAX_FILES: usize = 2000;

/// Chrono's folder `data/vehicle`, the base of its files' references.
pub(super) struct Library {
    folder: PathBuf,
}

impl Library {
    /// Finds the base folder of a vehicle's references and reads the vehicle.
    pub fn open_vehicle(
        path: &Path,
        data: Option<&Path>,
    ) -> Result<(Library, JsonSource), ImportError> {
        let told = path.display().to_string();
        let json = json(path, &told).map_err(|error| match error {
            ImportError::Kind { file, found, .. } => {
                ImportError::Kind { file, found, expected: VEHICLE.into() }
            }
            other => other,
        })?;
        let path = absolute(path);
        let source = JsonSource { name: told.clone(), display_name: told, json };
        let folder = match data {
            Some(folder) => absolute(folder),
            None => base_folder(&path, &source)?,
        };
        let library = Library { folder };
        let source = JsonSource { name: library.display_path(&path), ..source };
        Ok((library, source))
    }

    /// Reads the file that `key` of another file refers to.
    pub fn read(
        &self,
        from: &JsonSource,
        key: &str,
        reference: &str,
        log: &mut ImportLog,
    ) -> Result<JsonSource, ImportError> {
        let path = self.find(from, key, reference)?;
        self.open(&path, log)
    }

    /// Returns the path of the file that `key` of another file refers to.
    ///
    /// It is searched for below the folder, below the folder above it, which some files of whole
    /// vehicles refer to, and below the SynChrono folder next to it.
    pub fn find(
        &self,
        from: &JsonSource,
        key: &str,
        reference: &str,
    ) -> Result<PathBuf, ImportError> {
        let above = self.folder.parent().unwrap_or(&self.folder);
        let places = [self.folder.clone(), above.to_path_buf(), above.join("synchrono")];
        // links are followed, because data folders may be linked together
        let is_below = Path::new(reference)
            .components()
            .all(|step| matches!(step, Component::Normal(_) | Component::CurDir));
        let mut named = places.into_iter().map(|place| place.join(reference));
        let found = if is_below { named.find(|path| path.is_file()) } else { None };
        found.ok_or_else(|| {
            let allowed =
                format!("a file below {}; set the folder with --data", self.folder.display());
            from.refused(key, reference, &allowed)
        })
    }

    /// Reads a file by its path.
    pub fn open(&self, path: &Path, log: &mut ImportLog) -> Result<JsonSource, ImportError> {
        let name = self.display_path(path);
        let json = json(path, &name)?;
        log.read(&name);
        Ok(JsonSource { display_name: name.clone(), name, json })
    }

    /// Returns the files of a type (`Engine`) in the folder of a vehicle.
    ///
    /// They are sorted by the order of their template in `templates`, then by name; files of other
    /// templates are left out.
    pub fn files_beside(
        &self,
        vehicle: &JsonSource,
        kind: &str,
        templates: &[&str],
    ) -> Vec<PathBuf> {
        let family = Path::new(&vehicle.name).components().next();
        let Some(family) = family.filter(|_| !Path::new(&vehicle.name).is_absolute()) else {
            return Vec::new();
        };
        let mut files = Vec::new();
        collect(&self.folder.join(family), DEPTH, &mut files);
        let rank = |path: &PathBuf| {
            let json = json(path, "").ok()?;
            let is = |key: &str| json.get(key).and_then(Json::as_str);
            let rank = templates.iter().position(|known| is("Template") == Some(known))?;
            (is("Type") == Some(kind)).then_some(rank)
        };
        let mut found: Vec<(usize, PathBuf)> =
            files.into_iter().filter_map(|path| Some((rank(&path)?, path))).collect();
        found.sort();
        found.into_iter().map(|(_, path)| path).collect()
    }

    /// Returns a path for messages, relative to the folder if it is inside.
    pub fn display_path(&self, path: &Path) -> String {
        let inside = path.strip_prefix(&self.folder).unwrap_or(path);
        inside.display().to_string().replace('\\', "/")
    }
}

/// Reads the JSON of a file, without comments.
fn json(path: &Path, name: &str) -> Result<Json, ImportError> {
    let unreadable = |error: std::io::Error| ImportError::Unreadable {
        file: name.into(),
        cause: error.to_string(),
    };
    let ending = path.extension().map(|ending| ending.to_string_lossy()).unwrap_or_default();
    let foreign_error = |bytes: &[u8]| {
        foreign_kind(&ending, bytes).map(|what| ImportError::Kind {
            file: name.into(),
            found: what.into(),
            expected: "a JSON file of a Project Chrono vehicle".into(),
        })
    };
    let text = match read_text(path, LARGEST_TEXT) {
        Ok(text) => text,
        Err(error) => {
            let bytes = read(path, LARGEST_TEXT).unwrap_or_default();
            return Err(foreign_error(&bytes).unwrap_or_else(|| unreadable(error)));
        }
    };
    let mut plain = String::with_capacity(text.len());
    json_comments::StripComments::new(text.as_bytes())
        .read_to_string(&mut plain)
        .map_err(unreadable)?;
    serde_json::from_str(&plain).map_err(|error| {
        let broken = || ImportError::Syntax { file: name.into(), cause: error.to_string() };
        foreign_error(text.as_bytes()).unwrap_or_else(broken)
    })
}

/// Returns an absolute path.
///
/// Links are kept, because data folders may be linked together. They are resolved only if the path
/// contains `..`, which only the file system can resolve correctly.
fn absolute(path: &Path) -> PathBuf {
    let up = path.components().any(|part| part == Component::ParentDir);
    let found = if up { path.canonicalize() } else { std::path::absolute(path) };
    found.unwrap_or_else(|_| path.to_path_buf())
}

/// Returns the folder above a file in which the file's first reference exists.
fn base_folder(path: &Path, source: &JsonSource) -> Result<PathBuf, ImportError> {
    let named = entry(&source.json).map(|entry| entry.vehicle);
    let Some((key, reference)) = named.or_else(|| first_reference("", &source.json)) else {
        return Err(source.wrong_kind(VEHICLE));
    };
    // files of whole vehicles are next to the folder, in data/synchrono
    let below = |folder: &Path| {
        let inside = folder.join("vehicle");
        let own = [folder.to_path_buf(), inside];
        own.into_iter().find(|folder| folder.join(&reference).is_file())
    };
    let found = path.ancestors().skip(1).find_map(below);
    found.map(|folder| data_folder(&folder, source, &reference)).ok_or_else(|| {
        let allowed = "a file below a folder above this one; set the folder with --data";
        source.refused(&key, &reference, allowed)
    })
}

/// Returns the base folder of a vehicle's references.
///
/// `folder` contains the file that refers to the vehicle. The result is that folder, or
/// data/vehicle next to it or below it.
fn data_folder(folder: &Path, source: &JsonSource, reference: &str) -> PathBuf {
    let is_entry = entry(&source.json).is_some();
    let below = folder.join("vehicle");
    let beside = folder.parent().map(|above| above.join("vehicle"));
    let named = is_entry.then(|| json(&folder.join(reference), reference).ok()).flatten();
    let next = named.as_ref().and_then(|named| {
        let vehicle = entry(named).map(|entry| entry.vehicle);
        vehicle.or_else(|| first_reference("", named))
    });
    let Some((_, part)) = next else { return folder.to_path_buf() };
    let places = [Some(folder.to_path_buf()), Some(below), beside];
    let found = places.into_iter().flatten().find(|place| place.join(&part).is_file());
    found.unwrap_or_else(|| folder.to_path_buf())
}

fn first_reference(at: &str, json: &Json) -> Option<(String, String)> {
    let inside = |own: &str, value: &Json| {
        let key = if at.is_empty() { own.to_owned() } else { format!("{at}{SEPARATOR}{own}") };
        match value {
            Json::String(reference) if own.ends_with("Input File") => {
                Some((key, reference.clone()))
            }
            _ => first_reference(&key, value),
        }
    };
    match json {
        Json::Object(entries) => entries.iter().find_map(|(key, value)| inside(key, value)),
        Json::Array(items) => {
            items.iter().enumerate().find_map(|(index, value)| inside(&index.to_string(), value))
        }
        _ => None,
    }
}

/// Collects the JSON files of a folder and its subfolders, sorted by name.
fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if files.len() >= MAX_FILES {
            return;
        }
        if path.is_dir() && depth > 1 {
            collect(&path, depth - 1, files);
        } else if path.extension().is_some_and(|ending| ending == "json") {
            files.push(path);
        }
    }
}
