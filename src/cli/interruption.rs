//! Signals that end a run early.

use super::Failure;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A flag that Ctrl-C, SIGTERM and SIGHUP set.
///
/// SIGHUP is not handled if the process was started with it ignored, as by `nohup`.
pub fn interruption_signal() -> Result<Arc<AtomicBool>, Failure> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM].into_iter().chain(hang_up()) {
        signal_hook::flag::register(signal, flag.clone()).map_err(|error| Failure::Input {
            subject: format!("signal {signal}"),
            cause: error.to_string(),
        })?;
    }
    Ok(flag)
}

/// Makes a write beyond the file size limit fail like any other write.
///
/// Without a handler, SIGXFSZ ends the process.
pub fn survive_file_size_limit() -> Result<(), Failure> {
    #[cfg(unix)]
    flag_on_signal(signal_hook::consts::SIGXFSZ, "SIGXFSZ")?;
    Ok(())
}

/// A flag that SIGUSR1 sets: batch systems use it to announce that they reclaim a machine.
pub fn dismissal_signal() -> Result<Arc<AtomicBool>, Failure> {
    #[cfg(unix)]
    return flag_on_signal(signal_hook::consts::SIGUSR1, "SIGUSR1");
    #[cfg(not(unix))]
    Ok(Arc::default())
}

/// A flag that SIGUSR2 sets: a rank can be added.
pub fn enlargement_signal() -> Result<Arc<AtomicBool>, Failure> {
    #[cfg(unix)]
    return flag_on_signal(signal_hook::consts::SIGUSR2, "SIGUSR2");
    #[cfg(not(unix))]
    Ok(Arc::default())
}

/// A flag that one signal sets.
#[cfg(unix)]
fn flag_on_signal(signal: i32, name: &str) -> Result<Arc<AtomicBool>, Failure> {
    let flag = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal, flag.clone()).map_err(|error| Failure::Input {
        subject: format!("signal {name}"),
        cause: error.to_string(),
    })?;
    Ok(flag)
}

/// SIGHUP, if the system has it and it is not ignored.
#[cfg(unix)]
fn hang_up() -> Option<i32> {
    let signal = signal_hook::consts::SIGHUP;
    (!is_ignored(signal)).then_some(signal)
}

#[cfg(not(unix))]
fn hang_up() -> Option<i32> {
    None
}

/// Whether the process was started with a signal ignored; `false` if the system does not report it.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
