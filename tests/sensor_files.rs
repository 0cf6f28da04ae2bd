//! Sensor files in a run's folder: the same bytes on any number of ranks, and an MCAP readable by
//! the format's own reader.

use crate::python;

use assert_cmd::Command;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::path::Path;

const SCENARIO: &str = r#"
format = 1
name = "sensed"
time = { duration = 1.2 }
terrain = { surface = { kind = "flat" } }
soil = { default = "snow_sweden" }
site = { latitude_deg = 47, longitude_deg = 11, altitude = 600 }

[[vehicle]]
name = "lead"
model = "m113"
position = [0, 0]
driver = { kind = "path", waypoints = [[0, 0], [80, 0]], speed = 4 }

[[vehicle]]
name = "second"
model = "hmmwv"
position = [-12, 0]
driver = { kind = "follow", leader = "lead", gap = 8 }
sensor = [
  { name = "imu", model = { kind = "imu", preset = "tactical" }, rate = 100, lag = 0.004 },
  { name = "gps", model = { kind = "gps", preset = "rtk_fixed" }, rate = 10, lag = 0.05 },
  { name = "compass", model = { kind = "magnetometer" } },
  { name = "wheels", model = { kind = "encoder" }, rate = 20 },
  { name = "truth", model = { kind = "odometry" }, rate = 20, position = [1, 0, 1] },
  { name = "wheels_on_ground", model = { kind = "terramechanics" }, rate = 20, lag = 0.05 },
  { name = "eye", model = { kind = "camera", width = 64, height = 36, channels = ["color", "depth", "class", "ground"] }, position = [1, 0, 1.2], pitch_deg = 10, rate = 5, lag = 0.02, save = ["png", "png16", "exr"] },
  { name = "roof", model = { kind = "lidar", preset = "vlp16", columns = 180 }, position = [0, 0, 1.8], rate = 5, filters = [{ kind = "range", max = 30 }], save = ["pcd", "las"] },
]

[output]
interval = 0.1
picture = { draw = false }
"#;

fn run(folder: &Path, name: &str, more: &[&str]) -> Vec<u8> {
    let scenario = folder.join("sensed.toml");
    std::fs::write(&scenario, SCENARIO).unwrap();
    let out = folder.join(name);
    let mut command = Command::cargo_bin("bekker").unwrap();
    command.arg("run").arg(&scenario).arg("--quiet").arg("--out").arg(&out).args(more);
    command.assert().success();
    std::fs::read(out.join("sensors.mcap")).unwrap()
}

/// Returns all saved frames of a run's sensors by name.
fn frames(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![out.join("sensors")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(out).unwrap().display().to_string();
                all.insert(name, std::fs::read(path).unwrap());
            }
        }
    }
    all
}

/// Checks tables of small readings: one row per MCAP message in both formats, and the same bytes on
/// one and two ranks.
fn tables(folder: &Path) {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let read = |run: &str, name: &str| std::fs::read(folder.join(run).join(name)).unwrap();
    for (kind, rows, columns, last) in [
        ("imu", 119, 12, "wz_radps"),
        ("gps", 11, 16, "var_up_m2"),
        ("magnetometer", 60, 9, "bz_t"),
        ("encoder", 24, 10, "wheel3_ticks"),
        ("odometry", 24, 19, "wz_radps"),
        ("terramechanics", 23, 30, "wheel3_pressure_pa"),
    ] {
        for ending in ["csv", "parquet"] {
            let name = format!("readings_{kind}.{ending}");
            assert!(read("one", &name) == read("star", &name), "{name} on two ranks");
        }
        let text = String::from_utf8(read("one", &format!("readings_{kind}.csv"))).unwrap();
        let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
        assert_eq!((header.len(), *header.last().unwrap()), (columns, last), "{kind}");
        assert_eq!(text.lines().count(), rows + 1, "{kind}");
        let first = text.lines().nth(1).unwrap();
        assert!(first.contains(",1,second,"), "vehicle 1, called second: {first}");
        let path = folder.join("one").join(format!("readings_{kind}.parquet"));
        let parquet = SerializedFileReader::try_from(path.as_path()).unwrap();
        let found = parquet.metadata().file_metadata();
        assert_eq!(found.num_rows(), rows as i64, "{kind}");
        assert_eq!(found.schema_descr().num_columns(), columns, "{kind}");
    }
}

