//! A vehicle with its driver and its own overlay of the ground: what steps in
//! parallel with its like.

use super::apart::Aside;
use super::autonomous::{Autonomy, AutonomyState};
use super::energy_account::EnergyAccount;
use super::event::Event;
use super::ground_vehicle::{GroundVehicle, GroundVehicleWorkspace};
use super::hit::Hits;
use super::kept::Kept;
use super::monitor::Monitor;
use super::otherwise::Otherwise;
use super::outcome::Outcome;
use super::radio::Station;
use super::sample::{Sample, WheelSample};
use super::strikes::Strikes;
use super::tyre::TyreState;
use bekker_ground::scm::Scratch;
use bekker_ground::{Overlay, Patches};
use bekker_math::spatial::{Acceleration, Pose, Twist, Vec3};
use bekker_sensor::{Delivery, Sensor, SensorState, WheelMotion};
use bekker_sync::message::{TrailerState, VehicleState as VehicleMessage};
use bekker_vehicle::driver::{Driver, DriverState, PathFollower};
use bekker_vehicle::spec::Footprint;
use bekker_vehicle::{Controls, VehicleState};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// Within which two times are of one moment, s: half of the least that time is told by.
const ROUNDING: f64 = 5e-7;

/// A vehicle and its driver; immutable.
#[derive(Clone, Debug)]
pub struct AgentModel {
    /// Name in the scenario.
    pub name: String,
    /// The vehicle.
    pub vehicle: GroundVehicle,
    /// Its driver.
    pub driver: Driver,
    /// Whom the driver follows.
    pub leader: Option<Leader>,
    /// Chassis frame at the start.
    pub start: Pose,
    /// Forward speed at the start, m/s.
    pub speed: f64,
    /// Gear in which it rolls at that speed; the one that fits where absent.
    pub gear: Option<i32>,
    /// What it carries to measure and see.
    pub sensors: Vec<Sensor>,
    /// What drives it by what these see, in its driver's place.
    pub autonomy: Option<Arc<Autonomy>>,
    /// Time at which it lets go of its trailer, s, if it does.
    pub uncouple_time: Option<f64>,
}

/// Whom a driver follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leader {
    /// Index of the agent.
    pub agent: usize,
    /// What it covers.
    pub footprint: Footprint,
    /// Where its end lies against the point that its station tells, m, if both
    /// count their distance along one path.
    pub end: Option<f64>,
}

/// State of an agent: plain data, enough to resume bit for bit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AgentState {
    /// Its vehicle.
    pub vehicle: VehicleState,
    /// Its tyres.
    pub tyres: Vec<TyreState>,
    /// Its driver.
    pub driver: DriverState,
    /// Commands of the last step.
    pub controls: Controls,
    /// What it is told from outside instead of by its driver.
    pub command: Option<Controls>,
    /// Ground that it has changed and not yet published.
    pub overlay: Overlay,
    /// Sums of its drive.
    pub monitor: Monitor,
    /// Its wheels after the last heartbeat that it drove, as the record shows them: a
    /// drive that has ended, and one that is gone on with, has nothing else to tell it.
    pub(super) wheels: Vec<WheelSample>,
    /// How its drive ended, if it has.
    pub outcome: Option<Outcome>,
    /// Its sensors, with what they have measured and not yet delivered.
    pub sensors: Vec<SensorState>,
    /// Whether others were near in the last heartbeat, so that its motion is told exactly.
    pub(super) close: bool,
    /// What acts on it besides them.
    pub otherwise: Otherwise,
    /// What it is in touch with.
    pub hits: Hits,
    /// Its energy against what was put in.
    pub energy: EnergyAccount,
    /// What it makes of what its sensors see, if it drives itself.
    pub autonomy: Option<Box<AutonomyState>>,
    /// What it hears, from the first exchange of its radio on.
    pub radio: Option<Box<Station>>,
}

/// Derived and scratch data of an agent: never saved.
#[derive(Clone, Debug)]
pub struct AgentWorkspace {
    /// Of its vehicle.
    pub vehicle: GroundVehicleWorkspace,
    /// What it was when the heartbeat began.
    pub kept: Kept,
    /// Lent for a heartbeat.
    pub scratch: Scratch,
    /// Lent where threads have nothing to step.
    pub aside: Option<Aside>,
    /// What it has left on the ground in the last heartbeat.
    pub patches: Patches,
    /// The wheels as sensors are shown them.
    pub wheels: Vec<WheelMotion>,
    /// What its sensors delivered in the last heartbeat.
    pub delivered: Vec<Delivery>,
    /// What happened to it in the last heartbeat.
    pub events: Vec<Event>,
    /// What stands around it.
    pub strikes: Strikes,
}

