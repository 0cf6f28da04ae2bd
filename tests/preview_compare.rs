//! User-facing output: `bekker preview`, `bekker compare`, the images, and `--help`.

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::Path;

fn bekker(folder: &Path) -> Command {
    let mut command = Command::cargo_bin("bekker").unwrap();
    command.current_dir(folder);
    command
}

/// Scenario that triggers every preview warning.
const DOUBTFUL: &str = r#"
format = 1
name = "doubtful"
time = { duration = 30 }
[soil]
default = "lete_sand_chrono"
[[soil.custom]]
name = "slough"
based_on = "mud"
[[soil.zone]]
soil = "slough"
area = { kind = "rectangle", min = [70, -40], max = [80, 40] }
[terrain]
surface = { kind = "dem", file = "level.asc", origin = [0, 0] }
stamp = [ { kind = "bump", at = [30, 0], radius = 8, height = 8 } ]
[[scenery]]
kind = "oak"
places = [[50, -2.3]]
[[vehicle]]
name = "scout"
model = "hmmwv"
position = [0, 0]
driver = { kind = "path", speed = 8, at_end = "continue", waypoints = [[0, 0], [95, 0], [98, 6], [80, 10], [80, 35]] }
[[vehicle]]
name = "second"
model = "hmmwv"
position = [-9, 1]
driver = { kind = "follow", leader = "scout" }
"#;

fn preview(text: &str, arguments: &[&str]) -> (Value, String, Picture) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.toml"), text).unwrap();
    // A level elevation model from (-30, -40) to (110, 40) m.
    let rows = "0 ".repeat(15) + "\n";
    let header = "ncols 15\nnrows 9\nxllcorner -35\nyllcorner -45\ncellsize 10\n";
    fs::write(folder.path().join("level.asc"), header.to_owned() + &rows.repeat(9)).unwrap();
    let mut command = bekker(folder.path());
    command.args(["preview", "s.toml", "--json", "--out", "p.png"]).args(arguments);
    let output = command.assert().success().get_output().clone();
    let said = String::from_utf8(output.stderr).unwrap();
    let picture = Picture::read(&folder.path().join("p.png"));
    (serde_json::from_slice(&output.stdout).unwrap(), said, picture)
}

struct Picture {
    width: u32,
    height: u32,
    pixels: Vec<[u8; 3]>,
}

