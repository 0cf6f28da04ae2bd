//! Off-road vehicles on deformable terrain, bit-for-bit repeatable.
//!
//! The ground deforms by the Soil Contact Model: Bekker–Wong pressure and sinkage, Janosi–Hanamoto
//! shear. Vehicles are multibody systems on wheels or tracks. A wheel leaves a rut, and the next
//! vehicle drives in it. Results have the same bits on any number of threads and ranks.
//!
//! # First steps
//!
//! A [`World`](simulation::World) is an immutable model (ground, clock, vehicles with drivers) and
//! a plain state. [`advance`](simulation::World::advance) steps it by one heartbeat. The shortest way
//! to a world is a scenario:
//!
//! ```
//! use bekker::prelude::*;
//! use std::path::Path;
//!
//! let text = r#"
//!     format = 1
//!     name = "first_meters"
//!     time = { duration = 1.0 }
//!     soil = { default = "chrono_mid" }
//!     [[vehicle]]
//!     name = "lead"
//!     model = "hmmwv"
//!     position = [0, 0]
//!     driver = { kind = "path", speed = 3, waypoints = [[0, 0], [50, 0]] }
//! "#;
//! let file = ScenarioFile::parse("first.toml", text, Path::new("."), &[])?;
//! let mut world = World::new(build::world(&file)?.world);
//! while world.time() < 0.5 {
//!     world.advance();
//! }
//! let lead = world.samples().next().unwrap();
//! assert!(lead.wheels.iter().all(|wheel| wheel.sinkage > 0.01), "all wheels are in ruts");
//! # Ok::<(), Diagnostics>(())
//! ```
//!
//! # Tour
//!
//! 1. **Run and observe.** A [`Runner`](simulation::Runner) drives a scenario to its end and calls
//!    [`Observer`](simulation::Observer)s at heartbeats, samples, readings and checkpoints. The record
//!    on disk is one of them ([`report::recorder`]). `examples/own_sensor.rs` is a profilometer that
//!    stops the run.
//! 2. **Drive.** An [`ExternalDriver`](simulation::ExternalDriver) receives the readings of its
//!    vehicle's sensors and returns [`Command`](simulation::Command)s: `examples/own_driver.rs`,
//!    `examples/lidar_car.rs`.
//! 3. **Reset and branch.** [`World::command`](simulation::World::command) drives a vehicle,
//!    [`World::restore`](simulation::World::restore) returns to a state, and
//!    [`World::respawn`](simulation::World::respawn) places a vehicle again, without building the model
//!    again: `examples/episodes.rs`. A [`WorldBatch`](simulation::WorldBatch) steps many worlds over one model in
//!    parallel: `examples/ten_futures.rs`.
//! 4. **Read.** Between heartbeats a world gives
//!    [samples](simulation::World::sample_into) without allocation,
//!    [contacts](simulation::World::contacts) of every wheel and shoe,
//!    [events](simulation::World::events), [sensor readings](simulation::World::delivered), and
//!    [heights](simulation::World::heights) and [rut depths](simulation::World::rut_depth).
//! 5. **Change the soil.** A [`SoilLaw`](soil::SoilLaw) replaces Bekker's pressure–sinkage curve:
//!    `examples/own_soil_law.rs`.
//! 6. **Generate scenarios.**
//!    [`ScenarioFile::from_scenario`](scenario::ScenarioFile::from_scenario) checks a scenario made
//!    by a program; [`Scenario::to_toml`](scenario::Scenario::to_toml) writes it. Scenarios built
//!    with the same [`AssetCache`](scenario::build::AssetCache) share elevation models and
//!    vehicles.
//! 7. **Study.** [`rig`] tests a wheel, a track or a plate, [`mobility`] runs standard events,
//!    [`study`] designs many runs, [`map`] computes where a vehicle goes, [`learning`] has environments
//!    for reinforcement learning.
//!
//! [`prelude`] has the names that most programs need.
//!
//! # Layers
//!
//! A crate uses only those below it. `ARCHITECTURE.md` has the map, and `tests/layering.rs` checks it.
//!
//! | layer | modules |
//! | --- | --- |
//! | L0 | [`numeric`], [`spatial`], [`geodesy`], [`curve`], [`grid`], [`random`] |
//! | L1 | [`soil`], [`terrain`] |
//! | L2 | [`ground`], [`scm`], [`collision`], [`multibody`] |
//! | L3 | [`vehicle`] |
//! | L4 | [`sync`], [`sensor`], [`autonomy`] |
//! | L5 | [`simulation`] (agents, worlds, ranks) |
//! | L6 | [`scenario`], [`chrono_import`] |
//! | L7 | [`rig`], [`mobility`], [`study`], [`map`], [`learning`], [`link`], `ros2`, [`fmu`], [`report`] |
//! | L8 | [`cli`] |
//!
//! # Features
//!
//! | feature | addition |
//! | --- | --- |
//! | (none) | worlds, scenarios and studies: pure Rust, no system library |
//! | `report` | tables, pictures, Parquet, GeoTIFF and MCAP ([`report`]) |
//! | `link` | external controllers and observers, over sockets ([`link`]) |
//! | `cli` (default) | the command `bekker` ([`cli`]), with `report` and `link` |
//! | `allocations` | `bekker bench` counts heap allocations |
//! | `mpi` | ranks over MPI: needs an MPI and libclang to build |
//! | `dds` | ranks over DDS |
//! | `ros2` | runs among nodes of ROS 2 (`ros2`) |
//! | `gpu` | cameras and lidars on a graphics card, through Vulkan |
//!
//! # Conventions
//!
//! SI units and radians throughout; ISO 8855 axes (x forward, y left, z up);
//! the world frame is east-north-up.
#[cfg(feature = "cli")]
pub mod cli;
pub mod prelude;

