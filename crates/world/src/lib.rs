//! Many vehicles on shared ground: heartbeats, imaging, checkpoints, commands.
//!
//! This is a layer of the crate `bekker`, whose documentation starts with examples;
//! `ARCHITECTURE.md` describes the layers.

mod autonomy_view;
mod batch;
pub mod checkpoint;
mod commanding;
mod controller;
mod each_own;
mod exploration;
mod external_driver;
mod heartbeat_record;
mod held_speed;
mod hole;
mod imagers;
mod imaging;
mod pending_frame;
mod perceiving;
mod plume;
mod radio_exchange;
mod radio_summaries;
mod rank_access;
mod renderer;
mod respawning;
mod roadside_visual;
mod run_summary;
mod scene;
mod scenery;
mod scratch_pool;
mod seat;
mod sight;
mod soundness;
mod state_hash;
mod state_part;
mod team_exchange;
mod thread_pool;
mod vehicle_messages;
mod visuals;
mod world;
mod world_model;

pub use autonomy_view::{AutonomyView, CellView};
pub use batch::Batch;
pub use checkpoint::CheckpointError;
pub use commanding::{Command, CommandError, Steering};
pub use controller::{Asked, Call, CommandOrigin, Commanded, Controller, Shown};
pub use exploration::BlockedCell;
pub use external_driver::{ExternalDriver, Measured, Perception};
pub use heartbeat_record::{HeartbeatRecord, sort_deliveries};
pub use held_speed::HeldSpeed;
pub use hole::Hole;
pub use rank_access::RankAccess;
pub use respawning::Placement;
pub use run_summary::{ExplorationSummary, PacingSummary, RunSummary, RunWarning};
pub use scene::{ImportedMeshes, SceneModel, VisibleWorld};
pub use scenery::strewn;
pub use seat::{OnTimeout, Seat};
pub use sight::lookers;
pub use soundness::StateError;
pub use state_hash::{AgentsDigest, NAMED_AGENTS, StateHash, combined_hash};
pub use state_part::{PartsError, StatePart, Tiles};
pub use team_exchange::Pair;
pub use thread_pool::{
    PoolSize, ThreadError, ensure_global_pool, start_global_pool, start_workers, thread_pool,
};
pub use visuals::{VisualMeshes, drawn_hull};
pub use world::{FastestMotion, Wear, World};
pub use world_model::{WorldModel, WorldState};
