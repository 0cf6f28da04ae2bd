//! Ranks as processes over TCP: the bits of one process, and the faults of processes that
//! are inconsistent, missing or killed.

#[cfg(target_os = "linux")]
use crate::rank_jobs::{
    ENDLESS, RESTORED, assert_same_files, check_kill, check_signal, process_of, signal, strike,
    strike_endless, wait_until,
};
use crate::rank_jobs::{SCENARIO, Transport, check_records, check_resume, spawned};
#[cfg(target_os = "linux")]
use crate::runs::read;
use crate::runs::{Runs, bekker, stderr_text};
#[cfg(target_os = "linux")]
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output};

/// Ranks as processes that one process starts.
pub struct Tcp;

impl Transport for Tcp {
    fn start(&self, runs: &Runs, out: &Path, ranks: usize, more: &[&str]) -> Option<Vec<Child>> {
        let size = ranks.to_string();
        let words = [&["--processes", &size][..], more].concat();
        Some(vec![started(runs, out, &words)])
    }
}

/// Ranks as processes started by the test, rank 0 last.
struct ByHand;

impl Transport for ByHand {
    fn start(&self, runs: &Runs, out: &Path, ranks: usize, more: &[&str]) -> Option<Vec<Child>> {
        let (meet, size) = (address(), ranks.to_string());
        let rank = |rank: usize| {
            let rank = rank.to_string();
            let words = ["--processes", &size, "--meet", &meet, "--rank", &rank];
            started(runs, out, &[&words[..], more].concat())
        };
        let mut job: Vec<Child> = (0..ranks).rev().map(rank).collect();
        job.reverse();
        Some(job)
    }
}

/// Returns an unused address of this machine.
fn address() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

fn started(runs: &Runs, out: &Path, more: &[&str]) -> Child {
    let mut command = Command::new(bekker());
    spawned(command.args(runs.arguments(out, more)).env("BEKKER_TOKEN", "open sesame"))
}

fn run_to_end(runs: &Runs, out: &Path, more: &[&str]) -> Output {
    started(runs, out, more).wait_with_output().unwrap()
}

#[test]
fn processes_give_the_bits_of_one() {
    let cases: [(usize, &[&str]); 3] = [
        (2, &["--threads", "1"]),
        (3, &["--route", "star", "--partition", "round-robin"]),
        (4, &["--route", "neighbor"]),
    ];
    check_records(&Tcp, SCENARIO, &cases);
    check_resume(&Tcp, &ByHand);
}

