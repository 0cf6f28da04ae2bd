//! A run with external drivers and observers, whose sessions have their own threads.
//!
//! The run calls the server before each heartbeat, as its [`Controller`]. The server waits for
//! missing drivers and sends the state of all vehicles to the sessions for which a beat is due.
//! Then it waits for the acts of lock-step drivers, and returns the resulting commands.

use super::message::{
    DriveOutcome, FaultCode, HeartbeatState, PROTOCOL, PeerHello, PeerReply, PeerRequest, PeerRole,
    VehicleReport, WheelReport,
};
use super::radio_message::radio_message;
use super::reading::reading;
use super::run_description::RunDescription;
use super::sessions::{Refusal, Session, SessionTable, WAITING};
use super::writers::{Writers, for_at_most};
use super::{Connection, LinkError, Token, WireMessage};
use bekker_agent::{OutcomeReport, Sample};
use bekker_math::spatial::Vec3;
use bekker_vehicle::Controls;
use bekker_world::{
    CommandOrigin, CommandRecord, Controller, ControllerRequest, ControllerView, ExternalVehicle,
    SpeedHold, World, WorldModel,
};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Longest name of a peer, characters. Longer names are truncated.
const LONGEST_NAME: usize = 64;
/// Longest wait before control returns to the run, whose ranks must keep receiving from each other.
const PATIENCE: Duration = Duration::from_millis(500);

/// Server of a run. It serves each session on its own thread.
#[derive(Clone)]
pub struct Server {
    shared: Arc<ServerState>,
}

struct ServerState {
    description: RunDescription,
    token: Token,
    sessions: Mutex<SessionTable>,
    changed: Condvar,
    /// Threads that write to peers.
    writers: Writers,
    /// Last message to all sessions, once the run has ended.
    end: OnceLock<String>,
    /// Whether the run has paused on purpose since the last check.
    was_paused: AtomicBool,
}

impl Server {
    /// Creates a server for the run `run`, which continues after `tick` steps.
    pub fn new(
        model: Arc<WorldModel>,
        run: &str,
        seats: &[ExternalVehicle],
        tick: u64,
        token: Token,
    ) -> Server {
        let shared = ServerState {
            description: RunDescription::new(model, run, seats),
            token,
            sessions: Mutex::new(SessionTable::new(seats, tick)),
            changed: Condvar::new(),
            writers: Writers::default(),
            end: OnceLock::new(),
            was_paused: AtomicBool::new(false),
        };
        Server { shared: Arc::new(shared) }
    }

    /// Returns the flag that is set whenever the run pauses on purpose, also to wait for drivers.
    pub fn was_paused(&self) -> &AtomicBool {
        &self.shared.was_paused
    }

    /// Returns the name of the session that ended the run, if one has.
    pub fn quit_by(&self) -> Option<String> {
        self.shared.sessions().quit.clone()
    }

    /// Serves a peer until it disconnects.
    pub fn serve(&self, mut connection: Connection) {
        let outgoing = connection.outgoing.clone();
        let refuse = |(code, text): Refusal| {
            let told = serde_json::to_string(&PeerReply::Fault { code, text }).unwrap_or_default();
            // a peer that is gone need not receive the reason
            let _ = outgoing.text(&told);
            outgoing.close();
        };
        let hello = match next(&mut connection) {
            Ok(Some(PeerRequest::Hello(hello))) => hello,
            Ok(Some(_)) => {
                return refuse((FaultCode::Protocol, "the first message must be a hello".into()));
            }
            Ok(None) => return outgoing.close(),
            Err(refusal) => return refuse(refusal),
        };
        let (number, name) = match self.admit(&hello, &mut connection) {
            Ok(admitted) => admitted,
            Err(refusal) => return refuse(refusal),
        };
        let why = loop {
            match next(&mut connection) {
                Ok(Some(request)) => self.handle_request(number, &name, request),
                Ok(None) => break "disconnected".to_owned(),
                Err((code, text)) => {
                    let sessions = self.shared.sessions();
                    let text_told = text.clone();
                    if let Some(member) = sessions.members.get(&number) {
                        member.send(&PeerReply::Fault { code, text: text_told });
                    }
                    break format!("sent an invalid message ({text})");
                }
            }
        };
        // dropping the outbox ends the writer thread, which closes the connection
        self.shared.sessions().remove_session(&self.shared.description, number, &why);
        self.shared.changed.notify_all();
    }

