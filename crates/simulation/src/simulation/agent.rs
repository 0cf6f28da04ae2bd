//! A vehicle with its driver and its own overlay of the ground: what steps in
//! parallel with its like.

use super::apart::Aside;
use super::autonomous::{Autonomy, AutonomyState};
use super::belly::BellyContact;
use super::encounters::Encounters;
use super::energy_account::EnergyAccount;
use super::event::Event;
use super::ground_vehicle::{ContactContext, GroundVehicle, GroundVehicleWorkspace};
use super::hit::{Hits, Touch};
use super::hull_part::HullPart;
use super::judging::direction;
use super::kept::Kept;
use super::monitor::{Monitor, StepFigures};
use super::otherwise::{Otherwise, PushedMotion};
use super::outcome::{Failure, Outcome};
use super::radio::Station;
use super::record::{Sample, WheelSample};
use super::statics::Stand;
use super::striking::Strikes;
use super::tyre::TyreState;
use super::world::WorldModel;
use crate::ground::{GroundModel, Overlay, Patches, Published};
use crate::scm::Scratch;
use crate::sensor::{Delivery, Sensor, SensorState, WheelMotion};
use crate::spatial::{Acceleration, Load, Pose, Twist, Vec3, Wrench};
use crate::sync::message::{
    Description, Motion, PartState, RunningGear, TrailerState, VehicleState as VehicleMessage,
    as_told,
};
use crate::vehicle::driver::{
    Driver, DriverState, DriverView, Intent, LeaderView, PathFollower, PedalView,
};
use crate::vehicle::spec::Footprint;
use crate::vehicle::{Controls, VehicleState};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// Work of a wrench over a step of `h` seconds on a body that begins it with `twist`, J: that at
/// this twist, and what the force itself makes `mass` kg faster by in it.
fn work_of(wrench: &Wrench, twist: &Twist, mass: f64, h: f64) -> f64 {
    let power = wrench.force.dot(&twist.linear) + wrench.torque.dot(&twist.angular);
    h * power + 0.5 * h * h * wrench.force.norm_squared() / mass
}

/// How far ahead a driver looks for a leader that goes another way, m.
const LOOKS_AHEAD: f64 = 100.0;
/// Distance from an agent within which it meets ground in a heartbeat, m: more than a tractor
/// with its trailer, and than any goes in a heartbeat.
const REACH: f64 = 60.0;
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
    pub(super) tyres: Vec<TyreState>,
    /// Its driver.
    pub(super) driver: DriverState,
    /// Commands of the last step.
    pub controls: Controls,
    /// What it is told from outside instead of by its driver.
    pub(super) command: Option<Controls>,
    /// Ground that it has changed and not yet published.
    pub overlay: Overlay,
    /// Sums of its drive.
    pub monitor: Monitor,
    /// Its wheels after the last heartbeat that it drove, as the record shows them: a
    /// drive that has ended, and one that is gone on with, has nothing else to tell it.
    wheels: Vec<WheelSample>,
    /// How its drive ended, if it has.
    pub outcome: Option<Outcome>,
    /// Its sensors, with what they have measured and not yet delivered.
    pub(super) sensors: Vec<SensorState>,
    /// Whether others were near in the last heartbeat, so that its motion is told exactly.
    pub(super) close: bool,
    /// What acts on it besides them.
    pub(super) otherwise: Otherwise,
    /// What it is in touch with.
    pub(super) hits: Hits,
    /// Its energy against what was put in.
    pub(super) energy: EnergyAccount,
    /// What it makes of what its sensors see, if it drives itself.
    pub autonomy: Option<Box<AutonomyState>>,
    /// What it hears, from the first exchange of its radio on.
    pub radio: Option<Box<Station>>,
}

/// Derived and scratch data of an agent: never saved.
#[derive(Clone, Debug)]
pub(super) struct AgentWorkspace {
    pub vehicle: GroundVehicleWorkspace,
    /// What it was when the heartbeat began.
    kept: Kept,
    /// Lent for a heartbeat.
    pub scratch: Scratch,
    /// Lent where threads have nothing to step.
    pub aside: Option<Aside>,
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

/// What an agent finds around it in a heartbeat.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'a> {
    pub model: &'a WorldModel,
    /// The ground as all share it.
    pub published: &'a Published,
    /// The first step, and how many there are.
    pub ticks: [u64; 2],
    /// All agents as they were at the last heartbeat.
    pub views: &'a [AgentView],
    /// Those that meet.
    pub encounters: &'a Encounters,
    /// Damage of all obstacles as all share it.
    pub damage: &'a [u16],
}

