//! Sets linker options for the library of an FMU.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        // threads that step vehicles outlive an instance, so importers must not unload the library
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
        // every FMU contains a copy
        println!("cargo:rustc-cdylib-link-arg=-Wl,--strip-all");
    }
}
