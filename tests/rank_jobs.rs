//! Runs of the binary on ranks of any transport, and the results that all must give.
//!
//! A transport implements [`Transport`]; its tests call the checks of this module. Checks of the
//! library on ranks are in `ranks`, those of a communicator in `bekker::sync::contract`.

use crate::runs::{Runs, bekker, read, stderr_text};
use std::path::Path;
#[cfg(target_os = "linux")]
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A convoy in one rut, a vehicle that crosses it, and one kilometers apart.
pub const SCENARIO: &str = r#"
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

/// Two vehicles that overturn early, assigned so that rank 0 has the first, and two that drive on.
pub const ENDINGS: &str = r#"
format = 1
name = "endings"
seed = 1

[time]
duration = 1.5

[soil]
default = "chrono_soft"

[[soil.custom]]
name = "grip"
friction = 1.8

[[soil.zone]]
area = { kind = "rectangle", min = [-50, -50], max = [200, 90] }
soil = "grip"

[output]
interval = 0.1
ruts = false

[[vehicle]]
name = "first"
model = "hmmwv"
position = [0, 0]
speed = 25
driver = { kind = "table", rows = [{ time = 0, steering = 0 }, { time = 0.2, steering = 1 }] }

[[vehicle]]
name = "second"
model = "hmmwv"
position = [0, 200]
speed = 8
driver = { kind = "table", rows = [{ time = 0, throttle = 0.5 }] }

[[vehicle]]
name = "third"
model = "hmmwv"
position = [0, 60]
speed = 25
driver = { kind = "table", rows = [{ time = 0, steering = 0 }, { time = 0.2, steering = -1 }] }

[[vehicle]]
name = "fourth"
model = "m113"
position = [100, 30]
driver = { kind = "table", rows = [{ time = 0, throttle = 0.5 }] }
"#;

/// Two vehicles meet head on, pass and separate; one is far away; one later drives over the others'
/// tracks.
pub fn meeting() -> String {
    let vehicle = |name: &str, place: &str, heading: i32| {
        format!(
            "[[vehicle]]\nname = \"{name}\"\nmodel = \"hmmwv\"\nposition = {place}\n\
             heading_deg = {heading}\nspeed = 8\n\
             driver = {{ kind = \"table\", rows = [{{ time = 0, throttle = 0.5 }}] }}\n"
        )
    };
    let head = SCENARIO.split("[[vehicle]]").next().unwrap().replace("1.5", "6");
    head + &vehicle("east", "[0, 0]", 0)
        + &vehicle("west", "[45, 2.4]", 180)
        + &vehicle("far", "[-3000, 4000]", 120)
        + &vehicle("late", "[-50, 0.1]", 0)
}

/// How the ranks of a run are started and connected.
pub trait Transport {
    /// Starts a run on ranks. The first process is rank 0 or the launcher of all.
    ///
    /// Returns `None` if the machine has no launcher.
    fn start(&self, runs: &Runs, out: &Path, ranks: usize, more: &[&str]) -> Option<Vec<Child>>;
}

/// Ranks as threads of one process.
pub struct Threads;

impl Transport for Threads {
    fn start(&self, runs: &Runs, out: &Path, ranks: usize, more: &[&str]) -> Option<Vec<Child>> {
        let size = ranks.to_string();
        let words = [&["--ranks", &size][..], more].concat();
        Some(vec![spawned(Command::new(bekker()).args(runs.arguments(out, &words)))])
    }
}

