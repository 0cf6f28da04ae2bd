//! `bekker identify drives`: from a run's states to files that studies, rigs and maps take.

use assert_cmd::Command;
use bekker::map::MapFile;
use bekker::report::recorded_drive::RecordedDrive;
use bekker::report::ros_bag::{RosBag, TopicChoices};
use bekker::rig::drives::{
    DriveLog, DriveVehicle, IdentificationSettings, SoilPrior, identify_soil, read_drive_log,
};
use bekker::scenario::config::{DriverConfig, TireModel, VehicleConfig};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn bekker(folder: &Path, arguments: &[&str]) -> (String, String, i32) {
    let mut command = Command::cargo_bin("bekker").unwrap();
    let output = command.current_dir(folder).args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code().unwrap())
}

/// Coarse steps and nodes: the files are tested, not the accuracy of a drive.
const DRIVE: &str = r#"
format = 1
name = "truth"
time = { duration = 2, step = 0.005 }
ground = { spacing = 0.1 }
soil = { default = "sandy_loam_11_michigan" }
output = { states = ["csv", "mcap"] }
[[vehicle]]
name = "lead"
model = "mrzr4"
tire = "rigid"
position = [0, 0]
driver = { kind = "table", rows = [{ time = 0 }, { time = 0.5, throttle = 0.5 }, { time = 1.5, throttle = 1 }] }
"#;

#[test]
fn a_run_gives_a_soil_that_studies_rigs_and_maps_take() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &str| {
        let words: Vec<&str> = arguments.split_whitespace().collect();
        let (text, report, code) = bekker(folder.path(), &words);
        assert_eq!(code, 0, "bekker {arguments}: {report}");
        text
    };
    fs::write(folder.path().join("drive.toml"), DRIVE).unwrap();
    run("run drive.toml --out truth -q");
    let text = run("identify drives truth --vehicle lead --quick --out found --name found");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.contains("truth: one soil up to its end at 2.0 s"), "{text}");
    // the same drive from the MCAP file of the run
    let mcap = folder.path().join("truth/sensors.mcap");
    let data = run("identify drives truth --vehicle lead --quick --json");
    let from_run: Value = serde_json::from_str(&data).unwrap();
    let alone = folder.path().join("alone.mcap");
    fs::copy(&mcap, &alone).unwrap();
    let data = run("identify drives alone.mcap --quick --json");
    let from_mcap: Value = serde_json::from_str(&data).unwrap();
    assert_eq!(from_mcap["parameters"], from_run["parameters"]);
    assert_eq!(from_mcap["logs"][0]["grade"], from_run["logs"][0]["grade"]);
    // both records have the doubles of the run, and the MCAP has times in whole microseconds
    let csv = fs::read_to_string(folder.path().join("truth/states.csv")).unwrap();
    let expected = read_drive_log("drive", &csv, Some("lead")).unwrap();
    let recorded = RecordedDrive::read(&mcap, Some("lead")).unwrap();
    assert_eq!(recorded.log.channels, expected.channels);
    assert_eq!(recorded.log.controls, expected.controls);
    assert_eq!(recorded.log.times.len(), 41);
    for (found, expected) in recorded.log.times.iter().zip(&expected.times) {
        assert!((found - expected).abs() < 1e-6, "{found} for {expected} s");
    }

    // the same log as a table, whose rows have the name of the vehicle
    let table = folder.path().join("truth/states.csv").display().to_string();
    let data = run(&format!("identify drives {table} --vehicle mrzr4 --quick --json"));
    let data: Value = serde_json::from_str(&data).unwrap();
    assert_eq!(data["parameters"].as_array().unwrap().len(), 6);
    assert_eq!(data["directions"].as_array().unwrap().len(), 6);
    assert_eq!(data["logs"][0]["soil_changes_at"], Value::Null);
    assert_eq!(data["fit"]["drives"], 96);
    // a first look does not rank what to drive next
    assert_eq!(data["next_drives"].as_array().unwrap().len(), 0);

    run("study plan found/study.toml --probe 1");
    let found = |name: &str| fs::read_to_string(folder.path().join("found").join(name)).unwrap();
    let page = found("report.html");
    for part in ["Speed", "Torque of wheel 3", "Pairs in the posterior"] {
        assert!(page.contains(part), "{part}");
    }
    let alone = format!(
        "format = 1\nscenario = \"scenario.toml\"\ndesign = \"latin_hypercube\"\npoints = 4\n\
         responses = [\"mean_slip\"]\n{}",
        found("factors.toml")
    );
    fs::write(folder.path().join("found/alone.toml"), alone).unwrap();
    run("study plan found/alone.toml --probe 1");
    run("rig plate --soil-file found/soil.toml --pressure 20e3 --no-plot --no-check");
    fs::write(folder.path().join("hill.asc"), crate::maps::hill()).unwrap();
    let sigma = data["strength_sigma_ln"].as_f64().unwrap();
    let map = format!(
        "{}terrain = {{ surface = {{ kind = 'dem', file = 'hill.asc', origin = [0, 0] }} }}\n\
         strength = {{ sigma_ln = {sigma} }}\n[[soil.custom]]\n{}",
        crate::maps::QUICK
            .replace("soil = { default = \"dry_sand_lll\" }", "soil.default = \"found\""),
        found("soil.toml")
    );
    MapFile::parse("hill.toml", &map, folder.path(), &[]).unwrap_or_else(|e| panic!("{e}"));
}

