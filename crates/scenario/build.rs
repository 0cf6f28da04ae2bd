//! Sets `BEKKER_SOURCE`, a hash of all source files that affect results.
//!
//! It distinguishes builds of the same version. A published crate contains only its own source. The
//! sources of its dependencies are then identified by its version, to which they are pinned.

use std::fs;
use std::path::{Path, PathBuf};

/// The crates on which results depend, including this one.
const CRATES: [&str; 10] = [
    "math", "ground", "vehicle", "sensor", "autonomy", "sync", "agent", "world", "ranks",
    "scenario",
];

fn main() {
    let mut places = vec![PathBuf::from("src")];
    let workspace = Path::new("../..");
    if workspace.join("crates/scenario").is_dir() {
        places = vec![workspace.join("Cargo.lock")];
        places.extend(
            ["vehicles", "trailers", "tires"].map(|own| workspace.join("crates/vehicle").join(own)),
        );
        places.extend(CRATES.iter().map(|name| workspace.join("crates").join(name).join("src")));
    }
    let mut files = Vec::new();
    for place in places {
        println!("cargo::rerun-if-changed={}", place.display());
        collect(&place, &mut files);
    }
    // FNV-1a (Fowler, Noll, Vo), 64 bits: sufficient to distinguish builds
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for file in files {
        let content = fs::read(&file).expect("a file of the source can be read");
        for byte in file.to_string_lossy().bytes().chain(content) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    println!("cargo::rustc-env=BEKKER_SOURCE={hash:016x}");
}

/// Collects the files below a path, sorted by name.
fn collect(place: &Path, files: &mut Vec<PathBuf>) {
    if !place.is_dir() {
        files.push(place.to_owned());
        return;
    }
    let entries = fs::read_dir(place).expect("a folder of the source can be read");
    let mut inner: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    inner.sort();
    inner.iter().for_each(|path| collect(path, files));
}
