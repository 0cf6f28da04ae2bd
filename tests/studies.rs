//! `bekker study`: the same bytes on any threads, shards and after a kill; failed trials are
//! rows; a trial is driven again to its hash; what is wrong is refused by name.

use assert_cmd::cargo::cargo_bin;
use serde_json::Value as Json;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A second of a rigid HMMWV on coarse nodes: as quick as it gets. The ground is rough by the
/// scenario's seed, so replications differ.
const SCENARIO: &str = r#"
format = 1
name = "quick"
time = { duration = 1, step = 0.005 }
ground = { spacing = 0.1 }
soil = { default = "dry_sand_lll" }
terrain = { surface = { kind = "flat" }, roughness = "D" }
[[vehicle]]
name = "lead"
model = "hmmwv"
tyre = "rigid"
position = [0, 0]
driver = { kind = "path", speed = 4, waypoints = [[0, 0], [30, 0]] }
"#;

/// Two points of three replications, and three that fail.
const STUDY: &str = r#"
format = 1
scenario = "quick.toml"
design = "full_factorial"
replications = 3
seed = 5
responses = ["go", "distance", "lead.max_sinkage", "outcome"]
[[factor]]
name = "soil"
key = "soil.default"
values = ["dry_sand_lll", "no_such_soil", "mud"]
"#;

struct Place(tempfile::TempDir);

impl Place {
    fn new(study: &str) -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        fs::write(place.at("quick.toml"), SCENARIO).unwrap();
        fs::write(place.at("study.toml"), study).unwrap();
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(cargo_bin("bekker"));
        command.current_dir(self.0.path()).arg("study").args(words).arg("--quiet");
        command
    }

    fn done(&self, words: &[&str]) -> Output {
        let output = self.command(words).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output
    }

    fn json(&self, words: &[&str]) -> Json {
        serde_json::from_slice(&self.done(&[words, &["--json"]].concat()).stdout).unwrap()
    }

    /// Why it was refused, with exit code 3.
    fn refused(&self, words: &[&str]) -> String {
        let output = self.command(words).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{told}");
        told
    }

    /// Why a study with one text in place of another is refused.
    fn refused_with(&self, from: &str, to: &str) -> String {
        assert!(STUDY.contains(from));
        fs::write(self.at("other.toml"), STUDY.replace(from, to)).unwrap();
        self.refused(&["run", "other.toml", "--out", "never"])
    }
}

fn tables(folder: &Path) -> [Vec<u8>; 2] {
    ["trials.parquet", "trials.csv"].map(|name| fs::read(folder.join(name)).unwrap())
}

#[test]
fn any_threads_and_shards_give_the_same_bytes() {
    let place = Place::new(STUDY);
    place.done(&["run", "study.toml", "--out", "one", "--threads", "1"]);
    place.done(&["run", "study.toml", "--out", "two", "--threads", "2"]);
    let whole = tables(&place.at("one"));
    assert!(tables(&place.at("two")) == whole);
    for (shard, out) in [("1/3", "first"), ("2/3", "second"), ("3/3", "third")] {
        let told = place.json(&["run", "study.toml", "--out", out, "--shard", shard]);
        assert_eq!((&told["trials"], &told["of"]), (&3.into(), &9.into()));
    }
    // two do not make a whole, and leave nothing
    let told = place.refused(&["merge", "third", "first", "--out", "part"]);
    assert!(
        told.contains("3 of 9 trials are in none of the folders, the first of them 1"),
        "{told}"
    );
    assert!(!place.at("part").exists());
    place.done(&["merge", "third", "first", "second", "--out", "merged"]);
    assert!(tables(&place.at("merged")) == whole);
    // again, and over itself
    place.done(&["merge", "third", "first", "second", "--out", "merged"]);
    assert!(tables(&place.at("merged")) == whole);
}

