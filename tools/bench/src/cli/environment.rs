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
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let named = std::env::var("RAYON_NUM_THREADS").unwrap_or_default();
    let threads = match named.as_str() {
        "" | "0" => cores,
        named => named.parse().map_err(|_| {
            format!("RAYON_NUM_THREADS={named}: must be a whole number; 0 uses all cores")
        })?,
    };
    let pool = start_global_pool(threads)?;
    if let Some(shortfall) = pool.shortfall() {
        eprintln!("warning: {shortfall}");
    }
    Ok(())
}
