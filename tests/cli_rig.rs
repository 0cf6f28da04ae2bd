//! Soil rigs as commands.

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;

fn rig(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::cargo_bin("bekker").unwrap();
    command.current_dir(folder).arg("rig").args(arguments.split_whitespace());
    command
}

fn text(command: &mut Command) -> (String, String) {
    let output = command.output().unwrap();
    let report = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{report}");
    (String::from_utf8(output.stdout).unwrap(), report)
}

fn json(command: &mut Command) -> Value {
    serde_json::from_str(&text(command).0).unwrap()
}

fn assert_within(part: f64, got: &Value, expected: f64) {
    let got = got.as_f64().unwrap();
    assert!((got / expected - 1.0).abs() <= part, "{got} for {expected}");
}

#[test]
fn a_plate_gives_results_a_plot_and_a_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let answer =
        json(&mut rig(folder.path(), "plate --soil chrono_mid --pressure 1e5 --grid 0.05 --json"));
    let result = &answer["test"]["result"];
    // (p / k_phi)^(1/n) with k_c = 0, as in tests/closed_form_soil.rs.
    assert_within(1e-3, &result["sinkage"], 0.065652);
    // Reloading adds no sinkage. Loading along tangents overshoots its pressure by up to 2 Pa, which
    // is 2e-6 of the sinkage on the line of reloading (1.4e7 Pa/m).
    assert_within(3e-6, &result["reloaded"], result["sinkage"].as_f64().unwrap());
    assert_eq!(answer["convergence"]["converged"], true);
    assert_eq!(answer["convergence"]["changes"].as_array().unwrap().len(), 9);
    assert_eq!(answer["plot"], "rig_plate_chrono_mid.png");
    let plot = std::fs::read(folder.path().join("rig_plate_chrono_mid.png")).unwrap();
    assert!(plot.starts_with(b"\x89PNG"));
}

/// A contact over too few belt stations gives a warning; a load that flattens the tire is refused
/// with the allowed range.
#[test]
fn a_tire_outside_its_load_range_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let press = |rest: &str| {
        rig(folder.path(), &format!("tire --vehicle hmmwv {rest} --no-plot --no-check"))
    };
    let (said, _) = text(&mut press("--inflation-kpa 55,207 --load 500"));
    assert_eq!(said.matches("belt stations, 3.5 cm apart").count(), 2, "{said}");
    assert!(
        said.contains("plate, 207 kPa: contact covers") && said.contains("increase --load"),
        "{said}"
    );
    let (said, _) = text(&mut press("--inflation-kpa 138"));
    assert!(!said.contains("stations"), "{said}");
    let output =
        press("--inflation-kpa 55 --load 80000 --soil clayey_38_thailand").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let allowed = said.split("must be at most ").nth(1).and_then(|rest| rest.split(' ').next());
    let allowed: f64 = allowed.unwrap_or_else(|| panic!("{said}")).parse().unwrap();
    assert!(said.contains("--load = 80000 flattens the tire at 55 kPa"), "{said}");
    // The limit is the load that the tire carries through its section of 26 cm; its own load is 6.3
    // kN.
    assert!((20_000.0..80_000.0).contains(&allowed), "{said}");
    assert_eq!(output.status.code(), Some(3), "{said}");
    // The belt's law is defined through the hub and beyond.
    let output = press("--load 1e6").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("--load = 1000000 flattens the tire at 207 kPa; must be"), "{said}");
    // If only some runs flatten the tire, the others are reported.
    let output = press("--inflation-kpa 55,207 --load 60000").output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    let row = |on: &str| said.lines().find(|line| line.starts_with(on)).unwrap_or_default();
    assert!(row("plate").contains(" 207 ") && row("no result").contains(" 55 "), "{said}");
    assert!(row("at 55 kPa").contains("must be at most "), "{said}");
}

