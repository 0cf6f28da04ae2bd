//! `bekker study`: the same bytes on any threads and shards and after a kill.
//!
//! Failed trials are rows, a replayed trial has its recorded hash, and faults are refused by name.

use assert_cmd::cargo::cargo_bin;
use serde_json::Value as Json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// One second of a rigid HMMWV on coarse nodes, for speed.
///
/// The ground is rough by the scenario's seed, so replications differ.
pub const SCENARIO: &str = r#"
format = 1
name = "quick"
time = { duration = 1, step = 0.005 }
ground = { spacing = 0.1 }
soil = { default = "dry_sand_lll" }
terrain = { surface = { kind = "flat" }, roughness = "D" }
output = { picture = { size = [400, 400] } }
[[vehicle]]
name = "lead"
model = "hmmwv"
tire = "rigid"
position = [0, 0]
driver = { kind = "path", speed = 4, waypoints = [[0, 0], [30, 0]] }
"#;

/// Two points of three replications, and three trials that fail.
pub const STUDY: &str = r#"
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

struct StudyFolder(tempfile::TempDir);

impl StudyFolder {
    fn new(study: &str) -> StudyFolder {
        let place = StudyFolder(tempfile::tempdir().unwrap());
        fs::write(place.path("quick.toml"), SCENARIO).unwrap();
        fs::write(place.path("study.toml"), study).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
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

    /// Returns the reason of a refusal, which has exit code 3.
    fn refused(&self, words: &[&str]) -> String {
        let output = self.command(words).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{told}");
        told
    }

    /// Returns the reason why a study with one text replaced is refused.
    fn refused_with(&self, from: &str, to: &str) -> String {
        assert!(STUDY.contains(from));
        fs::write(self.path("other.toml"), STUDY.replace(from, to)).unwrap();
        self.refused(&["run", "other.toml", "--out", "never"])
    }
}

pub fn tables(folder: &Path) -> [Vec<u8>; 2] {
    ["trials.parquet", "trials.csv"].map(|name| fs::read(folder.join(name)).unwrap())
}

#[test]
fn any_threads_and_shards_give_the_same_bytes() {
    let place = StudyFolder::new(STUDY);
    place.done(&["run", "study.toml", "--out", "one", "--threads", "1"]);
    place.done(&["run", "study.toml", "--out", "two", "--threads", "2"]);
    let whole = tables(&place.path("one"));
    assert!(tables(&place.path("two")) == whole);
    for (of, order) in [(3, &[3, 1, 2][..]), (7, &[5, 2, 7, 1, 6, 3, 4])] {
        let part = |n: &u64| format!("part_{n}_of_{of}");
        for n in order {
            let told = place.json(&[
                "run",
                "study.toml",
                "--out",
                &part(n),
                "--shard",
                &format!("{n}/{of}"),
            ]);
            let count = (9 + of - n) / of;
            assert_eq!((&told["trials"], &told["of"]), (&count.into(), &9.into()));
        }
        let parts: Vec<String> = order.iter().map(part).collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let merged = format!("merged_{of}");
        if of == 3 {
            // Two shards are incomplete and leave no output.
            let told = place.refused(&[&["merge"], &parts[..2], &["--out", "part"]].concat());
            assert!(
                told.contains("3 of 9 trials are missing; the next required trial is 1"),
                "{told}"
            );
            assert!(!place.path("part").exists());
        }
        // Repeated, also over its own output.
        for _ in 0..2 {
            place.done(&[&["merge"], &parts[..], &["--out", &merged]].concat());
            assert!(tables(&place.path(&merged)) == whole);
        }
    }
}

/// A full disk is reported, and the study resumes afterwards.
///
/// A limit on file size has the effect of a full disk: a record is cut in its middle.
#[test]
#[cfg(unix)]
fn a_full_disk_is_reported_and_the_study_resumes() {
    let place = StudyFolder::new(&STUDY.replace("replications = 3", "replications = 6"));
    place.done(&["run", "study.toml", "--out", "whole"]);
    let program = cargo_bin("bekker");
    let limited = format!(
        "trap '' XFSZ; ulimit -f 2; exec '{}' study run study.toml --out full --threads 1 --quiet",
        program.display()
    );
    let mut shell = Command::new("bash");
    let output = shell.current_dir(place.0.path()).args(["-c", &limited]).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() != Some(0) && told.contains("journal.bin"), "{told}");
    assert_eq!(fs::metadata(place.path("full/journal.bin")).unwrap().len(), 2048);
    assert!(!place.path("full/trials.parquet").exists());
    let driven = place.json(&["resume", "full"])["driven"].as_u64().unwrap();
    assert!((1..18).contains(&driven), "{driven}");
    assert!(tables(&place.path("full")) == tables(&place.path("whole")));
}

#[test]
fn a_failed_trial_is_a_row_and_ends_nothing() {
    let place = StudyFolder::new(STUDY);
    let told = place.json(&["run", "study.toml", "--out", "out"]);
    assert_eq!((&told["trials"], &told["failed"]), (&9.into(), &3.into()));
    let csv = fs::read_to_string(place.path("out/trials.csv")).unwrap();
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(
        rows[0],
        "trial,point,replication,scenario_seed,soil,status,reason,go,distance,lead.max_sinkage,\
         outcome,state_hash"
    );
    assert!(rows[4].contains(",failed,") && rows[4].contains("no soil has this name"), "{csv}");
    // A no-go is not a failure.
    assert!(rows[1].contains(",done,,0,") && rows[1].contains(",under_way,"), "{csv}");
    // The same replication has the same seed at every point.
    let seed = |row: &str| row.split(',').nth(3).unwrap().to_owned();
    assert_eq!([seed(rows[1]), seed(rows[2])], [seed(rows[7]), seed(rows[8])]);
    assert_ne!(seed(rows[1]), seed(rows[2]));

    // Detected beforehand, by the first trial of the level and by the middle one, which is probed.
    let refused = place.json(&["plan", "study.toml"])["refused"].take();
    let trials: Vec<&Json> = refused.as_array().unwrap().iter().map(|own| &own["trial"]).collect();
    assert_eq!(trials, [3, 4]);
    assert!(refused[0]["reason"].as_str().unwrap().contains("no soil has this name"));

    let points = place.json(&["report", "out", "--pictures", "1"])["points"].take();
    // One self-contained page: the answer, the failed trial, and an image of a trial that did not
    // go.
    let page = fs::read_to_string(place.path("out/report.html")).unwrap();
    assert!(
        page.contains(
            "class=\"answer\">go: 0 of 6 arrived, at every design point. distance: highest at soil "
        ) && page.contains("no soil has this name")
    );
    assert_eq!(
        (page.matches("src=\"data:image/png;base64,").count(), page.matches("src=").count()),
        (1, 1)
    );
    assert_eq!((&points[1]["done"], &points[1]["failed"]), (&0.into(), &3.into()));
    let go = &points[0]["responses"][0]["proportion"];
    // Wilson's interval of 0 in 3: its upper end is z2 / (n + z2) with z = 1.959964
    let high = 3.841_459 / 6.841_459;
    assert_eq!((&go["count"], &go["interval"][0]), (&0.into(), &0.0.into()));
    assert!((go["interval"][1].as_f64().unwrap() - high).abs() < 1e-6, "{go}");
    // All trials of point 1 failed, so the interval is the widest.
    let go = &points[1]["responses"][0]["proportion"];
    assert_eq!(go["interval"], serde_json::json!([0.0, 1.0]));
    assert!((go["failed_as_no"][1].as_f64().unwrap() - high).abs() < 1e-6, "{go}");

    assert!(page.contains("No trial has a result at 1 of 3 design points."));

    // The paired difference equals that of the rows.
    let distance = |row: &str| row.split(',').nth(8).unwrap().parse::<f64>().unwrap();
    let mean = (0..3).map(|n| distance(rows[7 + n]) - distance(rows[1 + n])).sum::<f64>() / 3.0;
    let told = points[2]["responses"][1]["difference"]["mean"]["value"].as_f64().unwrap();
    assert!((told - mean).abs() < 1e-12, "{told} {mean}");
    assert!(points[0]["responses"][1].get("difference").is_none());
    let changes = serde_json::json!({ "gained": 0, "lost": 0, "pairs": 3 });
    assert_eq!(points[2]["responses"][0]["difference"]["changes"], changes);
    let page = fs::read_to_string(place.path("out/report.md")).unwrap();
    assert!(
        page.contains("9 of 9 trials") && page.contains("| 1 | no_such_soil | 0 | 3 |"),
        "{page}"
    );
    assert_eq!(
        fs::read_to_string(place.path("out/report.csv")).unwrap().lines().count(),
        1 + 3 * 4
    );
}

