//! The names that most programs need.
//!
//! ```
//! use bekker::prelude::*;
//! ```
//!
//! | for | names |
//! | --- | --- |
//! | a scenario | [`ScenarioFile`], [`Scenario`], [`Diagnostics`], [`build`] |
//! | a world | [`World`], [`WorldModel`], [`WorldState`], [`WorldBatch`], [`VehiclePlacement`], [`Endings`] |
//! | a run | [`Runner`], [`RunSchedule`], [`Observer`], [`HeartbeatInfo`], [`Flow`], [`RunError`], [`RunSummary`] |
//! | results | [`Sample`], [`WheelSample`], [`Event`], [`OutcomeCode`], [`Reading`], [`Delivery`] |
//! | control | [`Command`], [`SteeringCommand`], [`Selector`], [`ExternalDriver`], [`Perception`], [`Controller`] |
//! | ground | [`Terrain`], [`GroundModel`], [`Soil`], [`SoilLaw`], [`Loading`] |
//! | vehicles | [`Vehicle`], [`TrackedVehicle`], [`VehicleSpec`], [`TrackedSpec`], [`Driver`] |
//! | ranks | [`Ranks`], [`Communicator`] |
//! | studies | [`Study`], [`StudyConfig`], [`MapFile`] |
//! | learning | [`Env`], [`Level`], [`Options`] |
//! | geometry | [`Pose`], [`Vec3`], [`Quat`] |
//!
//! Each name has an example here; `tests/docs.rs` checks that.

/// Reads a scenario and changes one key, as `bekker run --set` does.
///
/// ```
/// # use bekker::prelude::*;
/// # use std::path::Path;
/// # let file = ScenarioFile::read(Path::new("examples/single_vehicle.toml"), &[])?;
/// let sets = ["time.duration=5".to_owned()];
/// let short = ScenarioFile::read(Path::new("examples/single_vehicle.toml"), &sets)?;
/// assert_eq!((file.scenario.time.duration, short.scenario.time.duration), (20.0, 5.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_scenario::ScenarioFile;

/// Changes a scenario in a program and checks it.
///
/// ```
/// # use bekker::prelude::*;
/// # use std::path::Path;
/// # let file = ScenarioFile::read(Path::new("examples/single_vehicle.toml"), &[])?;
/// let mut scenario: Scenario = file.scenario;
/// scenario.soil.default = "mud".into();
/// let muddy = ScenarioFile::from_scenario(&scenario, Path::new("examples"))?;
/// assert!(muddy.scenario.to_toml()?.contains("default = \"mud\""));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_scenario::Scenario;

/// All faults of a file at once, each with line, key, value and what is allowed.
///
/// ```
/// # use bekker::prelude::*;
/// # use std::path::Path;
/// let wrong = ["soil.default=mudd".to_owned(), "time.duration=-1".to_owned()];
/// let path = Path::new("examples/single_vehicle.toml");
/// let faults: Diagnostics = ScenarioFile::read(path, &wrong).unwrap_err();
/// assert!(faults.to_string().contains("duration"));
/// ```
///
#[doc(inline)]
pub use bekker_scenario::Diagnostics;

/// Builds the model of a world, with the warnings that `bekker run` prints.
///
/// ```
/// # use bekker::prelude::*;
/// # use std::path::Path;
/// # let file = ScenarioFile::read(Path::new("examples/single_vehicle.toml"), &[])?;
/// let built = build::world(&file)?;
/// assert_eq!(built.world.agents.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_scenario::build;

/// Advances a world by heartbeats and reads the sinkage of wheels.
///
/// ```
/// # use bekker::prelude::*;
/// # use std::path::Path;
/// # let file = ScenarioFile::read(Path::new("examples/single_vehicle.toml"), &[])?;
/// # let mut world = World::new(build::world(&file)?.world);
/// while world.time() < 0.5 {
///     world.advance();
/// }
/// let hmmwv = world.sample(0).unwrap();
/// assert!(hmmwv.wheels.iter().all(|wheel| wheel.sinkage > 0.01), "all wheels are in ruts");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_world::World;