impl Picture {
    fn read(path: &Path) -> Picture {
        let file = std::io::BufReader::new(fs::File::open(path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        let pixels = bytes.as_chunks::<3>().0.to_vec();
        Picture { width: info.width, height: info.height, pixels }
    }

    fn count(&self, of: impl Fn([u8; 3]) -> bool) -> usize {
        self.pixels.iter().filter(|pixel| of(**pixel)).count()
    }
}

fn codes(preview: &Value) -> Vec<&str> {
    let warnings = preview["warnings"].as_array().unwrap();
    warnings.iter().map(|warning| warning["code"].as_str().unwrap()).collect()
}

#[test]
fn a_preview_has_the_warnings_of_a_run() {
    let (told, said, picture) = preview(DOUBTFUL, &[]);
    let codes = codes(&told);
    for code in ["wall", "obstacle", "soft_soil", "leaves_terrain", "tight_bend"] {
        assert!(codes.contains(&code), "{code} is missing in {codes:?}\n{said}");
    }
    assert!(said.contains("warning: scout: impassable grade of "), "{said}");
    // The wall is the bump, with a maximum slope of 1.5 x 8 m / 8 m = 150 %; over the wheelbase of
    // 3.4 m it is slightly less.
    let wall = &told["warnings"].as_array().unwrap().iter().find(|w| w["code"] == "wall").unwrap();
    let (grade, at) = (wall["grade"].as_f64().unwrap(), wall["stretch"]["from"].as_f64().unwrap());
    assert!((1.2..1.5).contains(&grade.abs()) && (20.0..30.0).contains(&at), "{wall}");
    // Both vehicles share one path.
    let ways = told["ways"].as_array().unwrap();
    assert_eq!((ways.len(), ways[0]["vehicles"].as_array().unwrap().len()), (1, 2));
    assert!(picture.width == 1920 && picture.height > 1000);
    // Letters of warnings are on the map and in the list.
    assert!(picture.count(|pixel| pixel == [200, 30, 45]) > 2000);
}

/// A lidar inside its own hull gives a warning.
///
/// Mounted for a smaller vehicle, it sees the inside of a larger one's hull, and the vehicle creeps
/// into walls.
#[test]
fn a_lidar_inside_its_own_hull_causes_a_warning() {
    let scenario = r#"
        format = 1
        name = "mounted"
        time = { duration = 1 }
        soil = { default = "rigid" }
        vehicle = [{ name = "blind", model = "man_8x8", position = [0, 0], sensor = [
            { name = "lidar", model = { kind = "lidar", preset = "vlp16" }, position = [1.2, 0, 0.6] },
        ] }]
    "#;
    let (told, said, _) = preview(scenario, &[]);
    assert_eq!(codes(&told), ["hidden_lidar"], "{said}");
    assert!(said.contains("blind: lidar lidar is mounted"), "{said}");
    let (told, said, _) = preview(scenario, &["--set", "vehicle[0].model=\"mrzr4\""]);
    assert!(codes(&told).is_empty(), "{said}");
}

/// A scenario that cannot run is not drawn: the error is that of the run and names both vehicles.
#[test]
fn vehicles_that_overlap_are_refused_as_by_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let flat = DOUBTFUL
        .replace("kind = \"dem\", file = \"level.asc\", origin = [0, 0]", "kind = \"flat\"");
    let text = flat.replace("position = [-9, 1]", "position = [-3, 1]");
    fs::write(folder.path().join("s.toml"), text).unwrap();
    let refusal = |command: &str| {
        let output = bekker(folder.path()).args([command, "s.toml"]).assert().code(3);
        String::from_utf8(output.get_output().stderr.clone()).unwrap()
    };
    let said = refusal("preview");
    assert!(said.contains("second (") && said.contains("overlaps scout"), "{said}");
    assert_eq!(said, refusal("run"));
    assert!(!folder.path().join("preview.png").exists());
}

#[test]
fn a_sound_scenario_gives_no_warning() {
    let example = fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/single_vehicle.toml"),
    );
    let (told, said, picture) = preview(&example.unwrap(), &[]);
    assert_eq!((codes(&told).len(), said.as_str()), (0, ""));
    assert!(picture.count(|pixel| pixel == [200, 30, 45]) == 0);
    // 20 s at 4 m/s
    let length = told["ways"][0]["length"].as_f64().unwrap();
    assert!((80.0..110.0).contains(&length), "{length}");
}

#[test]
fn a_route_longer_than_the_run_is_reported_and_pictures_are_numbered() {
    let folder = tempfile::tempdir().unwrap();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/single_vehicle.toml");
    let last_line = || {
        let output = bekker(folder.path()).arg("preview").arg(&example).assert().success();
        let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
        assert!(
            text.contains("takes 25 s at the driver's speed, but the run ends at 20 s"),
            "{text}"
        );
        text.lines().last().unwrap().to_owned()
    };
    assert_eq!(last_line(), "no other warnings; drawn in preview.png");
    let first = fs::read(folder.path().join("preview.png")).unwrap();
    assert_eq!(last_line(), "no other warnings; drawn in preview-2.png");
    assert_eq!(last_line(), "no other warnings; drawn in preview-3.png");
    assert_eq!(fs::read(folder.path().join("preview.png")).unwrap(), first);
}

#[test]
fn snow_is_white_in_a_preview() {
    let snow = DOUBTFUL.replace("based_on = \"mud\"", "based_on = \"deep_snow\"");
    let snow = snow.replace("slough", "snow_field").replace("min = [70, -40]", "min = [-30, -40]");
    // Level ground: only the bump is shaded.
    let (_, _, picture) = preview(&snow, &[]);
    let (earth_before, white) = (
        preview(DOUBTFUL, &[]).2.count(|pixel| pixel == [214, 206, 188]),
        picture.count(|[r, g, b]| r > 240 && g > 240 && b > 240 && [r, g, b] != [255; 3]),
    );
    assert!(earth_before > 100_000, "{earth_before} pixels of sand");
    assert!(white > 100_000, "{white} pixels of snow");
}

