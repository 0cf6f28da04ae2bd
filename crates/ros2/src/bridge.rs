//! Controller of a run whose external controllers are ROS 2 nodes.

use super::drive_command::{DriveCommand, LongitudinalCommand};
use super::error::Ros2Error;
use super::message::{AckermannDriveStamped, ActuationCommandStamped, Bool, TwistStamped};
use super::node::{Node, TopicSubscription};
use super::services::Services;
use super::topics::{Topics, ros_name};
use super::twist_steering::TwistSteering;
use bekker_agent::GroundVehicle;
use bekker_sync::DdsDomain;
use bekker_vehicle::Controls;
use bekker_world::{
    Command, CommandOrigin, CommandRecord, Controller, ControllerRequest, ControllerView,
    ExternalVehicle, OnTimeout, SpeedHold, SteeringCommand, ViewRequest, World, WorldModel,
};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Longest wait before control returns to the run, whose ranks must keep receiving from each other.
const PATIENCE: Duration = Duration::from_millis(500);
/// Interval between two checks for received messages.
const POLL: Duration = Duration::from_micros(100);

/// ROS 2 interface of a run, which the run calls before each heartbeat.
pub struct Bridge {
    model: Arc<WorldModel>,
    topics: Topics,
    services: Services,
    /// Ticks between ground maps, if these are published.
    ground_every: Option<u64>,
    drivers: Vec<DrivenVehicle>,
    /// All sensors of all vehicles.
    sensors: Vec<(u32, u32)>,
    remark: Box<dyn Fn(&str) + Send>,
    /// Tick of the state published last.
    shown: Option<u64>,
    /// Tick of the sensor readings published last.
    said: Option<u64>,
    /// Time from which driver timeouts count.
    since: Instant,
    /// Whether the vehicles without commands have been reported.
    missing: bool,
    /// Kept alive, since all topics end with it.
    _node: Node,
}

/// A vehicle with an external controller.
struct DrivenVehicle {
    seat: ExternalVehicle,
    /// Base name of its command topics.
    topic: String,
    drives: TopicSubscription<AckermannDriveStamped>,
    twists: TopicSubscription<TwistStamped>,
    actuations: TopicSubscription<ActuationCommandStamped>,
    /// Subscription to `/V/uncouple` of a vehicle that can draw a trailer, then whether it was
    /// commanded to uncouple.
    uncouples: Option<TopicSubscription<Bool>>,
    uncouple: bool,
    /// How a twist steers it.
    twist_steering: TwistSteering,
    /// Speed, m/s, and yaw rate, rad/s, at the last heartbeat.
    motion: [f64; 2],
    /// The latest command received.
    last: Option<DriveCommand>,
    held: SpeedHold,
    /// Controls and origin returned last.
    told: Option<(Controls, CommandOrigin)>,
    /// Whether the missing command has been reported.
    is_late: bool,
}

impl Bridge {
    /// Joins a domain.
    ///
    /// `ground_interval` is the simulated time between maps of the ground around vehicles, s.
    /// Without it no maps are published. `remark` receives lines for the user of the run.
    ///
    /// # Errors
    /// [`Ros2Error`] when the domain cannot be joined.
    pub fn open(
        domain: DdsDomain,
        ground_interval: Option<f64>,
        model: Arc<WorldModel>,
        seats: &[ExternalVehicle],
        remark: impl Fn(&str) + Send + 'static,
    ) -> Result<Bridge, Ros2Error> {
        let node = Node::open(domain)?;
        let topics = Topics::open(&node, &model, ground_interval.is_some())?;
        let services = Services::open(&node, &model)?;
        let ground_every = ground_interval.map(|every| model.clock.ticks_in(every));
        let drivers = seats.iter().map(|seat| {
            let own = &model.agents[seat.agent];
            let (name, draws) = (ros_name(&own.name), own.vehicle.has_trailer());
            let topic = format!("/{name}/cmd");
            let uncouples = draws.then(|| node.subscribe(&format!("/{name}/uncouple")));
            Ok(DrivenVehicle {
                seat: *seat,
                drives: node.subscribe(&topic)?,
                twists: node.subscribe(&format!("{topic}_vel"))?,
                actuations: node.subscribe(&format!("{topic}_pedals"))?,
                uncouples: uncouples.transpose()?,
                uncouple: false,
                twist_steering: TwistSteering::new(&model.agents[seat.agent].vehicle),
                motion: [0.0; 2],
                topic,
                last: None,
                held: SpeedHold::default(),
                told: None,
                is_late: false,
            })
        });
        let drivers = drivers.collect::<Result<_, Ros2Error>>()?;
        let agents = model.agents.iter().zip(0..);
        let sensors = agents.flat_map(|(own, agent)| {
            (0..own.sensors.len()).map(move |sensor| (agent, sensor as u32))
        });
        Ok(Bridge {
            sensors: sensors.collect(),
            model,
            topics,
            services,
            ground_every,
            drivers,
            remark: Box::new(remark),
            shown: None,
            said: None,
            since: Instant::now(),
            missing: false,
            _node: node,
        })
    }