/// The report of convergence matches the checks that were made.
#[test]
fn a_tire_is_checked_by_default() {
    let folder = tempfile::tempdir().unwrap();
    let press = |rest: &str| {
        text(&mut rig(folder.path(), &format!("tire --inflation-kpa 138 --no-plot {rest}"))).0
    };
    let said = press("");
    assert!(said.contains("\nconverged: no metric changes by more than"), "{said}");
    let said = press("--soil chrono_mid --tolerance 1e-6");
    assert!(said.contains("\nNOT converged: ") && said.contains(" at 138 kPa with "), "{said}");
    assert!(press("--no-check").contains("\nconvergence not checked (--no-check)"));
}

#[test]
fn unknown_refinements_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (wrong, cause) in [
        ("vector_sheer=false", "unknown field `vector_sheer`, expected one of `surface_reaction`"),
        ("vector_shear=off", "`off` must be true or false"),
        ("vector_shear", "must be KEY=true or KEY=false"),
    ] {
        let arguments = format!("plate --soil mud --refine {wrong}");
        let output = rig(folder.path(), &arguments).output().unwrap();
        let report = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && report.contains(cause), "{report}");
    }
}

/// A tire that the soil does not support is reported with the options of its rig.
#[test]
fn a_sinking_tire_is_reported_with_its_options() {
    let folder = tempfile::tempdir().unwrap();
    let output = rig(folder.path(), "tire --vehicle mrzr4 --soil bog --no-plot").output().unwrap();
    let report = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{report}");
    assert!(report.contains("--load") && report.contains("--inflation-kpa"), "{report}");
    assert!(!report.contains("--duration"), "{report}");
}

/// Gravity weighs the default load and the soil that a wheel pushes; it is refused out of range and
/// for tracks.
#[test]
fn a_wheel_is_tested_under_another_gravity() {
    let folder = tempfile::tempdir().unwrap();
    let wheel = |arguments: &str| {
        let arguments = format!("wheel --no-check --no-plot --json {arguments}");
        json(&mut rig(folder.path(), &arguments))["test"].clone()
    };
    let load = |gravity: &str| {
        let rover = "--soil grc1 --vehicle mer --slip 0.2 --duration 8";
        wheel(&format!("{rover} {gravity}"))["load"].clone()
    };
    let earth = load("").as_f64().unwrap();
    assert_within(1e-9, &load("--gravity 1.62"), earth * 1.62 / 9.81);
    let side_force = |gravity: &str| {
        let size = "--radius 0.467 --width 0.254 --load 3000";
        let test =
            wheel(&format!("--soil dry_sand_lll {size} --slip 0.2 --slip-angle-deg 20 {gravity}"));
        test["runs"][0]["lateral"].as_f64().unwrap()
    };
    let [earth, named, moon] = ["", "--gravity 9.81", "--gravity 1.62"].map(side_force);
    assert_eq!(earth, named);
    // the wedge of sand before the wheel's side weighs less
    assert!(moon.abs() < 0.95 * earth.abs(), "{moon} and {earth} N");
    for (arguments, told) in [
        ("wheel --soil grc1 --gravity 0", "must be from 0.1 to 30 m/s2"),
        ("track --soil mud --gravity 1.62", "--gravity 1.62: must be absent"),
    ] {
        let output = rig(folder.path(), arguments).output().unwrap();
        let report = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && report.contains(told), "{arguments}: {report}");
    }
}

/// The rig runs under the requested laws.
///
/// Under shear that unloads, tracks on hard sand at a slip of 5 % give half the thrust where the
/// soil hardly springs back between road wheels, and nearly all of it along the sand's measured line
/// of unloading.
#[test]
fn tracks_run_under_the_requested_laws() {
    let folder = tempfile::tempdir().unwrap();
    let thrust = |laws: &str| {
        let arguments =
            "track --soil lete_sand_chrono --slip 0.05 --duration 3 --no-check --no-plot --json";
        let answer = json(&mut rig(folder.path(), &format!("{arguments} {laws}")));
        answer["test"]["runs"][0]["thrust"].as_f64().unwrap()
    };
    let [default, refined, reference] = ["", "--laws refined", "--laws reference"].map(thrust);
    assert_eq!(default, refined);
    let vector = thrust("--laws reference --refine vector_shear=true");
    assert!(vector < 0.75 * reference, "{vector} N for {reference} N");
    let stiff = thrust("--refine reload_stiffening=false");
    assert!(stiff < 0.75 * reference, "{stiff} N for {reference} N");
    assert!(refined > 0.9 * reference, "{refined} N for {reference} N");
}

