//! Many vehicles are read, placed in columns and reported without quadratic cost; the scaling
//! benchmark runs.

use assert_cmd::cargo::cargo_bin;
use bekker_agent::GroundVehicle;
use bekker_scenario::ScenarioFile;
use bekker_scenario::build::world;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn brigade(rows: u32, columns: u32) -> ScenarioFile {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/brigade.toml");
    let sets = [format!("vehicle.0.row.count={rows}"), format!("vehicle.0.column.count={columns}")];
    ScenarioFile::read(&path, &sets).unwrap()
}

/// All vehicles of a convoy share a path, and all of the same kind a model, so each vehicle adds
/// only a name and a start. No cost is quadratic: ten thousand vehicles are built within the
/// timeout of the tests in any profile.
#[test]
fn ten_thousand_vehicles_share_their_models() {
    let built = world(&brigade(100, 100)).unwrap();
    let agents = &built.world.agents;
    assert_eq!(agents.len(), 10_000);
    let path = |agent: usize| agents[agent].driver.follower().unwrap().path().points().as_ptr();
    // a head and its last follower, and the head of the next column
    assert_eq!(path(0), path(99));
    assert_ne!(path(0), path(100));
    assert_eq!(agents[0].leader, None);
    assert_eq!(agents[9_999].leader.unwrap().agent, 9_998);
    assert_eq!(agents[100].leader, None);
    assert!(std::ptr::eq(agents[0].vehicle.outline(), agents[9_999].vehicle.outline()));
}

/// The columns of the example are next to each other, and the path of each head begins at its
/// position.
#[test]
fn a_brigade_starts_in_columns() {
    let scenario = brigade(40, 25).scenario;
    assert_eq!(scenario.vehicle.len(), 1000);
    let place = |vehicle: usize| scenario.vehicle[vehicle].position;
    assert_eq!(place(0), [1500.0, -585.0]);
    assert_eq!(place(25), [1500.0, -555.0]);
    assert_eq!(place(24), [1500.0 - 24.0 * 14.0, -585.0]);
    let text = serde_json::to_value(&scenario.vehicle[25].driver).unwrap();
    assert_eq!(text["waypoints"][0], serde_json::json!([1500.0, -555.0]));
}

/// Every part runs, on several ranks with the same bits as in one process, and is plotted.
#[test]
fn the_bench_of_scaling_measures_every_part() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(cargo_bin("bekker-bench"))
        .args(["scaling", "--quick", "--json", "--quiet", "--plots", "plots"])
        .args(["--part", "vehicles,weak,strong,heartbeat"])
        .current_dir(folder.path())
        .env("RAYON_NUM_THREADS", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let results: Value = serde_json::from_slice(&output.stdout).unwrap();
    let measured = results["measured"].as_array().unwrap();
    for part in ["vehicles", "weak", "strong", "heartbeat"] {
        let own: Vec<&Value> = measured.iter().filter(|own| own["part"] == part).collect();
        assert!(!own.is_empty(), "{part}");
        for own in own {
            assert_eq!(own["same_bits"], true, "{own}");
            assert_eq!(own["hash"].as_str().map(str::len), Some(64), "{own}");
            let ranks = own["case"]["ranks"].as_u64().unwrap();
            // hashes and samples pass between ranks though vehicles are far from each other
            assert_eq!(own["received"].as_f64().unwrap() > 0.0, ranks > 1, "{own}");
        }
        assert!(folder.path().join(format!("plots/{part}.png")).is_file(), "{part}");
    }
    assert!(results["network"]["latency"].as_f64().unwrap() > 0.0);
    assert!(results["machine"]["cores"].as_u64().unwrap() > 0);
}

/// A wrong command line is refused before anything is measured.
#[test]
fn wrong_arguments_are_refused() {
    for (arguments, message) in [
        (
            &["scaling", "--quick", "--agents", "5"][..],
            "'--quick' cannot be used with '--agents <N>'",
        ),
        (&["scaling", "--seconds", "1e300"], "must be from 0.2 to 600 s"),
        (&["sync", "--plot", "a.svg"], "must end in .png"),
    ] {
        let output = Command::new(cargo_bin("bekker-bench")).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains(message), "{arguments:?}: {stderr}");
    }
}
