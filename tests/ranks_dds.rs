//! Ranks connected by DDS on the loopback interface: the bits of one process.
//!
//! A killed rank is named, and a rank in another language is a full rank.

use crate::python;
use crate::ranks_mpi::{SCENARIO, bekker};
use crate::runs::{Runs, told};
use bekker::sync::{DdsDomain, Rendezvous, contract};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Returns a DDS domain for this process and its `nth` test.
fn domain(nth: u16) -> DdsDomain {
    let number = 4 * (std::process::id() % 50) as u16 + nth;
    DdsDomain { number, network: Some([127, 0, 0, 1].into()) }
}

/// Starts the processes of a run's ranks.
fn started(runs: &Runs, out: &Path, domain: DdsDomain, ranks: usize, more: &[&str]) -> Vec<Child> {
    let (meet, size) = (format!("dds:{domain}"), ranks.to_string());
    let rank = |rank: usize| {
        let rank = rank.to_string();
        let words = ["--processes", &size, "--rank", &rank, "--meet", &meet, "--threads", "1"];
        let mut command = Command::new(bekker());
        command.args(runs.arguments(out, &[&words[..], more].concat()));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    (0..ranks).map(rank).collect()
}

fn ended(ranks: Vec<Child>) -> Vec<Output> {
    ranks.into_iter().map(|rank| rank.wait_with_output().unwrap()).collect()
}

#[test]
fn processes_give_the_bits_of_one() {
    let runs = Runs::of(SCENARIO);
    let single = runs.out("single");
    runs.single(&single, &[]);
    for (nth, ranks, more) in [(0, 2, &[][..]), (1, 4, &["--route", "neighbour"])] {
        let out = runs.out(&ranks.to_string());
        for output in ended(started(&runs, &out, domain(nth), ranks, more)) {
            assert!(output.status.success(), "{ranks} ranks: {}", told(&output));
        }
        for file in ["hashes.csv", "states.parquet", "checkpoint.bin"] {
            let bytes = |folder: &Path| std::fs::read(folder.join(file)).unwrap();
            assert!(bytes(&single) == bytes(&out), "{ranks} ranks: {file}");
        }
    }
}

#[test]
fn a_process_that_is_killed_is_named() {
    let runs = Runs::of(SCENARIO);
    let out = runs.out("killed");
    let more = ["--set", "time.duration=600", "--checkpoint-every", "0.1"];
    let mut ranks = started(&runs, &out, domain(2), 2, &more);
    let begun = Instant::now();
    while !out.join("checkpoint.bin").exists() {
        assert!(begun.elapsed() < Duration::from_secs(120), "no checkpoint came");
        thread::sleep(Duration::from_millis(20));
    }
    ranks[1].kill().unwrap();
    let first = ended(ranks).remove(0);
    assert_eq!(first.status.code(), Some(1), "{}", told(&first));
    assert!(told(&first).contains("rank 1 is gone"), "{}", told(&first));
}

#[test]
fn a_rank_in_python_keeps_the_contract() {
    let Some(python) = python::having("import cyclonedds", "`cyclonedds`") else { return };
    let (domain, size) = (domain(3), 3);
    let minute = Duration::from_secs(60);
    let rendezvous = Rendezvous {
        size,
        token: "open sesame".into(),
        program: "bekker of the tests".into(),
        patience: minute,
        timeout: minute,
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dds_rank.py");
    let words = [domain.number.to_string(), "1".into(), size.to_string()];
    let peer = Command::new(python)
        .arg(script)
        .args(words)
        .args([&rendezvous.program, &rendezvous.dds_group()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    thread::scope(|scope| {
        let play = |rank| {
            let rendezvous = &rendezvous;
            scope.spawn(move || {
                let mut met = rendezvous.meet_over_dds(rank, domain, &mut || Ok(())).unwrap();
                contract::check(&mut met).unwrap();
            })
        };
        let own = [play(0), play(2)];
        let output = peer.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", told(&output));
        assert_eq!(output.stdout, b"rank 1 of 3 kept the contract\n");
        own.into_iter().for_each(|rank| rank.join().unwrap());
    });
}
