//! The command line as used by scripts and people.

use assert_cmd::Command;
use std::path::Path;

fn bekker(arguments: &[&str]) -> (String, String, i32) {
    let output = Command::cargo_bin("bekker")
        .unwrap()
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(arguments)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code().unwrap())
}

fn examples() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .map(|path| format!("examples/{}", path.file_name().unwrap().to_string_lossy()))
        .collect();
    files.sort();
    files
}

/// Names of all subcommands, as paths from the root.
fn subcommands(command: &clap::Command, path: &[String]) -> Vec<Vec<String>> {
    let inner = command.get_subcommands().filter(|c| c.get_name() != "help");
    inner
        .flat_map(|c| {
            let mut path = path.to_vec();
            path.push(c.get_name().to_string());
            let deeper = subcommands(c, &path);
            [vec![path], deeper].concat()
        })
        .collect()
}

#[test]
fn every_example_is_valid() {
    let examples = examples();
    assert!(examples.len() >= 3, "{examples:?}");
    let (studies, scenarios): (Vec<String>, Vec<String>) =
        examples.into_iter().partition(|example| example.starts_with("examples/study_"));
    for study in studies {
        // All levels are built; one trial is driven. Larger probes have their own tests.
        let (data, report, code) = bekker(&["study", "plan", &study, "--probe", "1"]);
        assert_eq!((report.as_str(), code), ("", 0));
        assert!(data.starts_with(&format!("{study}: ")), "{data}");
    }
    let (maps, scenarios): (Vec<String>, Vec<String>) =
        scenarios.into_iter().partition(|example| example.starts_with("examples/map_"));
    for map in maps {
        let (data, report, code) = bekker(&["map", "plan", &map]);
        assert_eq!((report.as_str(), code), ("", 0));
        assert!(data.starts_with(&format!("{map}: ")), "{data}");
    }
    for example in scenarios {
        let (data, report, code) = bekker(&["validate", &example]);
        assert_eq!(code, 0, "{report}");
        assert!(data.starts_with(&format!("{example}: valid: ")), "{data}");
    }
}

#[test]
fn every_example_is_in_the_reading_path() {
    let reading =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/README.md"))
            .unwrap();
    for example in examples() {
        let name = example.trim_start_matches("examples/");
        assert!(reading.contains(name), "{name} is not in examples/README.md");
    }
}

#[test]
fn the_resolved_scenario_is_json_on_standard_output() {
    let (data, report, code) =
        bekker(&["validate", "examples/single_vehicle.toml", "--json", "--set", "seed=42"]);
    assert_eq!((report.as_str(), code), ("", 0));
    let answer: serde_json::Value = serde_json::from_str(&data).unwrap();
    assert_eq!(answer["valid"], true);
    assert_eq!(answer["scenario"]["seed"], 42);
    assert_eq!(answer["scenario"]["ground"]["laws"], "refined");
}

#[test]
fn faults_are_json_on_request() {
    let (data, report, code) =
        bekker(&["validate", "examples/single_vehicle.toml", "--json", "--set", "time.step=1"]);
    assert_eq!(code, 3);
    assert!(report.contains("time.step = 1"), "{report}");
    let answer: serde_json::Value = serde_json::from_str(&data).unwrap();
    assert_eq!(answer["valid"], false);
    assert_eq!(answer["faults"][0]["key"], "time.step");
    assert_eq!(answer["faults"][0]["value"], "1");
}

#[test]
fn the_schema_is_a_schema() {
    let (data, _, code) = bekker(&["schema"]);
    assert_eq!(code, 0);
    let schema: serde_json::Value = serde_json::from_str(&data).unwrap();
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["properties"]["time"]["$ref"], "#/$defs/Time");
}

#[test]
fn soils_are_listed_with_their_sources() {
    let (data, _, code) = bekker(&["soils", "--json"]);
    assert_eq!(code, 0);
    let answer: serde_json::Value = serde_json::from_str(&data).unwrap();
    for soil in answer["soils"].as_array().unwrap() {
        assert!(!soil["source"].as_str().unwrap().is_empty(), "{soil}");
    }
    let (data, _, _) = bekker(&["soils", "chrono_mid"]);
    assert!(data.contains("friction_angle_deg   30 deg"), "{data}");
    let (data, _, _) = bekker(&["soils"]);
    assert!(data.contains("chrono_mid") && data.contains("deep_snow"), "{data}");
}

