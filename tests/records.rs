//! Files of a run on disk, for any end of the run.
//!
//! The tests use the binary, real signals, links, full disks and moved folders.

use crate::runs;

use runs::{Runs, stderr_text};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Two vehicles, one with small sensors; fast to simulate.
const SCENARIO: &str = r#"
format = 1
name = "recorded"
seed = 7
time = { duration = 1.2 }
soil = { default = "chrono_mid" }

[[vehicle]]
name = "lead"
model = "hmmwv"
position = [0, 0]
driver = { kind = "path", waypoints = [[0, 0], [60, 0]], speed = 4 }
sensor = [
  { name = "imu", model = { kind = "imu", preset = "tactical" }, rate = 100, lag = 0.004 },
  { name = "truth", model = { kind = "odometry" }, rate = 20 },
]

[[vehicle]]
name = "second"
model = "mrzr4"
position = [-12, 0]
driver = { kind = "follow", leader = "lead", gap = 8 }

[output]
interval = 0.05
picture = { draw = false }
"#;

fn runs() -> Runs {
    Runs::new(SCENARIO)
}

impl Runs {
    fn command(&self, out: &Path, more: &[&str]) -> Command {
        let mut command = bekker();
        command.arg("run").arg(&self.scenario).args(["-q", "--out"]).arg(out).args(more);
        command
    }

    /// Runs to the end and returns the folder.
    fn whole(&self, name: &str, more: &[&str]) -> PathBuf {
        let out = self.out(name);
        succeeds(&mut self.command(&out, more));
        out
    }

    /// Starts a run of an hour and waits until it has written output.
    fn start_run(&self, out: &Path, more: &[&str]) -> Child {
        start_run(self.command(out, more), out)
    }
}

/// Starts any command and waits until it has written output.
fn start_run(mut command: Command, out: &Path) -> Child {
    command.args(["--set", "time.duration=3600"]).stdout(Stdio::null()).stderr(Stdio::piped());
    let run = command.spawn().unwrap();
    let since = Instant::now();
    while !out.join("checkpoint.bin").exists() {
        assert!(since.elapsed() < Duration::from_secs(120), "no checkpoint came");
        std::thread::sleep(Duration::from_millis(5));
    }
    run
}

/// Wraps a command in `env` with an option that sets the handling of a signal.
#[cfg(unix)]
fn heeding(command: Command, option: &str) -> Command {
    let mut other = Command::new("env");
    other.arg(option).arg(command.get_program()).args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        other.current_dir(folder);
    }
    other
}

fn bekker() -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("bekker"));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

fn succeeds(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", stderr_text(&output));
    output
}

/// Asserts a failure with this exit code and returns the error output.
fn fails(command: &mut Command, code: i32) -> String {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{command:?}: {}", stderr_text(&output));
    stderr_text(&output)
}

