//! A run among nodes of ROS 2, on the loopback: driven in lock-step by another DDS whose messages
//! `rosbags` reads and writes by the definitions of ROS 2.

use crate::python;
use crate::runs::{Runs, bekker, read, stderr_text};
use serde_json::{Value as Json, json};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const SCENARIO: &str = r#"
format = 1
name = "ros2"
soil = { default = "chrono_mid" }
[time]
duration = 1.1
[site]
latitude_deg = 48
longitude_deg = 11
[[vehicle]]
name = "lead 1"
model = "hmmwv+cargo_trailer"
position = [10, 20]
driver = { kind = "outside", on_timeout = "fail", timeout = 30 }
[[vehicle.sensor]]
name = "imu"
model = { kind = "imu" }
rate = 50
[[vehicle.sensor]]
name = "gps"
model = { kind = "gps", preset = "rtk_fixed" }
rate = 10
[[vehicle.sensor]]
name = "camera"
position = [1, 0, 2]
model = { kind = "camera", width = 16, height = 12, fov_deg = 80, channels = ["color", "depth"] }
rate = 5
[[vehicle.sensor]]
name = "magnetometer"
model = { kind = "magnetometer" }
rate = 10
[[vehicle.sensor]]
name = "lidar"
position = [0, 0, 2]
model = { kind = "lidar", rays = "one", elevations_deg = [-30, -20], columns = 36, max_range = 30 }
rate = 5
"#;

/// A domain for this process and its `nth` test, beyond those of tests/ranks_dds.rs.
fn domain(nth: u32) -> String {
    (204 + 3 * (std::process::id() % 9) + nth).to_string()
}

