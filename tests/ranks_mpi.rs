//! Ranks under a real `mpirun`, oversubscribed where necessary: the bits of one process.
//!
//! Needs the cargo feature `mpi` and an `mpirun`. Without the feature the tests are reported as
//! ignored. Without `mpirun` they fail, unless `BEKKER_WITHOUT_MPIRUN=1` skips them, which they
//! report.

use crate::rank_jobs::{
    ENDINGS, SCENARIO, Threads, Transport, assert_same_record, check_records, check_resume,
    meeting, spawned,
};
#[cfg(target_os = "linux")]
use crate::rank_jobs::{check_kill, check_signal, resume_in_place, strike};
use crate::runs::{Runs, bekker, read, stderr_text};
use crate::studies::{self, STUDY, tables};

use bekker::report::manifest::{self, FileHash};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};

/// Ranks as processes under `mpirun`.
struct Mpi;

impl Transport for Mpi {
    fn start(&self, runs: &Runs, out: &Path, ranks: usize, more: &[&str]) -> Option<Vec<Child>> {
        Some(vec![spawned(&mut command(ranks, &bekker(), &runs.arguments(out, more))?)])
    }
}

/// Returns the launcher of the MPI for which the tests were built.
fn launcher() -> String {
    std::env::var("BEKKER_MPIRUN").unwrap_or_else(|_| "mpirun".into())
}

fn mpirun(ranks: usize, program: &Path, arguments: &[&str]) -> Option<Output> {
    Some(command(ranks, program, arguments)?.output().unwrap())
}

pub(crate) fn command(ranks: usize, program: &Path, arguments: &[&str]) -> Option<Command> {
    let launcher = launcher();
    let version = Command::new(&launcher).arg("--version").output();
    let Ok(version) = version else {
        let asked = std::env::var_os("BEKKER_WITHOUT_MPIRUN").is_some();
        assert!(asked, "no {launcher}: install an MPI, or set BEKKER_WITHOUT_MPIRUN=1");
        eprintln!("NOT RUN: there is no {launcher}");
        return None;
    };
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let open_mpi = ["Open MPI", "OpenRTE"].iter().any(|name| version.contains(name));
    let mut command = Command::new(&launcher);
    if open_mpi {
        command.args(["--oversubscribe", "--allow-run-as-root"]);
    }
    command.arg("-n").arg(ranks.to_string()).arg(program).args(arguments);
    command.current_dir(env!("CARGO_MANIFEST_DIR")).env("RAYON_NUM_THREADS", "1");
    Some(command)
}

/// One process of a job whose processes differ.
struct Rank<'a> {
    program: &'a Path,
    arguments: &'a [&'a str],
}

/// Runs two processes in one job.
fn unlike(first: &Rank<'_>, second: &Rank<'_>) -> Option<Output> {
    let mut command = command(1, first.program, first.arguments)?;
    command.args([":", "-n", "1"]).arg(second.program).args(second.arguments);
    Some(command.output().unwrap())
}

/// Returns the spans of this name in a timeline.
fn spans<'a>(trace: &'a serde_json::Value, name: &str) -> Vec<&'a serde_json::Value> {
    let events = trace.as_array().unwrap();
    events.iter().filter(|event| event["ph"] == "X" && event["name"] == name).collect()
}

fn example(name: &str) -> PathBuf {
    bekker().parent().unwrap().join("examples").join(name)
}

fn runs() -> Runs {
    Runs::new(SCENARIO)
}

