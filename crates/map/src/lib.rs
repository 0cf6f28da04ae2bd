//! Mobility maps: where a vehicle can go and how fast, with uncertain soil and heights.
//!
//! A [`MapFile`] specifies the vehicle, the ground and the uncertainties. For each [`Cover`], the
//! vehicle is driven in full physics over planes until its speed is steady ([`Driver`]). The
//! resulting [`Table`] is evaluated for every cell, direction and draw. Alternatively every cell
//! itself is driven ([`Drives`]). This crate opens no file except the map file and those that it
//! names.
//!
//! This crate is a layer of the crate `bekker`, whose documentation has examples. `ARCHITECTURE.md`
//! describes the layers.

mod along;
mod asking;
mod audit;
mod barred;
mod conditions;
mod config;
mod cover;
mod crossing;
mod driven;
mod driving;
mod figures;
mod layers;
mod map_file;
mod relief;
pub mod route;
mod steady;
mod strength;
mod table;
mod walls;
mod way;

pub use along::WayScenario;
pub use asking::{Ground, Known, Question, bar_reason, figures, going};
pub use audit::{Audit, Audited, CONFIDENCE, audit};
pub use barred::{Closure, barred};
pub use conditions::{Conditions, FrostLayer, Layer, Ridges, SnowLayer, Stems};
pub use config::{
    Barrier, BarrierKind, ElevationError, MapConfig, MappedVehicle, Strength, TableConfig,
};
pub use cover::Cover;
pub use crossing::{Crossing, End, SLOWEST};
pub use driven::Drives;
pub use driving::{Driver, DrivingError, Threads};
pub use figures::{CellFigures, Going, Reason};
pub use map_file::{MapFile, VEHICLE, schema};
pub use relief::{Cells, Quadric, quadrics, slope_deviation};
pub use table::{Axes, Between, Column, Mixed, Table};
pub use way::{Aim, MapWay, Obstruction, best_way, obstructions};
