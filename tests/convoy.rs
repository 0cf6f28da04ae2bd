//! The main job end to end through the command line: a convoy on firm ground and
//! mud, its files, and the same bits however often it is cut or on how many
//! threads it runs.

use bekker::report::manifest::{self, FileHash, Manifest};
use bekker::terrain::read_geotiff;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const SCENARIO: &str = r#"
format = 1
name = "convoy"
description = "Three vehicles from firm ground into soil."

[time]
duration = 1.5

[ground]
spacing = 0.05

[soil]
default = "rock"

[[soil.custom]]
name = "rock"
friction = 0.8

[[soil.zone]]
soil = "chrono_mid"
area = { kind = "half_plane", through = [3, 0], towards_deg = 0 }

[[vehicle]]
name = "lead"
model = "hmmwv"
position = [0, 0]
speed = 4
driver = { kind = "path", speed = 5, waypoints = [[0, 0], [20, 0], [40, 6], [80, 6]] }

[[vehicle]]
name = "second"
model = "mrzr4"
position = [-9, 0]
speed = 4
driver = { kind = "follow", leader = "lead" }

[[vehicle]]
name = "third"
model = "hmmwv"
position = [-18, 0]
speed = 4
driver = { kind = "follow", leader = "second" }

[output]
picture = { size = [640, 400] }
"#;

struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Bench {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("convoy.toml"), SCENARIO).unwrap();
        Bench { folder }
    }

    fn out(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, out: &str, more: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("bekker"));
        command.current_dir(self.folder.path());
        command.args(["run", "convoy.toml", "--out", out]).args(more);
        command
    }

    /// Runs to the end; the manifest.
    fn run(&self, out: &str, more: &[&str]) -> Manifest {
        let output = self.command(out, more).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{more:?}: {said}");
        manifest::read(&self.out(out).join("manifest.json")).unwrap()
    }
}

fn rows_of_parquet(path: &Path) -> usize {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let reader = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap();
    let mut vehicles = std::collections::BTreeSet::new();
    let mut count = 0;
    for row in rows {
        let row = row.unwrap();
        for (name, field) in row.get_column_iter() {
            if name == "vehicle" {
                vehicles.insert(field.to_string());
            }
        }
        count += 1;
    }
    assert_eq!(vehicles.len(), 3, "{vehicles:?}");
    count
}

#[test]
fn a_convoy_writes_files_that_match_their_hashes() {
    let bench = Bench::new();
    let output = bench.command("run", &[]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for word in ["lead", "second", "third", "x real time"] {
        assert!(said.contains(word), "no '{word}' in\n{said}");
    }
    let folder = bench.out("run");
    let manifest = manifest::read(&folder.join("manifest.json")).unwrap();
    assert_eq!(manifest.config["name"], "convoy");
    assert!((manifest.simulated_s - 1.5).abs() < 1e-9);
    let expected = [
        "README.md",
        "checkpoint.bin",
        "hashes.csv",
        "hits.csv",
        "picture.png",
        "ruts.tif",
        "scenario.toml",
        "states.csv",
        "states.parquet",
        "summary.json",
        "terrain.tif",
    ];
    let mut listed: Vec<&str> = manifest.outputs.iter().map(|file| file.path.as_str()).collect();
    listed.sort_unstable();
    assert_eq!(listed, expected);
    for file in &manifest.outputs {
        assert_eq!(FileHash::read(&folder.join(&file.path), &file.path).unwrap(), *file);
    }
    for file in &manifest.inputs {
        let path = bench.folder.path().join(&file.path);
        assert_eq!(FileHash::read(&path, &file.path).unwrap().sha256, file.sha256);
    }

    let csv = std::fs::read_to_string(folder.join("states.csv")).unwrap();
    let rows = rows_of_parquet(&folder.join("states.parquet"));
    assert!(rows > 30 && rows.is_multiple_of(3), "{rows} rows");
    assert_eq!(csv.lines().filter(|line| !line.starts_with('#')).count(), rows + 1);

    let bytes = std::fs::read(folder.join("ruts.tif")).unwrap();
    let (raster, _) = read_geotiff(&bytes).unwrap();
    let [shallowest, deepest] = raster.range().unwrap();
    // the lead has entered the soil at x = 3; ruts of centimeters, no more
    assert!((0.01..0.3).contains(&deepest) && shallowest > -0.3, "{shallowest} to {deepest}");
    let [west, south, east, north] = raster.bounds();
    assert!(west > 2.0 && east < 12.0 && south > -3.0 && north < 3.0, "{:?}", raster.bounds());

    let file = std::fs::File::open(folder.join("picture.png")).unwrap();
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((frame.width, frame.height), (640, 400));
    let colors: std::collections::BTreeSet<&[u8]> = pixels.chunks(4).collect();
    assert!(colors.len() > 100, "a picture of {} colors", colors.len());

    let summary: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("summary.json")).unwrap())
            .unwrap();
    assert_eq!(summary["state_hash"], manifest.state_hash.as_str());
    for vehicle in summary["vehicles"].as_array().unwrap() {
        assert!(vehicle["distance"].as_f64().unwrap() > 2.0, "{vehicle}");
    }

    // a folder with files is not overwritten without --force
    let again = bench.command("run", &[]).output().unwrap();
    assert!(!again.status.success());
}

#[test]
fn any_number_of_threads_and_any_resume_gives_the_same_hash() {
    let bench = Bench::new();
    let quick = |threads: &str, time: &str| {
        let set = format!("time.duration={time}");
        [["--threads", threads], ["--set", &set]].concat().into_iter().map(String::from).collect()
    };
    let run = |out: &str, arguments: Vec<String>, more: &[&str]| {
        let mut all: Vec<&str> = arguments.iter().map(String::as_str).collect();
        all.push("--no-picture");
        all.extend(more);
        bench.run(out, &all).state_hash
    };
    let one = run("one", quick("1", "1.5"), &[]);
    assert_eq!(one, run("two", quick("2", "1.5"), &[]));
    run("half", quick("2", "0.63"), &[]);
    assert_eq!(one, run("resumed", quick("1", "1.5"), &["--resume", "half"]));
}

/// Ctrl-C writes a checkpoint. A run resumed from it equals an uninterrupted
/// one.
#[cfg(unix)]
#[test]
fn an_interrupted_run_resumes_bit_for_bit() {
    let bench = Bench::new();
    let mut child = bench
        .command("cut", &["--no-picture", "--set", "time.duration=1000"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let heartbeats =
        || std::fs::read_to_string(bench.out("cut").join("hashes.csv")).unwrap_or_default();
    let since = std::time::Instant::now();
    while heartbeats().lines().count() < 20 {
        assert!(since.elapsed().as_secs() < 120, "twenty heartbeats never came");
        assert!(child.try_wait().unwrap().is_none(), "ended before twenty heartbeats");
        std::thread::sleep(Duration::from_millis(10));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("resume with --resume"), "{said}");
    let cut = manifest::read(&bench.out("cut").join("manifest.json")).unwrap();
    assert!(cut.simulated_s > 0.0 && cut.simulated_s < 1000.0, "{}", cut.simulated_s);
    println!("cut after {} s", cut.simulated_s);

    let set = format!("time.duration={:.2}", cut.simulated_s + 0.5);
    let resumed = bench.run("resumed", &["--no-picture", "--set", &set, "--resume", "cut"]);
    let whole = bench.run("whole", &["--no-picture", "--set", &set]);
    assert!((whole.simulated_s - cut.simulated_s - 0.5).abs() < 0.011);
    assert_eq!(resumed.state_hash, whole.state_hash);
}