/// What others may see of an agent at a heartbeat.
#[derive(Clone, Copy, Debug, Default)]
pub struct AgentView {
    /// Distance along its path, if it follows one, m.
    pub station: Option<f64>,
    /// Speed along its path, or forward, m/s.
    pub speed: f64,
    /// Velocity of that origin, m/s; of other ranks' agents as the wire has it, of own ones as it
    /// is: what decides a state takes `twist`, which all know alike.
    pub velocity: Vec3,
    /// Whether its drive has ended.
    pub ended: bool,
    /// Its chassis as all are told of it.
    pub pose: Pose,
    /// Twist of that about its frame's origin, likewise.
    pub twist: Twist,
    /// Acceleration of its centre of mass by all but other vehicles, where they are near.
    pub otherwise: Acceleration,
    /// Its trailer, if it draws one, coupled or not.
    pub trailer: Option<TrailerState>,
}

impl From<&VehicleMessage> for AgentView {
    fn from(message: &VehicleMessage) -> AgentView {
        let (pose, twist) = message.chassis_motion();
        AgentView {
            pose,
            twist,
            otherwise: message.motion.map_or_else(Acceleration::default, |own| own.otherwise),
            station: message.station,
            speed: message.speed,
            velocity: message.velocity,
            ended: message.ended,
            trailer: message.trailer,
        }
    }
}

impl AgentModel {
    /// What a step of it costs beside others', roughly: its tyres or shoes on the ground, and
    /// what looks.
    pub fn weight(&self) -> f64 {
        // a guess: it deals out what was measured of a rank, and decides no result
        let looks = self.sensors.iter().filter(|sensor| sensor.model.is_imaging()).count();
        (self.vehicle.wheels() + 10 * looks) as f64
    }
}

impl AgentState {
    /// In place of one that steps on another rank.
    pub fn elsewhere() -> AgentState {
        AgentState {
            vehicle: VehicleState::default(),
            tyres: Vec::new(),
            driver: DriverState::default(),
            controls: Controls::default(),
            command: None,
            overlay: Overlay::new(),
            monitor: Monitor::of(0, Vec3::zeros()),
            wheels: Vec::new(),
            outcome: None,
            sensors: Vec::new(),
            close: false,
            otherwise: Otherwise::default(),
            hits: Hits::default(),
            energy: EnergyAccount::default(),
            autonomy: None,
            radio: None,
        }
    }

    /// Whether it steps on another rank, and this is nothing but its place.
    pub fn is_elsewhere(&self) -> bool {
        // every vehicle has bodies that move
        self.vehicle.body.q.is_empty()
    }

    /// When its drive ended, s, if it has. One that has arrived makes steps that do not count; what ends its
    /// drive then says when.
    fn ended(&self) -> Option<f64> {
        let outcome = self.outcome.as_ref()?;
        let said = self.monitor.arrived().and_then(|_| outcome.time());
        let last = self.monitor.last_step();
        Some(said.map_or(last, |said| said.max(last)))
    }

    /// Its wheels after the last heartbeat that it drove.
    pub fn wheels(&self) -> &[WheelSample] {
        &self.wheels
    }

    /// Has the record show the wheels so.
    pub(super) fn show_wheels(&mut self, wheels: impl Iterator<Item = WheelSample>) {
        self.wheels.clear();
        self.wheels.extend(wheels);
    }

    /// SHA-256 of the state in its stored form, but for sensors that look: pictures and
    /// scans on their way follow from all the rest, and may be large.
    pub fn digest(&self) -> [u8; 32] {
        let AgentState {
            vehicle,
            tyres,
            driver,
            controls,
            command,
            overlay,
            monitor,
            wheels,
            outcome,
            sensors,
            close,
            otherwise,
            hits,
            // follows from all the rest, and decides nothing
            energy: _,
            autonomy,
            radio,
        } = self;
        let sensors: Vec<&SensorState> = sensors.iter().filter(|own| !own.is_imaging()).collect();
        let drive = (driver, controls, command, monitor, wheels, outcome);
        let plain = (vehicle, tyres, drive, overlay, sensors);
        let stored = postcard::to_stdvec(&plain).expect("plain data serialises into memory");
        let mut hasher = Sha256::new_with_prefix(stored);
        if *close || !hits.is_empty() || hits.given() > 0.0 {
            let meeting = postcard::to_stdvec(&(close, otherwise));
            hasher.update(meeting.expect("plain data serialises into memory"));
            hasher.update(hits.digested());
        }
        if let Some(autonomy) = autonomy {
            hasher.update(autonomy.digested());
        }
        if let Some(radio) = radio {
            let heard = postcard::to_stdvec(radio);
            hasher.update(heard.expect("plain data serialises into memory"));
        }
        hasher.finalize().into()
    }
}

