//! Ranks as processes that meet by TCP: the bits of one process, and what happens to those that
//! do not fit, do not come, or die.

use crate::ranks_mpi::{SCENARIO, bekker, read};
use crate::runs::{Runs, told};
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

/// An address of this machine that nobody waits at.
fn address() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

fn started(runs: &Runs, out: &Path, more: &[&str]) -> Child {
    let mut command = Command::new(bekker());
    command.args(runs.arguments(out, more)).env("BEKKER_TOKEN", "open sesame");
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn ended(runs: &Runs, out: &Path, more: &[&str]) -> Output {
    started(runs, out, more).wait_with_output().unwrap()
}

#[test]
fn processes_give_the_bits_of_one() {
    let runs = Runs::of(SCENARIO);
    let single = runs.out("single");
    runs.single(&single, &[]);
    let bytes = |folder: &Path, file: &str| std::fs::read(folder.join(file)).unwrap();
    for (name, more) in [
        ("two", &["--processes", "2", "--threads", "1"][..]),
        ("star", &["--processes", "3", "--route", "star", "--partition", "round-robin"]),
        ("near", &["--processes", "4", "--route", "neighbour"]),
    ] {
        let out = runs.out(name);
        let output = ended(&runs, &out, more);
        assert!(output.status.success(), "{name}: {}", told(&output));
        for file in ["hashes.csv", "states.parquet", "checkpoint.bin"] {
            assert!(bytes(&single, file) == bytes(&out, file), "{name}: {file}");
        }
    }
    // cut on three processes, resumed on two that somebody starts by hand
    let (cut, rest, meet) = (runs.out("cut"), runs.out("rest"), address());
    let short = ["--processes", "3", "--set", "time.duration=0.7"];
    assert!(ended(&runs, &cut, &short).status.success());
    let resume = ["--resume", cut.to_str().unwrap(), "--processes", "2", "--meet", &meet];
    let hand =
        |rank: &'static str| started(&runs, &rest, &[&resume[..], &["--rank", rank]].concat());
    // whichever comes first
    let (second, first) = (hand("1"), hand("0"));
    for rank in [first, second] {
        let output = rank.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", told(&output));
    }
    let (whole, rest) = (read(&single, "hashes.csv"), read(&rest, "hashes.csv"));
    let lines: Vec<&str> = whole.lines().skip(71).collect();
    assert_eq!(rest.lines().skip(1).collect::<Vec<_>>(), lines);
}

#[test]
fn those_that_do_not_fit_are_named_and_nothing_is_left() {
    let runs = Runs::of(SCENARIO);
    let out = runs.out("none");
    let meet = address();
    let hand = |rank: &'static str, more: &[&'static str]| {
        let words = ["--processes", "2", "--timeout", "20", "--rank", rank, "--meet", &meet];
        started(&runs, &out, &[&words[..], more].concat())
    };
    // what does not go together: both say so, by its key, and nothing is in the way of the next start
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
        assert!(told(&first).contains(line), "{}", told(&first));
        assert!(told(&second).contains(reverse), "{}", told(&second));
        assert_eq!([first, second].map(|rank| rank.status.code()), [Some(1); 2]);
        assert!(!out.exists());
    }
    // one cannot start: it says why, and the other what it says
    for (more, fails, key) in [
        (&[&[][..], &["--set", "time.duration=-1"]], 1, "time.duration = -1: must be"),
        (&[&["--set", "time.duration=-1"][..], &[]], 0, "time.duration = -1: must be"),
        (&[&["--set", "output.folder=''"][..], &[]], 0, "output.folder = \"\": must name"),
    ] {
        let ranks = [hand("0", more[0]), hand("1", more[1])];
        let ranks = ranks.map(|rank| rank.wait_with_output().unwrap());
        for (rank, output) in ranks.iter().enumerate() {
            let by_name = told(output).contains(&format!("rank {fails} cannot start: "));
            assert!(told(output).contains(key) && by_name == (rank != fails), "{}", told(output));
            assert_eq!(output.status.code(), Some(3));
        }
        assert!(!out.exists());
    }
    // both cannot, or the folder is another's: each has its word
    let split = &["--partition", "9"][..];
    let both = [hand("0", split), hand("1", split)].map(|rank| rank.wait_with_output().unwrap());
    for output in both {
        assert!(told(&output).contains("--partition 9: "), "{}", told(&output));
        assert_eq!(told(&output).matches("--partition 9: ").count(), 1, "{}", told(&output));
    }
    std::fs::create_dir(&out).unwrap();
    std::fs::write(out.join("other.txt"), "of somebody").unwrap();
    let used = [hand("0", &[]), hand("1", &[])].map(|rank| rank.wait_with_output().unwrap());
    assert!(told(&used[0]).contains("is not empty"), "{}", told(&used[0]));
    assert!(told(&used[1]).contains("rank 0 cannot start: "), "{}", told(&used[1]));
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 1);
    // another secret
    let first = hand("0", &["--force"]);
    let mut stranger = Command::new(bekker());
    let words = ["--processes", "2", "--timeout", "20", "--rank", "1", "--meet", &meet];
    let output = stranger.args(runs.arguments(&out, &words)).env("BEKKER_TOKEN", "open barley");
    let output = output.output().unwrap();
    assert!(told(&output).contains("it has another token"), "{}", told(&output));
    // who waits goes on waiting; a signal ends that
    let id = first.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    let output = first.wait_with_output().unwrap();
    assert!(
        told(&output).contains("interrupted before all ranks had connected"),
        "{}",
        told(&output)
    );
    // nobody comes
    let words = ["--processes", "3", "--timeout", "0.5", "--rank", "0", "--meet", &meet];
    let output = ended(&runs, &runs.out("alone"), &words);
    assert_eq!(output.status.code(), Some(1));
    let line = "2 of 3 ranks did not come within 0 s: rank 1, 2";
    assert!(told(&output).contains(line), "{}", told(&output));
    assert!(!runs.out("alone").exists());
    // an address that others reach wants a secret
    let mut open = Command::new(bekker());
    let words = ["--processes", "2", "--rank", "0", "--meet", "0.0.0.0:9"];
    let output = open.args(runs.arguments(&out, &words)).env_remove("BEKKER_TOKEN");
    let output = output.output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(told(&output).contains("BEKKER_TOKEN: must be set"), "{}", told(&output));
}