#[test]
fn an_imported_terrain_is_the_one_it_came_from() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("valley.tif").display().to_string();
    let source = "terrains/jacksboro_fault.tif";
    let crop = ["--origin=-84.1901,36.6206", "--crop=-300,-300,300,300"];
    let (data, report, code) = bekker(&["terrain", "import", source, &out, crop[0], crop[1]]);
    assert_eq!(code, 0, "{report}");
    assert!(data.starts_with("[terrain.surface]\nkind = \"dem\"\n"), "{data}");
    let (data, report, _) = bekker(&["terrain", "info", &out, "--json"]);
    let info: serde_json::Value = serde_json::from_str(&data).expect(&report);
    assert_eq!(info["unit"], "deg");
    assert_eq!(info["cells_without_data"], 0);
    let bounds: Vec<f64> = serde_json::from_value(info["bounds"].clone()).unwrap();
    // 300 m are 0.0033 degrees of longitude and 0.0027 of latitude there.
    assert!(bounds[0] <= -84.1934 && bounds[3] >= 36.6233, "{bounds:?}");
    // An existing file is kept, and the elevation model itself with any options.
    let before = std::fs::read(&out).unwrap();
    let (_, report, code) = bekker(&["terrain", "import", source, &out, crop[0], crop[1]]);
    assert!(code == 3 && report.contains("overwrite it with --force"), "{code}: {report}");
    let (_, report, code) = bekker(&["terrain", "import", &out, &out, "--force"]);
    assert!(code == 3 && report.contains("is the input DEM"), "{code}: {report}");
    assert_eq!(std::fs::read(&out).unwrap(), before);
    let small = "--crop=-100,-100,100,100";
    let (_, report, code) = bekker(&["terrain", "import", source, &out, crop[0], small, "--force"]);
    assert!(code == 0 && std::fs::read(&out).unwrap().len() < before.len(), "{report}");
    let (data, _, _) = bekker(&["terrain", "info", source]);
    assert!(data.contains("403 x 344"), "{data}");
}

#[test]
fn vehicles_are_listed_with_their_mass() {
    let (data, _, code) = bekker(&["vehicles"]);
    assert_eq!(code, 0);
    assert!(data.contains("hmmwv") && data.contains("2573.1"), "{data}");
}

#[test]
fn quiet_prints_nothing_on_success() {
    assert_eq!(
        bekker(&["validate", "-q", "examples/single_vehicle.toml"]),
        (String::new(), String::new(), 0)
    );
}

/// A partition that does not fit vehicles or ranks is bad input, and found before anything is
/// done to a run that is there.
#[test]
fn an_invalid_partition_leaves_an_earlier_run_unchanged() {
    let place = tempfile::tempdir().unwrap();
    let run = |more: &[&str]| {
        let scenario = ["run", "examples/single_vehicle.toml", "--set", "time.duration=0.1"];
        let out = place.path().join("run").display().to_string();
        let (_, told, code) = bekker(
            &[&scenario, ["--no-picture", "--force", "--out", &out].as_slice(), more].concat(),
        );
        let left = std::fs::read(place.path().join("run/summary.json")).unwrap();
        (told, code, left)
    };
    let (told, code, before) = run(&[]);
    assert_eq!(code, 0, "{told}");
    let cases = [
        (["--partition", "0,1", "--ranks", "2"], "0,1: 2 ranks for 1 vehicles"),
        (
            ["--partition", "9", "--ranks", "2"],
            "9: vehicle 0 is assigned to rank 9, but the last rank is 1",
        ),
        (["--partition", "9", "--processes", "2"], "9: vehicle 0 is assigned to rank 9"),
    ];
    for (arguments, expected) in cases {
        let (told, code, left) = run(&arguments);
        let named = told.contains(&format!("--partition {expected}"));
        assert!(code == 3 && named, "{arguments:?}: {code}: {told}");
        assert_eq!(told.matches(expected).count(), 1, "{told}");
        assert!(left == before, "{arguments:?} changed the run");
    }
}

