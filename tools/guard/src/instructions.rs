//! Instruction count of one step, by callgrind.

use super::files::{bekker, output};
use super::{MeasuredValues, MeasurementResult};
use std::path::Path;
use std::process::Command;

/// Prefix of the names of these values.
pub(super) const PREFIX: &str = "instructions/";

/// Step of all benchmarks, s.
const STEP: f64 = 0.002;

/// Simulated time of the short and of the long drive, s; their difference excludes the start.
const DRIVES: [f64; 2] = [0.5, 1.0];

/// Benchmarks: a name and the options of `bekker bench`.
const BENCHES: [(&str, &[&str]); 4] = [
    ("hmmwv_rigid_chrono_mid", &["--soil", "chrono_mid", "--spacing", "0.05", "--tire", "rigid"]),
    ("hmmwv_flexible_chrono_mid", &["--soil", "chrono_mid", "--spacing", "0.05"]),
    (
        "hmmwv_refined_chrono_soft",
        &["--soil", "chrono_soft", "--spacing", "0.05", "--laws", "refined"],
    ),
    ("m113_chrono_mid", &["--vehicle", "m113", "--soil", "chrono_mid", "--spacing", "0.05"]),
];

/// Counts the instructions of a whole step of each benchmark.
pub(super) fn measure(root: &Path, values: &mut MeasuredValues) -> MeasurementResult<()> {
    let scratch = tempfile::tempdir()?;
    for (name, options) in BENCHES {
        let [few, many] = DRIVES.map(|seconds| count(root, scratch.path(), seconds, options));
        let steps = (DRIVES[1] - DRIVES[0]) / STEP;
        let each = (many? - few?) / steps;
        values.insert(format!("{PREFIX}{name}"), format!("{each:.0}"));
    }
    Ok(())
}

/// Returns the instruction count of a whole drive.
fn count(root: &Path, scratch: &Path, seconds: f64, options: &[&str]) -> MeasurementResult<f64> {
    let counts = scratch.join("counts");
    let mut command = Command::new("valgrind");
    command.current_dir(root).arg("--tool=callgrind");
    command.arg(format!("--callgrind-out-file={}", counts.display()));
    command.arg(bekker(root).get_program()).args(["--quiet", "bench", "--step"]);
    command.args([STEP.to_string(), "--seconds".into(), seconds.to_string()]).args(options);
    output(&mut command)?;
    let text = std::fs::read_to_string(&counts)?;
    let total = text
        .lines()
        .find_map(|line| line.strip_prefix("totals: ").or_else(|| line.strip_prefix("summary: ")));
    let total = total.ok_or("callgrind left no total")?;
    Ok(total.split_whitespace().next().unwrap_or_default().parse()?)
}