impl AgentModel {
    /// The agent in its design position at `pose`, from the moment `now_us` on; its sensors
    /// take it to be launched at `speed` m/s.
    pub fn unsettled(&self, pose: &Pose, speed: f64, now_us: u64) -> AgentState {
        AgentState {
            vehicle: self.vehicle.launched(pose, 0.0),
            tyres: self.vehicle.tyres(),
            driver: self.driver.start(pose),
            controls: Controls::default(),
            command: None,
            overlay: Overlay::new(),
            monitor: Monitor::of(self.vehicle.wheels(), pose.position),
            wheels: vec![WheelSample::default(); self.vehicle.wheels()],
            outcome: None,
            sensors: self.start_sensors(pose, speed, now_us),
            close: false,
            otherwise: Otherwise::default(),
            hits: Hits::default(),
            energy: EnergyAccount::default(),
            autonomy: self.start_autonomy(pose, now_us),
            radio: None,
        }
    }

    /// What follows from a state.
    pub fn workspace(&self, state: &AgentState) -> AgentWorkspace {
        AgentWorkspace {
            vehicle: self.vehicle.workspace(&state.vehicle),
            kept: Kept::of(state),
            scratch: Scratch::new(),
            aside: None,
            patches: Patches::default(),
            wheels: Vec::with_capacity(self.vehicle.wheels()),
            delivered: Vec::new(),
            events: Vec::new(),
            strikes: Strikes::default(),
        }
    }

    /// Largest opening of a joint or rod after the last step, m.
    pub fn drift(&self, workspace: &AgentWorkspace) -> f64 {
        self.vehicle.drift(&workspace.vehicle)
    }

    /// Where its chassis is, m, and how fast it moves, m/s.
    pub fn place(&self, workspace: &AgentWorkspace) -> ([f64; 2], f64) {
        let position = self.vehicle.pose(&workspace.vehicle).position;
        let speed = self.vehicle.twist(&workspace.vehicle).linear.norm();
        let trailer = self.vehicle.trailer_twist(&workspace.vehicle);
        let trailers = trailer.map_or(0.0, |twist| twist.linear.norm());
        ([position.x, position.y], speed.max(trailers))
    }

    /// Farthest that wheels of its trailer are from its chassis, m; 0 without one. One that has
    /// been left behind may be far away.
    pub fn trails(&self, workspace: &AgentWorkspace) -> f64 {
        let (own, body) = (&self.vehicle, &workspace.vehicle);
        let chassis = own.pose(body).position;
        let wheels = own.wheels() - own.trailed_wheels()..own.wheels();
        let away = wheels.map(|wheel| (own.wheel_pose(body, wheel).position - chassis).norm());
        away.fold(0.0, f64::max)
    }

    /// Way that it drives: -1 when its rear goes ahead.
    pub(super) fn way(&self) -> f64 {
        self.driver.follower().map_or(1.0, PathFollower::sense)
    }

    pub(super) fn speed(&self, workspace: &AgentWorkspace) -> f64 {
        self.vehicle.speed(&workspace.vehicle)
    }

    /// The agent at one moment, into a sample whose room is used again.
    pub fn sample_into(
        &self,
        index: usize,
        time: f64,
        state: &AgentState,
        workspace: &AgentWorkspace,
        sample: &mut Sample,
    ) {
        let pose = self.vehicle.pose(&workspace.vehicle);
        let twist = self.vehicle.twist(&workspace.vehicle);
        let mut wheels = std::mem::take(&mut sample.wheels);
        wheels.clone_from(&state.wheels);
        *sample = Sample {
            time,
            vehicle: index,
            pose,
            velocity: twist.linear,
            angular_velocity: pose.orientation.inverse_transform_vector(&twist.angular),
            speed: self.speed(workspace),
            controls: state.controls,
            engine_speed: self.vehicle.engine_speed(&state.vehicle),
            gear: state.vehicle.gearbox.gear,
            wheels,
            trailer: self.vehicle.trailer_sample(&state.vehicle, &workspace.vehicle),
        };
        // at the moment of its end it was as it drove
        if state.ended().is_some_and(|ended| time - ended > ROUNDING) {
            sample.stand();
        }
    }
}