/// What others may see of an agent at a heartbeat.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AgentView {
    /// Distance along its path, if it follows one, m.
    station: Option<f64>,
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
    pub(super) fn weight(&self) -> f64 {
        // a guess: it deals out what was measured of a rank, and decides no result
        let looks = self.sensors.iter().filter(|sensor| sensor.model.is_imaging()).count();
        (self.vehicle.wheels() + 10 * looks) as f64
    }
}

impl AgentState {
    /// In place of one that steps on another rank.
    pub(super) fn elsewhere() -> AgentState {
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
    pub(super) fn is_elsewhere(&self) -> bool {
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
    pub(super) fn wheels(&self) -> &[WheelSample] {
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
    /// The agent at its start, as it stands there ([`AgentModel::settled`]).
    /// With room `aside` another thread may help; the run's step is `step`, s.
    pub(super) fn state(
        &self,
        ground: &GroundModel,
        published: &Published,
        aside: Option<Aside>,
        step: f64,
    ) -> (AgentState, Stand) {
        self.settled_beside(aside, (ground, published), &self.start, self.speed, (0, step))
    }

    /// The agent in its design position at `pose`, from the moment `now_us` on; its sensors
    /// take it to be launched at `speed` m/s.
    pub(super) fn unsettled(&self, pose: &Pose, speed: f64, now_us: u64) -> AgentState {
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

    pub(super) fn workspace(&self, state: &AgentState) -> AgentWorkspace {
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
    pub(super) fn drift(&self, workspace: &AgentWorkspace) -> f64 {
        self.vehicle.drift(&workspace.vehicle)
    }

    pub(super) fn view(&self, state: &AgentState, workspace: &AgentWorkspace) -> AgentView {
        let chassis = self.vehicle.pose(&workspace.vehicle);
        let (pose, twist, otherwise) = match self.motion(state, workspace) {
            Some(Motion { orientation, twist, otherwise }) => {
                (Pose { orientation, ..chassis }, twist, otherwise)
            }
            None => {
                let (pose, twist) = as_told(&chassis, &self.told_twist(state, workspace));
                (pose, twist, Acceleration::default())
            }
        };
        let view = AgentView {
            pose,
            twist,
            otherwise,
            // who is told from outside does not keep to its path
            station: self.driver.station(&state.driver).filter(|_| state.command.is_none()),
            speed: self.way() * self.speed(workspace),
            velocity: self.vehicle.twist(&workspace.vehicle).linear,
            ended: state.outcome.is_some(),
            trailer: self.trailer_state(state, workspace),
        };
        // one whose drive has ended stands where it is
        if view.ended { AgentView { speed: 0.0, velocity: Vec3::zeros(), ..view } } else { view }
    }

    /// Twist that others are told: one whose drive has ended stands where it is.
    fn told_twist(&self, state: &AgentState, workspace: &AgentWorkspace) -> Twist {
        match state.outcome {
            Some(_) => Twist::default(),
            None => self.vehicle.twist(&workspace.vehicle),
        }
    }

    /// Its trailer as others are told of it; one of a drive that has ended stands.
    fn trailer_state(
        &self,
        state: &AgentState,
        workspace: &AgentWorkspace,
    ) -> Option<TrailerState> {
        let mut parts = self.vehicle.hull_parts(&workspace.vehicle);
        let (_, outline, pose, twist) = parts.find(|own| own.0 == HullPart::Trailer)?;
        let arm = pose.direction(&outline.ball.0);
        let twist = match state.outcome {
            Some(_) => Twist::default(),
            None => Twist { linear: twist.at(&arm), ..twist },
        };
        let motion = Motion::of(&pose.orientation, &twist, state.otherwise.of(HullPart::Trailer))?;
        let wheels = self.vehicle.trailed_wheels() as u8;
        Some(TrailerState { place: pose.position + arm, motion, wheels })
    }

    /// The chassis' motion as it is told exactly where others are near.
    fn motion(&self, state: &AgentState, workspace: &AgentWorkspace) -> Option<Motion> {
        let chassis = self.vehicle.pose(&workspace.vehicle);
        let twist = self.told_twist(state, workspace);
        let otherwise = state.otherwise.of(HullPart::Chassis);
        if state.close { Motion::of(&chassis.orientation, &twist, otherwise) } else { None }
    }

    /// What other ranks are told of the agent: at least what its view holds.
    pub(super) fn message(&self, state: &AgentState, workspace: &AgentWorkspace) -> VehicleMessage {
        let body = &workspace.vehicle;
        let (chassis, twist) = (self.vehicle.pose(body), self.vehicle.twist(body));
        let view = self.view(state, workspace);
        let turned_back = chassis.orientation.inverse();
        let part = |pose: Pose, spin: f64| PartState {
            pose: Pose {
                position: turned_back * (pose.position - chassis.position),
                orientation: turned_back * pose.orientation,
            },
            spin,
        };
        let wheels = (0..self.vehicle.wheels()).map(|wheel| {
            let spin = self.vehicle.wheel_spin(&state.vehicle, wheel);
            let spin = if view.ended { 0.0 } else { spin };
            part(self.vehicle.wheel_pose(body, wheel), spin)
        });
        let wheels = wheels.collect();
        let gear = match (&self.vehicle, body) {
            (GroundVehicle::Tracked(own), GroundVehicleWorkspace::Tracked(body)) => {
                own.gear(&state.vehicle, body, wheels, part)
            }
            _ => RunningGear::Wheels(wheels),
        };
        VehicleMessage {
            chassis,
            velocity: view.velocity,
            angular_velocity: if view.ended { Vec3::zeros() } else { twist.angular },
            speed: view.speed,
            station: view.station,
            ended: view.ended,
            gear,
            motion: self.motion(state, workspace),
            trailer: view.trailer,
        }
    }

    /// What other ranks build it from.
    pub(super) fn description(&self) -> Description {
        let (name, model) = (self.name.clone(), self.vehicle.name().to_owned());
        let wheels = self.vehicle.wheels() as u16;
        match &self.vehicle {
            GroundVehicle::Wheeled(own) => {
                let wheel_radius = own.max_radius() as f32;
                Description::Wheeled { name, model, wheels, wheel_radius }
            }
            GroundVehicle::Tracked(own) => {
                let shoes =
                    own.vehicle.spec().tracks().iter().map(|track| track.shoes).sum::<u32>();
                Description::Tracked {
                    name,
                    model,
                    track_shoes: shoes as u16,
                    sprockets: 2,
                    idlers: 2,
                    road_wheels: wheels,
                }
            }
        }
    }

    /// Where its chassis is, m, and how fast it moves, m/s.
    pub(super) fn place(&self, workspace: &AgentWorkspace) -> ([f64; 2], f64) {
        let position = self.vehicle.pose(&workspace.vehicle).position;
        let speed = self.vehicle.twist(&workspace.vehicle).linear.norm();
        let trailer = self.vehicle.trailer_twist(&workspace.vehicle);
        let trailers = trailer.map_or(0.0, |twist| twist.linear.norm());
        ([position.x, position.y], speed.max(trailers))
    }

    /// Farthest that wheels of its trailer are from its chassis, m; 0 without one. One that has
    /// been left behind may be far away.
    pub(super) fn trails(&self, workspace: &AgentWorkspace) -> f64 {
        let (own, body) = (&self.vehicle, &workspace.vehicle);
        let chassis = own.pose(body).position;
        let wheels = own.wheels() - own.trailed_wheels()..own.wheels();
        let away = wheels.map(|wheel| (own.wheel_pose(body, wheel).position - chassis).norm());
        away.fold(0.0, f64::max)
    }

    /// Way that it drives: -1 when its rear goes ahead.
    fn way(&self) -> f64 {
        self.driver.follower().map_or(1.0, PathFollower::sense)
    }

    fn speed(&self, workspace: &AgentWorkspace) -> f64 {
        self.vehicle.speed(&workspace.vehicle)
    }

    /// Steps through one heartbeat of `steps` steps and leaves the patches to publish. An agent
    /// whose drive has ended stays where it is.
    pub(super) fn heartbeat(
        &self,
        index: usize,
        around: &Surroundings<'_>,
        state: &mut AgentState,
        workspace: &mut AgentWorkspace,
    ) {
        let Surroundings { model, published, ticks: [first_tick, steps], .. } = *around;
        let WorldModel { ground, clock, endings, .. } = model;
        workspace.patches.clear();
        workspace.delivered.clear();
        workspace.events.clear();
        workspace.strikes.damage.clear();
        state.close = around.encounters.is_close(index);
        if state.outcome.is_some() {
            self.deliver(clock.micros(first_tick + steps), state, workspace);
            return;
        }
        workspace.kept.keep(state);
        if !state.energy.has_begun() {
            let energy = self.stored_energy(state, workspace);
            state.energy.take(energy);
        }
        let before = self.circumstance(ground, state, workspace);
        // what others have left at the heartbeat before
        state.overlay.refresh(published);
        // so that no step waits for a file
        ground.terrain().hold(self.place(workspace).0, REACH);
        let h = clock.step();
        let low = self.low_plates(ground, &workspace.vehicle);
        let mut pushed = state.close.then(|| PushedMotion::begun(self, &workspace.vehicle));
        let AgentWorkspace { vehicle: room, strikes, .. } = workspace;
        let span = steps as f64 * h;
        let near = self.approach_obstacles(&model.obstacles, around.damage, room, strikes, span);
        for tick in first_tick..first_tick + steps {
            self.drive(index, [first_tick, tick], around, state, workspace);
            let due = self.uncouple_time.is_some_and(|at| clock.time(tick) >= at);
            if due || state.controls.uncouple {
                self.vehicle.uncouple(&mut state.vehicle);
            }
            self.meet_ground(ground, published, state, workspace, low, h);
            self.meet_others(
                index,
                [first_tick, tick],
                around,
                state,
                workspace,
                (near, &mut pushed),
            );
            let AgentState { vehicle, tyres, controls, .. } = state;
            let room = &mut workspace.vehicle;
            let stepped = self.vehicle.step(vehicle, tyres, room, controls, tick, h);
            let time = clock.time(tick + 1);
            if let Err(error) = stepped {
                self.fail(time, error.into(), state, workspace);
                self.part(time, state, workspace);
                let now = self.circumstance(ground, state, workspace);
                now.events_since(&before, &mut workspace.events);
                return;
            }
            self.observe(time, h, state, workspace);
            self.sense([tick, tick + 1].map(|tick| clock.micros(tick)), state, workspace);
        }
        // what is told of it where others are near
        state.otherwise = pushed
            .map_or_else(Otherwise::default, |pushed| pushed.ended(self, &workspace.vehicle, span));
        let (time, now_us) = (clock.time(first_tick + steps), clock.micros(first_tick + steps));
        let velocity = self.vehicle.twist(&workspace.vehicle).linear;
        let energy = self.stored_energy(state, workspace);
        state.energy.take(energy);
        let mut touch = |touch: Touch| state.hits.add(&touch, velocity, time, span);
        self.pass_roadside(model, &workspace.vehicle, now_us, &mut touch);
        match self.judge(ground, endings, time, state, workspace) {
            Some(Outcome::Failed { failure, .. }) => self.fail(time, failure, state, workspace),
            outcome => {
                state.show_wheels(self.vehicle.samples(&workspace.vehicle).iter().copied());
                state.outcome = outcome;
            }
        }
        if state.outcome.is_some() {
            state.overlay.publish_all(&mut workspace.patches);
        } else {
            state.overlay.publish(&mut workspace.patches);
        }
        self.part(time, state, workspace);
        let now = self.circumstance(ground, state, workspace);
        now.events_since(&before, &mut workspace.events);
    }

    /// Ends a drive whose numbers failed: the vehicle stands where it was at the heartbeat before.
    fn fail(
        &self,
        time: f64,
        failure: Failure,
        state: &mut AgentState,
        workspace: &mut AgentWorkspace,
    ) {
        workspace.kept.put_back(state);
        // what follows from a state that is not finite is not, either
        workspace.vehicle = self.vehicle.workspace(&state.vehicle);
        let position = state.monitor.last_place();
        state.outcome = Some(Outcome::Failed { time, position, failure });
    }

    /// Tells of the hits that are over.
    fn part(&self, time: f64, state: &mut AgentState, workspace: &mut AgentWorkspace) {
        let ended = state.outcome.is_some();
        state.hits.over(time, ended, self.vehicle.mass(), |hit| {
            workspace.events.push(Event::Collided(hit))
        });
    }

    /// Adds what others and what stands around it do to the loads of a step.
    fn meet_others(
        &self,
        index: usize,
        [first_tick, tick]: [u64; 2],
        around: &Surroundings<'_>,
        state: &mut AgentState,
        workspace: &mut AgentWorkspace,
        (near, pushed): (bool, &mut Option<PushedMotion>),
    ) {
        let Surroundings { model, encounters, .. } = *around;
        let (h, time) = (model.clock.step(), model.clock.time(tick + 1));
        let AgentWorkspace { vehicle: room, strikes, .. } = workspace;
        let velocity = self.vehicle.twist(room).linear;
        let (hits, energy) = (&mut state.hits, &mut state.energy);
        let mut touch = |touch: Touch| hits.add(&touch, velocity, time, h);
        if near {
            let mut touch = |met: Touch| {
                energy.add(-met.energy);
                touch(met);
            };
            let body = (&state.vehicle, &mut *room);
            let loads = self.meet_obstacles(&model.obstacles, body, strikes, h, &mut touch);
            for (part, load) in HullPart::ALL.into_iter().zip(loads) {
                self.vehicle.load_on(part, room).into_iter().for_each(|own| *own += load);
            }
        }
        if let Some(pushed) = pushed {
            let step = (tick - first_tick) as usize;
            let poses = [Some(self.vehicle.pose(room)), self.vehicle.trailer_pose(room)];
            for (part, pose) in HullPart::ALL.into_iter().zip(poses) {
                let Some(pose) = pose else { continue };
                let wrench = encounters.on((index, part), step, &pose.position, &mut touch);
                let Some((wrench, outline)) = wrench.zip(self.vehicle.outline_of(part)) else {
                    continue;
                };
                pushed.add(part, outline, &pose, &wrench, h);
                let twist = self.vehicle.twist_of(part, room);
                energy.add(work_of(&wrench, &twist, outline.mass, h));
                self.vehicle.load_on(part, room).into_iter().for_each(|own| own.wrench += wrench);
            }
        }
    }

    fn drive(
        &self,
        index: usize,
        [first_tick, tick]: [u64; 2],
        around: &Surroundings<'_>,
        state: &mut AgentState,
        workspace: &AgentWorkspace,
    ) {
        let Surroundings { model, views, .. } = *around;
        let (time, h) = (model.clock.time(tick), model.clock.step());
        let now_us = model.clock.micros(tick);
        if let Some(command) = state.command {
            state.driver.intent = Intent::of(&command);
            state.controls = command.clamped();
            return;
        }
        if let Some(controls) = self.drive_itself(state, time, h) {
            state.controls = controls;
            return;
        }
        let pose = self.vehicle.pose(&workspace.vehicle);
        let follows = self.leader.zip(self.driver.follower());
        let leader = follows.and_then(|(leader, own)| {
            let [front, rear] = own.ends(&self.vehicle.footprint());
            let shown = &views[leader.agent];
            let place = &state.driver.place;
            if let (Some(station), Some(end)) = (shown.station, leader.end) {
                let gap = station + end - (place.station + front);
                return Some(LeaderView { gap, speed: shown.speed, demand: None });
            }
            // one that goes another way, wherever it heads, is taken to stand there;
            // one that has been passed is in nobody's way
            let [x, y] = [shown.pose.position.x, shown.pose.position.y];
            let middle = own.path().ahead(place, LOOKS_AHEAD, [x, y]).station;
            let reach = leader.footprint.reach();
            let ahead = middle + reach > place.station + rear;
            let gap = middle - reach - (place.station + front);
            ahead.then_some(LeaderView { gap, speed: 0.0, demand: None })
        });
        let (speed, thrust) = (self.speed(workspace), self.vehicle.thrust(&state.vehicle));
        let rim = self.vehicle.rim_speed(&state.vehicle);
        // a state that is taken up knows them as they were at its heartbeat
        let last = self.vehicle.samples(&workspace.vehicle);
        let slip = self.vehicle.driven_slip(if tick == first_tick { &state.wheels } else { last });
        let yaw_rate = self.vehicle.twist(&workspace.vehicle).angular.z;
        let forward = [self.way() * speed, h];
        let leader =
            leader.map(|seen| self.cooperating(index, model, state, seen, forward, now_us));
        let stop = self.stop_ahead(state, forward[0], now_us);
        let articulation = self.vehicle.articulation(&state.vehicle, &workspace.vehicle);
        let pedals = self.pedals(state);
        let view = DriverView {
            time,
            step: h,
            pose,
            speed,
            yaw_rate,
            thrust,
            rim,
            slip,
            leader,
            stop,
            articulation,
            pedals,
        };
        state.controls = self.driver.controls(&mut state.driver, &view).clamped();
        if let (Some(PedalView { response, .. }), Some(station)) = (pedals, &mut state.radio) {
            let given = response.acceleration(&state.controls);
            // the throttle that runs an engine up gives no more than the driver lets it
            let most = self.driver.follower().and_then(|own| own.plan().acceleration);
            let aimed = given - state.driver.speed.integral;
            station.aims(most.map_or(aimed, |most| aimed.min(most)));
        }
    }

    /// What the pedals do along the way that it drives, for a driver that aims at accelerations.
    fn pedals(&self, state: &AgentState) -> Option<PedalView<'_>> {
        let own = self.driver.follower().filter(|own| own.aims_at_accelerations())?;
        let response = self.vehicle.pedal_response(&state.vehicle);
        let limited = own.plan().acceleration.is_some();
        let engine = limited.then(|| self.vehicle.engine_response(&state.vehicle));
        let backward = own.sense() < 0.0;
        let response = if backward { response.backward() } else { response };
        let engine = engine.map(|engine| if backward { engine.backward() } else { engine });
        Some(PedalView { response, applied: state.controls, engine })
    }

    /// Loads of yielding and firm ground on every wheel or shoe, and on the plates that are
    /// `low`.
    fn meet_ground(
        &self,
        ground: &GroundModel,
        published: &Published,
        state: &mut AgentState,
        workspace: &mut AgentWorkspace,
        low: u32,
        h: f64,
    ) {
        let AgentState { vehicle, tyres, overlay, monitor, .. } = state;
        let AgentWorkspace { vehicle: room, scratch, aside, .. } = workspace;
        let (grips, aside) = (true, aside.as_mut());
        let mut context = ContactContext { ground, published, overlay, scratch, grips, aside };
        self.vehicle.meet_ground(vehicle, tyres, room, &mut context, h);
        let mut belly = BellyContact::default();
        if low != 0 {
            belly = self.hang_up(low, room, &mut context, h);
            monitor.rest_on_belly(belly.force, h);
        }
        let mut on_chassis = belly.load;
        let mut on_trailer = Load::default();
        self.lie(HullPart::Chassis, vehicle.coupling, room, &context, &mut on_chassis);
        self.lie(HullPart::Trailer, vehicle.coupling, room, &context, &mut on_trailer);
        *self.vehicle.chassis_load(room) = on_chassis;
        self.vehicle.trailer_load(room).into_iter().for_each(|own| *own = on_trailer);
        self.vehicle.heap(room, belly.displaced, &mut context);
    }

    fn observe(&self, time: f64, h: f64, state: &mut AgentState, workspace: &mut AgentWorkspace) {
        let work = self.vehicle.observe(&state.vehicle, &mut workspace.vehicle, h);
        let burned = self.vehicle.fuel_rate(&state.vehicle, state.controls.throttle);
        let coupling = state.vehicle.coupling;
        let figures = StepFigures {
            position: self.vehicle.pose(&workspace.vehicle).position,
            velocity: self.vehicle.twist(&workspace.vehicle).linear,
            advance: self.advance(state, workspace),
            sense: direction(state),
            work,
            fuel: burned.map(|rate| rate * h),
            drive_radius: self.vehicle.drive_radius(),
            belts: self.vehicle.belts(coupling),
        };
        let wheels = self.vehicle.samples_along(coupling, &workspace.vehicle);
        state.energy.add(figures.work.engine);
        state.monitor.take(time, h, &state.controls, wheels, &figures);
    }

    /// The agent at one moment, into a sample whose room is used again.
    pub(super) fn sample_into(
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
