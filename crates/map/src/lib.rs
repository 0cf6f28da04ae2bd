//! Maps of where a vehicle goes and how fast, with what is uncertain of soil and heights.
//!
//! A [`MapFile`] says which vehicle, which ground and what is uncertain. For each soil with what covers it ([`Cover`]) the
//! vehicle is driven in full physics over planes until its speed is steady ([`Driver`]); its [`Table`] is asked for every
//! cell, direction and draw, or every cell is driven itself ([`Drives`]). Nothing here opens a
//! file but the map's own.
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

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
