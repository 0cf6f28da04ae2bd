//! Vehicles on ground that gives way.
//!
//! A wheel sinks into soil, leaves a rut, and the next vehicle drives in it. This
//! crate computes that with the Soil Contact Model (Bekker–Wong pressure and
//! sinkage, Janosi–Hanamoto shear) under multibody vehicles, bit for bit the same
//! on any number of threads.
//!
//! # A vehicle, a soil, ten heartbeats
//!
//! A [`simulation::World`] is an immutable model (ground, clock, vehicles with
//! drivers) and a plain state that [`advance`](simulation::World::advance) takes
//! through one heartbeat. A scenario is the shortest way to one:
//!
//! ```
//! use bekker::scenario::{ScenarioFile, build};
//! use bekker::simulation::World;
//! use std::path::Path;
//!
//! let text = r#"
//!     format = 1
//!     name = "a_first_metre"
//!     time = { duration = 1.0 }
//!     soil = { default = "chrono_mid" }
//!     [[vehicle]]
//!     name = "lone"
//!     model = "hmmwv"
//!     position = [0, 0]
//!     driver = { kind = "path", speed = 3, waypoints = [[0, 0], [50, 0]] }
//! "#;
//! let file = ScenarioFile::parse("first.toml", text, Path::new("."), &[])?;
//! let mut world = World::new(build::world(&file)?.world);
//! while world.time() < 0.5 {
//!     world.advance();
//! }
//! let lone = world.samples().next().unwrap();
//! assert!(lone.wheels.iter().all(|wheel| wheel.sinkage > 0.01), "it stands in its ruts");
//! # Ok::<(), bekker::scenario::Faults>(())
//! ```
//!
//! # From a program
//!
//! What Python, studies and live control are built on, each with an example in `examples/`:
//!
//! - **A run** ([`Runner`](simulation::Runner)) from its start to its end tells
//!   [observers](simulation::Observer) of every heartbeat, of samples, readings, hashes and
//!   checkpoints; the record on disk is one ([`report::recorder`]). `examples/own_sensor.rs`
//!   is another: a profilometer that stops the run.
//! - **A driver of one's own** ([`ExternalDriver`](simulation::ExternalDriver)) sees what its
//!   vehicle's sensors measure, no more, and gives [commands](simulation::Command), steering
//!   by a share or an angle: `examples/own_driver.rs`.
//! - **A world by hand**: [`World`](simulation::World) takes
//!   [commands](simulation::World::command), goes [back](simulation::World::restore) to any of
//!   its states, puts vehicles [elsewhere](simulation::World::respawn), settled; none of these
//!   builds the model again. `examples/episodes.rs` is a loop with resets.
//! - **Many worlds** over one model ([`Batch`](simulation::Batch)) go on beside one another:
//!   `examples/ten_futures.rs` is a planner. Scenarios that are built with the same
//!   [`Parts`](scenario::build::Parts) decode an elevation model and assemble a vehicle once.
//! - **Reading** between heartbeats: [samples](simulation::World::sample_into) without
//!   allocation, [contacts](simulation::World::contacts) of every wheel and shoe,
//!   [events](simulation::World::events), what sensors
//!   [delivered](simulation::World::delivered), [heights](simulation::World::height) and
//!   [ruts](simulation::World::rut_depth), also [over a grid](simulation::World::heights).
//! - **A soil law of one's own** ([`SoilLaw`](soil::SoilLaw)) takes the place of Bekker's curve,
//!   node by node: `examples/own_soil_law.rs`.
//! - **Endings** are the caller's: [`Endings`](simulation::Endings), `[endings]` in a scenario.
//! - **A scenario** is a value too: [`ScenarioFile::of`](scenario::ScenarioFile::of) checks
//!   one that a program has made, [`to_toml`](scenario::Scenario::to_toml) writes it.
//!
//! # Layers
//!
//! A module uses only those below it; `ARCHITECTURE.md` is the map and
//! `tests/layering.rs` holds the code to it. Each row or two is a crate of its own, so that
//! they are compiled beside one another; this crate shows them all.
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
//! | feature | what it adds |
//! | --- | --- |
//! | (none) | worlds, scenarios and studies: pure Rust, no system library |
//! | `report` | tables, pictures, Parquet, GeoTIFF and MCAP ([`report`]) |
//! | `link` | controllers and observers from outside, over sockets ([`link`]) |
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
        AgentModel, AgentState, Approach, Aside, Assignment, Autonomy, AutonomyState, Beacon, Boom,
        Bursts, Cause, Clock, ClockError, ContactContext, Diagnosis, DriveWork, Endings, Event,
        Failure, Form, GroundVehicle, GroundVehicleError, GroundVehicleWorkspace, Hazard, Heard,
        Hit, Immobility, Leader, Letter, Light, MapSharing, Member, Message, Monitor, Obstacles,
        OnTracks, OnWheels, Outcome, OutcomeCode, OutcomeReport, Parts, Pedestrian, Phase,
        PlatoonSummary, Prop, PropKind, Radio, RadioNet, RadioSummary, RoadUser, Sample, Spent,
        Spinning, Stand, StandingObstacle, Station, Stopwatch, Struck, Task, Team, TimedPart,
        Timing, Timings, TowLink, TracksWorkspace, Traffic, TrafficLight, TrailerEvent,
        TrailerSample, TyreState, TyreSummary, VehicleSummary, WheelMean, WheelSample,
        WheelsWorkspace, belt, decimal_seconds, ring, stand, tread, underside, whole_microseconds,
    };
    #[doc(inline)]
    pub use bekker_ranks::{
        Flow, HeartbeatFigures, Moment, Observer, Obstacle, RankError, Ranks, Rebalancing, Route,
        RunError, Runner, Schedule, Sharing, agree, first_obstacle,
    };
    #[doc(inline)]
    pub use bekker_world::checkpoint;
    #[doc(inline)]
    pub use bekker_world::{
        Asked, AutonomyView, Batch, BlockedCell, Call, CellView, CheckpointError, Command,
        CommandError, CommandOrigin, Commanded, Controller, ExplorationSummary, ExternalDriver,
        HeartbeatRecord, Hole, ImportedMeshes, Measured, NAMED_AGENTS, OnTimeout, PacingSummary,
        PartsError, Perception, Placement, PoolSize, RunSummary, RunWarning, SceneModel, Seat,
        Shown, StateError, StateHash, StatePart, Steering, ThreadError, VisibleWorld, VisualMeshes,
        World, WorldModel, WorldState, drawn_hull, ensure_global_pool, start_global_pool,
        start_workers, strewn, thread_pool,
    };
}
