//! Inputs beyond the limits of any machine or vehicle end in a clear error, in little time and
//! memory.
//!
//! Thousands of altered inputs never make the program panic (`bounds/mutations.rs`).
//!
//! The commands run with 200 MiB of data and two seconds of processor time: one on an idle machine,
//! two where tests run in parallel. Wall-clock time is not measured; the test ends a command that
//! would wait forever.

#[path = "bounds/mutations.rs"]
mod mutations;

use assert_cmd::Command;
use std::path::Path;
use std::time::Duration;

/// Valid scenario; the table breaks it.
const SOUND: &str = r#"format = 1
name = "sound"
time = { duration = 1 }
soil = { default = "firm" }
[[vehicle]]
name = "a"
model = "hmmwv"
position = [0, 0]
driver = { kind = "path", waypoints = [[0, 0], [80, 0]], speed = 5 }
"#;

const RIG: &str = "overrides = { axles.0.suspension.double_wishbone.points.spring_arm";

/// Cases: text to replace in [`SOUND`], its replacement, and a text that the report must contain.
const SCENARIOS: &[(&str, &str, &str)] = &[
    // Position and distance
    (
        "position = [0, 0]",
        "position = [1e8, 0]",
        "position[0] = 100000000.0: must be from -1000000 to 1000000",
    ),
    ("[80, 0]", "[1e8, 0]", "waypoints[1][0] = 100000000.0: must be from -1000000 to 1000000"),
    (
        "[80, 0]",
        "[900000, 0]",
        "waypoints = [[0, 0], [900000, 0]]: form a path of 900 km; must be at most 200 km",
    ),
    // Duration and frequency
    ("duration = 1", "duration = 1e300", "time.duration = 1e300: must be > 0 and <= 604800 s"),
    (
        "duration = 1",
        "duration = 1, step = 1e-300",
        "time.step = 1e-300: must be from 0.00001 to 0.02 s",
    ),
    (
        "duration = 1",
        "duration = 604800, step = 1e-4, heartbeat = 1e-4",
        "time.duration = 604800: requires 6.0e9 heartbeats of 0.0001 s; must be at most 1e8: shorten it, or lengthen time.heartbeat",
    ),
    (
        "[[vehicle]]",
        "[output]\ninterval = 1e300\n[[vehicle]]",
        "output.interval = 1e300: must be > 0 and <= 604800 s",
    ),
    // Images and scans
    (
        "speed = 5 }",
        "speed = 5 }\nsensor = [{ name = 'c', model = { kind = 'camera', width = 16384, height = 16384 } }]",
        "sensor[0].model: an image of 16384 x 16384 has 268435456 pixels; must be at most 16777216, such as 4096 x 4096",
    ),
    (
        "speed = 5 }",
        "speed = 5 }\nsensor = [{ name = 'c', model = { kind = 'camera', width = 4096, height = 4096, supersample = 16 } }]",
        "takes 4294967296 rays; must be at most 268435456",
    ),
    (
        "speed = 5 }",
        "speed = 5 }\nsensor = [{ name = 'c', lag = 60, model = { kind = 'camera', width = 4096, height = 4096 } }]",
        "vehicle = [{..}]: sensors hold ",
    ),
    (
        "speed = 5 }",
        "speed = 5 }\nsensor = [{ name = 'c', model = { kind = 'camera', rolling = 0.2 } }]",
        "sensor[0].model: exposure and rolling take 0.205 s together; at 10 Hz, a frame must be read within 0.1 s",
    ),
    (
        "speed = 5 }",
        "speed = 5 }\nsensor = [{ name = 'c', model = { kind = 'camera', fov_deg = 180 } }]",
        "fov_deg = 180: must be below 180 deg, the limit of its lens",
    ),
    (
        "speed = 5 }",
        "speed = 5 }\nsensor = [{ name = 'l', model = { kind = 'lidar', columns = 65535, samples = 15 } }]",
        "a scan with samples = 15 takes 235926000 rays; must be at most 67108864",
    ),
    (
        "[[vehicle]]",
        "[output]\npicture = { size = [8000, 8000] }\n[[vehicle]]",
        "output.picture.size = [8000, 8000]: must be at most 33177600 pixels in total, such as [7680, 4320]",
    ),
    // Ground
    (
        "[[vehicle]]",
        "[terrain.surface]\nkind = 'procedural'\namplitude = 900\nwavelength = 1\n[[vehicle]]",
        "terrain.surface.amplitude = 900: must be at most terrain.surface.wavelength = 1 m",
    ),
    (
        "[[vehicle]]",
        "[terrain.surface]\nkind = 'flat'\nelevation = 1e300\n[[vehicle]]",
        "terrain.surface.elevation = 1e300: must be from -20000 to 20000 m",
    ),
    (
        "[[vehicle]]",
        "[[terrain.stamp]]\nkind = 'hole'\nat = [1e300, 0]\nradius = 1\ndepth = 1\n[[vehicle]]",
        "terrain.stamp[0].at[0] = 1e300: must be from -1000000 to 1000000",
    ),
    (
        "[[vehicle]]",
        "[[scenery]]\nkind = 'oak'\ncount = 100000\n[[scenery]]\nkind = 'oak'\ncount = 100000\n[[scenery]]\nkind = 'oak'\ncount = 1\n[[vehicle]]",
        "scenery = [{..}, {..}, {..}]: has 200001 objects; must have at most 200000 in total",
    ),
    // Vehicles
    (
        "model = \"hmmwv\"",
        "model = \"m113_double_pin\"\noverrides = { idler.compression = 1e6 }",
        "idler.compression = 1000000: must be from -1 to 1",
    ),
    (
        "model = \"hmmwv\"",
        "model = \"m113_double_pin\"\noverrides = { shoe.pin_stiffness = 1e5 }",
        "shoe.pin_stiffness = 100000: must be at least ",
    ),
    (
        "speed = 5 }",
        "speed = 5 }\nOVERRIDE = [1e30, 0, 0] }",
        "points.spring_arm = [1000000000000000000000000000000, ",
    ),
    (
        "speed = 5 }",
        "speed = 5 }\nOVERRIDE = [4, 0, 0] }",
        "points.spring_arm = [4, 0, 0]: must be within 3 m of the wheel at ",
    ),
    (
        "speed = 5 }",
        "speed = 5 }\noverrides = { axles.0.brake_torque = 1e30 }",
        "axles[0].brake_torque = 1000000000000000000000000000000: must be from -10000000 to 10000000",
    ),
    (
        "speed = 5 }",
        "speed = 5 }\noverrides = { powertrain.engine.full_throttle_rpm = [[0, 1e30], [3000, -1e30]] }",
        "must be from -1000000 to 1000000",
    ),
    (
        "speed = 5 }",
        "speed = 5 }\noverrides = { axles.0.suspension.double_wishbone.upper_arm.mass = 1e9 }",
        "upper_arm.inertia = [0.03, 0.03, 0.06276]: must be from ",
    ),
    (
        "speed = 5 }",
        "speed = 5 }\noverrides = { chassis.products = [3000, 0, 0] }",
        "chassis.products = [3000, 0, 0]: must be smaller: with chassis.inertia, they give the principal moments ",
    ),
    (
        "speed = 5 }",
        "speed = 5 }\noverrides = { chassis.com = [9, 0, 0] }",
        "chassis.com = [9, 0, 0]: must be between the first and the last wheel",
    ),
    (
        "speed = 5 }",
        "speed = 5 }\noverrides = { chassis.mass = 90000, chassis.inertia = [90000, 90000, 90000] }",
        "tire.handling.vertical_stiffness = ",
    ),
    (
        "speed = 5 }",
        "speed = 5 }\noverrides = { wheelbase = 33.78 }",
        "wheelbase = 33.78: must be the distance between the wheels of the first and last axle, 3.302 m, within 1 %",
    ),
    (
        "speed = 5 }",
        "speed = 5 }\noverrides = { axles.1.position = [1.2, 0, 0] }",
        "axles[1].position = [1.2, 0, 0]: must be far enough back for its wheels to clear those ahead",
    ),
    (
        "speed = 5 }",
        "speed = 5 }\noverrides = { axles.1.position = [-1.688965, 0, 2] }",
        "axles[1].position = [-1.688965, 0, 2]: must be such that its wheels touch the ground like the others",
    ),
    (
        "speed = 5 }",
        "speed = 5 }\noverrides = { tire.handling.unloaded_radius = 4.7 }",
        "tire.handling.unloaded_radius = 4.7: must be from 0.05 to 3",
    ),
    (
        "speed = 5 }",
        "speed = 5 }\noverrides = { chassis.belly = { center = [0, 0, -2], length = 2, width = 1 } }",
        "chassis.belly.center = [0, 0, -2]: must be above the ground, which the wheels touch at z = ",
    ),
    (
        "\"hmmwv\"",
        "\"m113\"\noverrides = { left.shoes = 20 }",
        "left.shoes = 20: must be a number that fits around: ",
    ),
    (
        "\"hmmwv\"",
        "\"m113\"\noverrides = { left.stations = [-0.655, -0.66, -1.989, -2.656, -3.322] }",
        "left.stations = [-0.655, -0.66, -1.989, -2.656, -3.322]: must be at least a wheel's radius, 0.305 m, from each other",
    ),
    (
        "\"hmmwv\"",
        "\"m113\"\noverrides = { road_arm.torque = 1e30 }",
        "road_arm.torque = 1000000000000000000000000000000: must be from -10000000 to 10000000",
    ),
    // Files
    ("\"hmmwv\"", "\"folder.toml\"", "folder.toml: is a folder; must be a regular file"),
    ("\"hmmwv\"", "\"endless.toml\"", "endless.toml: is a device or pipe; must be a regular file"),
    (
        "[[vehicle]]",
        "[terrain.surface]\nkind = 'dem'\nfile = 'endless.tif'\n[[vehicle]]",
        "endless.tif: is a device or pipe; must be a regular file",
    ),
    (
        "[[vehicle]]",
        "[terrain.surface]\nkind = 'dem'\nfile = 'pipe.asc'\n[[vehicle]]",
        "pipe.asc: is a device or pipe; must be a regular file",
    ),
    (
        "{ default = \"firm\" }",
        "{ default = \"firm\", raster = { file = \"endless.tif\", classes = { 1 = \"mud\" } } }",
        "endless.tif: is a device or pipe; must be a regular file",
    ),
    (
        "[[vehicle]]",
        "[[scenery]]\nmesh = 'endless.obj'\n[[vehicle]]",
        "endless.obj: is a device or pipe; must be a regular file",
    ),
];

