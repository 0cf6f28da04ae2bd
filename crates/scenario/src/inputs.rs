//! The files from which a scenario is built, each with the hash of its content.

use super::config::{Scenario, SurfaceConfig};
use super::input;
use bekker_ground::terrain::{RasterFile, RasterFormat, Sidecars, TerrainError};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A file that was read, with the hash of its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// Its path, as the scenario specifies it.
    pub path: PathBuf,
    /// Length, bytes.
    pub bytes: u64,
    /// SHA-256 of its content, hexadecimal.
    pub sha256: String,
    /// Whether its content affects the run beyond the resolved scenario.
    ///
    /// A path file does not: the resolved scenario contains its points.
    #[serde(default = "yes")]
    pub decides: bool,
}

fn yes() -> bool {
    true
}

/// An input of a recorded run, with the path of its copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedInput {
    /// The file as it was read.
    pub input: Input,
    /// Path of its copy in the run's folder, or where the user has to put one.
    pub copy: PathBuf,
}

/// Reads files and records them.
///
/// For a recorded run, the copy in the run's folder has priority, and the content must match the
/// recorded hash.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    recorded: Arc<BTreeMap<PathBuf, RecordedInput>>,
    /// Contents of files in memory, by path.
    in_memory: Arc<BTreeMap<PathBuf, Arc<[u8]>>>,
    read: Arc<Mutex<Vec<Input>>>,
}

impl Inputs {
    /// Inputs of a recorded run.
    pub fn from_recorded(recorded: impl IntoIterator<Item = RecordedInput>) -> Inputs {
        let recorded =
            recorded.into_iter().map(|recorded| (recorded.input.path.clone(), recorded)).collect();
        Inputs { recorded: Arc::new(recorded), ..Inputs::default() }
    }

    /// Creates inputs with some files in memory, by the path that the scenario names.
    ///
    /// A file on disk with the same path is not read.
    pub fn with_files(files: impl IntoIterator<Item = (PathBuf, Arc<[u8]>)>) -> Inputs {
        Inputs { in_memory: Arc::new(files.into_iter().collect()), ..Inputs::default() }
    }

    /// Reads a regular file of at most `most` bytes.
    ///
    /// # Errors
    /// Errors of the file system; a path that is not a regular file; a file that changed since it
    /// was first read. For a recorded run also a file that is missing or changed: the message gives
    /// its hash and the path where to put it.
    pub fn read(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        self.read_and_record(path, most, true)
    }

    /// Reads a file whose content becomes part of the resolved scenario.
    ///
    /// # Errors
    /// As [`Inputs::read`].
    pub fn read_embedded(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        self.read_and_record(path, most, false)
    }

    /// Opens a regular file of at most `most` bytes.
    ///
    /// Holds only a part of the file in memory at a time, also to compute its hash.
    ///
    /// # Errors
    /// As [`Inputs::read`].
    pub fn open(&self, path: &Path, most: u64) -> io::Result<OpenedInput> {
        let opened = match (self.recorded.get(path), self.in_memory.get(path)) {
            (Some(recorded), _) => read_recorded(
                recorded,
                |location| OpenedInput::open(location, most),
                |own| &own.sha256,
            )?,
            (None, Some(content)) => OpenedInput::from_memory(content)?,
            (None, None) => OpenedInput::open(path, most)?,
        };
        self.record(path, opened.bytes, &opened.sha256, true)?;
        Ok(opened)
    }

    /// Reads the sidecar files of a raster, such as a world file or a mask.
    ///
    /// For a recorded run, reads only the sidecars that the run has read.
    ///
    /// # Errors
    /// As [`Inputs::read`].
    pub fn sidecars(&self, raster: &Path) -> io::Result<Sidecars> {
        if self.in_memory.contains_key(raster) {
            return Ok(Sidecars::default());
        }
        let is_recorded = self.recorded.contains_key(raster);
        Sidecars::load(raster, |path, kind| {
            let is_there =
                if is_recorded { self.recorded.contains_key(path) } else { path.is_file() };
            if !is_there {
                return Ok(None);
            }
            let most = kind.longest().unwrap_or(input::LARGEST_BINARY);
            let read = self.read(path, most).map(Some);
            read.map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {error}", path.display()))
            })
        })
    }

    fn read_and_record(&self, path: &Path, most: u64, decides: bool) -> io::Result<Vec<u8>> {
        let read = |location: &Path| -> io::Result<(Vec<u8>, String)> {
            let content = input::read(location, most)?;
            let hash = sha256(&content);
            Ok((content, hash))
        };
        let (content, sha256) = match (self.recorded.get(path), self.in_memory.get(path)) {
            (Some(recorded), _) => read_recorded(recorded, read, |(_, hash)| hash)?,
            (None, Some(content)) => (content.to_vec(), sha256(content)),
            (None, None) => read(path)?,
        };
        self.record(path, content.len() as u64, &sha256, decides)?;
        Ok(content)
    }

    fn record(&self, path: &Path, bytes: u64, sha256: &str, decides: bool) -> io::Result<()> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        match read.iter_mut().find(|input| input.path == path) {
            Some(before) if before.sha256 != sha256 => {
                let cause =
                    "has changed since this scenario first read it: load the scenario again";
                return Err(io::Error::other(cause));
            }
            Some(before) => before.decides |= decides,
            None => {
                let (path, sha256) = (path.to_owned(), sha256.to_owned());
                read.push(Input { path, bytes, sha256, decides });
            }
        }
        Ok(())
    }

    /// The files read so far, each once, in the order of reading.
    pub fn list(&self) -> Vec<Input> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Number of leading bytes from which the format is detected.