/// The immutable part of a world, shared by all its copies.
///
/// ```
/// # use bekker::prelude::*;
/// # use std::path::Path;
/// # let file = ScenarioFile::read(Path::new("examples/single_vehicle.toml"), &[])?;
/// # let mut world = World::new(build::world(&file)?.world);
/// let model: &WorldModel = world.model();
/// assert_eq!(model.agents[0].name, "hmmwv");
/// assert_eq!(model.ground.soils()[0].name, "chrono_mid");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_world::WorldModel;

/// The part of a world that changes: kept, and restored to the bit.
///
/// ```
/// # use bekker::prelude::*;
/// # use std::path::Path;
/// # let file = ScenarioFile::read(Path::new("examples/single_vehicle.toml"), &[])?;
/// # let mut world = World::new(build::world(&file)?.world);
/// let start: WorldState = world.state().clone();
/// let hash = world.hash();
/// world.advance();
/// world.restore(&start)?;
/// assert_eq!(world.hash(), hash);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_world::WorldState;

/// Steps many worlds over one model in parallel.
///
/// ```
/// # use bekker::prelude::*;
/// # use std::path::Path;
/// # let file = ScenarioFile::read(Path::new("examples/single_vehicle.toml"), &[])?;
/// # let mut world = World::new(build::world(&file)?.world);
/// let mut futures = WorldBatch::from_world(&world, 3);
/// for (future, world) in futures.iter_mut().enumerate() {
///     world.command(0, Some(Command { throttle: 0.5 * future as f64, ..Command::default() }))?;
/// }
/// (0..100).for_each(|_| futures.advance());
/// let speeds: Vec<f64> = futures.iter().map(|world| world.sample(0).unwrap().speed).collect();
/// assert!(speeds[2] > speeds[1] && speeds[1] > speeds[0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_world::WorldBatch;

/// Places a vehicle elsewhere on the ruts that are there, without building the model again.
///
/// ```
/// # use bekker::prelude::*;
/// # use std::path::Path;
/// # let file = ScenarioFile::read(Path::new("examples/single_vehicle.toml"), &[])?;
/// # let mut world = World::new(build::world(&file)?.world);
/// let start = VehiclePlacement { position: [0.0, 6.0], heading: 0.0, speed: 2.0 };
/// world.respawn(0, &start)?;
/// assert!((world.sample(0).unwrap().pose.position.y - 6.0).abs() < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_world::VehiclePlacement;

/// Conditions that end a drive.
///
/// ```
/// # use bekker::prelude::*;
/// # use std::path::Path;
/// # let file = ScenarioFile::read(Path::new("examples/single_vehicle.toml"), &[])?;
/// let mut model = build::world(&file)?.world;
/// model.endings = Endings { arrived: false, ..Endings::default() };
/// assert!(model.endings.sunk, "by default a drive ends when the vehicle has sunk");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_agent::Endings;

/// Drives a scenario for a time.
///
/// ```
/// # use bekker::prelude::*;
/// # use std::path::Path;
/// # let file = ScenarioFile::read(Path::new("examples/single_vehicle.toml"), &[])?;
/// let runner = Runner::new(build::world(&file)?.world, None, RunSchedule::until(0.2))?;
/// let (world, stopped) = runner.run::<std::convert::Infallible>(&mut [])?;
/// assert!(!stopped && (world.time() - 0.2).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_ranks::Runner;

/// When a run ends, and when its observers are called.
///
/// ```
/// # use bekker::prelude::*;
/// let schedule = RunSchedule { sample_every: 1.0, hash_every: Some(1), ..RunSchedule::until(60.0) };
/// assert_eq!(schedule.checkpoint_every, None);
/// ```
///
#[doc(inline)]
pub use bekker_ranks::RunSchedule;

/// Receives what happens in a run.
///
/// ```
/// # use bekker::prelude::*;
/// # use std::path::Path;
/// # let file = ScenarioFile::read(Path::new("examples/single_vehicle.toml"), &[])?;
/// struct TopSpeed(f64);
/// impl Observer<std::convert::Infallible> for TopSpeed {
///     fn on_heartbeat(&mut self, moment: &HeartbeatInfo<'_>) -> Result<Flow, std::convert::Infallible> {
///         self.0 = moment.samples().into_iter().flatten().fold(self.0, |top, it| top.max(it.speed));
///         Ok(Flow::Continue)
///     }
/// }
/// let mut top_speed = TopSpeed(0.0);
/// let runner = Runner::new(build::world(&file)?.world, None, RunSchedule::until(0.5))?;
/// runner.run(&mut [&mut top_speed])?;
/// assert!(top_speed.0 > 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_ranks::Observer;

