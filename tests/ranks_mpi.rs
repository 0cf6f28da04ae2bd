//! Real `mpirun`, oversubscribed where need be: the bits of one process.
//!
//! Needs the cargo feature `mpi` and an `mpirun`. Without the feature the tests
//! are reported as ignored; without `mpirun` they fail, unless
//! `BEKKER_WITHOUT_MPIRUN=1` asks for them to be passed over, which they say.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The launcher of the MPI that the tests were built against.
fn launcher() -> String {
    std::env::var("BEKKER_MPIRUN").unwrap_or_else(|_| "mpirun".into())
}

fn mpirun(ranks: usize, program: &Path, arguments: &[&str]) -> Option<Output> {
    Some(command(ranks, program, arguments)?.output().unwrap())
}

fn command(ranks: usize, program: &Path, arguments: &[&str]) -> Option<Command> {
    let launcher = launcher();
    let version = Command::new(&launcher).arg("--version").output();
    let Ok(version) = version else {
        let asked = std::env::var_os("BEKKER_WITHOUT_MPIRUN").is_some();
        assert!(asked, "no {launcher}: install an MPI, or set BEKKER_WITHOUT_MPIRUN=1");
        eprintln!("NOT RUN: there is no {launcher}");
        return None;
    };
    let open_mpi = String::from_utf8_lossy(&version.stdout).contains("Open MPI");
    let mut command = Command::new(&launcher);
    if open_mpi {
        command.args(["--oversubscribe", "--allow-run-as-root"]);
    }
    command.arg("-n").arg(ranks.to_string()).arg(program).args(arguments);
    command.current_dir(env!("CARGO_MANIFEST_DIR")).env("RAYON_NUM_THREADS", "1");
    Some(command)
}

fn bekker() -> PathBuf {
    assert_cmd::cargo::cargo_bin("bekker")
}

fn example(name: &str) -> PathBuf {
    bekker().parent().unwrap().join("examples").join(name)
}

