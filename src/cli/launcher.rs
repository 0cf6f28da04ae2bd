//! Detection of MPI launchers that started this process together with others.

use super::Failure;
#[cfg(feature = "mpi")]
use crate::report::manifest::FileHash;
#[cfg(feature = "mpi")]
use crate::sync::MpiSession;

/// Variables with the number of processes that a launcher started.
///
/// They are those of Open MPI and PRRTE, of MPICH and other PMI launchers, and of a Slurm step. A
/// Slurm allocation alone also sets `SLURM_NTASKS` but starts nothing.
const SIZES: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"];
/// Variables with the number of a process, for launchers that do not set the total.
const NUMBERS: [&str; 3] = ["PMIX_RANK", "PMI_RANK", "PALS_RANKID"];

/// The variable that shows that there are other processes, as `NAME=VALUE`.
pub fn other_ranks() -> Option<String> {
    let value = |name: &&str| std::env::var(name).ok()?.trim().parse::<u64>().ok();
    let size = SIZES.iter().find_map(|name| Some((name, value(name).filter(|&size| size > 1)?)));
    let number =
        || NUMBERS.iter().find_map(|name| Some((name, value(name).filter(|&rank| rank > 0)?)));
    size.or_else(number).map(|(name, value)| format!("{name}={value}"))
}

/// Fails if other processes exist and this one cannot communicate with them.
fn refuse_others(remedy: &str) -> Result<(), Failure> {
    let Some(subject) = other_ranks() else { return Ok(()) };
    let name = subject.split('=').next().unwrap_or_default();
    let cause = format!(
        "a launcher started several processes, and each would write the same run to the same \
         folder: {remedy}; to run independent scenarios in parallel, start each with `env -u \
         {name} bekker ...`"
    );
    Err(Failure::Input { subject, cause })
}

/// Checks that this process is alone, as this build has no MPI.
///
/// # Errors
/// [`Failure::Input`] if a launcher started several processes.
#[cfg(not(feature = "mpi"))]
pub fn check_alone() -> Result<(), Failure> {
    refuse_others(
        "this bekker is built without MPI; build it with `cargo build --release --features mpi`, \
         or start one process with --ranks",
    )
}

/// Returns the MPI session if a launcher started several processes.
///
/// # Errors
/// [`Failure::Input`] if it did but MPI reports a single process: the launcher belongs to another
/// MPI.
#[cfg(feature = "mpi")]
pub fn session() -> Result<Option<MpiSession>, Failure> {
    let session = MpiSession::from_launcher().filter(|session| session.size() > 1);
    if session.is_none() {
        refuse_others(
            "the MPI library of this bekker reports a single process; use the launcher of that \
             MPI, or start one process with --ranks",
        )?;
    }
    Ok(session)
}

/// Identifies the program by a hash of the file from which this process runs.
///
/// This is the running file even if another has replaced it since.
///
/// # Errors
/// [`Failure::Report`] if it cannot be read.
#[cfg(feature = "mpi")]
pub fn build() -> Result<String, Failure> {
    let running = std::path::Path::new("/proc/self/exe");
    let path = match std::env::current_exe() {
        Ok(path) if !running.exists() => path,
        _ => running.to_owned(),
    };
    let mut hash = FileHash::read(&path, "bekker")?.sha256;
    hash.truncate(16);
    Ok(hash)
}