/// Energy and time are reported for trials that arrived, with their number, even if the study does
/// not record arrivals.
///
/// The first line answers the question.
#[test]
fn totals_are_reported_of_trials_that_arrived() {
    let study = STUDY
        .replace(
            "\"go\", \"distance\", \"lead.max_sinkage\", \"outcome\"",
            "\"drive_energy\", \"lead.driving_time\"",
        )
        .replace("soil.default", "vehicle[0].driver.speed")
        .replace("name = \"soil\"", "name = \"speed\"")
        .replace("\"dry_sand_lll\", \"no_such_soil\", \"mud\"", "0.5, 3, 4")
        + "[question]\nresponse = \"drive_energy\"\n";
    let place = StudyFolder::new(&study);
    let scenario = SCENARIO
        .replace("duration = 1", "duration = 4")
        .replace("[30, 0]", "[6, 0]")
        .replace("tire = \"rigid\"", "tire = \"rigid\"\nspeed = 3")
        .replace("dry_sand_lll", "firm");
    fs::write(place.path("quick.toml"), scenario).unwrap();
    place.done(&["run", "study.toml", "--out", "out"]);
    let csv = fs::read_to_string(place.path("out/trials.csv")).unwrap();
    let head = "reason,drive_energy,lead.driving_time,go,lead.go,state_hash";
    assert!(csv.lines().next().unwrap().ends_with(head), "{csv}");
    let output = place.done(&["report", "out", "--pictures", "0"]);
    let [text, told] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    // the answer is wrapped to the width of a console
    let first = &text.split("\n\n").next().unwrap().replace('\n', " ");
    let lead = "drive_energy, arrived trials only: lowest at speed ";
    assert!(first.starts_with(lead) && first.contains(" kJ (95 % interval "), "{text}");
    assert!(first.contains("Not compared (too few arrived trials): 0.5 m/s, 0 of 3."), "{text}");
    assert!(["-, 0 of 3", "[all:", "drive_energy,"].iter().all(|own| text.contains(own)), "{text}");
    let left_out =
        "warning: drive_energy, lead.driving_time: 3 of 9 trials did not arrive and are excluded";
    assert!(told.contains(left_out), "{told}");
    let answer = place.json(&["report", "out", "--pictures", "0"]);
    assert_eq!(answer["answer"], *first);
    let slow = &answer["points"][0]["responses"][0];
    assert_eq!((&slow["moments"], &slow["arrived"]), (&Json::Null, &0.into()), "{slow}");
    assert_eq!(slow["all_trials"]["count"], 3);
    assert_eq!(answer["points"][2]["responses"][0]["arrived"], 3, "{answer}");
    for page in ["out/report.md", "out/report.html"] {
        let page = fs::read_to_string(place.path(page)).unwrap();
        let page = page.replace('\u{a0}', " ");
        assert!(page.contains(first) && page.contains("3 of 9 trials did not arrive"), "{page}");
    }
    // A numeric axis has true distances.
    let page = fs::read_to_string(place.path("out/report.html")).unwrap();
    assert!(page.contains(">speed, m/s</text>"), "{page}");
}

/// A sampled design with few points, or without a numeric factor, has no curve.
///
/// Its page still has an answer and shows the points.
#[test]
fn a_design_without_curves_is_reported() {
    let head = "format = 1\nscenario = \"quick.toml\"\ndesign = \"latin_hypercube\"\n";
    let factor =
        "[[factor]]\nname = \"speed\"\nkey = \"vehicle[0].driver.speed\"\nrange = [2, 5]\n";
    let flavor = "[[factor]]\nname = \"flavor\"\nkey = \"name\"\nvalues = [\"a\", \"b\"]\n";
    for (points, responses, factors, answer, dots) in [
        (5, "\"distance\"", factor.to_owned(), "distance: mean ", 5),
        (1, "\"distance\", \"go\"", factor.to_owned(), "distance: mean ", 2),
        (4, "\"outcome\"", factor.to_owned(), "outcome: 4 still driving.", 0),
        (
            4,
            "\"passes_until_stuck\"",
            flavor.to_owned(),
            "passes_until_stuck: a vehicle is stuck in 0 of 4",
            0,
        ),
        (12, "\"distance\"", format!("{factor}{flavor}"), "distance: ", 12),
    ] {
        let place = StudyFolder::new(&format!(
            "{head}points = {points}\nresponses = [{responses}]\n{factors}"
        ));
        place.done(&["run", "study.toml", "--out", "out"]);
        let text =
            String::from_utf8(place.done(&["report", "out", "--pictures", "0"]).stdout).unwrap();
        assert!(text.starts_with(answer), "{text}");
        let page = fs::read_to_string(place.path("out/report.html")).unwrap();
        assert!(page.matches("r=\"2.2\"").count() == dots, "{responses}: {page}");
        for empty in ["<div class=\"side\"></div>", "<tbody></tbody>", "NaN"] {
            assert!(!page.contains(empty), "{responses}: {empty}");
        }
        assert_eq!(page.contains("No curve is fitted"), dots > 0, "{page}");
    }
}

#[test]
fn unanswerable_questions_are_refused_by_name() {
    let place = StudyFolder::new(STUDY);
    let said = |question: &str, told: &str| {
        let to = format!("[question]\n{question}\n[[factor]]");
        refuses(&place, "[[factor]]", &to, told);
    };
    said(
        "response = \"fuel\"",
        "question.response = \"fuel\": must be one of the study's responses: go,",
    );
    said("response = \"outcome\"", "question.response = \"outcome\": has no mean");
    said("response = \"go\"\ngoal = \"most\"", "question.goal = \"most\": must be one of");
    said(
        "response = \"go\"\nfactor = \"sole\"",
        "question.factor = \"sole\": must be one of the study's factors: soil",
    );
    let study = STUDY.replace("\"distance\"", "\"max_of_pitch_rad\"");
    fs::write(place.path("other.toml"), study + "[question]\nresponse = \"max_of_pitch_rad\"\n")
        .unwrap();
    let told = place.refused(&["run", "other.toml", "--out", "never"]);
    assert!(told.contains("question.goal: missing: \"maximize\" or \"minimize\""), "{told}");
    let study = STUDY
        .replace("\"go\", \"distance\"", "\"fuel\"")
        .replace("name = \"soil\"", "name = \"go\"");
    fs::write(place.path("other.toml"), study).unwrap();
    let told = place.refused(&["run", "other.toml", "--out", "never"]);
    assert!(told.contains("is the name of a result column (arrivals"), "{told}");
}

