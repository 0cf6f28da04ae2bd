//! Tells the program which source it is made of: `BEKKER_SOURCE`, a hash of all that
//! decides what it computes. Two builds of one version that differ there are told apart.
//! Of a published crate only its own source is at hand; those below it, and the versions
//! of all others, are then told by its version, to which they are bound.

use std::fs;
use std::path::{Path, PathBuf};

/// The crates of the layers up to the scenario, beside this one.
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
            ["vehicles", "trailers", "tyres"].map(|own| workspace.join("crates/vehicle").join(own)),
        );
        places.extend(CRATES.iter().map(|name| workspace.join("crates").join(name).join("src")));
    }
    let mut files = Vec::new();
    for place in places {
        println!("cargo::rerun-if-changed={}", place.display());
        collect(&place, &mut files);
    }
    // FNV-1a (Fowler, Noll, Vo), 64 bits: enough to tell builds apart
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for file in files {
        let content = fs::read(&file).expect("a file of the source can be read");
        for byte in file.to_string_lossy().bytes().chain(content) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    println!("cargo::rustc-env=BEKKER_SOURCE={hash:016x}");
}

/// The files under a place, in the order of their names.
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