/// State and record of one heartbeat, as an observer sees it.
///
/// ```
/// # use bekker::prelude::*;
/// fn is_deep(moment: &HeartbeatInfo<'_>) -> bool {
///     moment.world.samples().any(|vehicle| vehicle.wheels.iter().any(|wheel| wheel.sinkage > 0.2))
/// }
/// ```
///
#[doc(inline)]
pub use bekker_ranks::HeartbeatInfo;

/// Answer of an observer: the run continues or stops.
///
/// ```
/// # use bekker::prelude::*;
/// fn until_time(time: f64, end: f64) -> Flow {
///     if time < end { Flow::Continue } else { Flow::Stop }
/// }
/// assert_eq!(until_time(3.0, 2.0), Flow::Stop);
/// ```
///
#[doc(inline)]
pub use bekker_ranks::Flow;

/// Why a run failed.
///
/// ```
/// # use bekker::prelude::*;
/// use std::convert::Infallible;
/// fn exit_code(error: &RunError<Infallible>) -> u8 {
///     match error {
///         RunError::Ranks(_) => 3,
///         _ => 1,
///     }
/// }
/// ```
///
#[doc(inline)]
pub use bekker_ranks::RunError;

/// Summary of a run, as in `summary.json`.
///
/// ```
/// # use bekker::prelude::*;
/// # use std::path::Path;
/// # let file = ScenarioFile::read(Path::new("examples/single_vehicle.toml"), &[])?;
/// # let mut world = World::new(build::world(&file)?.world);
/// world.advance();
/// let summary: RunSummary = world.summary("single_vehicle", 0.0);
/// assert_eq!(summary.vehicles.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_world::RunSummary;

/// State of a vehicle at a heartbeat, as in `states.parquet`.
///
/// ```
/// # use bekker::prelude::*;
/// # use std::path::Path;
/// # let file = ScenarioFile::read(Path::new("examples/single_vehicle.toml"), &[])?;
/// # let mut world = World::new(build::world(&file)?.world);
/// let hmmwv: Sample = world.sample(0).unwrap();
/// assert_eq!((hmmwv.wheels.len(), hmmwv.speed), (4, 0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_agent::Sample;

/// State of a wheel at a heartbeat.
///
/// ```
/// # use bekker::prelude::*;
/// # use std::path::Path;
/// # let file = ScenarioFile::read(Path::new("examples/single_vehicle.toml"), &[])?;
/// # let mut world = World::new(build::world(&file)?.world);
/// let wheels: Vec<WheelSample> = world.sample(0).unwrap().wheels;
/// let load: f64 = wheels.iter().map(|wheel| wheel.load).sum();
/// assert!((load / 9.81 - 2_573.0).abs() < 200.0, "the wheels carry the vehicle: {load} N");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_agent::WheelSample;

/// Event of a vehicle in the last heartbeat.
///
/// ```
/// # use bekker::prelude::*;
/// # use std::path::Path;
/// # let file = ScenarioFile::read(Path::new("examples/single_vehicle.toml"), &[])?;
/// # let mut world = World::new(build::world(&file)?.world);
/// let mut shifted = false;
/// while world.time() < 3.0 && !shifted {
///     world.advance();
///     shifted = world.events(0).iter().any(|event| matches!(event, Event::GearShifted { to: 2, .. }));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_agent::Event;

/// How a drive ended, as a code.
///
/// ```
/// # use bekker::prelude::*;
/// # use std::path::Path;
/// # let file = ScenarioFile::read(Path::new("examples/single_vehicle.toml"), &[])?;
/// # let mut world = World::new(build::world(&file)?.world);
/// world.advance();
/// assert_eq!(world.outcome(0).code, OutcomeCode::UnderWay);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_agent::OutcomeCode;

/// Measurement of a sensor.
///
/// ```
/// # use bekker::prelude::*;
/// fn yaw_rate(reading: &Reading) -> Option<f64> {
///     match reading {
///         Reading::Imu { angular_rate, .. } => Some(angular_rate.z),
///         _ => None,
///     }
/// }
/// ```
///
#[doc(inline)]
pub use bekker_sensor::Reading;