#[test]
fn a_trial_is_driven_again_to_its_hash() {
    let place = StudyFolder::new(&STUDY.replace("\"no_such_soil\", ", ""));
    place.done(&["run", "study.toml", "--out", "out"]);
    let csv = fs::read_to_string(place.path("out/trials.csv")).unwrap();
    let hash = csv.lines().nth(5).unwrap().rsplit(',').next().unwrap().to_owned();
    let told = place.refused(&["replay", "out", "--trial", "4", "--out", "out", "--force"]);
    assert!(told.contains("is a study folder; give another folder"), "{told}");
    place.done(&["replay", "out", "--trial", "4", "--out", "again"]);
    let summary = fs::read_to_string(place.path("again/summary.json")).unwrap();
    assert!(hash.len() == 64 && summary.contains(&hash), "{hash} {summary}");
    assert!(place.path("again/picture.png").exists());
    // An existing run needs the option named in the refusal.
    let again = ["replay", "out", "--trial", "4", "--out", "again"];
    let told = String::from_utf8(place.command(&again).output().unwrap().stderr).unwrap();
    assert!(told.contains("with --force"), "{told}");
    place.done(&[&again[..], &["--force"]].concat());
    let told = place.refused(&["replay", "out", "--trial", "6", "--out", "never"]);
    assert!(told.contains("has no result of trial 6: 6 of trials 0 to 5 are done"), "{told}");
    // On other ground it would be another trial; the study's folder holds its own copy.
    fs::write(place.path("quick.toml"), SCENARIO.replace("\"D\"", "\"E\"")).unwrap();
    let told = place.refused(&["run", "study.toml", "--out", "out"]);
    assert!(told.contains("out contains a study with fingerprint of quick.toml = "), "{told}");
    // The same with a longer duration.
    fs::write(place.path("quick.toml"), SCENARIO.replace("duration = 1", "duration = 2")).unwrap();
    let told = place.refused(&["resume", "out"]);
    assert!(told.contains("out contains a study with duration = 1.0, not 2.0"), "{told}");
    fs::write(place.path("quick.toml"), SCENARIO.replace("\"D\"", "\"E\"")).unwrap();
    let output = place.done(&["replay", "out", "--trial", "4", "--out", "copied"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        told.contains("quick.toml is different from the scenario of the study; using out"),
        "{told}"
    );
    // The same after both were moved.
    fs::remove_file(place.path("quick.toml")).unwrap();
    fs::rename(place.path("out"), place.path("moved")).unwrap();
    place.done(&["replay", "moved", "--trial", "4", "--out", "elsewhere"]);
    let read = |out: &str| fs::read_to_string(place.path(out).join("summary.json")).unwrap();
    assert!(read("copied").contains(&hash) && read("elsewhere").contains(&hash));
    fs::remove_file(place.path("moved/scenario.toml")).unwrap();
    let told = place.refused(&["replay", "moved", "--trial", "4", "--out", "never"]);
    assert!(told.contains("differs from the scenario of the study"), "{told}");
    assert!(!place.path("never").exists());
}

/// Returns ground that rises by `grade` m per meter over 100 m.
fn ramp(grade: f64) -> String {
    let row = (0..11).map(|x| (grade * 10.0 * f64::from(x)).to_string()).collect::<Vec<_>>();
    let head = "ncols 11\nnrows 11\nxllcorner -55\nyllcorner -55\ncellsize 10\n";
    head.to_owned() + &vec![row.join(" "); 11].join("\n") + "\n"
}

/// Files of levels are recorded, kept and named like the scenario's own.
///
/// The scenario names one of three elevation models, and one does not exist.
#[test]
fn files_of_levels_are_recorded_and_named() {
    let levels =
        "key = \"terrain.surface.file\"\nvalues = [\"flat.asc\", \"steep.asc\", \"no.asc\"]";
    let place = StudyFolder::new(&STUDY.replace("replications = 3", "replications = 1").replace(
        "key = \"soil.default\"\nvalues = [\"dry_sand_lll\", \"no_such_soil\", \"mud\"]",
        levels,
    ));
    let surface = "{ kind = \"dem\", file = \"flat.asc\", origin = [0, 0] }, roughness";
    let scenario = SCENARIO.replace("{ kind = \"flat\" }, roughness", surface);
    fs::write(place.path("quick.toml"), scenario).unwrap();
    for (name, grade) in [("flat.asc", 0.0), ("steep.asc", 0.2)] {
        fs::write(place.path(name), ramp(grade)).unwrap();
    }
    place.done(&["run", "study.toml", "--out", "out"]);
    // From another working folder: the same bytes, including reasons.
    let elsewhere = tempfile::tempdir().unwrap();
    let mut command = Command::new(cargo_bin("bekker"));
    command.current_dir(elsewhere.path()).args(["study", "run", "--quiet", "--out", "out"]);
    assert!(command.arg(place.path("study.toml")).output().unwrap().status.success());
    assert!(tables(&elsewhere.path().join("out")) == tables(&place.path("out")));
    let csv = fs::read_to_string(place.path("out/trials.csv")).unwrap();
    let here = place.0.path().display().to_string();
    assert!(csv.contains("no.asc") && !csv.contains(&here), "{csv}");
    let hash = |row: &str| row.rsplit(',').next().unwrap().to_owned();
    let hashes: Vec<String> = csv.lines().skip(1).take(2).map(hash).collect();

    for part in ["1/2", "2/2"] {
        place.done(&["run", "study.toml", "--out", &part.replace('/', "_"), "--shard", part]);
    }
    place.done(&["merge", "1_2", "2_2", "--out", "merged"]);
    assert!(tables(&place.path("merged")) == tables(&place.path("out")));
    // The scenario's own file is named too, and shards with other files do not merge.
    fs::write(place.path("flat.asc"), ramp(0.01)).unwrap();
    let told = place.refused(&["resume", "1_2"]);
    assert!(told.contains("1_2 contains a study with SHA-256 of flat.asc = "), "{told}");
    place.done(&["run", "study.toml", "--out", "other", "--shard", "2/2"]);
    let told = place.refused(&["merge", "1_2", "other", "--out", "never"]);
    let line = "other: belongs to another study than 1_2: SHA-256 of flat.asc = ";
    assert!(told.contains(line) && !place.path("never").exists(), "{told}");
    fs::write(place.path("flat.asc"), ramp(0.0)).unwrap();
    // Another file gives another study.
    fs::write(place.path("steep.asc"), ramp(0.1)).unwrap();
    let told = place.refused(&["run", "study.toml", "--out", "out"]);
    assert!(told.contains("out contains a study with SHA-256 of steep.asc = "), "{told}");
    // Replayed without any of the original files.
    for name in ["flat.asc", "steep.asc", "quick.toml"] {
        fs::remove_file(place.path(name)).unwrap();
    }
    for (from, to) in [("out", "again"), ("merged", "again too")] {
        let moved = elsewhere.path().join(from.to_owned() + " moved");
        fs::rename(place.path(from), &moved).unwrap();
        // Also a level with the scenario's own file.
        for (trial, hash) in hashes.iter().enumerate() {
            let out = format!("{to} {trial}");
            let words = ["replay", moved.to_str().unwrap(), "--trial", &trial.to_string()];
            place.done(&[&words[..], &["--out", &out]].concat());
            let summary = fs::read_to_string(place.path(&out).join("summary.json")).unwrap();
            assert!(summary.contains(hash), "{summary}");
        }
    }
}

/// If a scenario has no random inputs, all replications are one trial: command, page and JSON
/// report it.
///
/// With random inputs there is no such report.
#[test]
fn identical_replications_are_reported() {
    let place = StudyFolder::new(&STUDY.replace("\"no_such_soil\", ", ""));
    let line = "warning: the replications of 2 design points (first: 0) are identical";
    let said = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
    let rough = place.done(&["run", "study.toml", "--out", "rough"]);
    assert!(!said(&rough).contains("are identical"), "{}", said(&rough));
    fs::write(place.path("quick.toml"), SCENARIO.replace(", roughness = \"D\"", "")).unwrap();
    let smooth = place.done(&["run", "study.toml", "--out", "smooth"]);
    assert!(said(&smooth).contains(line), "{}", said(&smooth));
    let report = place.done(&["report", "smooth", "--json", "--pictures", "0"]);
    assert!(said(&report).contains(line), "{}", said(&report));
    let answer: Json = serde_json::from_slice(&report.stdout).unwrap();
    assert_eq!(answer["repeated_points"], serde_json::json!([0, 1]));
    for page in ["smooth/report.md", "smooth/report.html"] {
        let page = fs::read_to_string(place.path(page)).unwrap();
        assert!(page.contains("are identical (equal state hashes)"), "{page}");
    }
}

/// Events are counted, and the first is timed.
///
/// A second suffices for at most one shift; there is no other vehicle and one soil only.
#[test]
fn events_are_counted_and_the_first_is_timed() {
    let events = "\"gear_shifts\", \"count_of_gear_shifted\", \"first_time_of_intent_changed\", \
                  \"count_of_collided\", \"first_time_of_soil_entered\"";
    let study = STUDY.replace("\"go\", \"distance\", \"lead.max_sinkage\", \"outcome\"", events);
    let place = StudyFolder::new(&study.replace("\"no_such_soil\", ", ""));
    // It pulls away after a delay, and crosses a soil border after another.
    let scenario = SCENARIO
        .replace("speed = 4", "speed = 4, start = 0.3")
        .replace("duration = 1", "duration = 2.5")
        .replace("tire = \"rigid\"", "tire = \"rigid\"\nspeed = 3")
        .replace(
            "soil = { default = \"dry_sand_lll\" }",
            "soil = { default = \"dry_sand_lll\", zone = [{ soil = \"firm\", \
             area = { kind = \"rectangle\", min = [1, -9], max = [9, 9] } }] }",
        );
    fs::write(place.path("quick.toml"), scenario).unwrap();
    place.done(&["run", "study.toml", "--out", "out"]);
    let csv = fs::read_to_string(place.path("out/trials.csv")).unwrap();
    for row in csv.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let [shifts, shifted, changed, collided, entered] = cells[7..12] else { panic!("{csv}") };
        assert_eq!((shifts, collided), (shifted, "0"), "{csv}");
        let time = |cell: &str| cell.parse::<f64>().unwrap();
        assert!((0.3..2.5).contains(&time(entered)), "{csv}");
        assert!(changed.is_empty() || time(changed) <= 2.5, "{csv}");
    }
}