#[test]
fn a_load_is_a_pressure_times_the_area() {
    let folder = tempfile::tempdir().unwrap();
    let with = |more: &str| {
        let arguments = "plate --soil mud --size 0.4x0.2 --grid 0.05 --no-check --no-plot --json ";
        json(&mut rig(folder.path(), &format!("{arguments}{more}")))["test"]["result"]["work"]
            .take()
    };
    // 0.4 x 0.2 is not exactly 0.08.
    assert_within(1e-9, &with("--load 4000"), with("--pressure 50000").as_f64().unwrap());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn reloading_a_soft_soil_does_not_press_it_deeper() {
    // Mud, where the load increment exceeds the elastic stroke.
    let folder = tempfile::tempdir().unwrap();
    let arguments = "plate --soil mud --grid 0.05 --no-check --no-plot --json";
    let result = json(&mut rig(folder.path(), arguments))["test"]["result"].take();
    assert_within(1e-6, &result["reloaded"], result["sinkage"].as_f64().unwrap());
}

#[test]
fn a_coarse_grid_is_reported_with_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let (data, _) = text(&mut rig(folder.path(), "plate --soil mud --grid 0.05 --no-plot"));
    let unwrapped = data.replace("\n  ", " ");
    let verdict = unwrapped.lines().last().unwrap();
    assert!(verdict.starts_with("NOT converged: "), "{data}");
    assert!(verdict.ends_with("; try a smaller --grid"), "{data}");
}

#[test]
fn a_sheared_plate_is_compared_with_janosis_curve() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = "shear --soil chrono_mid --pressure 5e4 --grid 0.05 --plot s.png --no-check";
    let (data, report) = text(&mut rig(folder.path(), arguments));
    assert_eq!(report, "plot: s.png\n");
    // 50 kPa tan 30 deg
    assert!(data.contains("Mohr-Coulomb limit 28.868 kPa"), "{data}");
    assert!(data.ends_with("convergence not checked (--no-check)\n"), "{data}");
    let (_, report) = text(&mut rig(folder.path(), &format!("-q {arguments}")));
    assert_eq!(report, "");
}

#[test]
fn a_wheel_is_run_at_every_slip_alike_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = "wheel --soil chrono_mid --set damping=0 --load 6311.6 --slip 0.2:0.4:2 \
                     --step 0.002 --laws reference --no-plot --json";
    let with =
        |threads: &str| text(rig(folder.path(), arguments).env("RAYON_NUM_THREADS", threads)).0;
    let data = with("1");
    assert_eq!(data, with("2"));
    let answer: Value = serde_json::from_str(&data).unwrap();
    let runs = answer["test"]["runs"].as_array().unwrap();
    // Integrals of the same laws, as in tests/rig_wheel.rs.
    for (run, [slip, drawbar]) in runs.iter().zip([[0.2, 3045.2], [0.4, 3580.0]]) {
        assert_within(1e-12, &run["slip"], slip);
        assert_within(0.03, &run["drawbar"], drawbar);
    }
    assert_eq!(answer["convergence"]["changes"].as_array().unwrap().len(), 2 * 9);
    assert_eq!(answer["plot"], Value::Null);
}

