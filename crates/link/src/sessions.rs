//! Sessions, and for each vehicle with an external controller its driver.

use super::message::{
    Act, DriverEvent, DriverEventKind, FaultCode, HeartbeatState, Mode, PeerReply, PeerRole,
    VehicleControls,
};
use super::run_description::RunDescription;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bekker_vehicle::Controls;
use bekker_vehicle::inflation::pascals;
use bekker_world::{
    Command, CommandOrigin, ExternalVehicle, OnTimeout, SpeedHold, SteeringCommand, ViewRequest,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::mpsc::{SyncSender, TrySendError};
use std::time::{Duration, Instant};

/// Capacity of a peer's outbox, messages. Further messages are dropped.
pub(super) const WAITING: usize = 16;
/// Maximum number of readings, and of radio messages, that a session holds for its next heartbeat. Later
/// ones are dropped.
const READINGS: usize = 4096;
/// Maximum number of events that a session holds for its next heartbeat.
const EVENTS: usize = 256;

/// Longest radio message of a vehicle, bytes: more than a packet of 802.11p holds.
const LONGEST_SAID: usize = 4096;
/// Maximum number of radio messages that wait for the next heartbeat.
const MOST_SAID: usize = 256;
/// Greatest speed that a command may request, m/s.
const FASTEST: f64 = 50.0;

/// A seat (vehicle with an external controller) with its driver and current command.
#[derive(Clone, Debug)]
pub(super) struct SeatState {
    pub seat: ExternalVehicle,
    /// Session of the driver.
    pub driver: Option<u64>,
    /// Whether it ever had a driver. From then on the run does not wait for one.
    pub driven: bool,
    pub controls: Controls,
    /// Speed to hold instead of pedals and gear selector, m/s.
    pub speed: Option<f64>,
    /// Whether a yaw rate is commanded, which also turns a vehicle at speed 0.
    pub is_turning: bool,
    pub origin: CommandOrigin,
    /// Name that the driver gives itself.
    pub name: String,
    /// Radio messages that the vehicle sends at the next heartbeat.
    pub says: Vec<Vec<u8>>,
}

impl SeatState {
    /// Returns the controls of the vehicle for a heartbeat of `h` seconds.
    pub fn controls(&self, held: &mut SpeedHold, h: f64) -> Controls {
        let Controls { steering, inflation, locks, uncouple, .. } = self.controls;
        match self.speed {
            Some(speed) => {
                let pedals = match self.is_turning {
                    true => held.turning_controls(speed, h),
                    false => held.controls(speed, h),
                };
                Controls { steering, inflation, locks, uncouple, ..pedals }
            }
            None => self.controls,
        }
    }
}

/// A session.
#[derive(Debug)]
pub(super) struct Session {
    pub role: PeerRole,
    pub mode: Mode,
    /// Display name, with the address.
    pub name: String,
    /// Name that the peer gives itself.
    pub given_name: String,
    pub agents: Vec<usize>,
    /// Number of heartbeats from one beat to the next.
    pub every: u64,
    /// Subscribed sensors: vehicle and sensor.
    pub sensors: Vec<(u32, u32)>,
    /// Vehicles whose received radio messages are subscribed.
    pub radios: Vec<u32>,
    pub outbox: SyncSender<String>,
    /// Heartbeat of the last beat sent.
    pub shown: Option<u64>,
    /// Tick of the command that the run waits for.
    pub awaited: Option<u64>,
    /// Whether the driver timed out. The run does not wait for it until it answers again.
    pub silent: bool,
    pub echo: Option<Value>,
    pub readings: Vec<Value>,
    pub heard: Vec<Value>,
    pub events: Vec<DriverEvent>,
    pub dropped: u64,
}

impl Session {
    /// Whether a beat is due at a heartbeat.
    pub fn is_due(&self, heartbeat: u64) -> bool {
        self.shown.is_none_or(|last| heartbeat >= last + self.every)
    }

    /// Whether the session has subscriptions, which need data at every heartbeat.
    pub fn wants_state(&self) -> bool {
        !(self.sensors.is_empty() && self.radios.is_empty())
    }

    /// Queues a message. Returns false if the outbox is full.
    pub fn send(&self, reply: &PeerReply) -> bool {
        let text = serde_json::to_string(reply).unwrap_or_default();
        !matches!(self.outbox.try_send(text), Err(TrySendError::Full(_)))
    }

    /// Sends the state of all vehicles at a heartbeat, with what has accumulated since the last
    /// beat.
    pub fn send_state(&mut self, heartbeat: u64, beat: &HeartbeatState) {
        let beat = HeartbeatState {
            readings: std::mem::take(&mut self.readings),
            heard: std::mem::take(&mut self.heard),
            events: std::mem::take(&mut self.events),
            dropped: self.dropped,
            echo: self.echo.take(),
            ..beat.clone()
        };
        self.shown = Some(heartbeat);
        let tick = beat.tick;
        if !self.send(&PeerReply::Beat(beat)) {
            self.dropped += 1;
            return;
        }
        let waits = self.role == PeerRole::Driver && self.mode == Mode::Lockstep && !self.silent;
        self.awaited = waits.then_some(tick);
    }

    pub fn push_reading(&mut self, reading: &Value) {
        if self.readings.len() < READINGS {
            self.readings.push(reading.clone());
        }
    }

    pub fn push_radio_message(&mut self, message: &Value) {
        if self.heard.len() < READINGS {
            self.heard.push(message.clone());
        }
    }
}

/// All sessions, and their requests to the run.
#[derive(Debug, Default)]
pub(super) struct SessionTable {
    pub members: BTreeMap<u64, Session>,
    pub seats: Vec<SeatState>,
    pub tick: u64,
    pub paused: bool,
    /// Number of heartbeats to run although paused.
    pub steps: u32,
    /// Name of the session that ended the run.
    pub quit: Option<String>,
    /// Reason why the run fails.
    pub failed: Option<String>,
    /// Time from which driver timeouts count: the last join, or the end of another wait.
    pub since: Option<Instant>,
    /// Lines for the user of the run.
    pub remarks: Vec<String>,
    next: u64,
    /// Whether the run has ended, so that no session can join.
    pub over: bool,
}

/// Code and text of a rejected session or act.
pub(super) type Refusal = (FaultCode, String);

impl SessionTable {
    pub fn new(seats: &[ExternalVehicle], tick: u64) -> SessionTable {
        let (controls, origin) = (Controls::BRAKED, CommandOrigin::Driver);
        let vacant = |seat: &ExternalVehicle| SeatState {
            seat: *seat,
            driver: None,
            driven: false,
            controls,
            speed: None,
            is_turning: false,
            origin,
            name: String::new(),
            says: Vec::new(),
        };
        SessionTable { seats: seats.iter().map(vacant).collect(), tick, ..SessionTable::default() }
    }

    /// Adds a session, as driver of its vehicles, and returns its number.
    pub fn join(&mut self, description: &RunDescription, member: Session) -> Result<u64, Refusal> {
        for &agent in &member.agents {
            let name = description.name(agent);
            let Some(taken) = self.seats.iter().find(|own| own.seat.agent == agent) else {
                let text = format!("vehicle {name:?} has no external controller");
                return Err((FaultCode::Unknown, text));
            };
            if let Some(other) = taken.driver.and_then(|other| self.members.get(&other)) {
                let text = format!("vehicle {name:?} is already driven by {}", other.name);
                return Err((FaultCode::Taken, text));
            }
        }
        let number = self.next;
        self.next += 1;
        for &agent in &member.agents {
            let tick = self.tick;
            let Some(own) = self.seats.iter_mut().find(|own| own.seat.agent == agent) else {
                continue;
            };
            own.driver = Some(number);
            own.driven = true;
            own.name.clone_from(&member.given_name);
            let vehicle = description.name(agent).to_owned();
            self.remarks.push(format!("{vehicle}: driven by {}", member.name));
            let (event, driver) = (DriverEventKind::Joined, member.name.clone());
            self.send_event(&DriverEvent { tick, vehicle, event, driver });
        }
        self.members.insert(number, member);
        self.since = Some(Instant::now());
        Ok(number)
    }

    /// Removes a session. The timeout policy of each of its seats applies.
    pub fn remove_session(&mut self, description: &RunDescription, number: u64, why: &str) {
        let Some(member) = self.members.remove(&number) else { return };
        if !self.over {
            self.release_seats(description, number, &member.name, CommandOrigin::Lost, why);
        }
        for own in self.seats.iter_mut().filter(|own| own.driver == Some(number)) {
            own.driver = None;
        }
    }

    /// Applies the timeout policy to the seats of a driver that is lost or late.
    fn release_seats(
        &mut self,
        description: &RunDescription,
        number: u64,
        name: &str,
        origin: CommandOrigin,
        why: &str,
    ) {
        let event = if origin == CommandOrigin::Lost {
            DriverEventKind::Lost
        } else {
            DriverEventKind::TimedOut
        };
        let mut events = Vec::new();
        for own in self.seats.iter_mut().filter(|own| own.driver == Some(number)) {
            let vehicle = description.name(own.seat.agent).to_owned();
            let what = match own.seat.on_timeout {
                OnTimeout::Brake => {
                    own.controls = Controls { gear: own.controls.gear, ..Controls::BRAKED };
                    own.speed = None;
                    "it brakes"
                }
                OnTimeout::Hold => "its last command remains active",
                OnTimeout::Fail => {
                    self.failed.get_or_insert(format!("{vehicle}: its driver {name} {why}"));
                    "the run fails"
                }
            };
            own.origin = origin;
            self.remarks.push(format!("{vehicle}: its driver {name} {why}: {what}"));
            let driver = name.to_owned();
            events.push(DriverEvent { tick: self.tick, vehicle, event, driver });
        }
        events.iter().for_each(|event| self.send_event(event));
    }

    /// Stops waiting for drivers whose timeout has passed.
    pub fn expire(&mut self, description: &RunDescription, now: Instant) {
        let since = self.since.unwrap_or(now);
        let late: Vec<u64> = self
            .members
            .iter()
            .filter(|(_, own)| own.awaited.is_some())
            .filter(|(_, own)| self.act_timeout(own).is_some_and(|time| now >= since + time))
            .map(|(number, _)| *number)
            .collect();
        for number in late {
            let Some(member) = self.members.get_mut(&number) else { continue };
            (member.awaited, member.silent) = (None, true);
            let name = member.name.clone();
            let why = "timed out";
            self.release_seats(description, number, &name, CommandOrigin::TimedOut, why);
        }
    }

    /// Returns the timeout of a session: the shortest of its vehicles' timeouts.
    pub fn act_timeout(&self, member: &Session) -> Option<Duration> {
        let own = self.seats.iter().filter(|own| member.agents.contains(&own.seat.agent));
        own.map(|own| own.seat.timeout).min()
    }

    /// Applies an act.
    pub fn act(
        &mut self,
        description: &RunDescription,
        number: u64,
        act: Act,
    ) -> Result<(), Refusal> {
        let now = self.tick;
        let Some(member) = self.members.get_mut(&number) else { return Ok(()) };
        if member.role != PeerRole::Driver {
            return Err((FaultCode::Act, "observers cannot send commands".into()));
        }
        let was_silent = std::mem::replace(&mut member.silent, false);
        if was_silent {
            let (name, agents) = (member.name.clone(), member.agents.clone());
            for agent in agents {
                let (vehicle, event) = (description.name(agent).to_owned(), DriverEventKind::Back);
                self.remarks.push(format!("{vehicle}: its driver {name} responds again"));
                self.send_event(&DriverEvent { tick: now, vehicle, event, driver: name.clone() });
            }
        }
        let Some(member) = self.members.get_mut(&number) else { return Ok(()) };
        if member.mode == Mode::Lockstep {
            let asked = member.awaited;
            if act.tick.is_some_and(|tick| Some(tick) != asked) || (asked.is_none() && !was_silent)
            {
                let wanted = asked.map_or("no act is expected".into(), |tick| {
                    format!("the act for tick {tick} is expected")
                });
                let given = act.tick.map_or("an act".into(), |tick| format!("an act for {tick}"));
                return Err((FaultCode::Tick, format!("{given}: {wanted}")));
            }
        }
        let mut taken: Vec<(usize, Controls, Option<f64>, bool)> = Vec::new();
        for own in &act.controls {
            let agent =
                description.agent(&own.vehicle).filter(|agent| member.agents.contains(agent));
            let Some(agent) = agent else {
                let text = format!("this session does not drive vehicle {:?}", own.vehicle);
                return Err((FaultCode::Act, text));
            };
            if taken.iter().any(|(other, ..)| *other == agent) {
                let text = format!("vehicle {:?}: must have one command per act", own.vehicle);
                return Err((FaultCode::Act, text));
            }
            let controls = controls(own).and_then(|command| {
                let controls = description.model.controls(agent, &command);
                controls.map_err(|error| format!("vehicle {:?}: {error}", own.vehicle))
            });
            let controls = controls.map_err(|text| (FaultCode::Act, text))?;
            let is_turning = own.yaw_rate.is_some_and(|rate| rate != 0.0);
            taken.push((agent, controls, own.speed, is_turning));
        }
        let mut says = Vec::new();
        for own in &act.says {
            let refused =
                |text: String| (FaultCode::Act, format!("vehicle {:?}: {text}", own.vehicle));
            let agent =
                description.agent(&own.vehicle).filter(|agent| member.agents.contains(agent));
            let agent = agent.ok_or_else(|| refused("is not driven by this session".into()))?;
            let radio = description.radios(std::slice::from_ref(&own.vehicle));
            radio.map_err(|(_, text)| (FaultCode::Act, text))?;
            let bytes = STANDARD.decode(&own.bytes);
            let bytes =
                bytes.map_err(|error| refused(format!("bytes: invalid base64: {error}")))?;
            if bytes.len() > LONGEST_SAID {
                return Err(refused(format!(
                    "says {} bytes: must be at most {LONGEST_SAID}",
                    bytes.len()
                )));
            }
            says.push((agent, bytes));
        }
        let waiting: usize = self.seats.iter().map(|own| own.says.len()).sum();
        if waiting + says.len() > MOST_SAID {
            let text = format!("`says`: at most {MOST_SAID} messages may be queued per heartbeat");
            return Err((FaultCode::Act, text));
        }
        (member.awaited, member.echo) = (None, act.echo);
        for (agent, bytes) in says {
            let seat = self.seats.iter_mut().find(|own| own.seat.agent == agent);
            seat.into_iter().for_each(|own| own.says.push(bytes.clone()));
        }
        let named = |own: &SeatState| taken.iter().find(|(agent, ..)| *agent == own.seat.agent);
        for own in self.seats.iter_mut().filter(|own| own.driver == Some(number)) {
            own.origin = CommandOrigin::Driver;
            if let Some((_, controls, speed, is_turning)) = named(own) {
                (own.controls, own.speed, own.is_turning) = (*controls, *speed, *is_turning);
            }
        }
        Ok(())
    }

    /// Returns all subscriptions of the sessions.
    pub fn view_request(&self) -> ViewRequest {
        let members = || self.members.values();
        let mut sensors: Vec<_> = members().flat_map(|own| own.sensors.iter().copied()).collect();
        let mut radios: Vec<_> = members().flat_map(|own| own.radios.iter().copied()).collect();
        sensors.sort_unstable();
        sensors.dedup();
        radios.sort_unstable();
        radios.dedup();
        ViewRequest { sensors, radios, world: false }
    }

    /// Returns the names of vehicles that never had a driver.
    pub fn vacant_seats<'a>(&self, description: &'a RunDescription) -> Vec<&'a str> {
        let vacant = self.seats.iter().filter(|own| !own.driven);
        vacant.map(|own| description.name(own.seat.agent)).collect()
    }

    fn send_event(&mut self, event: &DriverEvent) {
        for member in self.members.values_mut().filter(|own| own.events.len() < EVENTS) {
            member.events.push(event.clone());
        }
    }
}

