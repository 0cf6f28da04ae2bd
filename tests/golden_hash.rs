//! State hashes must equal the values recorded here, on every machine and with every instruction
//! set.
//!
//! A change of a law, a vehicle or the state layout changes them: give the reason in the commit and
//! copy the values that the test prints.

use assert_cmd::Command;
use bekker::numeric::instructions;

/// Examples, their duration, s, and the state hash at its end.
const GOLDEN: [(&str, f64, &str); 3] = [
    ("convoy_mud", 2.0, "833a91ff9fd1ba71005e907cb4bba7812c13342f8054d96fc309b58cc5ca4d7f"),
    ("mixed_convoy", 1.0, "84c700da1f9bcc428dd3af4af1e583bc533dbe3401c55424a508fe008fa64859"),
    ("convoy_snow", 2.0, "adaae3dce9709bf502bafae639e6741d4d52f28d50af6442ecee5aa734f431fa"),
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

/// The hashes are the same at each instruction level of this processor.
///
/// The widest level is the default.
#[test]
fn states_do_not_depend_on_the_instruction_set() {
    let levels = instructions::available();
    let (_, narrower) = levels.split_last().unwrap();
    for (example, time, _) in GOLDEN {
        let expected = hash(example, 0.3 * time, "");
        for (name, _) in narrower {
            assert_eq!(hash(example, 0.3 * time, name), expected, "{name}");
        }
    }
    println!("{} levels", levels.len());
}

#[test]
fn unavailable_instruction_sets_are_refused() {
    let mut command = Command::cargo_bin("bekker").unwrap();
    let output = command.env("BEKKER_INSTRUCTIONS", "abacus").arg("soils").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("'abacus' for 'BEKKER_INSTRUCTIONS': must be one of the instruction sets of this processor: baseline"), "{told}");
}