/// Runs a node together with a run. Returns the node's output, or both outputs if either fails.
fn run_with_node(
    mut node: Command,
    run: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> Result<Output, String> {
    let piped = |command: &mut Command| {
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let node = piped(&mut node);
    let mut run = piped(Command::new(bekker()).args(run));
    let node = node.wait_with_output().unwrap();
    // its services and topics wait some seconds for readers of the last message
    let begun = Instant::now();
    while run.try_wait().unwrap().is_none() {
        if !node.status.success() || begun.elapsed() > Duration::from_secs(60) {
            // no other process would end it
            run.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let run = run.wait_with_output().unwrap();
    match node.status.success() && run.status.success() {
        true => Ok(node),
        false => Err(format!("{}{}", stderr_text(&node), stderr_text(&run))),
    }
}

#[test]
fn a_node_drives_in_lock_step_and_its_messages_are_those_of_ros_2() {
    let import = "import cyclonedds, rosbags";
    let Some(python) = python::having(import, "`cyclonedds` and `rosbags`") else { return };
    let runs = Runs::new(SCENARIO);
    let (out, domain) = (runs.out("run"), domain(0));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ros2_driver.py");
    let mut node = Command::new(python);
    node.arg(script).args([&domain, "lead_1", "imu,gps,camera,magnetometer,lidar"]);
    let option = format!("--ros2={domain}@127.0.0.1");
    let node = run_with_node(node, runs.arguments(&out, &[&option, "--ros2-ground"]));
    let node = node.unwrap_or_else(|said| panic!("{said}"));
    let seen: Json = serde_json::from_slice(&node.stdout).unwrap();

    // every heartbeat's time, one by one; a late subscriber receives the first again
    let times: Vec<u64> = serde_json::from_value(seen["times"].clone()).unwrap();
    assert_eq!(times, (0..110).map(|beat| 10_000 * beat).collect::<Vec<u64>>());
    assert_eq!(seen["tf"], json!([["lead_1/odom", "lead_1/base_link"]]));
    let frames = seen["frames"].as_array().unwrap();
    let frame = |child: &str| frames.iter().find(|own| own[1] == child).unwrap().clone();
    assert_eq!(frame("lead_1/odom"), json!(["map", "lead_1/odom", [0.0, 0.0, 0.0, 1.0]]));
    let turned = [-0.5, 0.5, -0.5, 0.5];
    let optical = "lead_1/camera_optical";
    assert_eq!(frame(optical), json!(["lead_1/camera", optical, turned]));

    // it pulls away forward, in its own axes and in the world's
    let odom = &seen["odom"];
    assert_eq!([&odom["frame"], &odom["child"]], ["lead_1/odom", "lead_1/base_link"]);
    let number = |value: &Json| value.as_f64().unwrap();
    assert!(number(&odom["velocity"][0]) > 0.1, "{odom}");
    assert!(number(&odom["position"][0]) > 10.01 && number(&odom["position"][1]) > 19.9, "{odom}");
    assert_eq!(seen["joints"].as_array().unwrap().len(), 6);
    // at rest up there, gravity holds it
    let imu = &seen["imu"];
    assert_eq!([number(&imu["covariance"])], [-1.0]);
    assert!((7.0..13.0).contains(&number(&imu["force"][2])), "{imu}");
    // within 100 m of the site's origin
    assert_eq!(seen["gps"][0], 0);
    assert!((number(&seen["gps"][1]) - 48.0).abs() < 1e-3, "{seen}");
    assert!((number(&seen["gps"][2]) - 11.0).abs() < 1.5e-3, "{seen}");
    let camera = json!([16, 12, "rgb8", 3 * 16 * 12, 16, "plumb_bob", optical]);
    assert_eq!(seen["camera"], camera);

    // the ground before the bumper, or the bonnet
    let depth = &seen["depth"];
    assert_eq!([&depth[0], &depth[1]], [&json!("32FC1"), &json!(4 * 16)]);
    let row: Vec<f64> = serde_json::from_value(depth[2].clone()).unwrap();
    assert!(row.len() == 16 && row.iter().all(|depth| (0.5..20.0).contains(depth)), "{row:?}");
    // the earth's field at 48° north: 48 µT, most of it down
    let field: [f64; 3] = serde_json::from_value(seen["field"].clone()).unwrap();
    let strength = field.iter().map(|own| own * own).sum::<f64>().sqrt();
    assert!((2e-5..7e-5).contains(&strength), "{field:?}");
    // two beams that meet level ground some 3 m below them
    let lidar = &seen["lidar"];
    assert_eq!(lidar["names"], json!(["x", "y", "z", "intensity", "time", "ring"]));
    assert_eq!([&lidar["frame"], &lidar["rings"]], [&json!("lead_1/lidar"), &json!([0, 1])]);
    let list = |key: &str| serde_json::from_value::<Vec<f64>>(lidar[key].clone()).unwrap();
    let (heights, ranges) = (list("heights"), list("ranges"));
    assert_eq!(json!(heights.len()), lidar["width"]);
    assert!(heights.len() > 36 && heights.iter().all(|z| (-4.5..0.0).contains(z)), "{heights:?}");
    // each point lies on its beam's cone, 20 or 30 degrees below the sensor's plane: the noise of
    // ranges is along the beam, and single floats are sent
    let slopes = [20.0_f64, 30.0].map(|angle| angle.to_radians().tan());
    let is_on_a_cone = |(z, range): (&f64, &f64)| {
        slopes.iter().any(|slope| (-z / range - slope).abs() < 0.01 * slope)
    };
    assert!(heights.iter().zip(&ranges).all(is_on_a_cone), "{lidar}");

    check_answers(&seen["answers"]);
    check_maps(&seen["maps"]);

    // commands are recorded, so that the run is repeated without ROS 2
    let commands = read(&out, "commands.csv");
    let column = |row: &str, index: usize| row.split(',').nth(index).unwrap().parse::<f64>();
    let steering: Vec<f64> = commands.lines().skip(1).map(|row| column(row, 5).unwrap()).collect();
    // 0.1 rad to the left at first, then a twist to the right
    assert!(steering[0] > 0.0 && *steering.last().unwrap() < 0.0, "{commands}");
    let throttle: Vec<f64> = commands.lines().skip(1).map(|row| column(row, 3).unwrap()).collect();
    // by the pedals between the two
    assert!(throttle.contains(&0.25), "{commands}");
    // the trailer was uncoupled half way, and not before
    let uncoupled: Vec<&str> =
        commands.lines().skip(1).map(|row| row.split(',').nth(9).unwrap()).collect();
    assert_eq!([uncoupled[0], uncoupled[uncoupled.len() - 1]], ["false", "true"], "{commands}");
    assert!(read(&out, "trailers.csv").contains(",lead 1,uncoupled"));
    let mut replay = Command::new(bekker());
    let replayed = replay.args(["replay", out.to_str().unwrap(), "--verify"]).output().unwrap();
    assert!(replayed.status.success(), "{}", stderr_text(&replayed));
}

/// Twists turn a skid-steered robot and a tracked vehicle at the commanded yaw rate.
///
/// On firm ground both hold it within a tenth after the start: the robot's motors hold a difference
/// of rim speeds, and the steering of tracks is corrected by the measured rate.
#[test]
fn twists_steer_robots_and_tracked_vehicles() {
    let import = "import cyclonedds, rosbags";
    let Some(python) = python::having(import, "`cyclonedds` and `rosbags`") else { return };
    let vehicle = |name: &str, model: &str, y: f64| {
        format!(
            "[[vehicle]]\nname = \"{name}\"\nmodel = \"{model}\"\nposition = [0, {y}]\n\
             driver = {{ kind = \"outside\", on_timeout = \"fail\", timeout = 30 }}\n"
        )
    };
    let scenario = format!(
        "format = 1\nname = \"twists\"\nsoil = {{ default = \"rigid\" }}\n[time]\nduration = 8\n{}{}",
        vehicle("robot", "husky", 0.0),
        vehicle("tank", "m113", 20.0),
    );
    let runs = Runs::new(&scenario);
    let (out, domain) = (runs.out("run"), domain(2));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ros2_driver.py");
    let mut node = Command::new(python);
    node.arg(script).args([&domain, "twist", "robot:0.5:0.4,tank:3:-0.2"]);
    let option = format!("--ros2={domain}@127.0.0.1");
    run_with_node(node, runs.arguments(&out, &[&option])).unwrap_or_else(|said| panic!("{said}"));
    let states = read(&out, "states.csv");
    let mut lines = states.lines().map(|line| line.split(',').collect::<Vec<&str>>());
    let header = lines.next().unwrap();
    let column = |name: &str| header.iter().position(|own| *own == name).unwrap();
    let [time, name, yaw, speed] = ["time_s", "name", "yaw_rad", "speed_mps"].map(column);
    let rows: Vec<Vec<&str>> = lines.collect();
    let of = |row: &[&str], at: usize| row[at].parse::<f64>().unwrap();
    for (vehicle, target, rate) in [("robot", 0.5, 0.4), ("tank", 3.0, -0.2)] {
        let own: Vec<&Vec<&str>> =
            rows.iter().filter(|row| row[name] == vehicle && of(row, time) > 4.0).collect();
        let [first, last] = [own[0], own[own.len() - 1]];
        let turned = (of(last, yaw) - of(first, yaw)) / (of(last, time) - of(first, time));
        assert!((turned - rate).abs() < 0.1 * rate.abs(), "{vehicle}: {turned} rad/s");
        let reached = of(last, speed);
        assert!((reached - target).abs() < 0.1 * target, "{vehicle}: {reached} m/s");
    }
}

/// Checks the replies of services of `simulation_interfaces` during the drive.
fn check_answers(answers: &Json) {
    let result = |key: &str| answers[key]["result"]["result"].as_u64();
    let why = |key: &str| answers[key]["result"]["error_message"].as_str().unwrap();
    for (keys, code) in [
        (&["playing", "entities", "none", "states", "info", "state"][..], 1),
        (&["pause", "paused", "step", "play"], 1),
        (&["tagged", "put", "reset", "stop"], 0),
        (&["unknown"], 2),
        (&["wrong", "too_early"], 4),
        (&["again"], 101),
    ] {
        for key in keys {
            assert_eq!(result(key), Some(code), "{key}: {}", answers[key]);
            let fails = ![1, 101].contains(&code);
            assert_eq!(!why(key).is_empty(), fails, "{key}: {}", answers[key]);
        }
    }
    assert!(why("unknown").contains("nobody"), "{answers}");
    let features = answers["features"]["features"]["features"].as_array().unwrap();
    assert!([24, 25, 26, 31, 32].iter().all(|own| features.contains(&json!(own))), "{features:?}");
    assert_eq!(answers["playing"]["state"]["state"], 1);
    assert_eq!(answers["paused"]["state"]["state"], 2);
    assert_eq!(answers["entities"]["entities"], json!(["lead 1"]));
    assert_eq!(answers["none"]["entities"], json!([]));
    assert_eq!(answers["info"]["info"]["category"]["category"], 1);
    // five heartbeats further and no more
    let at = |key: &str| answers[key].as_u64().unwrap();
    assert_eq!(at("stepped_at"), at("paused_at") + 50_000);
    // it pulls away to the east, and its state is that of the pause
    let state = &answers["state"]["state"];
    assert_eq!(state["header"]["frame_id"], "map");
    assert_eq!(state["header"]["stamp"]["nanosec"], 1000 * at("paused_at"));
    let of = |value: &Json| value.as_f64().unwrap();
    let [x, y] = ["x", "y"].map(|axis| of(&state["pose"]["position"][axis]));
    assert!((10.0..11.0).contains(&x) && (19.9..20.1).contains(&y), "{state}");
    let speed = of(&state["twist"]["linear"]["x"]);
    assert!(speed > 0.05 && speed < 2.0, "{state}");
    assert!(of(&state["acceleration"]["linear"]["x"]).abs() < 10.0, "{state}");
    assert_eq!(answers["states"]["entities"], json!(["lead 1"]));
    assert_eq!(answers["states"]["states"].as_array().unwrap().len(), 1);
}

/// Maps of the ground at the beginning, and after a second.
fn check_maps(maps: &Json) {
    let [first, later] = [&maps[0], &maps[1]];
    assert_eq!([&first["stamp"], &later["stamp"]], [&json!(0), &json!(1)], "{maps}");
    let of = |value: &Json| value.as_f64().unwrap();
    for map in [first, later] {
        assert_eq!([&map["frame"], &map["resolution"]], [&json!("map"), &json!(0.1)]);
        assert_eq!(map["layers"], json!(["elevation", "rut_depth"]));
        let dims = json!([["column_index", 160, 160 * 160], ["row_index", 160, 160]]);
        assert_eq!(map["dims"], dims);
        // level ground at zero height, except for ruts, in the precision of single floats
        assert!(of(&map["uneven"]) < 1e-6, "{map}");
        let [x, y] = [0, 1].map(|axis| of(&map["middle"][axis]));
        assert!((9.8..11.5).contains(&x) && (y - 20.0).abs() < 0.11, "{map}");
    }
    // no ruts at first; then ruts are behind the wheels, 0.91 m to either side and
    // half a tire more, and more behind than ahead of the tractor's middle: a trailer follows
    assert_eq!(of(&first["deepest"]), 0.0, "{first}");
    assert!((0.001..0.5).contains(&of(&later["deepest"])), "{later}");
    let list = |key: &str| later[key].as_array().unwrap().iter().map(of).collect::<Vec<f64>>();
    let (x, y) = (list("x"), list("y"));
    assert!(y[0] > 20.0 - 1.5 && y[2] < 20.0 + 1.5, "{later}");
    assert!(x[2] < 13.0 && x[1] < of(&later["middle"][0]) - 0.3, "{later}");
}

#[test]
fn a_node_ends_a_run_that_waits() {
    let import = "import cyclonedds, rosbags";
    let Some(python) = python::having(import, "`cyclonedds` and `rosbags`") else { return };
    let runs = Runs::new(SCENARIO);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ros2_driver.py");
    let attempt = |out: &Path| {
        let mut node = Command::new(&python);
        node.arg(&script).args([&domain(1), "quit"]);
        let option = format!("--ros2={}@127.0.0.1", domain(1));
        run_with_node(node, runs.arguments(out, &[&option]))
    };
    // datagrams get lost, and a departed peer does not resend
    let (first, second) = (runs.out("ended"), runs.out("ended_again"));
    let (out, node) = match attempt(&first) {
        Ok(node) => (first, node),
        Err(said) => match attempt(&second) {
            Ok(node) => (second, node),
            Err(again) => panic!("{said}{again}"),
        },
    };
    let answer: Json = serde_json::from_slice(&node.stdout).unwrap();
    assert_eq!(answer["result"]["result"], 1, "{answer}");
    assert!(read(&out, "summary.json").contains("state_hash"));
}

#[test]
fn awaited_drivers_are_named() {
    // it is waited for as long as it takes; a signal ends that
    let runs = Runs::new(SCENARIO);
    let option = format!("--ros2={}@127.0.0.1", domain(2));
    let out = runs.out("alone");
    let mut run = Command::new(bekker());
    let run = run.args(runs.arguments(&out, &[&option])).stdout(Stdio::null());
    let mut run = run.stderr(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(run.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(told.any(|line| line.contains("waiting for commands on /lead_1/cmd")));
    let id = run.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert!(!run.wait().unwrap().success());
}