#[test]
fn in_process_ranks_write_the_files_of_one_process() {
    let runs = runs();
    let single = runs.out("single");
    runs.single(&single, &[]);
    for (name, more) in [
        ("two", &["--ranks", "2", "--trace"][..]),
        ("three", &["--ranks", "3", "--partition", "round-robin", "--route", "star"]),
        ("five", &["--ranks", "5", "--threads", "1"]),
    ] {
        let out = runs.out(name);
        runs.single(&out, more);
        assert_eq!(read(&single, "hashes.csv"), read(&out, "hashes.csv"), "{name}");
        let bytes = |folder: &Path, file: &str| std::fs::read(folder.join(file)).unwrap();
        for file in ["states.parquet", "checkpoint.bin"] {
            assert_eq!(bytes(&single, file), bytes(&out, file), "{name}: {file}");
        }
    }
    let trace: serde_json::Value =
        serde_json::from_str(&read(&runs.out("two"), "trace.json")).unwrap();
    // Each of 150 heartbeats on two ranks.
    for name in ["step", "serialize", "payload", "apply", "record"] {
        assert_eq!(spans(&trace, name).len(), 2 * 150, "{name}");
    }
    let replay = |folder: &Path| {
        let folder = folder.to_str().unwrap();
        Command::new(bekker()).args(["replay", folder, "--verify"]).output().unwrap()
    };
    let output = replay(&runs.out("two"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // A recording that differs in one agent at one heartbeat.
    let altered: Vec<String> = read(&runs.out("two"), "hashes.csv")
        .lines()
        .map(|line| {
            let mut fields: Vec<String> = line.split(',').map(str::to_owned).collect();
            if fields[0] == "35" {
                fields[5] = "0123456789abcdef".into();
            }
            fields.join(",")
        })
        .collect();
    let list = runs.out("two").join("hashes.csv");
    std::fs::write(&list, altered.join("\n")).unwrap();
    let output = replay(&runs.out("two"));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("changed since the run: hashes.csv"), "{told}");
    // The same with a manifest altered to match.
    let place = runs.out("two").join("manifest.json");
    let mut manifest = manifest::read(&place).unwrap();
    for file in manifest.outputs.iter_mut().filter(|file| file.path == "hashes.csv") {
        *file = FileHash::read(&list, "hashes.csv").unwrap();
    }
    manifest::write(&place, &manifest).unwrap();
    let output = replay(&runs.out("two"));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("at tick 35 (0.07 s) in second"), "{told}");
}

#[test]
fn a_run_resumed_on_other_ranks_gives_the_same_bits() {
    check_resume(&Threads, &Threads);
}

#[test]
#[cfg_attr(not(feature = "mpi"), ignore = "NOT RUN: built without the feature mpi")]
fn mpirun_gives_the_bits_of_one_process() {
    let routes: [(usize, &[&str]); 4] = [
        (1, &[]),
        (2, &["--route", "all"]),
        (3, &["--route", "star"]),
        (4, &["--route", "neighbor"]),
    ];
    check_records(&Mpi, SCENARIO, &routes);
    check_resume(&Mpi, &Mpi);
}

#[test]
#[cfg_attr(not(feature = "mpi"), ignore = "NOT RUN: built without the feature mpi")]
fn mpi_neighbors_approach_and_part_with_the_same_bits() {
    check_records(&Mpi, &meeting(), &[(3, &["--route", "neighbor"])]);
}

#[test]
#[cfg(target_os = "linux")]
#[cfg_attr(not(feature = "mpi"), ignore = "NOT RUN: built without the feature mpi")]
fn a_hanging_rank_is_named_and_leaves_a_checkpoint_of_that_tick() {
    let runs = runs();
    let out = runs.out("hung");
    // The only checkpoint is at the start: rank 0 repeats five seconds' work of three ranks on one
    // thread while rank 2 waits. Rank 2 tolerates three timeouts without a sign of progress;
    // without such signs it would end the job early. With three ranks on two slow cores next to
    // another test, silences of a second or two are normal.
    let rarely = ["--set", "time.duration=600", "--checkpoint-every", "1000", "--timeout", "3"];
    let is_time = || {
        let stored = out.join("checkpoint.bin").metadata().and_then(|file| file.modified());
        stored.is_ok_and(|time| time.elapsed().is_ok_and(|since| since.as_secs() >= 5))
    };
    let Some(output) = strike(&Mpi, &runs, &out, "-STOP", &is_time, &rarely) else { return };
    let told = stderr_text(&output);
    assert!(!output.status.success());
    assert!(told.contains("no answer from rank 1 within 3 s"), "{told}");
    let (_, after) = told.split_once("checkpoint written at tick ").expect(&told);
    let tick: u64 = after.split(';').next().unwrap().parse().unwrap();
    assert_eq!(resume_in_place(&runs, &out), tick);
}

