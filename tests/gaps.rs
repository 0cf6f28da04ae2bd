//! `terrain.surface.no_data = "keep"`: ground without elevation data is off limits.
//!
//! A drive that enters it ends with a specific outcome, the same on any ranks and after any
//! checkpoint.

use assert_cmd::cargo::cargo_bin;
use bekker::scenario::build::world;
use bekker::scenario::{Diagnostics, ScenarioFile};
use bekker::simulation::{Outcome, OutcomeCode, World};
use serde_json::Value as Json;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Writes level ground of 200 m in cells of 5 m, without data from x = 20 to 40 m and y = -20 to 20
/// m.
fn write_ground(folder: &Path) {
    let mut text = "ncols 41\nnrows 41\nxllcenter -100\nyllcenter -100\ncellsize 5\n\
                    nodata_value -9999\n"
        .to_owned();
    for row in 0..41 {
        let y = 100.0 - 5.0 * f64::from(row);
        for column in 0..41 {
            let x = 5.0 * f64::from(column) - 100.0;
            let is_gap = (20.0..=40.0).contains(&x) && y.abs() <= 20.0;
            text += if is_gap { "-9999 " } else { "7 " };
        }
        text.push('\n');
    }
    fs::write(folder.join("ground.asc"), text).unwrap();
}

/// Returns a scenario of two HMMWVs: one drives toward the gap, one past it.
fn scenario(no_data: &str, extra: &str) -> String {
    let vehicle = |name: &str, y: f64| {
        format!(
            "[[vehicle]]\nname = \"{name}\"\nmodel = \"hmmwv\"\nposition = [0, {y}]\nspeed = 4\n\
             driver = {{ kind = \"path\", waypoints = [[0, {y}], [60, {y}]], speed = 4 }}\n"
        )
    };
    format!(
        "format = 1\nname = \"gaps\"\ntime = {{ duration = 8 }}\nground = {{ spacing = 0.1 }}\n\
         soil = {{ default = \"rigid\" }}\n{extra}\
         terrain = {{ surface = {{ kind = \"dem\", file = \"ground.asc\", origin = [0, 0], \
         epsg = 32616, no_data = \"{no_data}\" }} }}\n{}{}",
        vehicle("into", 0.0),
        vehicle("beside", 40.0)
    )
}

fn parse(folder: &Path, text: &str) -> Result<ScenarioFile, Diagnostics> {
    ScenarioFile::parse("gaps.toml", text, folder, &[])
}

fn bekker(folder: &Path, words: &[&str]) -> Output {
    Command::new(cargo_bin("bekker")).current_dir(folder).args(words).output().unwrap()
}

fn final_outcomes(world: &mut World) -> [Outcome; 2] {
    while world.time() < 8.0 && world.is_running() {
        world.advance();
    }
    [0, 1].map(|agent| world.state().agents[agent].outcome.clone().unwrap_or(Outcome::UnderWay))
}

/// The first wheel in a cell without data ends the drive.
///
/// It is on the front axle, 2.5 m before the center of the first such cell.
#[test]
fn a_drive_ends_where_a_wheel_enters_a_gap() {
    let place = tempfile::tempdir().unwrap();
    write_ground(place.path());
    let build = |no_data: &str| {
        let file = parse(place.path(), &scenario(no_data, "")).unwrap_or_else(|e| panic!("{e}"));
        let built = world(&file).unwrap_or_else(|e| panic!("{e}"));
        (World::new(built.world), built.warnings)
    };
    let (mut kept, warnings) = build("keep");
    let told: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    // 5 columns and 9 rows.
    for part in [
        "terrain.surface.file = \"ground.asc\": 45 cells (2.7 %) have no data and are off limits",
        "vehicle[0].driver.waypoints",
        "cross ground without elevation data, first at (18, 0) m",
    ] {
        assert_eq!(told.iter().filter(|own| own.contains(part)).count(), 1, "{part}: {told:?}");
    }
    let [into, beside] = final_outcomes(&mut kept);
    let Outcome::UnmappedGround { time, position } = into else { panic!("{into:?}") };
    assert!((17.5..17.7).contains(&position.x) && position.y.abs() < 1.5, "{position:?}");
    assert!((3.0..5.0).contains(&time), "{time}");
    assert_eq!(beside, Outcome::UnderWay);
    let told = kept.outcome(0);
    assert!(told.code == OutcomeCode::UnmappedGround && told.code.is_loss(), "{told:?}");
    assert!(told.sentence.starts_with("entered ground without elevation data at "), "{told:?}");
    // Heights there are finite: sensors and images show the filled surface.
    assert!((kept.height(30.0, 0.0) - 7.0).abs() < 1e-6);

    let (mut filled, warnings) = build("fill_interpolated");
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(final_outcomes(&mut filled), [Outcome::UnderWay, Outcome::UnderWay]);
    let refused = world(&parse(place.path(), &scenario("refuse", "")).unwrap()).unwrap_err();
    let said = refused.to_string();
    assert!(said.contains("45 of 1681 cells have no data") && said.contains("\"keep\""), "{said}");
}

