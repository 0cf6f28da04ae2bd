//! Peers that do not read, system limits, files altered by other programs, and paths that leave
//! their folder.
//!
//! Each ends in a message that names the cause, without partly written files.

use crate::link::{FinishedRun, HEARTBEATS, Run, STEPS, bekker as words, scenario};
use crate::runs::{Runs, stderr_text};
use bekker::scenario::ScenarioFile;
use serde_json::json;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Timeout far beyond the duration of any step here.
const PATIENCE: Duration = Duration::from_secs(240);

const DRIVEN: &str = r#"format = 1
name = "driven"
time = { duration = 0.3 }
soil = { default = "chrono_mid" }

[[vehicle]]
name = "a"
model = "hmmwv"
position = [0, 0]
driver = { kind = "path", speed = 4, waypoints = [[0, 0], [30, 0]] }

[output]
picture = { draw = false }
"#;

fn bekker() -> Command {
    Command::new(env!("CARGO_BIN_EXE_bekker"))
}

/// Returns the folder of a completed run.
fn driven(runs: &Runs, more: &[&str]) -> PathBuf {
    let out = runs.out("run");
    let output =
        bekker().arg("run").arg(&runs.scenario).args(more).arg("--out").arg(&out).output().unwrap();
    assert!(output.status.success(), "{}", stderr_text(&output));
    out
}

fn failed(output: &Output, code: i32, words: &[&str]) -> String {
    let told = stderr_text(output);
    assert_eq!(output.status.code(), Some(code), "{told}");
    assert!(!told.contains("panicked"), "{told}");
    for word in words {
        assert!(told.contains(word), "no {word:?} in {told}");
    }
    told
}

/// Waits until a condition holds.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "never {what}");
        sleep(Duration::from_millis(10));
    }
}

/// A run with an observer that subscribes to images and reads none writes its results and ends.
#[test]
fn a_peer_that_does_not_read_delays_no_results() {
    let place = tempfile::tempdir().unwrap();
    // Megabytes per image: far more than the system buffers for a peer that does not read.
    let size = ["width=320", "height=240"].map(|own| format!("vehicle[0].sensor[0].model.{own}"));
    let more = ["--gpu", "off", "--set", &size[0], "--set", &size[1]];
    let run = Run::start(place.path(), &scenario(""), &more);
    let folder = run.folder.clone();
    let silent = run.connect(json!({ "role": "observer", "sensors": ["a/eye"] }));
    let mut driver = run.driver(&["a", "b"]);
    assert_eq!(driver.drive(u64::MAX)["type"], "end");
    let FinishedRun { code, said } = run.wait();
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("1 peer disconnected"), "{said}");
    crate::link::verify(&folder);
    let manifest = fs::read_to_string(folder.join("manifest.json")).unwrap();
    assert!(manifest.contains("\"status\": \"complete\""), "{manifest}");
    drop(silent);
}

/// A file size limit ends the run with the name of the file, and tables end with a complete row.
#[cfg(unix)]
#[test]
fn a_file_size_limit_is_reported_with_the_file() {
    let runs = Runs::new(&DRIVEN.replace("duration = 0.3", "duration = 3"));
    let out = runs.out("run");
    let shell = "ulimit -f 24; exec \"$0\" run \"$1\" --quiet --out \"$2\"";
    let mut command = Command::new("sh");
    command.args(["-c", shell, env!("CARGO_BIN_EXE_bekker")]).arg(&runs.scenario).arg(&out);
    let output = command.output().unwrap();
    failed(&output, 1, &["cannot write", "File too large", "run"]);
    for entry in fs::read_dir(&out).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(!name.ends_with(".part"), "{name}");
        if name.ends_with(".csv") {
            let bytes = fs::read(&path).unwrap();
            assert_eq!(bytes.last(), Some(&b'\n'), "{name} ends within a row");
        }
    }
}

