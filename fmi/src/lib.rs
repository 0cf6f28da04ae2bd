//! Library in the FMUs of bekker: C interfaces of FMI 3.0 and 2.0 for co-simulation with
//! [`bekker::fmu`].
//!
//! The library is the same in all FMUs; the folder of resources contains the scenario. `cargo build
//! --release -p bekker-fmi` builds it, `bekker export-fmu` adds it to an FMU.

mod binding;
mod component;