    /// Reports once the vehicles that never received a command.
    fn warn_about_missing(&mut self) {
        if !std::mem::replace(&mut self.missing, true) {
            let vacant = self.drivers.iter().filter(|own| own.last.is_none());
            let topics: Vec<&str> = vacant.map(|own| own.topic.as_str()).collect();
            (self.remark)(&format!("waiting for commands on {}", topics.join(", ")));
        }
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        self.services.end();
        self.topics.flush();
    }
}

impl Controller for Bridge {
    fn call(&mut self, world: &World) -> ControllerRequest {
        let tick = world.state().tick;
        if self.shown != Some(tick) {
            return ControllerRequest::Show(ViewRequest {
                sensors: self.sensors.clone(),
                ..ViewRequest::default()
            });
        }
        let now_us = self.model.clock.micros(tick);
        let entered = Instant::now();
        loop {
            self.services.handle_requests();
            if self.services.is_quitting() {
                return ControllerRequest::Stop;
            }
            self.drivers.iter_mut().for_each(DrivenVehicle::receive);
            if self.services.holds() {
                // timeouts do not run while the run is paused, and nodes that join receive the
                // state again
                self.since = Instant::now();
                if entered.elapsed() >= PATIENCE {
                    self.shown = None;
                    return ControllerRequest::Wait;
                }
                std::thread::sleep(POLL);
                continue;
            }
            let answered = |own: &DrivenVehicle| own.has_answered(now_us);
            if self.drivers.iter().all(answered) {
                break;
            }
            if self.drivers.iter().any(|own| own.last.is_none()) {
                self.warn_about_missing();
                self.since = Instant::now();
                if entered.elapsed() >= PATIENCE {
                    // nodes that join now have not received the initial state
                    self.shown = None;
                    return ControllerRequest::Wait;
                }
            } else {
                let waited = self.since.elapsed();
                let mut late = self.drivers.iter().filter(|own| !own.has_answered(now_us));
                if late.all(|own| waited >= own.seat.timeout) {
                    break;
                }
                if entered.elapsed() >= PATIENCE {
                    return ControllerRequest::Wait;
                }
            }
            std::thread::sleep(POLL);
        }
        let heartbeat = self.model.clock.micros(self.model.clock.steps_per_heartbeat());
        let heartbeat = heartbeat as f64 * 1e-6;
        let mut commanded = Vec::new();
        for own in &mut self.drivers {
            let told = match own.command(&self.model, now_us, heartbeat, &self.remark) {
                Ok(told) => told,
                Err(cause) => return ControllerRequest::Fail(cause),
            };
            if own.told.replace(told) != Some(told) {
                let (controls, origin) = told;
                let (agent, driver, says) = (own.seat.agent as u32, "ros2".into(), Vec::new());
                commanded.push(CommandRecord { agent, controls, origin, driver, says });
            }
        }
        self.services.begin_heartbeat();
        ControllerRequest::Go(commanded)
    }

    fn show(&mut self, shown: &ControllerView<'_>) {
        let tick = shown.world.state().tick;
        let is_new = self.said.replace(tick) != Some(tick);
        let delivered = if is_new { shown.delivered } else { &[] };
        let gravity = shown.world.model().ground.laws().gravity;
        for own in &mut self.drivers {
            let sample = shown.samples.iter().find(|sample| sample.vehicle == own.seat.agent);
            if let Some(sample) = sample {
                own.held.update(sample, gravity);
                own.motion = [sample.speed, sample.angular_velocity.z];
            }
        }
        let time_us = self.model.clock.micros(tick);
        if is_new {
            self.services.update(time_us, shown.samples);
            if self.ground_every.is_some_and(|every| tick.is_multiple_of(every)) {
                self.topics.publish_ground(shown.world, shown.samples);
            }
        }
        self.topics.publish(time_us, shown.samples, delivered);
        self.shown = Some(tick);
        self.since = Instant::now();
    }
}