/// Under a process limit, commands use fewer threads or name the limit.
#[cfg(target_os = "linux")]
#[test]
fn a_process_limit_causes_no_panic() {
    let runs = Runs::new(DRIVEN);
    let folder = runs.folder.path();
    // A user without other processes: the limit counts all processes of a user.
    let limited = |most: usize, words: &[&str]| {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=54321", "--regid=54321", "--clear-groups", "prlimit"]);
        command.arg(format!("--nproc={most}")).arg(folder.join("bekker")).args(words);
        command.current_dir(folder).output()
    };
    fs::copy(env!("CARGO_BIN_EXE_bekker"), folder.join("bekker")).unwrap();
    for path in [folder.to_path_buf(), folder.join("bekker"), runs.scenario.clone()] {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    }
    match limited(50, &["--version"]) {
        Ok(output) if output.status.success() => {}
        // needs root, and setpriv and prlimit of util-linux
        _ => return eprintln!("passed over: no setpriv and prlimit as root"),
    }
    let file = "scenario.toml";
    let mut hashes = Vec::new();
    for most in [1, 2, 3, 50] {
        let out = format!("run_{most}");
        let output = limited(most, &["run", file, "--threads", "4", "--out", &out]).unwrap();
        let said = stderr_text(&output);
        assert_eq!(output.status.code(), Some(0), "{most}: {said}");
        assert_eq!(said.contains("instead of 4"), most < 5, "{most}: {said}");
        hashes.push(crate::link::hash_of(&folder.join(out)));
        let preview = limited(most, &["preview", file, "--quiet"]).unwrap();
        assert_eq!(preview.status.code(), Some(0), "{most}: {}", stderr_text(&preview));
    }
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
    for words in [&["--ranks", "2"][..], &["--serve"], &["--view"]] {
        let all = [&["run", file, "--out", "none"], words].concat();
        let output = limited(1, &all).unwrap();
        let told = stderr_text(&output);
        assert!(!output.status.success() && !told.contains("panicked"), "{words:?}: {told}");
        assert!(told.contains("thread") || told.contains("cannot listen"), "{words:?}: {told}");
    }
}

/// Resources of an FMU that [`fmu_of_a_limited_process`] steps.
const RESOURCES: &str = "BEKKER_TEST_FMU_RESOURCES";

/// Steps an FMU in the process started by [`an_fmu_steps_without_other_threads`]; otherwise it does
/// nothing.
#[test]
fn fmu_of_a_limited_process() {
    let Some(folder) = std::env::var_os(RESOURCES).map(PathBuf::from) else { return };
    let file = ScenarioFile::read(&folder.join(bekker::fmu::SCENARIO), &[]).unwrap();
    let token = bekker::scenario::build::world(&file).unwrap().fingerprint;
    let mut fmu = bekker::fmu::FmuInstance::new(&folder, &token).unwrap();
    fmu.enter_initialization().unwrap();
    fmu.exit_initialization().unwrap();
    fmu.step(0.0, 0.2).unwrap();
    // Where the first thread is the only worker, a call from another one is refused without
    // waiting.
    let other = std::thread::Builder::new().spawn(move || fmu.step(0.2, 0.1));
    println!("stepped to 0.2 s, other thread: {}", other.is_ok());
}

/// An importer that may not start threads still gets a working FMU.
#[cfg(target_os = "linux")]
#[test]
fn an_fmu_steps_without_other_threads() {
    use std::os::unix::fs::PermissionsExt;
    let runs = Runs::new(DRIVEN);
    let folder = runs.folder.path();
    let program = folder.join("tests");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    for path in [folder, &program, &runs.scenario] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    }
    for most in [1, 2, 50] {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=54322", "--regid=54322", "--clear-groups", "prlimit"]);
        command.arg(format!("--nproc={most}")).arg(&program).env(RESOURCES, folder);
        command.args(["hostile::fmu_of_a_limited_process", "--exact", "--nocapture"]);
        let output = command.arg("--test-threads=1").current_dir(folder).output();
        let Ok(output) = output else { return eprintln!("passed over: no setpriv") };
        let said = stderr_text(&output) + &String::from_utf8_lossy(&output.stdout);
        if said.contains("setpriv: set") {
            return eprintln!("passed over: not root");
        }
        assert!(output.status.success() && said.contains("stepped to 0.2 s"), "{most}: {said}");
        assert!(!said.contains("panicked"), "{most}: {said}");
    }
}

