//! The messages of the link, as JSON: `docs/link.md` shows each.

use bekker_agent::OutcomeCode;
use bekker_vehicle::{Locks, Selector};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Version of the protocol.
pub const PROTOCOL: u32 = 1;

/// What a peer says.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Request {
    /// Who it is: its first message.
    Hello(Hello),
    /// Commands to its vehicles.
    Act(Act),
    /// The run is to stand still before its next heartbeat.
    Pause {},
    /// It is to go on.
    Resume {},
    /// It is to go on for some heartbeats and stand still again.
    Step {
        /// How many.
        #[serde(default = "one")]
        count: u32,
    },
    /// The run is to end, its record complete up to here.
    Quit {},
}

fn one() -> u32 {
    1
}

/// Who a peer is.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// Version of the protocol that it speaks.
    pub protocol: u32,
    /// The token that the run printed.
    #[serde(default)]
    pub token: String,
    /// What it does.
    #[serde(default)]
    pub role: Role,
    /// What it calls itself.
    #[serde(default)]
    pub name: String,
    /// Vehicles that it drives.
    #[serde(default)]
    pub vehicles: Vec<String>,
    /// Whether the run waits for it.
    #[serde(default)]
    pub mode: Mode,
    /// Heartbeats from one beat to the next.
    #[serde(default = "one")]
    pub every: u32,
    /// Sensors whose readings it wants: `vehicle/sensor`, or `vehicle/*`.
    #[serde(default)]
    pub sensors: Vec<String>,
    /// Vehicles whose radios it listens to.
    #[serde(default)]
    pub radios: Vec<String>,
}

/// What a peer does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Drives vehicles.
    #[default]
    Driver,
    /// Looks on.
    Observer,
}

/// Whether the run waits for a driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// It waits for an act after each beat: the same acts give the same run.
    #[default]
    Lockstep,
    /// It goes on with the latest act.
    Realtime,
}

/// Commands for the heartbeats to the next beat.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Act {
    /// Tick of the beat that it answers; the last one if none.
    #[serde(default)]
    pub tick: Option<u64>,
    /// Commands; a vehicle that is not named keeps its own.
    #[serde(default)]
    pub controls: Vec<VehicleControls>,
    /// What vehicles of this session say by their radios at the next exchange, once.
    #[serde(default)]
    pub says: Vec<Said>,
    /// Comes back in the next beat.
    #[serde(default)]
    pub echo: Option<Value>,
}

/// Bytes that a vehicle says by its radio.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Said {
    /// Its name.
    pub vehicle: String,
    /// The bytes, in base64.
    pub bytes: String,
}

/// Commands to a vehicle.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VehicleControls {
    /// Its name.
    pub vehicle: String,
    /// Throttle, 0 to 1; none with `speed`.
    #[serde(default)]
    pub throttle: Option<f64>,
    /// Service brake, 0 to 1; none with `speed`.
    #[serde(default)]
    pub brake: Option<f64>,
    /// Speed to be held, m/s, negative backward, in the place of pedals and lever.
    #[serde(default)]
    pub speed: Option<f64>,
    /// Share of full lock, -1 (right) to 1 (left).
    #[serde(default)]
    pub steering: Option<f64>,
    /// Mean angle of the steered wheels, rad, positive to the left, in the place of
    /// `steering`.
    #[serde(default)]
    pub angle: Option<f64>,
    /// Lever of the gearbox, `drive` if none; none with `speed`.
    #[serde(default)]
    pub gear: Option<Selector>,
    /// Inflation that central tyre inflation is to work towards, Pa.
    #[serde(default)]
    pub inflation: Option<f64>,
    /// Differentials to be locked.
    #[serde(default)]
    pub locks: Locks,
    /// Whether it lets go of its trailer.
    #[serde(default)]
    pub uncouple: bool,
}

/// What the run says.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Reply {
    /// The answer to a hello.
    Welcome(Welcome),
    /// A heartbeat is about to begin.
    Beat(Beat),
    /// Something is wrong with what a peer said.
    Fault {
        /// Which, for machines.
        code: FaultCode,
        /// All of it in words.
        text: String,
    },
    /// The run has ended.
    End {
        /// Steps taken.
        tick: u64,
        /// Simulated time, µs.
        time_us: u64,
    },
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultCode {
    /// Bytes or text that are no message: the session ends.
    Message,
    /// A hello of another protocol, or none: the session ends.
    Protocol,
    /// The token is missing or wrong: the session ends.
    Token,
    /// A vehicle or sensor that is not there, or not driven from outside: the session ends.
    Unknown,
    /// A vehicle that somebody else drives: the session ends.
    Taken,
    /// The most sessions are open, or the run has ended: the session ends.
    Full,
    /// Commands that cannot be: the act is not taken.
    Act,
    /// An act for another tick than the beat's: it is not taken.
    Tick,
}

impl FaultCode {
    /// Whether the session ends with it.
    pub fn ends(self) -> bool {
        !matches!(self, FaultCode::Act | FaultCode::Tick)
    }
}

/// What there is to drive and to see.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Welcome {
    /// Version of the protocol.
    pub protocol: u32,
    /// Name of the scenario.
    pub run: String,
    /// Step, µs.
    pub step_us: u64,
    /// Heartbeat, µs; where it adapts, the longest.
    pub heartbeat_us: u64,
    /// Steps taken.
    pub tick: u64,
    /// The vehicles.
    pub vehicles: Vec<VehicleAbout>,
    /// Their sensors.
    pub sensors: Vec<SensorAbout>,
}