/// The bag of `tests/data/ros_bag` has the numbers of its table, written by another library.
#[test]
fn a_ros_bag_gives_the_posterior_of_its_table() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/ros_bag");
    let folder = tempfile::tempdir().unwrap();
    // as `ros2 bag record` leaves it
    let bag = folder.path().join("bag");
    fs::create_dir(&bag).unwrap();
    fs::write(bag.join("metadata.yaml"), "rosbag2_bagfile_information:\n").unwrap();
    fs::copy(data.join("drive.mcap"), bag.join("bag_0.mcap")).unwrap();
    let drive = RosBag::read(&bag).unwrap().drive("bag", &TopicChoices::default()).unwrap();
    let table = fs::read_to_string(data.join("drive.csv")).unwrap();
    let of_table = read_drive_log("table", &table, None).unwrap();
    // coarse steps and nodes, and few drives: the logs are tested, not the inference
    let mut config = VehicleConfig::new("vehicle", "mrzr4", DriverConfig::default());
    config.tire = Some(TireModel::Rigid);
    let mut vehicle = DriveVehicle::new(config, folder.path().to_owned());
    vehicle.step = Some(0.005);
    vehicle.ground.spacing = 0.1;
    let settings = IdentificationSettings {
        prior_drives: 48,
        round_drives: 16,
        rounds: 1,
        particles: 100,
        ..IdentificationSettings::default()
    };
    let prior = SoilPrior::from_catalog(None).unwrap();
    let quantiles = |log: &DriveLog| {
        let logs = std::slice::from_ref(log);
        identify_soil(&vehicle, logs, &prior, &settings).unwrap().quantiles()
    };
    for (table, bag) in quantiles(&of_table).iter().zip(&quantiles(&drive.log)) {
        let pairs = [(table.low, bag.low), (table.median, bag.median), (table.high, bag.high)];
        for (table, bag) in pairs {
            // pitch differs in its last bits, as it passes through a quaternion
            assert!((table - bag).abs() <= 1e-6 * table, "{bag} for {table}");
        }
    }
    let other = ["identify", "drives", "bag", "--vehicle", "mrzr4", "--topic", "speed=/odom"];
    let (_, report, code) = bekker(folder.path(), &other);
    assert_eq!(code, 3);
    assert!(report.contains("bag: --topic speed=/odom: has no such topic"), "{report}");
    assert!(report.contains("/odometry/filtered (nav_msgs/msg/Odometry), /fix"), "{report}");
}