/// A run file of gigabytes is neither hashed nor held in memory.
#[test]
fn a_summary_of_gigabytes_is_refused_at_once() {
    let runs = Runs::new(DRIVEN);
    let run = driven(&runs, &[]);
    let summary = fs::OpenOptions::new().write(true).open(run.join("summary.json")).unwrap();
    summary.set_len(8 << 30).unwrap();
    let begun = Instant::now();
    let output = bekker().arg("compare").args([&run, &run]).output().unwrap();
    failed(&output, 1, &["summary.json", "is 8192.0 MiB long; must be at most 256.0 MiB"]);
    let replayed = bekker().args(["replay", "--verify"]).arg(&run).output().unwrap();
    failed(&replayed, 1, &["changed since the run: summary.json"]);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

/// An output path that cannot be a folder is named, with its kind and a remedy.
#[cfg(unix)]
#[test]
fn a_dangling_link_is_not_a_results_folder() {
    let runs = Runs::new(DRIVEN);
    let folder = runs.folder.path();
    std::os::unix::fs::symlink("/nonexistent/run", folder.join("dangling")).unwrap();
    for name in ["dangling", "scenario.toml"] {
        let mut command = bekker();
        command.arg("run").arg(&runs.scenario).args(["--quiet", "--out"]).arg(folder.join(name));
        let words =
            [name, "it is a file, or a link that leads to no folder", "give another folder"];
        failed(&command.output().unwrap(), 1, &words);
    }
}

/// A table truncated by another program during the run ends the run with the name of the table.
#[test]
fn a_table_truncated_during_the_run_is_noticed() {
    for name in ["states.csv", "hashes.csv"] {
        let runs = Runs::new(&DRIVEN.replace("duration = 0.3", "duration = 600"));
        let out = runs.out("run");
        let mut command = bekker();
        command.arg("run").arg(&runs.scenario).args(["--quiet", "--realtime", "--out"]).arg(&out);
        let child = command.stderr(Stdio::piped()).spawn().unwrap();
        let table = out.join(name);
        until("a row", || fs::metadata(&table).is_ok_and(|own| own.len() > 2000));
        fs::OpenOptions::new().write(true).open(&table).unwrap().set_len(0).unwrap();
        let output = child.wait_with_output().unwrap();
        failed(&output, 1, &[name, "another program changed it"]);
        // Nothing was appended after a gap.
        assert_eq!(fs::metadata(&table).unwrap().len(), 0);
    }
}

/// Verification and comparison report NUL bytes in tables of older programs.
#[test]
fn a_table_with_a_gap_is_neither_sound_nor_equal() {
    let runs = Runs::new(DRIVEN);
    let run = driven(&runs, &[]);
    let table = run.join("states.csv");
    let mut bytes = fs::read(&table).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 20].fill(0);
    fs::write(&table, &bytes).unwrap();
    let manifest = run.join("manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    let mut listed: serde_json::Value = serde_json::from_str(&text).unwrap();
    let outputs = listed["outputs"].as_array_mut().unwrap();
    let own = outputs.iter_mut().find(|own| own["path"] == "states.csv").unwrap();
    let folder = run.display().to_string();
    let output = bekker().args(["replay", &folder, "--verify"]).output().unwrap();
    failed(&output, 1, &["changed since the run: states.csv"]);
    // As listed by the program that left the gap.
    own["sha256"] = sha256(&bytes).into();
    fs::write(&manifest, listed.to_string()).unwrap();
    let output = bekker().args(["replay", &folder, "--verify"]).output().unwrap();
    failed(&output, 1, &["NUL bytes", "states.csv"]);
    let output = bekker().args(["compare", &folder, "--no-picture"]).output().unwrap();
    failed(&output, 1, &["states.csv", "NUL bytes"]);
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    bekker::report::hashes::hexadecimal(&sha2::Sha256::digest(bytes))
}

/// Replay and view refuse a run whose external commands are missing or altered.
#[test]
fn recordings_of_another_drive_are_never_shown() {
    let place = tempfile::tempdir().unwrap();
    let run = Run::start(place.path(), &scenario(""), &[]);
    let folder = run.folder.clone();
    let mut peer = run.driver(&["a", "b"]);
    assert_eq!(peer.drive(u64::MAX)["tick"], STEPS * HEARTBEATS);
    assert_eq!(run.wait().code, 0);
    let (run, page) = (folder.display().to_string(), place.path().join("page.html"));
    let page = page.display().to_string();
    let shown = |code: i32, has: &[&str]| {
        failed(&words(&["replay", &run]), code, has);
        failed(&words(&["view", &run, "--html", &page]), code, has);
        assert_eq!(Path::new(&page).exists(), code == 0);
        let _ = fs::remove_file(&page);
    };
    shown(0, &[]);
    let commands = folder.join("commands.csv");
    let text = fs::read_to_string(&commands).unwrap();
    fs::remove_file(&commands).unwrap();
    shown(1, &["commands.csv", "missing"]);
    fs::write(&commands, text.replace("0.9", "0.8")).unwrap();
    shown(1, &["commands.csv", "changed since the run"]);
    fs::write(&commands, &text).unwrap();
    shown(0, &[]);
    // Commands of another run.
    let runs = Runs::new(DRIVEN);
    let other = driven(&runs, &[]);
    fs::write(other.join("commands.csv"), &text).unwrap();
    let output = bekker().arg("replay").arg(&other).output().unwrap();
    failed(&output, 1, &["commands.csv", "belongs to another run"]);
}

/// Without a checkpoint, `--resume` gives a command that starts the run again.
#[test]
fn a_run_without_a_checkpoint_explains_how_to_restart() {
    let runs = Runs::new(DRIVEN);
    let run = driven(&runs, &["--set", "time.duration=0.2"]);
    let hash = crate::link::hash_of(&run);
    fs::remove_file(run.join("checkpoint.bin")).unwrap();
    let output = bekker().args(["run", "--resume"]).arg(&run).output().unwrap();
    let told = failed(&output, 3, &["has no checkpoint", "start it again with"]);
    let line = told.split('`').nth(1).unwrap().to_owned();
    let again: Vec<&str> = line.split(' ').skip(1).collect();
    let output = bekker().args(again).output().unwrap();
    assert!(output.status.success(), "{}", crate::runs::stderr_text(&output));
    // With the change given by --set.
    assert_eq!(crate::link::hash_of(&run), hash);
}

/// An edited scenario in a run's folder is reported.
#[test]
fn an_edited_scenario_of_a_run_is_reported() {
    let runs = Runs::new(DRIVEN);
    let run = driven(&runs, &[]);
    let path = run.join("scenario.toml");
    let text = fs::read_to_string(&path).unwrap();
    let resumed =
        |more: &[&str]| bekker().args(["run", "--resume"]).arg(&run).args(more).output().unwrap();
    // Another formatting of the file is the same scenario.
    fs::write(&path, format!("# mine\n\n{text}")).unwrap();
    assert!(resumed(&[]).status.success());
    let edited =
        text.replace("duration = 0.3", "duration = 0.7").replace("speed = 4.0", "speed = 5");
    assert_ne!(edited, text);
    fs::write(&path, &edited).unwrap();
    failed(&resumed(&[]), 3, &["scenario.toml", "time.duration = 0.7, not 0.3", "--set"]);
    let output = bekker().arg("replay").arg(&run).output().unwrap();
    failed(&output, 0, &["warning", "time.duration = 0.7, not 0.3"]);
    fs::write(&path, "format = ").unwrap();
    failed(&resumed(&[]), 3, &["scenario.toml"]);
    fs::remove_file(&path).unwrap();
    assert!(resumed(&["--set", "time.duration=0.4"]).status.success());
}

/// A mesh may not name files outside its folder and the scenario's folder.
#[test]
fn a_mesh_cannot_reference_files_elsewhere() {
    let scenery = "[[scenery]]\nmesh = \"own/mesh.obj\"\nplaces = [[10, 5]]\n";
    let runs = Runs::new(&format!("{DRIVEN}\n{scenery}"));
    let folder = runs.folder.path().to_owned();
    fs::create_dir(folder.join("own")).unwrap();
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret");
    fs::write(&secret, "root:x:0:0\n").unwrap();
    fs::write(folder.join("paint.mtl"), "newmtl red\nKd 1 0 0\n").unwrap();
    let mesh = |library: &str| {
        let text = format!("mtllib {library}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
        fs::write(folder.join("own/mesh.obj"), text).unwrap();
        bekker().arg("validate").arg(&runs.scenario).output().unwrap()
    };
    assert!(mesh("../paint.mtl").status.success());
    let up = format!("../../{}/secret", outside.path().file_name().unwrap().to_str().unwrap());
    for library in [secret.to_str().unwrap(), &up, "/etc/passwd", "../../../../../etc/passwd"] {
        failed(&mesh(library), 3, &["scenery[0].mesh", "is outside", library]);
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&secret, folder.join("own/link.mtl")).unwrap();
        failed(&mesh("link.mtl"), 3, &["is outside", "link.mtl"]);
    }
    let out = runs.out("none");
    let output = bekker().arg("run").arg(&runs.scenario).arg("--out").arg(&out).output().unwrap();
    failed(&output, 3, &["is outside"]);
    assert!(!out.exists());
    // The same holds for the buffers of a glTF file.
    let gltf =
        r#"{"asset": {"version": "2.0"}, "buffers": [{"uri": "../../secret", "byteLength": 9}]}"#;
    fs::write(folder.join("own/mesh.gltf"), gltf).unwrap();
    let set = "scenery[0].mesh=\"own/mesh.gltf\"";
    let output =
        bekker().arg("validate").arg(&runs.scenario).args(["--set", set]).output().unwrap();
    failed(&output, 3, &["is outside", "../../secret"]);
}

/// A folder that cannot be written is named before the work starts.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let runs = Runs::new(&DRIVEN.replace("duration = 0.3", "duration = 600"));
    // Not even root can create files there.
    let folder = "/sys/kernel";
    let out = format!("{folder}/a.png");
    for words in [&["preview"][..], &["render", "--time", "500"]] {
        let mut command = bekker();
        command.args(words).arg(&runs.scenario).args(["--out", &out]);
        let output = command.output().unwrap();
        let cause = format!("cannot write {out}: no write access to folder {folder} (");
        failed(&output, 1, &[&cause, "give another path"]);
    }
}

/// A fault about an unknown vehicle names the allowed ones, even without any.
#[test]
fn a_run_without_external_vehicles_is_reported() {
    let place = tempfile::tempdir().unwrap();
    let text = DRIVEN.replace("duration = 0.3", "duration = 600");
    let run = Run::start(place.path(), &text, &["--realtime"]);
    for vehicle in ["a", "absent"] {
        let mut peer = run.connect(json!({ "vehicles": [vehicle] }));
        let fault = peer.receive();
        let told = fault["text"].as_str().unwrap();
        assert_eq!(fault["code"], "unknown");
        assert!(told.ends_with("external controller"), "{told}");
    }
    let mut observer = run.connect(json!({ "role": "observer" }));
    assert_eq!(observer.receive()["type"], "welcome");
    observer.0.write_all(b"\0\0\0\x0f{\"type\":\"quit\"}").unwrap();
    let FinishedRun { code, said } = run.wait();
    assert_eq!(code, 0, "{said}");
}
