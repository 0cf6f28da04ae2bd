//! Export of a scenario as a functional mock-up unit (FMU) for co-simulation.
//!
//! It follows the Functional Mock-up Interface (FMI) 3.0 or 2.0 of the Modelica Association.
//!
//! [`variables`] are the inputs and outputs: commands of vehicles with an external controller, and
//! states of all vehicles. A [`ModelDescription`] is the content of `modelDescription.xml`. An
//! [`FmuInstance`] is a world that is stepped between communication points. An [`archive`] packs
//! description, library and resources into one file.
//!
//! This is a layer of the crate `bekker`, whose documentation starts with examples;
//! `ARCHITECTURE.md` maps all layers.

pub mod archive;
mod description;
mod description_fmi2;
mod error;
mod instance;
mod platform;
mod saved_state;
mod variable;

pub use description::{Interface, ModelDescription, model_identifier};
pub use error::FmuError;
pub use instance::{FmuInstance, SCENARIO};
pub use platform::{binary, library_file};
pub use saved_state::SavedState;
pub use variable::{Causality, Variable, VariableType, external_vehicles, variables};

#[cfg(test)]
mod tests;
