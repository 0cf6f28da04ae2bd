//! What the environment asks for: how many threads, and which instructions.

use super::Failure;
use crate::numeric::instructions;

/// Most threads: a number of the environment is mostly a slip.
const MOST: usize = 1024;

/// Refuses what the pool of threads would break on, or pass over in silence.
pub fn check() -> Result<(), Failure> {
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
    check_instructions()
}

/// Refuses instructions that the processor does not have.
fn check_instructions() -> Result<(), Failure> {
    let Some(value) = std::env::var_os(instructions::VARIABLE) else { return Ok(()) };
    let value = value.to_string_lossy().into_owned();
    let names: Vec<&str> = instructions::available().into_iter().map(|(name, _)| name).collect();
    if value.is_empty() || names.contains(&&*value) {
        return Ok(());
    }
    let allowed = format!("one of {}, which this processor has", names.join(", "));
    Err(Failure::Usage { argument: instructions::VARIABLE, value, allowed })
}
