//! Soils and the laws by which they give way.
//!
//! A [`Soil`] is either firm (a handling tyre's ground) or yielding. The laws
//! are pure functions, one concept a file; nothing here knows a grid.

pub mod catalogue;
mod check;
mod parameters;

pub use catalogue::{Catalogue, CatalogueError, CatalogueSoil, catalogue};
pub use check::ParameterError;
pub use parameters::{Bulldozing, Soil, SoilId, SoilKind, Yielding};
