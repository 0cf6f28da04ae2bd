//! The same bits on every machine: state hashes that stand here, and the instructions with
//! which they are found.
//!
//! A change of a law, a vehicle or the layout of the state changes them: say in CHANGELOG
//! what changed, and take over what the test prints.

use assert_cmd::Command;
use bekker::numeric::instructions;

/// Examples, for how many seconds they are driven, and the state hash then.
const GOLDEN: [(&str, f64, &str); 3] = [
    ("convoy_mud", 2.0, "b9663d1fb45e5b41abbb13736d94d3d82e30e9b7af43527713850df02b6811ee"),
    ("mixed_convoy", 1.0, "f871b5c5c753b3d68383ff72ea810529fc3703ff5c94cd90d191a17b4bfaa911"),
    ("convoy_snow", 2.0, "172e9fa1efafb63eec07c66eba0d58f399023f403568888165e945df60d97df2"),
];

fn hash(example: &str, time: f64, level: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::cargo_bin("bekker").unwrap();
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command.env("BEKKER_INSTRUCTIONS", level);
    command.args(["run", &format!("examples/{example}.toml"), "-q", "--json", "--no-picture"]);
    command.args(["--set", &format!("time.duration={time}"), "--out"]);
    let output = command.arg(folder.path().join("run")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    summary["state_hash"].as_str().unwrap().to_owned()
}

#[test]
fn states_are_the_same_on_every_machine() {
    let found = GOLDEN.map(|(example, time, _)| (example, time, hash(example, time, "")));
    let golden = GOLDEN.map(|(example, time, hash)| (example, time, hash.to_owned()));
    assert_eq!(found, golden);
}

/// At each level of instructions that this processor has.
#[test]
fn states_do_not_know_the_instructions() {
    let levels = instructions::available();
    for (example, time, _) in GOLDEN {
        let expected = hash(example, 0.3 * time, "");
        for (name, _) in &levels {
            assert_eq!(hash(example, 0.3 * time, name), expected, "{name}");
        }
    }
    println!("{} levels", levels.len());
}

#[test]
fn instructions_that_are_not_there_are_refused() {
    let mut command = Command::cargo_bin("bekker").unwrap();
    let output = command.env("BEKKER_INSTRUCTIONS", "abacus").arg("soils").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("'abacus' for 'BEKKER_INSTRUCTIONS': must be one of baseline"), "{told}");
}
