//! A live run watched through Foxglove's WebSocket protocol by a test client.

use crate::runs::Runs;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value as Json, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tungstenite::http::Request;
use tungstenite::{Error, Message, WebSocket};

/// A run that waits for a driver, so that a client can connect before it starts.
const SCENARIO: &str = r#"
format = 1
name = "told"
time = { duration = 0.3 }
soil = { default = "chrono_hard" }
output = { interval = 0.05, ruts = false }

[[vehicle]]
name = "lead"
model = "hmmwv"
position = [0, 0]
driver = { kind = "outside" }
sensor = [{ name = "odo", rate = 50, model = { kind = "odometry" } }]

[[vehicle]]
name = "second"
model = "hmmwv"
position = [0, 10]
driver = { kind = "path", speed = 3, waypoints = [[0, 10], [50, 10]] }
sensor = [{ name = "odo", rate = 50, model = { kind = "odometry" } }]
"#;

/// Child process that is killed when the test ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Opens a WebSocket like Foxglove's page: from another origin, with these protocols.
fn opened(
    address: &str,
    target: &str,
    protocols: &str,
) -> Result<(WebSocket<TcpStream>, Option<String>), String> {
    let request = Request::builder()
        .uri(format!("ws://{address}{target}"))
        .header("Host", address)
        .header("Origin", "https://app.foxglove.dev")
        .header("Connection", "Upgrade")
        .header("Upgrade", "websocket")
        .header("Sec-WebSocket-Version", "13")
        .header("Sec-WebSocket-Key", tungstenite::handshake::client::generate_key())
        .header("Sec-WebSocket-Protocol", protocols)
        .body(())
        .unwrap();
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(std::time::Duration::from_secs(120))).unwrap();
    let (socket, answer) =
        tungstenite::client(request, stream).map_err(|error| error.to_string())?;
    let chosen = answer.headers().get("Sec-WebSocket-Protocol");
    Ok((socket, chosen.map(|own| own.to_str().unwrap().to_owned())))
}

fn text(socket: &mut WebSocket<TcpStream>) -> Json {
    loop {
        if let Message::Text(text) = socket.read().unwrap() {
            return serde_json::from_str(text.as_str()).unwrap();
        }
    }
}

/// Starts a run that waits for a driver; returns it with its folder and its address.
fn served(runs: &Runs, ranks: &str) -> (Running, PathBuf, String) {
    let out = runs.out(ranks);
    let mut command = Command::new(env!("CARGO_BIN_EXE_bekker"));
    command.arg("run").arg(&runs.scenario).args([
        "--no-picture",
        "--serve",
        "--serve-token=secret",
        "--ranks",
        ranks,
    ]);
    let child = command.arg("--out").arg(&out).stderr(Stdio::piped()).stdout(Stdio::null());
    let mut child = Running(child.spawn().unwrap());
    let mut lines = BufReader::new(child.0.stderr.take().unwrap()).lines().map_while(Result::ok);
    let said = lines.find_map(|line| line.strip_prefix("serving at ").map(str::to_owned)).unwrap();
    std::thread::spawn(move || lines.for_each(drop));
    (child, out, said.split_once(',').unwrap().0.to_owned())
}

/// Starts a driver that waits at the fifth heartbeat until a line is written to its input.
fn driver(address: &str) -> Running {
    let script = "import json, socket, struct, sys\n\
        host, port = sys.argv[1].split(':')\n\
        s = socket.create_connection((host, int(port)))\n\
        def say(m):\n    b = json.dumps(m).encode(); s.sendall(struct.pack('>I', len(b)) + b)\n\
        f = s.makefile('rb')\n\
        def hear():\n    return json.loads(f.read(struct.unpack('>I', f.read(4))[0]))\n\
        say({'type': 'hello', 'protocol': 1, 'token': 'secret', 'vehicles': ['lead']})\n\
        hear()\n\
        while (m := hear())['type'] == 'beat':\n    \
        say({'type': 'act', 'controls': [{'vehicle': 'lead', 'throttle': 0.4}]})\n    \
        sys.stdin.readline() if m['tick'] == 25 else None\n";
    let mut python = Command::new("python3");
    python.args(["-c", script, address]).stdin(Stdio::piped());
    Running(python.spawn().unwrap())
}

/// Foxglove's own protocol library receives the same, also from a vehicle on another rank.
///
/// It is the client of @foxglove/ws-protocol from the npm registry.
#[test]
fn the_foxglove_client_receives_messages() {
    let Ok(modules) = std::env::var("BEKKER_NODE_MODULES") else {
        eprintln!(
            "NOT RUN: install @foxglove/ws-protocol and ws (npm) and set BEKKER_NODE_MODULES, or \
             `.ci/run tests`"
        );
        return;
    };
    let runs = Runs::new(SCENARIO);
    ["1", "2"].iter().for_each(|ranks| is_heard(&runs, ranks, &modules));
}

fn is_heard(runs: &Runs, ranks: &str, modules: &str) {
    let (mut child, _, address) = served(runs, ranks);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foxglove_client.cjs");
    let mut node = Command::new("node");
    let url = format!("ws://{address}/?token=secret");
    let node = node.arg(script).args([&url, "/second/odo"]).env("NODE_PATH", modules);
    let mut node = node.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut driver = driver(&address);
    let mut said = BufReader::new(node.stderr.take().unwrap()).lines().map_while(Result::ok);
    // The server has taken the subscription.
    assert_eq!(said.next().as_deref(), Some("subscribed"));
    driver.0.stdin.take().unwrap().write_all(b"\n").unwrap();
    let told = node.wait_with_output().unwrap().stdout;
    let told: Json = serde_json::from_slice(&told).unwrap();
    assert!(child.0.wait().unwrap().success());
    assert_eq!([&told["name"], &told["schema"]], ["bekker: told", "foxglove.Odometry"], "{told}");
    assert!(told["status"].is_null(), "{told}");
    let number = |key: &str| told[key].as_u64().unwrap();
    // 50 Hz until 0.3 s, less the messages before the subscription.
    assert!((5..=15).contains(&number("messages")), "{told}");
    assert!(number("times") > 10 && number("bytes") > 50 * number("messages"), "{told}");
    assert_eq!(number("stamp"), 300_000_000, "{told}");
    // The poses of all vehicles come with the samples.
    assert!(told["topics"].as_array().unwrap().contains(&json!("/tf")), "{told}");
}

