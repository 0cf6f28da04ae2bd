//! `bekker render` for scenarios and runs.

use crate::python;
use assert_cmd::Command;
use std::path::Path;

fn bekker() -> Command {
    let mut command = Command::cargo_bin("bekker").unwrap();
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

/// Returns width, height, and the number of distinct values out of 256.
fn picture(path: &Path) -> (u32, u32, usize) {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let mut seen = [false; 256];
    bytes.iter().for_each(|level| seen[usize::from(*level)] = true);
    (info.width, info.height, seen.iter().filter(|seen| **seen).count())
}

#[test]
fn every_view_of_a_scenario_and_of_its_run() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = "examples/single_vehicle.toml";
    let run = folder.path().join("run");
    bekker()
        .args(["--quiet", "run", scenario, "--set", "time.duration=0.5", "--no-picture", "--out"])
        .arg(&run)
        .assert()
        .success();
    for view in ["chase", "front", "side", "driver", "top", "bird"] {
        let out = folder.path().join(format!("{view}.png"));
        let mut command = bekker();
        command.args(["--quiet", "render", "--size", "64x36", "--supersample", "1"]);
        command.args(["--camera", view, "--out"]).arg(&out);
        // Half of the views are of the scenario, the other half of the run.
        match view {
            "front" | "driver" | "bird" => command.arg("--run").arg(&run),
            _ => command.arg(scenario),
        };
        command.assert().success();
        let (width, height, levels) = picture(&out);
        assert_eq!((width, height), (64, 36));
        assert!(levels > 40, "{view}: {levels} levels");
    }
}

/// OpenCV reads as many frames as were asked for, and the last one as the picture of that moment.
#[test]
fn a_video_of_a_run_ends_with_its_picture() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = "examples/single_vehicle.toml";
    let at = |name: &str| folder.path().join(name);
    let made = |arguments: &[&str], out: &str, file: &str| {
        let mut command = bekker();
        command.args(["--quiet"]).args(arguments).arg(out).arg(at(file)).assert().success();
    };
    made(&["run", scenario, "--set", "time.duration=0.5", "--no-picture"], "--out", "run");
    let run = at("run").display().to_string();
    let look = ["--size", "64x36", "--supersample", "1", "--fps", "10"];
    let video = [&["render", "--run", &run][..], &look].concat();
    made(&video, "--video", "run.mp4");
    let short = [&["render", scenario, "--time", "0.3", "--until", "0.5"][..], &look].concat();
    made(&short, "--video", "scenario.gif");
    made(&["render", "--run", &run, "--size", "64x36", "--supersample", "1"], "--out", "end.png");
    let Some(python) = python::having("import cv2", "`opencv-python-headless`") else { return };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/read_video.py");
    let mut reader = Command::new(python);
    reader.arg(script).arg(at("end.png"));
    reader.arg(at("run.mp4")).arg("6").arg(at("scenario.gif")).arg("3").assert().success();
}

#[test]
fn impossible_videos_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |name: &str, arguments: &[&str]| {
        let mut command = bekker();
        command.args(["render", "examples/single_vehicle.toml"]).args(arguments);
        let output = command.arg("--video").arg(folder.path().join(name)).assert().failure();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{name}");
        String::from_utf8(output.get_output().stderr.clone()).unwrap()
    };
    for (name, arguments, expected) in [
        ("x.avi", &[][..], "must end in .mp4 or .gif"),
        (
            "x.mp4",
            &["--size", "65x36"],
            "video size 65x36: width and height of an MP4 must be even",
        ),
        ("x.gif", &["--fps", "51"], "51 is not in 1..=50"),
        ("x.gif", &["--time", "3", "--until", "2"], "must be below the end of the video, 2 s"),
        ("x.gif", &["--out", "x.png"], "cannot be used with"),
    ] {
        let message = refused(name, arguments);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

#[test]
fn impossible_pictures_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("x.png");
    let refused = |arguments: &[&str]| {
        let mut command = bekker();
        command.args(["render", "examples/single_vehicle.toml", "--out"]).arg(&out);
        let output = command.args(arguments).assert().failure();
        String::from_utf8(output.get_output().stderr.clone()).unwrap()
    };
    let unknown = refused(&["--vehicle", "nobody"]);
    for said in ["nobody", "--vehicle", "the name of a vehicle: \""] {
        assert!(unknown.contains(said), "{unknown}");
    }
    assert!(refused(&["--size", "64"]).contains("1280x720"));
    assert!(refused(&["--fov-deg", "190"]).contains("170"));
    assert!(!out.exists());
}
