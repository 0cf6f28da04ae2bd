//! `bekker dataset`: the same bytes on any threads and after a kill, and refusals.

use assert_cmd::cargo::cargo_bin;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Fastest settings: rigid tires, coarse nodes, long steps, two levels.
const QUICK: [&str; 15] = [
    "--task",
    "Recover",
    "--policy",
    "mixed",
    "--tire",
    "rigid",
    "--spacing",
    "0.1",
    "--step",
    "0.005",
    "--levels",
    "2",
    "--seed",
    "3",
    "--quiet",
];

fn command(out: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(cargo_bin("bekker"));
    command.arg("dataset").args(QUICK).arg("--out").arg(out).args(more);
    command
}

fn done(out: &Path, more: &[&str]) -> Output {
    let output = command(out, more).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Returns the reason of a refusal, which has exit code 3.
fn refused(out: &Path, more: &[&str]) -> String {
    let output = command(out, more).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    String::from_utf8(output.stderr).unwrap()
}

/// Returns all files except the lock, by path.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(inner).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with(".lock") {
                let name = path.strip_prefix(folder).unwrap().to_owned();
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

fn manifest(folder: &Path) -> Json {
    serde_json::from_slice(&fs::read(folder.join("manifest.json")).unwrap()).unwrap()
}

#[test]
fn any_threads_give_the_same_bytes_in_every_format() {
    let place = tempfile::tempdir().unwrap();
    for format in ["minari", "lerobot", "parquet", "mcap"] {
        let of = |threads: &str| {
            let out = place.path().join(format!("{format}_{threads}"));
            let more = ["--format", format, "--episodes", "4", "--max-steps", "5"];
            done(&out, &[&more[..], &["--threads", threads]].concat());
            files(&out)
        };
        let (one, three) = (of("1"), of("3"));
        assert!(one.keys().eq(three.keys()), "{format}: {:?} {:?}", one.keys(), three.keys());
        for (name, bytes) in &one {
            assert!(three[name] == *bytes, "{format}: {}", name.display());
        }
        // Exactly the files that the manifest lists exist.
        let listed = manifest(&place.path().join(format!("{format}_1")));
        assert_eq!(listed["files"].as_array().unwrap().len() + 1, one.len());
        assert_eq!(listed["episodes"].as_array().unwrap().len(), 4);
    }
}

#[test]
fn a_killed_dataset_resumes_to_the_same_bytes() {
    let place = tempfile::tempdir().unwrap();
    let more = ["--format", "lerobot", "--episodes", "12", "--max-steps", "40", "--threads", "2"];
    let whole = place.path().join("whole");
    done(&whole, &more);
    let expected = files(&whole);
    // Killed once this number of episodes exists. The run may also be past all episodes and write
    // the dataset.
    let out = place.path().join("killed");
    for wanted in [0, 1, 5, 11] {
        let mut run = command(&out, &more).stdout(Stdio::null()).spawn().unwrap();
        let since = Instant::now();
        let pieces = || {
            fs::read_dir(out.join(".episodes")).map_or(0, |entries| {
                let names = entries.map(|entry| entry.unwrap().file_name());
                names.filter(|name| name.to_string_lossy().ends_with(".bin")).count()
            })
        };
        while run.try_wait().unwrap().is_none() && pieces() < wanted {
            assert!(since.elapsed() < Duration::from_secs(300), "no episode came");
            std::thread::sleep(Duration::from_millis(2));
        }
        run.kill().unwrap();
        run.wait().unwrap();
    }
    done(&out, &more);
    let found = files(&out);
    assert!(found.keys().eq(expected.keys()), "{:?} {:?}", found.keys(), expected.keys());
    assert!(found == expected);
}

#[test]
fn a_drive_of_a_convoy_is_an_episode_of_each_vehicle() {
    let place = tempfile::tempdir().unwrap();
    let convoy = |out: &Path, more: &[&str]| {
        let asked = ["--task", "Convoy", "--episodes", "2", "--max-steps", "4"];
        let mut command = Command::new(cargo_bin("bekker"));
        command.arg("dataset").args(&QUICK[2..]).args(asked).args(more).arg("--out").arg(out);
        command
    };
    let of = |name: &str, more: &[&str]| {
        let out = place.path().join(name);
        let output = convoy(&out, more).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        out
    };
    let one = of("one", &["--vehicles", "3", "--threads", "1"]);
    let episodes = manifest(&one)["episodes"].as_array().unwrap().clone();
    let number = |episode: &Json, key: &str| episode[key].as_u64().unwrap();
    for (n, episode) in episodes.iter().enumerate() {
        let vehicle = n as u64 % 3;
        assert_eq!((number(episode, "episode"), number(episode, "vehicle")), (n as u64, vehicle));
        assert_eq!(number(episode, "seed"), number(&episodes[n - n % 3], "seed"));
    }
    assert_eq!(episodes.len(), 6);
    let threads = ["--vehicles", "3", "--threads", "2"];
    assert!(files(&one) == files(&of("two", &threads)));
    // After a kill, a drive that lacks the episode of one of its vehicles runs again.
    let cut = place.path().join("cut");
    let mut run = convoy(&cut, &threads).stdout(Stdio::null()).spawn().unwrap();
    let first = cut.join(".episodes/000000001.bin");
    while run.try_wait().unwrap().is_none() && !first.exists() {
        std::thread::sleep(Duration::from_millis(2));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    if first.exists() {
        fs::remove_file(first).unwrap();
    }
    assert!(files(&one) == files(&of("cut", &threads)));
    // Four vehicles drive by default.
    assert_eq!(manifest(&of("four", &[]))["episodes"].as_array().unwrap().len(), 8);
    let alone = refused(&place.path().join("alone"), &["--episodes", "1", "--vehicles", "2"]);
    assert!(alone.contains("vehicles = 2: must be 1"), "{alone}");
}

#[test]
fn other_options_and_other_folders_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("set");
    let more = ["--format", "mcap", "--episodes", "2", "--max-steps", "2"];
    let first = done(&out, &more);
    assert!(String::from_utf8_lossy(&first.stdout).contains("is complete: 2 episodes of Recover"));
    let before = files(&out);
    let again = done(&out, &[&more[..], &["--json"]].concat());
    assert_eq!(serde_json::from_slice::<Json>(&again.stdout).unwrap()["driven"], 0);
    for (option, value, told) in [
        ("--difficulty", "0.25", "difficulty = 0.5, not 0.25"),
        ("--soil", "dry_sand_lll", "soil = none, not \"dry_sand_lll\""),
    ] {
        let said = refused(&out, &[&more[..], &[option, value]].concat());
        assert!(said.contains(told), "{said}");
    }
    let fewer = ["--format", "mcap", "--episodes", "1", "--max-steps", "2"];
    assert!(refused(&out, &fewer).contains("episodes = 2, not 1"));
    assert!(files(&out) == before);
    let mine = place.path().join("mine");
    fs::create_dir(&mine).unwrap();
    fs::write(mine.join("notes.txt"), "mine").unwrap();
    assert!(refused(&mine, &more).contains("contains notes.txt"));
    assert_eq!(files(&mine).len(), 1);
    let fresh = place.path().join("fresh");
    let said = refused(&fresh, &[&more[..], &["--soil", "cheese"]].concat());
    assert!(said.contains("cheese"), "{said}");
    // A refusal leaves no partial dataset that would be resumed.
    done(&fresh, &more);
}

#[test]
fn a_dataset_grows_to_the_bytes_of_a_larger_one() {
    let place = tempfile::tempdir().unwrap();
    for (format, kept) in [("minari", false), ("lerobot", true), ("parquet", true), ("mcap", false)]
    {
        let of = |episodes: &str, out: &Path, keeps: bool| {
            let more = ["--format", format, "--episodes", episodes, "--max-steps", "3", "--json"];
            let keep = ["--keep-episodes"];
            let output = done(out, &[&more[..], if keeps { &keep[..] } else { &[] }].concat());
            serde_json::from_slice::<Json>(&output.stdout).unwrap()["driven"].as_u64().unwrap()
        };
        let (grown, whole) = (place.path().join(format), place.path().join(format!("{format}_5")));
        assert_eq!(of("4", &grown, kept), 4);
        let endings = manifest(&grown)["episodes"].as_array().unwrap().clone();
        assert!(endings.iter().all(|episode| episode["ending"] == "time"), "{endings:?}");
        assert_eq!(of("5", &grown, false), if kept { 1 } else { 5 }, "{format}");
        assert_eq!(of("5", &whole, false), 5);
        assert!(files(&grown) == files(&whole), "{format}");
    }
}
