//! Manifest of a run: its configuration, program, machine, inputs and outputs.

use super::hashes::hexadecimal;
use super::{ReportError, file};
use bekker_scenario::input;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::Read;
use std::path::Path;

/// Version of the manifest's format.
pub const FORMAT: u32 = 2;

/// Everything needed to repeat a run and to check that it was repeated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of this format, [`FORMAT`].
    pub format: u32,
    /// Whether the run has ended, and how.
    pub status: RunStatus,
    /// Build of the program.
    pub build: Build,
    /// Machine that ran it.
    pub machine: Machine,
    /// The scenario with all its defaults and overrides resolved.
    pub config: serde_json::Value,
    /// Seed of all random streams.
    pub seed: u64,
    /// Guarantee for a repetition: `bit-exact` on any number of threads.
    pub determinism: String,
    /// Number of threads of the run.
    pub threads: usize,
    /// All settings that determine the course of the run, one `key = value` each.
    pub decisive: Vec<String>,
    /// Files read: the scenario first, then terrains, meshes and vehicles.
    pub inputs: Vec<FileHash>,
    /// Number of steps before the record begins: 0, unless the run continues another.
    pub first_tick: u64,
    /// Number of steps at the end.
    pub last_tick: u64,
    /// Simulated time, s.
    pub simulated_s: f64,
    /// Wall time of the run, s.
    pub wall_s: f64,
    /// Hash of the final state, hexadecimal.
    pub state_hash: String,
    /// Files written, next to the manifest.
    pub outputs: Vec<FileHash>,
}

/// Whether a run has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// The run is in progress, or was killed.
    Running,
    /// A signal ended the run early.
    Interrupted,
    /// The run ended as configured.
    Complete,
}

/// The program that ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// Version of the package.
    pub version: String,
    /// Hash of its source.
    pub source: String,
    /// Revision of its source, if `BEKKER_GIT_REVISION` was set for the build.
    pub git_revision: Option<String>,
    /// Cargo features compiled in.
    pub features: Vec<String>,
    /// Target processor architecture and operating system.
    pub target: String,
    /// Whether it was compiled with debug assertions.
    pub debug_assertions: bool,
}

impl Build {
    /// Returns the build of this program.
    pub fn current() -> Build {
        Build {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            source: bekker_scenario::SOURCE.to_owned(),
            git_revision: option_env!("BEKKER_GIT_REVISION").map(str::to_owned),
            features: [("mpi", cfg!(feature = "mpi")), ("gpu", cfg!(feature = "gpu"))]
                .iter()
                .filter(|(_, compiled)| *compiled)
                .map(|(name, _)| (*name).to_owned())
                .collect(),
            target: format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
            debug_assertions: cfg!(debug_assertions),
        }
    }
}

/// The machine that ran it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Name of the processor, if the system provides it.
    pub cpu: Option<String>,
    /// Number of cores available to the process.
    pub cores: usize,
}

impl Machine {
    /// Returns this machine.
    pub fn current() -> Machine {
        let cpu = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        });
        Machine { cpu, cores: std::thread::available_parallelism().map_or(1, usize::from) }
    }
}

/// A file and the hash of its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileHash {
    /// Path: as given for an input, relative to the manifest's folder for an output.
    pub path: String,
    /// Length, bytes.
    pub bytes: u64,
    /// SHA-256, hexadecimal.
    pub sha256: String,
    /// Copy of an input in the run's folder, if the input is small enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<String>,
}

impl FileHash {
    /// Hashes the file at `path` and names it `name`.
    pub fn read(path: &Path, name: &str) -> Result<FileHash, ReportError> {
        input::check_regular(path).map_err(ReportError::file("open", path))?;
        let mut file = fs::File::open(path).map_err(ReportError::file("open", path))?;
        let mut hasher = Sha256::new();
        let mut block = vec![0; 1 << 16];
        let mut bytes = 0;
        loop {
            let read = file.read(&mut block).map_err(ReportError::file("read", path))?;
            if read == 0 {
                break;
            }
            hasher.update(&block[..read]);
            bytes += read as u64;
        }
        let (path, sha256) = (name.to_owned(), hexadecimal(&hasher.finalize()));
        Ok(FileHash { path, bytes, sha256, copy: None })
    }
}

/// Writes the manifest as indented JSON.
pub fn write(path: &Path, manifest: &Manifest) -> Result<(), ReportError> {
    write_json(path, manifest)
}

/// Writes any value as indented JSON.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), ReportError> {
    let mut text = serde_json::to_string_pretty(value).map_err(ReportError::encode(path))?;
    text.push('\n');
    file::write(path, text.as_bytes())
}