    /// Checks a hello and starts the session of a peer.
    fn admit(
        &self,
        hello: &PeerHello,
        connection: &mut Connection,
    ) -> Result<(u64, String), Refusal> {
        let ServerState { description, token, .. } = &*self.shared;
        if hello.protocol != PROTOCOL {
            let text = format!("protocol {}: must be {PROTOCOL}", hello.protocol);
            return Err((FaultCode::Protocol, text));
        }
        if !token.matches(&hello.token) {
            let text = "the token is missing or wrong; give the one that the run printed";
            return Err((FaultCode::Token, text.into()));
        }
        connection.admit().map_err(|error| (FaultCode::Full, error.to_string()))?;
        if hello.every == 0 {
            let text = "every = 0: must be 1 heartbeat or more";
            return Err((FaultCode::Message, text.into()));
        }
        if hello.name.chars().any(char::is_control) {
            // log lines and events contain the name
            let shown: String = hello.name.chars().take(LONGEST_NAME).collect();
            let text = format!(
                "name = {shown:?}: must be one line without tabs and other control characters"
            );
            return Err((FaultCode::Message, text));
        }
        let (agents, sensors) =
            (description.vehicles(&hello.vehicles)?, description.sensors(&hello.sensors)?);
        let radios = description.radios(&hello.radios)?;
        match hello.role {
            PeerRole::Driver if agents.is_empty() => {
                let text = "vehicles: a driver must name the vehicles that it drives";
                return Err((FaultCode::Unknown, text.into()));
            }
            PeerRole::Observer if !agents.is_empty() => {
                return Err((
                    FaultCode::Unknown,
                    "vehicles: must be absent for an observer".into(),
                ));
            }
            _ => {}
        }
        let peer = connection.outgoing.peer();
        let name = match hello.name.as_str() {
            "" => peer.to_owned(),
            given => format!("{} ({peer})", given.chars().take(LONGEST_NAME).collect::<String>()),
        };
        let (outbox, waiting) = sync_channel::<String>(WAITING);
        let member = Session {
            role: hello.role,
            mode: hello.mode,
            name: name.clone(),
            given_name: hello.name.chars().take(LONGEST_NAME).collect(),
            agents,
            every: u64::from(hello.every),
            sensors,
            radios,
            outbox,
            shown: None,
            awaited: None,
            silent: false,
            echo: None,
            readings: Vec::new(),
            heard: Vec::new(),
            events: Vec::new(),
            dropped: 0,
        };
        let (outgoing, shared) = (connection.outgoing.clone(), self.shared.clone());
        let write = move || {
            let sent = waiting.into_iter().try_for_each(|text| outgoing.text(&text));
            if let (Ok(()), Some(end)) = (sent, shared.end.get()) {
                // a closed connection needs no end message
                let _ = outgoing.text(end);
            }
            outgoing.close();
        };
        let mut sessions = self.shared.sessions();
        if sessions.over {
            return Err((FaultCode::Full, "the run has ended".into()));
        }
        let number = sessions.join(description, member)?;
        let writer = std::thread::Builder::new().name("link writer".into()).spawn(write);
        let welcome = PeerReply::Welcome(description.welcome(sessions.tick));
        match (writer, sessions.members.get(&number)) {
            (Ok(writer), Some(member)) => {
                member.send(&welcome);
                self.shared.writers.add(writer, connection.outgoing.clone());
            }
            _ => {
                sessions.remove_session(description, number, "could not be served");
                return Err((FaultCode::Protocol, "cannot start a thread".into()));
            }
        }
        drop(sessions);
        self.shared.changed.notify_all();
        Ok((number, name))
    }