/// Returns the command in a message.
fn controls(own: &VehicleControls) -> Result<Command, String> {
    let VehicleControls {
        throttle,
        brake,
        speed,
        steering,
        angle,
        yaw_rate,
        gear,
        inflation_kpa,
        locks,
        uncouple,
        vehicle,
    } = own;
    if let Some(speed) = speed {
        if throttle.is_some() || brake.is_some() || gear.is_some() {
            return Err(format!(
                "vehicle {vehicle:?}: must give speed, or throttle, brake and gear, not both"
            ));
        }
        if speed.abs() > FASTEST {
            return Err(format!(
                "vehicle {vehicle:?}: speed = {speed}: must be from -50 to 50 m/s"
            ));
        }
    }
    let steering = match (steering, angle, yaw_rate) {
        (share, None, None) => SteeringCommand::Share(share.unwrap_or_default()),
        (None, Some(angle), None) => SteeringCommand::Angle(*angle),
        (None, None, Some(rate)) => SteeringCommand::YawRate(*rate),
        (Some(_), Some(_), None) => {
            return Err(format!("vehicle {vehicle:?}: must give steering or angle, not both"));
        }
        _ => {
            return Err(format!(
                "vehicle {vehicle:?}: must give one of steering, angle and yaw_rate"
            ));
        }
    };
    let [throttle, brake] = [throttle, brake].map(|pedal| pedal.unwrap_or_default());
    let gear = gear.unwrap_or_default();
    let inflation = inflation_kpa.map(pascals).transpose();
    let inflation = inflation.map_err(|error| format!("vehicle {vehicle:?}: {error}"))?;
    let (locks, uncouple) = (*locks, *uncouple);
    Ok(Command { throttle, brake, steering, gear, inflation, locks, uncouple })
}
