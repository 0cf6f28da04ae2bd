//! External control and viewing of a run: options `--serve`, `--view` and `--ros2` of `bekker run`.

use super::{Failure, page_server, view};
use crate::link::{Address, FoxgloveServer, LinkError, Listener, Listening, Routes, Server, Token};
#[cfg(feature = "ros2")]
use crate::report::record::GROUND_INTERVAL;
use crate::report::topics;
use crate::scenario::build::BuiltWorld;
use crate::scenario::config::{DriverConfig, TimeoutPolicy};
use crate::scenario::{Scenario, ScenarioFile};
use crate::simulation::{Controller, ExternalVehicle, OnTimeout, World, WorldModel};
use crate::sync::DdsDomain;
use crate::view::{Clients, Control, DisplayedRun, MessageSource};
use clap::Args;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Remote control, viewing and pacing of a run.
#[derive(Clone, Debug, Default, Args)]
pub struct Serving {
    /// Accept clients that control and watch the run, at HOST:PORT (WebSockets too) or unix:PATH.
    /// Prints the address and an access token. Without ADDRESS, uses any free port of 127.0.0.1
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, require_equals = true,
          default_missing_value = "127.0.0.1:0", value_parser = address)]
    pub serve: Option<Address>,
    /// Access token for clients (default: randomly generated)
    #[arg(long, value_name = "TOKEN", value_parser = token)]
    pub serve_token: Option<Token>,
    /// Limit the run to real time, or to FACTOR times real time; late heartbeats are counted.
    /// Results do not depend on it
    #[arg(long, value_name = "FACTOR", num_args = 0..=1, require_equals = true,
          default_missing_value = "1", value_parser = factor)]
    pub realtime: Option<f64>,
    /// Show the running simulation in a browser. Prints the address to open, and starts once a
    /// browser connects. Listens at the address of --serve
    #[arg(long)]
    pub view: bool,
    /// Run as a ROS 2 node: publish vehicle state and accept commands for externally driven
    /// vehicles. DOMAIN is a DDS domain (default: 0), or DOMAIN@ADDRESS for one network
    #[arg(long, value_name = "DOMAIN", num_args = 0..=1, require_equals = true,
          default_missing_value = "0", conflicts_with_all = ["serve", "view"])]
    pub ros2: Option<DdsDomain>,
    /// With --ros2, publish the ground around each vehicle as a grid map once per simulated second
    #[arg(long, requires = "ros2")]
    pub ros2_ground: bool,
    /// Write view.html to the run folder: the run as one page that plays offline
    #[arg(long)]
    pub html: bool,
}

fn address(text: &str) -> Result<Address, String> {
    text.parse().map_err(|error: LinkError| error.to_string())
}

fn token(text: &str) -> Result<Token, String> {
    Token::fixed(text).map_err(|error| error.to_string())
}

fn factor(text: &str) -> Result<f64, String> {
    let factor: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.001..=1000.0).contains(&factor) {
        Ok(factor)
    } else {
        Err("must be from 0.001 to 1000".into())
    }
}

/// Listener of a run, before its vehicles are known.
pub struct BoundListener {
    listener: Listener,
    token: Token,
}

/// Servers of a run.
pub struct RunServer {
    pub server: Server,
    /// Server of Foxglove clients.
    pub foxglove: FoxgloveServer,
    _listening: Listening,
}

/// Wall time for peers to receive remaining messages after the results are written.
const FAREWELL: Duration = Duration::from_secs(5);

impl RunServer {
    /// Announces the end of the run to all peers without waiting.
    pub fn announce_end(&self, world: &World) {
        let tick = world.state().tick;
        self.server.announce_end(tick, world.model().clock.micros(tick));
        self.foxglove.announce_end();
    }

