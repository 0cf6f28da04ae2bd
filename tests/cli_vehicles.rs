//! Vehicle commands: new files, checks, refusals, and catalog vehicles on soil.

use assert_cmd::Command;
use bekker::numeric::GRAVITY;
use bekker::scenario::{ScenarioFile, build};
use bekker::simulation::World;
use bekker::vehicle::find_wheeled;
use serde_json::Value;
use std::path::Path;

fn vehicles(folder: &Path, arguments: &str) -> (i32, String, String) {
    let mut command = Command::cargo_bin("bekker").unwrap();
    command.current_dir(folder).arg("vehicles").args(arguments.split_whitespace());
    let output = command.output().unwrap();
    let [out, told] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (output.status.code().unwrap(), out, told)
}

#[test]
fn a_new_file_is_created_once_and_checked() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let (code, ..) = vehicles(folder, "new own --from fmtv_6x6");
    assert_eq!(code, 0);
    let file = folder.join("own.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    // An existing file is not overwritten.
    std::fs::write(&file, format!("{text}\n# mine\n")).unwrap();
    let (code, _, told) = vehicles(folder, "new own --from hmmwv");
    assert!(code == 3 && told.contains("--force"), "{code}: {told}");
    assert!(std::fs::read_to_string(&file).unwrap().ends_with("# mine\n"));

    let (code, out, told) = vehicles(folder, "check own.toml --json --draw own.svg");
    assert_eq!(code, 0, "{told}");
    let sheet: Value = serde_json::from_str(&out).unwrap();
    let axle = |index: usize, key: &str| sheet["axles"][index][key].as_f64().unwrap();
    // Both axles of the tandem carry equal loads.
    assert!((axle(1, "load") / axle(2, "load") - 1.0).abs() < 5e-3, "{out}");
    assert!((axle(0, "share") + axle(1, "share") + axle(2, "share") - 1.0).abs() < 5e-3);
    let drawing = std::fs::read_to_string(folder.join("own.svg")).unwrap();
    for view in ["side", "above", "behind"] {
        assert!(drawing.contains(&format!(">{view}</text>")));
    }
    let (code, page, _) = vehicles(folder, "check own.toml");
    assert!(code == 0 && page.contains("turning circle") && page.contains("sinkage"), "{page}");
}

#[test]
fn unusual_and_wrong_values_are_named() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    assert_eq!(vehicles(folder, "new own --from fmtv_4x4").0, 0);
    let file = folder.join("own.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    // Both halves of the frame are raised equally.
    let high = text
        .replace("com = [0.43103, 0.0, 0.724253]", "com = [0.43103, 0.0, 2.5]")
        .replace("com = [-1.2419, 0.0, 0.8404]", "com = [-1.2419, 0.0, 2.616147]");
    assert!(high.contains("2.5]") && high.contains("2.616147]"));
    std::fs::write(&file, high).unwrap();
    let (code, page, told) = vehicles(folder, "check own.toml");
    let named = page.contains("unusual: static stability factor") && page.contains("chassis.com");
    assert!(code == 0 && named, "{page}{told}");
    std::fs::write(&file, text.replace("max_angle_deg = 22.7", "max_angle_deg = 227.0")).unwrap();
    let (code, _, told) = vehicles(folder, "check own.toml");
    assert_eq!(code, 3);
    assert!(told.contains("steering.drag_link.max_angle_deg = 227") && told.contains("0.1 to 89"));
    // A beam axle whose wheels cannot steer.
    let (before, after) = text.split_once("[axles.suspension.solid_axle.knuckle]").unwrap();
    let (_, after) = after.split_once("[axles.spring]").unwrap();
    std::fs::write(&file, format!("{before}[axles.spring]{after}")).unwrap();
    let (code, _, told) = vehicles(folder, "check own.toml");
    let named = told.starts_with("own.toml:") && told.contains(".solid_axle.knuckle = absent");
    assert!(code == 3 && named && told.contains("because the axle is steered"), "{told}");
    let (code, _, told) = vehicles(folder, "check hmmwv --draw x.png");
    assert!(code == 2 && told.contains("must end in .svg"), "{told}");
    assert!(!folder.join("x.png").exists());
}

