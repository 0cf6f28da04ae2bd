//! What the environment asks for: how many threads, and which instructions.

use super::Failure;
use crate::numeric::instructions;
use crate::simulation::start_global_pool;

/// Most threads: a number of the environment is mostly a slip.
const MOST: usize = 1024;

/// Heeds what the environment asks for; refuses what would break, or be passed over in silence.
pub fn heed() -> Result<(), Failure> {
    for argument in ["RAYON_NUM_THREADS", "RAYON_RS_NUM_CPUS"] {
        let Some(value) = std::env::var_os(argument) else { continue };
        let value = value.to_string_lossy().into_owned();
        // empty and 0 leave it to the machine
        let fits = value.is_empty() || value.parse().is_ok_and(|threads: usize| threads <= MOST);
        if !fits {
            let allowed =
                format!("a whole number up to {MOST}; 0 takes as many as there are cores");
            return Err(Failure::Usage { argument, value, allowed });
        }
    }
    choose_instructions()
}

/// Starts the global pool: `asked` threads, or as many as the environment names, or one for each
/// core. Warns if the system allows fewer.
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
        // within another program, as Python, there may be one already
        (Err(_), None) => Ok(()),
        (Err(error), Some(_)) => {
            Err(Failure::Input { subject: "--threads".into(), cause: error.to_string() })
        }
    }
}

/// Instructions to work with, where they are named.
const INSTRUCTIONS: &str = "BEKKER_INSTRUCTIONS";

/// Takes the instructions that are named, or refuses those that the processor has not.
fn choose_instructions() -> Result<(), Failure> {
    let Some(value) = std::env::var_os(INSTRUCTIONS).filter(|value| !value.is_empty()) else {
        return Ok(());
    };
    let value = value.to_string_lossy().into_owned();
    if instructions::choose(&value) {
        return Ok(());
    }
    let names: Vec<&str> = instructions::available().into_iter().map(|(name, _)| name).collect();
    let allowed = format!("one of {}, which this processor has", names.join(", "));
    Err(Failure::Usage { argument: INSTRUCTIONS, value, allowed })
}