#[doc(inline)]
pub use bekker_autonomy as autonomy;
#[doc(inline)]
pub use bekker_chrono_import as chrono_import;
#[doc(inline)]
#[cfg(feature = "cli")]
pub use bekker_fmu as fmu;
#[doc(inline)]
pub use bekker_ground as ground;
#[doc(inline)]
pub use bekker_ground::{scm, soil, terrain};
#[doc(inline)]
pub use bekker_learning as learning;
#[doc(inline)]
#[cfg(feature = "link")]
pub use bekker_link as link;
#[doc(inline)]
pub use bekker_map as map;
#[doc(inline)]
pub use bekker_math::{curve, geodesy, grid, numeric, random, spatial};
#[doc(inline)]
pub use bekker_mobility as mobility;
#[doc(inline)]
#[cfg(feature = "report")]
pub use bekker_report as report;
#[doc(inline)]
pub use bekker_rig as rig;
#[doc(inline)]
#[cfg(feature = "ros2")]
pub use bekker_ros2 as ros2;
#[doc(inline)]
pub use bekker_scenario as scenario;
#[doc(inline)]
pub use bekker_sensor as sensor;
#[doc(inline)]
#[cfg(feature = "gpu")]
pub use bekker_sensor::gpu;
#[doc(inline)]
pub use bekker_study as study;
#[doc(inline)]
pub use bekker_sync as sync;
#[doc(inline)]
pub use bekker_vehicle as vehicle;
#[doc(inline)]
pub use bekker_vehicle::{collision, multibody};
#[doc(inline)]
#[cfg(feature = "cli")]
pub use bekker_view as view;

#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../docs/howto/from_rust.md")]
    struct FromRust;
    #[doc = include_str!("../docs/sensors.md")]
    struct Sensors;
}

/// Vehicles on shared ground: agents, worlds, ranks, runs.
pub mod simulation {
    #[doc(inline)]
    pub use bekker_agent::{
        AgentModel, AgentState, AnyVehicle, Approach, Assignment, Autonomy, AutonomyState,
        BarrierArm, Beacon, Bursts, Cause, Clock, ClockError, Collision, CollisionTarget,
        ContactContext, ContactWorkspace, Diagnosis, DriveWork, Endings, Event, GroundVehicle,
        GroundVehicleError, GroundVehicleWorkspace, Hazard, Immobility, Leader, MapSharing,
        MessageCounters, Monitor, MotorSample, Obstacles, Outcome, OutcomeCode, OutcomeReport,
        Pedestrian, PhaseTime, PlatoonSummary, PropForm, PropKind, Radio, RadioMessage, RadioNet,
        RadioStation, RadioSummary, ReceivedMessage, RoadUser, Sample, SceneryObject,
        SearchPartition, SecondThreadScratch, SignalColor, SignalPhase, Spinning, StartCondition,
        StateFailure, StaticObstacle, Stopwatch, Team, TeamMember, TeamTask, TileMessage,
        TimedPhase, Timing, Timings, TireContactState, TireSummary, TowLink, TrackedGroundVehicle,
        TracksWorkspace, TrafficLight, TrailerEvent, TrailerSample, VehicleProperties,
        VehicleSummary, WheelMean, WheelMotorRecord, WheelSample, WheeledGroundVehicle,
        WheelsWorkspace, belt, decimal_seconds, resting_pose, ring, tread, underside,
        whole_microseconds,
    };
    #[doc(inline)]
    pub use bekker_ranks::{
        Flow, HeartbeatInfo, HeartbeatMetrics, MessageRoute, Observer, RankError, Ranks,
        Rebalancing, RootHeartbeat, RunError, RunSchedule, Runner, Sharing, StartupError, agree,
        first_startup_error,
    };
    #[doc(hidden)]
    pub use bekker_world::RankAccess;
    #[doc(inline)]
    pub use bekker_world::checkpoint;
    #[doc(inline)]
    pub use bekker_world::{
        AutonomyView, BlockedCell, CellView, CheckpointError, Command, CommandError, CommandOrigin,
        CommandRecord, Controller, ControllerRequest, ControllerView, ExplorationSummary,
        ExternalDriver, ExternalVehicle, HeartbeatRecord, Hole, ImportedMeshes, Measurement,
        NAMED_AGENTS, OnTimeout, PacingSummary, PartsError, Perception, PoolSize, RunSummary,
        RunWarning, SceneModel, StateError, StateHash, StatePart, SteeringCommand, ThreadError,
        VehiclePlacement, ViewRequest, VisibleWorld, VisualMeshes, World, WorldBatch, WorldModel,
        WorldState, drawn_hull, ensure_global_pool, scatter_props, start_global_pool,
        start_workers, thread_pool,
    };
}