/// A reading with its times of measurement and delivery.
///
/// ```
/// # use bekker::prelude::*;
/// # use std::path::Path;
/// # let file = ScenarioFile::read(Path::new("examples/single_vehicle.toml"), &[])?;
/// # let mut world = World::new(build::world(&file)?.world);
/// world.advance();
/// let deliveries: &[Delivery] = world.delivered(0);
/// assert!(deliveries.is_empty(), "this vehicle has no sensors");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_sensor::Delivery;

/// Drives a vehicle from a program.
///
/// ```
/// # use bekker::prelude::*;
/// # use std::path::Path;
/// # let file = ScenarioFile::read(Path::new("examples/single_vehicle.toml"), &[])?;
/// # let mut world = World::new(build::world(&file)?.world);
/// let full = Command { throttle: 1.0, steering: SteeringCommand::Share(0.5), ..Command::default() };
/// world.command(0, Some(full))?;
/// (0..100).for_each(|_| world.advance());
/// assert!(world.sample(0).unwrap().speed > 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_world::Command;

/// Steering as a share of full lock or as an angle of the wheels.
///
/// ```
/// # use bekker::prelude::*;
/// let left = Command { steering: SteeringCommand::Angle(10_f64.to_radians()), ..Command::default() };
/// assert_ne!(left.steering, SteeringCommand::Share(0.0));
/// ```
///
#[doc(inline)]
pub use bekker_world::SteeringCommand;

/// Selector of the gearbox.
///
/// ```
/// # use bekker::prelude::*;
/// let reverse = Command { gear: Selector::Reverse, throttle: 0.2, ..Command::default() };
/// assert_ne!(reverse.gear, Selector::default());
/// ```
///
#[doc(inline)]
pub use bekker_vehicle::Selector;

/// Drives a vehicle from its sensor readings; closures implement it.
///
/// ```
/// # use bekker::prelude::*;
/// # use std::path::Path;
/// # let file = ScenarioFile::read(Path::new("examples/single_vehicle.toml"), &[])?;
/// fn pull_away() -> impl ExternalDriver {
///     |perception: &Perception<'_>| {
///         let throttle = if perception.time < 1.0 { 0.6 } else { 0.0 };
///         Some(Command { throttle, ..Command::default() })
///     }
/// }
/// let runner = Runner::new(build::world(&file)?.world, None, RunSchedule::until(0.5))?;
/// let (world, _) = runner.drive(0, pull_away())?.run::<std::convert::Infallible>(&mut [])?;
/// assert!(world.sample(0).unwrap().speed > 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_world::ExternalDriver;

/// Input of an external driver: time and readings, no truth.
///
/// ```
/// # use bekker::prelude::*;
/// fn speed_by_satellites(perception: &Perception<'_>) -> Option<f64> {
///     perception.measurements().find_map(|measured| match measured.reading {
///         Reading::Fix(fix) if fix.valid => Some(fix.velocity.norm()),
///         _ => None,
///     })
/// }
/// ```
///
#[doc(inline)]
pub use bekker_world::Perception;

/// Drives any vehicles of a run from one place on rank 0.
///
/// ```
/// # use bekker::prelude::*;
/// use bekker::simulation::{ControllerRequest, ControllerView};
/// struct Quit;
/// impl Controller for Quit {
///     fn call(&mut self, world: &World) -> ControllerRequest {
///         if world.time() < 0.1 { ControllerRequest::Go(Vec::new()) } else { ControllerRequest::Stop }
///     }
///     fn show(&mut self, _shown: &ControllerView<'_>) {}
/// }
/// # use std::path::Path;
/// # let file = ScenarioFile::read(Path::new("examples/single_vehicle.toml"), &[])?;
/// let mut quit = Quit;
/// let runner = Runner::new(build::world(&file)?.world, None, RunSchedule::until(20.0))?;
/// let runner = runner.controlled_by(Some(&mut quit));
/// let (world, _) = runner.run::<std::convert::Infallible>(&mut [])?;
/// assert!(world.time() < 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_world::Controller;

/// Base terrain: heights and soils that no vehicle changes.
///
/// ```
/// # use bekker::prelude::*;
/// # use std::path::Path;
/// # let file = ScenarioFile::read(Path::new("examples/single_vehicle.toml"), &[])?;
/// # let mut world = World::new(build::world(&file)?.world);
/// let terrain: &Terrain = world.model().ground.terrain();
/// assert_eq!(terrain.height(10.0, 0.0), 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_ground::terrain::Terrain;

