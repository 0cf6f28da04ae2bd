//! Real `mpirun`, oversubscribed where need be: the bits of one process.
//!
//! Needs the cargo feature `mpi` and an `mpirun`. Without the feature the tests
//! are reported as ignored; without `mpirun` they fail, unless
//! `BEKKER_WITHOUT_MPIRUN=1` asks for them to be passed over, which they say.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The launcher of the MPI that the tests were built against.
fn launcher() -> String {
    std::env::var("BEKKER_MPIRUN").unwrap_or_else(|_| "mpirun".into())
}

fn mpirun(ranks: usize, program: &Path, arguments: &[&str]) -> Option<Output> {
    let launcher = launcher();
    let version = Command::new(&launcher).arg("--version").output();
    let Ok(version) = version else {
        let asked = std::env::var_os("BEKKER_WITHOUT_MPIRUN").is_some();
        assert!(asked, "no {launcher}: install an MPI, or set BEKKER_WITHOUT_MPIRUN=1");
        eprintln!("NOT RUN: there is no {launcher}");
        return None;
    };
    let open_mpi = String::from_utf8_lossy(&version.stdout).contains("Open MPI");
    let mut command = Command::new(&launcher);
    if open_mpi {
        command.args(["--oversubscribe", "--allow-run-as-root"]);
    }
    command.arg("-n").arg(ranks.to_string()).arg(program).args(arguments);
    command.current_dir(env!("CARGO_MANIFEST_DIR")).env("RAYON_NUM_THREADS", "1");
    Some(command.output().unwrap())
}

fn bekker() -> PathBuf {
    assert_cmd::cargo::cargo_bin("bekker")
}

fn example(name: &str) -> PathBuf {
    bekker().parent().unwrap().join("examples").join(name)
}

