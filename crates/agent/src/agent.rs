//! Model, state and workspace of an agent: a vehicle with its driver and its own ground overlay.
//!
//! Agents step in parallel within a heartbeat.

use super::any_vehicle::{AnyVehicle, GroundVehicleWorkspace};
use super::autonomous::{Autonomy, AutonomyState};
use super::collision::CollisionLog;
use super::energy_account::EnergyAccount;
use super::event::Event;
use super::external_acceleration::ExternalAcceleration;
use super::ground_vehicle::GroundVehicle;
use super::monitor::Monitor;
use super::motor_record::MotorRecord;
use super::obstacle_contacts::ObstacleContacts;
use super::outcome::Outcome;
use super::parallel_contact::SecondThreadScratch;
use super::radio::RadioStation;
use super::sample::{MotorSample, Sample, WheelSample};
use super::state_backup::StateBackup;
use super::tire::TireContactState;
use super::validity::ValidityRecord;
use bekker_ground::scm::Scratch;
use bekker_ground::{Overlay, Patches};
use bekker_math::spatial::{Acceleration, Pose, Twist, Vec3};
use bekker_sensor::{Delivery, Sensor, SensorState, WheelMotion};
use bekker_sync::message::{TrailerState, VehicleMessage};
use bekker_vehicle::driver::{
    Driver, DriverState, PathFollower, SoilAdaptation, SoilAdaptationState,
};
use bekker_vehicle::spec::VehicleFootprint;
use bekker_vehicle::{Controls, VehicleState};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// Two times that differ by no more than this are the same instant, s.
///
/// Half of a microsecond, the resolution of simulated time.
const ROUNDING: f64 = 5e-7;

/// Model of a vehicle and its driver; immutable.
#[derive(Clone, Debug)]
pub struct AgentModel {
    /// Name in the scenario.
    pub name: String,
    /// The vehicle.
    pub vehicle: AnyVehicle,
    /// Its driver.
    pub driver: Driver,
    /// Leader that the driver follows.
    pub leader: Option<Leader>,
    /// Chassis frame at the start.
    pub start: Pose,
    /// Forward speed at the start, m/s.
    pub speed: f64,
    /// Gear at the start; if absent, the gear that fits `speed`.
    pub gear: Option<i32>,
    /// Sensors on the vehicle.
    pub sensors: Vec<Sensor>,
    /// Autonomous driver, which uses `sensors` and replaces `driver`.
    pub autonomy: Option<Arc<Autonomy>>,
    /// Time at which the trailer is uncoupled, s, if the scenario sets one.
    pub uncouple_time: Option<f64>,
}

/// Agent that a driver follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leader {
    /// Index of the agent.
    pub agent: usize,
    /// Footprint of the leader.
    pub footprint: VehicleFootprint,
    /// Offset from the leader's station to its end, m; `Some` if leader and follower measure their
    /// stations along the same path.
    pub end: Option<f64>,
}

/// State of an agent: plain data from which a run resumes bit for bit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AgentState {
    /// State of the vehicle.
    pub vehicle: VehicleState,
    /// State of each tire.
    pub tires: Vec<TireContactState>,
    /// State of the driver.
    pub driver: DriverState,
    /// Commands of the last step.
    pub controls: Controls,
    /// External command; replaces the driver while set.
    pub command: Option<Controls>,
    /// Ground that this agent has changed and not yet published.
    pub overlay: Overlay,
    /// Metrics accumulated over the drive.
    pub monitor: Monitor,
    /// Wheels after the last heartbeat that the agent drove, as recorded.
    ///
    /// Stored because they cannot be derived from the rest of the state once the drive has ended or
    /// a run is resumed.
    pub(super) wheels: Vec<WheelSample>,
    /// How its drive ended, if it has.
    pub outcome: Option<Outcome>,
    /// State of the sensors, including readings that are not yet delivered.
    pub sensors: Vec<SensorState>,
    /// Whether other vehicles were near in the last heartbeat, so that messages carry the exact
    /// motion.
    pub(super) close: bool,
    /// Accelerations by everything other than contact with other vehicles.
    pub external_acceleration: ExternalAcceleration,
    /// Ongoing collisions.
    pub collisions: CollisionLog,
    /// Stored energy and the work put in.
    pub energy: EnergyAccount,
    /// Time outside the ranges of validity.
    pub validity: ValidityRecord,
    /// State of the autonomous driver, if the agent has one.
    pub autonomy: Option<Box<AutonomyState>>,
    /// Radio messages received; `None` before the first exchange.
    pub radio: Option<Box<RadioStation>>,
    /// Electric motors, if they drive the vehicle.
    pub motors: Option<Box<MotorRecord>>,
    /// Adaptation to soft ground, if the driver has one.
    pub soil_adaptation: Option<Box<SoilAdaptationState>>,
}

