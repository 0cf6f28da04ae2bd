//! Mobility maps: where a vehicle can go and how fast, with uncertain soil and heights.
//!
//! A [`MapFile`] specifies the vehicle, the ground and the uncertainties. For each [`GroundCover`],
//! the vehicle is driven in full physics over planes until its speed is steady
//! ([`CrossingDriver`]). The resulting [`SpeedTable`] is evaluated for every cell, direction and draw.
//! Alternatively every cell itself is driven ([`DrivePlan`]). This crate opens no file except the
//! map file and those that it names.
//!
//! This crate is a layer of the crate `bekker`, whose documentation has examples. `ARCHITECTURE.md`
//! describes the layers.

mod audit;
mod cell_metrics;
mod cell_passage;
mod cells;
mod closure;
mod conditions;
mod cone_index;
mod cone_index_config;
mod config;
mod cover;
mod crossing;
mod crossing_driver;
mod drive_plan;
mod drive_scenario;
mod evaluation;
mod layers;
mod map_checks;
mod map_file;
mod map_route;
mod nrmm_agreement;
pub mod route;
mod route_scenario;
mod speed_observers;
mod strength;
mod table;
mod uscs;
mod uscs_soils;
mod walls;

pub use audit::{Audit, AuditedDrive, CONFIDENCE, audit};
pub use cell_metrics::{CellMetrics, CellTrafficability, Reason};
pub use cell_passage::CellPassage;
pub use cells::{Cells, Quadric, quadrics, slope_deviation};
pub use closure::{CellClosure, closures};
pub use conditions::{Conditions, FrostLayer, Layer, Ridges, SnowLayer, Stems};
pub use cone_index::{ConeIndexLayer, NrmmCell, NrmmVehicle};
pub use cone_index_config::{ConeIndexConfig, UscsSoil};
pub use config::{
    BarrierCrossing, BarrierKind, ElevationError, MapBarrier, MapConfig, MappedVehicle, Strength,
    TableConfig,
};
pub use cover::GroundCover;
pub use crossing::{Crossing, CrossingEnd, MIN_STEADY_SPEED};
pub use crossing_driver::{CrossingDriver, DriveThreads, DrivingError};
pub use drive_plan::DrivePlan;
pub use evaluation::{
    CoverData, EvaluationParams, MapGround, bar_reason, evaluate, evaluate_directions,
};
pub use map_file::{MapFile, VEHICLE, schema};
pub use map_route::{MapRoute, Obstruction, RouteAim, best_route, obstructions};
pub use nrmm_agreement::NrmmAgreement;
pub use route_scenario::RouteScenario;
pub use table::{InterpolatedCurve, InterpolationIndex, SpeedTable, TableAxes, TableColumn};
pub use uscs::UscsClass;
