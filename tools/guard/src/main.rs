//! Records values that a refactoring must not change, and compares with the record.
//!
//! `cargo run --release -p bekker-guard` prints every value and compares it with
//! `tools/guard/recorded.txt`; with `--record` it writes that file. It runs the release build of
//! `bekker`, which must exist: `cargo build --release`. Hashes must be equal, instruction counts
//! within 1 %. Instruction counts need `valgrind`; `--no-instructions` leaves them out.

mod files;
mod instructions;
mod messages;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Maximum relative change of an instruction count.
const INSTRUCTIONS_TOLERANCE: f64 = 0.01;

/// Result of a measurement.
type MeasurementResult<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Values by name: hashes as text, instruction counts as numbers.
type MeasuredValues = BTreeMap<String, String>;

/// Returns the root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn main() -> ExitCode {
    let options: Vec<String> = std::env::args().skip(1).collect();
    let known = ["--record", "--no-instructions"];
    if let Some(unknown) = options.iter().find(|option| !known.contains(&option.as_str())) {
        eprintln!("option {unknown}: must be one of {}", known.join(", "));
        return ExitCode::from(2);
    }
    let has = |name: &str| options.iter().any(|option| option == name);
    match run(has("--record"), !has("--no-instructions")) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Measures, prints and compares or records; returns whether all values match the record.
fn run(record: bool, with_instructions: bool) -> MeasurementResult<bool> {
    let mut values = MeasuredValues::new();
    files::measure(&root(), &mut values)?;
    messages::measure(&root(), &mut values)?;
    if with_instructions {
        instructions::measure(&root(), &mut values)?;
    }
    for (name, value) in &values {
        println!("{name} {value}");
    }
    let path = root().join("tools/guard/recorded.txt");
    if record {
        let lines = values.iter().map(|(name, value)| format!("{name} {value}\n"));
        std::fs::write(&path, lines.collect::<String>())?;
        return Ok(true);
    }
    let recorded = read(&path)?;
    let differences = compare(&recorded, &values, with_instructions);
    for difference in &differences {
        eprintln!("{difference}");
    }
    eprintln!("{} values, {} differ from {}", values.len(), differences.len(), path.display());
    Ok(differences.is_empty())
}

/// Reads the values of a record.
fn read(path: &Path) -> MeasurementResult<MeasuredValues> {
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let pairs = text.lines().filter_map(|line| line.split_once(' '));
    Ok(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

/// Returns the differences between the recorded and the measured values, one line each.
fn compare(
    recorded: &MeasuredValues,
    measured: &MeasuredValues,
    with_instructions: bool,
) -> Vec<String> {
    let wanted = |name: &str| with_instructions || !name.starts_with(instructions::PREFIX);
    let mut differences = Vec::new();
    for (name, expected) in recorded.iter().filter(|(name, _)| wanted(name)) {
        match measured.get(name) {
            None => differences.push(format!("{name}: not measured, recorded {expected}")),
            Some(found) if !agree(name, expected, found) => {
                differences.push(format!("{name}: {found}, recorded {expected}"));
            }
            Some(_) => {}
        }
    }
    let new = measured.keys().filter(|name| !recorded.contains_key(*name));
    differences.extend(new.map(|name| format!("{name}: not recorded")));
    differences
}

/// Returns whether a value matches the record: equal, or an instruction count within the tolerance.
fn agree(name: &str, expected: &str, found: &str) -> bool {
    if !name.starts_with(instructions::PREFIX) {
        return expected == found;
    }
    match (expected.parse::<f64>(), found.parse::<f64>()) {
        (Ok(expected), Ok(found)) => (found / expected - 1.0).abs() <= INSTRUCTIONS_TOLERANCE,
        _ => false,
    }
}