/// The clay strength with equal odds of passing orders the vehicles by their vehicle cone indices.
///
/// VCI1 is 17.7 psi for an HMMWV by its mobility index, and 17.2 for an M113. The pressure of this
/// clay grows with sinkage.
#[test]
fn the_clay_that_is_passed_half_the_time_orders_vehicles_as_their_cone_indices_do() {
    let shipped = |name: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
        fs::read_to_string(folder.join(name)).unwrap()
    };
    let study = shipped("study_clay_order.toml");
    let (one_clay, _) = study.split_once("# exponents n of").unwrap();
    // Too weak for both, strong enough for one, and for both: what passes half the time is between.
    // Weekly on two grounds each, and on one more strength.
    let (one_clay, values) = if crate::is_weekly() {
        (one_clay.to_owned(), vec![0.38, 0.5, 0.66, 0.84])
    } else {
        assert!(one_clay.contains("replications = 2"));
        (one_clay.replace("replications = 2", "replications = 1"), vec![0.38, 0.5, 0.84])
    };
    let strengths = format!(
        "[[factor]]\nname = \"strength\"\nkey = \"soil.custom[0].strength\"\nvalues = {values:?}\n"
    );
    let place = StudyFolder::new(&format!("{one_clay}{strengths}"));
    fs::write(place.path("clay_lane.toml"), shipped("clay_lane.toml")).unwrap();
    place.done(&["run", "study.toml", "--out", "out"]);
    let told = place.json(&["report", "out", "--pictures", "0"]);
    // Shares of passes, HMMWV first.
    let share = |point: &Json| {
        let went = &point["responses"][0]["proportion"]["count"];
        went.as_f64().unwrap() / point["done"].as_f64().unwrap()
    };
    let shares: Vec<f64> = told["points"].as_array().unwrap().iter().map(share).collect();
    let half = |shares: &[f64]| shares.iter().position(|&share| share >= 0.5);
    let (hmmwv, m113) =
        (half(&shares[..values.len()]).unwrap(), half(&shares[values.len()..]).unwrap());
    assert!(m113 < hmmwv && m113 > 0, "{shares:?}");
}

/// An FMTV needs stronger clay than HMMWV and M113, which need nearly the same.
///
/// Their vehicle cone indices are 29.2, 17.7 and 17.2 psi. On clay of a flat curve the M113 passes
/// at 0.86 of the strength; with gaps between its faces it needed all of it.
#[test]
fn an_fmtv_needs_stronger_clay_than_hmmwv_and_m113() {
    let shipped = |name: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
        fs::read_to_string(folder.join(name)).unwrap()
    };
    let study = shipped("study_clay_order.toml");
    let (one_clay, _) = study.split_once("# exponents n of").unwrap();
    let one_clay = one_clay
        .replace("[\"hmmwv\", \"m113\"]", "[\"hmmwv\", \"m113\", \"fmtv_4x4\"]")
        .replace("replications = 2", "replications = 1");
    assert!(one_clay.contains("fmtv_4x4"));
    let strengths = "[[factor]]\nname = \"strength\"\nkey = \"soil.custom[0].strength\"\n\
                     values = [0.6, 0.86]\n";
    let place = StudyFolder::new(&format!("{one_clay}{strengths}"));
    // Weekly on clay of a flatter curve too.
    let clays = ["lean_clay_32_wes", "heavy_clay_40_wes"];
    for clay in &clays[..if crate::is_weekly() { 2 } else { 1 }] {
        let lane = shipped("clay_lane.toml").replace("clayey_38_thailand", clay);
        fs::write(place.path("clay_lane.toml"), lane).unwrap();
        place.done(&["run", "study.toml", "--out", clay]);
        let csv = fs::read_to_string(place.path(&format!("{clay}/trials.csv"))).unwrap();
        let mut rows = csv.lines().map(|row| row.split(',').collect::<Vec<_>>());
        let header = rows.next().unwrap();
        let column = |name: &str| header.iter().position(|own| *own == name).unwrap();
        let (model, go) = (column("model"), column("go"));
        let went: Vec<(&str, bool)> = rows.map(|row| (row[model], row[go] == "1")).collect();
        let expected = ["hmmwv", "m113", "fmtv_4x4"]
            .map(|model| [(model, false), (model, model != "fmtv_4x4")])
            .concat();
        assert_eq!(went, expected, "{clay}");
    }
}

/// Means over the drive end with the drive, however long the run continues with the vehicle at its
/// goal.
#[test]
fn means_do_not_depend_on_the_time_at_the_end() {
    let means = "\"mean_of_speed_mps\", \"absorbed_power\", \"go\", \"driving_time\"";
    let study = STUDY
        .replace("\"go\", \"distance\", \"lead.max_sinkage\", \"outcome\"", means)
        .replace("replications = 3", "replications = 1")
        .replace("soil.default", "time.duration")
        .replace("\"dry_sand_lll\", \"no_such_soil\", \"mud\"", "8, 12")
        .replace("name = \"soil\"", "name = \"duration\"");
    let place = StudyFolder::new(&study);
    let scenario = SCENARIO.replace("[30, 0]", "[8, 0]").replace("dry_sand_lll", "firm");
    fs::write(place.path("quick.toml"), scenario).unwrap();
    place.done(&["run", "study.toml", "--out", "out"]);
    let csv = fs::read_to_string(place.path("out/trials.csv")).unwrap();
    let rows: Vec<Vec<&str>> = csv.lines().map(|row| row.split(',').collect()).collect();
    let of = |row: usize, name: &str| {
        let column = rows[0].iter().position(|own| own.ends_with(name));
        rows[row][column.unwrap_or_else(|| panic!("{name}: {csv}"))].parse::<f64>().unwrap()
    };
    for name in ["mean_of_speed_mps", "absorbed_power", "go", "driving_time"] {
        assert_eq!(of(1, name), of(2, name), "{name}: {csv}");
    }
    // As fast as the metric that excludes the end.
    assert!(of(1, "mean_of_speed_mps") > 1.0 && of(1, "driving_time") < 8.0, "{csv}");
}

/// The page names the most important factor and what is missing.
///
/// The only factor with an effect is the speed, a sampled number, which the page names with its
/// effect. A page of a part of the trials, or without results at the reference point, states that.
#[test]
fn the_page_names_the_main_factor_and_missing_trials() {
    let study = "format = 1\nscenario = \"quick.toml\"\ndesign = \"random\"\npoints = 40\nseed = 3\n\
                 responses = [\"distance\"]\n[[factor]]\nname = \"speed\"\nkey = \"vehicle[0].speed\"\n\
                 range = [0, 4]\n[[factor]]\nname = \"flavor\"\nkey = \"name\"\n\
                 values = [\"vanilla\", \"lemon\"]\n";
    let place = StudyFolder::new(study);
    place.done(&["run", "study.toml", "--out", "out"]);
    let told = place.json(&["report", "out", "--pictures", "0"]);
    let first = &told["influences"][0]["factors"][0];
    assert_eq!((&first["factor"], &first["certain"]), (&"speed".into(), &true.into()), "{told}");
    let page = fs::read_to_string(place.path("out/report.html")).unwrap();
    assert!(page.contains("The most influential factor is speed: the mean ranges from "), "{page}");
    assert!(page.contains(" m over quartiles of its values."), "{page}");
    assert!(!page.contains("Not finished"));

    place.done(&["run", "study.toml", "--out", "part", "--shard", "1/4"]);
    place.done(&["report", "part", "--pictures", "0"]);
    let page = fs::read_to_string(place.path("part/report.html")).unwrap();
    assert!(
        page.contains("Not finished: part 1 of 4: 10 of 40 trials.") && page.contains("10 of 40"),
        "{page}"
    );

    let first =
        STUDY.replace("\"dry_sand_lll\", \"no_such_soil\"", "\"no_such_soil\", \"dry_sand_lll\"");
    let place = StudyFolder::new(&first);
    place.done(&["run", "study.toml", "--out", "out"]);
    place.done(&["report", "out", "--pictures", "0"]);
    let page = fs::read_to_string(place.path("out/report.md")).unwrap();
    assert!(page.contains("no trial of point 0 has a result"), "{page}");
}