#[test]
fn a_slip_without_a_result_is_named_and_the_others_are_printed() {
    let folder = tempfile::tempdir().unwrap();
    // 12 kN in mud: a locked wheel still sinks after two seconds.
    let with = |slips: &str, json: &str| {
        let arguments = format!(
            "wheel --soil mud --load 12000 --slip {slips} --step 0.004 --duration 2 --no-check \
             --no-plot {json}"
        );
        let output = rig(folder.path(), &arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{slips}");
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap())
    };
    let [data, report] = with("0.1,-1", "--json");
    let answer: Value = serde_json::from_str(&data).unwrap();
    assert_eq!(answer["test"]["runs"].as_array().unwrap().len(), 1, "{data}");
    assert_eq!(answer["refused"][0]["slip"], -1.0);
    let reason = answer["refused"][0]["reason"].as_str().unwrap();
    for word in ["of the load of 12000 N", "--duration", "--step"] {
        assert!(reason.contains(word), "{reason}");
    }
    assert_eq!(report, "rig: no result at slip -100.0 %\n");
    let [data, _] = with("0.1,-1", "");
    assert!(data.contains("\nat slip -100.0 %: the ground supports"), "{data}");
    let [data, report] = with("-1", "");
    assert!(
        data.is_empty() && report.contains("no setting has a result; first, at slip -100.0 %"),
        "{report}"
    );
}

#[test]
fn a_vehicle_provides_its_tire_and_load() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = "wheel --soil mud --vehicle hmmwv --slip 0.2 --step 0.002 --duration 2 \
                     --grid 0.025 --no-check --no-plot --json";
    let test = json(&mut rig(folder.path(), arguments))["test"].take();
    // A quarter of 2573.138 kg.
    assert_within(1e-4, &test["load"], 2573.138 * 9.81 / 4.0);
    assert!(test["wheel"]["outline"].as_array().unwrap().len() > 1, "{test}");
}

#[test]
fn a_custom_soil_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bed.toml");
    let figures = "name = \"bed\"\nk_phi = 2e6\nk_c = 0\nn = 1.1\ncohesion = 0\n\
                   friction_angle_deg = 30\nshear_modulus = 0.01\nelastic_stiffness = 2e8\n";
    std::fs::write(&file, figures).unwrap();
    let arguments = "plate --soil-file bed.toml --grid 0.05 --no-check --no-plot --json";
    let answer = json(&mut rig(folder.path(), arguments));
    assert_eq!(answer["soil"]["name"], "bed");
    assert_within(1e-3, &answer["test"]["result"]["sinkage"], 0.065652);
    let refused = |change: &str| {
        std::fs::write(&file, figures.replacen("n = 1.1\n", change, 1)).unwrap();
        let output = rig(folder.path(), arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(3));
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(refused("").starts_with("bed.toml: n: missing: "), "{}", refused(""));
    assert_eq!(refused("n = 4\n"), "bed.toml:4: n = 4: must be > 0 and <= 3\n");
}

/// A pivot turn has no pull. Its theory is that of the soil's strength: on clay without friction of
/// the cohesion alone, c A L/4 = 20 kPa x 2 x 0.381 m x 2.667 m x 2.667 m / 4 across the track.
#[test]
fn a_pivot_on_clay_is_held_by_cohesion() {
    let folder = tempfile::tempdir().unwrap();
    let soil = "--soil heavy_clay_40_wes --set cohesion=20000 --set friction_angle_deg=0";
    let arguments = format!(
        "pivot {soil} --speed 0.5 --duration 3 --step 0.002 --grid 0.1 --no-check --no-plot --json \
         --refine passive_pressure=false"
    );
    let test = json(&mut rig(folder.path(), &arguments))["test"].take();
    let run = &test["runs"][0];
    for absent in ["drawbar", "thrust", "resistance"] {
        assert!(run.get(absent).is_none(), "{run}");
    }
    assert_within(5e-3, &test["theory"]["moment"], 20e3 * 2.0 * 0.381 * 2.667 * 2.667 / 4.0);
    let moment = test["theory"]["pivoting_moment"].as_f64().unwrap();
    // The theory has no soil that the tracks push aside.
    assert_within(0.1, &run["turning_moment"], moment);
}

const COARSE: &str = "--step 0.002 --duration 2 --grid 0.04 --no-check --no-plot";