fn signal(process: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &process.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

const OFTEN: [&str; 2] = ["--checkpoint-every", "0.05"];

/// A resume that is not allowed is refused before any file changes.
#[test]
fn other_columns_are_refused_and_leave_the_record_as_it_was() {
    let runs = runs();
    let out = runs.whole("columns", &["--no-picture", "--set", "time.duration=0.4"]);
    let files = ["scenario.toml", "manifest.json", "checkpoint.bin", "states.csv"];
    let held = || files.map(|name| std::fs::read(out.join(name)).unwrap());
    let before = held();
    for (set, key) in [
        ("output.columns=[\"speed\"]", "output.columns = [\"speed\"]"),
        ("output.vehicles=[\"lead\"]", "output.vehicles = [\"lead\"]"),
        ("output.states=[]", "output.states"),
        ("output.readings=false", "output.readings = false"),
    ] {
        let mut command = bekker();
        command.args(["run", "-q", "--no-picture", "--resume"]).arg(&out);
        let output = command.args(["--set", set, "--set", "time.duration=0.8"]).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{set}: {}", stderr_text(&output));
        assert!(stderr_text(&output).contains(key), "{}", stderr_text(&output));
        assert!(held() == before, "{set}");
    }
}

/// Rows missing from a CSV are taken from the Parquet file; without one, an incomplete sample is
/// reported.
#[test]
fn a_torn_sample_is_repaired_or_reported() {
    let runs = runs();
    let goes_on = |out: &Path| {
        let mut command = bekker();
        command.args(["run", "-q", "--no-picture", "--resume"]).arg(out);
        command.args(["--set", "time.duration=0.8"]).output().unwrap()
    };
    let tear = |out: &Path, name: &str, by: usize| {
        let text = std::fs::read(out.join(name)).unwrap();
        std::fs::write(out.join(name), &text[..text.len() - by]).unwrap();
    };
    let whole = runs.whole("straight", &["--no-picture", "--set", "time.duration=0.8"]);
    let out = runs.whole("torn", &["--no-picture", "--set", "time.duration=0.4"]);
    tear(&out, "states.csv", 300);
    tear(&out, "readings_imu.csv", 900);
    let output = goes_on(&out);
    assert!(output.status.success(), "{}", stderr_text(&output));
    for name in ["states.csv", "readings_imu.csv", "states.parquet", "readings_imu.parquet"] {
        let [one, other] = [&whole, &out].map(|folder| std::fs::read(folder.join(name)).unwrap());
        assert!(one == other, "{name}");
    }
    let only = ["--no-picture", "--set", "time.duration=0.4", "--set", "output.states=[\"csv\"]"];
    let out = runs.whole("lost", &only);
    tear(&out, "states.csv", 300);
    let output = goes_on(&out);
    assert!(
        stderr_text(&output).contains("not a multiple of 2 vehicles"),
        "{}",
        stderr_text(&output)
    );
}

/// If all drives end between two samples, one more sample records their end.
#[test]
fn the_end_of_the_last_drive_is_sampled() {
    let one = SCENARIO.split("[[vehicle]]\nname = \"second\"").next().unwrap();
    let runs = Runs::new(&format!(
        "{}[endings]\narrived = true\n[output]\ninterval = 0.5\npicture = {{ draw = false }}\n",
        one.replace("duration = 1.2", "duration = 60").replace("[60, 0]", "[4, 0]")
    ));
    let out = runs.whole("ends", &[]);
    let summary: serde_json::Value =
        serde_json::from_slice(&std::fs::read(out.join("summary.json")).unwrap()).unwrap();
    let simulated = summary["simulated"].as_f64().unwrap();
    let states = std::fs::read_to_string(out.join("states.csv")).unwrap();
    let times: Vec<f64> =
        states.lines().skip(1).map(|row| row.split(',').next().unwrap().parse().unwrap()).collect();
    assert_eq!(times.last(), Some(&simulated), "{times:?}");
    assert!(simulated < 59.0 && (simulated / 0.5).fract() > 1e-6, "{simulated} s");
    assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
}

/// A run hashed at every seventh heartbeat has the corresponding rows of a run hashed at every one.
///
/// This also holds on ranks with the neighbor route. The run is verified by these rows, and a
/// missing row is detected.
#[test]
fn a_sparsely_hashed_run_is_verified_by_its_hashes() {
    let runs = runs();
    let each = runs.whole("each", &[]);
    let rows = |run: &Path| {
        let text = std::fs::read_to_string(run.join("hashes.csv")).unwrap();
        text.lines().map(str::to_owned).collect::<Vec<String>>()
    };
    let all = rows(&each);
    let seventh: Vec<String> = all
        .iter()
        .enumerate()
        .filter(|(row, _)| row % 7 == 0)
        .map(|(_, row)| row.clone())
        .collect();
    assert_eq!((all.len(), seventh.len()), (121, 18));
    for (name, more) in [
        ("alone", &["--hash-every", "7"][..]),
        ("near", &["--set", "output.hash_every=7", "--ranks", "2", "--route", "neighbor"]),
    ] {
        let run = runs.whole(name, more);
        assert_eq!(rows(&run), seventh, "{name}");
        succeeds(bekker().arg("replay").arg(&run).arg("--verify"));
    }
    // Records of the surroundings of vehicles need ground that rank 0 does not hold.
    for file in ["states.parquet", "sensors.mcap", "checkpoint.bin"] {
        let bytes = |name: &str| std::fs::read(runs.out(name).join(file)).unwrap();
        assert!(bytes("near") == bytes("alone"), "{file}");
    }
    let error = fails(&mut runs.command(&runs.out("none"), &["--hash-every", "0"]), 3);
    assert!(error.contains("output.hash_every"), "{error}");
}

#[test]
#[cfg(unix)]
fn sigterm_and_sighup_end_a_run_like_ctrl_c() {
    let runs = runs();
    for name in ["-INT", "-TERM", "-HUP"] {
        let out = runs.out(name);
        // The parent process may ignore SIGHUP.
        let run = start_run(heeding(runs.command(&out, &OFTEN), "--default-signal=HUP"), &out);
        signal(&run, name);
        let output = run.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{name}: {}", stderr_text(&output));
        assert!(stderr_text(&output).contains("interrupted"), "{}", stderr_text(&output));
        assert!(out.join("summary.json").exists(), "{name}");
    }
    // A signal ignored by `nohup` stays ignored.
    let out = runs.out("nohup");
    let mut ignoring = heeding(runs.command(&out, &OFTEN), "--ignore-signal=HUP");
    let run = ignoring.stdout(Stdio::null()).spawn().unwrap();
    let since = Instant::now();
    while !out.join("checkpoint.bin").exists() {
        assert!(since.elapsed() < Duration::from_secs(120), "no checkpoint came");
        std::thread::sleep(Duration::from_millis(5));
    }
    signal(&run, "-HUP");
    assert!(run.wait_with_output().unwrap().status.success());
}

/// A run is interrupted while its vehicles settle.
///
/// In a test build a thousand vehicles take a minute for that.
#[test]
#[cfg(unix)]
fn a_run_is_interrupted_while_its_vehicles_are_placed() {
    let folder = tempfile::tempdir().unwrap();
    for ranks in ["1", "2"] {
        let out = folder.path().join(ranks);
        let mut run = bekker();
        run.args(["run", "examples/brigade.toml", "--no-picture", "--ranks", ranks, "--out"]);
        let mut run = run.arg(&out).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut told = BufReader::new(run.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains("computing static equilibrium of 1000 vehicles") {
            line.clear();
            assert!(told.read_line(&mut line).unwrap() > 0, "it has ended before");
        }
        signal(&run, "-INT");
        told.read_to_string(&mut line).unwrap();
        assert_eq!(run.wait().unwrap().code(), Some(130), "{line}");
        assert!(line.contains("interrupted while vehicles were placed"), "{line}");
        assert!(!out.join("checkpoint.bin").exists() && !out.join("summary.json").exists());
    }
}

#[test]
fn two_runs_do_not_write_into_one_folder() {
    let runs = runs();
    let out = runs.out("one");
    let mut run = runs.start_run(&out, &OFTEN);
    let refused = fails(&mut runs.command(&out, &["--force"]), 1);
    assert!(refused.contains("is in use by another run (process"), "{refused}");
    assert!(refused.contains(&run.id().to_string()), "{refused}");
    run.kill().unwrap();
    run.wait().unwrap();
    succeeds(&mut runs.command(&out, &["--force"]));
}

/// Every command that writes refuses a device, a pipe or a link and leaves it unchanged.
#[test]
#[cfg(unix)]
fn outputs_replace_regular_files_only() {
    let runs = runs();
    let target = runs.out("target.png");
    std::fs::write(&target, "mine").unwrap();
    let link = runs.out("link.png");
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let pipe = runs.out("pipe.png");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let null = runs.out("null.png");
    std::os::unix::fs::symlink("/dev/null", &null).unwrap();
    let rig = ["rig", "plate", "--soil", "chrono_mid", "--no-check", "--plot"];
    let render = ["render", runs.scenario.to_str().unwrap(), "--size", "64x36", "--out"];
    let import = ["terrain", "import", "terrains/jacksboro_fault.tif"];
    for (place, what) in [(&link, "a link"), (&null, "a link"), (&pipe, "a device, pipe or socket")]
    {
        for arguments in [&rig[..], &render, &import] {
            let output = bekker().args(arguments).arg(place).output().unwrap();
            let told = stderr_text(&output);
            assert!(!output.status.success(), "{arguments:?} {}", place.display());
            assert!(told.contains(what) && told.contains("only regular files"), "{told}");
        }
    }
    assert_eq!(std::fs::read(&target).unwrap(), b"mine");
    assert!(link.is_symlink() && null.is_symlink());
    // The same in a run's folder.
    let out = runs.out("out");
    std::fs::create_dir(&out).unwrap();
    std::os::unix::fs::symlink(&target, out.join("states.csv")).unwrap();
    let told = fails(&mut runs.command(&out, &["--force"]), 1);
    assert!(told.contains("states.csv is a link"), "{told}");
    assert_eq!(std::fs::read(&target).unwrap(), b"mine");
}

/// A checkpoint of another run is refused with every key that differs.
#[test]
fn a_checkpoint_of_another_run_is_refused_with_the_differences() {
    let runs = runs();
    let out = runs.whole("first", &["--set", "time.duration=0.1"]);
    let resume = ["--resume", out.to_str().unwrap()];
    let refused = |sets: &[&str]| {
        let mut command = runs.command(&runs.out("rest"), &resume);
        sets.iter().for_each(|set| {
            command.args(["--set", set]);
        });
        fails(&mut command, 3)
    };
    let told = refused(&["seed=8"]);
    assert!(told.contains("belongs to another run: seed was 7 and is 8"), "{told}");
    let told = refused(&["soil.default=mud"]);
    assert!(told.contains("soil.default was \"chrono_mid\" and is \"mud\""), "{told}");
    let told = refused(&["vehicle[1].model=hmmwv"]);
    assert!(told.contains("parameters of vehicle[1].model changed"), "{told}");
    // Keys that only affect reports may differ.
    let ways = ["--set", "output.interval=0.1", "--set", "name='other'"];
    let arguments = [&resume[..], &ways, &["--set", "time.duration=0.2"]].concat();
    succeeds(&mut runs.command(&runs.out("rest"), &arguments));
}

/// Returns all files of a folder by name, except those that contain wall times.
fn files(folder: &Path) -> std::collections::BTreeMap<String, Vec<u8>> {
    let mut all = std::collections::BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in std::fs::read_dir(inner).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            if !["manifest.json", "summary.json", ".lock"].contains(&name.as_str()) {
                all.insert(name, std::fs::read(path).unwrap());
            }
        }
    }
    all
}