/// Names of folders are words of the system, not texts.
#[test]
#[cfg(target_os = "linux")]
fn a_run_s_folder_need_not_have_a_name_in_utf_8() {
    use std::os::unix::ffi::OsStrExt;
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join(std::ffi::OsStr::from_bytes(b"o\xff"));
    let run = |words: &[&str]| {
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("bekker"));
        let output = command.args(words).arg(&out).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let short = "time.duration=0.1";
    let words = ["run", "examples/single_vehicle.toml", "--no-picture", "--set", short];
    run(&[&words[..], &["--ranks", "2", "--parts", "--force", "--out"]].concat());
    run(&[&words[..], &["--force", "--out"]].concat());
    run(&["run", "--set", "time.duration=0.2", "--resume"]);
    run(&["replay", "--verify"]);
}

/// Options that a restart cannot apply are refused without leaving files.
#[test]
fn restarts_without_effect_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("run").display().to_string();
    let run = |more: &[&str]| {
        let words = ["run", "examples/single_vehicle.toml", "--restarts", "2", "--out", &out];
        let (_, told, code) = bekker(&[&words[..], more].concat());
        assert!(code == 2 && !place.path().join("run").exists(), "{code}: {told}");
        told
    };
    let told = run(&["--ranks", "2"]);
    assert!(told.contains("'--restarts <TIMES>' cannot be used with '--ranks <N>'"), "{told}");
    let told = run(&["--processes", "2", "--html"]);
    assert!(told.contains("'--restarts <TIMES>' cannot be used with '--html'"), "{told}");
    let told = run(&["--processes", "2", "--rank", "0", "--meet", "127.0.0.1:9"]);
    assert!(told.contains("'2' for '--restarts': must be omitted with --rank"), "{told}");
}

#[test]
fn every_command_helps_with_an_example() {
    let cli = <bekker::cli::Cli as clap::CommandFactory>::command();
    for path in subcommands(&cli, &[]) {
        let mut arguments: Vec<&str> = path.iter().map(String::as_str).collect();
        arguments.push("--help");
        let (help, _, code) = bekker(&arguments);
        assert_eq!(code, 0);
        let call = format!("bekker {}", path.join(" "));
        let shown = help.matches(call.as_str()).count();
        assert!(help.contains("Example") && shown >= 2, "`{call} --help` has no example:\n{help}");
    }
}

/// The CMU plates need a negative k_c: the result reports it, as text and as JSON.
#[test]
fn parameters_are_identified_with_bounds_and_remarks() {
    let (data, _, code) = bekker(&["identify", "--plates", "cmu", "--json"]);
    assert_eq!(code, 0);
    let answer: serde_json::Value = serde_json::from_str(&data).unwrap();
    let found = &answer["pressure_sinkage"];
    assert!(found["k_c"]["high"].as_f64().unwrap() < 0.0, "{found}");
    assert!(found["quality"]["condition"].as_f64().unwrap() > 30.0, "{found}");
    let (text, _, _) = bekker(&["identify", "--plates", "cmu"]);
    assert!(text.contains("k_c is negative") && text.contains("condition"), "{text}");

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shear.csv");
    let mut table = String::from("pressure_Pa,displacement_m,stress_Pa\n");
    for pressure in [1e4, 5e4] {
        for j in 1..=20 {
            let j = 0.003 * f64::from(j);
            let stress = (1300.0 + pressure * 0.6) * (1.0 - (-j / 0.012).exp());
            table += &format!("{pressure},{j},{stress}\n");
        }
    }
    std::fs::write(&file, &table).unwrap();
    let file = file.to_str().unwrap();
    let (text, _, code) = bekker(&["identify", "--shear", file]);
    assert_eq!(code, 0);
    assert!(text.contains("cohesion = 1300.0") && text.contains("shear_modulus = 0.012"), "{text}");

    std::fs::write(file, "pressure_Pa,displacement_m\n1,2\n").unwrap();
    let (_, report, code) = bekker(&["identify", "--shear", file]);
    assert_eq!(code, 3);
    assert!(report.contains("stress_Pa"), "{report}");
    let (_, report, code) = bekker(&["identify", "--shear", "nowhere.csv"]);
    assert_eq!(code, 3);
    assert!(report.contains("nowhere.csv"), "{report}");
}
