//! Messages of the link as JSON. `docs/link.md` shows each.

use bekker_agent::OutcomeCode;
use bekker_vehicle::{Locks, Selector};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Version of the protocol.
pub const PROTOCOL: u32 = 1;

/// A message from a peer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum PeerRequest {
    /// Introduction of the peer: its first message.
    Hello(PeerHello),
    /// Commands to the peer's vehicles.
    Act(Act),
    /// Pauses the run before its next heartbeat.
    Pause {},
    /// Resumes the run.
    Resume {},
    /// Runs some heartbeats, then pauses again.
    Step {
        /// Number of heartbeats.
        #[serde(default = "one")]
        count: u32,
    },
    /// Ends the run. The record is complete up to this time.
    Quit {},
}

fn one() -> u32 {
    1
}

/// Introduction of a peer.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PeerHello {
    /// Version of the peer's protocol.
    pub protocol: u32,
    /// The token that the run printed.
    #[serde(default)]
    pub token: String,
    /// Role of the peer.
    #[serde(default)]
    pub role: PeerRole,
    /// Name that the peer gives itself.
    #[serde(default)]
    pub name: String,
    /// Vehicles that the peer drives.
    #[serde(default)]
    pub vehicles: Vec<String>,
    /// Whether the run waits for the peer.
    #[serde(default)]
    pub mode: Mode,
    /// Number of heartbeats from one beat to the next.
    #[serde(default = "one")]
    pub every: u32,
    /// Sensors whose readings the peer subscribes to: `vehicle/sensor`, or `vehicle/*`.
    #[serde(default)]
    pub sensors: Vec<String>,
    /// Vehicles whose received radio messages the peer subscribes to.
    #[serde(default)]
    pub radios: Vec<String>,
}

/// Role of a peer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PeerRole {
    /// Drives vehicles.
    #[default]
    Driver,
    /// Only observes.
    Observer,
}

/// Whether the run waits for a driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The run waits for an act after each beat. The same acts give the same run.
    #[default]
    Lockstep,
    /// The run continues with the latest act.
    Realtime,
}

/// Commands that hold until the next beat.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Act {
    /// Tick of the answered beat. The last one if absent.
    #[serde(default)]
    pub tick: Option<u64>,
    /// Commands. A vehicle without one keeps its previous command.
    #[serde(default)]
    pub controls: Vec<VehicleControls>,
    /// Radio messages that vehicles of this session send once, at the next exchange.
    #[serde(default)]
    pub says: Vec<RadioPayload>,
    /// Value that is returned in the next beat.
    #[serde(default)]
    pub echo: Option<Value>,
}

/// A radio message that a vehicle sends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RadioPayload {
    /// Name of the vehicle.
    pub vehicle: String,
    /// Content of the message, in base64.
    pub bytes: String,
}

/// Commands to a vehicle.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VehicleControls {
    /// Name of the vehicle.
    pub vehicle: String,
    /// Throttle, 0 to 1. Not allowed with `speed`.
    #[serde(default)]
    pub throttle: Option<f64>,
    /// Service brake, 0 to 1. Not allowed with `speed`.
    #[serde(default)]
    pub brake: Option<f64>,
    /// Speed to hold, m/s, negative for backward. Replaces pedals and gear selector.
    #[serde(default)]
    pub speed: Option<f64>,
    /// Fraction of full lock, -1 (right) to 1 (left).
    #[serde(default)]
    pub steering: Option<f64>,
    /// Mean angle of the steered wheels, rad, positive to the left. Replaces `steering`.
    #[serde(default)]
    pub angle: Option<f64>,
    /// Yaw rate of a skid-steered vehicle, rad/s, positive to the left. Replaces `steering`.
    #[serde(default)]
    pub yaw_rate: Option<f64>,
    /// Position of the gear selector, by default `drive`. Not allowed with `speed`.
    #[serde(default)]
    pub gear: Option<Selector>,
    /// Target pressure of the central tire inflation system, kPa.
    #[serde(default)]
    pub inflation_kpa: Option<f64>,
    /// Differentials to lock.
    #[serde(default)]
    pub locks: Locks,
    /// Whether the vehicle uncouples its trailer.
    #[serde(default)]
    pub uncouple: bool,
}

/// A message to a peer.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum PeerReply {
    /// Answer to a hello.
    Welcome(Welcome),
    /// State of all vehicles before a heartbeat.
    Beat(HeartbeatState),
    /// Report of a fault in a peer's message.
    Fault {
        /// Machine-readable code.
        code: FaultCode,
        /// Human-readable text.
        text: String,
    },
    /// End of the run.
    End {
        /// Number of steps taken.
        tick: u64,
        /// Simulated time, µs.
        time_us: u64,
    },
}

/// Kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultCode {
    /// Bytes or text are not a message. The session ends.
    Message,
    /// The hello is missing or has another protocol version. The session ends.
    Protocol,
    /// The token is missing or wrong. The session ends.
    Token,
    /// A vehicle or sensor does not exist, or the vehicle has no external controller. The session
    /// ends.
    Unknown,
    /// A vehicle has another driver. The session ends.
    Taken,
    /// The limit of sessions is reached, or the run has ended. The session ends.
    Full,
    /// The commands are invalid. The act is not applied.
    Act,
    /// The act is for another tick than the beat. It is not applied.
    Tick,
}

impl FaultCode {
    /// Whether this fault ends the session.
    pub fn ends(self) -> bool {
        !matches!(self, FaultCode::Act | FaultCode::Tick)
    }
}

