//! Studies and maps killed at random times resume to the same bytes as those that were not killed.
//!
//! Eight kills, weekly twenty: each resume takes the time to read the finished part.

use crate::maps::{QUICK, hill};
use crate::studies::{SCENARIO, STUDY, tables};
use assert_cmd::cargo::cargo_bin;
use bekker::random::RandomStream;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Returns the number of kills while trials remain, and while all results are written or read
/// again.
fn kills() -> [u64; 2] {
    if crate::is_weekly() { [14, 6] } else { [5, 3] }
}

/// Longest delay of a kill after its moment, ms, in either phase: a trial or crossing, and all
/// writing.
const DELAYS: [f64; 2] = [60.0, 400.0];

/// Kills a command (SIGKILL) repeatedly, each time shortly after a random fraction of the work is
/// done.
///
/// `done` returns the amount of finished work, `whole` at the end. A partial record is left at the end
/// of `journal`, if there is one.
fn killed(
    mut command: impl FnMut() -> Command,
    done: impl Fn() -> u64,
    whole: u64,
    journal: Option<&dyn Fn() -> Option<std::path::PathBuf>>,
) {
    let stream = RandomStream::new(17, "moments of kills");
    let [before, after] = kills();
    let mut parts: Vec<u64> =
        (0..before).map(|n| (stream.uniform(n) * whole as f64) as u64).collect();
    parts.sort_unstable();
    parts.extend((0..after).map(|_| whole));
    for (n, part) in parts.into_iter().enumerate() {
        let mut child = command().stdout(Stdio::null()).spawn().unwrap();
        let since = Instant::now();
        while done() < part && child.try_wait().unwrap().is_none() {
            assert!(since.elapsed() < Duration::from_secs(300), "nothing came");
            sleep(Duration::from_millis(1));
        }
        let longest = DELAYS[usize::from(part == whole)];
        sleep(Duration::from_secs_f64(1e-3 * longest * stream.uniform(100 + n as u64)));
        // SIGKILL; the process may have ended before.
        child.kill().unwrap();
        child.wait().unwrap();
        if let Some(path) = journal.and_then(|path| path()) {
            let mut torn = fs::OpenOptions::new().append(true).open(path).unwrap();
            torn.write_all(&[7, 0, 0, 0, 1, 2]).unwrap();
        }
    }
}

fn bekker(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(cargo_bin("bekker"));
    command.current_dir(folder).args(words).args(["--quiet", "--threads", "2"]);
    command
}

fn done(mut command: Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |own| own.len())
}

#[test]
fn a_study_killed_at_random_times_resumes_to_the_same_bytes() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    fs::write(folder.join("quick.toml"), SCENARIO).unwrap();
    let study = STUDY.replace("replications = 3", "replications = 6");
    fs::write(folder.join("study.toml"), study).unwrap();
    let run = |out: &str| bekker(folder, &["study", "run", "study.toml", "--out", out]);
    done(run("whole"));
    let journal = folder.join("cut/journal.bin");
    let whole = size(&folder.join("whole/journal.bin"));
    let torn = || Some(journal.clone()).filter(|path| path.exists());
    killed(|| run("cut"), || size(&journal), whole, Some(&torn));
    done(run("cut"));
    assert!(tables(&folder.join("cut")) == tables(&folder.join("whole")));
    // All is done: no trial runs again.
    let output = bekker(folder, &["study", "run", "study.toml", "--out", "cut", "--json"]).output();
    let told: serde_json::Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    assert_eq!((&told["trials"], &told["driven"]), (&18.into(), &0.into()));
}

/// Writes a map of cells at the foot of the hill and up to where it is too steep.
fn map(folder: &Path) {
    fs::write(folder.join("hill.asc"), hill()).unwrap();
    let text = format!(
        "{QUICK}area = [170, -10, 210, 10]\ndirections = 4\n\
         table = {{ strengths = 2, side_slopes = 2, steepest = 0.3 }}\n\
         terrain = {{ surface = {{ kind = 'dem', file = 'hill.asc', origin = [0, 0] }} }}\n"
    );
    fs::write(folder.join("map.toml"), text).unwrap();
}

/// Returns the manifest of a map: all its files with their hashes.
fn manifest(folder: &Path, out: &str) -> String {
    fs::read_to_string(folder.join(out).join("manifest.json")).unwrap()
}

fn files_in(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    // An incomplete file has a dot before its name.
    entries.flatten().filter(|own| !own.file_name().to_string_lossy().starts_with('.')).count()
        as u64
}

#[test]
fn a_map_killed_at_random_times_resumes_to_the_same_bytes() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    map(folder);
    let run = |out: &str| bekker(folder, &["map", "run", "map.toml", "--out", out]);
    done(run("whole"));
    let columns = |out: &str| files_in(&folder.join(out).join("table"));
    killed(|| run("cut"), || columns("cut"), columns("whole"), None);
    done(run("cut"));
    assert_eq!(manifest(folder, "cut"), manifest(folder, "whole"));
    let hidden = fs::read_dir(folder.join("cut/table")).unwrap().count() as u64;
    assert_eq!(hidden, columns("cut"), "partial records of a killed run are removed");
}

#[test]
fn a_map_of_driven_cells_killed_at_random_times_resumes_to_the_same_bytes() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    map(folder);
    let run = |out: &str| bekker(folder, &["map", "run", "map.toml", "--physics", "--out", out]);
    done(run("whole"));
    let journal = |out: &str| {
        let entries = fs::read_dir(folder.join(out).join("cells")).ok()?;
        entries.flatten().next().map(|own| own.path())
    };
    let done_of = |out: &str| journal(out).map_or(0, |path| size(&path));
    killed(|| run("cut"), || done_of("cut"), done_of("whole"), Some(&|| journal("cut")));
    done(run("cut"));
    assert_eq!(manifest(folder, "cut"), manifest(folder, "whole"));
}
