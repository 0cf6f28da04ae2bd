//! `bekker mobility`: metrics compared with closed forms, scenarios for `bekker run`, custom
//! vehicles, and error messages.

use assert_cmd::cargo::cargo_bin;
use serde_json::Value as Json;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn bekker(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(cargo_bin("bekker"));
    command.current_dir(folder).args(words).arg("--quiet").output().unwrap()
}

fn json(folder: &Path, words: &[&str]) -> Json {
    let output = bekker(folder, &[&["mobility", "--json"], words].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn figure<'a>(found: &'a Json, name: &str) -> &'a Json {
    let events = found["events"].as_array().unwrap();
    let mut figures = events.iter().flat_map(|event| event["figures"].as_array().unwrap());
    figures.find(|own| own["name"] == name).unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn an_hmmwv_turns_and_stops_by_the_closed_forms() {
    let place = tempfile::tempdir().unwrap();
    let found = json(place.path(), &["--vehicle", "hmmwv", "--event", "turning,straight"]);
    let ratio = |name: &str| {
        let own = figure(&found, name);
        own["value"].as_f64().unwrap() / own["closed_form"]["value"].as_f64().unwrap()
    };
    // The differences are slip angles at low speed, and the outer corner of the footprint instead
    // of the wheels.
    assert!((ratio("turning_radius") - 1.0).abs() < 0.05, "{}", ratio("turning_radius"));
    // The tires' mean friction is below its peak at slip, and the brake builds up in 0.2 s.
    let stop = ratio("stopping_distance");
    assert!((1.0..1.6).contains(&stop), "{stop}");
    // The power balance neglects shifts and slip, so the driven speed is not higher.
    let top = ratio("top_speed");
    assert!((0.9..1.005).contains(&top), "{top}");
}

/// The turning radius of a steering drive and of a tandem agrees with the closed form.
///
/// A steering drive turns by the first gear's ratio, and a truck on three axles about the middle of
/// its tandem. Slip adds at most an eighth to the KrAZ's radius and a fifth to the Marder's.
#[test]
fn a_steering_drive_and_a_tandem_turn_by_the_closed_form() {
    let place = tempfile::tempdir().unwrap();
    for (vehicle, most) in [("kraz_64431", 1.125), ("marder", 1.2)] {
        let found = json(place.path(), &["--vehicle", vehicle, "--event", "turning", "--quick"]);
        let own = figure(&found, "turning_radius");
        let ratio = own["value"].as_f64().unwrap() / own["closed_form"]["value"].as_f64().unwrap();
        assert!((0.97..most).contains(&ratio), "{vehicle}: {ratio}");
    }
}

/// Events of a slow vehicle use speeds that it reaches.
///
/// A Gator's top speed is 24 km/h.
#[test]
fn slow_vehicles_are_tested_at_speeds_that_they_reach() {
    let place = tempfile::tempdir().unwrap();
    let events = "straight,cornering,lane_change";
    let found = json(place.path(), &["--vehicle", "gator", "--event", events, "--quick"]);
    let top = figure(&found, "top_speed")["value"].as_f64().unwrap();
    assert!(top < 30.0, "{top}");
    let on = figure(&found, "understeer_gradient")["on"].as_str().unwrap().to_owned();
    let speed: f64 = on.strip_suffix(" m/s").unwrap().parse().unwrap();
    assert!((0.85 * top..0.9 * top).contains(&(3.6 * speed)), "{on}, {top}");
    let change = figure(&found, "lane_change_speed");
    assert!(change["value"].as_f64().unwrap() <= top, "{change}");
    assert!(change["note"].as_str().unwrap().contains("limited by the top speed"), "{change}");
}

/// Drawbar pull does not exceed friction.
///
/// The Marder surges on its rope; the pull of its decelerating mass does not count.
#[test]
fn no_vehicle_pulls_more_than_friction_allows() {
    let place = tempfile::tempdir().unwrap();
    let found = json(place.path(), &["--vehicle", "marder", "--event", "drawbar", "--quick"]);
    let pull = figure(&found, "drawbar_pull")["value"].as_f64().unwrap();
    // The road's μ is 0.8; the running resistance of the tracks reduces it slightly.
    assert!((0.7..=0.8).contains(&pull), "{pull}");
}

/// The ride speed does not exceed the top speed.
///
/// A Gator of half the gearing reaches 12 km/h, and the ride limit on class E is higher (14.5
/// km/h).
#[test]
fn the_ride_speed_does_not_exceed_the_top_speed() {
    let place = tempfile::tempdir().unwrap();
    let gator = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/vehicle/vehicles/gator.toml");
    let text = fs::read_to_string(gator).unwrap().replace("[0.0678]", "[0.0339]");
    assert!(text.contains("[0.0339]"));
    fs::write(place.path().join("slow.toml"), text).unwrap();
    let words = ["--vehicle", "slow.toml", "--event", "ride,straight", "--quick"];
    let found = json(place.path(), &words);
    let top = figure(&found, "top_speed")["value"].as_f64().unwrap();
    let events = found["events"].as_array().unwrap();
    let mut figures = events.iter().flat_map(|event| event["figures"].as_array().unwrap());
    let on_class_e = |own: &&Json| own["on"].as_str().is_some_and(|on| on.starts_with("class E"));
    let ride = figures.find(on_class_e).unwrap();
    let speed = ride["value"].as_f64().unwrap();
    assert!(speed <= top && speed > 0.9 * top, "{speed} of {top}");
    assert_eq!(ride["note"], "below 6 W at the highest speed that it holds");
}

/// `bekker run` drives the deciding scenarios to the same result.
#[test]
fn decisive_scenarios_can_be_run() {
    let place = tempfile::tempdir().unwrap();
    let words = ["--vehicle", "hmmwv", "--event", "step", "--quick", "--write-scenario", "steps"];
    let found = json(place.path(), &words);
    let height = figure(&found, "step")["value"].as_f64().unwrap();
    let mut ends = Vec::new();
    for entry in fs::read_dir(place.path().join("steps")).unwrap() {
        let path = entry.unwrap().path();
        let run = ["run", path.to_str().unwrap(), "--json", "--no-picture", "--out", "run"];
        let output = bekker(place.path(), &run);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::remove_dir_all(place.path().join("run")).unwrap();
        let summary: Json = serde_json::from_slice(&output.stdout).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let size: f64 = name.strip_prefix("step_").unwrap().parse().unwrap();
        let distance = summary["vehicles"][0]["distance"].as_f64().unwrap();
        ends.push((size, distance));
    }
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let [(passed, far), (failed, short)] = ends[..] else { panic!("{ends:?}") };
    // File names have three digits.
    assert!((passed - height).abs() < 1e-3 && failed > passed, "{ends:?}");
    assert!(far > 15.0 && short < 12.0, "{ends:?}");
}

#[test]
fn a_custom_vehicle_is_driven_and_errors_are_named() {
    let place = tempfile::tempdir().unwrap();
    let hmmwv = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/vehicle/vehicles/hmmwv.toml");
    fs::copy(hmmwv, place.path().join("own.toml")).unwrap();
    let words = ["--vehicle", "own.toml", "--event", "fuel", "--quick", "--out", "found"];
    let own = json(place.path(), &words);
    let catalog = json(place.path(), &["--vehicle", "hmmwv", "--event", "fuel", "--quick"]);
    assert_eq!(figure(&own, "fuel")["value"], figure(&catalog, "fuel")["value"]);
    for file in ["mobility.md", "mobility.json", "mobility.png"] {
        assert!(place.path().join("found").join(file).is_file(), "{file}");
    }
    let refused = |words: &[&str], code: i32| {
        let output = bekker(place.path(), &[&["mobility"], words].concat());
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{told}");
        told
    };
    let told = refused(&["--vehicle", "hmmwv", "--event", "swim"], 2);
    assert!(told.contains("must be one of straight, turning"), "{told}");
    let told = refused(&["--vehicle", "humvee"], 3);
    assert!(told.contains("hmmwv"), "{told}");
    // a quick grade is that of the road, where a cone index has no meaning
    let index = ["--vehicle", "hmmwv", "--event", "grade", "--quick", "--cone-index-kpa"];
    for soil in [[].as_slice(), &["--soil", "rigid"]] {
        let told = refused(&[index.as_slice(), ["300"].as_slice(), soil].concat(), 2);
        assert!(told.contains("--cone-index-kpa") && told.contains("firm ground"), "{told}");
    }
    let told = refused(&[index.as_slice(), ["-3"].as_slice()].concat(), 2);
    assert!(told.contains("must be from 10 to 10000 kPa"), "{told}");
}

/// A grade limited by the brakes is reported as such.
///
/// Brakes of 1000 N m hold 4 x 1000/(0.47 m) of the weight of 25.2 kN: 36 %. On a steeper grade the
/// vehicle rolls back indefinitely with its throttle closed, and the result does not measure its
/// gradeability.
#[test]
fn insufficient_brakes_are_reported() {
    let place = tempfile::tempdir().unwrap();
    let hmmwv = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/vehicle/vehicles/hmmwv.toml");
    let text = fs::read_to_string(&hmmwv).unwrap();
    fs::write(
        place.path().join("weak.toml"),
        text.replace("brake_torque = 4000", "brake_torque = 1000"),
    )
    .unwrap();
    let note = |vehicle: &str| {
        let found = json(place.path(), &["--vehicle", vehicle, "--event", "grade", "--quick"]);
        let own = figure(&found, "gradeability").clone();
        (own["value"].as_f64().unwrap(), own["note"].as_str().unwrap().to_owned())
    };
    let (grade, told) = note("weak.toml");
    // The search resolution is 0.04.
    assert!(
        (0.3..0.4).contains(&grade) && told.starts_with("limited by the brakes: on 0."),
        "{told}"
    );
    let (grade, told) = note("hmmwv");
    assert!(grade > 0.5 && told.is_empty(), "{grade}: {told}");
}

/// The report names exactly the files that were written.
#[test]
fn a_page_of_plots_is_reported_if_written() {
    let place = tempfile::tempdir().unwrap();
    let words = ["--vehicle", "hmmwv", "--event", "turning", "--quick", "--out", "found"];
    let mut command = Command::new(cargo_bin("bekker"));
    let output = command.current_dir(place.path()).arg("mobility").args(words).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("mobility.md and mobility.json (these"), "{told}");
    assert!(!told.contains("mobility.png"), "{told}");
    assert!(!place.path().join("found/mobility.png").exists());
}