/// Terrain, soils and the spacing of nodes.
///
/// ```
/// # use bekker::prelude::*;
/// use bekker::{grid::Lattice, soil::{Laws, SoilId, catalog}};
/// let clay = catalog().find("chrono_mid")?.to_soil();
/// let ground = GroundModel::new(
///     Lattice { spacing: 0.05 },
///     Terrain::flat(0.0, SoilId(0)),
///     vec![clay],
///     Laws::default(),
/// )?;
/// assert_eq!(ground.soils().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_ground::GroundModel;

/// A soil of the catalog.
///
/// ```
/// # use bekker::prelude::*;
/// use bekker::soil::catalog;
/// let sand: Soil = catalog().find("chrono_mid")?.to_soil();
/// assert_eq!(sand.name, "chrono_mid");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_ground::soil::Soil;

/// Replaces the pressure-sinkage curve of all soils.
///
/// ```
/// # use bekker::prelude::*;
/// # use std::path::Path;
/// # let file = ScenarioFile::read(Path::new("examples/single_vehicle.toml"), &[])?;
/// #[derive(Debug)]
/// struct Linear(f64);
/// impl SoilLaw for Linear {
///     fn name(&self) -> &str {
///         "linear"
///     }
///     fn pressure(&self, _soil: &Soil, sinkage: f64, _width: f64) -> Loading {
///         Loading { pressure: self.0 * sinkage, slope: self.0 }
///     }
/// }
/// let mut model = build::world(&file)?.world;
/// model.ground = model.ground.with_law(Linear(2e6));
/// let mut world = World::new(model);
/// world.advance();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_ground::soil::SoilLaw;

/// Answer of a soil law: pressure and its slope over sinkage.
///
/// ```
/// # use bekker::prelude::*;
/// let loading = Loading { pressure: 20e3, slope: 1e6 };
/// assert_eq!(loading.pressure / loading.slope, 0.02);
/// ```
///
#[doc(inline)]
pub use bekker_ground::soil::Loading;

/// Data sheet of a wheeled vehicle.
///
/// ```
/// # use bekker::prelude::*;
/// let hmmwv: VehicleSpec = bekker::vehicle::find_wheeled("hmmwv")?;
/// assert_eq!(hmmwv.axles.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_vehicle::VehicleSpec;

/// A wheeled vehicle assembled as a multibody system.
///
/// ```
/// # use bekker::prelude::*;
/// let hmmwv = Vehicle::new(bekker::vehicle::find_wheeled("hmmwv")?)?;
/// let state = hmmwv.state(&Pose::default());
/// assert_eq!((hmmwv.wheels(), hmmwv.wheel_spin(&state, 0)), (4, 0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_vehicle::Vehicle;

/// Data sheet of a tracked vehicle.
///
/// ```
/// # use bekker::prelude::*;
/// use bekker::vehicle::{AnySpec, find_vehicle};
/// let AnySpec::Tracked(m113) = find_vehicle("m113")? else { panic!("an M113 runs on tracks") };
/// let spec: TrackedSpec = *m113;
/// assert_eq!(spec.name, "M113");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_vehicle::TrackedSpec;

/// A tracked vehicle assembled as a multibody system.
///
/// ```
/// # use bekker::prelude::*;
/// use bekker::vehicle::{AnySpec, find_vehicle};
/// let AnySpec::Tracked(m113) = find_vehicle("m113")? else { panic!("an M113 runs on tracks") };
/// assert!(TrackedVehicle::new(*m113)?.mass() > 9e3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_vehicle::TrackedVehicle;

/// Driver of an agent: commands over time, or along a path.
///
/// ```
/// # use bekker::prelude::*;
/// # use std::path::Path;
/// # let file = ScenarioFile::read(Path::new("examples/single_vehicle.toml"), &[])?;
/// # let mut world = World::new(build::world(&file)?.world);
/// let driver: &Driver = &world.model().agents[0].driver;
/// assert!(driver.follower().is_some(), "this one follows a path");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_vehicle::driver::Driver;

