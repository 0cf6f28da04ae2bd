//! A vehicle that drives itself: from what its sensors say to throttle, steering and brake.
//!
//! Parts that can be used alone, each an immutable model with plain data for what it remembers:
//! [`localisation`], the [`elevation_map`] that scans are put into, what its cells are
//! ([`obstacles`]) and [`costs`], the route over them ([`astar`], [`smoothing`]), the local path
//! ([`spline`]), [`giving_way`] to others, [`sharing_goals`] with them, [`tracking`] and [`recovery`]; the [`Navigator`] is the whole. Nothing here knows
//! time or threads: the same readings in the same order give the same commands.
//!
//! Algorithms, parameters and what it cannot do: `docs/autonomy.md`.
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

mod area;
pub mod astar;
mod body;
pub mod costs;
pub mod elevation_map;
pub mod giving_way;
pub mod localisation;
mod navigator;
pub mod obstacles;
mod plan;
#[cfg(test)]
mod proving_ground;
pub mod recovery;
pub mod sharing_goals;
pub mod smoothing;
pub mod spline;
pub mod tracking;

pub use area::Area;
pub use body::{Body, Protrusions};
pub use elevation_map::ElevationMap;
pub use localisation::{Estimate, Localisation, Localiser, Role};
pub use navigator::{Look, Memory, Navigator, NavigatorState, Phase, RouteModel};
pub use plan::Plan;