/// Derived and scratch data of an agent; never saved.
#[derive(Clone, Debug)]
pub struct AgentWorkspace {
    /// Workspace of the vehicle.
    pub vehicle: GroundVehicleWorkspace,
    /// Backup of the state at the start of the heartbeat.
    pub backup: StateBackup,
    /// Contact scratch, lent for a heartbeat.
    pub scratch: Scratch,
    /// Scratch of a second thread, lent if threads are spare.
    pub second_scratch: Option<SecondThreadScratch>,
    /// Ground patches published by the last heartbeat.
    pub patches: Patches,
    /// Wheel motion as sensors receive it.
    pub wheels: Vec<WheelMotion>,
    /// Readings delivered by the sensors in the last heartbeat.
    pub delivered: Vec<Delivery>,
    /// Events of the last heartbeat.
    pub events: Vec<Event>,
    /// Obstacles around the vehicle.
    pub obstacle_contacts: ObstacleContacts,
}

/// Part of an agent's state that other agents receive at a heartbeat.
#[derive(Clone, Copy, Debug, Default)]
pub struct AgentView {
    /// Distance along its path, if it follows one, m.
    pub station: Option<f64>,
    /// Speed along its path, or forward if it follows none, m/s.
    pub speed: f64,
    /// Velocity of the chassis frame's origin, m/s.
    ///
    /// For agents of other ranks it has the precision of the message, for local agents full
    /// precision. Whatever changes a state must use `twist`, which is the same on all ranks.
    pub velocity: Vec3,
    /// Whether its drive has ended.
    pub ended: bool,
    /// Pose of the chassis, rounded as in messages.
    pub pose: Pose,
    /// Twist of the chassis about its frame's origin, rounded as in messages.
    pub twist: Twist,
    /// Acceleration of the center of mass by everything other than contact with other vehicles; set
    /// only if other vehicles are near.
    pub external_acceleration: Acceleration,
    /// Trailer, coupled or not, if the agent has one.
    pub trailer: Option<TrailerState>,
}

impl From<&VehicleMessage> for AgentView {
    fn from(message: &VehicleMessage) -> AgentView {
        let (pose, twist) = message.chassis_motion();
        AgentView {
            pose,
            twist,
            external_acceleration: message
                .motion
                .map_or_else(Acceleration::default, |own| own.external_acceleration),
            station: message.station,
            speed: message.speed,
            velocity: message.velocity,
            ended: message.ended,
            trailer: message.trailer,
        }
    }
}

impl AgentModel {
    /// Returns the relative cost of one step: wheels or shoes on the ground, plus imaging sensors.
    pub fn step_cost(&self) -> f64 {
        // the factor 10 is a guess; it only distributes a rank's measured time and changes no
        // result
        let looks = self.sensors.iter().filter(|sensor| sensor.model.is_imaging()).count();
        (self.vehicle.wheels() + 10 * looks) as f64
    }
}

impl AgentState {
    /// Returns the placeholder for an agent that another rank steps.
    pub fn remote() -> AgentState {
        AgentState {
            vehicle: VehicleState::default(),
            tires: Vec::new(),
            driver: DriverState::default(),
            controls: Controls::default(),
            command: None,
            overlay: Overlay::new(),
            monitor: Monitor::new(0, Vec3::zeros()),
            wheels: Vec::new(),
            outcome: None,
            sensors: Vec::new(),
            close: false,
            external_acceleration: ExternalAcceleration::default(),
            collisions: CollisionLog::default(),
            energy: EnergyAccount::default(),
            validity: ValidityRecord::default(),
            autonomy: None,
            radio: None,
            motors: None,
            soil_adaptation: None,
        }
    }