/// Cases: a command line, the report and the exit code.
const COMMAND_LINES: &[(&[&str], &str, i32)] = &[
    (
        &["validate", "/dev/zero"],
        "/dev/zero: cannot be read: is a device or pipe; must be a regular file",
        3,
    ),
    (&["validate", "pipe.asc"], "is a device or pipe; must be a regular file", 3),
    (
        &["run", "sound.toml", "--resume", "/dev/zero"],
        "/dev/zero: is a device or pipe; must be a regular file",
        3,
    ),
    (&["run", "sound.toml", "--threads", "1000000"], "1000000 is not in 1..=1024", 2),
    (&["run", "sound.toml", "--ranks", "1000000"], "1000000 is not in 1..=1024", 2),
    (&["vehicles", "endless.toml"], "is a device or pipe; must be a regular file", 3),
    (
        &["terrain", "info", "/dev/zero"],
        "/dev/zero: is a device or pipe; must be a regular file",
        3,
    ),
    (
        &["terrain", "info", "lie.png", "--height-range", "0,1", "--cell-size", "1"],
        "png: the header specifies 60000 x 60000 cells, more than ",
        3,
    ),
    (
        &["terrain", "import", "gap.asc", "out.tif"],
        "cells have no data, the first in row 1 (0 is north), column 1; crop the raster or have them filled (use --crop, --fill nearest or --fill interpolated)",
        3,
    ),
    (
        &["terrain", "import", "gap.asc", "gone/out.tif"],
        "must be in an existing folder; gone does not exist",
        2,
    ),
    (
        &["rig", "plate", "--soil-file", "/dev/zero"],
        "is a device or pipe; must be a regular file",
        3,
    ),
    (&["identify", "--plates", "/dev/zero"], "is a device or pipe; must be a regular file", 3),
    (
        &["identify", "--plates", "centimeters.csv"],
        "row 1: sinkage_m = 4: must be from 1e-6 to 2 m",
        3,
    ),
    (
        &["identify", "--plates", "kilopascals.csv"],
        "the identified soil is not valid for `bekker run`: n = ",
        3,
    ),
    (&["replay", "folder.toml"], "folder.toml: has no manifest.json", 3),
    (
        &["render", "sound.toml", "--time", "nan"],
        "invalid value 'nan' for '--time <SECONDS>': must be from 0 to 604800 s",
        2,
    ),
    (&["render", "sound.toml", "--time", "1e300"], "must be from 0 to 604800 s", 2),
    (&["render", "sound.toml", "--fov-deg", "180"], "must be from 0.1 to 170 deg", 2),
    (&["render", "sound.toml", "--size", "16384x16384"], "at most 16777216 pixels in total", 2),
    (
        &["render", "sound.toml", "--size", "4096x4096", "--supersample", "16"],
        "invalid value '16' for '--supersample'",
        2,
    ),
    (&["render", "sound.toml", "--out", "a.jpg"], "must end in .png", 2),
    (
        &["render", "sound.toml", "--from", "1,2,3", "--to", "1,2,3"],
        "camera at [1.0, 2.0, 3.0] m: its target must be another position",
        3,
    ),
    (&["bench", "--vehicles", "1000000000"], "1000000000 is not in 1..=4096", 2),
    (&["bench", "--threads", "1000000"], "1000000 is not in 1..=1024", 2),
    (&["bench", "--seconds", "1e300"], "must be from 0.01 to 3600 s", 2),
    (&["bench", "--step", "nan"], "must be from 0.00001 to 0.02 s", 2),
];

