//! Test rigs for soils, wheels, tracks and tires, with the classic theory for comparison.
//!
//! Every rig is a function from a plain description to a plain result. [`converge`] repeats it with
//! a finer spacing, a finer step and a longer run, and reports whether the result changed.
//! [`identify`] estimates soil parameters from measurements, [`drives`] from drives of a vehicle.
//!
//! This crate is a layer of the crate `bekker`, whose documentation has examples. `ARCHITECTURE.md`
//! describes the layers.

mod bench;
mod cone_index;
mod convergence;
mod deflection_relations;
pub mod drives;
mod fit;
pub mod identify;
mod in_parallel;
mod plate;
mod plot_panel;
mod rigid_track;
mod shear;
mod slip;
mod slip_angle_theory;
mod snow_theory;
mod tire;
mod track;
mod track_theory;
mod tracked_drive;
mod trafficability;
mod wheel;
mod wheel_theory;
mod work_terms;

pub use bench::{
    BenchCase, BenchError, Grouping, Stages, StepCost, Throughput, bench_world, deformed_ground,
    memory_in_circles, step_cost, throughput,
};
pub use cone_index::{
    ConeIndexGear, ConeIndexVehicle, FineGrainedSoil, PSI, TrackDimensions, WheelDimensions,
    loaded_tire, plate_deflection,
};
pub use convergence::{Convergence, Refinement, Rig, converge};
pub use deflection_relations::{DeflectionRelation, LoadedTire, vehicle_cone_index_factor};
pub use fit::{FitError, ILL_CONDITIONED, ParameterEstimate};
pub use in_parallel::InParallel;
pub use plate::{PlateResult, PlateRig, SinkagePoint};
pub use plot_panel::{LineStyle, PlotLine, PlotPanel};
pub use rigid_track::{RigidTrackResult, RigidTrackRig};
pub use shear::{ShearPoint, ShearResult, ShearRig};
pub use slip::rim_speed;
pub use slip_angle_theory::{SlipAngleForces, slip_angle_forces};
pub use snow_theory::{
    SnowBase, WinterSurface, packed_density, packed_rut_depth, wheel_resistance,
};
pub use tire::{RESOLVED, TireResult, TireRig};
pub use track::{TrackMotion, TrackResult, TrackRig};
pub use track_theory::RigidTracks;
pub use tracked_drive::TrackedDrive;
pub use trafficability::Trafficability;
pub use wheel::{RigError, WheelResult, WheelRig, WheelRigMotion, flat_bed};
pub use wheel_theory::{DrivenWheel, LoadedArc, RigidWheel, WongReece};
pub use work_terms::WorkTerms;