/// A Saltelli design draws points from distributions, fits a regression, decomposes the variance,
/// and stops by a rule.
#[test]
fn a_saltelli_design_attributes_the_variance() {
    let study = STUDY.split("[[factor]]").next().unwrap();
    let study = study
        .replace("\"full_factorial\"", "\"saltelli\"\npoints = 8")
        .replace("replications = 3", "replications = 1")
        .replace("\"outcome\"", "\"max_of_speed_mps\", \"passes_until_stuck\"")
        + "[[factor]]\nname = \"speed\"\nkey = \"vehicle[0].driver.speed\"\n\
           distribution = { kind = \"triangular\", low = 2, mode = 4, high = 7 }\n\
           [[factor]]\nname = \"roughness\"\nkey = \"time.duration\"\nvalues = [0.2, 0.4]\n";
    let place = StudyFolder::new(&study);
    place.done(&["run", "study.toml", "--out", "out"]);
    let told = place.json(&["report", "out", "--pictures", "0"]);
    assert_eq!((&told["trials"], told["points"].as_array().unwrap().len()), (&32.into(), 32));
    let indices = told["indices"].as_array().unwrap();
    let of = |name: &str| indices.iter().find(|own| own["response"] == name).unwrap();
    // No trial arrives: go has no variance.
    assert!(of("go")["refused"].as_str().unwrap().contains("is 0 at all points"), "{indices:?}");
    // The distance depends on the driving time.
    let total = &of("distance")["found"]["total"];
    let value = |n: usize| total[n]["value"].as_f64().unwrap();
    assert!(value(1) > 0.8 && value(0) < 0.3, "{total}");
    assert!(!indices.iter().any(|own| own["response"] == "passes_until_stuck"));
    // One vehicle, never stuck: censored after its pass.
    let survival = &told["survival"][0];
    assert_eq!((&survival["passes"], &survival["points"][0]["censored"]), (&1.into(), &1.into()));
    let logistic = &told["logistic"][0];
    assert!(logistic["refused"].as_str().unwrap().contains("all 32 observations are no"));
    let page = fs::read_to_string(place.path("out/report.md")).unwrap();
    assert!(page.contains("## distance: Sobol' indices"), "{page}");
    // With its first four base points only: too few for an error estimate.
    let few = StudyFolder::new(&study.replace("points = 8", "points = 4"));
    few.done(&["run", "study.toml", "--out", "out"]);
    let told = few.json(&["report", "out", "--pictures", "0"]);
    let refused = told["indices"][1]["refused"].as_str().unwrap();
    assert!(refused.contains("4 base points are too few"), "{refused}");
}

#[test]
fn a_rule_stops_at_the_same_trial_on_any_threads_and_after_a_merge() {
    let study = STUDY
        .replace("\"full_factorial\"", "\"random\"\npoints = 40")
        .replace("replications = 3", "replications = 1\nstop = { half_width = 0.2, block = 4 }")
        .replace("\"no_such_soil\", ", "")
        .replace(
            "[[factor]]",
            "[[factor]]\nname = \"time\"\nkey = \"time.duration\"\nvalues = [0.1]\n[[factor]]",
        );
    let place = StudyFolder::new(&study);
    place.done(&["run", "study.toml", "--out", "one", "--threads", "1"]);
    let told = place.json(&["run", "study.toml", "--out", "two", "--threads", "2"]);
    // Without a go the bound p is at (1 - p)^n = 0.05 / (n + 1): 0.48 after 8, 0.37 after 12.
    assert_eq!(
        (&told["trials"], &told["of"], &told["driven"]),
        (&12.into(), &40.into(), &12.into())
    );
    assert!(tables(&place.path("two")) == tables(&place.path("one")));
    for shard in ["1/2", "2/2"] {
        let out = shard.replace('/', "_");
        let told = place.json(&["run", "study.toml", "--out", &out, "--shard", shard]);
        assert_eq!(told["trials"], 20);
        // Only the complete study can apply the rule.
        let page =
            String::from_utf8(place.done(&["report", &out, "--pictures", "0"]).stdout).unwrap();
        assert!(page.contains(&format!("part {} of 2: 20 of 40 trials;", &shard[..1])), "{page}");
    }
    place.done(&["merge", "2_2", "1_2", "--out", "merged"]);
    assert!(tables(&place.path("merged")) == tables(&place.path("one")));
    let told = place.json(&["status", "two"]);
    assert_eq!((&told["done"], &told["left"]), (&12.into(), &0.into()));
    let page = place.done(&["report", "merged", "--pictures", "0"]);
    let page = String::from_utf8(page.stdout).unwrap();
    assert!(page.contains("12 of 40 trials; stopping rule met"), "{page}");
}

/// A total counts arrived trials only: if none arrives, the rule is not met, and the reason is
/// reported.
#[test]
fn a_rule_on_a_total_reports_that_no_trial_arrived() {
    let study = STUDY
        .replace("\"full_factorial\"", "\"random\"\npoints = 4")
        .replace(
            "replications = 3",
            "replications = 1\nstop = { response = \"drive_energy\", bounds = [0, 1e6], \
             half_width = 4e5, block = 2 }",
        )
        .replace("responses = [", "responses = [\"drive_energy\", ")
        .replace("\"no_such_soil\", ", "")
        .replace(
            "[[factor]]",
            "[[factor]]\nname = \"time\"\nkey = \"time.duration\"\nvalues = [0.1]\n[[factor]]",
        );
    let place = StudyFolder::new(&study);
    let ran = place.done(&["run", "study.toml", "--out", "out"]);
    let warned = String::from_utf8_lossy(&ran.stderr).into_owned();
    for part in ["stop.response = \"drive_energy\"", "none of 4 arrived", "Use \"go\" instead"] {
        assert!(warned.contains(part), "{warned}");
    }
    let page = String::from_utf8(place.done(&["report", "out", "--pictures", "0"]).stdout).unwrap();
    assert!(page.contains("4 of 4 trials") && page.contains("none of 4 arrived"), "{page}");
}

#[test]
fn a_plan_reports_time_memory_and_a_job() {
    let place = StudyFolder::new(STUDY);
    let plan = place.json(&["plan", "study.toml", "--probe", "2"]);
    assert_eq!((&plan["probed"], &plan["at_most"]), (&2.into(), &false.into()));
    if cfg!(target_os = "linux") {
        // More than the rows alone.
        assert!(plan["bytes"].as_u64().unwrap() > 1_000_000, "{plan}");
    }
    let script = place.done(&["plan", "study.toml", "--job-script", "slurm", "--shards", "4"]);
    let script = String::from_utf8(script.stdout).unwrap();
    assert!(script.starts_with("#!/bin/bash\n") && script.contains("--array=1-4\n"), "{script}");
    // The script is valid shell.
    let path = place.path("job.sh");
    fs::write(&path, script).unwrap();
    if cfg!(unix) {
        assert!(Command::new("bash").arg("-n").arg(&path).status().unwrap().success());
    }
}