#[test]
#[cfg(target_os = "linux")]
#[cfg_attr(not(feature = "mpi"), ignore = "NOT RUN: built without the feature mpi")]
fn a_rank_that_is_killed_ends_the_job_and_leaves_the_last_checkpoint() {
    check_kill(&Mpi, "3", "");
}

/// A write truncated by the system, as by a full disk, ends the process and leaves the previous
/// checkpoint complete.
#[test]
#[cfg(target_os = "linux")]
fn an_interrupted_write_leaves_the_checkpoint_before() {
    let runs = runs();
    let (early, late) = (runs.out("early"), runs.out("late"));
    runs.single(&early, &["--set", "time.duration=0.1"]);
    runs.single(&late, &["--set", "time.duration=1.5"]);
    let size = |folder: &Path| folder.join("checkpoint.bin").metadata().unwrap().len();
    let (small, large) = (size(&early), size(&late));
    assert!(large > small + 4096, "{small} bytes early, {large} bytes late");
    let cut = runs.out("cut");
    // Blocks of 512 bytes.
    let limit = ((small + large) / 2 / 512).to_string();
    let output = Command::new("sh")
        .args(["-c", "ulimit -f \"$0\" && exec \"$@\"", &limit])
        .arg(bekker())
        .args(runs.arguments(&cut, &["--checkpoint-every", "0.1"]))
        .output()
        .unwrap();
    assert!(!output.status.success());
    let rest = runs.out("rest");
    runs.single(&rest, &["--resume", cut.to_str().unwrap()]);
    let (rest, whole) = (read(&rest, "hashes.csv"), read(&late, "hashes.csv"));
    let left = rest.lines().count() - 1;
    assert!((1..150).contains(&left), "{left} heartbeats after the cut");
    assert!(
        whole.ends_with(&rest.lines().skip(1).map(|line| format!("{line}\n")).collect::<String>())
    );
}

#[test]
#[cfg_attr(not(feature = "mpi"), ignore = "NOT RUN: built without the feature mpi")]
fn mpi_keeps_the_contract() {
    for ranks in 1..=4 {
        let Some(output) = mpirun(ranks, &example("mpi_contract"), &[]) else { return };
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(told.contains(&format!("contract kept on {ranks} ranks")), "{told}");
    }
}

#[test]
#[cfg_attr(not(feature = "mpi"), ignore = "NOT RUN: built without the feature mpi")]
fn a_process_that_hangs_is_named_and_ends_the_job() {
    let Some(output) = mpirun(3, &example("mpi_contract"), &["hang"]) else { return };
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    assert!(told.contains("no answer from rank 2 within 1 s"), "{told}");
}

#[test]
fn the_record_is_the_same_on_any_ranks_and_with_any_checkpoints() {
    let runs = Runs::new(ENDINGS);
    let single = runs.out("single");
    runs.single(&single, &[]);
    let states = read(&single, "states.csv");
    let summary: serde_json::Value = serde_json::from_str(&read(&single, "summary.json")).unwrap();
    let ended = |vehicle: &&serde_json::Value| vehicle.to_string().contains("overturned");
    assert_eq!(summary["vehicles"].as_array().unwrap().iter().filter(ended).count(), 2);
    // Tires of the first vehicle are reported to the end as they were when it overturned.
    let header: Vec<&str> = states.lines().next().unwrap().split(',').collect();
    let last = states.lines().rfind(|line| line.contains(",first,")).unwrap();
    let bent = header.iter().zip(last.split(',')).any(|(name, told)| {
        name.ends_with("_deflection_m") && told.parse::<f64>().is_ok_and(|told| told > 0.0)
    });
    assert!(bent, "{last}");
    let cases: [(usize, &[&str]); 5] = [
        (1, &["--checkpoint-every", "0.3"]),
        (2, &["--checkpoint-every", "0.1"]),
        (4, &["--checkpoint-every", "0.7", "--route", "star"]),
        (2, &["--partition", "1,0,0,1", "--checkpoint-every", "0.2"]),
        (3, &["--checkpoint-every", "0.5", "--route", "neighbor"]),
    ];
    check_records(&Threads, ENDINGS, &cases);
}