/// The process of a rank that `bekker run --processes` started for the run in `out`.
#[cfg(target_os = "linux")]
fn process_of(rank: &str, out: &Path) -> Option<String> {
    std::fs::read_dir("/proc").unwrap().flatten().find_map(|entry| {
        let bytes = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let words: Vec<&[u8]> = bytes.split(|&byte| byte == 0).collect();
        let is_rank = words.windows(2).any(|pair| pair == [&b"--rank"[..], rank.as_bytes()]);
        let is_run = words.contains(&out.to_str()?.as_bytes());
        (is_rank && is_run).then(|| entry.file_name().into_string().unwrap())
    })
}

/// What became of three processes, of which one got a signal after the first checkpoint.
#[cfg(target_os = "linux")]
fn struck(runs: &Runs, out: &Path, signal: &str, timeout: &str) -> Output {
    let words = ["--processes", "3", "--set", "time.duration=600", "--checkpoint-every", "0.1"];
    struck_of(runs, out, signal, "checkpoint.bin", &[&words[..], &["--timeout", timeout]].concat())
}

/// The same of processes with these options, after a file was written.
#[cfg(target_os = "linux")]
fn struck_of(runs: &Runs, out: &Path, signal: &str, after: &str, more: &[&str]) -> Output {
    struck_when(runs, out, signal, &|| out.join(after).exists(), more)
}