/// A world shared by ranks, here one of them.
///
/// ```
/// # use bekker::prelude::*;
/// # use std::path::Path;
/// # let file = ScenarioFile::read(Path::new("examples/single_vehicle.toml"), &[])?;
/// use bekker::simulation::Sharing;
/// use bekker::sync::Loopback;
/// let model = build::world(&file)?.world;
/// let mut ranks = Ranks::new(Loopback::default(), model, None, &Sharing::default(), &[])?;
/// ranks.advance(false)?;
/// assert_eq!((ranks.rank(), ranks.size()), (0, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_ranks::Ranks;

/// How ranks exchange bytes: loopback, threads, TCP, DDS or MPI.
///
/// ```
/// # use bekker::prelude::*;
/// use bekker::sync::Loopback;
/// fn is_first(communicator: &impl Communicator) -> bool {
///     communicator.rank() == 0
/// }
/// assert!(is_first(&Loopback::default()));
/// ```
///
#[doc(inline)]
pub use bekker_sync::Communicator;

/// Reads a study and lists its trials.
///
/// ```
/// # use bekker::prelude::*;
/// # use std::path::Path;
/// let study = Study::read(Path::new("examples/study_tire_pressure.toml"))?;
/// assert_eq!((study.points(), study.trials()), (9, 72));
/// assert_eq!(study.trial(0).levels.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_study::design::Study;

/// Contents of a study file.
///
/// ```
/// # use bekker::prelude::*;
/// # use std::path::Path;
/// let config: StudyConfig = Study::read(Path::new("examples/study_tire_pressure.toml"))?.config;
/// assert_eq!(config.responses[0], "go");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_study::design::StudyConfig;

/// Reads a map file and looks up a point.
///
/// ```
/// # use bekker::prelude::*;
/// # use std::path::Path;
/// let text = r#"
///     format = 1
///     vehicle = { model = "hmmwv" }
///     soil = { default = "lean_clay_32_wes" }
///     terrain = { surface = { kind = "flat" } }
///     area = [-50, -50, 50, 50]
///     cell = 20
///     speed = 5
/// "#;
/// let map = MapFile::parse("flat.toml", text, Path::new("."), &[])?;
/// assert_eq!(map.soil_of(&map.cover([0.0, 0.0])).name, "lean_clay_32_wes");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_map::MapFile;

/// Runs episodes of a task.
///
/// ```
/// # use bekker::prelude::*;
/// use bekker::learning::{Levels, task};
/// use std::sync::Arc;
/// let levels = Levels::new(task("SlipSpeed")?, Options { levels: 1, ..Options::default() })?;
/// let mut env = Env::new(Arc::new(levels));
/// env.reset(Some(7), None)?;
/// let mut terms = vec![0.0; env.task().terms().len()];
/// let step = env.step(&vec![0.5; env.task().actions()], &mut terms)?;
/// assert!(!step.terminated);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_learning::Env;

/// Options common to all tasks.
///
/// ```
/// # use bekker::prelude::*;
/// let options = Options { soil: Some("mud".into()), difficulty: 0.0, ..Options::default() };
/// options.check()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_learning::Options;

/// A ground with a vehicle on it, drawn by its number.
///
/// ```
/// # use bekker::prelude::*;
/// use bekker::learning::{Levels, task};
/// let levels = Levels::new(task("SlipSpeed")?, Options::default())?;
/// let level = levels.get(3)?;
/// let drawn: &Level = &level;
/// assert_eq!((drawn.number, drawn.start.time()), (3, 0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
#[doc(inline)]
pub use bekker_learning::Level;

/// Position and orientation of a frame in the world.
///
/// ```
/// # use bekker::prelude::*;
/// let pose = Pose { position: Vec3::new(1.0, 2.0, 0.0), ..Pose::default() };
/// assert_eq!(pose.point(&Vec3::x()), Vec3::new(2.0, 2.0, 0.0));
/// ```
///
#[doc(inline)]
pub use bekker_math::spatial::Pose;

/// Vector in space.
///
/// ```
/// # use bekker::prelude::*;
/// assert_eq!(Vec3::x().cross(&Vec3::y()), Vec3::z());
/// ```
///
#[doc(inline)]
pub use bekker_math::spatial::Vec3;

/// Rotation in space.
///
/// ```
/// # use bekker::prelude::*;
/// let left = Quat::from_axis_angle(&Vec3::z_axis(), 90_f64.to_radians());
/// assert!((left * Vec3::x() - Vec3::y()).norm() < 1e-12);
/// ```
///
#[doc(inline)]
pub use bekker_math::spatial::Quat;