/// A vehicle, in short.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VehicleAbout {
    /// Its name.
    pub name: String,
    /// Its model.
    pub model: String,
    /// Whether it is driven from outside.
    pub outside: bool,
    /// Wheels, or road wheels.
    pub wheels: usize,
    /// How far the first steered axle stands from the line that the turning centre is level with,
    /// m, of a vehicle on wheels.
    pub wheelbase: Option<f64>,
    /// Mean angle of the steered wheels at full lock, rad, where it steers by them.
    pub max_steer: Option<f64>,
    /// Forward gears.
    pub gears: usize,
}

/// A sensor, in short.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SensorAbout {
    /// `vehicle/sensor`.
    pub name: String,
    /// Its kind.
    pub kind: &'static str,
    /// Time between its frames, s.
    pub period: f64,
}

/// How all vehicles are, before a heartbeat.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Beat {
    /// Steps taken.
    pub tick: u64,
    /// Simulated time, µs.
    pub time_us: u64,
    /// The vehicles, in the scenario's order.
    pub vehicles: Vec<VehicleBeat>,
    /// What the sensors that were asked for delivered since the last beat.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<Value>,
    /// What the radios that were asked for heard since the last beat.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub heard: Vec<Value>,
    /// What became of drivers since the last beat.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<DriverEvent>,
    /// Beats that were left out, since the peer did not take them in time.
    #[serde(skip_serializing_if = "is_zero")]
    pub dropped: u64,
    /// What came with its last act.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub echo: Option<Value>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A vehicle at a moment. World axes are east, north, up; those of the chassis x forward, y
/// left, z up.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct VehicleBeat {
    /// Its name.
    pub name: String,
    /// Origin of the chassis frame, m.
    pub position: [f64; 3],
    /// Rotation from the chassis' axes to the world's: w, x, y, z.
    pub orientation: [f64; 4],
    /// Velocity of that origin, world axes, m/s.
    pub velocity: [f64; 3],
    /// Angular velocity, the chassis' axes, rad/s.
    pub angular_velocity: [f64; 3],
    /// Mean acceleration of that origin since it was shown last, world axes, m/s².
    pub acceleration: [f64; 3],
    /// Speed along the chassis' x axis, m/s.
    pub speed: f64,
    /// Commands in force: throttle, 0 to 1.
    pub throttle: f64,
    /// Service brake, 0 to 1.
    pub brake: f64,
    /// Share of full lock, -1 (right) to 1 (left).
    pub steering: f64,
    /// Gear, 1 first; 0 neutral, negative reverse.
    pub gear: i32,
    /// Engine speed, rad/s.
    pub engine_speed: f64,
    /// Wheels, axle by axle from the front, left before right.
    pub wheels: Vec<WheelBeat>,
    /// How its drive ended, once it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<OutcomeBeat>,
}

/// How a drive ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OutcomeBeat {
    /// Which outcome, as `docs/outcomes.md` names it.
    pub code: OutcomeCode,
    /// When, s.
    pub time: Option<f64>,
    /// All of it in words.
    pub text: String,
}

/// A wheel at a moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WheelBeat {
    /// Spin, rad/s, positive when rolling forward.
    pub spin: f64,
    /// Slip, -1 to 1, positive when driving.
    pub slip: f64,
    /// Depth of its lowest point below the undisturbed ground, m.
    pub sinkage: f64,
    /// Force of the ground along its heading, to its left, up, N.
    pub force: [f64; 3],
    /// Mean pressure in the contact, Pa, of rigid wheels on ground that yields.
    pub pressure: Option<f64>,
}

/// What became of a driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DriverEvent {
    /// Steps taken then.
    pub tick: u64,
    /// Its vehicle.
    pub vehicle: String,
    /// What.
    pub event: DriverFate,
    /// What it calls itself.
    pub driver: String,
}

/// What may become of a driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DriverFate {
    /// It has come.
    Joined,
    /// It is gone.
    Lost,
    /// It did not answer in time.
    TimedOut,
    /// It answers again.
    Back,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_and_others_refused() {
        let read = |text: &str| serde_json::from_str::<Request>(text);
        let hello = read(r#"{"type":"hello","protocol":1,"vehicles":["a"],"mode":"realtime"}"#);
        let Ok(Request::Hello(hello)) = hello else { panic!("{hello:?}") };
        assert_eq!((hello.every, hello.mode, hello.role), (1, Mode::Realtime, Role::Driver));
        let act = r#"{"type":"act","tick":3,"controls":[{"vehicle":"a","angle":0.1}],"echo":[1]}"#;
        assert!(matches!(read(act), Ok(Request::Act(Act { tick: Some(3), .. }))));
        assert_eq!(read(r#"{"type":"step"}"#).unwrap(), Request::Step { count: 1 });
        for text in [
            "",
            "{}",
            "[]",
            r#"{"type":"other"}"#,
            r#"{"type":"hello"}"#,
            r#"{"type":"act","controls":[{"vehicle":"a","throtle":1}]}"#,
            r#"{"type":"act","controls":[{"vehicle":"a","throttle":"1"}]}"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