/// The same once it is time.
#[cfg(target_os = "linux")]
pub(crate) fn struck_when(
    runs: &Runs,
    out: &Path,
    signal: &str,
    is_time: &dyn Fn() -> bool,
    more: &[&str],
) -> Output {
    use std::time::{Duration, Instant};
    let job = started(runs, out, more);
    let begun = Instant::now();
    while !is_time() {
        assert!(begun.elapsed() < Duration::from_secs(120), "what is waited for does not come");
        std::thread::sleep(Duration::from_millis(20));
    }
    // what was written last is followed by a word of all ranks that they are ready
    std::thread::sleep(Duration::from_millis(100));
    let process = process_of("1", out).expect("rank 1 runs");
    assert!(Command::new("kill").args([signal, &process]).status().unwrap().success());
    job.wait_with_output().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn a_process_that_is_killed_is_named_at_once_and_its_part_made_good() {
    let runs = Runs::of(SCENARIO);
    let out = runs.out("killed");
    let output = struck(&runs, &out, "-KILL", "600");
    let told = told(&output);
    assert_eq!(output.status.code(), Some(1), "{told}");
    // not after the time-out of ten minutes; and rank 0 has driven rank 1's part again
    assert!(told.contains("rank 1 is gone; checkpoint written at tick "), "{told}");
    crate::ranks_mpi::goes_on(&runs, &out);
}

/// Vehicles that change processes all the time, one of which is killed: the run goes on by itself
/// from the last checkpoint, and leaves what a run in one process leaves.
#[test]
#[cfg(target_os = "linux")]
fn a_run_goes_on_by_itself_when_a_process_is_killed() {
    let runs = Runs::of(SCENARIO);
    let (single, out) = (runs.out("single"), runs.out("restarted"));
    runs.single(&single, &["--set", "time.duration=3"]);
    let words = ["--processes", "3", "--set", "time.duration=3", "--checkpoint-every", "0.1"];
    let more = ["--restarts", "2", "--route", "neighbour", "--rebalance", "0.1"];
    let chance = ["--rebalance-by-chance", "7"];
    let output =
        struck_of(&runs, &out, "-KILL", "checkpoint.bin", &[&words[..], &more, &chance].concat());
    let told = told(&output);
    assert!(output.status.success(), "{told}");
    assert!(
        told.contains("rank 1 is gone; restarting from the last checkpoint (1 restarts left)"),
        "{told}"
    );
    let bytes = |folder: &Path, file: &str| std::fs::read(folder.join(file)).unwrap();
    for file in ["hashes.csv", "states.parquet", "checkpoint.bin"] {
        assert!(bytes(&single, file) == bytes(&out, file), "{file}");
    }
    // one whose machine is wanted back leaves, and the others drive on
    let gone = runs.out("gone");
    let output = struck_of(&runs, &gone, "-USR1", "checkpoint.bin", &[&words[..], &more].concat());
    assert!(output.status.success(), "{}", crate::runs::told(&output));
    for file in ["hashes.csv", "states.parquet", "checkpoint.bin"] {
        assert!(bytes(&single, file) == bytes(&gone, file), "{file} without rank 1");
    }
    let beats = read(&gone, "heartbeats.csv");
    assert!(beats.lines().last().unwrap().split(',').nth(1) == Some("1"), "of two ranks");
}

/// A rank joins a run that goes on: the files are those of one process, and there is one more.
#[test]
#[cfg(target_os = "linux")]
fn a_rank_joins_a_run_that_goes_on() {
    let runs = Runs::of(SCENARIO);
    let (single, out) = (runs.out("single"), runs.out("joined"));
    runs.single(&single, &["--set", "time.duration=3"]);
    let words = ["--processes", "2", "--set", "time.duration=3", "--checkpoint-every", "0.1"];
    let strike = |out: &Path, more: &[&str]| {
        let job = started(&runs, out, &[&words[..], more].concat());
        let begun = std::time::Instant::now();
        // the first of them, whole or in parts
        while !["checkpoint.bin", "checkpoints"].iter().any(|name| out.join(name).exists()) {
            assert!(begun.elapsed().as_secs() < 120, "no checkpoint comes");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let first = job.id().to_string();
        assert!(Command::new("kill").args(["-USR2", &first]).status().unwrap().success());
        job.wait_with_output().unwrap()
    };
    for (name, more) in [("joined", vec![]), ("in parts", vec!["--parts"])] {
        let out = if name == "joined" { out.clone() } else { runs.out(name) };
        let output = strike(&out, &more);
        let told = told(&output);
        assert!(output.status.success(), "{name}: {}: {told}", output.status);
        let joins = "a rank joins; restarting from the last checkpoint with 3 processes";
        assert!(told.contains(joins), "{told}");
        for file in ["hashes.csv", "states.parquet", "checkpoint.bin"] {
            let bytes = |folder: &Path| std::fs::read(folder.join(file)).unwrap();
            assert!(bytes(&single) == bytes(&out), "{name}: {file}");
        }
        let beats = read(&out, "heartbeats.csv");
        assert!(beats.lines().last().unwrap().split(',').nth(1) == Some("2"), "of three ranks");
    }
    // alone there is nothing to join, and the run goes on
    let alone = runs.out("alone");
    let mut job = started(&runs, &alone, &["--set", "time.duration=600"]);
    let told = job.stderr.take().unwrap();
    while !alone.join("checkpoint.bin").exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let signal = |name: &str| {
        let words = [name, &job.id().to_string()];
        assert!(Command::new("kill").args(words).status().unwrap().success());
    };
    signal("-USR2");
    let mut told = BufReader::new(told).lines().map_while(Result::ok);
    let refused = "SIGUSR2: no rank can join: only ranks that --processes";
    assert!(told.any(|line| line.contains(refused)));
    signal("-INT");
    // what is not read would hold it up
    told.for_each(drop);
    assert!(job.wait().unwrap().code() == Some(130));
}

/// A restart too is gone on from, with the options of the run, by the process that was started.
#[test]
#[cfg(target_os = "linux")]
fn a_run_that_went_on_goes_on_again_with_all_its_options() {
    use std::time::{Duration, Instant};
    let runs = Runs::of(SCENARIO);
    let out = runs.out("again");
    let words = ["--processes", "2", "--set", "time.duration=600", "--checkpoint-every", "0.1"];
    let more = ["--restarts", "2", "--realtime=2", "--gpu", "off", "--serve"];
    let job = started(&runs, &out, &[&words[..], &more].concat());
    let id = job.id().to_string();
    let line = || std::fs::read(format!("/proc/{id}/cmdline")).unwrap();
    let words = || String::from_utf8(line()).unwrap().replace('\0', " ");
    let stored = || std::fs::metadata(out.join("checkpoint.bin")).and_then(|own| own.modified());
    let signal = |name: &str, process: &str| {
        assert!(Command::new("kill").args([name, process]).status().unwrap().success());
    };
    let until = |is_time: &dyn Fn() -> bool| {
        let begun = Instant::now();
        while !is_time() {
            assert!(begun.elapsed() < Duration::from_secs(120), "{}", words());
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    // until a checkpoint has been written by the process with these words
    let goes_on = |with: &str| {
        until(&|| words().contains(with));
        let before = stored().ok();
        until(&|| stored().ok() != before);
        std::thread::sleep(Duration::from_millis(100));
    };
    goes_on("--restarts 2");
    for left in ["--restarts=1", "--restarts=0"] {
        signal("-KILL", &process_of("1", &out).expect("rank 1 runs"));
        goes_on(left);
        for word in ["--resume", "--realtime=2", "--gpu=off", "--serve=", "--checkpoint-every=0.1"]
        {
            assert!(words().contains(word), "{word}: {}", words());
        }
    }
    signal("-TERM", &id);
    let output = job.wait_with_output().unwrap();
    let told = told(&output);
    assert_eq!(output.status.code(), Some(130), "{told}");
    for left in ["(1 restarts left)", "(0 restarts left)"] {
        assert!(
            told.contains(&format!("rank 1 is gone; restarting from the last checkpoint {left}")),
            "{told}"
        );
    }
    assert_eq!(told.matches("serving at ").count(), 3, "{told}");
}

/// A process is killed while vehicles are set down, before there is a checkpoint: the run begins
/// anew by itself, and leaves what a run in one process leaves.
#[test]
#[cfg(target_os = "linux")]
fn a_run_begins_anew_when_a_process_is_killed_before_the_first_checkpoint() {
    // so many that setting them down takes its time
    let row = "[[vehicle]]\nname = 'row'\nmodel = 'hmmwv'\nposition = [0, 50]\n\
               row = { count = 24, to = [0, 290], parallel = true }\n\
               driver = { kind = 'path', speed = 5, waypoints = [[0, 50], [200, 50]] }\n";
    let runs = Runs::of(&format!("{SCENARIO}\n{row}"));
    let (single, out) = (runs.out("single"), runs.out("again"));
    let short = ["--set", "time.duration=0.1"];
    runs.single(&single, &short);
    let more = [&short[..], &["--processes", "3", "--restarts", "1"]].concat();
    let output = struck_of(&runs, &out, "-KILL", "manifest.json", &more);
    let told = told(&output);
    assert!(output.status.success(), "{told}");
    assert!(
        told.contains("rank 1 is gone; restarting from the beginning (0 restarts left)"),
        "{told}"
    );
    for file in ["hashes.csv", "states.parquet", "checkpoint.bin"] {
        let bytes = |folder: &Path| std::fs::read(folder.join(file)).unwrap();
        assert!(bytes(&single) == bytes(&out), "{file}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_process_that_hangs_is_named_and_does_not_stay_behind() {
    let runs = Runs::of(SCENARIO);
    let out = runs.out("hung");
    // of a second or two processes on slow cores, beside another test, are silent for want of them
    let output = struck(&runs, &out, "-STOP", "5");
    let told = told(&output);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("no answer from rank 1 within 5 s; checkpoint written"), "{told}");
    assert_eq!(process_of("1", &out), None);
}

#[test]
#[cfg(target_os = "linux")]
fn a_signal_to_any_process_ends_the_run_on_all() {
    let runs = Runs::of(SCENARIO);
    let out = runs.out("interrupted");
    let output = struck(&runs, &out, "-TERM", "60");
    assert_eq!(output.status.code(), Some(130), "{}", told(&output));
    assert!(out.join("summary.json").exists());
}