#[test]
fn a_wheel_is_towed_rigid_or_flexible() {
    let folder = tempfile::tempdir().unwrap();
    let mut resistances = Vec::new();
    for tire in ["--tire rigid", "--inflation-kpa 207", "--inflation-kpa 69"] {
        let arguments =
            format!("wheel --soil chrono_mid --vehicle hmmwv {tire} --towed {COARSE} --json");
        let test = json(&mut rig(folder.path(), &arguments))["test"].take();
        assert_eq!(test["towed"], true);
        let run = &test["runs"][0];
        assert!(run.get("slip").is_none() && run["tractive_efficiency"].is_null(), "{run}");
        let figure = |key: &str| run[key].as_f64().unwrap();
        // A free axle: the torque is at most 0.5 % of load times radius, an effect of the short
        // run.
        assert!(figure("torque").abs() < 0.005 * 6310.0 * 0.467, "{run}");
        assert!(figure("skid") > 0.0 && figure("skid") < 0.1, "{run}");
        assert_eq!(figure("slip_angle"), 0.0);
        // The ground supports the load: the mean vertical force at a constant height.
        assert_within(0.002, &run["vertical"], test["load"].as_f64().unwrap());
        resistances.push(-figure("drawbar"));
    }
    // The resistance on soil falls with the inflation.
    assert!(resistances.is_sorted_by(|a, b| a > b) && resistances[2] > 0.0, "{resistances:?}");
}

#[test]
fn a_wheel_is_steered_driven_and_towed() {
    let folder = tempfile::tempdir().unwrap();
    let wheel = "wheel --soil chrono_mid --vehicle hmmwv --inflation-kpa 110";
    let arguments = format!("{wheel} --slip 0.1,0.3 --slip-angle-deg 0,10 {COARSE} --json");
    let answer = json(&mut rig(folder.path(), &arguments));
    let runs = answer["test"]["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 4);
    let of = |run: usize, key: &str| runs[run][key].as_f64().unwrap();
    assert_eq!([of(1, "slip"), of(2, "slip"), of(3, "slip")], [0.3, 0.1, 0.3]);
    assert_within(1e-12, &runs[3]["slip_angle"], 10_f64.to_radians());
    // The side force is to the right for a velocity to the left, and smaller where more of the
    // shear goes into pull.
    assert!(of(0, "lateral").abs() < 5.0, "{}", of(0, "lateral"));
    assert!(of(2, "lateral") < of(3, "lateral") && of(3, "lateral") < -100.0, "{answer}");
    // At zero slip angle the result is that of a wheel without the option.
    let arguments = format!("{wheel} --slip 0.1 {COARSE} --json");
    let straight = json(&mut rig(folder.path(), &arguments))["test"]["runs"][0].take();
    assert!(straight.get("slip_angle").is_none());
    assert_within(1e-9, &straight["drawbar"], of(0, "drawbar"));

    let arguments = format!("{wheel} --towed --slip-angle-deg 0,10 --wide {COARSE}");
    let (table, _) = text(&mut rig(folder.path(), &arguments));
    for heading in ["slip angle", "skid", "towed resistance", "side force", "aligning"] {
        assert!(table.contains(heading), "{heading}:\n{table}");
    }
    assert!(!table.contains("torque"), "{table}");
}

#[test]
fn a_steered_wheel_is_drawn_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = "wheel --soil chrono_mid --towed --slip-angle-deg 0,10 --step 0.002 \
                     --duration 2 --grid 0.04 --json --tolerance 0.5";
    let answer = json(&mut rig(folder.path(), arguments));
    let changes = answer["convergence"]["changes"].as_array().unwrap();
    // Drawbar and sinkage three times, and at an angle the side force.
    assert_eq!(changes.len(), 6 + 9);
    assert!(changes.iter().any(|change| change["figure"] == "side force"));
    assert!(changes.iter().all(|change| change["figure"] != "torque"));
    let plot = std::fs::read(folder.path().join("rig_wheel_chrono_mid.png")).unwrap();
    assert!(plot.starts_with(b"\x89PNG"));
}
