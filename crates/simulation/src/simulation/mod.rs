//! The world: vehicles stepping in parallel on shared ground, heartbeat by
//! heartbeat.

mod agent;
mod apart;
mod autonomous;
mod autonomy_view;
mod batch;
mod belly;
pub mod checkpoint;
mod clock;
mod commanding;
mod controller;
mod diagnosis;
mod encounters;
mod endings;
mod energy_account;
mod event;
mod exploration;
mod external_driver;
mod firm_spring;
mod ground_vehicle;
mod handshake;
mod heard;
mod heartbeat_record;
mod hit;
mod homes;
mod hull_part;
mod imaging;
mod judging;
mod kept;
mod lying;
mod monitor;
mod neighbour;
mod obstacle;
mod on_tracks;
mod on_wheels;
mod otherwise;
mod outcome;
mod passing;
mod ploughing;
mod plume;
mod radio;
mod rank_error;
mod rank_part;
mod ranks;
mod record;
mod renderer;
mod respawning;
mod roadside;
mod runner;
mod scene;
mod scenery;
mod scratch_pool;
mod sealed;
mod sensing;
mod sight;
mod soundness;
mod state_hash;
mod state_part;
mod statics;
mod striking;
mod team;
mod thread_pool;
mod timings;
mod tyre;
mod visuals;
mod world;

pub use agent::{AgentModel, AgentState, Leader};
pub use apart::Aside;
pub use autonomous::{Autonomy, AutonomyState};
pub use autonomy_view::{AutonomyView, CellView};
pub use batch::Batch;
pub use checkpoint::CheckpointError;
pub use clock::{Clock, ClockError, decimal_seconds, whole_microseconds};
pub use commanding::{Command, CommandError, Steering};
pub use controller::{Asked, Call, CommandOrigin, Commanded, Controller, Shown};
pub use diagnosis::{Cause, Diagnosis, Spinning, WheelMean};
pub use encounters::TowLink;
pub use endings::{Endings, Immobility};
pub use event::{Event, TrailerEvent};
pub use exploration::{BlockedCell, Hole};
pub use external_driver::{ExternalDriver, Measured, Perception};
pub use ground_vehicle::{
    ContactContext, DriveWork, GroundVehicle, GroundVehicleError, GroundVehicleWorkspace,
};
pub use handshake::{Obstacle, agree, first_obstacle};
pub use heartbeat_record::HeartbeatRecord;
pub use hit::{Hit, Struck};
pub use monitor::Monitor;
pub use obstacle::{Obstacle as StandingObstacle, Obstacles};
pub use on_tracks::{OnTracks, TracksWorkspace};
pub use on_wheels::{OnWheels, WheelsWorkspace, tread, underside};
pub use outcome::{Failure, Outcome, OutcomeCode, OutcomeReport};
pub use radio::{
    Beacon, Bursts, Hazard, Heard, Message, PlatoonSummary, Radio, RadioNet, RadioSummary, Station,
};
pub use rank_error::RankError;
pub use ranks::{HeartbeatFigures, Ranks, Rebalancing, Route, Sharing};
pub use record::{
    ExplorationSummary, PacingSummary, RunSummary, RunWarning, Sample, TrailerSample, TyreSummary,
    VehicleSummary, WheelSample,
};
pub use respawning::Placement;
pub use roadside::{Approach, Boom, Light, Pedestrian, Phase, RoadUser, Timing, TrafficLight};
pub use runner::{Flow, Moment, Observer, RunError, Runner, Schedule};
pub use scene::{Form, ImportedMeshes, Prop, PropKind, SceneModel};
pub use scenery::strewn;
pub use soundness::StateError;
pub use state_hash::{NAMED_AGENTS, StateHash};
pub use state_part::{PartsError, StatePart};
pub use statics::Stand;
pub use team::{Assignment, Letter, Member, Parts, Sharing as MapSharing, Task, Team, Traffic};
pub use thread_pool::{
    PoolSize, ThreadError, ensure_global_pool, start_global_pool, start_workers, thread_pool,
};
pub use timings::{Part as TimedPart, Spent, Stopwatch, Timings};
pub use tyre::{TyreState, belt, ring};
pub use visuals::{VisualMeshes, drawn_hull};
pub use world::{World, WorldModel, WorldState, stand};
