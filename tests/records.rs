//! What a run leaves on disk, whatever becomes of the run: by the binary, with real
//! signals, links, full disks and folders that are moved.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Two vehicles, one with small sensors; quick to drive.
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

struct Runs {
    folder: tempfile::TempDir,
    scenario: PathBuf,
}

impl Runs {
    fn new() -> Runs {
        Runs::of(SCENARIO)
    }

    fn of(text: &str) -> Runs {
        let folder = tempfile::tempdir().unwrap();
        let scenario = folder.path().join("recorded.toml");
        std::fs::write(&scenario, text).unwrap();
        Runs { folder, scenario }
    }

    fn out(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, out: &Path, more: &[&str]) -> Command {
        let mut command = bekker();
        command.arg("run").arg(&self.scenario).args(["-q", "--out"]).arg(out).args(more);
        command
    }

    /// Drives to the end; its folder.
    fn whole(&self, name: &str, more: &[&str]) -> PathBuf {
        let out = self.out(name);
        succeeds(&mut self.command(&out, more));
        out
    }

    /// A run of an hour that has begun to leave something.
    fn begun(&self, out: &Path, more: &[&str]) -> Child {
        let mut command = self.command(out, more);
        command.args(["--set", "time.duration=3600"]).stdout(Stdio::null()).stderr(Stdio::piped());
        let run = command.spawn().unwrap();
        let since = Instant::now();
        while !out.join("checkpoint.bin").exists() {
            assert!(since.elapsed() < Duration::from_secs(120), "no checkpoint came");
            std::thread::sleep(Duration::from_millis(5));
        }
        run
    }
}

fn bekker() -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("bekker"));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn succeeds(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", told(&output));
    output
}

/// What it says when it fails, with this exit code.
fn fails(command: &mut Command, code: i32) -> String {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{command:?}: {}", told(&output));
    told(&output)
}

fn signal(process: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &process.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

const OFTEN: [&str; 2] = ["--checkpoint-every", "0.05"];

#[test]
#[cfg(unix)]
fn sigterm_and_sighup_end_a_run_like_ctrl_c() {
    let runs = Runs::new();
    for name in ["-INT", "-TERM", "-HUP"] {
        let out = runs.out(name);
        let run = runs.begun(&out, &OFTEN);
        signal(&run, name);
        let output = run.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{name}: {}", told(&output));
        assert!(told(&output).contains("interrupted"), "{}", told(&output));
        assert!(out.join("summary.json").exists(), "{name}");
    }
    // what `nohup` has ignored stays ignored
    let out = runs.out("nohup");
    let ignoring = "trap '' HUP; exec \"$@\"";
    let mut inner = vec!["-c".to_owned(), ignoring.into(), "sh".into()];
    let plain = runs.command(&out, &OFTEN);
    inner.push(plain.get_program().to_string_lossy().into_owned());
    inner.extend(plain.get_args().map(|argument| argument.to_string_lossy().into_owned()));
    let run = Command::new("sh").args(inner).stdout(Stdio::null()).spawn().unwrap();
    while !out.join("checkpoint.bin").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    signal(&run, "-HUP");
    assert!(run.wait_with_output().unwrap().status.success());
}

#[test]
fn two_runs_do_not_write_into_one_folder() {
    let runs = Runs::new();
    let out = runs.out("one");
    let mut run = runs.begun(&out, &OFTEN);
    let refused = fails(&mut runs.command(&out, &["--force"]), 1);
    assert!(refused.contains("is in use by another run (process"), "{refused}");
    assert!(refused.contains(&run.id().to_string()), "{refused}");
    run.kill().unwrap();
    run.wait().unwrap();
    succeeds(&mut runs.command(&out, &["--force"]));
}

/// A device, a pipe, a link: refused and left as they are, by every command that writes.
#[test]
#[cfg(unix)]
fn outputs_replace_regular_files_only() {
    let runs = Runs::new();
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
    let physics = ["validate-physics", "--out"];
    for (place, what) in [(&link, "a link"), (&null, "a link"), (&pipe, "a device, pipe or socket")]
    {
        for arguments in [&rig[..], &render, &import, &physics] {
            let output = bekker().args(arguments).arg(place).output().unwrap();
            let told = told(&output);
            assert!(!output.status.success(), "{arguments:?} {}", place.display());
            assert!(told.contains(what) && told.contains("only a regular file"), "{told}");
        }
    }
    assert_eq!(std::fs::read(&target).unwrap(), b"mine");
    assert!(link.is_symlink() && null.is_symlink());
    // in a run's folder too
    let out = runs.out("out");
    std::fs::create_dir(&out).unwrap();
    std::os::unix::fs::symlink(&target, out.join("states.csv")).unwrap();
    let told = fails(&mut runs.command(&out, &["--force"]), 1);
    assert!(told.contains("states.csv is a link"), "{told}");
    assert_eq!(std::fs::read(&target).unwrap(), b"mine");
}

/// A checkpoint of another run: what differs is said, key by key.
#[test]
fn a_checkpoint_of_another_run_says_what_differs() {
    let runs = Runs::new();
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
    assert!(told.contains("figures of vehicle[1].model have changed"), "{told}");
    // what is only reported does not matter
    let ways = ["--set", "output.interval=0.1", "--set", "name='other'"];
    let arguments = [&resume[..], &ways, &["--set", "time.duration=0.2"]].concat();
    succeeds(&mut runs.command(&runs.out("rest"), &arguments));
}