/// A laterally offset center of mass tips over the nearer side, which the warning names; so is an
/// angle beyond the linkage's range.
#[test]
fn an_offset_load_and_an_angle_beyond_the_linkage_are_named() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    assert_eq!(vehicles(folder, "new own --from hmmwv").0, 0);
    let file = folder.join("own.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let sheet = |text: &str| {
        std::fs::write(&file, text).unwrap();
        let (code, out, told) = vehicles(folder, "check own.toml --json");
        assert_eq!(code, 0, "{told}");
        serde_json::from_str::<Value>(&out).unwrap()
    };
    let own = sheet(&text);
    let warned = |sheet: &Value, words: &str| {
        let warnings = sheet["warnings"].as_array().unwrap();
        warnings.iter().any(|own| own.as_str().unwrap().contains(words))
    };
    assert!(!warned(&own, "on the left") && !warned(&own, "linkage"), "{}", own["warnings"]);
    let at = text.find("com = [").unwrap();
    let parts: Vec<&str> = text[at + 7..].split(',').map(str::trim).collect();
    let aside = text.replacen(
        &text[at..at + text[at..].find(']').unwrap()],
        &format!("com = [{}, 0.8, {}", parts[0], parts[2].split(']').next().unwrap()),
        1,
    );
    let aside = sheet(&aside);
    // In a drive it tips between 10 and 15 degrees; the static check takes its inclined springs as
    // rigid.
    let slope = aside["roll"]["side_slope_deg"].as_f64().unwrap();
    assert!((15.0..25.0).contains(&slope) && warned(&aside, "on the left"), "{slope}");
    let wide = text.replace("max_wheel_angle_deg = 26.3", "max_wheel_angle_deg = 60");
    let wide = sheet(&wide);
    assert!(warned(&wide, "its linkage turns its wheels by 2"), "{}", wide["warnings"]);
    let circle = |sheet: &Value| sheet["turning"]["circle"].as_f64().unwrap();
    assert_eq!(circle(&own), circle(&wide));
}

/// A driven axle with little load gives a warning.
///
/// The load is in front of a vehicle driven by its rear axle only.
#[test]
fn driven_axles_that_carry_little_are_named() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    assert_eq!(vehicles(folder, "new own --from hmmwv").0, 0);
    let file = folder.join("own.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let text = text.replace("layout = \"awd\"", "layout = \"rwd\"");
    std::fs::write(&file, text.replace("com = [0.056, 0.0, 0.213]", "com = [1.2, 0.0, 0.213]"))
        .unwrap();
    let (code, page, told) = vehicles(folder, "check own.toml");
    let named = page.contains("unusual: fraction of the weight on driven axles is 0.2");
    assert!(code == 0 && named, "{page}{told}");
}

/// A vehicle that finds no equilibrium is reported instead of its depths.
///
/// Its weight is high above its front axle, so it tips over on soil.
#[test]
fn a_vehicle_without_equilibrium_is_reported() {
    let place = tempfile::tempdir().unwrap();
    let mut tall = find_wheeled("hmmwv").unwrap();
    tall.chassis.com = [1.64, 0.0, 4.0];
    let text = toml::to_string(&tall).unwrap();
    std::fs::write(place.path().join("tall.toml"), text).unwrap();
    let (code, out, told) = vehicles(place.path(), "check tall.toml --json");
    assert_eq!(code, 0, "{told}");
    let sheet: Value = serde_json::from_str(&out).unwrap();
    let soils = sheet["soils"].as_array().unwrap();
    assert!(soils.iter().any(|soil| soil["sinkage"].is_null()), "{out}");
    let (_, page, _) = vehicles(place.path(), "check tall.toml");
    let named = page.contains("unusual: no equilibrium found on ");
    assert!(named && !page.contains("0.000  0.000"), "{page}");
    assert!(page.contains("unusual: static stability factor is 0.24"), "{page}");
}

