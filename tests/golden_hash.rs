//! State hashes must equal the values recorded here, on every machine and with every instruction
//! set.
//!
//! A change of a law, a vehicle or the state layout changes them: give the reason in the commit and
//! copy the values that the test prints.

use assert_cmd::Command;
use bekker::numeric::instructions;

/// Examples, their duration, s, and the state hash at its end.
const GOLDEN: [(&str, f64, &str); 3] = [
    ("convoy_mud", 2.0, "ae0faaa31eae4bca7c1cec4852d8927e83f2ad536e93afe84c1d4db9fdbe0d92"),
    ("mixed_convoy", 1.0, "42f1c0b7711d953bd60e8d058cb2e5ff215ba642cf838ecffb9f29d1153c6a0a"),
    ("convoy_snow", 2.0, "7a9f8dd92d554362c1af0270a2516acbffec2daf7b52c38363bc13fb0bb64806"),
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