/// `converge` reports for each trial the difference from a drive with finer settings.
///
/// The finer results are those of a study with the finer scenario.
#[test]
fn finer_runs_report_how_far_results_change() {
    let place = StudyFolder::new(STUDY);
    // The middle one of nine has a soil that does not exist.
    let told = place.json(&["converge", "study.toml", "--trials", "3"]);
    assert_eq!(told["trials"], serde_json::json!([0, 4, 8]));
    assert_eq!((&told["step"], &told["spacing"]), (&0.005.into(), &0.1.into()));
    let failed = told["failed"].as_array().unwrap();
    assert_eq!(failed.len(), 3);
    assert!(failed.iter().all(|own| own["trial"] == 4), "{told}");
    assert!(failed[0]["reason"].as_str().unwrap().contains("no_such_soil"), "{told}");
    let distances = |scenario: &str, out: &str| -> Vec<f64> {
        fs::write(place.path("quick.toml"), scenario).unwrap();
        place.done(&["run", "study.toml", "--out", out]);
        let rows = fs::read_to_string(place.path(out).join("trials.csv")).unwrap();
        let head: Vec<&str> = rows.lines().next().unwrap().split(',').collect();
        let column = head.iter().position(|own| *own == "distance").unwrap();
        let row = |trial: usize| rows.lines().nth(trial + 1).unwrap().split(',').nth(column);
        [0, 8].map(|trial| row(trial).unwrap().parse().unwrap()).to_vec()
    };
    let asked = distances(SCENARIO, "asked");
    for (refinement, from, to) in
        [("step", "step = 0.005", "step = 0.0025"), ("spacing", "spacing = 0.1", "spacing = 0.05")]
    {
        let finer = distances(&SCENARIO.replace(from, to), refinement);
        let moves: Vec<f64> = asked.iter().zip(&finer).map(|(a, b)| b - a).collect();
        let of = |response: &str| {
            let rows = told["shifts"].as_array().unwrap();
            let is = |own: &&Json| own["refinement"] == refinement && own["response"] == response;
            rows.iter().find(is).unwrap().clone()
        };
        let own = of("distance");
        let is = |key: &str, value: f64| {
            // Sums of two numbers.
            assert!((own[key].as_f64().unwrap() - value).abs() < 1e-12, "{key}: {own} {value}");
        };
        assert_eq!((&own["trials"], &own["unit"]), (&2.into(), &"m".into()));
        is("mean", 0.5 * (asked[0] + asked[1]));
        is("shift", 0.5 * (moves[0] + moves[1]));
        is("rms", (0.5 * (moves[0] * moves[0] + moves[1] * moves[1])).sqrt());
        is("most", moves[0].abs().max(moves[1].abs()));
        assert!(moves.iter().all(|own| *own != 0.0), "{moves:?}");
        // A text response has no mean; the outcome `under_way` is the same in both.
        let outcome = of("outcome");
        assert_eq!((&outcome["mean"], &outcome["differ"]), (&Json::Null, &0.into()));
    }
    let text = String::from_utf8(place.done(&["converge", "study.toml", "--trials", "1"]).stdout);
    let text = text.unwrap();
    assert!(text.contains("1 of 9 trials") && text.contains("half the"), "{text}");
    assert!(text.contains("spacing"), "{text}");

    fs::write(
        place.path("none.toml"),
        STUDY.replace("\"dry_sand_lll\", ", "").replace(", \"mud\"", ""),
    )
    .unwrap();
    let output = place.command(&["converge", "none.toml"]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("no trial has a result") && said.contains("no_such_soil"), "{said}");
}

#[test]
fn drawn_designs_have_their_points() {
    let drawn = STUDY
        .replace("design = \"full_factorial\"", "design = \"latin_hypercube\"\npoints = 5")
        .replace("values = [\"dry_sand_lll\", \"no_such_soil\", \"mud\"]", "values = [\"mud\"]")
        + "[[factor]]\nname = \"speed\"\nkey = \"vehicle[0].driver.speed\"\nrange = [2, 7]\n";
    let place = StudyFolder::new(&drawn);
    let plan = place.json(&["plan", "study.toml", "--threads", "4"]);
    assert_eq!((&plan["trials"], &plan["points"]), (&15.into(), &5.into()));
    let (each, all) = (plan["seconds_a_trial"].as_f64(), plan["seconds"].as_f64());
    // Numbers read back from JSON may differ in the last digit.
    assert!((all.unwrap() / each.unwrap() - 4.0).abs() < 1e-12);
    place.done(&["run", "study.toml", "--out", "out"]);
    let csv = fs::read_to_string(place.path("out/trials.csv")).unwrap();
    let speeds = csv.lines().skip(1).step_by(3).map(|row| row.split(',').nth(5).unwrap());
    let mut strata: Vec<i64> =
        speeds.map(|speed| (speed.parse::<f64>().unwrap() - 2.0).floor() as i64).collect();
    strata.sort_unstable();
    assert_eq!(strata, [0, 1, 2, 3, 4]);
}

#[test]
fn a_table_gives_the_points_and_its_faults_have_positions() {
    let factors = "[[factor]]\nname = \"soil\"\nkey = \"soil.default\"\n\
         [[factor]]\nname = \"speed\"\nkey = \"vehicle[0].driver.speed\"\nscale = true\n\
         [[factor]]\nname = \"drive\"\nlevels = [\
         { name = \"short\", set = { \"time.duration\" = 0.5, \"time.step\" = 0.01 } },\
         { name = \"long\", set = { \"time.duration\" = 1, \"time.step\" = 0.005 } }]\n";
    let head = STUDY.split("[[factor]]").next().unwrap();
    let study = head.replace("\"full_factorial\"", "\"table\"\ntable = \"points.csv\"") + factors;
    let place = StudyFolder::new(&study.replace("replications = 3", "replications = 1"));
    let points = |text: &str| fs::write(place.path("points.csv"), text).unwrap();
    points("speed,soil,drive\n1.5,mud,short\n0.5,dry_sand_lll,long\n");
    place.done(&["run", "study.toml", "--out", "out"]);
    let csv = fs::read_to_string(place.path("out/trials.csv")).unwrap();
    let rows: Vec<&str> = csv.lines().collect();
    assert!(rows[1].contains(",mud,1.5,short,done,,0,") && rows.len() == 3, "{csv}");
    // 1.5 times the scenario's 4 m/s, as the trial was driven.
    place.done(&["replay", "out", "--trial", "0", "--out", "again"]);
    let driven = fs::read_to_string(place.path("again/scenario.toml")).unwrap();
    assert!(driven.contains("speed = 6") && driven.contains("step = 0.01"), "{driven}");
    // Another table gives another study.
    points("speed,soil,drive\n1.5,mud,long\n0.5,dry_sand_lll,long\n");
    assert!(
        place
            .refused(&["run", "study.toml", "--out", "out"])
            .contains("contains a study with table")
    );

    // The plan tries each value of a column, also between its probes.
    let good = |speed: f64| format!("{speed},mud,long\n{speed},mud,short\n");
    let [first, more, others] = [1.0, 0.5, 0.4].map(good);
    points(&format!("speed,soil,drive\n{first}1,no_such_soil,long\n{more}{others}"));
    let plan = place.json(&["plan", "study.toml", "--probe", "2"]);
    assert_eq!(plan["refused"].as_array().unwrap().len(), 1, "{plan}");
    assert_eq!(plan["refused"][0]["trial"], 2, "{plan}");

    let said = |text: &str, told: &str| {
        points(text);
        let found = place.refused(&["run", "study.toml", "--out", "never"]);
        assert!(found.contains(told), "{text}:\n{found}");
    };
    said(
        "speed,soil,drive\n1,mud,shrt\n",
        "points.csv:2: drive = \"shrt\": must be one of short, long",
    );
    said("speed,soil,drive\n1,mud\n", "points.csv:2: must have 3 columns, like the header, has 2");
    said("speed,soil,drive\nfast,mud,long\n", "points.csv:2: speed = \"fast\": must be a number");
    said("speed,soil,drive\n1,,long\n", "points.csv:2: soil = \"\": missing");
    said(
        "sped,soil,drive\n1,mud,long\n",
        "points.csv:1: sped: unknown key (did you mean `speed`?)",
    );
    let twice = "speed,soil,drive\n1,mud,long\n2,mud,long\n1.0,mud,long\n";
    said(twice, "points.csv:4: repeats data row 1");
    said("speed,soil\n1,mud\n", "points.csv:1: drive: missing: a column of this factor");
    said("speed,soil,drive\n", "points.csv:1: has no data rows");
    assert!(!place.path("never").exists());
}

/// Asserts that the study with `from` replaced by `to` is refused with `told` in the report, and
/// not started.
fn refuses(place: &StudyFolder, from: &str, to: &str, told: &str) {
    let found = place.refused_with(from, to);
    assert!(found.contains(told), "{to}:\n{found}");
    assert!(!place.path("never").exists());
}

#[test]
fn invalid_values_are_refused_by_name() {
    let place = StudyFolder::new(STUDY);
    let said = |from: &str, to: &str, told: &str| refuses(&place, from, to, told);
    said(
        "seed = 5",
        "sede = 5",
        "other.toml:6: sede = 5: unknown key (did you mean `seed`?); allowed:",
    );
    said("seed = 5", "seed = -5", "other.toml:6: seed = -5: must be");
    said(
        "\"full_factorial\"",
        "\"sobbol\"",
        "must be one of \"full_factorial\", \"latin_hypercube\", \"random\", \"sobol\", \"saltelli\"",
    );
    said("\"full_factorial\"", "\"random\"", "points: missing: the number of points");
    said("seed = 5", "points = 5", "points = 5: is for designs that draw");
    said(
        "\"distance\"",
        "\"distanze\"",
        "other.toml:7: responses[1] = \"distanze\": must be one of go, distance, speed_made_good",
    );
    said("lead.max", "tail.max", "must have the name of a vehicle before the dot: lead");
    said("\"go\", \"d", "\"go\", \"go\", \"d", "responses[1] = \"go\": is a duplicate");
    said("name = \"soil\"", "name = \"go\"", "is the name of another result column");
    said("name = \"soil\"", "name = \"s-l\"", "must consist of letters, digits and underscores");
}