#[test]
fn a_killed_one_goes_on_to_the_same_bytes() {
    let place = Place::new(&STUDY.replace("replications = 3", "replications = 6"));
    place.done(&["run", "study.toml", "--out", "whole"]);
    let expected = tables(&place.at("whole"));
    let journal =
        |out: &str| fs::metadata(place.at(out).join("journal.bin")).map_or(0, |m| m.len());
    let whole = journal("whole");
    let run = ["run", "study.toml", "--out", "killed", "--threads", "2"];
    // killed as soon as so much is done, in parts of eight
    for part in [0, 1, 3, 6, 8] {
        let mut child = place.command(&run).stdout(Stdio::null()).spawn().unwrap();
        let since = Instant::now();
        while child.try_wait().unwrap().is_none() && journal("killed") < whole * part / 8 {
            assert!(since.elapsed() < Duration::from_secs(300), "no trial came");
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // as if a record had been begun
        let path = place.at("killed").join("journal.bin");
        if path.exists() {
            let mut torn = fs::OpenOptions::new().append(true).open(path).unwrap();
            torn.write_all(&[7, 0, 0, 0, 1, 2]).unwrap();
        }
    }
    place.done(&run);
    assert!(tables(&place.at("killed")) == expected);
    let told = place.json(&["status", "killed"]);
    assert_eq!((&told["done"], &told["left"]), (&18.into(), &0.into()));
    // done already: nothing is driven again
    assert_eq!(place.json(&run)["driven"], 0);
    assert!(tables(&place.at("killed")) == expected);
}

#[test]
fn a_failed_trial_is_a_row_and_ends_nothing() {
    let place = Place::new(STUDY);
    let told = place.json(&["run", "study.toml", "--out", "out"]);
    assert_eq!((&told["trials"], &told["failed"]), (&9.into(), &3.into()));
    let csv = fs::read_to_string(place.at("out/trials.csv")).unwrap();
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(
        rows[0],
        "trial,point,replication,scenario_seed,soil,status,reason,go,distance,lead.max_sinkage,\
         outcome,state_hash"
    );
    assert!(rows[4].contains(",failed,") && rows[4].contains("no soil has this name"), "{csv}");
    // no-go is not failed
    assert!(rows[1].contains(",done,,0,") && rows[1].contains(",under_way,"), "{csv}");
    // the same seed for the same replication, at every point
    let seed = |row: &str| row.split(',').nth(3).unwrap().to_owned();
    assert_eq!([seed(rows[1]), seed(rows[2])], [seed(rows[7]), seed(rows[8])]);
    assert_ne!(seed(rows[1]), seed(rows[2]));

    // known before: by the first trial of the level, and by the middle one, which is probed
    let refused = place.json(&["plan", "study.toml"])["refused"].take();
    let trials: Vec<&Json> = refused.as_array().unwrap().iter().map(|own| &own["trial"]).collect();
    assert_eq!(trials, [3, 4]);
    assert!(refused[0]["reason"].as_str().unwrap().contains("no soil has this name"));

    let points = place.json(&["report", "out"])["points"].take();
    assert_eq!((&points[1]["done"], &points[1]["failed"]), (&0.into(), &3.into()));
    let go = &points[0]["responses"][0]["proportion"];
    // Wilson's interval of 0 in 3: its upper end is z2 / (n + z2) with z = 1.959964
    let high = 3.841_459 / 6.841_459;
    assert_eq!((&go["count"], &go["interval"][0]), (&0.into(), &0.0.into()));
    assert!((go["interval"][1].as_f64().unwrap() - high).abs() < 1e-6, "{go}");
    // all of the trials of point 1 failed: nothing is known but the worst
    let go = &points[1]["responses"][0]["proportion"];
    assert_eq!(go["interval"], serde_json::json!([0.0, 1.0]));
    assert!((go["failed_as_no"][1].as_f64().unwrap() - high).abs() < 1e-6, "{go}");

    // the paired difference is that of the rows
    let distance = |row: &str| row.split(',').nth(8).unwrap().parse::<f64>().unwrap();
    let mean = (0..3).map(|n| distance(rows[7 + n]) - distance(rows[1 + n])).sum::<f64>() / 3.0;
    let told = points[2]["responses"][1]["difference"]["mean"]["value"].as_f64().unwrap();
    assert!((told - mean).abs() < 1e-12, "{told} {mean}");
    assert!(points[0]["responses"][1].get("difference").is_none());
    let changes = serde_json::json!({ "gained": 0, "lost": 0, "pairs": 3 });
    assert_eq!(points[2]["responses"][0]["difference"]["changes"], changes);
    let page = fs::read_to_string(place.at("out/report.md")).unwrap();
    assert!(
        page.contains("9 of 9 trials") && page.contains("| 1 | no_such_soil | 0 | 3 |"),
        "{page}"
    );
    assert_eq!(fs::read_to_string(place.at("out/report.csv")).unwrap().lines().count(), 1 + 3 * 4);
}

#[test]
fn a_trial_is_driven_again_to_its_hash() {
    let place = Place::new(&STUDY.replace("\"no_such_soil\", ", ""));
    place.done(&["run", "study.toml", "--out", "out"]);
    let csv = fs::read_to_string(place.at("out/trials.csv")).unwrap();
    let hash = csv.lines().nth(5).unwrap().rsplit(',').next().unwrap().to_owned();
    place.done(&["replay", "out", "--trial", "4", "--out", "again"]);
    let summary = fs::read_to_string(place.at("again/summary.json")).unwrap();
    assert!(hash.len() == 64 && summary.contains(&hash), "{hash} {summary}");
    assert!(place.at("again/picture.png").exists());
    let told = place.refused(&["replay", "out", "--trial", "6", "--out", "never"]);
    assert!(told.contains("no trial 6 is done in it: 6 of trials 0 to 5 are"), "{told}");
    // on other ground it would be another trial
    fs::write(place.at("quick.toml"), SCENARIO.replace("\"D\"", "\"E\"")).unwrap();
    let told = place.refused(&["replay", "out", "--trial", "4", "--out", "never"]);
    assert!(told.contains("is not what the study was driven on"), "{told}");
    let told = place.refused(&["run", "study.toml", "--out", "out"]);
    assert!(told.contains("out holds a study with fingerprint = "), "{told}");
    assert!(!place.at("never").exists());
}

#[test]
fn drawn_designs_have_their_points() {
    let drawn = STUDY
        .replace("design = \"full_factorial\"", "design = \"latin_hypercube\"\npoints = 5")
        .replace("values = [\"dry_sand_lll\", \"no_such_soil\", \"mud\"]", "values = [\"mud\"]")
        + "[[factor]]\nname = \"speed\"\nkey = \"vehicle[0].driver.speed\"\nrange = [2, 7]\n";
    let place = Place::new(&drawn);
    let plan = place.json(&["plan", "study.toml", "--threads", "4"]);
    assert_eq!((&plan["trials"], &plan["points"]), (&15.into(), &5.into()));
    let (each, all) = (plan["seconds_a_trial"].as_f64(), plan["seconds"].as_f64());
    assert_eq!(all.unwrap(), 4.0 * each.unwrap());
    place.done(&["run", "study.toml", "--out", "out"]);
    let csv = fs::read_to_string(place.at("out/trials.csv")).unwrap();
    let speeds = csv.lines().skip(1).step_by(3).map(|row| row.split(',').nth(5).unwrap());
    let mut strata: Vec<i64> =
        speeds.map(|speed| (speed.parse::<f64>().unwrap() - 2.0).floor() as i64).collect();
    strata.sort_unstable();
    assert_eq!(strata, [0, 1, 2, 3, 4]);
}

#[test]
fn what_is_wrong_is_refused_by_name() {
    let place = Place::new(STUDY);
    let said = |from: &str, to: &str, told: &str| {
        let found = place.refused_with(from, to);
        assert!(found.contains(told), "{to}:\n{found}");
    };
    said(
        "seed = 5",
        "sede = 5",
        "other.toml:6: sede = 5: unknown key (did you mean `seed`?); allowed:",
    );
    said("seed = 5", "seed = -5", "other.toml:6: seed = -5: must be");
    said(
        "\"full_factorial\"",
        "\"sobol\"",
        "must be one of \"full_factorial\", \"latin_hypercube\", \"random\"",
    );
    said("\"full_factorial\"", "\"random\"", "points: missing: the number of design points");
    said("seed = 5", "points = 5", "points = 5: is for designs that draw");
    said(
        "\"distance\"",
        "\"distanze\"",
        "other.toml:7: responses[1] = \"distanze\": must be one of go, distance, speed_made_good",
    );
    said("lead.max", "tail.max", "must name a vehicle of the scenario before the point: lead");
    said("\"go\", \"d", "\"go\", \"go\", \"d", "responses[1] = \"go\": is asked for twice");
    said("name = \"soil\"", "name = \"go\"", "is the name of another column of the results");
    said("name = \"soil\"", "name = \"s-l\"", "must be of letters, digits and underscores");
    said("values = [", "# [", "factor[0]: give exactly one of values, range; given: none");
    said("key = \"soil.default\"", "", "factor[0]: give exactly one of key, keys; given: none");
    said(
        "values = [\"dry_sand_lll\", \"no_such_soil\", \"mud\"]",
        "range = [1, 2]",
        "steps: missing",
    );
    said(
        "values = [\"dry_sand_lll\", \"no_such_soil\", \"mud\"]",
        "range = [2, 2]",
        "from low to high",
    );
    said(
        "values = [\"dry_sand_lll\", \"no_such_soil\", \"mud\"]",
        "values = []",
        "factor[0].values",
    );
    said(
        "soil.default",
        "soil.defualt",
        "soil.defualt = \"dry_sand_lll\": unknown key (did you mean `default`?)",
    );
    said("soil.default", "vehicle[3].name", "there is no element 3: the list has 1");
    said("quick.toml", "absent.toml", "absent.toml: cannot be read");
    said("replications = 3", "replications = 1000000\npoints = 4", "points = 4");
    assert!(!place.at("never").exists());

    let run = ["run", "study.toml", "--out", "out", "--shard", "1/9"];
    place.done(&run);
    let before = tables(&place.at("out"));
    let told = place.refused(&["run", "study.toml", "--out", "out"]);
    assert!(told.contains("shard = {\"index\":1,\"of\":9}, not {\"index\":1,\"of\":1}"), "{told}");
    fs::write(place.at("study.toml"), STUDY.replace("seed = 5", "seed = 6")).unwrap();
    assert!(place.refused(&run).contains("holds a study with seed = 5, not 6"));
    assert!(tables(&place.at("out")) == before);
    let mine = place.at("mine");
    fs::create_dir(&mine).unwrap();
    fs::write(mine.join("notes.txt"), "mine").unwrap();
    for words in
        [&["run", "study.toml", "--out", "mine"][..], &["status", "mine"], &["report", "mine"]]
    {
        assert!(place.refused(words).contains("mine is not the folder of a study: "));
    }
    assert_eq!(fs::read_dir(&mine).unwrap().count(), 1);
    let usage = place.command(&["run", "study.toml", "--out", "x", "--shard", "4/3"]).output();
    assert_eq!(usage.unwrap().status.code(), Some(2));
}
