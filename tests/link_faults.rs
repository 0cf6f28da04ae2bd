//! Faults of external drivers: each has a name, and the run stays complete.
//!
//! Garbage and unauthorized peers at connection: tests/link.rs.

use crate::link::{FinishedRun, Peer, Run, STEPS, bekker, scenario, verify};
use serde_json::json;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener};
use std::path::Path;
use std::process::Command;
use std::sync::Barrier;

/// Maximum bytes of an HTTP header.
const LONGEST_HEAD: usize = 16 << 10;

/// Returns the folder and output of a run whose drivers disconnected.
fn braked(run: Run, who: &str) -> String {
    let folder = run.folder.clone();
    let FinishedRun { code, said } = run.wait();
    assert_eq!(code, 0, "{said}");
    assert!(said.contains(&format!("a: its driver {who}")), "{said}");
    assert!(
        said.lines().any(|line| line.starts_with("b: ") && line.ends_with(": it brakes")),
        "{said}"
    );
    let commands = std::fs::read_to_string(folder.join("commands.csv")).unwrap();
    for vehicle in ["a", "b"] {
        let lost = format!(",{vehicle},0,1,");
        let row = commands.lines().find(|row| row.contains(&lost));
        assert!(row.is_some_and(|row| row.contains(",lost,")), "{commands}");
    }
    verify(&folder);
    said
}

#[test]
fn a_partial_message_of_a_lost_driver_is_discarded() {
    // An incomplete plain frame and an incomplete WebSocket frame.
    let half_frames: [&[u8]; 2] =
        [b"\0\0\0\x60{\"type\": \"act\", \"con", b"\x81\xfe\x00\x60\0\0\0\0{\"type\": \"act"];
    for (way, half) in half_frames.into_iter().enumerate() {
        let place = tempfile::tempdir().unwrap();
        let run = Run::start(place.path(), &scenario(""), &[]);
        let hello = json!({ "vehicles": ["a", "b"], "name": "dying" });
        let mut peer = if way == 0 { run.connect(hello) } else { run.web_socket(hello) };
        assert_eq!(peer.receive()["type"], "welcome");
        assert_eq!(peer.drive(STEPS)["tick"], STEPS);
        peer.0.write_all(half).unwrap();
        drop(peer);
        let said = braked(run, "dying (127.0.0.1:");
        assert!(!said.contains("panicked"), "{said}");
    }
}

#[test]
fn frames_that_are_too_large_end_their_session_by_name() {
    let place = tempfile::tempdir().unwrap();
    let run = Run::start(place.path(), &scenario(""), &[]);
    let peer = run.driver(&["a", "b"]);
    // A plain message one byte above the limit, and 2 MiB in a WebSocket.
    let watch = json!({ "role": "observer" });
    let over = ((1_u32 << 20) + 1).to_be_bytes();
    let large = [&[0x81, 0x80 | 127][..], &(2_u64 << 20).to_be_bytes(), &[0; 4]].concat();
    let told_plain: [(Peer, &[u8]); 2] =
        [(run.connect(watch.clone()), &over), (run.web_socket(watch.clone()), &large)];
    for (mut watcher, bytes) in told_plain {
        assert_eq!(watcher.receive()["type"], "welcome");
        watcher.0.write_all(bytes).unwrap();
        let fault = std::iter::from_fn(|| watcher.try_receive()).find(|own| own["type"] == "fault");
        let fault = fault.expect("a fault");
        assert_eq!(fault["code"], "message", "{fault}");
        assert!(fault["text"].as_str().unwrap().contains("1048576"), "{fault}");
    }
    // A wrong token in a WebSocket, and unmasked frames, which only servers may send.
    let mut stranger = run.web_socket(json!({ "token": "other", "vehicles": ["a"] }));
    assert_eq!(stranger.receive()["code"], "token");
    let mut bare = run.web_socket(watch);
    assert_eq!(bare.receive()["type"], "welcome");
    bare.0.write_all(b"\x81\x02{}").unwrap();
    let fault = std::iter::from_fn(|| bare.try_receive()).find(|own| own["type"] == "fault");
    assert_eq!(fault.expect("a fault")["code"], "message");
    // An HTTP header one byte above the limit, which is read in full before it is refused, and an
    // incomplete one.
    let mut over = b"GET / HTTP/1.1\r\nA: ".to_vec();
    over.resize(LONGEST_HEAD + 1, b'a');
    for (head, cause) in [
        (over, format!("HTTP header above {LONGEST_HEAD} bytes")),
        (b"GET / HTTP/1.1\r\nHost: x\r\n".to_vec(), "incomplete HTTP header".into()),
    ] {
        let mut stream = run.stranger().0;
        stream.write_all(&head).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 400 ") && answer.contains(&cause), "{answer}");
    }
    run.driven_to_its_end(peer);
}

