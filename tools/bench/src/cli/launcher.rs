//! Detection of processes started by an MPI launcher.

use super::Failure;
use bekker::cli::launcher::other_ranks;
#[cfg(feature = "mpi")]
use bekker_sync::MpiSession;

/// Fails where a launcher started several processes that cannot communicate.
fn refuse_others(remedy: &str) -> Result<(), Failure> {
    match other_ranks() {
        Some(sign) => Err(format!("{sign}: a launcher started several processes: {remedy}").into()),
        None => Ok(()),
    }
}

/// Checks that this process is alone, because the build has no MPI.
#[cfg(not(feature = "mpi"))]
pub fn check_alone() -> Result<(), Failure> {
    refuse_others("build with `cargo build --release -p bekker-bench --features mpi`")
}

/// Initializes MPI where a launcher started more than one process.
#[cfg(feature = "mpi")]
pub fn session() -> Result<Option<MpiSession>, Failure> {
    let session = MpiSession::from_launcher().filter(|session| session.size() > 1);
    if session.is_none() {
        refuse_others("use the launcher of the MPI library that it is built with")?;
    }
    Ok(session)
}