/// Vehicles, waypoints and goals in a gap are refused by name, also vehicles that extend over it in
/// part.
#[test]
fn starts_and_aims_in_a_gap_are_refused() {
    let place = tempfile::tempdir().unwrap();
    write_ground(place.path());
    let refused = |from: &str, to: &str| {
        let text = scenario("keep", "").replace(from, to);
        let file = parse(place.path(), &text).unwrap_or_else(|e| panic!("{e}"));
        world(&file).map(|_| ()).unwrap_err().to_string()
    };
    let inside = refused("position = [0, 0]", "position = [30, 0]");
    assert!(
        inside.contains("vehicle[0].position") && inside.contains("without elevation data"),
        "{inside}"
    );
    // 4 m before the gap: the front extends over it.
    let nose = refused("position = [0, 0]", "position = [16.5, 0]");
    assert!(nose.contains("vehicle[0].position") && nose.contains("starts over"), "{nose}");
    let waypoint = refused("[60, 0]]", "[25, 0], [60, 0]]");
    assert!(waypoint.contains("vehicle[0].driver.waypoints[1]"), "{waypoint}");
    // 4 m beyond the gap: the trailer extends back over it.
    let trailer = |x: f64| {
        let text =
            scenario("keep", "").replace("model = \"hmmwv\"", "model = \"hmmwv+cargo_trailer\"");
        let text = text.replace("position = [0, 0]", &format!("position = [{x}, 0]"));
        let text = text.replace("[[0, 0], [60, 0]]", "[[70, 0], [90, 0]]");
        let file = parse(place.path(), &text).unwrap_or_else(|e| panic!("{e}"));
        world(&file).map(|built| built.warnings)
    };
    let tail = trailer(46.0).map(|_| ()).unwrap_err().to_string();
    assert!(tail.contains("vehicle[0].position") && tail.contains("or its trailer"), "{tail}");
    assert!(trailer(60.0).is_ok());
    let crop = refused("origin = [0, 0]", "origin = [0, 0], crop = [22, -15, 38, 15]");
    assert!(crop.contains("no cell of the raster has data"), "{crop}");
    // A crop next to the gap does not contain it.
    let text = scenario("keep", "")
        .replace("origin = [0, 0]", "origin = [0, 0], crop = [-90, 25, 90, 90]");
    let text = text.replace("0, 0]", "0, 50]");
    let text = text.replace("origin = [0, 50]", "origin = [0, 0]");
    let built = world(&parse(place.path(), &text).unwrap()).unwrap_or_else(|e| panic!("{e}"));
    assert!(built.world.ground.terrain().gaps().is_none());
}

/// The leg from the start to the first waypoint is checked too.
#[test]
fn the_path_to_the_first_waypoint_is_checked() {
    let place = tempfile::tempdir().unwrap();
    write_ground(place.path());
    let told = |waypoints: &str| {
        let text = scenario("keep", "").replace("[[0, 0], [60, 0]]", waypoints);
        let file = parse(place.path(), &text).unwrap_or_else(|e| panic!("{e}"));
        let warnings = world(&file).unwrap_or_else(|e| panic!("{e}")).warnings;
        let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        warnings.iter().any(|own| own.contains("cross ground without elevation data"))
    };
    assert!(told("[[60, 0], [80, 0]]"));
    assert!(!told("[[0, 50], [80, 50]]"));
    // A vehicle that joins the path midway does not drive back to the first waypoint.
    assert!(!told("[[0, -60], [0, 60]]"));
}

