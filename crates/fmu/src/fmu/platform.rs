//! Where a library lies in an FMU, and what it is called before.

use std::env::consts::{ARCH, DLL_PREFIX, DLL_SUFFIX, OS};

/// Name of the library's file as cargo builds it.
pub fn library_file() -> String {
    format!("{DLL_PREFIX}bekker_fmi{DLL_SUFFIX}")
}

/// Place of the library in an FMU on this machine: `binaries/x86_64-linux/car.so`.
pub fn binary(model_identifier: &str) -> String {
    let system = if OS == "macos" { "darwin" } else { OS };
    format!("binaries/{ARCH}-{system}/{model_identifier}{DLL_SUFFIX}")
}