    fn handle_request(&self, number: u64, name: &str, request: PeerRequest) {
        let mut sessions = self.shared.sessions();
        let outcome = match request {
            PeerRequest::Act(act) => sessions.act(&self.shared.description, number, act),
            PeerRequest::Pause {} => {
                sessions.paused = true;
                Ok(())
            }
            PeerRequest::Resume {} => {
                (sessions.paused, sessions.steps) = (false, 0);
                Ok(())
            }
            PeerRequest::Step { count } => {
                sessions.paused = true;
                sessions.steps = sessions.steps.saturating_add(count);
                Ok(())
            }
            PeerRequest::Quit {} => {
                sessions.quit.get_or_insert(name.to_owned());
                Ok(())
            }
            PeerRequest::Hello(_) => Err((FaultCode::Act, "hello is allowed only once".into())),
        };
        if let (Err((code, text)), Some(member)) = (outcome, sessions.members.get(&number)) {
            member.send(&PeerReply::Fault { code, text });
        }
        drop(sessions);
        self.shared.changed.notify_all();
    }

    /// Returns the controller that the run calls before each heartbeat.
    ///
    /// `remark` prints a line for the user of the run.
    pub fn controller(&self, remark: impl Fn(&str) + Send + 'static) -> ServedController {
        ServedController {
            server: self.clone(),
            remark: Box::new(remark),
            heartbeat: 0,
            tick: None,
            seen: None,
            held: Vec::new(),
            told: Vec::new(),
            before: Vec::new(),
            missing: false,
        }
    }

    /// Queues the end of the run for all sessions, without waiting for them.
    pub fn announce_end(&self, tick: u64, time_us: u64) {
        let end = serde_json::to_string(&PeerReply::End { tick, time_us }).unwrap_or_default();
        let mut sessions = self.shared.sessions();
        sessions.over = true;
        // only the first call counts
        let _ = self.shared.end.set(end);
        sessions.members.clear();
    }

    /// Waits until all queued messages are sent, while `waits` returns true. Then cuts the
    /// remaining sessions and returns their number.
    pub fn close(&self, waits: &mut dyn FnMut() -> bool) -> usize {
        self.shared.writers.end(waits)
    }

    /// Sends the end to all sessions within `time`. Returns the number of sessions that were cut.
    pub fn end(&self, tick: u64, time_us: u64, time: Duration) -> usize {
        self.announce_end(tick, time_us);
        self.close(&mut for_at_most(time))
    }
}

/// Returns the next request of a peer, or `None` once it has disconnected.
fn next(connection: &mut Connection) -> Result<Option<PeerRequest>, Refusal> {
    let text = match connection.incoming.receive() {
        Ok(Some(WireMessage::Text(text))) => text,
        Ok(Some(WireMessage::Binary(_))) => {
            return Err((FaultCode::Message, "binary message: must be text".into()));
        }
        Ok(None) => return Ok(None),
        Err(LinkError::Stream(error)) => return Err((FaultCode::Message, error.to_string())),
        Err(error) => return Err((FaultCode::Message, error.to_string())),
    };
    let request = serde_json::from_str(&text);
    request.map(Some).map_err(|error| (FaultCode::Message, format!("invalid message: {error}")))
}

impl ServerState {
    fn sessions(&self) -> MutexGuard<'_, SessionTable> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the roster changes, at most for `time`.
    fn wait<'a>(
        &'a self,
        sessions: MutexGuard<'a, SessionTable>,
        time: Duration,
    ) -> MutexGuard<'a, SessionTable> {
        let waited = self.changed.wait_timeout(sessions, time);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Controller of a run that is connected to a server.