    /// Returns whether this is the placeholder for an agent that another rank steps.
    pub fn is_remote(&self) -> bool {
        // the vehicle of every local agent has moving bodies
        self.vehicle.body.q.is_empty()
    }

    /// Returns the end of the drive, s, if it has ended.
    ///
    /// The monitor does not count steps after an arrival; the outcome then gives the time.
    fn end_time(&self) -> Option<f64> {
        let outcome = self.outcome.as_ref()?;
        let said = self.monitor.arrival_time().and_then(|_| outcome.time());
        let last = self.monitor.last_step();
        Some(said.map_or(last, |said| said.max(last)))
    }

    /// Returns the wheels after the last heartbeat that the agent drove.
    pub fn wheels(&self) -> &[WheelSample] {
        &self.wheels
    }

    /// Sets the wheels that the record shows.
    pub(super) fn set_recorded_wheels(&mut self, wheels: impl Iterator<Item = WheelSample>) {
        self.wheels.clear();
        self.wheels.extend(wheels);
    }

    /// Returns the SHA-256 of the stored state without imaging sensors.
    ///
    /// Pending pictures and scans follow from the rest of the state and may be large.
    pub fn digest(&self) -> [u8; 32] {
        let AgentState {
            vehicle,
            tires,
            driver,
            controls,
            command,
            overlay,
            monitor,
            wheels,
            outcome,
            sensors,
            close,
            external_acceleration,
            collisions,
            // derived from the rest, and no state depends on them
            energy: _,
            validity: _,
            autonomy,
            radio,
            motors,
            soil_adaptation,
        } = self;
        let sensors: Vec<&SensorState> = sensors.iter().filter(|own| !own.is_imaging()).collect();
        let drive = (driver, controls, command, monitor, wheels, outcome);
        let plain = (vehicle, tires, drive, overlay, sensors);
        let stored = postcard::to_stdvec(&plain).expect("plain data serializes into memory");
        let mut hasher = Sha256::new_with_prefix(stored);
        if *close || !collisions.is_empty() || collisions.energy_gained() > 0.0 {
            let meeting = postcard::to_stdvec(&(close, external_acceleration));
            hasher.update(meeting.expect("plain data serializes into memory"));
            hasher.update(collisions.digest_bytes());
        }
        if let Some(autonomy) = autonomy {
            hasher.update(autonomy.digest_bytes());
        }
        if let Some(radio) = radio {
            let heard = postcard::to_stdvec(radio);
            hasher.update(heard.expect("plain data serializes into memory"));
        }
        if let Some(motors) = motors {
            let stored = postcard::to_stdvec(motors);
            hasher.update(stored.expect("plain data serializes into memory"));
        }
        if let Some(adaptation) = soil_adaptation {
            let stored = postcard::to_stdvec(adaptation);
            hasher.update(stored.expect("plain data serializes into memory"));
        }
        hasher.finalize().into()
    }
}

impl AgentModel {
    /// Returns the agent in its design position at `pose`, before static equilibrium is solved.
    ///
    /// The state starts at `now_us` µs. The sensors start as if the vehicle moved at `speed` m/s.
    pub fn in_design_position(&self, pose: &Pose, speed: f64, now_us: u64) -> AgentState {
        AgentState {
            vehicle: self.vehicle.launched(pose, 0.0),
            tires: self.vehicle.tires(),
            driver: self.driver.start(pose),
            controls: Controls::default(),
            command: None,
            overlay: Overlay::new(),
            monitor: Monitor::new(self.vehicle.wheels(), pose.position),
            wheels: vec![WheelSample::default(); self.vehicle.wheels()],
            outcome: None,
            sensors: self.start_sensors(pose, speed, now_us),
            close: false,
            external_acceleration: ExternalAcceleration::default(),
            collisions: CollisionLog::default(),
            energy: EnergyAccount::default(),
            validity: ValidityRecord::default(),
            autonomy: self.start_autonomy(pose, now_us),
            radio: None,
            motors: self
                .vehicle
                .drivetrain()
                .motors()
                .map(|own| Box::new(MotorRecord::new(own.wheel_motor_count()))),
            soil_adaptation: self.soil_adaptation().map(|_| Box::default()),
        }
    }