#[test]
fn missing_inputs_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let bag = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/ros_bag/drive.mcap");
    fs::copy(&bag, folder.path().join("bag.mcap")).unwrap();
    fs::write(folder.path().join("bag.db3"), "").unwrap();
    let table = bag.with_file_name("drive.csv");
    fs::copy(table, folder.path().join("steady.csv")).unwrap();
    fs::write(folder.path().join("log.csv"), "time_s,speed_mps\n0,1\n").unwrap();
    fs::write(folder.path().join("other.mcap"), "time_s,speed_mps\n0,1\n").unwrap();
    for (arguments, code, said) in [
        (&["identify", "drives", "log.csv"][..], 3, "needs --vehicle"),
        (&["identify", "drives", "log.csv", "--vehicle", "mrzr4"][..], 3, "wheel0_spin_radps"),
        (&["identify", "drives", "nowhere.csv", "--vehicle", "mrzr4"][..], 3, "nowhere.csv"),
        (&["identify", "drives", "log.csv", "--prior", "rock"][..], 2, "one of clay"),
        (&["identify", "drives"][..], 2, "<LOG>"),
        (&["identify", "drives", "other.mcap"][..], 3, "other.mcap: is not an MCAP file"),
        (&["identify", "drives", "nowhere.mcap"][..], 3, "nowhere.mcap"),
        (&["identify", "drives", "bag.mcap"][..], 3, "a ROS 2 bag needs --vehicle"),
        (&["identify", "drives", "bag.db3"][..], 3, "is a SQLite bag; `ros2 bag convert`"),
        (&["identify", "drives", "bag.mcap", "--topic", "speed=none"][..], 2, "cannot be left out"),
        (&["identify", "drives", "bag.mcap", "--topic", "gear=/g"][..], 2, "one of wheels, speed"),
        (&["identify", "drives", "bag.mcap", "--joint", "left"][..], 2, "N=NAME"),
        (
            &["identify", "drives", "steady.csv", "--vehicle", "mrzr4", "--joint", "0=a"][..],
            3,
            "no log is one",
        ),
        (&["identify", "drives", "."][..], 3, "manifest"),
    ] {
        let (_, report, got) = bekker(folder.path(), arguments);
        assert_eq!(got, code, "{arguments:?}: {report}");
        assert!(report.contains(said), "{arguments:?}: {report}");
    }
}

/// Mistakes that a table alone does not show.
#[test]
fn logs_in_other_units_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/ros_bag/drive.csv");
    let text = fs::read_to_string(data).unwrap();
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let scaled = |column: &str, factor: f64| {
        let line = |(number, line): (usize, &str)| {
            let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
            for (cell, name) in cells.iter_mut().zip(&header) {
                if number > 0 && name.ends_with(column) {
                    *cell = (factor * cell.parse::<f64>().unwrap()).to_string();
                }
            }
            cells.join(",") + "\n"
        };
        text.lines().enumerate().map(line).collect::<String>()
    };
    for (column, factor, grade, said) in [
        ("_spin_radps", 9.549, "0", "wheel0_spin_radps: the rim is at least"),
        ("wheel1_spin_radps", -1.0, "0", "wheel1_spin_radps: the rim is at most -"),
        ("speed_mps", 10.0, "0", "wheel2_spin_radps: the rim is at most 0."),
        ("pitch_rad", 57.296, "0", "must be in rad, positive nose down"),
        ("pitch_rad", 1.0, "0.4", "on a grade of 0.4; must be in rad"),
    ] {
        fs::write(folder.path().join("log.csv"), scaled(column, factor)).unwrap();
        let arguments =
            ["identify", "drives", "log.csv", "--vehicle", "mrzr4", "--quick", "--grade", grade];
        let (_, report, code) = bekker(folder.path(), &arguments);
        assert_eq!(code, 3, "{column} {factor}: {report}");
        assert!(report.contains(said), "{column} {factor}: {report}");
    }
}