#[test]
fn foxglove_receives_the_messages_of_the_mcap() {
    let runs = Runs::new(SCENARIO);
    let (mut child, out, address) = served(&runs, "1");
    let address = address.as_str();
    // The token must be in the address, and a page of another origin has no other access.
    let known = "foxglove.sdk.v1, foxglove.websocket.v1";
    for target in ["/", "/?token=other"] {
        assert!(opened(address, target, known).unwrap_err().contains("403"), "{target}");
    }
    assert!(opened(address, "/link?token=secret", "other").unwrap_err().contains("403"));
    let (mut older, chosen) = opened(address, "/?token=secret", "foxglove.websocket.v1").unwrap();
    assert_eq!(chosen.as_deref(), Some("foxglove.websocket.v1"));
    assert_eq!(text(&mut older)["op"], "serverInfo");
    let (mut socket, chosen) = opened(address, "/?token=secret", known).unwrap();
    assert_eq!(chosen.as_deref(), Some("foxglove.sdk.v1"));
    let info = text(&mut socket);
    assert_eq!([&info["op"], &info["name"]], ["serverInfo", "bekker: told"]);
    assert_eq!(info["capabilities"], json!(["time"]));
    socket.send(Message::text("{\"op\": \"advertise\"}")).unwrap();
    assert_eq!(text(&mut socket)["op"], "status");
    let beyond = json!({ "op": "subscribe", "subscriptions": [{ "id": 1, "channelId": 99 }] });
    socket.send(Message::text(beyond.to_string())).unwrap();
    assert!(text(&mut socket)["message"].as_str().unwrap().contains("channel 99"));
    let mut driver = driver(address);
    // Channels are advertised with their first message.
    let mut channels = Vec::new();
    while !channels.iter().any(|own: &Json| own["topic"] == "/lead/odo") {
        let advertised = text(&mut socket);
        assert_eq!(advertised["op"], "advertise");
        channels.extend(advertised["channels"].as_array().unwrap().clone());
    }
    let of = |topic: &str| channels.iter().find(|own| own["topic"] == topic).unwrap();
    let odometry = of("/lead/odo");
    assert_eq!(odometry["schemaName"], "foxglove.Odometry");
    assert_eq!([&odometry["encoding"], &odometry["schemaEncoding"]], ["protobuf", "protobuf"]);
    let schema = STANDARD.decode(odometry["schema"].as_str().unwrap()).unwrap();
    let asked =
        json!({ "op": "subscribe", "subscriptions": [{ "id": 7, "channelId": odometry["id"] }] });
    socket.send(Message::text(asked.to_string())).unwrap();
    // The status answer confirms that the previous requests were processed.
    socket.send(Message::text("{}")).unwrap();
    while text(&mut socket)["op"] != "status" {}
    driver.0.stdin.take().unwrap().write_all(b"\n").unwrap();
    let (mut told, mut times) = (Vec::new(), Vec::new());
    loop {
        match socket.read() {
            Ok(Message::Binary(bytes)) if bytes[0] == 1 => {
                assert_eq!(bytes[1..5], 7_u32.to_le_bytes());
                told.push(bytes[13..].to_vec());
            }
            Ok(Message::Binary(bytes)) => {
                assert_eq!(bytes[0], 2);
                times.push(u64::from_le_bytes(bytes[1..9].try_into().unwrap()));
            }
            Ok(Message::Close(_)) | Err(Error::ConnectionClosed | Error::Io(_)) => break,
            Ok(_) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert!(child.0.wait().unwrap().success());
    assert!(times.is_sorted() && times.last() == Some(&300_000_000), "{times:?}");
    // 50 Hz until 0.3 s, less the messages before the subscription.
    assert!((5..=15).contains(&told.len()), "{}", told.len());
    // The chunks of the MCAP hold the same bytes.
    let mcap = unpacked(&std::fs::read(out.join("sensors.mcap")).unwrap());
    let holds = |bytes: &[u8]| mcap.windows(bytes.len()).any(|window| window == bytes);
    assert!(told.iter().all(|message| holds(message)));
    assert!(holds(&schema));
}

/// Returns the decompressed chunks of an MCAP (<https://mcap.dev/spec>).
///
/// A record is a code, a length of eight bytes and that many bytes; records of code 6 are chunks,
/// compressed by LZ4.
fn unpacked(mcap: &[u8]) -> Vec<u8> {
    let number =
        |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | usize::from(byte));
    let (mut at, mut held) = (8, Vec::new());
    while at + 9 <= mcap.len() - 8 {
        let (code, length) = (mcap[at], number(&mcap[at + 1..at + 9]));
        let content = &mcap[at + 9..at + 9 + length];
        at += 9 + length;
        if code == 6 {
            // Two times, a size and a checksum, then the name of the compression.
            let name = number(&content[28..32]);
            let packed = &content[32 + name + 8..];
            lz4_flex::frame::FrameDecoder::new(packed).read_to_end(&mut held).unwrap();
        }
    }
    held
}