/// The sinkage of rigid wheels in a preview is that of their weight on the moon: z ~ W^(2/(2n + 1)).
#[test]
fn a_preview_on_the_moon_has_the_sinkage_of_its_gravity() {
    let text = "format = 1\nname = \"s\"\ntime = { duration = 2 }\n\
                ground = { spacing = 0.05 }\nsoil = { default = \"chrono_mid\" }\n\
                [[vehicle]]\nname = \"own\"\nmodel = \"mer\"\nposition = [0, 0]\n\
                driver = { kind = \"path\", speed = 0.05, waypoints = [[0, 0], [9, 0]] }\n";
    let sinkage = |sets: &[&str]| {
        let (told, ..) = preview(text, sets);
        told["vehicles"][0]["going"][0]["sinkage"].as_f64().unwrap()
    };
    let ratio = sinkage(&["--set", "world.gravity=1.62"]) / sinkage(&[]);
    let expected = (1.62_f64 / 9.81).powf(2.0 / (2.0 * 1.1 + 1.0));
    assert!((ratio / expected - 1.0).abs() < 1e-9, "{ratio}, not {expected}");
}

#[test]
fn every_help_has_an_example_and_no_broken_line() {
    let folder = tempfile::tempdir().unwrap();
    let help = |parts: &[&str]| {
        let output = bekker(folder.path()).args(parts).arg("--help").assert().success();
        String::from_utf8(output.get_output().stdout.clone()).unwrap()
    };
    let commands = |text: &str| -> Vec<String> {
        let listed = text.split("Commands:\n").nth(1).unwrap_or_default();
        let lines = listed.lines().take_while(|line| line.starts_with("  "));
        let lines = lines.filter(|line| !line.starts_with("   "));
        let names = lines.filter_map(|line| line.split_whitespace().next());
        // Continued descriptions have a larger indent.
        names.filter(|name| *name != "help").map(String::from).collect()
    };
    let top = help(&[]);
    for command in commands(&top) {
        let own = help(&[&command]);
        let nested = if own.contains("Commands:\n") { commands(&own) } else { Vec::new() };
        let mut texts = vec![own];
        texts.extend(nested.iter().map(|part| help(&[&command, part])));
        for text in texts {
            assert!(text.contains("Example"), "{command} has no example:\n{text}");
            for (n, line) in text.lines().enumerate() {
                assert!(line.chars().count() <= 112, "{command}: too long: {line}");
                let words = line.trim_start();
                assert!(!words.starts_with("XX"), "{command}, line {n}: {line}");
            }
        }
    }
    let run = help(&["run"]);
    assert!(run.contains("The run's folder (runs/NAME-N) gets manifest.json"), "{run}");
    for command in ["preview", "compare"] {
        assert!(top.contains(&format!("  {command} ")), "{command} is not listed:\n{top}");
    }
}

fn run(folder: &Path, name: &str, sets: &[&str]) {
    let mut command = Command::cargo_bin("bekker").unwrap();
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command.args(["--quiet", "run", "examples/single_vehicle.toml", "--no-picture", "--out"]);
    command.arg(folder.join(name));
    for set in sets {
        command.args(["--set", set]);
    }
    command.assert().success();
}

