//! The world: vehicles stepping in parallel on shared ground, heartbeat by
//! heartbeat.

mod agent;
mod belly;
pub mod checkpoint;
mod clock;
mod diagnosis;
mod handshake;
mod judging;
mod looking;
mod looks;
mod monitor;
mod mover;
mod neighbour;
mod on_tracks;
mod on_wheels;
mod outcome;
mod plume;
mod rank_error;
mod ranks;
mod record;
mod scene;
mod scenery;
mod sealed;
mod sensing;
mod sight;
mod soundness;
mod statics;
mod world;

pub use agent::{AgentModel, AgentState, Leader};
pub use checkpoint::CheckpointError;
pub use clock::{Clock, ClockError};
pub use diagnosis::{Cause, Diagnosis, Spinning, WheelMean};
pub use handshake::{Obstacle, first_obstacle};
pub use looks::OwnLook;
pub use monitor::Monitor;
pub use mover::{DriveWork, Meeting, Mover, MoverWorkspace};
pub use on_tracks::{OnTracks, TracksWorkspace};
pub use on_wheels::{OnWheels, WheelsWorkspace};
pub use outcome::{Failure, Outcome, OutcomeCode, OutcomeReport};
pub use rank_error::RankError;
pub use ranks::{BeatFigures, Ranks, Route, Sharing};
pub use record::{RunSummary, RunWarning, Sample, VehicleSummary, WheelSample};
pub use scene::{Foreign, Form, Prop, PropKind, Stage};
pub use scenery::strewn;
pub use statics::Stand;
pub use world::{World, WorldModel, WorldState, stand};
