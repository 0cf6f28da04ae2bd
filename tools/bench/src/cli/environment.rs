//! Environment variables: the number of threads, and the processor's instructions.

use super::Failure;
use bekker_math::numeric::instructions;
use bekker_world::start_global_pool;

/// Selects the instructions that `BEKKER_INSTRUCTIONS` names, and starts the global pool: as many
/// threads as `RAYON_NUM_THREADS` names, or one for each core.
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