/// The frames of an interrupted run are those of an uninterrupted one.
///
/// At the interruption one image is rendered and not yet delivered.
#[test]
fn frames_of_a_resumed_run_match_an_uninterrupted_one() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), "whole", &[]);
    run(folder.path(), "first", &["--set", "time.duration=0.6"]);
    let first = folder.path().join("first");
    run(folder.path(), "rest", &["--resume", first.to_str().unwrap(), "--ranks", "2"]);
    let [whole, first, rest] =
        ["whole", "first", "rest"].map(|out| frames(&folder.path().join(out)));
    assert!(!first.contains_key("sensors/second/eye/000003.png"), "on its way at 0.6 s");
    let names = |frames: &BTreeMap<String, Vec<u8>>| frames.keys().cloned().collect::<Vec<_>>();
    assert_eq!(whole.len(), 5 * 3 + 6 * 2, "{:?}", names(&whole));
    let mut parts = first;
    for (name, bytes) in rest {
        assert!(parts.insert(name.clone(), bytes).is_none(), "{name} is delivered once");
    }
    assert_eq!(names(&whole), names(&parts));
    let differ: Vec<_> = whole.iter().filter(|(name, bytes)| parts[*name] != **bytes).collect();
    assert!(differ.is_empty(), "{:?}", differ.iter().map(|(name, _)| name).collect::<Vec<_>>());
}

#[test]
fn the_recording_is_the_same_on_any_number_of_ranks_and_reads_as_mcap() {
    let folder = tempfile::tempdir().unwrap();
    let one = run(folder.path(), "one", &[]);
    // The range of cameras and lidars exceeds that of the neighbor route, which is refused. The
    // star sends as the other route does, and passes on; weekly both.
    for route in &["star", "all"][..if crate::is_weekly() { 2 } else { 1 }] {
        let two = run(folder.path(), route, &["--ranks", "2", "--route", route]);
        assert!(one == two, "one rank and two leave the same bytes by the route {route}");
    }
    tables(folder.path());
    let import = "import mcap.reader, mcap_protobuf.decoder";
    let packages = "`mcap` and `mcap-protobuf-support`";
    let Some(python) = python::having(import, packages) else { return };
    let read_with_inputs = |script: &str| {
        let mut command = std::process::Command::new(&python);
        command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(script));
        command.arg(folder.path().join("one/sensors.mcap")).output().unwrap()
    };
    let cut = read_with_inputs("read_cut_mcap.py");
    assert!(cut.status.success(), "{}", String::from_utf8_lossy(&cut.stderr));
    let output = read_with_inputs("read_mcap.py");
    let errors = String::from_utf8_lossy(&output.stderr);
    eprintln!("{errors}");
    assert!(output.status.success(), "{errors}");
    let found: Json = serde_json::from_slice(&output.stdout).unwrap();
    if !errors.contains("EXR NOT READ") {
        assert_eq!(found["pictures_checked"], 5);
    }
    if !errors.contains("LAS NOT READ") {
        assert_eq!(found["clouds_checked"], 6);
    }
    let topic = |name: &str| &found["topics"][name];
    for (name, schema, count) in [
        ("/tf", "foxglove.FrameTransforms", 13),
        ("/lead/pose", "foxglove.PoseInFrame", 13),
        ("/second/pose", "foxglove.PoseInFrame", 13),
        ("/second/imu", "bekker.Imu", 119),
        ("/second/gps", "foxglove.LocationFix", 11),
        ("/second/compass", "bekker.MagneticField", 60),
        ("/second/wheels", "bekker.WheelTicks", 24),
        ("/second/truth", "foxglove.Odometry", 24),
        ("/second/wheels_on_ground", "bekker.WheelGround", 23),
        ("/second/ground", "foxglove.Grid", 1),
        ("/second/ruts", "foxglove.PointCloud", 1),
        ("/second/eye/image", "foxglove.CompressedImage", 5),
        ("/second/eye/depth", "foxglove.RawImage", 5),
        ("/second/eye/sinkage", "foxglove.RawImage", 5),
        ("/second/eye/calibration", "foxglove.CameraCalibration", 5),
        ("/second/roof", "foxglove.PointCloud", 6),
    ] {
        let found = topic(name);
        assert_eq!((&found["schema"], &found["count"]), (&schema.into(), &count.into()), "{name}");
    }
    // Delivered 50 ms after it was measured, at the scenario's position on the earth.
    let gps = topic("/second/gps");
    assert_eq!(gps["log_times"][0], 150_000_000);
    let fix = &gps["messages"][0];
    assert_eq!(fix["timestamp"], "1970-01-01T00:00:00.100Z");
    assert_eq!(fix["frame_id"], "second/gps");
    let near = |value: &Json, expected: f64, by: f64| {
        assert!((value.as_f64().unwrap() - expected).abs() < by, "{value} {expected}");
    };
    near(&fix["latitude"], 47.0, 1e-5);
    // 12 m to the west.
    near(&fix["longitude"], 11.0 - 12.0 / 76_000.0, 1e-5);
    // Placed on the snow, it is still settling.
    let imu = &topic("/second/imu")["messages"][2];
    near(&imu["linear_acceleration"]["z"], 9.81, 30.0);
    let calibration = &topic("/second/eye/calibration")["messages"][0];
    assert_eq!(
        (&calibration["width"], &calibration["distortion_model"]),
        (&64.into(), &"plumb_bob".into())
    );
    near(&calibration["K"][2], 31.5, 1e-9);
    near(&calibration["K"][0], 32.0 / 40f64.to_radians().tan(), 1e-9);
    let roof = &topic("/second/roof")["messages"][0];
    let points = roof["data"].as_u64().unwrap() / 26;
    assert!(points > 500, "{points} returns");
    let truth = &topic("/second/truth")["messages"][0];
    near(&truth["pose"]["position"]["x"], -11.0, 0.2);
    let grid = &topic("/second/ground")["messages"][0];
    assert_eq!((&grid["column_count"], &grid["data"]), (&160.into(), &(160 * 160 * 8).into()));
    // Sunken ground only: prints and ruts of four wheels, 16 bytes per cell.
    let ruts = topic("/second/ruts")["messages"][0]["data"].as_u64().unwrap();
    assert!(ruts % 16 == 0 && (40 * 16..160 * 160 * 4).contains(&ruts), "{ruts}");
}

