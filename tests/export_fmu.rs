//! `bekker export-fmu` as a command. python/tests/test_fmu.py runs the exported FMUs.

use assert_cmd::Command;
use bekker::scenario::SOURCE;
use serde_json::Value;
use std::path::Path;

const SCENARIO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/outside.toml");

fn export(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("bekker").unwrap();
    let output = command
        .current_dir(folder)
        .args(["export-fmu", SCENARIO])
        .args(arguments)
        .output()
        .unwrap();
    let [out, told] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (output.status.code().unwrap(), out, told)
}

#[test]
fn a_missing_or_wrong_library_is_reported_with_its_build_command() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let (code, _, told) = export(folder, &["-o", "car.fmu", "--library", "absent.so"]);
    assert_eq!(code, 3);
    assert!(told.contains("absent.so: ") && told.contains("-p bekker-fmi"), "{told}");
    std::fs::write(folder.join("old.so"), "of another day").unwrap();
    let (code, _, told) = export(folder, &["-o", "car.fmu", "--library", "old.so"]);
    assert!(code == 3 && told.contains("from the same source"), "{told}");
    let (code, _, told) = export(folder, &["-o", "car.zip"]);
    assert!(code == 2 && told.contains("must end in .fmu"), "{told}");
    assert!(!folder.join("car.fmu").exists());
}

#[test]
fn the_exported_fmu_is_reproducible() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    // Only the source version in a library is examined.
    std::fs::write(folder.join("fmi.so"), format!("library {SOURCE}")).unwrap();
    let (code, out, told) = export(folder, &["--library", "fmi.so", "--json"]);
    assert_eq!(code, 0, "{told}");
    let about: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&about["file"], &about["heartbeat"]), (&"outside.fmu".into(), &0.01.into()));
    let variables = about["variables"].as_array().unwrap();
    let inputs = variables.iter().filter(|own| own["causality"] == "input");
    let inputs: Vec<&str> = inputs.map(|own| own["name"].as_str().unwrap()).collect();
    let expected = ["throttle", "brake", "steering", "selector", "inflation_kpa"];
    assert_eq!(inputs, expected.map(|name| format!("lead.{name}")));
    let (code, ..) = export(folder, &["--library", "fmi.so", "-o", "again.fmu"]);
    assert_eq!(code, 0);
    let [first, again] =
        ["outside.fmu", "again.fmu"].map(|name| std::fs::read(folder.join(name)).unwrap());
    assert!(first == again && first.starts_with(b"PK\x03\x04"));
}
