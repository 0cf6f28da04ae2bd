//! The world: vehicles stepping in parallel on shared ground, heartbeat by
//! heartbeat.

mod agent;
pub mod checkpoint;
mod clock;
mod handshake;
mod looking;
mod looks;
mod monitor;
mod mover;
mod neighbour;
mod on_tracks;
mod on_wheels;
mod plume;
mod rank_error;
mod ranks;
mod record;
mod scene;
mod scenery;
mod sensing;
mod sight;
mod world;

pub use agent::{AgentModel, AgentState};
pub use checkpoint::CheckpointError;
pub use clock::{Clock, ClockError};
pub use looks::OwnLook;
pub use monitor::Monitor;
pub use mover::{DriveWork, Meeting, Mover, MoverWorkspace};
pub use on_tracks::{OnTracks, TracksWorkspace};
pub use on_wheels::{OnWheels, WheelsWorkspace};
pub use rank_error::RankError;
pub use ranks::{BeatFigures, Ranks, Route, Sharing};
pub use record::{Outcome, RunSummary, Sample, VehicleSummary, WheelSample};
pub use scene::{Foreign, Form, Prop, PropKind, Stage};
pub use scenery::strewn;
pub use world::{World, WorldModel, WorldState, stand};