/// Creates a folder with the files that the tables name.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("sound.toml"), SOUND).unwrap();
    for name in ["folder.toml", "folder.md"] {
        std::fs::create_dir(at(name)).unwrap();
    }
    std::fs::write(at("taken"), "").unwrap();
    for name in ["endless.toml", "endless.tif", "endless.obj"] {
        std::os::unix::fs::symlink("/dev/zero", at(name)).unwrap();
    }
    assert!(std::process::Command::new("mkfifo").arg(at("pipe.asc")).status().unwrap().success());
    let grid =
        "ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -1\n1 2 3\n4 -1 6\n";
    std::fs::write(at("gap.asc"), grid).unwrap();
    std::fs::write(at("lie.png"), lie()).unwrap();
    let table = |rows: &[(f64, f64)]| {
        let rows = rows.iter().map(|(z, p)| format!("0.1,{z},{p}\n"));
        format!("width_m,sinkage_m,pressure_Pa\n{}", rows.collect::<String>())
    };
    let centimeters: Vec<_> = (1..9).map(|k| (4.0 * f64::from(k), 1e4 * f64::from(k))).collect();
    std::fs::write(at("centimeters.csv"), table(&centimeters)).unwrap();
    // n = 5: a value of no deformable soil.
    let steep: Vec<_> = (1..9).map(|k| f64::from(k) / 40.0).map(|z| (z, 1e7 * z.powi(5))).collect();
    std::fs::write(at("kilopascals.csv"), table(&steep)).unwrap();
    folder
}