/// A trailer is checked and drawn with its tractor.
///
/// Without slip the trailer's axle runs on √(R² + c² - l²). R is the radius of the tractor's rear
/// axle, c the distance of the coupling behind it and l the drawbar length. Widths are between the
/// outermost corners.
#[test]
fn a_trailer_is_checked_and_drawn_with_its_tractor() {
    let place = tempfile::tempdir().unwrap();
    for name in ["hmmwv+cargo_trailer", "kraz_64431+semitrailer"] {
        let arguments = format!("check {name} --json --draw drawn.svg");
        let (code, out, told) = vehicles(place.path(), &arguments);
        assert_eq!(code, 0, "{told}");
        let sheet: Value = serde_json::from_str(&out).unwrap();
        let spec = find_wheeled(name).unwrap();
        let turning = &sheet["turning"];
        let radius = |of: &Value| of["rear_radius"].as_f64().unwrap();
        let coupling = spec.trailer.as_ref().unwrap().coupling[0];
        let trailed: Vec<f64> =
            spec.axles.iter().filter(|own| own.trailed).map(|own| own.position[0]).collect();
        let drawbar = coupling - trailed.iter().sum::<f64>() / trailed.len() as f64;
        let behind = spec.turning_line() - coupling;
        let expected =
            (radius(turning).powi(2) + behind * behind - drawbar * drawbar).max(0.0).sqrt();
        let found = radius(&turning["trailer"]);
        println!("{name}: {found:.3} m, {expected:.3}; {}", turning["trailer"]);
        // The drawing sheet has a resolution of 1 µm or coarser.
        assert!((found - expected).abs() < 1e-3, "{name}: {found} m, not {expected}");
        // Axle loads sum to the total weight, at rest to within a few thousandths.
        let axles = sheet["axles"].as_array().unwrap();
        assert_eq!(axles.len(), spec.axles.len());
        let loads: f64 = axles.iter().map(|axle| axle["load"].as_f64().unwrap()).sum();
        assert!((loads / (spec.total_mass() * GRAVITY) - 1.0).abs() < 5e-3, "{loads}");
        assert!(sheet["trailer_roll"]["stability_factor"].as_f64().unwrap() > 0.4);
        let wheels = spec.axles.len();
        let drawing = std::fs::read_to_string(place.path().join("drawn.svg")).unwrap();
        assert!(drawing.matches("<circle").count() >= wheels, "{name}");
    }
}

/// Catalog vehicles settle on soil and drive without a fault.
///
/// Ten seconds on all soils would take too long here.
#[test]
fn the_fleet_settles_and_drives_on_soil() {
    let fleet = ["fed_alpha", "fmtv_4x4", "fmtv_6x6", "gator", "man_8x8", "marder"];
    for name in fleet.into_iter().chain(["hmmwv_torsen", "m113", "m113_double_pin"]) {
        let text = format!(
            "format = 1\nname = \"fleet\"\ntime = {{ duration = 2.0 }}\nsoil = {{ default = \
             \"upland_sandy_loam\" }}\n[[vehicle]]\nname = \"own\"\nmodel = \"{name}\"\nposition = \
             [0, 0]\ndriver = {{ kind = \"path\", speed = 3, waypoints = [[0, 0], [60, 0]] }}\n"
        );
        let file = ScenarioFile::parse("fleet", &text, Path::new(""), &[]).unwrap();
        let mut world = World::new(build::world(&file).unwrap().world);
        while world.time() < 2.0 - 1e-9 {
            world.advance();
        }
        let sample = world.samples().next().unwrap();
        println!("{name}: {:.2} m/s, drift {:.1e} m", sample.speed, world.drift());
        assert_eq!(world.state().agents[0].outcome, None, "{name}");
        assert!(sample.pose.position.x > 0.2, "{name}: {:?}", sample.pose.position);
        assert!(world.drift() < 1e-5, "{name}: {} m", world.drift());
    }
}