/// A pair of cameras, turned about all axes, before objects with many edges.
const PAIR: &str = r#"
format = 1
name = "pair"
time = { duration = 0.3 }
soil = { default = "rigid" }
scenery = [
  { kind = "block", size = [0.5, 0.6, 2.0], places = [[12, -2.0], [13, 3.0], [9, 0], [11, 1.4], [15, -4.2]] },
  { kind = "block", size = [0.5, 0.4, 1.0], places = [[8, 2.0], [7, -1.2]], heading_deg = 30 },
]

[[vehicle]]
name = "car"
model = "hmmwv"
position = [0, 0]
driver = { kind = "hold" }

[[vehicle.sensor]]
name = "cam"
model = { kind = "camera", width = 320, height = 256, fov_deg = 60, channels = ["depth", "instance"], noise = false, stereo = 0.4 }
position = [2.0, 0.3, 1.2]
yaw_deg = 5
pitch_deg = 3
roll_deg = 2
rate = 5
"#;

#[test]
fn both_cameras_of_a_pair_project_as_their_calibrations_have_it() {
    let import = "import numpy, mcap.reader, mcap_protobuf.decoder";
    let packages = "`numpy`, `mcap` and `mcap-protobuf-support`";
    let Some(python) = python::having(import, packages) else { return };
    let folder = tempfile::tempdir().unwrap();
    let scenario = folder.path().join("pair.toml");
    std::fs::write(&scenario, PAIR).unwrap();
    let out = folder.path().join("out");
    let mut command = Command::cargo_bin("bekker").unwrap();
    command.arg("run").arg(&scenario).arg("--quiet").arg("--out").arg(&out).assert().success();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/project_stereo.py");
    let mut command = std::process::Command::new(python);
    let output = command.arg(script).arg(out.join("sensors.mcap")).output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    eprintln!("{told}");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A recording that was killed repeatedly can be read with its index and without.
///
/// Kills are at random times after the file exists.
#[test]
fn a_recording_that_was_killed_over_opens_with_its_index_and_without() {
    use bekker::random::RandomStream;
    use std::time::{Duration, Instant};
    let import = "import mcap.reader, mcap_protobuf.decoder";
    let Some(python) = python::having(import, "`mcap`") else { return };
    let folder = tempfile::tempdir().unwrap();
    let scenario = folder.path().join("sensed.toml");
    std::fs::write(&scenario, SCENARIO.replace("duration = 1.2", "duration = 600")).unwrap();
    let dice = RandomStream::new(7, "moments of kills");
    let mut files = Vec::new();
    for kill in 0..6_u64 {
        let file = folder.path().join(format!("{kill}/sensors.mcap"));
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("bekker"));
        command.arg("run").arg(&scenario).arg("--quiet").arg("--out").arg(file.parent().unwrap());
        let mut child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
        let since = Instant::now();
        while !file.exists() {
            assert!(since.elapsed() < Duration::from_secs(120), "no recording is begun");
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_secs_f64(2.0 * dice.uniform(kill) * kill as f64 / 5.0));
        child.kill().unwrap();
        child.wait().unwrap();
        files.push(file);
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/read_killed_mcap.py");
    let output = std::process::Command::new(python).arg(script).args(files).output().unwrap();
    eprintln!("{}", String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
