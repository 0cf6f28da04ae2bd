//! Where a library lies in an FMU, and what it is called before.

use super::Interface;
use std::env::consts::{ARCH, DLL_PREFIX, DLL_SUFFIX, OS};

/// Name of the library's file as cargo builds it.
pub fn library_file() -> String {
    format!("{DLL_PREFIX}bekker_fmi{DLL_SUFFIX}")
}

/// Place of the library in an FMU on this machine: `binaries/x86_64-linux/car.so`, and in FMI 2.0,
/// which knows one family of processors, `binaries/linux64/car.so`.
pub fn binary(interface: Interface, model_identifier: &str) -> String {
    let system = if OS == "macos" { "darwin" } else { OS };
    let platform = match interface {
        Interface::Fmi3 => format!("{ARCH}-{system}"),
        Interface::Fmi2 => format!("{}64", if OS == "windows" { "win" } else { system }),
    };
    format!("binaries/{platform}/{model_identifier}{DLL_SUFFIX}")
}