/// All levels of the factor.
const VALUES: &str = "values = [\"dry_sand_lll\", \"no_such_soil\", \"mud\"]";

#[test]
fn unknown_factors_are_refused_by_name() {
    let place = StudyFolder::new(STUDY);
    let said = |from: &str, to: &str, told: &str| refuses(&place, from, to, told);
    said(
        "values = [",
        "# [",
        "factor[0]: give exactly one of values, range, distribution, levels; given: none",
    );
    said(
        "key = \"soil.default\"",
        "",
        "factor[0]: give exactly one of key, keys, levels; given: none",
    );
    said(VALUES, "range = [1, 2]", "steps: missing");
    said(VALUES, "range = [2, 2]", "must increase");
    said(VALUES, "values = []", "factor[0].values");
    said(VALUES, "values = [0.1, 0.1, 0.2]", "factor[0].values[1] = 0.1: is a duplicate");
    said("\"outcome\"]", "\"map_bytes\"]", "responses[3] = \"map_bytes\": applies to teams");
    said("seed = 5", "seed = 9007199254740993", "must be from 0 to 9007199254740992");
    let normal = |rest: &str| format!("distribution = {{ kind = \"normal\", mean = 1, {rest} }}");
    said(VALUES, &normal("deviation = 1"), "factor[0].steps: missing");
    said(
        VALUES,
        &normal("deviation = -1"),
        "factor[0].distribution.deviation = -1: must be above 0",
    );
    said(
        VALUES,
        &normal("deviation = 1, low = 0.3, high = 0.2"),
        "factor[0].distribution.low = 0.3: must be below high",
    );
    said(
        VALUES,
        &normal("deviation = 1, low = 90"),
        "must keep at least a millionth of the distribution",
    );
    said(VALUES, "distribution = { kind = \"norml\" }", "must be one of");
    let beyond = "exceeds the range of 64-bit floating-point numbers";
    said(VALUES, "range = [-1e308, 1e308]", &format!("range = [-1e308, 1e308]: {beyond}"));
    for own in [
        "kind = \"uniform\", low = -1e308, high = 1e308",
        "kind = \"normal\", mean = 1, deviation = 1e308",
    ] {
        said(VALUES, &format!("distribution = {{ {own} }}"), beyond);
    }
    said(
        "key = \"soil.default\"",
        "key = \"soil.default=1\"",
        "factor[0].key = \"soil.default=1\": `soil.default=1` must be a key without a value; the \
         levels give the values",
    );
    // Replications draw the seed: with a fixed seed they would all be the same run.
    said(
        "key = \"soil.default\"\nvalues = [\"dry_sand_lll\", \"no_such_soil\", \"mud\"]",
        "key = \"seed\"\nvalues = [1, 2]",
        "other.toml:10: factor[0].key = \"seed\": `seed` is set by the replications",
    );
    said(
        "key = \"soil.default\"",
        "keys = [\"soil.default\", \"vehicle[3].model\"]",
        "other.toml:10: factor[0].keys[1] = \"vehicle[3].model\": vehicle: element 3 does not exist",
    );
    for key in ["vehicle.0.driver.speed", "vehicle[00].driver. speed"] {
        let keys = format!("keys = [\"vehicle[0].driver.speed\", \"{key}\"]");
        said("key = \"soil.default\"", &keys, &format!("`{key}` is already varied"));
    }
    let scaled = "scale = true\nvalues = [1, 2]";
    said(
        VALUES,
        scaled,
        "scale = true: multiplies the scenario's number, but the scenario gives none at \
         soil.default",
    );
    said(VALUES, "scale = true\nvalues = [\"mud\"]", "is for numeric levels");
    let levels = |second: &str| {
        format!("levels = [{{ name = \"a\", set = {{ \"time.duration\" = 1 }} }}, {second}]")
    };
    let key = format!("key = \"soil.default\"\n{VALUES}");
    said(
        &key,
        &levels("{ name = \"a\", set = { \"time.duration\" = 2 } }"),
        "factor[0].levels[1].name = \"a\": is already the name of another level",
    );
    said(
        &key,
        &levels("{ name = \"b\", set = { \"time.step\" = 2 } }"),
        "must set the same keys as the first level",
    );
    said(
        &key,
        "levels = [{ name = \"a\", set = { \"time.duratoin\" = 1 } }]",
        "other.toml:10: factor[0].levels[0].set: time.duratoin: unknown key (did you mean `duration`?)",
    );
}

#[test]
fn unknown_rules_and_responses_are_refused_by_name() {
    let place = StudyFolder::new(STUDY);
    let said = |from: &str, to: &str, told: &str| refuses(&place, from, to, told);
    let stop = |rest: &str| format!("stop = {{ block = 5, {rest} }}");
    said(
        "seed = 5",
        &stop("response = \"speed\", half_width = 0.1"),
        "stop.response = \"speed\": must be one of the study's responses: go, distance,",
    );
    said(
        "seed = 5",
        &stop("response = \"outcome\", half_width = 0.1"),
        "stop.response = \"outcome\": has no mean",
    );
    said(
        "seed = 5",
        &stop("response = \"distance\", half_width = 0.1"),
        "stop.bounds: missing: [low, high], the lowest and highest",
    );
    said(
        "seed = 5",
        &stop("response = \"distance\", half_width = 5, bounds = [0, 10]"),
        "stop.half_width = 5: must be below 5, half of the response's range",
    );
    said(
        "seed = 5",
        &stop("half_width = 0.1, bounds = [0, 1]"),
        "stop.bounds = [0, 1]: is for numeric",
    );
    said("seed = 5", &stop("half_width = 0.5"), "stop.half_width = 0.5: must be below 0.5");
    said(
        "\"full_factorial\"",
        "\"sobol\"\npoints = 4\nstop = { half_width = 0.1, block = 5 }",
        "stop: is for the designs full_factorial, table and random",
    );
    said(
        "lead.max_sinkage",
        "lead.passes_until_stuck",
        "applies to the whole convoy; omit `lead.`",
    );
    said("lead.max_sinkage", "max_of_rol_rad", "min_of_, mean_of_ or max_of_ before one of x_m,");
    said("lead.max_sinkage", "count_of_gears", "count_of_ or first_time_of_ before one of gear_sh");
    said("seed = 5", "second_order = true", "second_order = true: is for the design `saltelli`");
    said("seed = 5", "table = \"p.csv\"", "table = \"p.csv\": is for the design `table`");
    said("\"full_factorial\"", "\"table\"", "table: missing: the file with the design points");
    said(
        "soil.default",
        "soil.defualt",
        "other.toml:10: factor[0].key = \"soil.defualt\": unknown key (did you mean `default`?)",
    );
    said("soil.default", "vehicle[3].name", "element 3 does not exist: the list has 1");
    said("quick.toml", "absent.toml", "absent.toml: cannot be read");
    said("replications = 3", "replications = 1000000\npoints = 4", "points = 4");
}

/// Results of teams count each trial once: shards of a study combine, and a copy is refused.
#[test]
fn a_study_of_teams_is_not_counted_twice() {
    let place = StudyFolder::new(STUDY);
    for (shard, out) in [("1/9", "one"), ("2/9", "two"), ("1/9", "copy")] {
        place.done(&["run", "study.toml", "--out", out, "--shard", shard]);
    }
    let swarm = |folders: &[&str]| {
        let mut command = Command::new(cargo_bin("bekker"));
        let output = command.current_dir(place.0.path()).arg("swarm").args(folders).output();
        let output = output.unwrap();
        assert_eq!(output.status.code(), Some(3));
        String::from_utf8(output.stderr).unwrap()
    };
    for again in ["one", "copy"] {
        let told = swarm(&["one", "two", again]);
        let expected =
            format!("{again}: contains trial 0 of the same study as one; give each trial");
        assert!(told.contains(&expected), "{told}");
    }
    // These two have no trial in common; the fault is that their study has no team.
    assert!(swarm(&["one", "two"]).contains("its study does not record completed"));
}