/// Returns the header of an image of 60000 x 60000, followed by almost no data.
fn lie() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 60_000, 60_000);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Sixteen);
    let mut writer = encoder.write_header().unwrap();
    // First bytes of an empty compressed stream.
    writer.write_chunk(png::chunk::IDAT, &[0x78, 0x9c, 0x03, 0x00]).unwrap();
    // Dropping the writer reports the missing data as an error.
    drop(writer);
    bytes
}

/// Returns a `bekker` command limited to 200 MiB of data and `seconds` of processor time.
fn bounded(folder: &Path, arguments: &[&str], seconds: u32) -> Command {
    let mut command = Command::new("sh");
    let limits = format!("ulimit -d 204800; ulimit -t {seconds}; exec \"$0\" \"$@\"");
    command.args(["-c", &limits]).arg(assert_cmd::cargo::cargo_bin("bekker")).args(arguments);
    command.env("RAYON_NUM_THREADS", "2").current_dir(folder).timeout(Duration::from_secs(120));
    command
}

/// Returns the fault of the response to a wrong input, if any.
fn amiss(command: &mut Command, message: &str, code: i32) -> Option<String> {
    let output = command.output().unwrap();
    let report = String::from_utf8_lossy(&output.stderr);
    let sound = report.contains(message)
        && output.status.code() == Some(code)
        && output.stdout.is_empty()
        && !report.contains("panicked");
    let report: String = report.chars().take(600).collect();
    (!sound).then(|| format!("wanted {code}: {message}\n   got {:?}: {report}", output.status))
}