    /// Waits up to [`FAREWELL`] until all peers have received the remaining messages, or until
    /// `interrupted` is set. Then it disconnects the other peers.
    pub fn close(&self, interrupted: &AtomicBool) {
        let begun = Instant::now();
        let mut waits = || begun.elapsed() < FAREWELL && !interrupted.load(Ordering::Relaxed);
        let cut = self.server.close(&mut waits) + self.foxglove.close(&mut waits);
        if cut > 0 {
            let peers = if cut == 1 { "1 peer".into() } else { format!("{cut} peers") };
            let waited = begun.elapsed().as_secs_f64();
            eprintln!(
                "warning: {peers} disconnected {waited:.0} s after the end of the run: unread data \
                 remained"
            );
        }
    }
}

impl Serving {
    /// Whether rank 0 has a controller.
    pub fn is_controlled(&self) -> bool {
        self.address().is_some() || self.ros2.is_some()
    }

    /// Returns the address at which the run listens, if requested.
    fn address(&self) -> Option<Address> {
        self.serve.clone().or_else(|| self.view.then(Address::default))
    }

    /// Returns the view of the run for pages, if requested.
    pub fn displayed_run(&self, file: &ScenarioFile, built: &BuiltWorld) -> Option<DisplayedRun> {
        let duration = file.scenario.time.duration;
        (self.view || self.html).then(|| view::displayed_run(file, built, duration))
    }

    /// Creates the empty list of viewers, if viewing is requested.
    pub fn clients(&self, shown: &DisplayedRun) -> Option<Arc<Clients>> {
        let control = Arc::new(Control::new(true, Some(self.realtime.unwrap_or(1.0))));
        self.view.then(|| Clients::new(shown.clone(), MessageSource::Live, control))
    }

    /// Binds the address at which the run listens, if requested.
    pub fn bound(
        &self,
        scenario: &Scenario,
        model: &WorldModel,
    ) -> Result<Option<BoundListener>, Failure> {
        let failed = |error: LinkError| Failure::Input {
            subject: "--serve".into(),
            cause: error.to_string(),
        };
        let Some(address) = self.address() else {
            if self.serve_token.is_some() {
                return Err(Failure::Usage {
                    argument: "--serve-token",
                    value: "a token".into(),
                    allowed: "omitted without --serve or --view".into(),
                });
            }
            if let Some(domain) = self.ros2 {
                return check_ros2_names(domain, model).map(|()| None);
            }
            let outside = |own: &&crate::scenario::config::VehicleConfig| {
                matches!(own.driver, DriverConfig::Outside { .. })
            };
            return match scenario.vehicle.iter().find(outside) {
                None => Ok(None),
                Some(own) => Err(Failure::Input {
                    subject: format!("vehicle {}", own.name),
                    cause:
                        "has an external controller (driver.kind = \"outside\"); run with --serve, \
                         --view or --ros2, and connect a controller"
                            .into(),
                }),
            };
        };
        if let (true, Address::Unix(_)) = (self.view, &address) {
            return Err(Failure::Usage {
                argument: "--serve",
                value: address.to_string(),
                allowed: "HOST:PORT with --view, because browsers cannot open other addresses"
                    .into(),
            });
        }
        let token = self.serve_token.clone().map_or_else(Token::random, Ok).map_err(failed)?;
        let listener = Listener::bind(&address, token.clone()).map_err(failed)?;
        Ok(Some(BoundListener { listener, token }))
    }
}

/// Creates the ROS 2 bridge, which publishes the run and receives commands, if requested.
#[cfg(feature = "ros2")]
pub fn bridge(
    serving: &Serving,
    scenario: &Scenario,
    model: &WorldModel,
) -> Result<Option<Box<dyn Controller>>, Failure> {
    let Some(domain) = serving.ros2 else { return Ok(None) };
    let (model, seats) = (Arc::new(model.clone()), seats(scenario));
    let remark = |line: &str| eprintln!("{line}");
    let ground_interval = serving.ros2_ground.then_some(GROUND_INTERVAL);
    let opened = crate::ros2::Bridge::open(domain, ground_interval, model, &seats, remark);
    let bridge = opened.map_err(|error| Failure::Input {
        subject: format!("--ros2={domain}"),
        cause: error.to_string(),
    })?;
    Ok(Some(Box::new(bridge)))
}

