//! Studies: the classic soil tests and what is made of them.
//!
//! Every rig is a function from a plain description to a plain result, and
//! [`converge`] repeats it on a finer and longer set-up and says whether the
//! result moved. A [`design`] is many runs of one scenario, [`statistics`] what is said of them.
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

mod absorbed_power;
pub mod analysis;
mod bench;
mod convergence;
mod deflection_relations;
pub mod design;
mod exchange;
mod fit;
#[cfg(feature = "gpu")]
mod gpu_cost;
pub mod identify;
mod in_parallel;
pub mod map;
pub mod mobility;
mod plate;
mod rendering;
mod rigid_track;
pub mod route;
mod scaling;
mod scaling_cost;
mod shear;
mod slip;
mod slip_angle_theory;
mod snow_theory;
mod soil_works;
pub mod statistics;
pub mod swarm;
mod track;
mod track_theory;
mod tracked_bench;
mod tracked_drive;
mod tyre;
pub mod validation;
pub mod vehicle_sheet;
mod wheel;
mod wheel_theory;

pub use absorbed_power::absorbed_power;
pub use bench::{
    BenchCase, BenchError, Grouping, Stages, StepCost, Throughput, circling, ploughed, step_cost,
    throughput,
};
pub use convergence::{Convergence, Refinement, Rig, converge};
pub use deflection_relations::{DeflectionRelation, LoadedTyre, vehicle_cone_index_factor};
pub use exchange::{
    CodeCost, HeartbeatCost, Traffic, TrafficModel, code_cost, heartbeat_cost, traffic,
};
pub use fit::{Estimate, FitError, ILL_CONDITIONED};

#[cfg(feature = "gpu")]
pub use gpu_cost::{FrameCost, GpuCost, gpu_cost};
pub use plate::{PlatePoint, PlateResult, PlateRig};
pub use rendering::{
    Exported, GroundRays, SceneCost, WoodScan, ground_rays, scene_cost, wood_scan,
};
pub use rigid_track::{RigidTrackResult, RigidTrackRig};
pub use scaling::{Footing, Formation, ScalingCase, ScalingDrive, ScalingError};
pub use scaling_cost::{Counts, DriveCost, Network};
pub use shear::{ShearPoint, ShearResult, ShearRig};
pub use slip::rim_speed;
pub use slip_angle_theory::{SlipAngleForces, at_slip_angle};
pub use snow_theory::{SnowBase, Winter, packed_density, packing, wheel_resistance};
pub use soil_works::SoilWorks;
pub use track::{TrackMotion, TrackResult, TrackRig};
pub use track_theory::RigidTracks;
pub use tracked_bench::{EnergyBalance, ShoeCost, energy_balance, shoe_cost, with_shoes};
pub use tracked_drive::TrackedDrive;
pub use tyre::{RESOLVED, TyreResult, TyreRig};
pub use wheel::{RigError, WheelMotion, WheelResult, WheelRig};
pub use wheel_theory::{Bearing, DrivenWheel, RigidWheel, WongReece};