fn assert_none_amiss(amiss: Vec<String>) {
    assert!(amiss.is_empty(), "{} answers amiss:\n\n{}", amiss.len(), amiss.join("\n\n"));
}

#[test]
fn scenarios_beyond_all_memory_are_refused() {
    let folder = folder();
    let mut found = Vec::new();
    for (sound, broken, message) in SCENARIOS {
        assert!(SOUND.contains(sound), "not in the sound scenario: {sound}");
        let text = SOUND.replacen(sound, &broken.replace("OVERRIDE", RIG), 1);
        std::fs::write(folder.path().join("broken.toml"), text).unwrap();
        let mut command = bounded(folder.path(), &["validate", "broken.toml"], 2);
        found.extend(amiss(&mut command, message, 3));
    }
    assert_none_amiss(found);
}

#[test]
fn impossible_commands_are_refused() {
    let folder = folder();
    let answer = |(arguments, message, code): &(&[&str], &str, i32)| {
        amiss(&mut bounded(folder.path(), arguments, 2), message, *code)
    };
    assert_none_amiss(COMMAND_LINES.iter().filter_map(answer).collect());
}

#[test]
fn threads_of_the_environment() {
    let folder = folder();
    let mut found = Vec::new();
    for value in ["1000000", "18446744073709551616", "-1", "two"] {
        let mut command = bounded(folder.path(), &["run", "sound.toml"], 2);
        command.env("RAYON_NUM_THREADS", value);
        let message = format!(
            "invalid value '{value}' for 'RAYON_NUM_THREADS': must be a whole number up to 1024"
        );
        found.extend(amiss(&mut command, &message, 2));
    }
    assert_none_amiss(found);
}

#[test]
fn texts_of_any_length_and_depth() {
    let folder = folder();
    let mut found = Vec::new();
    let mut refused = |text: &str, message: &str| {
        std::fs::write(folder.path().join("broken.toml"), text).unwrap();
        let mut command = bounded(folder.path(), &["validate", "broken.toml"], 2);
        found.extend(amiss(&mut command, message, 3));
    };
    let through = |points: usize| {
        let points: Vec<String> = (0..points).map(|k| format!("[{k}.0, 0.25]")).collect();
        SOUND.replace("[[0, 0], [80, 0]]", &format!("[{}]", points.join(", ")))
    };
    refused(&through(1_000_000), "MiB long; must be at most 4.0 MiB");
    refused(
        &through(200_000),
        "contains more than 300000 values; must be fewer: shorten lists of points",
    );
    refused(
        &format!("a = [{}]", "0,".repeat(1_500_000)),
        "contains more than 300000 values; must be fewer",
    );
    refused(&format!("{} = 1", vec!["a"; 50_000].join(".")), "is nested more than 32 levels deep");
    refused(&format!("a = {}", "[".repeat(50_000)), "is nested more than 32 levels deep");
    let zones = "[[soil.zone]]\nsoil='mudd'\narea={kind='rectangle',min=[0,0],max=[1,1]}\n";
    refused(
        &format!("{SOUND}{}", zones.repeat(20_000))
            .replace("soil = {", "[soil]\n# {")
            .replace("# { default = \"firm\" }", "default = 'firm'"),
        "and 19950 more",
    );
    let deep = format!("{}=1", vec!["a"; 50_000].join("."));
    let mut command = bounded(folder.path(), &["validate", "sound.toml", "--set", &deep], 2);
    found.extend(amiss(&mut command, "...: is nested more than 32 levels deep", 3));
    assert_none_amiss(found);
}