pub struct ServedController {
    server: Server,
    remark: Box<dyn Fn(&str) + Send>,
    /// Number of heartbeats so far.
    heartbeat: u64,
    /// Tick of the current heartbeat.
    tick: Option<u64>,
    /// Tick of the last world state processed.
    seen: Option<u64>,
    /// Speed controller of each seat.
    held: Vec<SpeedHold>,
    /// Controls, origin and driver last sent to each seat.
    told: Vec<Option<(Controls, CommandOrigin, Option<u64>)>>,
    /// Time, s, and velocity of each vehicle at the last two samples.
    before: Vec<[(f64, Vec3); 2]>,
    /// Whether the missing drivers have been reported.
    missing: bool,
}

impl Controller for ServedController {
    fn call(&mut self, world: &World) -> ControllerRequest {
        let shared = self.server.shared.clone();
        let (description, tick) = (&shared.description, world.state().tick);
        let mut sessions = shared.sessions();
        if self.tick != Some(tick) {
            self.heartbeat += u64::from(self.tick.is_some());
            (self.tick, sessions.tick) = (Some(tick), tick);
            sessions.since = Some(Instant::now());
        }
        let entered = Instant::now();
        loop {
            sessions.remarks.drain(..).for_each(|line| (self.remark)(&line));
            if let Some(cause) = sessions.failed.take() {
                return ControllerRequest::Fail(cause);
            }
            if let Some(by) = &sessions.quit {
                (self.remark)(&format!("ended by {by}"));
                return ControllerRequest::Stop;
            }
            let heartbeat = self.heartbeat;
            let looks = self.seen != Some(tick)
                && (sessions.members.values().any(Session::wants_state)
                    || sessions.seats.iter().any(|own| own.speed.is_some()));
            if looks || sessions.members.values().any(|own| own.is_due(heartbeat)) {
                return ControllerRequest::Show(sessions.view_request());
            }
            let vacant = sessions.vacant_seats(description);
            let stands = !vacant.is_empty() || (sessions.paused && sessions.steps == 0);
            if !vacant.is_empty() && !self.missing {
                self.missing = true;
                (self.remark)(&format!("waiting for a driver for {}", vacant.join(", ")));
            }
            let now = Instant::now();
            if stands {
                shared.was_paused.store(true, Ordering::Relaxed);
                sessions.since = Some(now);
            } else {
                sessions.expire(description, now);
                if sessions.failed.is_some() {
                    continue;
                }
                if sessions.members.values().all(|own| own.awaited.is_none()) {
                    break;
                }
            }
            if entered.elapsed() >= PATIENCE {
                return ControllerRequest::Wait;
            }
            let begun = sessions.since.unwrap_or(now);
            let awaited = sessions.members.values().filter(|own| own.awaited.is_some());
            let left = awaited.filter_map(|own| sessions.act_timeout(own)).min();
            let left = left.map_or(PATIENCE, |time| (begun + time).saturating_duration_since(now));
            sessions = shared.wait(sessions, left.clamp(Duration::from_millis(1), PATIENCE));
        }
        sessions.remarks.drain(..).for_each(|line| (self.remark)(&line));
        if sessions.paused {
            sessions.steps = sessions.steps.saturating_sub(1);
        }
        let clock = &world.model().clock;
        let span = clock.micros(tick + world.state().steps) - clock.micros(tick);
        self.told.resize(sessions.seats.len(), None);
        self.held.resize(sessions.seats.len(), SpeedHold::default());
        let mut commanded = Vec::new();
        let seats = sessions.seats.iter_mut().zip(&mut self.held);
        for ((own, held), told) in seats.zip(&mut self.told) {
            let now = (own.controls(held, 1e-6 * span as f64), own.origin, own.driver);
            if *told != Some(now) || !own.says.is_empty() {
                *told = Some(now);
                let (agent, (controls, origin, _)) = (own.seat.agent as u32, now);
                let (driver, says) = (own.name.clone(), std::mem::take(&mut own.says));
                commanded.push(CommandRecord { agent, controls, origin, driver, says });
            }
        }
        ControllerRequest::Go(commanded)
    }

