//! External control and observation of a run, by the program and a test peer.

use crate::ranks_mpi;

use assert_cmd::cargo::cargo_bin;
use bekker::scenario::{ScenarioFile, build};
use bekker::simulation::{Command as Orders, SteeringCommand, World};
use bekker::vehicle::Selector;
use serde_json::{Value as Json, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::LazyLock;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Heartbeats of 10 ms per run.
pub const HEARTBEATS: u64 = 20;
/// Steps per heartbeat.
pub const STEPS: u64 = 5;
/// Wall time after which a waiting peer times out, far beyond the expected duration.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Returns a scenario of two externally controlled vehicles and two others.
pub fn scenario(more: &str) -> String {
    let vehicle = |name: &str, y: i32, driver: &str, sensor: &str| {
        format!(
            "[[vehicle]]\nname = \"{name}\"\nmodel = \"hmmwv\"\nposition = [0, {y}]\n\
             driver = {driver}\n{sensor}\n"
        )
    };
    let outside = format!("{{ kind = \"outside\"{more} }}");
    let camera = "sensor = [{ name = \"eye\", rate = 50, model = { kind = \"camera\", width = 8, \
                  height = 6, fov_deg = 60 } }, { name = \"odo\", rate = 100, \
                  model = { kind = \"odometry\" } }]";
    [
        "format = 1\nname = \"linked\"\ntime = { duration = 0.2, step = 0.002 }\n\
         soil = { default = \"chrono_mid\" }\n"
            .to_owned(),
        vehicle("a", 0, &outside, camera),
        vehicle("b", 10, &outside, ""),
        vehicle("c", 20, "{ kind = \"hold\" }", ""),
        vehicle("d", 30, "{ kind = \"table\", rows = [{ time = 0, throttle = 0.5 }] }", ""),
    ]
    .concat()
}

/// Returns the controls of both vehicles at a tick.
pub fn controls(tick: u64) -> Json {
    let wave = 0.1 * (tick % 7) as f64;
    json!([
        { "vehicle": "a", "throttle": 0.3 + wave, "steering": wave - 0.2 },
        { "vehicle": "b", "throttle": 0.9, "angle": 0.05 * wave, "gear": "reverse" },
    ])
}

/// Returns the same controls as orders of a program for a world.
fn orders(tick: u64) -> [Orders; 2] {
    let wave = 0.1 * (tick % 7) as f64;
    let first = Orders {
        throttle: 0.3 + wave,
        steering: SteeringCommand::Share(wave - 0.2),
        ..Orders::default()
    };
    let steering = SteeringCommand::Angle(0.05 * wave);
    [first, Orders { throttle: 0.9, steering, gear: Selector::Reverse, ..Orders::default() }]
}

/// Child process of a run.
pub struct Run {
    pub child: Child,
    lines: Receiver<String>,
    said: Vec<String>,
    pub address: String,
    pub token: String,
    pub folder: PathBuf,
}

pub struct FinishedRun {
    pub said: String,
    pub code: i32,
}

pub fn bekker(words: &[&str]) -> Output {
    Command::new(cargo_bin("bekker")).args(words).output().unwrap()
}

impl Run {
    pub fn start(place: &Path, text: &str, words: &[&str]) -> Run {
        let file = place.join("linked.toml");
        fs::write(&file, text).unwrap();
        let folder = place.join("run");
        let mut all = vec!["run", file.to_str().unwrap(), "--no-picture", "--out"];
        all.extend([folder.to_str().unwrap()]);
        if !words.iter().any(|word| word.starts_with("--serve")) {
            all.push("--serve");
        }
        all.extend(words);
        Run::begin(&all, folder.clone())
    }

    pub fn begin(words: &[&str], folder: PathBuf) -> Run {
        Run::spawn(Command::new(cargo_bin("bekker")).args(words), folder)
    }

    fn spawn(command: &mut Command, folder: PathBuf) -> Run {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let (send, lines) = channel();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        let (address, token) = (String::new(), String::new());
        let mut run = Run { child, lines, said: Vec::new(), address, token, folder };
        let line = run.until("serving at ");
        let (address, token) = line["serving at ".len()..].split_once(", token ").unwrap();
        (run.address, run.token) = (address.into(), token.into());
        run
    }

    /// Waits for a line that contains a word.
    pub fn until(&mut self, word: &str) -> String {
        loop {
            let line = self.lines.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|_| panic!("never said {word}: {:#?}", self.said));
            self.said.push(line.clone());
            if line.contains(word) {
                return line;
            }
        }
    }

    pub fn hello(&self, hello: Json) -> Json {
        let mut whole = json!({ "type": "hello", "protocol": 1, "token": self.token });
        whole.as_object_mut().unwrap().extend(hello.as_object().unwrap().clone());
        whole
    }

    pub fn connect(&self, hello: Json) -> Peer {
        let mut peer = self.stranger();
        peer.send(&self.hello(hello));
        peer
    }

    pub fn stranger(&self) -> Peer {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Peer(stream, Framing::Plain)
    }

    pub fn web_socket(&self, hello: Json) -> Peer {
        let Peer(mut stream, _) = self.stranger();
        // Key and response are those of RFC 6455.
        write!(
            stream,
            "GET /link HTTP/1.1\r\nHost: {}\r\nOrigin: http://{0}\r\nConnection: Upgrade\r\n\
             Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            self.address
        )
        .unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap();
        assert!(head.starts_with("HTTP/1.1 101") && head.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
        let mut peer = Peer(stream, Framing::WebSocket);
        peer.send(&self.hello(hello));
        peer
    }

    pub fn driver(&self, vehicles: &[&str]) -> Peer {
        let mut peer = self.connect(json!({ "vehicles": vehicles }));
        assert_eq!(peer.receive()["type"], "welcome");
        peer
    }

    /// Waits for the successful end of a run with the bits of a world commanded for this number of
    /// heartbeats.
    ///
    /// Returns the run's output.
    pub fn ends_as_a_world(self, heartbeats: u64) -> String {
        let folder = self.folder.clone();
        let FinishedRun { code, said } = self.wait();
        assert_eq!(code, 0, "{said}");
        assert_eq!(hash_of(&folder), hash_of_a_world(heartbeats));
        said
    }

    /// Drives to the end and compares the run with a world.
    pub fn driven_to_its_end(self, mut peer: Peer) {
        assert_eq!(peer.drive(u64::MAX)["type"], "end");
        self.ends_as_a_world(HEARTBEATS);
    }

    pub fn wait(mut self) -> FinishedRun {
        let code = self.child.wait().unwrap().code().unwrap();
        self.said.extend(self.lines.iter());
        FinishedRun { said: self.said.join("\n"), code }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Peer with an independent implementation of the protocol, over a plain stream or a WebSocket.
pub struct Peer(pub TcpStream, Framing);

#[derive(Clone, Copy, PartialEq)]
pub enum Framing {
    Plain,
    WebSocket,
}

impl Peer {
    pub fn send(&mut self, message: &Json) {
        let text = message.to_string();
        let length = text.len() as u16;
        let prefix = match self.1 {
            Framing::Plain => u32::from(length).to_be_bytes().to_vec(),
            // One complete text with a length of two bytes, under a zero mask (RFC 6455).
            Framing::WebSocket => {
                [&[0x81, 0x80 | 126][..], &length.to_be_bytes(), &[0; 4]].concat()
            }
        };
        self.0.write_all(&prefix).unwrap();
        self.0.write_all(text.as_bytes()).unwrap();
    }

    pub fn receive(&mut self) -> Json {
        self.try_receive().expect("the run is gone")
    }

    pub fn try_receive(&mut self) -> Option<Json> {
        let length = match self.1 {
            Framing::Plain => u32::from_be_bytes(self.bytes()?).into(),
            Framing::WebSocket => match self.bytes()? {
                [0x81, 127] => u64::from_be_bytes(self.bytes()?),
                [0x81, 126] => u16::from_be_bytes(self.bytes()?).into(),
                [0x81, length] => length.into(),
                // Close frame.
                _ => return None,
            },
        };
        let mut text = vec![0; length as usize];
        self.0.read_exact(&mut text).ok()?;
        Some(serde_json::from_slice(&text).unwrap())
    }

    fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        self.0.read_exact(&mut bytes).ok().map(|()| bytes)
    }

    /// Answers all beats up to a tick or to the end, and returns the last message.
    pub fn drive(&mut self, until: u64) -> Json {
        loop {
            let message = self.receive();
            if message["type"] != "beat" || message["tick"].as_u64().unwrap() >= until {
                return message;
            }
            self.act(&message);
        }
    }

    pub fn act(&mut self, beat: &Json) {
        let tick = beat["tick"].as_u64().unwrap();
        self.send(&json!({ "type": "act", "tick": tick, "controls": controls(tick) }));
    }
}

pub fn hash_of(folder: &Path) -> String {
    let text = fs::read_to_string(folder.join("manifest.json")).unwrap();
    let manifest: Json = serde_json::from_str(&text).unwrap();
    manifest["state_hash"].as_str().unwrap().to_owned()
}

/// Returns the final hash of a world commanded by a program.
fn hash_of_a_world(heartbeats: u64) -> String {
    // The most requested case runs once.
    static WHOLE: LazyLock<String> = LazyLock::new(|| hash_after(HEARTBEATS));
    if heartbeats == HEARTBEATS { WHOLE.clone() } else { hash_after(heartbeats) }
}

fn hash_after(heartbeats: u64) -> String {
    let file = ScenarioFile::parse("linked.toml", &scenario(""), Path::new(""), &[]).unwrap();
    let mut world = World::new(build::world(&file).unwrap().world);
    while world.state().tick < heartbeats * STEPS {
        for (agent, orders) in orders(world.state().tick).into_iter().enumerate() {
            world.command(agent, Some(orders)).unwrap();
        }
        world.advance();
    }
    world.publish_all();
    world.hash().iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn verify(folder: &Path) {
    let output = bekker(&["replay", folder.to_str().unwrap(), "--verify"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

#[test]
fn lockstep_commands_are_the_same_on_any_ranks() {
    let expected = hash_of_a_world(HEARTBEATS);
    let mut records = Vec::new();
    for ranks in ["1", "2", "4"] {
        let place = tempfile::tempdir().unwrap();
        let run = Run::start(place.path(), &scenario(""), &["--ranks", ranks]);
        // Each vehicle has a separate driver.
        let [mut first, mut second] = [run.driver(&["a"]), run.driver(&["b"])];
        for (peer, row) in [(&mut first, 0), (&mut second, 1)] {
            assert_eq!(peer.receive()["tick"], 0);
            peer.send(&json!({ "type": "act", "tick": 0, "controls": [controls(0)[row]] }));
        }
        for _ in 1..HEARTBEATS {
            for (peer, row) in [(&mut first, 0), (&mut second, 1)] {
                let tick = peer.receive()["tick"].as_u64().unwrap();
                let controls = json!([controls(tick)[row]]);
                peer.send(&json!({ "type": "act", "tick": tick, "controls": controls }));
            }
        }
        let end = json!({ "type": "end", "tick": HEARTBEATS * STEPS, "time_us": 200_000 });
        assert_eq!([first.receive(), second.receive()], [end.clone(), end]);
        let folder = run.folder.clone();
        let FinishedRun { code, said } = run.wait();
        assert_eq!(code, 0, "{said}");
        assert_eq!(hash_of(&folder), expected, "{ranks} ranks");
        records.push(fs::read(folder.join("commands.csv")).unwrap());
        if ranks != "2" {
            verify(&folder);
        }
    }
    assert!(records.windows(2).all(|two| two[0] == two[1]));
    let lines = String::from_utf8(records[0].clone()).unwrap();
    assert_eq!(
        lines.lines().next(),
        Some(
            "time_s,tick,vehicle,throttle,brake,steering,gear,inflation_kpa,locks,uncouple,origin,driver,says"
        )
    );
}

#[test]
#[cfg_attr(not(feature = "mpi"), ignore = "needs the cargo feature mpi")]
fn processes_of_mpi_are_driven_as_one() {
    let place = tempfile::tempdir().unwrap();
    let (file, folder) = (place.path().join("linked.toml"), place.path().join("run"));
    fs::write(&file, scenario("")).unwrap();
    let [file, out] = [&file, &folder].map(|path| path.to_str().unwrap());
    let words = ["run", file, "--no-picture", "--out", out, "--serve"];
    let Some(mut command) = ranks_mpi::command(2, &cargo_bin("bekker"), &words) else { return };
    let run = Run::spawn(&mut command, folder.clone());
    let peer = run.driver(&["a", "b"]);
    run.driven_to_its_end(peer);
    verify(&folder);
}

/// Three vehicles with radios and a traffic light.
///
/// Two are controlled externally by speeds; the third runs into another vehicle.
const TALKING: &str = r#"
format = 1
name = "talking"
time = { duration = 0.6, step = 0.002 }
soil = { default = "chrono_hard" }
endings = { collision = "stop" }

[[radio]]
name = "radio"

[[traffic_light]]
name = "light"
position = [30, 0]
radio = "radio"
approach = [{ stop = [25, 0], heading_deg = 0 }]
phase = [{ duration = 5, lights = ["green"] }, { duration = 5, lights = ["red"] }]

[[vehicle]]
name = "a"
model = "hmmwv"
position = [0, 0]
speed = 3
driver = { kind = "outside" }

[[vehicle]]
name = "b"
model = "hmmwv"
position = [0, 10]
driver = { kind = "outside" }

[[vehicle]]
name = "c"
model = "hmmwv"
position = [0, 20]
speed = 3
driver = { kind = "hold" }

[[vehicle]]
name = "d"
model = "hmmwv"
position = [5.0, 20]
driver = { kind = "hold" }
"#;

#[test]
fn held_speeds_radios_and_outcomes_are_the_same_on_any_ranks() {
    let mut told = Vec::new();
    for ranks in ["1", "3"] {
        let place = tempfile::tempdir().unwrap();
        let run = Run::start(place.path(), TALKING, &["--ranks", ranks]);
        let mut stranger = run.connect(json!({ "role": "observer", "radios": ["nobody"] }));
        assert_eq!(stranger.receive()["code"], "unknown");
        let names = ["a", "b"];
        let mut peer = run.connect(json!({ "vehicles": names, "radios": ["a"], "every": 2 }));
        assert_eq!(peer.receive()["type"], "welcome");
        let mut beats = vec![peer.receive()];
        for speed in [json!(51), json!("fast")] {
            let mut other = run.connect(json!({ "role": "observer" }));
            assert_eq!(other.receive()["type"], "welcome");
            let act = json!({ "type": "act", "controls": [{ "vehicle": "a", "speed": speed }] });
            other.send(&act);
            let fault =
                std::iter::from_fn(|| other.try_receive()).find(|own| own["type"] == "fault");
            assert!(["act", "message"].contains(&fault.unwrap()["code"].as_str().unwrap()));
        }
        for mut own in [json!({ "speed": 3, "throttle": 0 }), json!({ "speed": -51 })] {
            own["vehicle"] = "a".into();
            peer.send(&json!({ "type": "act", "controls": [own] }));
            assert_eq!(peer.receive()["code"], "act");
        }
        while beats.last().unwrap()["type"] == "beat" {
            // Commands hold after one message.
            let controls = json!([{ "vehicle": "a", "speed": 3 }, { "vehicle": "b", "speed": -2 }]);
            let controls = if beats.len() == 1 { controls } else { json!([]) };
            peer.send(&json!({ "type": "act", "controls": controls }));
            beats.push(peer.receive());
        }
        beats.pop();
        // The joined peer is named by its port.
        beats.iter_mut().for_each(|beat| beat["events"] = Json::Null);
        let heard: Vec<&Json> =
            beats.iter().filter_map(|beat| beat["heard"].as_array()).flatten().collect();
        let of = |from: &str, kind: &str| {
            let own = |own: &&&Json| own["from"] == from && own[kind] != Json::Null;
            heard.iter().filter(own).map(|own| own[kind].clone()).collect::<Vec<_>>()
        };
        assert!(heard.iter().all(|own| own["vehicle"] == "a"));
        // Ten exchanges per second, some of them lost.
        let beacons = of("b", "beacon");
        assert!((3..=6).contains(&beacons.len()), "{heard:?}");
        assert_eq!(beacons[0]["soil"], "chrono_hard");
        assert!((beacons[0]["position"][1].as_f64().unwrap() - 10.0).abs() < 0.1);
        let signals = of("light", "signal");
        assert_eq!(
            signals[0][0],
            json!({ "light": "green", "min_end_us": 5_000_000, "max_end_us": 5_000_000 })
        );
        let map = json!([{ "stop": [25.0, 0.0], "heading": 0.0, "width": of("light", "map")[0][0]["width"] }]);
        assert_eq!(of("light", "map")[0], map);
        let [a, b, c] = [0, 1, 2].map(|index| &beats.last().unwrap()["vehicles"][index]);
        // The speed control coasts in a band 0.25 m/s wide, and starts from its initial state.
        assert!((a["speed"].as_f64().unwrap() - 3.0).abs() < 0.5, "{a}");
        assert!(b["gear"] == -1 && b["speed"].as_f64().unwrap() < -0.02, "{b}");
        assert_eq!(a["outcome"], Json::Null);
        assert_eq!(c["outcome"]["code"], "collided", "{c}");
        assert!(c["outcome"]["text"].as_str().unwrap().contains("with d"), "{c}");
        assert!((0.0..0.6).contains(&c["outcome"]["time"].as_f64().unwrap()), "{c}");
        let folder = run.folder.clone();
        let FinishedRun { code, said } = run.wait();
        assert_eq!(code, 0, "{said}");
        verify(&folder);
        told.push((beats, hash_of(&folder)));
    }
    assert!(told[0] == told[1]);
}

#[test]
fn a_driver_may_end_a_resumed_run() {
    let place = tempfile::tempdir().unwrap();
    let run = Run::start(place.path(), &scenario(""), &[]);
    let mut peer = run.driver(&["a", "b"]);
    let middle = HEARTBEATS / 2 * STEPS;
    assert_eq!(peer.drive(middle)["tick"], middle);
    peer.send(&json!({ "type": "quit" }));
    assert_eq!(peer.receive()["type"], "end");
    let folder = run.folder.clone();
    let said = run.ends_as_a_world(HEARTBEATS / 2);
    assert!(said.contains("ended by 127.0.0.1:"), "{said}");
    verify(&folder);

    let other = place.path().join("other");
    let here = ["run", "--resume", folder.to_str().unwrap(), "--no-picture", "--serve"];
    let elsewhere = [&here[..], &["--out", other.to_str().unwrap()]].concat();
    for (words, folder) in [(&elsewhere[..], &other), (&here[..], &folder)] {
        let mut run = Run::begin(words, folder.clone());
        run.until("waiting for a driver for a, b");
        let peer = run.driver(&["a", "b"]);
        run.driven_to_its_end(peer);
        verify(folder);
    }
}

#[test]
fn invalid_peers_end_their_session_and_never_the_run() {
    let place = tempfile::tempdir().unwrap();
    let run = Run::start(place.path(), &scenario(""), &["--serve-token", "secret", "--serve"]);
    assert_eq!(run.token, "secret");
    let mut peer = run.driver(&["a", "b"]);
    let mut faults = Vec::new();
    for hello in [
        json!({ "token": "other", "vehicles": ["a"] }),
        json!({ "protocol": 2 }),
        json!({ "vehicles": ["a"], "name": "late" }),
        json!({ "vehicles": ["c"] }),
        json!({ "vehicles": ["nobody"] }),
        json!({ "role": "observer", "sensors": ["a/nose"] }),
        json!({ "role": "driver" }),
        json!({ "role": "pilot" }),
        json!({ "role": "observer", "every": 0 }),
        json!({ "role": "observer", "name": "x\na: its driver is gone\u{1b}[31m" }),
    ] {
        let mut other = run.connect(hello);
        let fault = other.receive();
        assert_eq!((fault["type"].as_str(), other.try_receive()), (Some("fault"), None));
        faults.push(fault);
    }
    let codes: Vec<&str> = faults.iter().map(|fault| fault["code"].as_str().unwrap()).collect();
    let expected = [
        "token", "protocol", "taken", "unknown", "unknown", "unknown", "unknown", "message",
        "message", "message",
    ];
    assert_eq!(codes, expected);
    let taken = faults[2]["text"].as_str().unwrap();
    assert!(taken.starts_with("vehicle \"a\" is already driven by 127.0.0.1:"), "{taken}");
    // A name with line breaks would forge lines on the terminal.
    let named = faults[9]["text"].as_str().unwrap();
    let says = "name = \"x\\na: its driver is gone\\u{1b}[31m\": must be one line";
    assert!(named.starts_with(says), "{named}");

    // Bytes that are no messages, before and after a hello.
    let garbage: [&[u8]; 4] =
        [b"\xff\xff\xff\xffgarbage", b"\0\0\0\x02{{", b"\0\0\0\x02\xff\xfe", b"\0\0\0\x09{"];
    for (index, bytes) in garbage.into_iter().enumerate() {
        let mut stranger = run.stranger();
        let mut watcher = run.connect(json!({ "role": "observer" }));
        assert_eq!(watcher.receive()["type"], "welcome");
        for peer in [&mut stranger, &mut watcher] {
            peer.0.write_all(bytes).unwrap();
            // The peer may be disconnected by now.
            let _ = peer.0.shutdown(std::net::Shutdown::Write);
            let fault =
                std::iter::from_fn(|| peer.try_receive()).find(|own| own["type"] == "fault");
            assert_eq!(fault.expect("a fault")["code"], "message", "garbage {index}");
        }
    }

    // An invalid act is refused, and a further one is accepted.
    let beat = peer.receive();
    for (act, code) in [
        (json!({ "tick": 77, "controls": [] }), "tick"),
        (json!({ "tick": 0, "controls": [{ "vehicle": "c" }] }), "act"),
        (json!({ "tick": 0, "controls": [{ "vehicle": "a" }, { "vehicle": "a" }] }), "act"),
        (json!({ "tick": 0, "controls": [{ "vehicle": "a", "steering": 0, "angle": 0 }] }), "act"),
    ] {
        let mut whole = json!({ "type": "act" });
        whole.as_object_mut().unwrap().extend(act.as_object().unwrap().clone());
        peer.send(&whole);
        assert_eq!(peer.receive()["code"], code, "{act}");
    }
    peer.act(&beat);
    run.driven_to_its_end(peer);
}

#[test]
fn a_vehicle_brakes_when_its_driver_disconnects_or_times_out() {
    let place = tempfile::tempdir().unwrap();
    let mut run = Run::start(place.path(), &scenario(", timeout = 0.3"), &[]);
    let mut first = run.connect(json!({ "vehicles": ["a"], "name": "first" }));
    let mut second = run.connect(json!({ "vehicles": ["b"], "name": "second" }));
    let mut watcher = run.connect(json!({ "role": "observer", "every": 3 }));
    assert_eq!(first.receive()["type"], "welcome");
    for tick in [0, STEPS] {
        for (peer, row) in [(&mut first, 0), (&mut second, 1)] {
            while peer.receive()["tick"] != tick {}
            let controls = json!([controls(tick)[row]]);
            peer.send(&json!({ "type": "act", "tick": tick, "controls": controls }));
        }
    }
    drop(first);
    run.until("a: its driver first (127.0.0.1:");
    // The second driver receives and does not answer.
    run.until("b: its driver second (127.0.0.1:");
    let messages: Vec<Json> = std::iter::from_fn(|| watcher.try_receive()).collect();
    let events = messages.iter().filter_map(|own| own["events"].as_array()).flatten();
    let events: Vec<String> = events
        .map(|own| {
            format!("{} {}", own["vehicle"].as_str().unwrap(), own["event"].as_str().unwrap())
        })
        .collect();
    assert!(events.ends_with(&["a lost".into(), "b timed_out".into()]), "{events:?}");
    let beats = messages.iter().filter(|own| own["type"] == "beat");
    let beats: Vec<u64> = beats.map(|own| own["tick"].as_u64().unwrap() / STEPS).collect();
    assert!(beats.len() >= 6 && beats.windows(2).all(|two| two[1] - two[0] == 3), "{beats:?}");
    let folder = run.folder.clone();
    let FinishedRun { code, said } = run.wait();
    assert!(code == 0 && said.contains("disconnected: it brakes"), "{said}");
    assert!(said.contains("timed out: it brakes"), "{said}");
    let commands = fs::read_to_string(folder.join("commands.csv")).unwrap();
    let origins: Vec<&str> = commands.lines().filter(|line| line.contains(",0,1,0,")).collect();
    assert_eq!(origins.len(), 2, "{commands}");
    assert!(
        origins[0].ends_with(",lost,first,") && origins[1].ends_with(",timed_out,second,"),
        "{commands}"
    );
    verify(&folder);
}

#[test]
fn a_run_may_fail_with_its_driver() {
    let place = tempfile::tempdir().unwrap();
    let run = Run::start(place.path(), &scenario(", on_timeout = \"fail\""), &["--ranks", "2"]);
    let mut peer = run.driver(&["a", "b"]);
    peer.drive(STEPS);
    drop(peer);
    let FinishedRun { code, said } = run.wait();
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("a: its driver 127.0.0.1:") && said.contains("disconnected"), "{said}");
    // Reported once.
    assert_eq!(said.matches("run: a: its driver").count(), 1, "{said}");
}

#[test]
fn observers_pause_a_run_and_receive_sensor_readings() {
    let place = tempfile::tempdir().unwrap();
    let words = ["--realtime=50"];
    let run = Run::start(place.path(), &scenario(""), &words);
    let mut watcher = run.web_socket(json!({ "role": "observer", "sensors": ["a/*"] }));
    let welcome = watcher.receive();
    assert_eq!(welcome["heartbeat_us"], 10_000);
    assert_eq!(welcome["vehicles"][0]["outside"], true);
    assert_eq!(welcome["sensors"][0], json!({ "name": "a/eye", "kind": "camera", "period": 0.02 }));
    watcher.send(&json!({ "type": "pause" }));
    watcher.send(&json!({ "type": "step", "count": 5 }));
    let mut peer = run.connect(json!({ "vehicles": ["a", "b"], "mode": "realtime" }));
    peer.send(&json!({ "type": "act", "controls": controls(0), "echo": { "at": 12.5 } }));
    let mut beats = Vec::new();
    while beats.last().is_none_or(|beat: &Json| beat["tick"] != 5 * STEPS) {
        beats.push(watcher.receive());
    }
    // The run is paused: no message comes until it continues.
    watcher.0.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    assert!(watcher.0.peek(&mut [0]).is_err());
    watcher.0.set_read_timeout(Some(PATIENCE)).unwrap();
    watcher.send(&json!({ "type": "resume" }));
    beats.extend(std::iter::from_fn(|| watcher.try_receive()));
    assert_eq!(beats.pop().unwrap()["type"], "end");
    let readings: Vec<&Json> =
        beats.iter().filter_map(|beat| beat["readings"].as_array()).flatten().collect();
    let of = |name: &str| readings.iter().filter(|own| own["sensor"] == name).count();
    // Readings of the last heartbeat are sent without a heartbeat message.
    assert_eq!((of("a/odo"), of("a/eye")), (19, 9));
    let picture = readings.iter().find(|own| own["sensor"] == "a/eye").unwrap();
    let depth = &picture["depth"];
    if depth.is_object() {
        assert_eq!((&depth["type"], &depth["shape"]), (&json!("<f4"), &json!([6, 8])));
        // Four characters for each three of 6 x 8 x 4 bytes.
        assert_eq!(depth["base64"].as_str().unwrap().len(), 256);
    }
    let color = &picture["color"];
    assert_eq!(color["shape"], json!([6, 8, 3]));
    let wheel = &beats.last().unwrap()["vehicles"][0]["wheels"][3];
    assert!(wheel["sinkage"].as_f64().unwrap() > 0.0 && wheel["force"][2].as_f64().unwrap() > 0.0);
    let echoes: Vec<Json> = std::iter::from_fn(|| peer.try_receive()).collect();
    assert!(echoes.iter().any(|beat| beat["echo"] == json!({ "at": 12.5 })));
    let folder = run.folder.clone();
    assert_eq!(run.wait().code, 0);
    let text = fs::read_to_string(folder.join("summary.json")).unwrap();
    let summary: Json = serde_json::from_str(&text).unwrap();
    // The first heartbeat after each pause starts a new schedule.
    let counted = summary["pacing"]["heartbeats"].as_u64().unwrap();
    assert!((HEARTBEATS - 3..HEARTBEATS).contains(&counted), "{summary}");
    verify(&folder);
}

#[test]
fn a_vehicle_without_a_driver_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("linked.toml");
    fs::write(&file, scenario("")).unwrap();
    let output = bekker(&["run", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8_lossy(&output.stderr);
    let cause =
        "vehicle a: has an external controller (driver.kind = \"outside\"); run with --serve";
    assert!(said.lines().any(|line| line.starts_with(cause)), "{said}");
    let output = bekker(&["run", file.to_str().unwrap(), "--serve=nowhere"]);
    assert_eq!(output.status.code(), Some(2));
}

/// The programs of `examples/` run where an interpreter is available.
#[test]
fn the_controllers_of_the_examples_drive() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let place = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(root.join("examples/outside.toml")).unwrap();
    let compiled = place.path().join("controller");
    let source = root.join("examples/outside_controller.c");
    let made = Command::new("cc").args(["-O", "-o"]).arg(&compiled).arg(source).status();
    let python = root.join("examples/outside_controller.py");
    // The module alone: its folder has a `types.py`, which would replace Python's.
    let module = place.path().join("module");
    fs::create_dir(&module).unwrap();
    fs::copy(root.join("python/bekker/link.py"), module.join("link.py")).unwrap();
    for which in ["python", "c", "module"] {
        let place = tempfile::tempdir().unwrap();
        let unix = format!("--serve=unix:{}", place.path().join("s").display());
        let serve = if which == "module" { unix.as_str() } else { "--serve" };
        let short = "time.duration=0.3";
        let run = Run::start(place.path(), &text, &[serve, "--set", short]);
        let mut controller = match which {
            "python" => Command::new("python3"),
            "module" => Command::new("python3"),
            _ => Command::new(&compiled),
        };
        match which {
            "python" => controller.arg(&python).args([&run.address, &run.token]),
            "module" => controller
                .env("PYTHONPATH", &module)
                .env("PYTHONDONTWRITEBYTECODE", "1")
                .args(["-c", MODULE, &run.address, &run.token]),
            _ => {
                let (host, port) = run.address.rsplit_once(':').unwrap();
                controller.args([host, port, &run.token])
            }
        };
        let output = match controller.output() {
            Ok(output) if which != "c" || made.as_ref().is_ok_and(|made| made.success()) => output,
            missing => {
                eprintln!("not run, for it is not there: {which} ({missing:?})");
                continue;
            }
        };
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{which}: {said}");
        let folder = run.folder.clone();
        let FinishedRun { code, said } = run.wait();
        assert_eq!(code, 0, "{which}: {said}");
        let commands = fs::read_to_string(folder.join("commands.csv")).unwrap();
        assert!(commands.lines().count() > 1, "{which}: {commands}");
    }
}

const MODULE: &str = r#"
import sys
import link
with link.Link(sys.argv[1], sys.argv[2], ["lead"], sensors=["lead/*"], name="module") as own:
    readings = 0
    for beat in own:
        readings += len(beat.get("readings", []))
        own.act({"lead": {"throttle": 0.5, "steering": 0.01 * (beat["tick"] % 5)}}, echo=beat["tick"])
    assert readings > 3, readings
try:
    link.Link(sys.argv[1], "wrong")
except (link.LinkFault, OSError):
    pass
"#;