/// Description of the run: the vehicles and sensors of the scenario.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Welcome {
    /// Version of the protocol.
    pub protocol: u32,
    /// Name of the scenario.
    pub run: String,
    /// Time step, µs.
    pub step_us: u64,
    /// Heartbeat, µs. The longest one if it is adaptive.
    pub heartbeat_us: u64,
    /// Number of steps taken.
    pub tick: u64,
    /// The vehicles.
    pub vehicles: Vec<VehicleInfo>,
    /// The vehicles' sensors.
    pub sensors: Vec<SensorInfo>,
}

/// Description of a vehicle.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VehicleInfo {
    /// Name of the vehicle.
    pub name: String,
    /// Name of the vehicle model.
    pub model: String,
    /// Whether the vehicle has an external controller.
    pub outside: bool,
    /// Number of wheels or road wheels.
    pub wheels: usize,
    /// Distance from the first steered axle to the line through the turning center, m. Only for
    /// wheeled vehicles.
    pub wheelbase: Option<f64>,
    /// Mean angle of the steered wheels at full lock, rad, if the vehicle steers by its wheels.
    pub max_steer: Option<f64>,
    /// Number of forward gears.
    pub gears: usize,
}

/// Description of a sensor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SensorInfo {
    /// `vehicle/sensor`.
    pub name: String,
    /// Kind of the sensor.
    pub kind: &'static str,
    /// Time between frames, s.
    pub period: f64,
}

/// State of all vehicles before a heartbeat.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct HeartbeatState {
    /// Number of steps taken.
    pub tick: u64,
    /// Simulated time, µs.
    pub time_us: u64,
    /// The vehicles, in scenario order.
    pub vehicles: Vec<VehicleReport>,
    /// Readings of subscribed sensors since the last beat.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<Value>,
    /// Messages received by subscribed radios since the last beat.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub heard: Vec<Value>,
    /// Changes of drivers since the last beat.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<DriverEvent>,
    /// Number of beats that were dropped because the peer did not receive them in time.
    #[serde(skip_serializing_if = "is_zero")]
    pub dropped: u64,
    /// Value sent with the peer's last act.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub echo: Option<Value>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// State of a vehicle.
///
/// World axes are east, north, up. Chassis axes are x forward, y left, z up.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct VehicleReport {
    /// Name of the vehicle.
    pub name: String,
    /// Origin of the chassis frame, m.
    pub position: [f64; 3],
    /// Rotation from chassis axes to world axes: w, x, y, z.
    pub orientation: [f64; 4],
    /// Velocity of the chassis origin in world axes, m/s.
    pub velocity: [f64; 3],
    /// Angular velocity in chassis axes, rad/s.
    pub angular_velocity: [f64; 3],
    /// Mean acceleration of the chassis origin since the last sample, world axes, m/s².
    pub acceleration: [f64; 3],
    /// Speed along the chassis' x axis, m/s.
    pub speed: f64,
    /// Current throttle, 0 to 1.
    pub throttle: f64,
    /// Current service brake, 0 to 1.
    pub brake: f64,
    /// Current fraction of full lock, -1 (right) to 1 (left).
    pub steering: f64,
    /// Gear: 1 is first, 0 neutral, negative reverse.
    pub gear: i32,
    /// Engine speed, rad/s.
    pub engine_speed: f64,
    /// Wheels, axle by axle from the front, left before right.
    pub wheels: Vec<WheelReport>,
    /// Outcome of the drive, once it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<DriveOutcome>,
}

/// Outcome of a drive.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DriveOutcome {
    /// Code of the outcome, as in `docs/outcomes.md`.
    pub code: OutcomeCode,
    /// Time of the outcome, s.
    pub time: Option<f64>,
    /// Human-readable text.
    pub text: String,
}

/// State of a wheel.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WheelReport {
    /// Spin, rad/s, positive when rolling forward.
    pub spin: f64,
    /// Slip, -1 to 1, positive when driving.
    pub slip: f64,
    /// Depth of its lowest point below the undisturbed ground, m.
    pub sinkage: f64,
    /// Ground force along the wheel's heading, to its left and up, N.
    pub force: [f64; 3],
    /// Mean contact pressure, Pa. Only for rigid wheels on deformable ground.
    pub pressure: Option<f64>,
}

/// A change of a vehicle's driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DriverEvent {
    /// Number of steps taken at the event.
    pub tick: u64,
    /// Name of the vehicle.
    pub vehicle: String,
    /// Kind of event.
    pub event: DriverEventKind,
    /// Name of the driver.
    pub driver: String,
}

/// Kind of driver event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DriverEventKind {
    /// The driver has connected.
    Joined,
    /// The driver has disconnected.
    Lost,
    /// The driver did not answer in time.
    TimedOut,
    /// The driver answers again.
    Back,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_and_others_refused() {
        let read = |text: &str| serde_json::from_str::<PeerRequest>(text);
        let hello = read(r#"{"type":"hello","protocol":1,"vehicles":["a"],"mode":"realtime"}"#);
        let Ok(PeerRequest::Hello(hello)) = hello else { panic!("{hello:?}") };
        assert_eq!((hello.every, hello.mode, hello.role), (1, Mode::Realtime, PeerRole::Driver));
        let act = r#"{"type":"act","tick":3,"controls":[{"vehicle":"a","angle":0.1}],"echo":[1]}"#;
        assert!(matches!(read(act), Ok(PeerRequest::Act(Act { tick: Some(3), .. }))));
        assert_eq!(read(r#"{"type":"step"}"#).unwrap(), PeerRequest::Step { count: 1 });
        for text in [
            "",
            "{}",
            "[]",
            r#"{"type":"other"}"#,
            r#"{"type":"hello"}"#,
            r#"{"type":"act","controls":[{"vehicle":"a","throtle":1}]}"#,
            r#"{"type":"act","controls":[{"vehicle":"a","throttle":"1"}]}"#,
            r#"{"type":"act","controls":[{"vehicle":"a","inflation":170000}]}"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
