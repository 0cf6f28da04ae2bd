//! Python with packages from the registry, for tests in which other programs read bekker's output.

/// Returns a Python in which `import` works, or reports the missing `packages` clearly.
pub fn having(import: &str, packages: &str) -> Option<String> {
    let python = std::env::var("BEKKER_PYTHON").unwrap_or_else(|_| "python3".into());
    let found = std::process::Command::new(&python).args(["-c", import]).output();
    if found.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    eprintln!(
        "NOT RUN: {python} has no {packages}; install them (pip) and set BEKKER_PYTHON, or `.ci/run tests`"
    );
    None
}
