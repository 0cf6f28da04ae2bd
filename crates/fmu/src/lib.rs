//! A scenario as a functional mock-up unit (FMU) for co-simulation, by the Functional Mock-up
//! Interface 3.0 or 2.0 of the Modelica Association.
//!
//! [`variables`] are what others wire: commands of the vehicles that are driven from outside go
//! in, states of all vehicles come out. A [`Description`] is what `modelDescription.xml` says of
//! them, an [`Instance`] a world that is stepped between its communication points, and an
//! [`archive`] puts description, library and resources into one file.
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

pub mod archive;
mod description;
mod description_fmi2;
mod error;
mod instance;
mod platform;
mod saved;
mod variable;

pub use description::{Description, Interface, model_identifier};
pub use error::FmuError;
pub use instance::{Instance, SCENARIO};
pub use platform::{binary, library_file};
pub use saved::SavedState;
pub use variable::{Causality, Kind, Variable, outside, variables};

#[cfg(test)]
mod tests;