fn read(folder: &Path, file: &str) -> String {
    std::fs::read_to_string(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// A convoy in one rut; a crossing; vehicles kilometres apart: [file, overrides].
const SCENARIO: &str = r#"
format = 1
name = "ranks"
seed = 1

[time]
duration = 1.5

[soil]
default = "chrono_soft"

[output]
interval = 0.1
ruts = false

[[vehicle]]
name = "lead"
model = "hmmwv"
position = [0, 0]
speed = 4
driver = { kind = "path", speed = 5, waypoints = [[0, 0], [200, 0]] }

[[vehicle]]
name = "second"
model = "hmmwv"
position = [-8, 0]
speed = 4
driver = { kind = "follow", leader = "lead" }

[[vehicle]]
name = "crossing"
model = "hmmwv"
position = [2, -4]
heading_deg = 90
speed = 4
driver = { kind = "table", rows = [{ time = 0, throttle = 0.5 }] }

[[vehicle]]
name = "far"
model = "hmmwv"
position = [4000, 3000]
heading_deg = 120
speed = 4
driver = { kind = "table", rows = [{ time = 0, throttle = 0.5 }] }
"#;

struct Runs {
    folder: tempfile::TempDir,
    scenario: PathBuf,
}

impl Runs {
    fn new() -> Runs {
        let folder = tempfile::tempdir().unwrap();
        let scenario = folder.path().join("ranks.toml");
        std::fs::write(&scenario, SCENARIO).unwrap();
        Runs { folder, scenario }
    }

    fn out(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn arguments<'a>(&'a self, out: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
        let fixed = ["run", self.scenario.to_str().unwrap(), "-q", "--no-picture", "--out"];
        let mut arguments = fixed.to_vec();
        arguments.push(out.to_str().unwrap());
        arguments.extend(more);
        arguments
    }

    fn single(&self, out: &Path, more: &[&str]) {
        let output = Command::new(bekker()).args(self.arguments(out, more)).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn in_process_ranks_write_what_one_process_writes() {
    let runs = Runs::new();
    let single = runs.out("single");
    runs.single(&single, &[]);
    for (name, more) in [
        ("two", &["--ranks", "2", "--trace"][..]),
        ("three", &["--ranks", "3", "--deal", "round-robin", "--route", "star"]),
        ("five", &["--ranks", "5", "--threads", "1"]),
    ] {
        let out = runs.out(name);
        runs.single(&out, more);
        assert_eq!(read(&single, "hashes.csv"), read(&out, "hashes.csv"), "{name}");
        let bytes = |folder: &Path, file: &str| std::fs::read(folder.join(file)).unwrap();
        for file in ["states.parquet", "checkpoint.bin"] {
            assert_eq!(bytes(&single, file), bytes(&out, file), "{name}: {file}");
        }
    }
    let trace: serde_json::Value =
        serde_json::from_str(&read(&runs.out("two"), "trace.json")).unwrap();
    // two names, and five spans for each of 150 heartbeats on two ranks
    assert_eq!(trace["traceEvents"].as_array().unwrap().len(), 2 + 2 * 150 * 5);
    let replay = |folder: &Path| {
        let folder = folder.to_str().unwrap();
        Command::new(bekker()).args(["replay", folder, "--verify"]).output().unwrap()
    };
    let output = replay(&runs.out("two"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // a recording that differs in one agent at one heartbeat
    let altered: Vec<String> = read(&runs.out("two"), "hashes.csv")
        .lines()
        .map(|line| {
            let mut fields: Vec<String> = line.split(',').map(str::to_owned).collect();
            if fields[0] == "35" {
                fields[5] = "0123456789abcdef".into();
            }
            fields.join(",")
        })
        .collect();
    std::fs::write(runs.out("two").join("hashes.csv"), altered.join("\n")).unwrap();
    let output = replay(&runs.out("two"));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("at tick 35 (0.07 s) in second"), "{told}");
}

#[test]
fn a_run_cut_and_resumed_on_other_ranks_goes_on_with_the_same_bits() {
    let runs = Runs::new();
    let whole = runs.out("whole");
    runs.single(&whole, &[]);
    let cut = runs.out("cut");
    runs.single(&cut, &["--ranks", "3", "--set", "time.duration=0.7"]);
    let rest = runs.out("rest");
    runs.single(&rest, &["--ranks", "2", "--resume", cut.to_str().unwrap()]);
    let (whole, cut, rest) =
        (read(&whole, "hashes.csv"), read(&cut, "hashes.csv"), read(&rest, "hashes.csv"));
    let lines: Vec<&str> = whole.lines().collect();
    assert_eq!(cut.lines().collect::<Vec<_>>(), lines[..=70]);
    assert_eq!(rest.lines().skip(1).collect::<Vec<_>>(), lines[71..]);
}

#[test]
#[cfg_attr(not(feature = "mpi"), ignore = "NOT RUN: built without the feature mpi")]
fn mpirun_gives_the_bits_of_one_process() {
    let runs = Runs::new();
    let single = runs.out("single");
    runs.single(&single, &[]);
    for ranks in 1..=4 {
        let out = runs.out(&format!("mpi-{ranks}"));
        let Some(output) = mpirun(ranks, &bekker(), &runs.arguments(&out, &[])) else { return };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(read(&single, "hashes.csv"), read(&out, "hashes.csv"), "{ranks} ranks");
    }
    // cut on three ranks, resumed on two
    let cut = runs.out("cut");
    let set = ["--set", "time.duration=0.7"];
    mpirun(3, &bekker(), &runs.arguments(&cut, &set)).unwrap();
    let rest = runs.out("rest");
    let resume = ["--resume", cut.to_str().unwrap()];
    mpirun(2, &bekker(), &runs.arguments(&rest, &resume)).unwrap();
    let whole = read(&single, "hashes.csv");
    let lines: Vec<&str> = whole.lines().skip(71).collect();
    assert_eq!(read(&rest, "hashes.csv").lines().skip(1).collect::<Vec<_>>(), lines);
}

#[test]
#[cfg_attr(not(feature = "mpi"), ignore = "NOT RUN: built without the feature mpi")]
fn mpi_keeps_the_contract() {
    for ranks in 1..=4 {
        let Some(output) = mpirun(ranks, &example("mpi_contract"), &[]) else { return };
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(told.contains(&format!("contract kept on {ranks} ranks")), "{told}");
    }
}

#[test]
#[cfg_attr(not(feature = "mpi"), ignore = "NOT RUN: built without the feature mpi")]
fn a_process_that_hangs_is_named_and_ends_the_job() {
    let Some(output) = mpirun(3, &example("mpi_contract"), &["hang"]) else { return };
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    assert!(told.contains("no answer from rank 2 within 1 s"), "{told}");
}
