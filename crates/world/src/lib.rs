//! Many vehicles on shared ground: heartbeats, imaging, checkpoints, commands.
//!
//! This is a layer of the crate `bekker`, whose documentation starts with examples;
//! `ARCHITECTURE.md` describes the layers.

mod agent_slices;
mod autonomy_perception;
mod autonomy_view;
mod batch;
pub mod checkpoint;
mod command;
mod controller;
mod exploration;
mod external_driver;
mod external_vehicle;
mod heartbeat_record;
mod hole;
mod imagers;
mod imaging;
mod pending_frame;
mod plume;
mod radio_exchange;
mod radio_summaries;
mod rank_access;
mod renderer;
mod respawn;
mod roadside_visual;
mod run_summary;
mod scene;
mod scenery;
mod scratch_pool;
mod sight_range;
mod speed_hold;
mod state_hash;
mod state_part;
mod state_validation;
mod team_exchange;
mod thread_pool;
mod vehicle_messages;
mod visuals;
mod world;
mod world_model;

pub use autonomy_view::{AutonomyView, CellView};
pub use batch::WorldBatch;
pub use checkpoint::CheckpointError;
pub use command::{Command, CommandError, SteeringCommand};
pub use controller::{
    CommandOrigin, CommandRecord, Controller, ControllerRequest, ControllerView, ViewRequest,
};
pub use exploration::BlockedCell;
pub use external_driver::{ExternalDriver, Measurement, Perception};
pub use external_vehicle::{ExternalVehicle, OnTimeout};
pub use heartbeat_record::{HeartbeatRecord, sort_deliveries};
pub use hole::Hole;
pub use rank_access::RankAccess;
pub use respawn::VehiclePlacement;
pub use run_summary::{ExplorationSummary, PacingSummary, RunSummary, RunWarning};
pub use scene::{ImportedMeshes, SceneModel, VisibleWorld};
pub use scenery::scatter_props;
pub use sight_range::sight_ranges;
pub use speed_hold::SpeedHold;
pub use state_hash::{AgentsDigest, NAMED_AGENTS, StateHash, combined_hash};
pub use state_part::{PartsError, StatePart, Tiles};
pub use state_validation::StateError;
pub use team_exchange::AgentPair;
pub use thread_pool::{
    PoolSize, ThreadError, ensure_global_pool, start_global_pool, start_workers, thread_pool,
};
pub use visuals::{VisualMeshes, drawn_hull};
pub use world::{MotionBounds, SharedObstacleChanges, World};
pub use world_model::{WorldModel, WorldState};
