//! The world: vehicles stepping in parallel on shared ground, heartbeat by
//! heartbeat.

mod record;

pub use record::{Outcome, RunSummary, Sample, VehicleSummary, WheelSample};
