//! Environment variables: the number of threads, and the CPU's instruction set.

use super::Failure;
use bekker_math::numeric::instructions;
use bekker_world::start_global_pool;

/// Selects the instruction set of `BEKKER_INSTRUCTIONS`, and starts the global thread pool.
///
/// The pool has `RAYON_NUM_THREADS` threads, or one per core.
pub fn apply() -> Result<(), Failure> {
    let named = std::env::var("BEKKER_INSTRUCTIONS").unwrap_or_default();
    if !named.is_empty() && !instructions::choose(&named) {
        let known: Vec<&str> =
            instructions::available().into_iter().map(|(name, _)| name).collect();
        let known = known.join(", ");
        return Err(format!("BEKKER_INSTRUCTIONS={named}: must be one of {known}").into());
    }
    let threads = std::env::var("RAYON_NUM_THREADS").ok().and_then(|threads| threads.parse().ok());
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let pool = start_global_pool(threads.filter(|threads| *threads > 0).unwrap_or_else(cores))?;
    if let Some(shortfall) = pool.shortfall() {
        eprintln!("warning: {shortfall}");
    }
    Ok(())
}