#[test]
fn mismatched_processes_are_named_and_leave_nothing() {
    let runs = Runs::new(SCENARIO);
    let out = runs.out("none");
    let meet = address();
    let hand = |rank: &'static str, more: &[&'static str]| {
        let words = ["--processes", "2", "--timeout", "20", "--rank", rank, "--meet", &meet];
        started(&runs, &out, &[&words[..], more].concat())
    };
    // inconsistent options: both ranks name the key, and no files block the next start
    for (more, line, reverse) in [
        (
            &[&[][..], &["--set", "vehicle[0].speed=3"]],
            "rank 1 has vehicle[0].speed = 3.0, rank 0 has 4.0",
            "rank 0 has vehicle[0].speed = 4.0, rank 1 has 3.0",
        ),
        (
            &[&["--rebalance", "0.2"][..], &[]],
            "rank 1 has rebalance = never, rank 0 has every 0.2 s",
            "rank 0 has rebalance = every 0.2 s, rank 1 has never",
        ),
    ] {
        let ranks = [hand("0", more[0]), hand("1", more[1])];
        let [first, second] = ranks.map(|rank| rank.wait_with_output().unwrap());
        assert!(stderr_text(&first).contains(line), "{}", stderr_text(&first));
        assert!(stderr_text(&second).contains(reverse), "{}", stderr_text(&second));
        assert_eq!([first, second].map(|rank| rank.status.code()), [Some(1); 2]);
        assert!(!out.exists());
    }
    // one rank cannot start: both report its reason
    for (more, fails, key) in [
        (&[&[][..], &["--set", "time.duration=-1"]], 1, "time.duration = -1: must be"),
        (&[&["--set", "time.duration=-1"][..], &[]], 0, "time.duration = -1: must be"),
        (&[&["--set", "output.folder=''"][..], &[]], 0, "output.folder = \"\": must name"),
    ] {
        let ranks = [hand("0", more[0]), hand("1", more[1])];
        let ranks = ranks.map(|rank| rank.wait_with_output().unwrap());
        for (rank, output) in ranks.iter().enumerate() {
            let by_name = stderr_text(output).contains(&format!("rank {fails} cannot start: "));
            assert!(
                stderr_text(output).contains(key) && by_name == (rank != fails),
                "{}",
                stderr_text(output)
            );
            assert_eq!(output.status.code(), Some(3));
        }
        assert!(!out.exists());
    }
    // neither can start, or the folder has other files: each reports it once
    let split = &["--partition", "9"][..];
    let both = [hand("0", split), hand("1", split)].map(|rank| rank.wait_with_output().unwrap());
    for output in both {
        assert!(stderr_text(&output).contains("--partition 9: "), "{}", stderr_text(&output));
        assert_eq!(
            stderr_text(&output).matches("--partition 9: ").count(),
            1,
            "{}",
            stderr_text(&output)
        );
    }
    std::fs::create_dir(&out).unwrap();
    std::fs::write(out.join("other.txt"), "other content").unwrap();
    let used = [hand("0", &[]), hand("1", &[])].map(|rank| rank.wait_with_output().unwrap());
    assert!(stderr_text(&used[0]).contains("is not empty"), "{}", stderr_text(&used[0]));
    assert!(stderr_text(&used[1]).contains("rank 0 cannot start: "), "{}", stderr_text(&used[1]));
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 1);
    // another secret
    let first = hand("0", &["--force"]);
    let mut stranger = Command::new(bekker());
    let words = ["--processes", "2", "--timeout", "20", "--rank", "1", "--meet", &meet];
    let output = stranger.args(runs.arguments(&out, &words)).env("BEKKER_TOKEN", "open barley");
    let output = output.output().unwrap();
    assert!(stderr_text(&output).contains("the tokens differ"), "{}", stderr_text(&output));
    // the waiting rank continues to wait; a signal ends it
    let id = first.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    let output = first.wait_with_output().unwrap();
    assert!(
        stderr_text(&output).contains("interrupted before all ranks had connected"),
        "{}",
        stderr_text(&output)
    );
    // no other rank connects
    let words = ["--processes", "3", "--timeout", "0.5", "--rank", "0", "--meet", &meet];
    let output = run_to_end(&runs, &runs.out("alone"), &words);
    assert_eq!(output.status.code(), Some(1));
    let line = "2 of 3 ranks did not join within 0 s: rank 1, 2";
    assert!(stderr_text(&output).contains(line), "{}", stderr_text(&output));
    assert!(!runs.out("alone").exists());
    // an address reachable from other machines requires a secret
    let mut open = Command::new(bekker());
    let words = ["--processes", "2", "--rank", "0", "--meet", "0.0.0.0:9"];
    let output = open.args(runs.arguments(&out, &words)).env_remove("BEKKER_TOKEN");
    let output = output.output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr_text(&output).contains("BEKKER_TOKEN: must be set"), "{}", stderr_text(&output));
}

#[test]
#[cfg(target_os = "linux")]
fn a_killed_process_is_named_and_its_part_is_recomputed() {
    // Not after the timeout of ten minutes. Rank 0 has repeated rank 1's part.
    check_kill(&Tcp, "600", "rank 1 has disconnected; checkpoint written at tick ");
}

