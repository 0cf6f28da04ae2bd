//! Ranks connected by DDS on the loopback interface: the bits of one process.
//!
//! A killed rank is named, and a rank in another language is a full rank.

use crate::python;
#[cfg(target_os = "linux")]
use crate::rank_jobs::check_kill;
use crate::rank_jobs::{SCENARIO, Transport, check_records, spawned};
use crate::runs::{Runs, bekker, stderr_text};
use bekker::sync::{DdsDomain, Rendezvous, contract};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::thread;
use std::time::Duration;

/// Returns a DDS domain for this process and its `nth` test.
fn domain(nth: u16) -> DdsDomain {
    let number = 4 * (std::process::id() % 50) as u16 + nth;
    DdsDomain { number, network: Some([127, 0, 0, 1].into()) }
}

/// Ranks as processes in the domains of this process from a number on, one a run.
struct Dds(AtomicU16);

impl Transport for Dds {
    fn start(&self, runs: &Runs, out: &Path, ranks: usize, more: &[&str]) -> Option<Vec<Child>> {
        let domain = domain(self.0.fetch_add(1, Ordering::Relaxed));
        let (meet, size) = (format!("dds:{domain}"), ranks.to_string());
        let rank = |rank: usize| {
            let rank = rank.to_string();
            let words = ["--processes", &size, "--rank", &rank, "--meet", &meet, "--threads", "1"];
            let words = [&words[..], more].concat();
            spawned(Command::new(bekker()).args(runs.arguments(out, &words)))
        };
        Some((0..ranks).map(rank).collect())
    }
}

#[test]
fn processes_give_the_bits_of_one() {
    let cases: [(usize, &[&str]); 2] = [(2, &[]), (4, &["--route", "neighbor"])];
    check_records(&Dds(0.into()), SCENARIO, &cases);
}

#[test]
#[cfg(target_os = "linux")]
fn a_process_that_is_killed_is_named() {
    check_kill(&Dds(2.into()), "60", "rank 1 has disconnected");
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
        join_timeout: minute,
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
                let mut met = rendezvous.join_over_dds(rank, domain, &mut || Ok(())).unwrap();
                contract::check(&mut met).unwrap();
            })
        };
        let own = [play(0), play(2)];
        let output = peer.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", stderr_text(&output));
        assert_eq!(output.stdout, b"rank 1 of 3 kept the contract\n");
        own.into_iter().for_each(|rank| rank.join().unwrap());
    });
}
