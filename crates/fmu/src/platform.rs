//! Path of the library inside an FMU, and its file name before packing.

use super::Interface;
use std::env::consts::{ARCH, DLL_PREFIX, DLL_SUFFIX, OS};

/// File name of the library as built by cargo.
pub fn library_file() -> String {
    format!("{DLL_PREFIX}bekker_fmi{DLL_SUFFIX}")
}

/// Path of the library in an FMU for this platform.
///
/// It is `binaries/x86_64-linux/car.so`, or `binaries/linux64/car.so` in FMI 2.0, which defines a
/// single processor family.
pub fn binary(interface: Interface, model_identifier: &str) -> String {
    let system = if OS == "macos" { "darwin" } else { OS };
    let platform = match interface {
        Interface::Fmi3 => format!("{ARCH}-{system}"),
        Interface::Fmi2 => format!("{}64", if OS == "windows" { "win" } else { system }),
    };
    format!("binaries/{platform}/{model_identifier}{DLL_SUFFIX}")
}
