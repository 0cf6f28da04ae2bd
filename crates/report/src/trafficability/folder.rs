//! The folder of a map: its request, and the simulated parts: columns of tables, and cells.

use crate::journal::{self, Journal};
use crate::manifest::{self, Build, FileHash};
use crate::rundir::{RunFolderLock, lock};
use crate::study::Shard;
use crate::{ReportError, file, write_file};
use bekker_scenario::input;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// File with the map's request.
const ASKED: &str = "map.json";
/// Folder of the tables' columns; a file's name is the hash of all that determines its content.
const COLUMNS: &str = "table";
/// Folder of journals of simulated cells, named likewise.
const CELLS: &str = "cells";
/// Version of the folder's format.
const FORMAT: u32 = 2;

/// Request from which a map was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapRequest {
    /// Version of the folder's format.
    pub format: u32,
    /// The map's file.
    pub file: PathBuf,
    /// Overrides of keys of the file, in the syntax of `--set`.
    pub sets: Vec<String>,
    /// The map after the overrides.
    pub map: serde_json::Value,
    /// Hash of all that determines the map's values, including files; hexadecimal.
    pub fingerprint: String,
    /// Number of soil strengths at which all cells are simulated; none if the map is made from
    /// tables.
    pub physics: Option<usize>,
    /// Part of the cells that is simulated in this folder.
    pub shard: Shard,
    /// Build of the program.
    pub build: Build,
}

impl MapRequest {
    /// Creates the request for this program.
    ///
    /// `decisive` is all that determines the values, except the program.
    pub fn new(
        file: PathBuf,
        sets: Vec<String>,
        map: serde_json::Value,
        decisive: &[u8],
    ) -> MapRequest {
        let (fingerprint, build) = (key(decisive), Build::current());
        let (physics, shard) = (None, Shard::WHOLE);
        MapRequest { format: FORMAT, file, sets, map, fingerprint, physics, shard, build }
    }

    /// Returns the request with a part of its cells simulated at `physics` strengths.
    pub fn with_physics(self, physics: Option<usize>, shard: Shard) -> MapRequest {
        MapRequest { physics, shard, ..self }
    }

    /// Rejects a folder whose map was made from another file.
    ///
    /// A file of the same name at another path counts as the same if the recorded path no longer
    /// exists: the file was moved.
    fn check_same_file(&self, folder: &Path) -> Result<(), ReportError> {
        let found = MapRequest::read(folder)?;
        let moved = !found.file.exists() && found.file.file_name() == self.file.file_name();
        if found.file == self.file || moved || found.fingerprint == self.fingerprint {
            return Ok(());
        }
        let (path, asked) = (folder.to_owned(), self.file.clone());
        Err(ReportError::OtherMap { path, found: found.file, asked })
    }

    /// Reads the request in a folder.
    ///
    /// # Errors
    /// [`ReportError::NotAMap`] without a request, [`ReportError`] if it cannot be read.
    pub fn read(folder: &Path) -> Result<MapRequest, ReportError> {
        let path = folder.join(ASKED);
        if !path.is_file() {
            let cause = format!("it has no {ASKED}");
            return Err(ReportError::NotAMap { path: folder.to_owned(), cause });
        }
        let text = input::read_text(&path, input::LARGEST_TABLE);
        let text = text.map_err(ReportError::file("read", &path))?;
        serde_json::from_str(&text).map_err(ReportError::decode(&path))
    }
}

/// Returns the hash of `decisive` and of this program's build: SHA-256, hexadecimal.
pub fn key(decisive: &[u8]) -> String {
    let Build { version, source, .. } = Build::current();
    let mut hasher = Sha256::new();
    hasher.update(format!("{version} {source}\n"));
    hasher.update(decisive);
    base16ct::lower::encode_string(&hasher.finalize())
}

/// A map's folder open for writing; it is locked against other processes.
#[derive(Debug)]
pub struct MapFolder {
    path: PathBuf,
    #[expect(dead_code, reason = "held, not used")]
    lock: RunFolderLock,
}

impl MapFolder {
    /// Creates a folder, or opens one that holds a map.
    ///
    /// # Errors
    /// [`ReportError::NotAMap`] if the folder holds something else, [`ReportError::OtherMap`] if it
    /// holds the map of another file, [`ReportError::FolderLocked`].
    pub fn begin(path: &Path, asked: &MapRequest) -> Result<MapFolder, ReportError> {
        if path.join(ASKED).is_file() {
            asked.check_same_file(path)?;
        }
        MapFolder::begin_overwriting(path, asked)
    }

