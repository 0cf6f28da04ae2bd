//! Settings from environment variables: number of threads and instruction set.

use super::Failure;
use crate::numeric::instructions;
use crate::simulation::start_global_pool;

/// Maximum number of threads; a larger number is most likely a mistake.
const MOST: usize = 1024;

/// Applies the settings; refuses values that would fail or be ignored.
pub fn apply_environment() -> Result<(), Failure> {
    for argument in ["RAYON_NUM_THREADS", "RAYON_RS_NUM_CPUS"] {
        let Some(value) = std::env::var_os(argument) else { continue };
        let value = value.to_string_lossy().into_owned();
        // an empty value and 0 mean one thread per core
        let fits = value.is_empty() || value.parse().is_ok_and(|threads: usize| threads <= MOST);
        if !fits {
            let allowed = format!("a whole number up to {MOST}; 0 uses one thread per core");
            return Err(Failure::Usage { argument, value, allowed });
        }
    }
    choose_instructions()
}

/// Starts the global thread pool.
///
/// It has `asked` threads, or the number in the environment, or one per core. Warns if the system
/// allows fewer.
pub fn start_threads(asked: Option<u16>) -> Result<(), Failure> {
    let named = |key: &str| {
        let number = std::env::var(key).ok()?.parse::<usize>().ok()?;
        (number > 0).then_some(number)
    };
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let environment = || named("RAYON_NUM_THREADS").or_else(|| named("RAYON_RS_NUM_CPUS"));
    let wanted = asked.map(usize::from).or_else(environment).unwrap_or_else(cores);
    match (start_global_pool(wanted), asked) {
        (Ok(size), _) => {
            if let Some(shortfall) = size.shortfall() {
                eprintln!("warning: {shortfall}");
            }
            Ok(())
        }
        // a host program such as Python may have started a pool already
        (Err(_), None) => Ok(()),
        (Err(error), Some(_)) => {
            Err(Failure::Input { subject: "--threads".into(), cause: error.to_string() })
        }
    }
}

/// Variable with the name of the instruction set.
const INSTRUCTIONS: &str = "BEKKER_INSTRUCTIONS";

/// Selects the named instruction set; refuses one that the processor does not support.
fn choose_instructions() -> Result<(), Failure> {
    let Some(value) = std::env::var_os(INSTRUCTIONS).filter(|value| !value.is_empty()) else {
        return Ok(());
    };
    let value = value.to_string_lossy().into_owned();
    if instructions::choose(&value) {
        return Ok(());
    }
    let names: Vec<&str> = instructions::available().into_iter().map(|(name, _)| name).collect();
    let allowed = format!("one of the instruction sets of this processor: {}", names.join(", "));
    Err(Failure::Usage { argument: INSTRUCTIONS, value, allowed })
}