#[test]
#[cfg_attr(not(feature = "mpi"), ignore = "NOT RUN: built without the feature mpi")]
fn the_record_is_the_same_under_mpirun_with_checkpoints() {
    check_records(&Mpi, ENDINGS, &[(4, &["--checkpoint-every", "0.3"])]);
}

/// A vehicle that accelerates harder than the census assumes (20 m/s²) still runs with neighbors.
///
/// It is light, has 3.8 MW on soil with high grip, exceeds that limit for more than a second, and
/// drives toward a vehicle that makes ruts.
#[test]
fn neighbors_that_accelerate_beyond_the_census_bound_continue() {
    let head = ENDINGS.split("[[soil.custom]]").next().unwrap().replace("chrono_soft", "grit");
    let vehicle = |name: &str, place: &str, more: &str| {
        format!(
            "[[vehicle]]\nname = \"{name}\"\nmodel = \"mrzr4\"\nposition = {place}\n\
             driver = {{ kind = \"table\", rows = [{{ time = 0, throttle = 0 }}, \
             {{ time = 0.5, throttle = 1 }}] }}\n{more}\n"
        )
    };
    let overrides = "overrides = { chassis.mass = 700, chassis.com = [0.4, 0, -0.2], \
        powertrain.engine.full_throttle_rpm = \
        [[-100, 8000], [600, 8000], [10000, 8000], [12000, 0]], \
        powertrain.converter.capacity = [[0, 30], [0.5, 30], [1, 30]], \
        powertrain.gearbox.ratios = [0.5] }";
    let scenario = head
        + "[terrain]\nsurface = { kind = \"slope\", grade = -0.2 }\n\n\
           [output]\nruts = false\n\n[[soil.custom]]\nname = \"grit\"\n\
           based_on = \"chrono_hard\"\ncohesion = 3e5\nk_phi = 3e7\nfriction_angle_deg = 50\n\n"
        + &vehicle("far", "[60, 400]", "")
        + &vehicle("dragster", "[0, 0]", overrides)
        + &vehicle("ahead", "[25, 0.5]", "");
    let runs = Runs::new(&scenario);
    let single = runs.out("single");
    runs.single(&single, &[]);
    for ranks in ["2", "3"] {
        let out = runs.out(ranks);
        let more = ["--ranks", ranks, "--route", "neighbor"];
        let output = Command::new(bekker()).args(runs.arguments(&out, &more)).output().unwrap();
        assert!(output.status.success(), "{}", stderr_text(&output));
        let line = "--route neighbor: dragster accelerates faster than a census assumes";
        assert_eq!(stderr_text(&output).matches(line).count(), 1, "{}", stderr_text(&output));
        assert_same_record(&single, &out, ranks);
    }
}

/// A process launched as one of several refuses to run alone if it cannot reach the others.
#[test]
fn a_process_that_cannot_reach_the_others_does_not_run_alone() {
    let runs = runs();
    let mut launched = vec![("SLURM_STEP_NUM_TASKS", "2")];
    if cfg!(not(feature = "mpi")) {
        launched.extend([("OMPI_COMM_WORLD_SIZE", "2"), ("PMI_SIZE", "4"), ("PMIX_RANK", "1")]);
    }
    for (name, value) in launched {
        let out = runs.out(name);
        let output = Command::new(bekker())
            .args(runs.arguments(&out, &[]))
            .env(name, value)
            .output()
            .unwrap();
        let told = stderr_text(&output);
        assert_eq!(output.status.code(), Some(3), "{told}");
        assert_eq!(told.trim_end().lines().count(), 1, "{told}");
        let remedies = [&format!("{name}={value}: a launcher"), "--ranks", "env -u"];
        assert!(remedies.iter().all(|part| told.contains(*part)), "{told}");
        assert!(!out.exists(), "{name}");
    }
}