#[test]
fn runs_are_compared_in_shared_plots() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), "short", &["time.duration=2"]);
    run(folder.path(), "long", &["time.duration=3", "soil.default=mud"]);
    let output = bekker(folder.path())
        .args(["compare", "short", "long", "--json", "--out", "c.png"])
        .assert()
        .success();
    let told: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    let differences = told["differences"].as_array().unwrap();
    let keys: Vec<&str> = differences.iter().map(|row| row["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["soil.default", "time.duration"]);
    assert_eq!(differences[1]["values"], serde_json::json!([2.0, 3.0]));
    let runs = told["vehicles"][0]["runs"].as_array().unwrap();
    for (run, until) in runs.iter().zip([2.0, 3.0]) {
        assert!((run["recorded_until"].as_f64().unwrap() - until).abs() < 0.1, "{run}");
        assert!(run["summary"]["distance"].as_f64().unwrap() > 0.5, "{run}");
    }
    // Pixels of a color in the left and in the right half of a picture.
    let halves = |name: &str, color: [u8; 3]| {
        let picture = Picture::read(&folder.path().join(name));
        let width = picture.width as usize;
        [0..width / 2, width / 2..width].map(|half| {
            let inside =
                |(n, pixel): &(usize, &[u8; 3])| half.contains(&(n % width)) && **pixel == color;
            picture.pixels.iter().enumerate().filter(inside).count()
        })
    };
    // The plots on the left and on the right have the colors of both runs.
    for color in [[0, 104, 178], [220, 125, 0]] {
        let counts = halves("c.png", color);
        assert!(counts.iter().all(|count| *count > 300), "{color:?}: {counts:?}");
    }
    // More runs are side by side, each with the color of the vehicle.
    let many = ["compare", "short", "long", "short", "long", "short", "--out", "many.png"];
    bekker(folder.path()).args(many).assert().success();
    assert!(halves("many.png", [0, 104, 178]).iter().all(|count| *count > 300));
    assert_eq!(halves("many.png", [220, 125, 0]), [0, 0]);

    let table =
        bekker(folder.path()).args(["compare", "short", "long", "--no-picture", "-q"]).assert();
    let text = String::from_utf8(table.success().get_output().stdout.clone()).unwrap();
    assert!(text.contains("difference") && text.contains("soil.default"), "{text}");
    assert!(text.contains("hmmwv") && text.contains("long"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(!text.contains("resistance"), "{text}");
    let table =
        bekker(folder.path()).args(["compare", "short", "--wide", "--no-picture", "-q"]).assert();
    let wide = String::from_utf8(table.success().get_output().stdout.clone()).unwrap();
    assert!(wide.contains("resistance") && wide.contains("final"), "{wide}");

    // An interrupted run has no summary; its record is still compared.
    fs::remove_file(folder.path().join("short/summary.json")).unwrap();
    fs::remove_file(folder.path().join("short/states.csv")).unwrap();
    let output =
        bekker(folder.path()).args(["compare", "short", "long", "--json"]).assert().success();
    let told: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    assert_eq!(told["runs"][0]["complete"], false);
    let cut = &told["vehicles"][0]["runs"][0];
    assert_eq!(cut["outcome"], "not recorded");
    assert!((cut["recorded_until"].as_f64().unwrap() - 2.0).abs() < 0.1, "{cut}");
}

#[test]
fn folders_that_are_not_runs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("empty")).unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    for (name, cause) in [
        ("empty", "has no manifest.json"),
        ("nowhere", "does not exist"),
        ("file", "is not a folder"),
    ] {
        let output = bekker(folder.path()).args(["compare", name]).assert().code(3);
        let said = String::from_utf8(output.get_output().stderr.clone()).unwrap();
        let remedy = "give a run folder, such as runs/convoy_mud-1";
        assert!(said.contains(cause) && said.contains(name) && said.contains(remedy), "{said}");
        assert!(!folder.path().join("comparison.png").exists());
    }
}

/// Returns the mean green level of the lower half of an image, which shows ground.
fn ground_level(scenario: &str) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("r.png");
    let mut command = Command::cargo_bin("bekker").unwrap();
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command.args(["--quiet", "render", scenario, "--size", "96x54", "--supersample", "1"]);
    command.args(["--camera", "bird", "--out"]).arg(&out).assert().success();
    let picture = Picture::read(&out);
    let lower = &picture.pixels[picture.pixels.len() / 2..];
    lower.iter().map(|pixel| f64::from(pixel[1])).sum::<f64>() / lower.len() as f64
}

#[test]
fn soil_is_exposed_like_a_photograph() {
    // Middle gray is 118 of 255. A photograph of ground is within one and a half stops of it, one
    // of sunlit snow above.
    let mud = ground_level("examples/tracked_mud.toml");
    assert!((75.0..170.0).contains(&mud), "mud is {mud}");
    let snow = ground_level("examples/convoy_snow.toml");
    assert!(snow > 1.3 * mud, "snow is {snow}, mud {mud}");
}