/// Starts a process whose output is kept.
pub fn spawned(command: &mut Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Returns the output of each process of a job once all have ended.
pub fn wait_for_outputs(job: Vec<Child>) -> Vec<Output> {
    job.into_iter().map(|process| process.wait_with_output().unwrap()).collect()
}

/// Runs a job to its end, which must be a success. Returns whether the transport has a launcher.
#[track_caller]
fn completes(
    transport: &dyn Transport,
    runs: &Runs,
    out: &Path,
    ranks: usize,
    more: &[&str],
) -> bool {
    let Some(job) = transport.start(runs, out, ranks, more) else { return false };
    for output in wait_for_outputs(job) {
        assert!(output.status.success(), "{ranks} ranks, {more:?}: {}", stderr_text(&output));
    }
    true
}

/// Checks that these files of two runs have the same bytes.
#[track_caller]
pub fn assert_same_files(files: &[&str], expected: &Path, found: &Path, what: &str) {
    for file in files {
        let bytes = |folder: &Path| std::fs::read(folder.join(file)).unwrap();
        assert!(bytes(expected) == bytes(found), "{what}: {file}");
    }
}

/// Checks that two runs left the same record, checkpoint and summary.
#[track_caller]
pub fn assert_same_record(expected: &Path, found: &Path, what: &str) {
    let files = ["hashes.csv", "states.csv", "states.parquet", "checkpoint.bin"];
    assert_same_files(&files, expected, found, what);
    let summary = |folder: &Path| -> serde_json::Value {
        let mut summary: serde_json::Value =
            serde_json::from_str(&read(folder, "summary.json")).unwrap();
        // The only values that are not simulated.
        summary["wall"] = 0.into();
        summary["resumed_at"] = serde_json::Value::Null;
        summary
    };
    assert_eq!(summary(expected), summary(found), "{what}");
}

/// Files that a restarted or resumed run writes as an uninterrupted one.
#[cfg(target_os = "linux")]
pub const RESTORED: [&str; 3] = ["hashes.csv", "states.parquet", "checkpoint.bin"];

/// Checks that a scenario leaves the record of one process on these numbers of ranks with these
/// options.
pub fn check_records(transport: &dyn Transport, scenario: &str, cases: &[(usize, &[&str])]) {
    let runs = Runs::new(scenario);
    let single = runs.out("single");
    runs.single(&single, &[]);
    for (index, (ranks, more)) in cases.iter().enumerate() {
        let out = runs.out(&index.to_string());
        if !completes(transport, &runs, &out, *ranks, more) {
            return;
        }
        assert_same_record(&single, &out, &format!("{ranks} ranks, {more:?}"));
    }
}

/// Checks that a run cut on three ranks and resumed on two has the hashes of one process.
pub fn check_resume(transport: &dyn Transport, resuming: &dyn Transport) {
    let runs = Runs::new(SCENARIO);
    let [whole, cut, rest] = ["whole", "cut", "rest"].map(|name| runs.out(name));
    runs.single(&whole, &[]);
    if !completes(transport, &runs, &cut, 3, &["--set", "time.duration=0.7"]) {
        return;
    }
    assert!(completes(resuming, &runs, &rest, 2, &["--resume", cut.to_str().unwrap()]));
    let [whole, cut, rest] = [whole, cut, rest].map(|folder| read(&folder, "hashes.csv"));
    let lines: Vec<&str> = whole.lines().collect();
    assert_eq!(cut.lines().collect::<Vec<_>>(), lines[..=70]);
    assert_eq!(rest.lines().skip(1).collect::<Vec<_>>(), lines[71..]);
}

/// Options of a run that lasts until it is ended, with frequent checkpoints.
#[cfg(target_os = "linux")]
pub const ENDLESS: [&str; 4] = ["--set", "time.duration=600", "--checkpoint-every", "0.1"];

/// Returns the process of a rank of the run that writes to `out`.
#[cfg(target_os = "linux")]
pub fn process_of(rank: usize, out: &Path) -> Option<String> {
    let words = |file: PathBuf| -> Vec<String> {
        let bytes = std::fs::read(file).unwrap_or_default();
        bytes.split(|&byte| byte == 0).map(|word| String::from_utf8_lossy(word).into()).collect()
    };
    let (out, rank) = (out.to_str()?, rank.to_string());
    let launched = ["OMPI_COMM_WORLD_RANK", "PMI_RANK"].map(|name| format!("{name}={rank}"));
    std::fs::read_dir("/proc").unwrap().flatten().find_map(|entry| {
        let line = words(entry.path().join("cmdline"));
        let is_rank = || {
            line.windows(2).any(|pair| pair == ["--rank", &rank])
                || words(entry.path().join("environ")).iter().any(|word| launched.contains(word))
        };
        let is_own = line.iter().any(|word| word == out) && is_rank();
        is_own.then(|| entry.file_name().into_string().unwrap())
    })
}

/// Waits for a condition, at most two minutes.
#[track_caller]
pub fn wait_until(condition: &dyn Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_secs(120), "the condition is not met");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Sends a signal to a process.
#[track_caller]
pub fn signal(signal: &str, process: &str) {
    assert!(Command::new("kill").args([signal, process]).status().unwrap().success());
}

/// Starts three ranks and sends rank 1 a signal once it is time. Returns the output of the first
/// process.
#[cfg(target_os = "linux")]
pub fn strike(
    transport: &dyn Transport,
    runs: &Runs,
    out: &Path,
    name: &str,
    is_time: &dyn Fn() -> bool,
    more: &[&str],
) -> Option<Output> {
    let job = transport.start(runs, out, 3, more)?;
    wait_until(is_time);
    // After the last file is written, all ranks report that they are ready.
    std::thread::sleep(Duration::from_millis(100));
    signal(name, &process_of(1, out).expect("rank 1 runs"));
    wait_for_outputs(job).into_iter().next()
}

/// Does the same as [`strike`] for an endless run, after its first checkpoint.
#[cfg(target_os = "linux")]
pub fn strike_endless(
    transport: &dyn Transport,
    runs: &Runs,
    out: &Path,
    name: &str,
    timeout: &str,
) -> Option<Output> {
    let more = [&ENDLESS[..], &["--timeout", timeout]].concat();
    strike(transport, runs, out, name, &|| out.join("checkpoint.bin").exists(), &more)
}

/// Resumes an interrupted run in its folder on two ranks: its record must have no gap. Returns the
/// tick from which it was resumed.
#[cfg(target_os = "linux")]
pub fn resume_in_place(runs: &Runs, out: &Path) -> u64 {
    // The tick of the interruption is close to the last hashes: run until after it.
    let hashes = read(out, "hashes.csv");
    // A run interrupted before its first heartbeat leaves only a header.
    let last = hashes.lines().skip(1).last().map_or("0", |row| row.split(',').nth(1).unwrap());
    let last: f64 = last.parse().unwrap();
    let until = format!("time.duration={}", last.ceil() + 1.0);
    let whole = runs.out("whole");
    runs.single(&whole, &["--set", &until]);
    let resume = ["--ranks", "2", "--resume", out.to_str().unwrap(), "--set", &until];
    runs.single(out, &resume);
    for file in ["hashes.csv", "states.csv"] {
        assert_eq!(read(out, file), read(&whole, file), "{file}");
    }
    let summary: serde_json::Value = serde_json::from_str(&read(out, "summary.json")).unwrap();
    (summary["resumed_at"].as_f64().expect("it was resumed") / 0.002).round() as u64
}

/// Checks that a killed rank ends the job with a message and leaves a checkpoint.
#[cfg(target_os = "linux")]
pub fn check_kill(transport: &dyn Transport, timeout: &str, message: &str) {
    let runs = Runs::new(SCENARIO);
    let out = runs.out("killed");
    let Some(output) = strike_endless(transport, &runs, &out, "-KILL", timeout) else { return };
    assert!(!output.status.success(), "{}", stderr_text(&output));
    assert!(stderr_text(&output).contains(message), "{}", stderr_text(&output));
    resume_in_place(&runs, &out);
}

/// A run that a signal ended.
#[cfg(target_os = "linux")]
pub struct Interrupted {
    pub runs: Runs,
    pub out: PathBuf,
    /// Standard error of the first process.
    pub told: String,
}

/// Checks that a signal to rank 1 ends the run on all ranks, as Ctrl-C ends it in one process.
#[cfg(target_os = "linux")]
pub fn check_signal(transport: &dyn Transport, name: &str) -> Option<Interrupted> {
    let runs = Runs::new(SCENARIO);
    let out = runs.out("interrupted");
    let output = strike_endless(transport, &runs, &out, name, "60")?;
    assert_eq!(output.status.code(), Some(130), "{name}: {}", stderr_text(&output));
    for file in ["states.csv", "hashes.csv", "summary.json", "manifest.json"] {
        assert!(out.join(file).exists(), "{name}: {file}");
    }
    Some(Interrupted { runs, out, told: stderr_text(&output) })
}