#[test]
#[cfg_attr(not(feature = "mpi"), ignore = "NOT RUN: built without the feature mpi")]
fn ranks_that_cannot_start_report_the_cause_immediately() {
    let runs = runs();
    let out = runs.out("none");
    let more = ["--resume", "/nowhere/at/all", "--timeout", "600"];
    let Some(output) = mpirun(3, &bekker(), &runs.arguments(&out, &more)) else { return };
    let resumed = stderr_text(&output);
    assert_eq!(output.status.code(), Some(3), "{resumed}");
    assert_eq!(resumed.matches("/nowhere/at/all: No such file").count(), 1, "{resumed}");
    assert!(!resumed.contains("no answer") && !resumed.contains("checkpoint written"), "{resumed}");
    // Another scenario's checkpoint.
    let other = runs.out("other");
    runs.single(&other, &["--set", "time.duration=0.1", "--set", "vehicle[1].speed=3"]);
    let more = ["--resume", other.to_str().unwrap(), "--timeout", "600"];
    let output = mpirun(3, &bekker(), &runs.arguments(&out, &more)).unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stderr_text(&output));
    assert!(stderr_text(&output).contains("checkpoint"), "{}", stderr_text(&output));
    // Ranks within ranks are refused too.
    let more = ["--ranks", "2", "--timeout", "600"];
    let output = mpirun(2, &bekker(), &runs.arguments(&out, &more)).unwrap();
    // On one line, regardless of text added by the launcher.
    let line = "'--ranks': must be omitted under an MPI launcher";
    assert_eq!(stderr_text(&output).matches(line).count(), 1, "{}", stderr_text(&output));
}

#[test]
#[cfg_attr(not(feature = "mpi"), ignore = "NOT RUN: built without the feature mpi")]
fn ranks_of_other_options_or_builds_are_refused() {
    let runs = runs();
    let out = runs.out("unlike");
    let bekker = bekker();
    let often = runs.arguments(&out, &["--checkpoint-every", "0.5"]);
    let seldom = runs.arguments(&out, &["--force"]);
    fn rank<'a>(program: &'a Path, arguments: &'a [&'a str]) -> Rank<'a> {
        Rank { program, arguments }
    }
    let Some(output) = unlike(&rank(&bekker, &seldom), &rank(&bekker, &often)) else { return };
    assert!(!output.status.success());
    let line = "rank 1 has --checkpoint-every = 0.5 s, rank 0 has 10 s";
    assert!(stderr_text(&output).contains(line), "{}", stderr_text(&output));
    // The same version, another file.
    let other = runs.out("bekker-of-another-day");
    std::fs::copy(&bekker, &other).unwrap();
    let mut bytes = std::fs::read(&other).unwrap();
    bytes.push(0);
    std::fs::write(&other, bytes).unwrap();
    let output = unlike(&rank(&bekker, &seldom), &rank(&other, &seldom)).unwrap();
    assert!(!output.status.success());
    assert!(
        stderr_text(&output).contains("rank 1 has build of bekker = "),
        "{}",
        stderr_text(&output)
    );
}

/// Any signal that ends a process ends the run on all ranks, which then can be resumed.
#[test]
#[cfg(target_os = "linux")]
#[cfg_attr(not(feature = "mpi"), ignore = "NOT RUN: built without the feature mpi")]
fn a_signal_to_any_rank_ends_the_run_on_all() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let Some(run) = check_signal(&Mpi, signal) else { return };
        let line = format!("interrupted; resume with --resume {}", run.out.display());
        assert_eq!(run.told.matches(&line).count(), 1, "{signal}: {}", run.told);
        if signal == "-INT" {
            resume_in_place(&run.runs, &run.out);
        }
    }
}