/// Paths and meshes of some MB that expand beyond memory, and small ones that would run forever,
/// are refused.
#[test]
fn paths_and_meshes_of_any_length_and_depth_are_bounded() {
    let folder = folder();
    let mut found = Vec::new();
    let mut refused = |name: &str, content: &str, scenario: &str, message: &str| {
        std::fs::write(folder.path().join(name), content).unwrap();
        std::fs::write(folder.path().join("broken.toml"), scenario).unwrap();
        let mut command = bounded(folder.path(), &["validate", "broken.toml"], 2);
        found.extend(amiss(&mut command, message, 3));
    };
    let way = |name: &str| {
        let site = "site = { latitude_deg = 36, longitude_deg = -84 }\n[[vehicle]]";
        let file = format!("waypoints = {{ file = '{name}' }}");
        SOUND.replace("[[vehicle]]", site).replace("waypoints = [[0, 0], [80, 0]]", &file)
    };
    assert!(way("way.csv").contains("way.csv"));
    let many = "has more than 100000 points at least 1 m from the previous one; thin them out";
    refused("way.csv", &format!("x,y\n{}", "0,0\n9,0\n".repeat(3_000_000)), &way("way.csv"), many);
    let positions = "[-84,36],[-84,36.001],".repeat(150_000);
    let line = format!(r#"{{"type":"LineString","coordinates":[{positions}[-84,36]]}}"#);
    refused("way.geojson", &line, &way("way.geojson"), many);
    let gpx = |content: &str| format!("<gpx version=\"1.1\">{content}</gpx>");
    let points = "<trkpt lat='36' lon='-84'/><trkpt lat='36.001' lon='-84'/>".repeat(60_000);
    let track = gpx(&format!("<trk><trkseg>{points}</trkseg></trk>"));
    refused("way.gpx", &track, &way("way.gpx"), many);
    let nested = format!("{}{}", "<a>".repeat(200_000), "</a>".repeat(200_000));
    let nested = gpx(&format!("<extensions>{nested}</extensions>"));
    refused("way.gpx", &nested, &way("way.gpx"), "elements are nested more than 1000 deep");
    let attributes: String = (0..100_000).map(|k| format!(" a{k}='1'")).collect();
    let attributes = gpx(&format!("<wpt{attributes}/>"));
    refused("way.gpx", &attributes, &way("way.gpx"), "a point lacks lat or lon");
    let deep = format!(r#"{{"type":"LineString","coordinates":{}"#, "[".repeat(1_000_000));
    refused("way.geojson", &deep, &way("way.geojson"), "recursion limit exceeded");
    let lines = r#"{"type":"LineString","coordinates":[[1,2],[1,3]]},"#.repeat(100_001);
    let lines = format!(r#"{{"type":"GeometryCollection","geometries":[{lines}null]}}"#);
    refused("way.json", &lines, &way("way.json"), "contains more than 100000 lines");
    let mesh = SOUND.replace("[[vehicle]]", "[[scenery]]\nmesh = 'nodes.gltf'\n[[vehicle]]");
    let nodes = vec!["{}"; 2_000_000].join(",");
    let nodes = format!(r#"{{"asset":{{"version":"2.0"}},"nodes":[{nodes}]}}"#);
    refused(
        "nodes.gltf",
        &nodes,
        &mesh,
        "not a glTF file: contains more than 4000000 values; must be fewer",
    );
    assert_none_amiss(found);
}

/// OBJ meshes of some MB that expand beyond memory or need quadratic time are refused.
#[test]
fn meshes_in_obj_are_bounded() {
    let folder = folder();
    let mut found = Vec::new();
    let mesh = SOUND.replace("[[vehicle]]", "[[scenery]]\nmesh = 'own.obj'\n[[vehicle]]");
    std::fs::write(folder.path().join("broken.toml"), mesh).unwrap();
    std::fs::write(folder.path().join("own.mtl"), "newmtl a\n".repeat(10_000)).unwrap();
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    for (content, message) in [
        (format!("{corners}f {}\n", "1 2 3 ".repeat(1_500_000)), "the first 4000000 triangles"),
        (format!("{corners}{}", "f 1 2 3\n".repeat(4_000_001)), "the first 4000000 triangles"),
        ("mtllib own.mtl\n".repeat(200_000), "at most 100 material libraries"),
        ((0..300_000).map(|k| format!("usemtl m{k}\n")).collect(), "has no triangles"),
    ] {
        std::fs::write(folder.path().join("own.obj"), content).unwrap();
        let mut command = bounded(folder.path(), &["validate", "broken.toml"], 8);
        found.extend(amiss(&mut command, message, 3));
    }
    // The text and the largest allowed number of vertices need more memory than the other cases.
    std::fs::write(folder.path().join("own.obj"), "v 0 0 0\n".repeat(12_000_002)).unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -d 512000; exec \"$0\" validate broken.toml"]);
    command.arg(assert_cmd::cargo::cargo_bin("bekker")).current_dir(folder.path());
    found.extend(amiss(&mut command, "the first 12000000 vertices", 3));
    assert_none_amiss(found);
}

/// Words of some MB are not compared with known words, which takes quadratic time, and no message
/// repeats them in full.
#[test]
fn long_words_are_not_compared_or_repeated() {
    let (folder, long) = (folder(), "q".repeat(3_000_000));
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let mesh = |name: &str| {
        SOUND.replace("[[vehicle]]", &format!("[[scenery]]\nmesh = '{name}'\n[[vehicle]]"))
    };
    write(
        "uri.gltf",
        &format!(
            r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"uri":"{long}","byteLength":1}}]}}"#
        ),
    );
    write("version.gltf", &format!(r#"{{"asset":{{"version":"{long}"}}}}"#));
    write("line.obj", &format!("v 0 0 0\nf {} 9\n", "1 1 1 ".repeat(500_000)));
    write("place.obj", &format!("v {long}\n"));
    write("library.obj", &format!("mtllib {long}\n"));
    write(
        "line.asc",
        &format!("ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2\n3 {long}\n"),
    );
    write("way.geojson", &format!(r#"{{"type":"LineString","coordinates":["{long}"]}}"#));
    let dem = |name: &str| {
        format!("[terrain]\nsurface = {{ kind = 'dem', file = '{name}' }}\n[[vehicle]]")
    };
    let site = "site = { latitude_deg = 36, longitude_deg = -84 }\n[[vehicle]]";
    let way = SOUND.replace("[[vehicle]]", site);
    let scenarios = [
        ("soil", SOUND.replace("default = \"firm\"", &format!("default = \"{long}\""))),
        ("key", format!("{long} = 1\n{SOUND}")),
        ("kind", SOUND.replace("kind = \"path\"", &format!("kind = \"{long}\""))),
        ("model", SOUND.replace("model = \"hmmwv\"", &format!("model = \"{long}\""))),
        ("number", SOUND.replace("format = 1", &format!("format = {}", "1".repeat(3_000_000)))),
        ("uri", mesh("uri.gltf")),
        ("version", mesh("version.gltf")),
        ("line", mesh("line.obj")),
        ("place", mesh("place.obj")),
        ("library", mesh("library.obj")),
        ("grid", SOUND.replace("[[vehicle]]", &dem("line.asc"))),
        (
            "way",
            way.replace("waypoints = [[0, 0], [80, 0]]", "waypoints = { file = 'way.geojson' }"),
        ),
    ];
    for (name, text) in scenarios {
        assert_ne!(text, SOUND, "{name}");
        write("broken.toml", &text);
        let output = bounded(folder.path(), &["validate", "broken.toml"], 4).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        let start: String = told.chars().take(300).collect();
        assert_eq!(output.status.code(), Some(3), "{name}: {start}");
        assert!(told.len() < 10_000, "{name}: {} bytes: {start}", told.len());
        assert!(told.contains("broken.toml"), "{name}: {start}");
    }
}

/// A scenario of 20,000 zones is valid: it is checked, built and queried in the time of any other
/// scenario.
#[test]
fn twenty_thousand_zones_build_quickly() {
    let folder = folder();
    let zone = |k: usize| {
        let (x, y) = ((k % 200) as f64, (k / 200) as f64 - 50.0);
        format!(
            "[[soil.zone]]\nsoil = 'mud'\narea = {{ kind = 'rectangle', min = [{x}, {y}], max = [{}, {}] }}\n",
            x + 0.5,
            y + 0.5
        )
    };
    let zones: String = (0..20_000).map(zone).collect();
    let text = SOUND.replace("soil = { default = \"firm\" }", "[soil]\ndefault = 'firm'").replace(
        "time = { duration = 1 }",
        "[time]\nduration = 0.1\n[output.picture]\nsize = [400, 400]",
    );
    std::fs::write(folder.path().join("zones.toml"), format!("{text}{zones}")).unwrap();
    let mut command = bounded(folder.path(), &["validate", "zones.toml"], 2);
    command.assert().success();
    // The image alone takes about a second.
    let run = ["run", "zones.toml", "--out", "zones", "-q"];
    bounded(folder.path(), &run, 8).assert().success();
}

/// A DEM whose gaps lack a nodata value is used with a warning.
#[test]
fn undeclared_gaps_cause_a_warning() {
    let folder = folder();
    let row = |y: usize| vec![if y == 3 { "-9999" } else { "5" }; 40].join(" ");
    let rows: Vec<String> = (0..40).map(row).collect();
    let header = "ncols 40\nnrows 40\nxllcorner 0\nyllcorner 0\ncellsize 10\n";
    std::fs::write(folder.path().join("hills.asc"), format!("{header}{}\n", rows.join("\n")))
        .unwrap();
    let dem = "[terrain.surface]\nkind = 'dem'\nfile = 'hills.asc'\n[[vehicle]]";
    let text = SOUND.replace("[[vehicle]]", dem);
    std::fs::write(folder.path().join("hills.toml"), text).unwrap();
    let output = bounded(folder.path(), &["validate", "hills.toml"], 2).assert().success();
    let told = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(told.contains("40 cells have the value -9999 m, which often marks gaps"), "{told}");
}

/// Groups of scenery and seeds have independent random streams.
///
/// The second group of seed 1 differs from the first group of seed 2.
#[test]
fn groups_of_scenery_have_independent_random_streams() {
    use bekker::scenario::{ScenarioFile, build};
    let places = |seed: u64| -> Vec<Vec<[f64; 2]>> {
        let groups = "[[scenery]]\nkind = 'oak'\ncount = 20\n".repeat(3);
        let text = format!("seed = {seed}\n{SOUND}{groups}");
        let file = ScenarioFile::parse("groups.toml", &text, Path::new(""), &[]).unwrap();
        let built = build::world(&file).unwrap();
        let props = build::props(&file, &built.meshes, built.random.as_ref());
        props.chunks(20).map(|group| group.iter().map(|prop| prop.place).collect()).collect()
    };
    let groups: Vec<_> = (1..5).flat_map(places).collect();
    assert_eq!(groups.len(), 12);
    for (index, group) in groups.iter().enumerate() {
        let same = groups[..index].iter().flatten().filter(|place| group.contains(place)).count();
        assert_eq!(same, 0, "group {index} stands where another does");
    }
}