fn read(folder: &Path, file: &str) -> String {
    std::fs::read_to_string(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// A convoy in one rut; a crossing; vehicles kilometres apart: [file, overrides].
const SCENARIO: &str = r#"
format = 1
name = "ranks"
seed = 1

[time]
duration = 1.5

[soil]
default = "chrono_soft"

[output]
interval = 0.1
ruts = false

[[vehicle]]
name = "lead"
model = "hmmwv"
position = [0, 0]
speed = 4
driver = { kind = "path", speed = 5, waypoints = [[0, 0], [200, 0]] }

[[vehicle]]
name = "second"
model = "hmmwv"
position = [-8, 0]
speed = 4
driver = { kind = "follow", leader = "lead" }

[[vehicle]]
name = "crossing"
model = "hmmwv"
position = [2, -4]
heading_deg = 90
speed = 4
driver = { kind = "table", rows = [{ time = 0, throttle = 0.5 }] }

[[vehicle]]
name = "far"
model = "hmmwv"
position = [4000, 3000]
heading_deg = 120
speed = 4
driver = { kind = "table", rows = [{ time = 0, throttle = 0.5 }] }
"#;

struct Runs {
    folder: tempfile::TempDir,
    scenario: PathBuf,
}

impl Runs {
    fn new() -> Runs {
        Runs::of(SCENARIO)
    }

    fn of(text: &str) -> Runs {
        let folder = tempfile::tempdir().unwrap();
        let scenario = folder.path().join("ranks.toml");
        std::fs::write(&scenario, text).unwrap();
        Runs { folder, scenario }
    }

    fn out(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn arguments<'a>(&'a self, out: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
        let fixed = ["run", self.scenario.to_str().unwrap(), "-q", "--no-picture", "--out"];
        let mut arguments = fixed.to_vec();
        arguments.push(out.to_str().unwrap());
        arguments.extend(more);
        arguments
    }

    fn single(&self, out: &Path, more: &[&str]) {
        let output = Command::new(bekker()).args(self.arguments(out, more)).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn in_process_ranks_write_what_one_process_writes() {
    let runs = Runs::new();
    let single = runs.out("single");
    runs.single(&single, &[]);
    for (name, more) in [
        ("two", &["--ranks", "2", "--trace"][..]),
        ("three", &["--ranks", "3", "--deal", "round-robin", "--route", "star"]),
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
    // two names, and five spans for each of 150 heartbeats on two ranks
    assert_eq!(trace["traceEvents"].as_array().unwrap().len(), 2 + 2 * 150 * 5);
    let replay = |folder: &Path| {
        let folder = folder.to_str().unwrap();
        Command::new(bekker()).args(["replay", folder, "--verify"]).output().unwrap()
    };
    let output = replay(&runs.out("two"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // a recording that differs in one agent at one heartbeat
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
    std::fs::write(runs.out("two").join("hashes.csv"), altered.join("\n")).unwrap();
    let output = replay(&runs.out("two"));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("at tick 35 (0.07 s) in second"), "{told}");
}

#[test]
fn a_run_cut_and_resumed_on_other_ranks_goes_on_with_the_same_bits() {
    let runs = Runs::new();
    let whole = runs.out("whole");
    runs.single(&whole, &[]);
    let cut = runs.out("cut");
    runs.single(&cut, &["--ranks", "3", "--set", "time.duration=0.7"]);
    let rest = runs.out("rest");
    runs.single(&rest, &["--ranks", "2", "--resume", cut.to_str().unwrap()]);
    let (whole, cut, rest) =
        (read(&whole, "hashes.csv"), read(&cut, "hashes.csv"), read(&rest, "hashes.csv"));
    let lines: Vec<&str> = whole.lines().collect();
    assert_eq!(cut.lines().collect::<Vec<_>>(), lines[..=70]);
    assert_eq!(rest.lines().skip(1).collect::<Vec<_>>(), lines[71..]);
}

#[test]
#[cfg_attr(not(feature = "mpi"), ignore = "NOT RUN: built without the feature mpi")]
fn mpirun_gives_the_bits_of_one_process() {
    let runs = Runs::new();
    let single = runs.out("single");
    runs.single(&single, &[]);
    for ranks in 1..=4 {
        for route in ["all", "star", "neighbour"] {
            let out = runs.out(&format!("{route}-{ranks}"));
            let arguments = runs.arguments(&out, &["--route", route]);
            let Some(output) = mpirun(ranks, &bekker(), &arguments) else { return };
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let (expected, found) = (read(&single, "hashes.csv"), read(&out, "hashes.csv"));
            assert_eq!(expected, found, "{ranks} ranks, {route}");
        }
    }
    // cut on three ranks, resumed on two
    let cut = runs.out("cut");
    let set = ["--set", "time.duration=0.7"];
    mpirun(3, &bekker(), &runs.arguments(&cut, &set)).unwrap();
    let rest = runs.out("rest");
    let resume = ["--resume", cut.to_str().unwrap()];
    mpirun(2, &bekker(), &runs.arguments(&rest, &resume)).unwrap();
    let whole = read(&single, "hashes.csv");
    let lines: Vec<&str> = whole.lines().skip(71).collect();
    assert_eq!(read(&rest, "hashes.csv").lines().skip(1).collect::<Vec<_>>(), lines);
}

/// Two that meet head on, pass and part; one far away; one that comes later to
/// where others have been.
#[test]
#[cfg_attr(not(feature = "mpi"), ignore = "NOT RUN: built without the feature mpi")]
fn mpi_neighbours_approach_and_part_with_the_same_bits() {
    let vehicle = |name: &str, place: &str, heading: i32| {
        format!(
            "[[vehicle]]\nname = \"{name}\"\nmodel = \"hmmwv\"\nposition = {place}\n\
             heading_deg = {heading}\nspeed = 8\n\
             driver = {{ kind = \"table\", rows = [{{ time = 0, throttle = 0.5 }}] }}\n"
        )
    };
    let head = SCENARIO.split("[[vehicle]]").next().unwrap().replace("1.5", "6");
    let scenario = head
        + &vehicle("east", "[0, 0]", 0)
        + &vehicle("west", "[45, 2.4]", 180)
        + &vehicle("far", "[-3000, 4000]", 120)
        + &vehicle("late", "[-50, 0.1]", 0);
    let runs = Runs::of(&scenario);
    let single = runs.out("single");
    runs.single(&single, &[]);
    for ranks in 2..=4 {
        let out = runs.out(&format!("neighbour-{ranks}"));
        let arguments = runs.arguments(&out, &["--route", "neighbour"]);
        let Some(output) = mpirun(ranks, &bekker(), &arguments) else { return };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(read(&single, "hashes.csv"), read(&out, "hashes.csv"), "{ranks} ranks");
    }
}

/// Process of a rank of the run that writes to `out`.
#[cfg(target_os = "linux")]
fn process_of(rank: usize, out: &Path) -> Option<String> {
    let holds = |file: PathBuf, what: &str| {
        let bytes = std::fs::read(file).unwrap_or_default();
        bytes.split(|&byte| byte == 0).any(|part| part == what.as_bytes())
    };
    std::fs::read_dir("/proc").unwrap().flatten().find_map(|entry| {
        let place = entry.path();
        let own = holds(place.join("cmdline"), out.to_str()?)
            && ["OMPI_COMM_WORLD_RANK", "PMI_RANK"]
                .iter()
                .any(|name| holds(place.join("environ"), &format!("{name}={rank}")));
        own.then(|| entry.file_name().into_string().unwrap())
    })
}

/// Starts three ranks, sends one of them a signal after the first checkpoint,
/// and says how the job ended.
#[cfg(target_os = "linux")]
fn struck(runs: &Runs, out: &Path, signal: &str) -> Option<Output> {
    use std::process::Stdio;
    use std::time::{Duration, Instant};
    let long = ["--set", "time.duration=600", "--checkpoint-every", "0.1", "--timeout", "3"];
    let mut command = command(3, &bekker(), &runs.arguments(out, &long))?;
    let job = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while !out.join("checkpoint.bin").exists() {
        assert!(begun.elapsed() < Duration::from_secs(120), "no checkpoint came");
        std::thread::sleep(Duration::from_millis(50));
    }
    let process = process_of(1, out).expect("rank 1 runs");
    assert!(Command::new("kill").args([signal, &process]).status().unwrap().success());
    Some(job.wait_with_output().unwrap())
}

/// What was left can be gone on with, on two ranks, with the bits of a run that
/// nothing happened to.
#[cfg(target_os = "linux")]
fn goes_on(runs: &Runs, out: &Path) -> u64 {
    let rest = runs.out("rest");
    let tick = |line: &str| line.split(',').next().unwrap().parse::<u64>().unwrap();
    let resume = ["--ranks", "2", "--resume", out.to_str().unwrap()];
    // the clock was cut at some tick that only the checkpoint knows: go on until
    // well after it
    let until = "time.duration=40";
    runs.single(&rest, &[&resume[..], &["--set", until]].concat());
    let rest = read(&rest, "hashes.csv");
    let first = tick(rest.lines().nth(1).unwrap()) - 5;
    let whole = runs.out("whole");
    runs.single(&whole, &["--set", until]);
    let whole = read(&whole, "hashes.csv");
    let lines: Vec<&str> = whole.lines().skip(1).filter(|line| tick(line) > first).collect();
    assert_eq!(rest.lines().skip(1).collect::<Vec<_>>(), lines);
    first
}

#[test]
#[cfg(target_os = "linux")]
#[cfg_attr(not(feature = "mpi"), ignore = "NOT RUN: built without the feature mpi")]
fn a_rank_that_hangs_is_named_and_a_checkpoint_of_that_tick_is_left() {
    let runs = Runs::new();
    let out = runs.out("hung");
    let Some(output) = struck(&runs, &out, "-STOP") else { return };
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    assert!(told.contains("no answer from rank 1 within 3 s"), "{told}");
    let (_, after) = told.split_once("checkpoint written at tick ").expect(&told);
    let tick: u64 = after.split(',').next().unwrap().parse().unwrap();
    assert_eq!(goes_on(&runs, &out), tick);
}

#[test]
#[cfg(target_os = "linux")]
#[cfg_attr(not(feature = "mpi"), ignore = "NOT RUN: built without the feature mpi")]
fn a_rank_that_is_killed_ends_the_job_and_leaves_the_last_checkpoint() {
    let runs = Runs::new();
    let out = runs.out("killed");
    let Some(output) = struck(&runs, &out, "-KILL") else { return };
    assert!(!output.status.success());
    goes_on(&runs, &out);
}

/// A write that the system cuts short, as a full disk would: the process dies in
/// it, the checkpoint before stays whole.
#[test]
#[cfg(target_os = "linux")]
fn an_interrupted_write_leaves_the_checkpoint_before() {
    let runs = Runs::new();
    let (early, late) = (runs.out("early"), runs.out("late"));
    runs.single(&early, &["--set", "time.duration=0.1"]);
    runs.single(&late, &["--set", "time.duration=1.5"]);
    let size = |folder: &Path| folder.join("checkpoint.bin").metadata().unwrap().len();
    let (small, large) = (size(&early), size(&late));
    assert!(large > small + 4096, "{small} bytes early, {large} bytes late");
    let cut = runs.out("cut");
    // blocks of 512 bytes
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