/// Reads the manifest of the run in a folder.
///
/// # Errors
/// [`ReportError`] if the folder is not that of a run, or the manifest cannot be read.
pub fn of_run(folder: &Path) -> Result<Manifest, ReportError> {
    let manifest = folder.join("manifest.json");
    let cause = match (folder.is_dir(), folder.exists()) {
        (true, _) if manifest.is_file() => return read(&manifest),
        (true, _) => "has no manifest.json",
        (false, true) => "is not a folder",
        (false, false) => "does not exist",
    };
    Err(ReportError::NotARun { path: folder.to_owned(), cause: cause.into() })
}

/// Reads a manifest.
pub fn read(path: &Path) -> Result<Manifest, ReportError> {
    let text =
        input::read_text(path, input::LARGEST_TABLE).map_err(ReportError::file("read", path))?;
    let value: serde_json::Value =
        serde_json::from_str(&text).map_err(ReportError::decode(path))?;
    let format = value.get("format").and_then(serde_json::Value::as_u64);
    if format.is_some_and(|format| format != u64::from(FORMAT)) {
        let found = format.unwrap_or_default();
        let cause = format!(
            "unsupported format {found} (this version reads {FORMAT}); run the scenario again"
        );
        return Err(ReportError::decode(path)(cause));
    }
    serde_json::from_value(value).map_err(ReportError::decode(path))
}

/// Describes the files of a folder that differ from a manifest's list; none if all are equal.
pub fn differences(folder: &Path, outputs: &[FileHash]) -> Option<String> {
    let (mut missing, mut altered) = (Vec::new(), Vec::new());
    for file in outputs {
        let path = folder.join(&file.path);
        // a file of another length needs no hash
        if input::check_regular(&path).is_ok_and(|length| length != file.bytes) {
            altered.push(file.path.as_str());
            continue;
        }
        match FileHash::read(&path, &file.path) {
            Ok(found) if found.sha256 == file.sha256 => {}
            Ok(_) => altered.push(file.path.as_str()),
            Err(_) => missing.push(file.path.as_str()),
        }
    }
    let told = [("changed since the run", altered), ("missing", missing)];
    let told = told.iter().filter(|(_, files)| !files.is_empty());
    let told: Vec<String> =
        told.map(|(what, files)| format!("{what}: {}", files.join(", "))).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// Returns the tables of a folder that contain NUL bytes.
///
/// A table gets these if another program truncates it while its run writes it.
pub fn tables_with_gaps(folder: &Path, outputs: &[FileHash]) -> Vec<String> {
    let has_gap = |file: &&FileHash| {
        let path = folder.join(&file.path);
        file.path.ends_with(".csv") && holds_nul(&path).unwrap_or(false)
    };
    outputs.iter().filter(has_gap).map(|file| file.path.clone()).collect()
}

/// Returns whether a file contains NUL bytes.
pub(super) fn holds_nul(path: &Path) -> std::io::Result<bool> {
    input::check_regular(path)?;
    let (mut file, mut block) = (fs::File::open(path)?, vec![0; 1 << 16]);
    loop {
        match file.read(&mut block)? {
            0 => return Ok(false),
            read if block[..read].contains(&0) => return Ok(true),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_the_published_ones() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("abc");
        fs::write(&path, "abc").unwrap();
        // FIPS 180-4, example of SHA-256 for "abc".
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let hash = FileHash::read(&path, "inputs/abc").unwrap();
        let (path, sha256) = ("inputs/abc".into(), expected.into());
        assert_eq!(hash, FileHash { path, bytes: 3, sha256, copy: None });
        assert!(FileHash::read(&folder.path().join("none"), "none").is_err());
    }

    #[test]
    fn manifests_read_back_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("manifest.json");
        let manifest = Manifest {
            format: FORMAT,
            status: RunStatus::Complete,
            build: Build::current(),
            machine: Machine::current(),
            config: serde_json::json!({"name": "convoy", "duration_s": 0.1}),
            seed: u64::MAX,
            determinism: "bit-exact".into(),
            threads: 2,
            decisive: vec!["seed = 1".into()],
            inputs: vec![],
            first_tick: 0,
            last_tick: 30_000,
            simulated_s: 60.0,
            wall_s: 0.1 + 0.2,
            state_hash: "00ff".into(),
            outputs: vec![],
        };
        write(&path, &manifest).unwrap();
        assert_eq!(read(&path).unwrap(), manifest);
        fs::write(&path, "{").unwrap();
        assert!(read(&path).unwrap_err().to_string().starts_with("cannot read "));
    }
}