/// Cameras and checkpoints have spans in the timeline.
#[test]
fn the_timeline_shows_imaging_and_checkpoints() {
    let (head, vehicles) = SCENARIO.split_at(SCENARIO.find("[[vehicle]]").unwrap());
    let (lead, others) = vehicles.split_at(vehicles[1..].find("[[vehicle]]").unwrap() + 1);
    let sensors = "[[vehicle.sensor]]\nname = \"camera\"\nposition = [0.9, 0, 1.1]\nrate = 10\n\
        model = { kind = \"camera\", width = 32, height = 24, fov_deg = 80 }\n\n\
        [[vehicle.sensor]]\nname = \"lidar\"\nposition = [0, 0, 1.6]\nrate = 10\n\
        model = { kind = \"lidar\", preset = \"vlp16\" }\n\n";
    let runs = Runs::new(&format!("{head}{lead}{sensors}{others}"));
    for ranks in ["1", "2"] {
        let out = runs.out(ranks);
        let short = ["--set", "time.duration=0.5", "--checkpoint-every", "0.1"];
        runs.single(&out, &[&["--ranks", ranks, "--trace"][..], &short].concat());
        let trace: serde_json::Value = serde_json::from_str(&read(&out, "trace.json")).unwrap();
        let frames =
            spans(&trace, "imaging").iter().filter(|span| span["args"]["frames"] != 0).count();
        // The camera and the lidar deliver every 0.1 s, in one heartbeat or two.
        assert!((4..=12).contains(&frames), "{frames}");
        assert!(spans(&trace, "checkpoint").len() >= 4, "{ranks} ranks");
    }
}

#[test]
#[cfg_attr(not(feature = "mpi"), ignore = "NOT RUN: built without the feature mpi")]
fn a_study_is_the_same_bytes_on_any_ranks() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    // The same for a study that a rule stops, block by block.
    let stopped = STUDY
        .replace("\"full_factorial\"", "\"random\"\npoints = 40")
        .replace("replications = 3", "replications = 1\nstop = { half_width = 0.25, block = 4 }");
    std::fs::write(at("quick.toml"), studies::SCENARIO.replace("duration = 1,", "duration = 0.3,"))
        .unwrap();
    std::fs::write(at("study.toml"), STUDY).unwrap();
    std::fs::write(at("stopped.toml"), stopped).unwrap();
    let driven = |command: Option<Command>| {
        let output = command?.current_dir(place.path()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &stderr_text(&output);
        Some((output.status.code(), said))
    };
    for study in ["study", "stopped"] {
        let file = format!("{study}.toml");
        let arguments =
            |out: &'static str| ["study", "run", &file, "--out", out].map(str::to_owned);
        let out = if study == "study" { ["one", "four"] } else { ["one_stopped", "four_stopped"] };
        let mut single = Command::new(bekker());
        single.args(arguments(out[0]));
        assert_eq!(driven(Some(single)).unwrap().0, Some(0));
        let words = arguments(out[1]);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let Some((code, said)) = driven(command(4, &bekker(), &words)) else { return };
        assert_eq!(code, Some(0), "{said}");
        assert!(tables(&at(out[0])) == tables(&at(out[1])), "{study}");
        if study == "study" {
            // Already done, on other ranks too.
            let Some((code, said)) = driven(command(2, &bekker(), &words)) else { return };
            assert!(code == Some(0) && said.contains(" (0 new,"), "{said}");
        }
    }
    // An error that prevents the start on every rank is reported once.
    let absent = ["study", "run", "absent.toml", "--out", "never"];
    let Some((code, said)) = driven(command(3, &bekker(), &absent)) else { return };
    assert_eq!(code, Some(3), "{said}");
    assert_eq!(said.matches("absent.toml: cannot be read").count(), 1, "{said}");
    assert!(!at("never").exists());
}
