//! `bekker-bench link`

use super::{Failure, print_results};
use bekker_agent::Sample;
use bekker_link::frame::encode;
use bekker_link::{Address, Listener, Routes, Server, Token};
use bekker_scenario::{ScenarioFile, build};
use bekker_world::{
    Controller, ControllerRequest, ControllerView, ExternalVehicle, OnTimeout, ThreadError, World,
};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Measure the overhead of a heartbeat in lockstep: sending a beat to a driver and receiving its
/// reply
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bekker-bench link\n  bekker-bench link --heartbeats 10000 --json\n\n\
    One driver on the loopback that answers at once, in this process; a vehicle that steps between\n\
    the round trips, which are measured without its steps."
)]
pub struct BenchLink {
    /// Number of round trips
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = RangedU64ValueParser::<usize>::new().range(10..=1_000_000))]
    heartbeats: usize,
    /// Print JSON instead of a line
    #[arg(long)]
    json: bool,
}

/// Round trips, µs.
#[derive(Debug, Serialize)]
struct RoundTrips {
    count: usize,
    p50_us: f64,
    p99_us: f64,
    max_us: f64,
}

const SCENARIO: &str = r#"
format = 1
name = "round trips"
time = { duration = 1, step = 0.002 }
soil = { default = "chrono_mid" }
[[vehicle]]
name = "driven"
model = "hmmwv"
position = [0, 0]
driver = { kind = "outside" }
"#;

impl BenchLink {
    pub fn execute(self, _quiet: bool) -> Result<(), Failure> {
        let failed = |cause: String| Failure::from(format!("link: {cause}"));
        let file = ScenarioFile::parse("round trips", SCENARIO, Path::new(""), &[])?;
        let model = Arc::new(build::world(&file)?.world);
        let mut world = World::new(model.clone());
        let timeout = Duration::from_secs(10);
        let seat = ExternalVehicle { agent: 0, on_timeout: OnTimeout::Fail, timeout };
        let token = Token::random().map_err(|error| failed(error.to_string()))?;
        let server = Server::new(model, "round trips", &[seat], 0, token.clone());
        let sessions = server.clone();
        let routes = Routes {
            link: Box::new(move |connection| sessions.serve(connection)),
            web_socket: Box::new(|_| None),
            pages: Box::new(()),
            foxglove: None,
        };
        let listening = Listener::bind(&Address::default(), token.clone())
            .and_then(|listener| listener.open(routes))
            .map_err(|error| failed(error.to_string()))?;
        let Address::Tcp(place) = *listening.address() else {
            return Err(failed("it has no TCP port".into()));
        };
        let secret = token.reveal().to_owned();
        let drive = move || answer(TcpStream::connect(place)?, &secret);
        let driver = std::thread::Builder::new().name("driver".into()).spawn(drive);
        let driver = driver.map_err(|cause| format!("driver: {}", ThreadError::from(cause)))?;
        let mut controller = server.controller(|_| ());
        let mut times = Vec::with_capacity(self.heartbeats);
        while times.len() < self.heartbeats {
            times.push(round_trip(&mut controller, &mut world).map_err(failed)?);
            world.advance();
        }
        server.end(world.state().tick, 0, Duration::from_secs(5));
        // the driver's result is not needed: it ended with the run
        let _ = driver.join();
        times.sort_by(f64::total_cmp);
        let percentile =
            |share: f64| times[((share * times.len() as f64).ceil() as usize).max(1) - 1];
        let trips = RoundTrips {
            count: times.len(),
            p50_us: percentile(0.5),
            p99_us: percentile(0.99),
            max_us: percentile(1.0),
        };
        let RoundTrips { count, p50_us, p99_us, max_us } = &trips;
        print_results(self.json, &trips, || {
            format!(
                "{count} lockstep round trips: p50 {p50_us:.0} us, p99 {p99_us:.0} us, max {max_us:.0} us"
            )
        })
    }
}

/// Returns the time from sending the world to receiving the commands, µs.
fn round_trip(controller: &mut dyn Controller, world: &mut World) -> Result<f64, String> {
    let mut shown = None;
    loop {
        match controller.call(world) {
            ControllerRequest::Wait => {}
            ControllerRequest::Show(_) => {
                let samples: Vec<Sample> = world.samples().collect();
                shown = Some(Instant::now());
                let (samples, delivered, radio_messages, outcomes) = (&samples[..], &[], &[], &[]);
                controller.show(&ControllerView {
                    world,
                    samples,
                    delivered,
                    radio_messages,
                    outcomes,
                });
            }
            ControllerRequest::Go(commanded) => {
                let taken = shown.map_or(0.0, |shown: Instant| 1e6 * shown.elapsed().as_secs_f64());
                for own in commanded {
                    own.apply(world).map_err(|error| error.to_string())?;
                }
                return Ok(taken);
            }
            ControllerRequest::Stop => return Err("it was stopped".into()),
            ControllerRequest::Fail(cause) => return Err(cause),
        }
    }
}

/// Runs a driver that replies to each beat immediately.
fn answer(mut stream: TcpStream, token: &str) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let hello = json!({ "type": "hello", "protocol": 1, "token": token, "vehicles": ["driven"] });
    stream.write_all(&encode(&hello.to_string()))?;
    loop {
        let mut prefix = [0; 4];
        stream.read_exact(&mut prefix)?;
        let mut text = vec![0; u32::from_be_bytes(prefix) as usize];
        stream.read_exact(&mut text)?;
        let message: Value = serde_json::from_slice(&text)?;
        if message["type"] == "beat" {
            let throttle = 0.5 - 0.1 * message["vehicles"][0]["speed"].as_f64().unwrap_or_default();
            let act = json!({ "type": "act", "tick": message["tick"],
                              "controls": [{ "vehicle": "driven", "throttle": throttle }] });
            stream.write_all(&encode(&act.to_string()))?;
        }
    }
}