/// Vehicles migrate constantly and one process is killed: the run restarts automatically
/// from the last checkpoint, with the files of a run in one process.
#[test]
#[cfg(target_os = "linux")]
fn a_run_restarts_automatically_after_a_process_is_killed() {
    let runs = Runs::new(SCENARIO);
    let (single, out) = (runs.out("single"), runs.out("restarted"));
    runs.single(&single, &["--set", "time.duration=3"]);
    let words = ["--set", "time.duration=3", "--checkpoint-every", "0.1"];
    let more = ["--restarts", "2", "--route", "neighbor", "--rebalance", "0.1"];
    let chance = ["--rebalance-by-chance", "7"];
    let is_stored = |out: &Path| out.join("checkpoint.bin").exists();
    let all = [&words[..], &more, &chance].concat();
    let output = strike(&Tcp, &runs, &out, "-KILL", &|| is_stored(&out), &all).unwrap();
    let told = stderr_text(&output);
    assert!(output.status.success(), "{told}");
    assert!(
        told.contains(
            "rank 1 has disconnected; restarting from the last checkpoint (1 restarts left)"
        ),
        "{told}"
    );
    assert_same_files(&RESTORED, &single, &out, "restarted");
    // a rank whose machine is reclaimed disconnects, and the others continue
    let gone = runs.out("gone");
    let all = [&words[..], &more].concat();
    let output = strike(&Tcp, &runs, &gone, "-USR1", &|| is_stored(&gone), &all).unwrap();
    assert!(output.status.success(), "{}", crate::runs::stderr_text(&output));
    assert_same_files(&RESTORED, &single, &gone, "without rank 1");
    let beats = read(&gone, "heartbeats.csv");
    assert!(beats.lines().last().unwrap().split(',').nth(1) == Some("1"), "of two ranks");
}

/// A rank joins a running run: the files are those of one process, and there is one more rank.
#[test]
#[cfg(target_os = "linux")]
fn a_rank_joins_a_running_run() {
    let runs = Runs::new(SCENARIO);
    let (single, out) = (runs.out("single"), runs.out("joined"));
    runs.single(&single, &["--set", "time.duration=3"]);
    let words = ["--processes", "2", "--set", "time.duration=3", "--checkpoint-every", "0.1"];
    let strike = |out: &Path, more: &[&str]| {
        let job = started(&runs, out, &[&words[..], more].concat());
        // the first of them, whole or in parts
        let names = ["checkpoint.bin", "checkpoints"];
        wait_until(&|| names.iter().any(|name| out.join(name).exists()));
        signal("-USR2", &job.id().to_string());
        job.wait_with_output().unwrap()
    };
    for (name, more) in [("joined", vec![]), ("in parts", vec!["--parts"])] {
        let out = if name == "joined" { out.clone() } else { runs.out(name) };
        let output = strike(&out, &more);
        let told = stderr_text(&output);
        assert!(output.status.success(), "{name}: {}: {told}", output.status);
        let joins = "a rank joins; restarting from the last checkpoint with 3 processes";
        assert!(told.contains(joins), "{told}");
        assert_same_files(&RESTORED, &single, &out, name);
        let beats = read(&out, "heartbeats.csv");
        assert!(beats.lines().last().unwrap().split(',').nth(1) == Some("2"), "of three ranks");
    }
    // a run in one process cannot be joined, and continues
    let alone = runs.out("alone");
    let mut job = started(&runs, &alone, &["--set", "time.duration=600"]);
    let told = job.stderr.take().unwrap();
    wait_until(&|| alone.join("checkpoint.bin").exists());
    let id = job.id().to_string();
    signal("-USR2", &id);
    let mut told = BufReader::new(told).lines().map_while(Result::ok);
    let refused = "SIGUSR2: no rank can join: only ranks that --processes";
    assert!(told.any(|line| line.contains(refused)));
    signal("-INT", &id);
    // unread output would block it
    told.for_each(drop);
    assert!(job.wait().unwrap().code() == Some(130));
}