/// Returns nothing: this build has no ROS 2 support, which was reported before.
#[cfg(not(feature = "ros2"))]
pub fn bridge(
    serving: &Serving,
    _: &Scenario,
    _: &WorldModel,
) -> Result<Option<Box<dyn Controller>>, Failure> {
    serving.ros2.map_or(Ok(None), |domain| Err(without_ros2(domain)))
}

/// Checks that the ROS 2 names of all vehicles and sensors are unique.
#[cfg(feature = "ros2")]
fn check_ros2_names(domain: DdsDomain, model: &WorldModel) -> Result<(), Failure> {
    match crate::ros2::duplicate_names(model) {
        None => Ok(()),
        Some([one, other, ros]) => Err(Failure::Input {
            subject: format!("--ros2={domain}"),
            cause: format!(
                "{one:?} and {other:?} both become {ros} in ROS 2; names must differ in ASCII \
                 letters and digits"
            ),
        }),
    }
}

#[cfg(not(feature = "ros2"))]
fn check_ros2_names(domain: DdsDomain, _: &WorldModel) -> Result<(), Failure> {
    Err(without_ros2(domain))
}

#[cfg(not(feature = "ros2"))]
fn without_ros2(domain: DdsDomain) -> Failure {
    Failure::Input {
        subject: format!("--ros2={domain}"),
        cause: "this bekker is built without ROS 2; build it with `cargo build --release \
            --features ros2`"
            .into(),
    }
}

impl BoundListener {
    /// Starts to accept controllers and viewers, and prints the address.
    ///
    /// The run may be a resumed one that continues after a number of steps.
    pub fn open(
        self,
        scenario: &Scenario,
        model: Arc<WorldModel>,
        tick: u64,
        clients: Option<Arc<Clients>>,
    ) -> Result<RunServer, Failure> {
        let BoundListener { listener, token } = self;
        eprintln!("serving at {}, token {}", listener.address(), token.reveal());
        let revealed = token.reveal().to_string();
        let server = Server::new(model, &scenario.name, &seats(scenario), tick, token);
        // a new id for each run, so that a reconnecting client detects another run
        let session = Token::random().map_err(|error| Failure::Input {
            subject: "--serve".into(),
            cause: error.to_string(),
        })?;
        let foxglove =
            FoxgloveServer::new(&scenario.name, &topics::descriptors(), session.reveal());
        let sessions = server.clone();
        let link = move |connection| sessions.serve(connection);
        let routes = match clients {
            None => Routes {
                link: Box::new(link),
                web_socket: Box::new(|_| None),
                pages: Box::new(()),
                foxglove: None,
            },
            Some(clients) => {
                let url = page_server::url(listener.address(), &revealed);
                eprintln!("open {url} to start the run");
                page_server::routes(
                    link,
                    page_server::single_run(clients),
                    Box::new(page_server::ViewerFiles),
                )
            }
        };
        let told = foxglove.clone();
        let foxglove_taker = Box::new(move |connection| told.serve(connection));
        let routes = Routes { foxglove: Some(foxglove_taker), ..routes };
        let listening = listener.open(routes).map_err(|error| Failure::Input {
            subject: "--serve".into(),
            cause: error.to_string(),
        })?;
        Ok(RunServer { server, foxglove, _listening: listening })
    }
}

/// Returns the vehicles with an external controller.
fn seats(scenario: &Scenario) -> Vec<ExternalVehicle> {
    let seat = |(agent, own): (usize, &crate::scenario::config::VehicleConfig)| {
        let DriverConfig::Outside { on_timeout, timeout } = own.driver else { return None };
        let on_timeout = match on_timeout {
            TimeoutPolicy::Brake => OnTimeout::Brake,
            TimeoutPolicy::Hold => OnTimeout::Hold,
            TimeoutPolicy::Fail => OnTimeout::Fail,
        };
        Some(ExternalVehicle { agent, on_timeout, timeout: Duration::from_secs_f64(timeout) })
    };
    scenario.vehicle.iter().enumerate().filter_map(seat).collect()
}
