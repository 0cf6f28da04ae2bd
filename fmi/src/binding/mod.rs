//! Functions that an importer calls, for both versions of the interface.

mod fmi2;
mod fmi3;
mod pointer;
mod states;
mod values;
