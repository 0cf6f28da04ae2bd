//! Studies: many runs of one scenario, and what is said of them.
//!
//! A [`design`] says which runs, [`statistics`] and [`analysis`] what comes of them; [`swarm`] models how swarms
//! find what they look for.
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

pub mod analysis;
pub mod design;
mod exchange;
#[cfg(feature = "gpu")]
mod gpu_cost;
mod rendering;
mod scaling;
mod scaling_cost;
pub mod statistics;
pub mod swarm;
mod tracked_bench;

pub use exchange::{
    CodeCost, HeartbeatCost, Traffic, TrafficModel, code_cost, heartbeat_cost, traffic,
};
#[cfg(feature = "gpu")]
pub use gpu_cost::{FrameCost, GpuCost, gpu_cost};
pub use rendering::{
    Exported, GroundRays, SceneCost, WoodScan, ground_rays, scene_cost, wood_scan,
};
pub use scaling::{Footing, Formation, ScalingCase, ScalingDrive, ScalingError};
pub use scaling_cost::{Counts, DriveCost, Network};
pub use tracked_bench::{EnergyBalance, ShoeCost, energy_balance, shoe_cost, with_shoes};
