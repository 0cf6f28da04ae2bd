//! The program that runs this command, to be started again for other ranks or after a failure.

use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

static INTERPRETER: OnceLock<PathBuf> = OnceLock::new();

/// Sets the interpreter that runs this command, for the command of the Python package.
///
/// The path of the process is that of the interpreter to which a virtual environment links, without
/// the packages of the environment.
pub fn set_interpreter(path: PathBuf) {
    INTERPRETER.get_or_init(|| path);
}

/// Returns the path of the program. Started with this process's arguments, it runs the same command.
///
/// # Errors
/// The system does not report the path.
pub fn program() -> io::Result<PathBuf> {
    INTERPRETER.get().map_or_else(std::env::current_exe, |path| Ok(path.clone()))
}
