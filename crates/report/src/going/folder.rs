//! The folder of a map: what was asked, and what has been driven of it: columns of tables, cells.

use crate::journal::{self, Journal};
use crate::manifest::{self, Build, FileHash};
use crate::rundir::{Lock, lock};
use crate::study::Shard;
use crate::{ReportError, file, write_file};
use bekker_scenario::input;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Says what is in the folder.
const ASKED: &str = "map.json";
/// Columns of tables, each a file by the hash of what decides it.
const COLUMNS: &str = "table";
/// Cells that were driven, each journal by the hash of what decides them.
const CELLS: &str = "cells";
/// Version of the folder's format.
const FORMAT: u32 = 2;

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
    /// At how many strengths all cells are driven; none of a map that is made from tables.
    pub physics: Option<usize>,
    /// The part of the cells that is driven here.
    pub shard: Shard,
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
        let (fingerprint, build) = (key(decisive), Build::current());
        let (physics, shard) = (None, Shard::WHOLE);
        AskedOfMap { format: FORMAT, file, sets, map, fingerprint, physics, shard, build }
    }

    /// The same with a part of its cells driven at so many strengths.
    pub fn driven(self, physics: Option<usize>, shard: Shard) -> AskedOfMap {
        AskedOfMap { physics, shard, ..self }
    }

    /// Refuses a folder whose map was made from another file.
    ///
    /// A file of the same name in another place is the same file if the recorded one is gone: it was
    /// moved.
    fn check_same_file(&self, folder: &Path) -> Result<(), ReportError> {
        let found = AskedOfMap::read(folder)?;
        let moved = !found.file.exists() && found.file.file_name() == self.file.file_name();
        if found.file == self.file || moved || found.fingerprint == self.fingerprint {
            return Ok(());
        }
        let (path, asked) = (folder.to_owned(), self.file.clone());
        Err(ReportError::OtherMap { path, found: found.file, asked })
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
    /// [`ReportError::NotAMap`] when something else is there, [`ReportError::OtherMap`] when the map
    /// of another file is, [`ReportError::FolderLocked`].
    pub fn begin(path: &Path, asked: &AskedOfMap) -> Result<MapFolder, ReportError> {
        if path.join(ASKED).is_file() {
            asked.check_same_file(path)?;
        }
        MapFolder::begin_over(path, asked)
    }

    /// Makes a folder as [`MapFolder::begin`] does, and overwrites the map of another file.
    ///
    /// # Errors
    /// As of [`MapFolder::begin`] but for [`ReportError::OtherMap`].
    pub fn begin_over(path: &Path, asked: &AskedOfMap) -> Result<MapFolder, ReportError> {
        fs::create_dir_all(path).map_err(ReportError::file("create folder", path))?;
        if !path.join(ASKED).is_file() {
            for entry in fs::read_dir(path).map_err(ReportError::file("read folder", path))? {
                let entry = entry.map_err(ReportError::file("read folder", path))?;
                let name = entry.file_name().to_string_lossy().into_owned();
                if name != ".lock" && !file::is_part(&name) {
                    let cause = format!("{name} is in it, and no {ASKED}");
                    return Err(ReportError::NotAMap { path: path.to_owned(), cause });
                }
            }
        }
        let lock = lock(path)?;
        // first: a folder without it is nobody's
        manifest::write_json(&path.join(ASKED), asked)?;
        for inner in [COLUMNS, CELLS].map(|name| path.join(name)) {
            fs::create_dir_all(&inner).map_err(ReportError::file("create folder", &inner))?;
        }
        Ok(MapFolder { path: path.to_owned(), lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes what was made of an earlier map: ways, audits and crossings would be taken for this
    /// one's, which has files of these `names`.
    ///
    /// # Errors
    /// [`ReportError`] when something cannot be removed.
    pub fn forget(&self, names: &[String]) -> Result<(), ReportError> {
        let made = ["audit.", "route_", "route.", "table.csv", "crossings.csv"];
        self.remove(&made, names)
    }

    /// Removes the ways that were asked for before: of those that are not found this time they would be
    /// taken for the answer.
    ///
    /// # Errors
    /// [`ReportError`] when something cannot be removed.
    pub fn forget_ways(&self) -> Result<(), ReportError> {
        self.remove(&["route_fastest.", "route_safest.", "route.png"], &[])
    }

    /// Removes files whose names start with any of these but those of these names.
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

    /// The journal of cells that were driven, by the hash of what decides them, with what is in
    /// it.
    ///
    /// # Errors
    /// [`ReportError`] when it cannot be read or written.
    pub fn cells<T: Serialize + DeserializeOwned>(
        &self,
        key: &str,
    ) -> Result<(Journal<T>, BTreeMap<u64, T>), ReportError> {
        Journal::open(&self.path.join(CELLS).join(key))
    }

    /// The cells that were driven in a folder that is only read.
    ///
    /// # Errors
    /// [`ReportError`] when they cannot be read.
    pub fn cells_of<T: DeserializeOwned>(
        folder: &Path,
        key: &str,
    ) -> Result<BTreeMap<u64, T>, ReportError> {
        journal::read(&folder.join(CELLS).join(key)).map(|(cells, _)| cells)
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