const HEADER_LENGTH: u64 = 256;

/// An open file with the hash of its content.
#[derive(Debug)]
pub struct OpenedInput {
    /// The file.
    pub file: File,
    /// Length of the file, bytes.
    pub bytes: u64,
    /// SHA-256 of its content, hexadecimal.
    pub sha256: String,
}

impl OpenedInput {
    fn open(path: &Path, most: u64) -> io::Result<OpenedInput> {
        let bytes = input::check_length(path, most)?;
        let mut file = File::open(path)?;
        let mut hasher = Sha256::new();
        let mut part = vec![0; 1 << 20];
        loop {
            match file.read(&mut part)? {
                0 => break,
                length => hasher.update(&part[..length]),
            }
        }
        file.rewind()?;
        let sha256 = base16ct::lower::encode_string(&hasher.finalize());
        Ok(OpenedInput { file, bytes, sha256 })
    }

    /// Writes a content to a temporary file without a name, and opens it.
    fn from_memory(content: &[u8]) -> io::Result<OpenedInput> {
        let mut file = tempfile::tempfile()?;
        io::Write::write_all(&mut file, content)?;
        file.rewind()?;
        Ok(OpenedInput { file, bytes: content.len() as u64, sha256: sha256(content) })
    }

    /// Reads the whole file if it has at most `most` bytes.
    ///
    /// # Errors
    /// Errors of the file system; a longer file; a file that changed since its hash was computed.
    pub fn read(mut self, most: u64) -> io::Result<Vec<u8>> {
        if self.bytes > most {
            return Err(input::length_error(self.bytes, most));
        }
        let mut content = Vec::with_capacity(self.bytes as usize);
        self.file.rewind()?;
        self.file.take(most).read_to_end(&mut content)?;
        if sha256(&content) != self.sha256 {
            return Err(io::Error::other("was changed while it was read: load the scenario again"));
        }
        Ok(content)
    }

    /// Opens the file as a GeoTIFF with its sidecar files; returns `None` for another format.
    ///
    /// Reads no heights yet.
    ///
    /// # Errors
    /// A GeoTIFF that is not supported or is damaged.
    pub(super) fn geotiff(&self, sidecars: &Sidecars) -> Result<Option<RasterFile>, TerrainError> {
        let unreadable = |error: io::Error| TerrainError::GeoTiff(error.to_string());
        let mut file = self.file.try_clone().map_err(unreadable)?;
        let mut head = Vec::new();
        file.rewind().map_err(unreadable)?;
        file.by_ref().take(HEADER_LENGTH).read_to_end(&mut head).map_err(unreadable)?;
        if RasterFormat::detect(&head) != Ok(RasterFormat::GeoTiff) {
            return Ok(None);
        }
        RasterFile::open_with(file, sidecars).map(Some)
    }
}

/// Reads an input of a recorded run, from its copy or else from its original path.
///
/// `read` reads one path; `hash` returns the hash of what was read. Only content with the recorded
/// hash is accepted.
fn read_recorded<T>(
    RecordedInput { input: original, copy }: &RecordedInput,
    read: impl Fn(&Path) -> io::Result<T>,
    hash: impl Fn(&T) -> &String,
) -> io::Result<T> {
    let mut altered = None;
    for location in [copy, &original.path] {
        match read(location) {
            Ok(content) if *hash(&content) == original.sha256 => return Ok(content),
            Ok(_) => altered = altered.or(Some(location)),
            Err(_) => {}
        }
    }
    let what = match altered {
        Some(location) => format!("{} has changed since the run", location.display()),
        None => "the file is missing".into(),
    };
    let (bytes, hash, copy) = (original.bytes, &original.sha256, copy.display());
    let remedy = format!("copy the original file ({bytes} bytes, SHA-256 {hash}) to {copy}");
    Err(io::Error::other(format!("{what}; {remedy}")))
}

/// SHA-256, lower-case hexadecimal.
pub(super) fn sha256(content: &[u8]) -> String {
    base16ct::lower::encode_string(&Sha256::digest(content))
}

/// Applies `map` to every file path in a scenario.
pub fn map_paths(scenario: &mut Scenario, map: impl Fn(&Path) -> PathBuf) {
    let change = |path: &mut PathBuf| *path = map(path);
    if let SurfaceConfig::Dem { file, .. } = &mut scenario.terrain.surface {
        change(file);
    }
    scenario.soil.raster.iter_mut().for_each(|raster| change(&mut raster.file));
    scenario.scenery.iter_mut().flat_map(|scenery| &mut scenery.mesh).for_each(change);
    for vehicle in &mut scenario.vehicle {
        vehicle.visual.hull.iter_mut().chain(&mut vehicle.visual.wheel).for_each(change);
        if is_vehicle_file(&vehicle.model) {
            vehicle.model = map(Path::new(&vehicle.model)).to_string_lossy().into_owned();
        }
    }
}

/// Whether a vehicle's model is a file rather than a name in the catalog.
pub fn is_vehicle_file(model: &str) -> bool {
    model.ends_with(".toml")
}