/// A restarted run restarts again, with the options of the run, by the original process.
#[test]
#[cfg(target_os = "linux")]
fn a_restarted_run_restarts_again_with_all_its_options() {
    let runs = Runs::new(SCENARIO);
    let out = runs.out("again");
    let more = ["--processes", "2", "--restarts", "2", "--realtime=2", "--gpu", "off", "--serve"];
    let job = started(&runs, &out, &[&ENDLESS[..], &more].concat());
    let id = job.id().to_string();
    let line = || std::fs::read(format!("/proc/{id}/cmdline")).unwrap();
    let words = || String::from_utf8(line()).unwrap().replace('\0', " ");
    let stored = || std::fs::metadata(out.join("checkpoint.bin")).and_then(|own| own.modified());
    // until a checkpoint has been written by the process with these words
    let goes_on = |with: &str| {
        wait_until(&|| words().contains(with));
        let before = stored().ok();
        wait_until(&|| stored().ok() != before);
        std::thread::sleep(std::time::Duration::from_millis(100));
    };
    goes_on("--restarts 2");
    for left in ["--restarts=1", "--restarts=0"] {
        signal("-KILL", &process_of(1, &out).expect("rank 1 runs"));
        goes_on(left);
        for word in ["--resume", "--realtime=2", "--gpu=off", "--serve=", "--checkpoint-every=0.1"]
        {
            assert!(words().contains(word), "{word}: {}", words());
        }
    }
    signal("-TERM", &id);
    let output = job.wait_with_output().unwrap();
    let told = stderr_text(&output);
    assert_eq!(output.status.code(), Some(130), "{told}");
    for left in ["(1 restarts left)", "(0 restarts left)"] {
        assert!(
            told.contains(&format!(
                "rank 1 has disconnected; restarting from the last checkpoint {left}"
            )),
            "{told}"
        );
    }
    assert_eq!(told.matches("serving at ").count(), 3, "{told}");
}

/// A process is killed while vehicles are placed, before the first checkpoint: the run starts
/// over automatically, with the files of a run in one process.
#[test]
#[cfg(target_os = "linux")]
fn a_run_starts_over_when_a_process_is_killed_before_the_first_checkpoint() {
    // enough vehicles that placing them takes some time
    let row = "[[vehicle]]\nname = 'row'\nmodel = 'hmmwv'\nposition = [0, 50]\n\
               row = { count = 24, to = [0, 290], parallel = true }\n\
               driver = { kind = 'path', speed = 5, waypoints = [[0, 50], [200, 50]] }\n";
    let runs = Runs::new(&format!("{SCENARIO}\n{row}"));
    let (single, out) = (runs.out("single"), runs.out("again"));
    let short = ["--set", "time.duration=0.1"];
    runs.single(&single, &short);
    let more = [&short[..], &["--restarts", "1"]].concat();
    let is_begun = || out.join("manifest.json").exists();
    let output = strike(&Tcp, &runs, &out, "-KILL", &is_begun, &more).unwrap();
    let told = stderr_text(&output);
    assert!(output.status.success(), "{told}");
    assert!(
        told.contains("rank 1 has disconnected; restarting from the beginning (0 restarts left)"),
        "{told}"
    );
    assert_same_files(&RESTORED, &single, &out, "begun again");
}

#[test]
#[cfg(target_os = "linux")]
fn a_process_that_hangs_is_named_and_does_not_stay_behind() {
    let runs = Runs::new(SCENARIO);
    let out = runs.out("hung");
    // with a timeout of a second or two, processes on busy cores would time out
    let output = strike_endless(&Tcp, &runs, &out, "-STOP", "5").unwrap();
    let told = stderr_text(&output);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("no answer from rank 1 within 5 s; checkpoint written"), "{told}");
    assert_eq!(process_of(1, &out), None);
}

#[test]
#[cfg(target_os = "linux")]
fn a_signal_to_any_process_ends_the_run_on_all() {
    check_signal(&Tcp, "-TERM");
}