fn same(whole: &Path, other: &Path, what: &str) {
    let (whole, other) = (files(whole), files(other));
    let names = |files: &std::collections::BTreeMap<String, Vec<u8>>| {
        files.keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(names(&whole), names(&other), "{what}");
    for (name, bytes) in &whole {
        assert!(*bytes == other[name], "{what}: {name} differs");
    }
}

/// Interval of checkpoints of the run that is killed repeatedly, s.
const CHECKPOINTS: f64 = 0.15;

/// A run killed at random times and resumed each time leaves the record of an uninterrupted run,
/// byte for byte.
///
/// After each kill the folder is complete up to the last heartbeat.
#[test]
fn a_repeatedly_killed_run_leaves_one_seamless_record() {
    // Frames of a camera, each in its own file.
    let camera = "sensor = [\n  { name = \"eye\", model = { kind = \"camera\", width = 16, \
        height = 12 }, rate = 20, lag = 0.02, save = [\"png\"] },\n";
    let runs = Runs::new(&SCENARIO.replace("sensor = [\n", camera));
    let every = CHECKPOINTS.to_string();
    let long = ["--set", "time.duration=3", "--checkpoint-every", &every];
    let whole = runs.whole("whole", &long);
    let cut = runs.out("cut");
    let mut kills = 0;
    let mut run = runs.command(&cut, &long).stdout(Stdio::null()).spawn().unwrap();
    let heartbeats = || {
        let hashes = std::fs::read_to_string(cut.join("hashes.csv")).unwrap_or_default();
        hashes.lines().count()
    };
    // Before the first checkpoint, which is at 15 heartbeats, and at moments from it to the end.
    for reached in [3, 20, 45, 50, 110, 165, 240] {
        let since = Instant::now();
        while run.try_wait().unwrap().is_none() && heartbeats() < reached {
            assert!(since.elapsed() < Duration::from_secs(120), "{reached} heartbeats never came");
            std::thread::sleep(Duration::from_millis(1));
        }
        if run.try_wait().unwrap().is_none() {
            run.kill().unwrap();
            kills += 1;
        }
        run.wait().unwrap();
        if !cut.join("checkpoint.bin").exists() {
            // Killed before the first checkpoint: nothing to resume.
            let mut again = runs.command(&cut, &long);
            run = again.arg("--force").stdout(Stdio::null()).spawn().unwrap();
            continue;
        }
        is_whole_so_far(&cut);
        // As if the kill had interrupted the writing of an image.
        let pictures = cut.join("sensors/lead/eye");
        if pictures.exists() {
            std::fs::write(pictures.join(".000007.png.1.part"), "half").unwrap();
        }
        let mut rest = bekker();
        rest.args(["run", "-q", "--resume"]).arg(&cut).args(&long[2..]);
        run = rest.stdout(Stdio::null()).spawn().unwrap();
    }
    assert!(run.wait().unwrap().success());
    assert!(kills > 3, "only {kills} kills came before the end");
    same(&whole, &cut, "killed and resumed");
    succeeds(bekker().args(["replay", "--verify"]).arg(&cut));
    // A completed run resumes as if its duration had been longer from the start.
    let short = runs.whole("short", &["--set", "time.duration=0.7"]);
    let longer = ["--resume", short.to_str().unwrap(), "--set", "time.duration=3"];
    succeeds(bekker().args(["run", "-q"]).args(longer));
    same(&whole, &short, "made longer");
}

/// A resumed run must last at least until its checkpoint, in place and in a new folder.
///
/// Warnings refer to lines of the scenario in that folder.
#[test]
fn a_resumed_run_is_checked_against_the_original() {
    let runs = runs();
    let cut = runs.whole("cut", &["--set", "time.duration=0.2", "--set", "ground.spacing=0.1"]);
    let other = runs.out("other");
    let on = |more: &[&str]| {
        let mut command = bekker();
        command.args(["run", "--no-picture", "--resume"]).arg(&cut).args(more);
        command.output().unwrap()
    };
    let short = ["--set", "time.duration=0.1"];
    let apart = [&short[..], &["--out", other.to_str().unwrap()]].concat();
    for more in [&short[..], &apart] {
        let output = on(more);
        let line = "time.duration = 0.1: must be at least 0.2 s, the time that the run to resume";
        assert!(stderr_text(&output).contains(line), "{}", stderr_text(&output));
        assert_eq!(output.status.code(), Some(3));
    }
    assert!(!other.exists());
    let said = stderr_text(&on(&["--set", "time.duration=0.3"]));
    let path = format!("{}", cut.join("scenario.toml").display());
    let line = said.lines().find_map(|line| line.strip_prefix(&format!("warning: {path}:")));
    let (number, what) = line.and_then(|line| line.split_once(": ")).expect(&said);
    assert!(what.starts_with("ground.spacing = 0.1: "), "{said}");
    let scenario = std::fs::read_to_string(&path).unwrap();
    let named = scenario.lines().nth(number.parse::<usize>().unwrap() - 1);
    assert_eq!(named, Some("spacing = 0.1"), "{said}");
}

/// Asserts complete lines, rows in step with the hashes, and files that their readers accept.
fn is_whole_so_far(out: &Path) {
    let text = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    let hashes = text("hashes.csv");
    let last: f64 =
        hashes.lines().last().unwrap().split(',').nth(1).unwrap().parse().unwrap_or(0.0);
    let tables = ["hashes", "states", "readings_imu", "readings_odometry", "frames"];
    for name in tables.map(|name| format!("{name}.csv")) {
        assert!(text(&name).ends_with('\n'), "{name} ends within a line");
    }
    for frame in text("frames.csv").lines().skip(1).map(|line| line.split(',').nth(4).unwrap()) {
        assert!(out.join(frame).exists(), "{frame}");
    }
    let states = text("states.csv");
    let state: f64 =
        states.lines().last().unwrap().split(',').next().unwrap().parse().unwrap_or(0.0);
    // In step, unless the kill interrupted a resume that was truncating the files to its
    // checkpoint.
    let behind = last.min(state) / CHECKPOINTS;
    assert!(
        (last - state).abs() < 0.051 || (behind - behind.round()).abs() < 1e-6,
        "hashes to {last} s, states to {state} s"
    );
    // Parquet may lag by a second of wall time, but is a complete file.
    let times = times_of_parquet(out);
    let time = |line: &str| line.split(',').next().unwrap().parse::<f64>().unwrap();
    let all = states.lines().skip(1).map(time);
    assert!(all.take(times.len()).eq(times.iter().copied()), "{times:?}");
    // A run may have ended before the kill.
    assert!(text("manifest.json").contains("\"status\": "));
    assert!(out.join("README.md").exists() && out.join("scenario.toml").exists());
}

/// Returns column `time_s` of `states.parquet`.
fn times_of_parquet(out: &Path) -> Vec<f64> {
    use parquet::file::reader::SerializedFileReader;
    use parquet::record::RowAccessor;
    let path = out.join("states.parquet");
    let reader = SerializedFileReader::try_from(path.as_path()).unwrap();
    reader.into_iter().map(|row| row.unwrap().get_double(0).unwrap()).collect()
}

/// A record that ends before its checkpoint is not resumed, since the rows between them would be
/// lost.
///
/// A resumed run must also keep the recording settings of its record.
#[test]
fn a_record_that_ends_before_its_checkpoint_is_not_continued() {
    let runs = runs();
    let out = runs.whole("short", &[]);
    let go_on = |more: &[&str]| {
        let mut command = bekker();
        command.args(["run", "-q", "--resume"]).arg(&out).args(["--set", "time.duration=1.4"]);
        command.args(more);
        command
    };
    let status = || {
        let text = std::fs::read_to_string(out.join("manifest.json")).unwrap();
        let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
        manifest["status"].as_str().unwrap().to_owned()
    };
    for (set, told) in [
        (
            "output.hash_every=5",
            "output.hash_every = 5: must be 1 (null: not given), as in the resumed record in",
        ),
        (
            "output.interval=0.1",
            "output.interval = 0.1: must be 0.05 (null: not given), as in the resumed record in",
        ),
        ("time.duration=1", "time.duration = 1: must be at least 1.2 s"),
    ] {
        let error = fails(&mut go_on(&["--set", set]), 3);
        assert!(error.contains(told), "{error}");
    }
    for (file, to) in [("hashes.csv", 3000), ("states.csv", 20_000), ("sensors.mcap", 9_000)] {
        let path = out.join(file);
        let bytes = std::fs::read(&path).unwrap();
        assert!(bytes.len() > 2 * to, "{file}: {} bytes", bytes.len());
        std::fs::write(&path, &bytes[..to]).unwrap();
        let error = stderr_text(&go_on(&[]).output().unwrap());
        assert!(
            error.contains(file) && error.contains("but the checkpoint is at 1.2 s"),
            "{error}"
        );
        std::fs::write(&path, bytes).unwrap();
        if file != "sensors.mcap" {
            assert_eq!(status(), "complete", "{file}");
        }
    }
    succeeds(&mut go_on(&[]));
    let whole = runs.whole("longer", &["--set", "time.duration=1.4"]);
    same(&whole, &out, "resumed");
}

/// A run with states in Parquet only is killed, resumed, completed and extended.
///
/// Its files have the bytes of an uninterrupted run.
#[test]
fn a_parquet_only_record_is_continued() {
    let runs = runs();
    let long = ["--set", "output.states=['parquet']", "--set", "time.duration=2"];
    let whole = runs.whole("whole", &long);
    assert!(!whole.join("states.csv").exists());
    let cut = runs.out("cut");
    let mut run = runs.start_run(&cut, &[&long[..2], &["--checkpoint-every", "0.1"]].concat());
    // After the first second of wall time, when Parquet holds the first rows.
    let since = Instant::now();
    while times_of_parquet(&cut).len() <= 2 {
        assert!(since.elapsed() < Duration::from_secs(60), "Parquet shows nothing");
        std::thread::sleep(Duration::from_millis(20));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    assert!(times_of_parquet(&cut).len() > 2);
    // It may be past the end of the complete run.
    let checkpoint = times_of_parquet(&cut).last().unwrap() + 1.0;
    let end = format!("time.duration={}", checkpoint.ceil());
    let resume = |folder: &Path, end: &str| {
        succeeds(bekker().args(["run", "-q", "--resume"]).arg(folder).args(["--set", end]));
    };
    resume(&cut, &end);
    resume(&whole, &end);
    same(&whole, &cut, "killed, and made longer");
}

/// Heartbeat metrics are written continuously: those of a killed run can be read and are continued
/// without a gap.
#[test]
fn heartbeat_metrics_are_continued() {
    let runs = runs();
    let out = runs.out("cut");
    let with = ["--ranks", "2", "--trace", "--checkpoint-every", "0.05"];
    let mut run = runs.start_run(&out, &with);
    let text = |name: &str| std::fs::read_to_string(out.join(name)).unwrap_or_default();
    let since = Instant::now();
    while text("heartbeats.csv").lines().count() < 60 {
        assert!(since.elapsed() < Duration::from_secs(60), "no heartbeats are written");
        std::thread::sleep(Duration::from_millis(5));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    // A killed process leaves a partial line: the kernel ends a write at a page boundary.
    let whole_lines = |text: &str| text[..text.rfind('\n').map_or(0, |end| end + 1)].to_owned();
    let ticks = || -> Vec<(u64, u64)> {
        let text = whole_lines(&text("heartbeats.csv"));
        let numbers = |line: &str| line.split(',').flat_map(str::parse::<u64>).collect();
        let pair = |numbers: Vec<u64>| (numbers[0], numbers[1]);
        text.lines().skip(1).map(|line| pair(numbers(line))).collect()
    };
    // Every heartbeat of five steps on each of two ranks, from the first to the last.
    let without_gap = |ticks: &[(u64, u64)]| {
        let all = (0..).flat_map(|heartbeat| [(5 * heartbeat, 0), (5 * heartbeat, 1)]);
        assert!(all.take(ticks.len()).eq(ticks.iter().copied()), "{ticks:?}");
    };
    without_gap(&ticks());
    let steps = |text: &str| {
        let events: Vec<serde_json::Value> = serde_json::from_str(text).unwrap();
        let steps = events.into_iter().filter(|event| event["name"] == "step");
        steps.map(|event| event["args"]["tick"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    // The complete lines lack only a closing bracket.
    steps(&(whole_lines(&text("trace.json")).trim_end().trim_end_matches(',').to_owned() + "]"));
    let before = ticks().last().unwrap().0;
    let end = format!("time.duration={}", (before as f64 * 0.002).ceil() + 1.0);
    let mut rest = bekker();
    rest.args(["run", "-q", "--resume"]).arg(&out).args(with).args(["--set", &end]);
    succeeds(&mut rest);
    assert!(text("heartbeats.csv").ends_with('\n'));
    without_gap(&ticks());
    assert!(ticks().last().unwrap().0 > before + 400);
    let of_rows: Vec<u64> = ticks().into_iter().map(|(tick, _)| tick).collect();
    assert_eq!(steps(&text("trace.json")), of_rows);
    succeeds(bekker().args(["replay", "--verify"]).arg(&out));
}

/// `--checkpoint-every` does not change any output.
#[test]
fn checkpoints_change_nothing() {
    let runs = runs();
    let rare = runs.whole("rare", &[]);
    let often = runs.whole("often", &["--checkpoint-every", "0.01"]);
    same(&rare, &often, "with a checkpoint at every heartbeat");
}

/// A run folder can be moved and replayed without its original inputs: a DEM, a custom vehicle and
/// a path.
#[test]
fn a_run_folder_is_replayed_where_it_is_moved() {
    let dem = "terrain = { surface = { kind = \"dem\", file = \"ground/hill.asc\", origin = [0, 0] } }\n\
               soil = ";
    let text = SCENARIO
        .replace("soil = ", dem)
        .replace("model = \"mrzr4\"", "model = \"own/car.toml\"")
        .replace("[[0, 0], [60, 0]]", "{ file = \"own/way.csv\" }");
    let runs = Runs::new(&text);
    let folder = runs.folder.path();
    for inner in ["ground", "own"] {
        std::fs::create_dir(folder.join(inner)).unwrap();
    }
    let row = vec!["1.5"; 21].join(" ");
    let grid = "ncols 21\nnrows 11\nxllcorner -50\nyllcorner -50\ncellsize 10\n";
    std::fs::write(folder.join("ground/hill.asc"), format!("{grid}{}\n", vec![row; 11].join("\n")))
        .unwrap();
    std::fs::copy("crates/vehicle/vehicles/mrzr4.toml", folder.join("own/car.toml")).unwrap();
    let way = "x,y\n0,0\n60,0\n";
    std::fs::write(folder.join("own/way.csv"), way).unwrap();
    let out = runs.out("run");
    let ended = succeeds(
        Command::new(assert_cmd::cargo::cargo_bin("bekker"))
            .arg("run")
            .arg(&runs.scenario)
            .arg("--out")
            .arg(&out),
    );
    let elsewhere = tempfile::tempdir().unwrap();
    let moved = elsewhere.path().join("moved");
    std::fs::rename(&out, &moved).unwrap();
    for inner in ["ground", "own", "scenario.toml"] {
        let path = folder.join(inner);
        if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }
            .unwrap();
    }
    let replay = |folder: &Path| {
        let mut command = bekker();
        command.args(["replay", "--verify"]).arg(folder);
        command
    };
    let replayed = succeeds(&mut replay(&moved));
    assert_eq!(std::fs::read_to_string(moved.join("inputs/own/way.csv")).unwrap(), way);
    // Both print the same hash.
    let hash = |output: &Output| {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let words = text.split(|c: char| !c.is_ascii_hexdigit()).map(str::to_owned);
        words.filter(|word| word.len() == 64).collect::<Vec<String>>()
    };
    assert_eq!(hash(&ended), hash(&replayed));
    assert_eq!(hash(&replayed).len(), 1);
    // The scenario in the folder runs by itself, and accepts its checkpoint.
    let again = elsewhere.path().join("again");
    succeeds(
        bekker().args(["run", "-q"]).arg(moved.join("scenario.toml")).arg("--out").arg(&again),
    );
    let read = |folder: &Path| std::fs::read(folder.join("hashes.csv")).unwrap();
    assert!(read(&moved) == read(&again));
    let longer = ["--set", "time.duration=1.3"];
    succeeds(bekker().args(["run", "-q", "--resume"]).arg(&again).args(longer));
    // A missing input is named, with its hash and where to put it.
    let copy = moved.join("inputs/ground/hill.asc");
    let content = std::fs::read(&copy).unwrap();
    std::fs::remove_file(&copy).unwrap();
    let told = fails(bekker().arg("replay").arg(&moved), 3);
    assert!(
        told.contains("missing")
            && told.contains("SHA-256")
            && told.contains("copy the original file"),
        "{told}"
    );
    std::fs::write(&copy, [&content[..], b" "].concat()).unwrap();
    let told = fails(bekker().arg("replay").arg(&moved), 3);
    assert!(told.contains("hill.asc has changed since the run"), "{told}");
    std::fs::write(&copy, content).unwrap();
    succeeds(&mut replay(&moved));
}

/// Every file is checked against the manifest, and the list of hashes must be complete.
#[test]
fn verify_checks_every_artifact_and_refuses_a_shortened_list() {
    let runs = runs();
    let out = runs.whole("run", &["--set", "time.duration=0.3"]);
    let verify = |out: &Path| fails(bekker().args(["replay", "--verify"]).arg(out), 1);
    let manifest = std::fs::read_to_string(out.join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let listed = manifest["outputs"].as_array().unwrap();
    assert!(listed.len() > 9, "{listed:?}");
    for file in listed {
        let name = file["path"].as_str().unwrap();
        let content = std::fs::read(out.join(name)).unwrap();
        let mut altered = content.clone();
        let middle = altered.len() / 2;
        altered[middle] ^= 1;
        std::fs::write(out.join(name), altered).unwrap();
        let told = verify(&out);
        assert!(told.contains(&format!("changed since the run: {name}")), "{told}");
        std::fs::remove_file(out.join(name)).unwrap();
        let told = verify(&out);
        assert!(told.contains(&format!("missing: {name}")), "{told}");
        std::fs::write(out.join(name), content).unwrap();
    }
    // A shortened list is detected even with a matching manifest.
    let list = out.join("hashes.csv");
    let text = std::fs::read_to_string(&list).unwrap();
    let short: String = text.split_inclusive('\n').take(20).collect();
    std::fs::write(&list, &short).unwrap();
    let mut forged = manifest.clone();
    let entry = forged["outputs"].as_array_mut().unwrap();
    let entry = entry.iter_mut().find(|file| file["path"] == "hashes.csv").unwrap();
    let sum = Command::new("sha256sum").arg(&list).output().unwrap();
    entry["sha256"] = String::from_utf8_lossy(&sum.stdout)[..64].into();
    entry["bytes"] = short.len().into();
    std::fs::write(out.join("manifest.json"), forged.to_string()).unwrap();
    let told = verify(&out);
    assert!(told.contains("hashes.csv is incomplete: the heartbeat at tick"), "{told}");
}

/// A full disk, simulated by a limit on file size, is reported with the file.
///
/// No file marks the run as complete.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_names_the_file() {
    let runs = runs();
    let out = runs.out("full");
    let plain = runs.command(&out, &["--set", "time.duration=20"]);
    let mut shell = Command::new("sh");
    // Blocks of 512 bytes.
    shell.args(["-c", "trap '' XFSZ; ulimit -f 200; exec \"$@\"", "sh"]);
    shell.arg(plain.get_program()).args(plain.get_args());
    let told = fails(shell.current_dir(env!("CARGO_MANIFEST_DIR")), 1);
    assert!(told.contains("cannot write ") && told.contains("/full/"), "{told}");
    let manifest = std::fs::read_to_string(out.join("manifest.json")).unwrap();
    assert!(manifest.contains("\"status\": \"running\""));
    let told = fails(bekker().arg("replay").arg(&out), 1);
    assert!(told.contains("has not ended"), "{told}");
}

/// States of selected vehicles and columns, at a longer interval.
#[test]
fn states_are_thinned_and_chosen() {
    let runs = runs();
    let chosen = [
        "--set",
        "output.vehicles=['second']",
        "--set",
        "output.columns=['speed','wheel_slip']",
        "--set",
        "output.interval=0.2",
    ];
    let out = runs.whole("chosen", &chosen);
    let text = std::fs::read_to_string(out.join("states.csv")).unwrap();
    let header = text.lines().next().unwrap();
    let slips: Vec<String> = (0..4).map(|wheel| format!("wheel{wheel}_slip")).collect();
    assert_eq!(header, format!("time_s,vehicle,name,speed_mps,{}", slips.join(",")));
    assert_eq!(text.lines().count(), 1 + 7, "{text}");
    assert!(text.lines().skip(1).all(|line| line.contains(",1,second,")), "{text}");
    let told =
        fails(&mut runs.command(&runs.out("no"), &["--set", "output.vehicles=['secund']"]), 3);
    assert!(told.contains("output.vehicles[0]") && told.contains("second"), "{told}");
    let told = fails(&mut runs.command(&runs.out("no"), &["--set", "output.columns=['spede']"]), 3);
    assert!(told.contains("output.columns[0]") && told.contains("speed"), "{told}");
}

/// Two vehicles in a column through young trees, the second in the track of the first.
const WOOD: &str = r#"
format = 1
name = "wood"
seed = 7
time = { duration = 6 }
soil = { default = "firm" }

[[scenery]]
kind = "birch"
diameter = 0.06
places = [[5, 0], [14, 0]]

[[vehicle]]
name = "first"
model = "hmmwv"
position = [0, 0]
speed = 4
driver = { kind = "path", waypoints = [[0, 0], [60, 0]], speed = 4 }
sensor = [{ name = "imu", model = { kind = "imu", preset = "tactical" }, rate = 100 }]

[[vehicle]]
name = "second"
model = "hmmwv"
position = [-8, 0]
speed = 4
driver = { kind = "path", waypoints = [[-8, 0], [60, 0]], speed = 4 }
sensor = [{ name = "imu", model = { kind = "imu", preset = "tactical" }, rate = 100 }]

[output]
interval = 0.05
picture = { draw = false }
"#;

/// Fallen trees, the list of collisions and their messages survive a resume.
///
/// A run interrupted between two trees and resumed leaves the files of an uninterrupted run.
#[test]
fn felled_trees_and_collisions_survive_a_resume() {
    let runs = Runs::new(WOOD);
    let whole = runs.whole("whole", &[]);
    let cut = runs.whole("cut", &["--set", "time.duration=1.8"]);
    let hits = |folder: &Path| {
        let text = std::fs::read_to_string(folder.join("hits.csv")).unwrap();
        text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(hits(&cut).len(), 1, "the first tree has fallen: {:?}", hits(&cut));
    let longer = ["--resume", cut.to_str().unwrap(), "--set", "time.duration=6"];
    succeeds(bekker().args(["run", "-q"]).args(longer));
    // The files include hits.csv, sensors.mcap and the hashes, which depend on damage.
    same(&whole, &cut, "cut between two trees");
    let all = hits(&whole);
    assert_eq!(all.len(), 2, "{all:?}");
    // A run interrupted during a collision lists it too, and the resumed run records it once.
    let last_touch: f64 = all[0].split(',').nth(5).unwrap().parse().unwrap();
    let amid = format!("time.duration={:.2}", (last_touch * 20.0).floor() / 20.0 + 0.1);
    let cut = runs.whole("amid", &["--set", &amid]);
    assert_eq!(hits(&cut).len(), 1, "{amid}: {:?}", hits(&cut));
    let longer = ["--resume", cut.to_str().unwrap(), "--set", "time.duration=6"];
    succeeds(bekker().args(["run", "-q"]).args(longer));
    same(&whole, &cut, "cut amid the fall of a tree");
    // The second vehicle has driven over both positions; the first tree fell before the
    // interruption.
    assert!(all.iter().all(|row| row.contains(",first,")), "{all:?}");
    let states = std::fs::read_to_string(whole.join("states.csv")).unwrap();
    let last: Vec<&str> = states.lines().last().unwrap().split(',').collect();
    assert!(last[2] == "second" && last[3].parse::<f64>().unwrap() > 14.0, "{last:?}");
    let recorded = std::fs::read(whole.join("sensors.mcap")).unwrap();
    let topic = b"/first/hit";
    assert!(recorded.windows(topic.len()).any(|bytes| bytes == topic));
    succeeds(bekker().args(["replay", "--verify"]).arg(&cut));
}
