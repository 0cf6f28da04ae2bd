//! The library in FMUs of bekker: the C interfaces FMI 3.0 and 2.0 for co-simulation around
//! [`bekker::fmu`]. It is the same in all of them; what it simulates is in the folder of resources.
//!
//! `cargo build --release -p bekker-fmi` builds it, `bekker export-fmu` puts it into an FMU.

mod binding;
mod component;