    /// Derives the workspace from a state.
    pub fn workspace(&self, state: &AgentState) -> AgentWorkspace {
        AgentWorkspace {
            vehicle: self.vehicle.workspace(&state.vehicle),
            backup: StateBackup::new(state),
            scratch: Scratch::new(),
            second_scratch: None,
            patches: Patches::default(),
            wheels: Vec::with_capacity(self.vehicle.wheels()),
            delivered: Vec::new(),
            events: Vec::new(),
            obstacle_contacts: ObstacleContacts::default(),
        }
    }

    /// Returns the largest opening of a joint or rod after the last step, m.
    pub fn drift(&self, workspace: &AgentWorkspace) -> f64 {
        self.vehicle.drift(&workspace.vehicle)
    }

    /// Returns the position of the chassis, m, and the larger speed of chassis and trailer, m/s.
    pub fn position_and_speed(&self, workspace: &AgentWorkspace) -> ([f64; 2], f64) {
        let position = self.vehicle.pose(&workspace.vehicle).position;
        let speed = self.vehicle.twist(&workspace.vehicle).linear.norm();
        let trailer = self.vehicle.rear_twist(&workspace.vehicle);
        let trailers = trailer.map_or(0.0, |twist| twist.linear.norm());
        ([position.x, position.y], speed.max(trailers))
    }

    /// Returns the largest distance of a trailer wheel from the chassis, m; 0 without a trailer.
    ///
    /// An uncoupled trailer may be far away.
    pub fn trailer_reach(&self, workspace: &AgentWorkspace) -> f64 {
        let (own, body) = (&self.vehicle, &workspace.vehicle);
        let chassis = own.pose(body).position;
        let wheels = own.wheels() - own.trailed_wheels()..own.wheels();
        let away = wheels.map(|wheel| (own.wheel_pose(body, wheel).position - chassis).norm());
        away.fold(0.0, f64::max)
    }

    /// Returns the driver's response to soft ground that vehicles ahead report, if it has one.
    pub fn soil_adaptation(&self) -> Option<&SoilAdaptation> {
        self.driver.follower()?.config().soil_adaptation.as_ref()
    }

    /// Returns the direction of travel: 1 forward, -1 in reverse.
    pub(super) fn travel_sign(&self) -> f64 {
        self.driver.follower().map_or(1.0, PathFollower::travel_sign)
    }

    pub(super) fn speed(&self, workspace: &AgentWorkspace) -> f64 {
        self.vehicle.speed(&workspace.vehicle)
    }

    /// Returns the sample of electric motors and their battery, if the vehicle has them.
    fn motor_sample(&self, state: &AgentState) -> Option<MotorSample> {
        let (drive, record) = self.vehicle.drivetrain().motors().zip(state.motors.as_ref())?;
        Some(MotorSample {
            currents: record.reading.currents,
            battery_power: record.reading.power,
            battery_charge: record.charge(drive.battery()),
            wheels: record.wheels.clone(),
        })
    }

    /// Whether the vehicle's motors have emptied their battery.
    pub(super) fn is_battery_empty(&self, state: &AgentState) -> bool {
        let motors = self.vehicle.drivetrain().motors().zip(state.motors.as_ref());
        motors.is_some_and(|(drive, record)| record.charge(drive.battery()) == 0.0)
    }

    /// Writes the agent at one time into `sample`, whose allocations are reused.
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
            engine_speed: self.vehicle.drivetrain().engine_speed(&state.vehicle),
            gear: state.vehicle.gearbox.gear,
            wheels,
            articulation: self.vehicle.frame_articulation(&workspace.vehicle),
            trailer: self.vehicle.trailer_sample(&state.vehicle, &workspace.vehicle),
            motors: self.motor_sample(state),
        };
        // at the end itself the sample shows the last driven state
        if state.end_time().is_some_and(|ended| time - ended > ROUNDING) {
            sample.set_standstill();
        }
    }
}
