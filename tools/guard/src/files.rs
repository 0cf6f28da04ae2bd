//! Hashes of states and of the files that runs and studies write.

use super::{MeasuredValues, MeasurementResult};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::process::Command;

/// Examples and their simulated time, s.
const EXAMPLES: [(&str, f64); 24] = [
    ("brigade", 0.3),
    ("clay_lane", 2.0),
    ("convoy_lane", 1.0),
    ("convoy_mud", 1.0),
    ("convoy_snow", 1.0),
    ("data_collection", 0.5),
    ("farmyard", 0.6),
    ("ford", 1.0),
    ("forest", 1.0),
    ("logistics_convoy", 1.0),
    ("mixed_convoy", 0.5),
    ("platoon_radio", 2.0),
    ("random_world", 1.0),
    ("recovery", 1.0),
    ("sand_slope", 2.0),
    ("search", 1.0),
    ("semitrailer_bay", 1.0),
    ("sensors_snow", 0.5),
    ("single_vehicle", 1.0),
    ("snow_field", 1.0),
    ("swarm_250", 0.3),
    ("swarm_500", 0.2),
    ("tracked_mud", 0.5),
    ("tire_pressure", 1.0),
];

/// Golden states of `tests/golden_hash.rs`.
const GOLDEN: [(&str, f64); 3] = [("convoy_mud", 2.0), ("mixed_convoy", 1.0), ("convoy_snow", 2.0)];

/// Runs whose files are hashed, and the files of each.
const RUNS: [(&str, f64, &[&str]); 3] = [
    ("convoy_mud", 1.0, &["states.parquet", "states.csv", "checkpoint.bin", "ruts.tif"]),
    ("tracked_mud", 0.4, &["states.parquet", "states.csv", "checkpoint.bin", "ruts.tif"]),
    ("sensors_snow", 0.4, &["states.parquet", "sensors.mcap", "checkpoint.bin", "ruts.tif"]),
];

/// Bytes of a checkpoint before its content: magic, version and digest.
const CHECKPOINT_HEAD: usize = 7 + 1 + 32;
/// Text before the hash of the source in a checkpoint, and length of that hash, bytes.
const SOURCE_KEY: &[u8] = b", source ";
const SOURCE_LENGTH: usize = 16;

/// Studies in `tools/guard/studies`.
const STUDIES: [&str; 2] = ["sand_slope", "clay_lane"];

/// Computes all hashes with the release build of `bekker`.
pub(super) fn measure(root: &Path, values: &mut MeasuredValues) -> MeasurementResult<()> {
    let scratch = tempfile::tempdir()?;
    for (kind, runs) in [("example", &EXAMPLES[..]), ("golden", &GOLDEN[..])] {
        for &(example, seconds) in runs {
            let folder = scratch.path().join(format!("{kind}_{example}"));
            let hash = drive(root, example, seconds, 1, &folder)?;
            values.insert(format!("{kind}/{example}/{seconds}s"), hash);
        }
    }
    for (example, seconds, files) in RUNS {
        for ranks in [1, 2] {
            let folder = scratch.path().join(format!("run_{example}_{ranks}"));
            drive(root, example, seconds, ranks, &folder)?;
            for file in files {
                let name = format!("file/{example}/{seconds}s/{ranks}_ranks/{file}");
                values.insert(name, hash_of(&folder.join(file))?);
            }
        }
    }
    for study in STUDIES {
        let folder = scratch.path().join(format!("study_{study}"));
        let mut command = bekker(root);
        let file = format!("tools/guard/studies/{study}.toml");
        command.args(["study", "run", &file, "--quiet", "--threads", "2", "--out"]).arg(&folder);
        output(&mut command)?;
        let hash = hash_of(&folder.join("trials.parquet"))?;
        values.insert(format!("study/{study}/trials.parquet"), hash);
    }
    Ok(())
}

/// Drives an example for some seconds on `ranks` ranks; returns the hash of its final state.
fn drive(
    root: &Path,
    example: &str,
    seconds: f64,
    ranks: usize,
    folder: &Path,
) -> MeasurementResult<String> {
    let mut command = bekker(root);
    command.args(["run", &format!("examples/{example}.toml"), "--quiet", "--json", "--no-picture"]);
    command.args(["--set", &format!("time.duration={seconds}")]);
    command.args(["--checkpoint-every", &format!("{}", 0.5 * seconds)]);
    command.args(["--ranks", &ranks.to_string(), "--out"]).arg(folder);
    let summary: serde_json::Value = serde_json::from_slice(&output(&mut command)?)?;
    let hash = summary["state_hash"].as_str().ok_or("the summary has no state_hash")?;
    Ok(hash.to_owned())
}

/// Returns the command for the release build of `bekker`, run in the root of the repository.
pub(super) fn bekker(root: &Path) -> Command {
    let mut command = Command::new(root.join("target/release/bekker"));
    command.current_dir(root);
    command
}

/// Runs a command and returns its standard output.
///
/// # Errors
/// The command and its standard error when it fails.
pub(super) fn output(command: &mut Command) -> MeasurementResult<Vec<u8>> {
    let shown = format!("{command:?}");
    let output = command.output().map_err(|error| format!("{shown}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{shown}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(output.stdout)
}

/// Returns the SHA-256 of a file.
///
/// For a checkpoint, its own digest and the hash of bekker's source are excluded: they change with
/// every edit.
fn hash_of(path: &Path) -> MeasurementResult<String> {
    let mut bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    if path.file_name().is_some_and(|name| name == "checkpoint.bin") {
        bytes.drain(..CHECKPOINT_HEAD);
        let key = bytes.windows(SOURCE_KEY.len()).position(|window| window == SOURCE_KEY);
        let value = key.ok_or("the checkpoint does not name its source")? + SOURCE_KEY.len();
        bytes.drain(value..value + SOURCE_LENGTH);
    }
    Ok(base16ct::lower::encode_string(&Sha256::digest(bytes)))
}
