//! The folder of a map: what was asked, and the columns of its tables that have been driven.

use crate::report::manifest::{self, Build, FileHash};
use crate::report::rundir::{Lock, lock};
use crate::report::{ReportError, write_file};
use crate::scenario::input;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// Says what is in the folder.
const ASKED: &str = "map.json";
/// Columns of tables, each a file by the hash of what decides it.
const COLUMNS: &str = "table";
/// Version of the folder's format.
const FORMAT: u32 = 1;

/// What a map was made from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskedOfMap {
    /// Version of the folder's format.
    pub format: u32,
    /// The map's file.
    pub file: PathBuf,
    /// What was laid over it, as `--set` takes it.
    pub sets: Vec<String>,
    /// What came of both.
    pub map: serde_json::Value,
    /// Hash of all that decides the map's figures, files included; hexadecimal.
    pub fingerprint: String,
    /// The program.
    pub build: Build,
}

impl AskedOfMap {
    /// Asked of this program; `decisive` is all that decides the figures but the program.
    pub fn new(
        file: PathBuf,
        sets: Vec<String>,
        map: serde_json::Value,
        decisive: &[u8],
    ) -> AskedOfMap {
        let fingerprint = key(decisive);
        AskedOfMap { format: FORMAT, file, sets, map, fingerprint, build: Build::current() }
    }

    /// Reads that of a folder.
    ///
    /// # Errors
    /// [`ReportError::NotAMap`] where there is none, [`ReportError`] where it cannot be read.
    pub fn read(folder: &Path) -> Result<AskedOfMap, ReportError> {
        let path = folder.join(ASKED);
        if !path.is_file() {
            let cause = format!("there is no {ASKED} in it");
            return Err(ReportError::NotAMap { path: folder.to_owned(), cause });
        }
        let text = input::read_text(&path, input::LARGEST_TABLE);
        let text = text.map_err(ReportError::file("read", &path))?;
        serde_json::from_str(&text).map_err(ReportError::decode(&path))
    }
}

/// The name of what some bytes decide, under this program: SHA-256, hexadecimal.
pub fn key(decisive: &[u8]) -> String {
    let Build { version, source, .. } = Build::current();
    let mut hasher = Sha256::new();
    hasher.update(format!("{version} {source}\n"));
    hasher.update(decisive);
    base16ct::lower::encode_string(&hasher.finalize())
}

/// A map's folder that is written to; nobody else does meanwhile.
#[derive(Debug)]
pub struct MapFolder {
    path: PathBuf,
    #[expect(dead_code, reason = "held, not used")]
    lock: Lock,
}

impl MapFolder {
    /// Makes a folder, or takes up one that holds a map.
    ///
    /// # Errors
    /// [`ReportError::NotAMap`] when something else is there, [`ReportError::FolderLocked`].
    pub fn begin(path: &Path, asked: &AskedOfMap) -> Result<MapFolder, ReportError> {
        fs::create_dir_all(path).map_err(ReportError::file("create folder", path))?;
        if !path.join(ASKED).is_file() {
            for entry in fs::read_dir(path).map_err(ReportError::file("read folder", path))? {
                let entry = entry.map_err(ReportError::file("read folder", path))?;
                let name = entry.file_name().to_string_lossy().into_owned();
                if name != ".lock" && !name.ends_with(".part") {
                    let cause = format!("{name} is in it, and no {ASKED}");
                    return Err(ReportError::NotAMap { path: path.to_owned(), cause });
                }
            }
        }
        let lock = lock(path)?;
        let columns = path.join(COLUMNS);
        fs::create_dir_all(&columns).map_err(ReportError::file("create folder", &columns))?;
        manifest::write_json(&path.join(ASKED), asked)?;
        Ok(MapFolder { path: path.to_owned(), lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes what was made of an earlier map: ways and audits would be taken for this one's.
    ///
    /// # Errors
    /// [`ReportError`] when something cannot be removed.
    pub fn forget(&self) -> Result<(), ReportError> {
        let entries =
            fs::read_dir(&self.path).map_err(ReportError::file("read folder", &self.path))?;
        for entry in entries {
            let entry = entry.map_err(ReportError::file("read folder", &self.path))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if ["audit.", "route_", "route."].iter().any(|start| name.starts_with(start)) {
                fs::remove_file(entry.path())
                    .map_err(ReportError::file("remove", &entry.path()))?;
            }
        }
        Ok(())
    }

    /// A column that has been driven, by the hash of what decides it.
    pub fn column<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        // one that a killed process left half does not exist under this name; what cannot be
        // read is driven again
        let bytes = fs::read(self.path.join(COLUMNS).join(key)).ok()?;
        postcard::from_bytes(&bytes).ok()
    }

    /// Keeps a column.
    ///
    /// # Errors
    /// [`ReportError`] when it cannot be written.
    pub fn keep(&self, key: &str, column: &impl Serialize) -> Result<(), ReportError> {
        let path = self.path.join(COLUMNS).join(key);
        let bytes = postcard::to_stdvec(column).map_err(ReportError::encode(&path))?;
        write_file(&path, &bytes)
    }

    /// Writes the list of these files with their hashes.
    ///
    /// # Errors
    /// [`ReportError`] when one cannot be read or the list not be written.
    pub fn write_manifest(&self, names: &[String]) -> Result<(), ReportError> {
        let files = names.iter().map(|name| FileHash::of(&self.path.join(name), name));
        let files = files.collect::<Result<Vec<_>, _>>()?;
        let (format, build) = (FORMAT, Build::current());
        let manifest = serde_json::json!({ "format": format, "build": build, "outputs": files });
        manifest::write_json(&self.path.join("manifest.json"), &manifest)
    }
}
