//! Autonomous driving: sensor readings in, throttle, steering and brake out.
//!
//! Each module can be used alone. It is an immutable model, with its state as plain data:
//! - [`localization`]: estimates the pose of the vehicle;
//! - [`elevation_map`]: the map that scans are registered into;
//! - [`obstacles`] and [`costs`]: classify its cells and assign costs to them;
//! - [`astar`] and [`smoothing`]: the route over the costs;
//! - [`spline`]: the local path;
//! - [`right_of_way`] and [`shared_goals`]: other vehicles in motion, and other vehicles at the
//!   goal;
//! - [`tracking`]: throttle, steering and brake;
//! - [`recovery`]: maneuvers of a stuck vehicle.
//!
//! The [`Navigator`] combines them. The crate uses neither clocks nor threads: the same readings in
//! the same order give the same commands.
//!
//! `docs/autonomy.md` describes algorithms, parameters and limitations.
//!
//! This is a layer of the crate `bekker`, whose documentation starts with examples;
//! `ARCHITECTURE.md` maps all layers.

mod area;
pub mod astar;
mod body;
pub mod costs;
pub mod elevation_map;
pub mod localization;
mod navigator;
pub mod obstacles;
mod plan;
#[cfg(test)]
mod proving_ground;
pub mod recovery;
pub mod right_of_way;
pub mod shared_goals;
pub mod smoothing;
pub mod spline;
pub mod tracking;

pub use area::MapArea;
pub use body::{Protrusions, VehicleGeometry};
pub use elevation_map::ElevationMap;
pub use localization::{Localization, Localizer, MotionEstimate, SensorRole};
pub use navigator::{DrivePhase, Navigator, NavigatorState, PlanInput, PlannerState, RouteModel};
pub use plan::LocalPlan;