/// An autonomous vehicle plans around the gap, which its lidar detects as level ground.
#[test]
fn an_autonomous_vehicle_plans_around_a_gap() {
    let place = tempfile::tempdir().unwrap();
    write_ground(place.path());
    let drive = |no_data: &str| {
        let text = scenario(no_data, "")
            .split("[[vehicle]]")
            .next()
            .unwrap_or_default()
            .replace("duration = 8", "duration = 60");
        let text = format!(
            "{text}[[vehicle]]\nname = \"own\"\nmodel = \"hmmwv\"\nposition = [0, 0]\n\
             driver = {{ kind = \"autonomous\", goal = [60, 0], speed = 4 }}\n\
             sensor = [\n\
             {{ name = \"lidar\", model = {{ kind = \"lidar\", preset = \"os2_64\", columns = 256, rays = \"one\" }}, \
             position = [1.2, 0, 0.6], pitch_deg = 25 }},\n\
             {{ name = \"gps\", model = {{ kind = \"gps\", preset = \"rtk_fixed\" }}, position = [0, 0, 1.2] }},\n\
             {{ name = \"imu\", model = {{ kind = \"imu\", preset = \"industrial\" }} }},\n]\n"
        );
        let file = parse(place.path(), &text).unwrap_or_else(|e| panic!("{e}"));
        let mut world = World::new(world(&file).unwrap_or_else(|e| panic!("{e}")).world);
        let mut widest = 0.0_f64;
        while world.time() < 60.0 && world.is_running() {
            world.advance();
            widest = widest.max(world.sample(0).unwrap().pose.position.y.abs());
        }
        (world.state().agents[0].outcome.clone(), widest)
    };
    let (outcome, widest) = drive("fill_nearest");
    assert!(widest < 10.0, "{widest} m, {outcome:?}");
    let (outcome, widest) = drive("keep");
    assert!(!matches!(outcome, Some(Outcome::UnmappedGround { .. })), "{outcome:?}");
    assert!(widest > 22.0, "{widest} m, {outcome:?}");
}

fn summary(folder: &Path) -> Json {
    serde_json::from_str(&fs::read_to_string(folder.join("summary.json")).unwrap()).unwrap()
}

/// Ranks, a resumed run and the preview report the gap alike.
#[test]
fn ranks_resumed_runs_and_the_preview_respect_gaps() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    write_ground(folder);
    fs::write(folder.join("gaps.toml"), scenario("keep", "")).unwrap();
    let run = |words: &[&str]| {
        let output = bekker(folder, &[&["run", "gaps.toml", "--quiet"], words].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    run(&["--out", "one"]);
    run(&["--out", "two", "--ranks", "2"]);
    let outcomes = |name: &str| {
        let summary = summary(&folder.join(name));
        let vehicles = summary["vehicles"].as_array().unwrap().clone();
        vehicles.into_iter().map(|own| own["outcome"].clone()).collect::<Vec<Json>>()
    };
    assert_eq!(outcomes("one")[0]["code"], "unmapped_ground");
    assert_eq!(outcomes("one"), outcomes("two"));
    run(&["--out", "cut", "--set", "time.duration=6", "--checkpoint-every", "3"]);
    let words =
        ["run", "--resume", "cut", "--out", "resumed", "--set", "time.duration=8", "--quiet"];
    let resumed = bekker(folder, &words);
    assert!(resumed.status.success(), "{}", String::from_utf8_lossy(&resumed.stderr));
    assert_eq!(outcomes("resumed"), outcomes("one"));

    let preview = bekker(folder, &["preview", "gaps.toml", "--out", "preview.png", "--json"]);
    assert!(preview.status.success(), "{}", String::from_utf8_lossy(&preview.stderr));
    let told: Json = serde_json::from_slice(&preview.stdout).unwrap();
    let warnings = told["warnings"].as_array().unwrap();
    let gap = warnings.iter().find(|own| own["code"] == "unmapped_ground").unwrap();
    assert_eq!(gap["vehicle"], "into");
    let [from, to] = ["from", "to"].map(|end| gap["stretch"][end].as_f64().unwrap());
    // The path starts behind the vehicle's origin.
    let x = gap["stretch"]["position"][0].as_f64().unwrap();
    assert!((x - 17.5).abs() < 1.0 && (to - from - 25.0).abs() < 1.0, "{gap}");
}