impl DrivenVehicle {
    /// Takes all received commands and keeps the one with the latest stamp.
    fn receive(&mut self) {
        let (last, twist_steering) = (&mut self.last, &self.twist_steering);
        let mut take = |wanted: DriveCommand| {
            if last.is_none_or(|last| wanted.stamp_us >= last.stamp_us) {
                *last = Some(wanted);
            }
        };
        self.drives.take_all(|drive| take(DriveCommand::from_ackermann(&drive)));
        self.twists.take_all(|twist| {
            take(match twist_steering {
                TwistSteering::WheelAngle { wheelbase } => {
                    DriveCommand::from_twist(&twist, *wheelbase)
                }
                TwistSteering::FrameAngle(geometry) => {
                    DriveCommand::from_twist_of_articulated(&twist, geometry)
                }
                TwistSteering::YawRate | TwistSteering::Tracks(_) => {
                    DriveCommand::from_twist_of_skid_steered(&twist)
                }
            });
        });
        self.actuations.take_all(|actuation| take(DriveCommand::from_actuation(&actuation)));
        if let Some(uncouples) = &self.uncouples {
            let uncouple = &mut self.uncouple;
            uncouples.take_all(|told: Bool| *uncouple |= told.data);
        }
    }

    /// Whether the latest command is stamped at this time or later.
    fn has_answered(&self, now_us: u64) -> bool {
        let stamp = self.last.and_then(|last| last.stamp_us);
        stamp.is_some_and(|stamp| stamp >= now_us)
    }

    /// Returns the vehicle's controls for a heartbeat.
    fn command(
        &mut self,
        model: &WorldModel,
        now_us: u64,
        heartbeat: f64,
        remark: &dyn Fn(&str),
    ) -> Result<(Controls, CommandOrigin), String> {
        let topic = &self.topic;
        if !self.has_answered(now_us) {
            let late = format!(
                "{topic}: no command stamped {:.6} s or later within {:?}",
                now_us as f64 * 1e-6,
                self.seat.timeout
            );
            let last = self.told.map_or(Controls::default(), |(controls, _)| controls);
            let (controls, what) = match self.seat.on_timeout {
                OnTimeout::Fail => return Err(late),
                OnTimeout::Hold => (last, "its last command remains active"),
                OnTimeout::Brake => {
                    (Controls { throttle: 0.0, brake: 1.0, steering: 0.0, ..last }, "it brakes")
                }
            };
            if !std::mem::replace(&mut self.is_late, true) {
                remark(&format!("{late}: {what}"));
            }
            return Ok((controls, CommandOrigin::TimedOut));
        }
        if std::mem::take(&mut self.is_late) {
            remark(&format!("{topic}: commands received again"));
        }
        let Some(DriveCommand { longitudinal, steering, .. }) = self.last else {
            return Err(format!("{topic}: no command"));
        };
        let Controls { throttle, brake, gear, .. } = match longitudinal {
            LongitudinalCommand::Speed(target) if target.is_finite() => match steering {
                SteeringCommand::YawRate(rate) if rate != 0.0 => {
                    self.held.turning_controls(target, heartbeat)
                }
                _ => self.held.controls(target, heartbeat),
            },
            LongitudinalCommand::Pedals([throttle, brake])
                if throttle.is_finite() && brake.is_finite() =>
            {
                // a later speed command starts with a fresh speed controller
                self.held = SpeedHold::default();
                Controls { throttle, brake, ..Controls::default() }
            }
            _ => return Err(format!("{topic}: {longitudinal:?}: must be finite numbers")),
        };
        let steering = match (&mut self.twist_steering, longitudinal, steering) {
            (
                TwistSteering::Tracks(steering),
                LongitudinalCommand::Speed(target),
                SteeringCommand::YawRate(rate),
            ) => steering.command([target, rate], self.motion, heartbeat),
            (_, _, steering) => steering,
        };
        let uncouple = self.uncouple;
        let command = Command { throttle, brake, steering, gear, uncouple, ..Command::default() };
        let controls = model.controls(self.seat.agent, &command);
        let controls = controls.map_err(|error| format!("{topic}: {error}"))?;
        Ok((controls, CommandOrigin::Driver))
    }
}