#[test]
fn folders_of_other_studies_are_left_alone() {
    let place = StudyFolder::new(STUDY);
    let run = ["run", "study.toml", "--out", "out", "--shard", "1/9"];
    place.done(&run);
    let before = tables(&place.path("out"));
    let told = place.refused(&["run", "study.toml", "--out", "out"]);
    assert!(told.contains("shard = {\"index\":1,\"of\":9}, not {\"index\":1,\"of\":1}"), "{told}");
    fs::write(place.path("study.toml"), STUDY.replace("seed = 5", "seed = 6")).unwrap();
    assert!(place.refused(&run).contains("contains a study with seed = 5, not 6"));
    assert!(tables(&place.path("out")) == before);
    let mine = place.path("mine");
    fs::create_dir(&mine).unwrap();
    fs::write(mine.join("notes.txt"), "mine").unwrap();
    for words in
        [&["run", "study.toml", "--out", "mine"][..], &["status", "mine"], &["report", "mine"]]
    {
        assert!(place.refused(words).contains("mine is not a study folder: "));
    }
    assert_eq!(fs::read_dir(&mine).unwrap().count(), 1);
    let usage = place.command(&["run", "study.toml", "--out", "x", "--shard", "4/3"]).output();
    assert_eq!(usage.unwrap().status.code(), Some(2));
}

/// A rigid HMMWV on a slope of sand that it climbs up to a grade of about 0.16.
fn slope() -> String {
    SCENARIO
        .replace("duration = 1,", "duration = 10,")
        .replace("{ kind = \"flat\" }, roughness = \"D\"", "{ kind = \"slope\", grade = 0.1 }")
        .replace(
            "speed = 4, waypoints = [[0, 0], [30, 0]]",
            "speed = 3, waypoints = [[0, 0], [8, 0]]",
        )
}

/// Returns the cells of a column of `trials.csv`.
fn column(place: &StudyFolder, folder: &str, name: &str) -> Vec<String> {
    let csv = fs::read_to_string(place.path(folder).join("trials.csv")).unwrap();
    let mut rows = csv.lines().map(|row| row.split(',').map(str::to_owned).collect::<Vec<_>>());
    let head = rows.next().unwrap();
    let index = head.iter().position(|own| own == name).unwrap_or_else(|| panic!("{head:?}"));
    rows.map(|row| row[index].clone()).collect()
}

/// On an easy and on a hopeless grade all copies end alike. Grades in steps that are smaller than
/// the effect of 3 % of strength have the edge among them, wherever the laws put it.
#[test]
fn an_outcome_on_the_edge_is_sensitive_and_a_clear_one_is_not() {
    let place = StudyFolder::new(
        r#"
format = 1
scenario = "quick.toml"
design = "full_factorial"
responses = ["go"]
perturb = { copies = 4 }
[[factor]]
name = "grade"
key = "terrain.surface.grade"
values = [0.05, 0.2, 0.21, 0.22, 0.23, 0.24, 0.25, 0.26, 0.27, 0.28, 0.4]
"#,
    );
    fs::write(place.path("quick.toml"), slope()).unwrap();
    place.done(&["run", "study.toml", "--out", "out"]);
    let shares: Vec<f64> =
        column(&place, "out", "sensitive").iter().map(|cell| cell.parse().unwrap()).collect();
    let go = column(&place, "out", "go");
    println!("{go:?} {shares:?}");
    assert_eq!((&*go[0], &*go[10]), ("1", "0"));
    assert_eq!((shares[0], shares[10]), (0.0, 0.0));
    let sensitive = shares.iter().filter(|share| **share > 0.0).count();
    assert!((1..=5).contains(&sensitive), "{shares:?}");
    assert!(shares.iter().all(|share| (4.0 * share).fract() == 0.0), "{shares:?}");

    let told = place.json(&["report", "out", "--pictures", "1"])["sensitivity"].take();
    let sentence = format!(
        "Sensitive: {sensitive} of 11 outcomes change within \u{b1}3 % of the soil strength (4 \
         copies of each trial)."
    );
    assert_eq!(told, sentence);
    for file in ["report.md", "report.html"] {
        let text = fs::read_to_string(place.path("out").join(file)).unwrap();
        assert!(text.contains("Sensitive outcomes") && text.contains(&sentence), "{file}");
    }
    // A copy is driven again to its state.
    let trial = shares.iter().position(|share| *share > 0.0).unwrap().to_string();
    place.done(&["replay", "out", "--trial", &trial, "--copy", "0", "--out", "copy"]);
    let text = fs::read_to_string(place.path("copy/manifest.json")).unwrap();
    let manifest: Json = serde_json::from_str(&text).unwrap();
    assert_eq!(manifest["config"]["soil"]["strength"], 0.97);
    let told = place.refused(&["replay", "out", "--trial", "0", "--copy", "4", "--out", "none"]);
    assert!(told.contains("trial 0 has 4 copies, numbered from 0"), "{told}");
}

/// Copies are drives like trials: the same bytes on any threads and shards, and counted beforehand.
#[test]
fn perturbed_copies_give_the_same_bytes_on_any_threads_and_shards() {
    let place = StudyFolder::new(STUDY);
    let perturb = ["--perturb", "10", "--copies", "2"];
    let run = |more: &[&str]| place.done(&[&["run", "study.toml"], &perturb[..], more].concat());
    run(&["--out", "one", "--threads", "1"]);
    run(&["--out", "four", "--threads", "4"]);
    let whole = tables(&place.path("one"));
    assert!(tables(&place.path("four")) == whole);
    for part in ["1", "2"] {
        run(&["--out", part, "--shard", &format!("{part}/2")]);
    }
    place.done(&["merge", "2", "1", "--out", "merged"]);
    assert!(tables(&place.path("merged")) == whole);
    // Continued with the same copies, also without the options.
    assert_eq!(place.json(&["resume", "one"])["driven"], 0);
    let told = place.refused(&["run", "study.toml", "--out", "one"]);
    assert!(told.contains("perturb"), "{told}");
    // A failed trial has no copies, and a study without copies no column.
    let shares = column(&place, "one", "sensitive");
    assert!(shares[0] == "0" && shares[3].is_empty(), "{shares:?}");
    place.done(&["run", "study.toml", "--out", "plain"]);
    let head = fs::read_to_string(place.path("plain/trials.csv")).unwrap();
    assert!(!head.contains("sensitive"), "{head}");

    let plan = place.json(&[&["plan", "study.toml", "--probe", "1"], &perturb[..]].concat());
    assert_eq!((&plan["trials"], &plan["drives"]), (&9.into(), &27.into()));
    let converged =
        place.json(&[&["converge", "study.toml", "--trials", "1"], &perturb[..]].concat());
    assert_eq!(converged["drives"], 9);
}

/// A scenario is a study of one trial with its own seed and final state.
#[test]
fn a_scenario_is_perturbed_without_a_study() {
    let place = StudyFolder::new(STUDY);
    let told = place.refused(&["run", "quick.toml", "--out", "none"]);
    assert!(told.contains("is a scenario: give a study that names it, or --perturb"), "{told}");
    let told = place.json(&["run", "quick.toml", "--perturb", "--out", "out"]);
    assert_eq!((&told["trials"], &told["driven"]), (&1.into(), &1.into()));
    let sentence =
        "No outcome changes within \u{b1}3 % of the soil strength (8 copies of each trial).";
    assert_eq!(told["sensitivity"], sentence);
    assert_eq!(column(&place, "out", "sensitive"), ["0"]);
    assert_eq!(column(&place, "out", "scenario_seed"), [""]);
    let mut run = Command::new(cargo_bin("bekker"));
    run.current_dir(place.0.path()).args(["run", "quick.toml", "--out", "run", "--no-picture"]);
    assert!(run.output().unwrap().status.success());
    let summary = fs::read_to_string(place.path("run/summary.json")).unwrap();
    let summary: Json = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["state_hash"], *column(&place, "out", "state_hash")[0]);
    place.done(&["report", "out", "--pictures", "1"]);
    assert_eq!(place.json(&["resume", "out"])["driven"], 0);
}

#[test]
fn invalid_perturbations_are_refused_by_name() {
    let place = StudyFolder::new(STUDY);
    let with = |key: &str| format!("{key}\nresponses = [\"go\"");
    for (key, told) in [
        ("perturb = { copies = 3 }", "perturb.copies"),
        ("perturb = { copies = 0 }", "perturb.copies"),
        ("perturb = { percent = 0 }", "perturb.percent"),
        ("perturb = { percent = 51 }", "perturb.percent"),
    ] {
        let found = place.refused_with("responses = [\"go\"", &with(key));
        assert!(found.contains(told), "{found}");
    }
    let found = place.refused_with("responses = [\"go\"", "responses = [\"sensitive\"");
    assert!(found.contains("responses[0]") && found.contains("set perturb"), "{found}");
    for words in [["--perturb", "51"], ["--copies", "8"]] {
        let run = ["run", "study.toml", "--out", "never"];
        let output = place.command(&[&run[..], &words].concat()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{words:?}");
    }
}
