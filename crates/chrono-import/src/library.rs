//! Chrono's folder of data, and the JSON files in it.

use super::file_kind::{VEHICLE, entry, foreign};
use super::source::{SEPARATOR, Source};
use super::{ImportError, Log};
use bekker_scenario::input::{LARGEST_TEXT, read, read_text};
use serde_json::Value as Json;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// How many folders deep the files beside a vehicle are looked for.
const DEPTH: usize = 4;
/// How many files are looked at for them.
const MOST_FILES: usize = 2000;

/// Chrono's folder `data/vehicle`, to which its files' references are relative.
pub(super) struct Library {
    folder: PathBuf,
}

impl Library {
    /// The folder that a vehicle's references start from, and the vehicle.
    pub fn of(path: &Path, data: Option<&Path>) -> Result<(Library, Source), ImportError> {
        let told = path.display().to_string();
        let json = json(path, &told).map_err(|error| match error {
            ImportError::Kind { file, found, .. } => {
                ImportError::Kind { file, found, expected: VEHICLE.into() }
            }
            other => other,
        })?;
        let path = whole(path);
        let source = Source { name: told.clone(), told, json };
        let folder = match data {
            Some(folder) => whole(folder),
            None => above(&path, &source)?,
        };
        let library = Library { folder };
        let source = Source { name: library.short(&path), ..source };
        Ok((library, source))
    }

    /// The file that `key` of another names.
    pub fn read(
        &self,
        from: &Source,
        key: &str,
        reference: &str,
        log: &mut Log,
    ) -> Result<Source, ImportError> {
        let path = self.find(from, key, reference)?;
        self.open(&path, log)
    }

    /// The path of the file that `key` of another names: below the folder, where some files of
    /// whole vehicles name it from the folder above, or below that of SynChrono beside it.
    pub fn find(&self, from: &Source, key: &str, reference: &str) -> Result<PathBuf, ImportError> {
        let above = self.folder.parent().unwrap_or(&self.folder);
        let places = [self.folder.clone(), above.to_path_buf(), above.join("synchrono")];
        // links are followed, as folders of data may be linked together
        let is_below = Path::new(reference)
            .components()
            .all(|step| matches!(step, Component::Normal(_) | Component::CurDir));
        let mut named = places.into_iter().map(|place| place.join(reference));
        let found = if is_below { named.find(|path| path.is_file()) } else { None };
        found.ok_or_else(|| {
            let allowed =
                format!("a file below {}; --data gives the folder", self.folder.display());
            from.refused(key, reference, &allowed)
        })
    }

    /// A file by its path.
    pub fn open(&self, path: &Path, log: &mut Log) -> Result<Source, ImportError> {
        let name = self.short(path);
        let json = json(path, &name)?;
        log.read(&name);
        Ok(Source { told: name.clone(), name, json })
    }

    /// The files of a type (`Engine`) in the folder of a vehicle, those of the first of `templates` first,
    /// by name; files of other templates are left out.
    pub fn beside(&self, vehicle: &Source, kind: &str, templates: &[&str]) -> Vec<PathBuf> {
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

    /// A path as it is told: below the folder where it is in it.
    pub fn short(&self, path: &Path) -> String {
        let inside = path.strip_prefix(&self.folder).unwrap_or(path);
        inside.display().to_string().replace('\\', "/")
    }
}

/// The JSON of a file, its comments left out.
fn json(path: &Path, name: &str) -> Result<Json, ImportError> {
    let unreadable = |error: std::io::Error| ImportError::Unreadable {
        file: name.into(),
        cause: error.to_string(),
    };
    let ending = path.extension().map(|ending| ending.to_string_lossy()).unwrap_or_default();
    let is_foreign = |bytes: &[u8]| {
        foreign(&ending, bytes).map(|what| ImportError::Kind {
            file: name.into(),
            found: what.into(),
            expected: "a JSON file of Project Chrono's vehicles".into(),
        })
    };
    let text = match read_text(path, LARGEST_TEXT) {
        Ok(text) => text,
        Err(error) => {
            let bytes = read(path, LARGEST_TEXT).unwrap_or_default();
            return Err(is_foreign(&bytes).unwrap_or_else(|| unreadable(error)));
        }
    };
    let mut plain = String::with_capacity(text.len());
    json_comments::StripComments::new(text.as_bytes())
        .read_to_string(&mut plain)
        .map_err(unreadable)?;
    serde_json::from_str(&plain).map_err(|error| {
        let broken = || ImportError::Syntax { file: name.into(), cause: error.to_string() };
        is_foreign(text.as_bytes()).unwrap_or_else(broken)
    })
}

/// A path from the root. Links are kept, as folders of data may be linked together, unless they
/// stand before a `..`, which only the file system can follow.
fn whole(path: &Path) -> PathBuf {
    let up = path.components().any(|part| part == Component::ParentDir);
    let found = if up { path.canonicalize() } else { std::path::absolute(path) };
    found.unwrap_or_else(|_| path.to_path_buf())
}

/// The folder above a file in which the file's first reference is found.
fn above(path: &Path, source: &Source) -> Result<PathBuf, ImportError> {
    let named = entry(&source.json).map(|entry| entry.vehicle);
    let Some((key, reference)) = named.or_else(|| first_reference("", &source.json)) else {
        return Err(source.is_no(VEHICLE));
    };
    // files of whole vehicles lie beside the folder, in data/synchrono
    let below = |folder: &Path| {
        let inside = folder.join("vehicle");
        let own = [folder.to_path_buf(), inside];
        own.into_iter().find(|folder| folder.join(&reference).is_file())
    };
    let found = path.ancestors().skip(1).find_map(below);
    found.map(|folder| with_parts(&folder, source, &reference)).ok_or_else(|| {
        let allowed = "a file below a folder above this one; --data gives the folder";
        source.refused(&key, &reference, allowed)
    })
}

/// The folder that the references of a vehicle start from, where that of a file which names it is
/// found below `folder`: the same, or data/vehicle beside or below it.
fn with_parts(folder: &Path, source: &Source, reference: &str) -> PathBuf {
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

/// The JSON files of a folder and of those in it, in the order of their names.
fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if files.len() >= MOST_FILES {
            return;
        }
        if path.is_dir() && depth > 1 {
            collect(&path, depth - 1, files);
        } else if path.extension().is_some_and(|ending| ending == "json") {
            files.push(path);
        }
    }
}