    /// Does the same as [`MapFolder::begin`], but overwrites the map of another file.
    ///
    /// # Errors
    /// As for [`MapFolder::begin`], except [`ReportError::OtherMap`].
    pub fn begin_overwriting(path: &Path, asked: &MapRequest) -> Result<MapFolder, ReportError> {
        fs::create_dir_all(path).map_err(ReportError::file("create folder", path))?;
        if !path.join(ASKED).is_file() {
            for entry in fs::read_dir(path).map_err(ReportError::file("read folder", path))? {
                let entry = entry.map_err(ReportError::file("read folder", path))?;
                let name = entry.file_name().to_string_lossy().into_owned();
                if name != ".lock" && !file::is_part(&name) {
                    let cause = format!("it contains {name}, but no {ASKED}");
                    return Err(ReportError::NotAMap { path: path.to_owned(), cause });
                }
            }
        }
        let lock = lock(path)?;
        // written first: without it the folder is not recognized as that of a map
        manifest::write_json(&path.join(ASKED), asked)?;
        for inner in [COLUMNS, CELLS].map(|name| path.join(name)) {
            fs::create_dir_all(&inner).map_err(ReportError::file("create folder", &inner))?;
        }
        Ok(MapFolder { path: path.to_owned(), lock })
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes routes, audits and crossings of an earlier map, which could be mistaken for those of
    /// this map.
    ///
    /// Files of this map, listed in `names`, remain.
    ///
    /// # Errors
    /// [`ReportError`] if a file cannot be removed.
    pub fn remove_outputs(&self, names: &[String]) -> Result<(), ReportError> {
        let made = ["audit.", "route_", "route.", "table.csv", "crossings.csv"];
        self.remove(&made, names)
    }

    /// Removes the routes of an earlier request, which could be mistaken for results if no route is
    /// found.
    ///
    /// # Errors
    /// [`ReportError`] if a file cannot be removed.
    pub fn remove_routes(&self) -> Result<(), ReportError> {
        self.remove(&["route_fastest.", "route_safest.", "route.png"], &[])
    }

    /// Removes files whose names start with one of `starts`, except those named in `but`.
    fn remove(&self, starts: &[&str], but: &[String]) -> Result<(), ReportError> {
        let entries =
            fs::read_dir(&self.path).map_err(ReportError::file("read folder", &self.path))?;
        for entry in entries {
            let entry = entry.map_err(ReportError::file("read folder", &self.path))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if starts.iter().any(|start| name.starts_with(start)) && !but.contains(&name) {
                fs::remove_file(entry.path())
                    .map_err(ReportError::file("remove", &entry.path()))?;
            }
        }
        Ok(())
    }

    /// Reads a simulated column by the hash of all that determines it.
    pub fn column<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        // files appear under this name only when complete; a column that cannot be read is
        // simulated again
        let bytes = fs::read(self.path.join(COLUMNS).join(key)).ok()?;
        postcard::from_bytes(&bytes).ok()
    }

    /// Stores a column.
    ///
    /// # Errors
    /// [`ReportError`] if it cannot be written.
    pub fn store_column(&self, key: &str, column: &impl Serialize) -> Result<(), ReportError> {
        let path = self.path.join(COLUMNS).join(key);
        let bytes = postcard::to_stdvec(column).map_err(ReportError::encode(&path))?;
        write_file(&path, &bytes)
    }

    /// Opens the journal of simulated cells by the hash of all that determines them, with its
    /// records.
    ///
    /// # Errors
    /// [`ReportError`] if it cannot be read or written.
    pub fn cells<T: Serialize + DeserializeOwned>(
        &self,
        key: &str,
    ) -> Result<(Journal<T>, BTreeMap<u64, T>), ReportError> {
        Journal::open(&self.path.join(CELLS).join(key))
    }

    /// Reads the simulated cells in a folder, without a lock.
    ///
    /// # Errors
    /// [`ReportError`] if they cannot be read.
    pub fn cells_of<T: DeserializeOwned>(
        folder: &Path,
        key: &str,
    ) -> Result<BTreeMap<u64, T>, ReportError> {
        journal::read(&folder.join(CELLS).join(key)).map(|(cells, _)| cells)
    }

    /// Writes the list of these files with their hashes.
    ///
    /// # Errors
    /// [`ReportError`] if a file cannot be read or the list cannot be written.
    pub fn write_manifest(&self, names: &[String]) -> Result<(), ReportError> {
        let files = names.iter().map(|name| FileHash::read(&self.path.join(name), name));
        let files = files.collect::<Result<Vec<_>, _>>()?;
        let (format, build) = (FORMAT, Build::current());
        let manifest = serde_json::json!({ "format": format, "build": build, "outputs": files });
        manifest::write_json(&self.path.join("manifest.json"), &manifest)
    }
}
