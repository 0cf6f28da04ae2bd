//! What started this process: a shell, or a launcher of MPI that started others too.

use super::Failure;
#[cfg(feature = "mpi")]
use crate::report::manifest::FileHash;
#[cfg(feature = "mpi")]
use crate::sync::MpiSession;

/// Variables in which launchers tell how many processes they started: Open MPI's and
/// PRRTE's, MPICH's and all others of PMI, a step of Slurm (an allocation alone sets
/// `SLURM_NTASKS` too, but starts nothing).
const SIZES: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"];
/// Variables that tell the number of a process where none tells how many there are.
const NUMBERS: [&str; 3] = ["PMIX_RANK", "PMI_RANK", "PALS_RANKID"];

/// The variable that says that there are others beside this process, as `NAME=VALUE`.
fn others() -> Option<String> {
    let value = |name: &&str| std::env::var(name).ok()?.trim().parse::<u64>().ok();
    let size = SIZES.iter().find_map(|name| Some((name, value(name).filter(|&size| size > 1)?)));
    let number =
        || NUMBERS.iter().find_map(|name| Some((name, value(name).filter(|&rank| rank > 0)?)));
    size.or_else(number).map(|(name, value)| format!("{name}={value}"))
}

/// Refuses to be one of several that know nothing of each other.
fn refuse_others(remedy: &str) -> Result<(), Failure> {
    let Some(subject) = others() else { return Ok(()) };
    let name = subject.split('=').next().unwrap_or_default();
    let cause = format!(
        "a launcher started several processes, which would all run the same into the same \
         folder: {remedy}; to run scenarios side by side, each by itself, start it by \
         `env -u {name} bekker ...`"
    );
    Err(Failure::Input { subject, cause })
}

/// Sees that this process is alone: the build knows no MPI.
///
/// # Errors
/// [`Failure::Input`] where a launcher started others.
#[cfg(not(feature = "mpi"))]
pub fn alone() -> Result<(), Failure> {
    refuse_others(
        "this bekker is built without MPI; build it by `cargo build --release --features mpi`, \
         or start one process with --ranks",
    )
}

/// MPI, where a launcher started more than one process.
///
/// # Errors
/// [`Failure::Input`] where it did and MPI does not know of it: it is another MPI's.
#[cfg(feature = "mpi")]
pub fn session() -> Result<Option<MpiSession>, Failure> {
    let session = MpiSession::of_launcher().filter(|session| session.size() > 1);
    if session.is_none() {
        refuse_others(
            "the MPI that this bekker is built with finds itself alone; start it by the \
             launcher of that MPI, or start one process with --ranks",
        )?;
    }
    Ok(session)
}

/// Identifies the program: a hash of the file that this process runs from, even if
/// another has taken its place since.
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
    let mut hash = FileHash::of(&path, "bekker")?.sha256;
    hash.truncate(16);
    Ok(hash)
}