#[test]
fn events_are_listed_as_json_too() {
    let listed = json(Path::new("."), &["--list"]);
    let events = listed["events"].as_array().unwrap();
    assert_eq!(events[0]["event"], "straight");
    assert!(events.iter().all(|own| !own["about"].as_str().unwrap().is_empty()), "{listed}");
}

/// A table driver holds a speed in all rows or in none.
#[test]
fn a_table_holds_a_speed_all_the_time_or_never() {
    let place = tempfile::tempdir().unwrap();
    let scenario = |rows: &str| {
        format!(
            "format = 1\nname = 'x'\ntime = {{ duration = 1 }}\nsoil = {{ default = 'rigid' }}\n\
             [[vehicle]]\nname = 'a'\nmodel = 'hmmwv'\nposition = [0, 0]\n\
             driver = {{ kind = 'table', rows = [{rows}] }}\n"
        )
    };
    let validate = |rows: &str| {
        fs::write(place.path().join("x.toml"), scenario(rows)).unwrap();
        let output = bekker(place.path(), &["validate", "x.toml"]);
        (output.status.success(), String::from_utf8(output.stderr).unwrap())
    };
    assert!(validate("{ time = 0, speed = 2 }, { time = 1, speed = 3, steering = 1 }").0);
    let (_, told) = validate("{ time = 0, speed = 2 }, { time = 1 }");
    assert!(told.contains("rows[1].speed: missing") && told.contains("in every row"), "{told}");
    let (_, told) = validate("{ time = 0, speed = 2, throttle = 0.1 }");
    assert!(told.contains("rows[0].speed = 2") && told.contains("throttle or brake"), "{told}");
}