    fn show(&mut self, shown: &ControllerView<'_>) {
        let shared = self.server.shared.clone();
        let world = shown.world;
        let tick = world.state().tick;
        let beat = HeartbeatState {
            tick,
            time_us: world.model().clock.micros(tick),
            vehicles: self.vehicles(shown),
            ..HeartbeatState::default()
        };
        let mut sessions = shared.sessions();
        self.held.resize(sessions.seats.len(), SpeedHold::default());
        let gravity = world.model().ground.laws().gravity;
        for (own, held) in sessions.seats.iter().zip(&mut self.held) {
            let sample = shown.samples.iter().find(|sample| sample.vehicle == own.seat.agent);
            sample.into_iter().for_each(|sample| held.update(sample, gravity));
        }
        if self.seen.replace(tick) != Some(tick) {
            for (agent, delivery) in shown.delivered {
                let sensor = (*agent, delivery.sensor);
                let told = reading(&shared.description.sensor(*agent, delivery.sensor), delivery);
                let listeners = sessions.members.values_mut();
                listeners
                    .filter(|own| own.sensors.binary_search(&sensor).is_ok())
                    .for_each(|own| own.push_reading(&told));
            }
            for (agent, heard) in shown.radio_messages {
                let told = radio_message(&shared.description, *agent, heard);
                let listeners = sessions.members.values_mut();
                listeners
                    .filter(|own| own.radios.binary_search(agent).is_ok())
                    .for_each(|own| own.push_radio_message(&told));
            }
        }
        let heartbeat = self.heartbeat;
        for member in sessions.members.values_mut().filter(|own| own.is_due(heartbeat)) {
            member.send_state(heartbeat, &beat);
        }
        // the timeout of drivers starts when the beat was sent
        sessions.since = Some(Instant::now());
    }
}

impl ServedController {
    fn vehicles(&mut self, shown: &ControllerView<'_>) -> Vec<VehicleReport> {
        let ControllerView { world, samples, outcomes, .. } = *shown;
        let first = samples.iter().map(|own| [(own.time, own.velocity); 2]);
        if self.before.len() != samples.len() {
            self.before = first.collect();
        }
        let agents = &world.model().agents;
        samples
            .iter()
            .zip(&mut self.before)
            .map(|(sample, before)| {
                if sample.time > before[1].0 {
                    *before = [before[1], (sample.time, sample.velocity)];
                }
                let [(earlier, from), (now, to)] = *before;
                let span = now - earlier;
                let acceleration = if span > 0.0 { (to - from) / span } else { Vec3::zeros() };
                let name = agents.get(sample.vehicle).map(|own| own.name.clone());
                let agent = sample.vehicle as u32;
                let ended = outcomes.binary_search_by_key(&agent, |(agent, _)| *agent).ok();
                let outcome = ended.map(|index| outcome(&outcomes[index].1));
                VehicleReport { outcome, ..vehicle(name.unwrap_or_default(), sample, acceleration) }
            })
            .collect()
    }
}

fn outcome(report: &OutcomeReport) -> DriveOutcome {
    DriveOutcome { code: report.code, time: report.time, text: report.sentence.clone() }
}

fn vehicle(name: String, sample: &Sample, acceleration: Vec3) -> VehicleReport {
    let turn = sample.pose.orientation.quaternion();
    let wheels = sample.wheels.iter().map(|wheel| WheelReport {
        spin: wheel.spin,
        slip: wheel.slip,
        sinkage: wheel.sinkage,
        force: [wheel.traction, wheel.lateral, wheel.load],
        pressure: (wheel.area > 0.0).then(|| wheel.load / wheel.area),
    });
    VehicleReport {
        name,
        position: sample.pose.position.into(),
        orientation: [turn.w, turn.i, turn.j, turn.k],
        velocity: sample.velocity.into(),
        angular_velocity: sample.angular_velocity.into(),
        acceleration: acceleration.into(),
        speed: sample.speed,
        throttle: sample.controls.throttle,
        brake: sample.controls.brake,
        steering: sample.controls.steering,
        gear: sample.gear,
        engine_speed: sample.engine_speed,
        wheels: wheels.collect(),
        outcome: None,
    }
}