#[test]
fn concurrent_claims_of_a_vehicle_admit_one_driver() {
    let place = tempfile::tempdir().unwrap();
    let run = Run::start(place.path(), &scenario(""), &[]);
    let mut rounds = 0;
    while rounds < 10 {
        let barrier = Barrier::new(2);
        let claims = [(); 2].map(|()| (run.stranger(), run.hello(json!({ "vehicles": ["a"] }))));
        let both = std::thread::scope(|scope| {
            let both = claims.map(|(mut peer, hello)| {
                let barrier = &barrier;
                scope.spawn(move || {
                    barrier.wait();
                    peer.send(&hello);
                    (peer.receive(), peer)
                })
            });
            both.map(|own| own.join().unwrap())
        });
        let mut answers = both.each_ref().map(|(answer, _)| {
            answer["code"].as_str().unwrap_or(answer["type"].as_str().unwrap()).to_owned()
        });
        answers.sort();
        if answers == ["taken", "taken"] {
            // The disconnection of the previous driver is not yet detected.
            continue;
        }
        assert_eq!(answers, ["taken", "welcome"]);
        rounds += 1;
        // A disconnected driver frees its slot once the disconnection is detected.
        drop(both);
        loop {
            let mut next = run.connect(json!({ "vehicles": ["a"] }));
            if next.receive()["type"] == "welcome" {
                break;
            }
        }
    }
    let peer = loop {
        let mut peer = run.connect(json!({ "vehicles": ["a", "b"] }));
        if peer.receive()["type"] == "welcome" {
            break peer;
        }
    };
    run.driven_to_its_end(peer);
}

#[test]
fn an_address_in_use_is_named_and_nothing_starts() {
    let place = tempfile::tempdir().unwrap();
    let (file, out) = (place.path().join("linked.toml"), place.path().join("run"));
    std::fs::write(&file, scenario("")).unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut addresses = vec![taken.local_addr().unwrap().to_string()];
    #[cfg(unix)]
    let socket = place.path().join("socket");
    #[cfg(unix)]
    let _listens = {
        addresses.push(format!("unix:{}", socket.display()));
        std::os::unix::net::UnixListener::bind(&socket).unwrap()
    };
    for address in addresses {
        let serve = format!("--serve={address}");
        let words = ["run", file.to_str().unwrap(), &serve, "--out", out.to_str().unwrap()];
        let output = bekker(&words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{said}");
        let named = format!("--serve: cannot listen on {address}: ");
        assert!(said.lines().any(|line| line.starts_with(&named)), "{said}");
        assert!(!out.exists());
    }
    #[cfg(unix)]
    assert!(socket.exists());
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_run_that_waits_for_its_drivers() {
    fn signal(run: &Run) {
        let id = run.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    }
    fn resumed(folder: &Path) {
        let words = ["run", "--resume", folder.to_str().unwrap(), "--no-picture", "--serve"];
        let mut run = Run::begin(&words, folder.to_owned());
        run.until("waiting for a driver for a, b");
        let peer = run.driver(&["a", "b"]);
        run.driven_to_its_end(peer);
        verify(folder);
    }
    // Before any driver connects; with one of two; and during a drive, while an answer to a beat is
    // pending.
    for stage in 0..3 {
        let place = tempfile::tempdir().unwrap();
        let mut run = Run::start(place.path(), &scenario(", timeout = 60"), &[]);
        run.until("waiting for a driver for a, b");
        let mut peer = match stage {
            0 => None,
            1 => Some(run.driver(&["a"])),
            _ => Some(run.driver(&["a", "b"])),
        };
        if let (Some(peer), 2) = (&mut peer, stage) {
            assert_eq!(peer.drive(STEPS)["tick"], STEPS);
        }
        signal(&run);
        let folder = run.folder.clone();
        let FinishedRun { code, said } = run.wait();
        assert_eq!(code, 130, "{said}");
        assert!(said.contains("interrupted") && !said.contains("panicked"), "{said}");
        drop(peer);
        resumed(&folder);
    }
}
